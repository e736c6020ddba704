"""Second derivatives of every case whose gradient is smooth at its point: tangent over reverse and reverse
over reverse against differences of the gradient.

The gradient itself is checked against the expected one in `test_cases`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit

from . import CASES, Case
from .case import GRADIENT

# Their gradients jump at the point, or on every neighbourhood of it.
NOT_SMOOTH = {
    "maximum_of_doubled_array": "two entries tie",
    "sorted_squares_with_ties": "entries tie",
    "power_with_zero_base": "the base is zero",
    "power_with_zero_exponent": "the base is zero",
    "where_guards_square_root": "the root is taken at zero",
    "where_guards_arctan2": "the origin",
    "masked_pair_distances": "distances of zero",
}
# Refused: the derivative of eigenvectors of equal eigenvalues.
REFUSED = ("equal_eigenvalues", "simple_eigenvector_beside_equal_pair")
STEP = 1e-5


def is_float(x: object) -> bool:
    return isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype == np.float64)


def chosen(case: Case) -> bool:
    args = case.make_args()
    scalar = case.seed is None and case.expect == GRADIENT and case.order == 1
    left_out = case.function.__name__ in NOT_SMOOTH or case.function.__name__ in REFUSED
    return scalar and not left_out and is_float(args[case.wrt[0]])


def moved(case: Case, step: float, along: Any) -> tuple[Any, ...]:
    args = list(case.make_args())
    args[case.wrt[0]] = args[case.wrt[0]] + step * along
    return tuple(args)


SMOOTH = {name: case for name, case in CASES.items() if chosen(case)}


@pytest.mark.parametrize("case", SMOOTH.values(), ids=SMOOTH)
def test_second_order(case: Case) -> None:
    k = case.wrt[0]
    gradient = adjit.grad(case.function, argnums=k)
    shape = np.shape(case.make_args()[k])
    along = np.random.default_rng(1).normal(size=shape)[()]
    ends = [np.asarray(gradient(*moved(case, sign * STEP, along))) for sign in (1.0, -1.0)]
    expected = (ends[0] - ends[1]) / (2.0 * STEP)
    args = case.make_args()
    tangents = tuple(along if n == k else None for n in range(len(args)))
    _, forward = adjit.jvp(gradient, args, tangents)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(forward, expected, rtol=1e-5, atol=1e-6 * scale)
    _, pullback = adjit.vjp(gradient, *case.make_args(), argnums=k)
    (reverse,) = pullback(along)
    np.testing.assert_allclose(reverse, forward, rtol=1e-9, atol=1e-10 * scale)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    case = CASES[name]
    args = case.make_args()
    tangents = (np.eye(args[0].shape[0]) + 0.1, *(None for _ in args[1:]))
    with pytest.raises(adjit.NotDifferentiableError, match="eigenvalues coincide"):
        adjit.jvp(adjit.grad(case.function, argnums=0), args, tangents)
