"""What a program on the GPU needs at run time.

Reading order: `simulated` (whether kernels run in Python), `device` (functions that kernels call), `streams`,
`memory`, `arrays` (arguments, views, copies), `launching`, `driver` (what the host's program calls),
`modules` (loading).
"""
