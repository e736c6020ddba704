"""NumPy functions as definitions over loops; importing the package fills the tables of `core`."""

from . import (  # noqa: F401
    contraction,
    creation,
    elementwise,
    extrema,
    functional,
    linear,
    mathematics,
    reduction,
    shape,
    sorting,
    stacked,
    statistics,
    triangular,
)
from .core import COMPILE_TIME, DEFINITIONS, ELEMENTWISE, OPS, ROUTINES, arguments_marked, newer
from .stacked import STACKED

__all__ = [
    "COMPILE_TIME",
    "DEFINITIONS",
    "ELEMENTWISE",
    "OPS",
    "ROUTINES",
    "STACKED",
    "arguments_marked",
    "newer",
]
