"""Draws of random numbers: library calls that fill an array, in the order in which the program makes them.

`draw_normal(out, stream)` fills `out`; some kinds take numbers after `stream`. A draw is a constant to both
modes, and its array is memory like any other, so the reverse sweep finds the numbers of the forward sweep and
nothing is drawn twice. `stream` stands for the state of the generator: an array that every program that draws
has as a hidden parameter, that each draw is stated to read and to write, and that nothing touches. So draws
are neither removed nor exchanged. Numbers that a draw depends on other than by shift and scale have no
derivative: where one is asked for, it is refused.

`show(stream, *numbers)` prints, in the same order: its attribute is the text, with places for the numbers.
"""

from __future__ import annotations

import numpy as np

from ...errors import NotDifferentiableError
from ..ir.builder import Builder
from ..ir.nodes import Call
from .core import Arrays, Routine, Shadows, register

STREAM = np.zeros(1, np.int64)

PLAIN = (
    "draw_uniform",
    "draw_normal",
    "draw_exponential",
    "draw_laplace",
    "draw_logistic",
    "draw_gumbel",
    "draw_cauchy",
    "draw_permutation",
    "draw_python_uniform",
    "draw_python_normal",
    "draw_python_normalvariate",
)
WITH_NUMBERS = {
    "draw_integers": 2,
    "draw_gamma": 1,
    "draw_beta": 2,
    "draw_chisquare": 1,
    "draw_student": 1,
    "draw_poisson": 1,
    "draw_binomial": 2,
    "draw_geometric": 1,
}


def no_derivative(_b: Builder, call: Call, _shadows: Shadows, _primal: Arrays) -> None:
    kind = call.name.removeprefix("draw_")
    raise NotDifferentiableError(
        f"the numbers of a {kind} draw have no derivative in its parameters",
        call.loc,
        "a draw is a constant; only shifts and scales of draws are differentiated",
        "hold the parameter constant with adjit.stop_gradient, or draw outside",
    )


for name in PLAIN:
    register(Routine(name, (1,), (0, 1), zero_derivative=True))
for name, count in WITH_NUMBERS.items():
    numbers = tuple(range(2, 2 + count))
    register(Routine(name, (1,), (0, 1), no_derivative, no_derivative, flows=numbers))
for name in ("draw_seed", "draw_python_seed", "show"):
    register(Routine(name, (0,), (0,), zero_derivative=True))


__all__ = ["PLAIN", "STREAM", "WITH_NUMBERS"]
