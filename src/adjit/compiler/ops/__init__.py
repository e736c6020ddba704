"""Scalar primitives; importing the package fills `TABLE`."""

from . import arithmetic, bessel, comparison, conventions, halves, incomplete, special, transcendental  # noqa: F401
from .core import TABLE, ScalarOp

__all__ = ["TABLE", "ScalarOp"]
