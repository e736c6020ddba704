"""All cases: importing this package fills `CASES`."""

from . import (
    algebra,
    aliasing,
    branches,
    calls,
    corners,
    in_place,
    indexing,
    loops,
    overwritten,
    recurrences,
    refused,
    second_order,
    shapes,
)
from .case import CASES, Case, by_id, judge

__all__ = ["CASES", "Case", "by_id", "judge"]
