"""The yardstick: the same programs in plain Python, as hand-written Numba adjoints, and in other tools."""

from .workloads import WORKLOADS, Workload

__all__ = ["WORKLOADS", "Workload"]
