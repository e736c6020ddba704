"""Functions that mean something inside a differentiated function."""

from ..compiler.held import held as stop_gradient

__all__ = ["stop_gradient"]
