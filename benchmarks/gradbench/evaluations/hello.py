"""The square of a number and its derivative."""

from __future__ import annotations

import adjit

from ..protocol import Served


def square(x):
    return x * x


FUNCTIONS = {
    "square": Served(lambda x: (float(x),), adjit.jit(square)),
    "double": Served(lambda x: (float(x),), adjit.grad(square)),
}
