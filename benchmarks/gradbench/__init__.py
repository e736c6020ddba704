"""adjit as a tool of GradBench: `python -m benchmarks.gradbench` answers its messages, one JSON object a
line.
"""
