"""Core IR cut into kernels and a program for the host; `partition.partition` is the way in.

Reading order: `placement` (what runs where), `grid` (which loops of a nest become threads, which
accumulations need atomics), `assembly` (one kernel), `partition`.
"""

from .assembly import Kernel, Plan
from .partition import partition

__all__ = ["Kernel", "Plan", "partition"]
