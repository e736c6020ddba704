"""Library routines with their derivatives; importing the package fills `ROUTINES`."""

from . import blas, decompositions, linalg, randomness, rules, sorting  # noqa: F401
from .core import ROUTINES, Routine

__all__ = ["ROUTINES", "Routine"]
