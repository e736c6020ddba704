"""Ops that are plain arithmetic in value and differ in their derivative: ties, roots at zero, held values."""

from __future__ import annotations

import numpy as np

from .core import define, zero_derivative
from .symbolic import Value, equal, where


@define("share", 3, "{0}", lambda x, y, weight: x)
def share_partials(x: Value, y: Value, weight: Value, out: Value) -> tuple[object, ...]:
    """`x`, with the part `weight` of the derivative of `y`, which is equal, in addition to its own."""
    return 1.0, weight, None


@define("root", 1, "np.sqrt({0})", np.sqrt)
def root_partials(x: Value, out: Value) -> tuple[object, ...]:
    """Of a sum of squares: gradient zero at zero."""
    zero = equal(out, 0.0)
    return (where(zero, 0.0, 0.5 / where(zero, 1.0, out)),)


@define("square_of", 2, "{0} * {0}", lambda root, x: root * root)
def square_of_partials(root: Value, x: Value, out: Value) -> tuple[object, ...]:
    """The square of a root of `x`, whose derivative is that of `x` itself, also where the root has none."""
    return None, 1.0


@define("minus_square_of", 2, "-({0} * {0})", lambda root, x: -(root * root))
def minus_square_of_partials(root: Value, x: Value, out: Value) -> tuple[object, ...]:
    return None, -1.0


@define("add_zero", 2, "{0} + {1}", lambda x, zero: x + zero)
def add_zero_partials(x: Value, zero: Value, out: Value) -> tuple[object, ...]:
    """`x + 0.0`, which is no sum with a constant to be dropped: it makes 0.0 of -0.0, and the sign of a zero
    imaginary part chooses the side of a branch cut.
    """
    return 1.0, None


zero_derivative("stop_gradient", 1, "{0}", lambda x: x)
