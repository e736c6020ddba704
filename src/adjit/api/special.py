"""Functions that mean something inside a differentiated function."""

from ..compiler.definitions import core

stop_gradient = core.held

__all__ = ["stop_gradient"]
