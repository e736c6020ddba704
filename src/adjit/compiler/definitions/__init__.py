"""NumPy functions as definitions over loops; importing the package fills the tables of `core`."""

from . import creation, elementwise, extrema, linear, reduction, shape, sorting, statistics  # noqa: F401
from .core import COMPILE_TIME, DEFINITIONS, ELEMENTWISE, OPS, ROUTINES, arguments_marked

__all__ = ["COMPILE_TIME", "DEFINITIONS", "ELEMENTWISE", "OPS", "ROUTINES", "arguments_marked"]
