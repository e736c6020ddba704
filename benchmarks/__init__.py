"""Benchmarks: `python -m benchmarks` compares generated adjoints with hand-written ones."""
