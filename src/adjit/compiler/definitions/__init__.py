"""NumPy functions as definitions over loops; importing the package fills the tables of `core`."""

from . import (  # noqa: F401
    contraction,
    creation,
    elementwise,
    extrema,
    linear,
    mathematics,
    reduction,
    shape,
    sorting,
    statistics,
    triangular,
)
from .core import COMPILE_TIME, DEFINITIONS, ELEMENTWISE, OPS, ROUTINES, arguments_marked, newer

__all__ = ["COMPILE_TIME", "DEFINITIONS", "ELEMENTWISE", "OPS", "ROUTINES", "arguments_marked", "newer"]
