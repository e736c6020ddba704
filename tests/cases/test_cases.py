"""Every case through adjit, uncompiled; a sample compiled; all of them at the same time from several threads.

The expected gradients themselves are checked against differences of the programs, so that a mistake in this
folder shows.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import adjit
from tests.support import oracles, trees

from . import CASES, Case, judge
from .case import ACCEPT, ERROR, GRADIENT, GRADIENT_OR_ERROR

# One or two of each kind of program: what only shows compiled (types, layouts, uninitialised names) shows
# here.
COMPILED = (
    "boolean_mask_set_and_get",
    "callee_updates_view",
    "conjugate_gradient_solve",
    "early_return_inside_loop",
    "enumerate_and_zip",
    "float32_stays_float32",
    "hessian_branch_series",
    "log_space_forward_pass",
    "lu_in_place_logdet",
    "ping_pong_buffers",
    "pivoted_elimination_solve",
    "sign_times_logdet",
    "size_one_operands",
    "solve_then_dot",
    "transposed_view_write",
    "weighted_sort",
    "while_inside_for",
    "zero_d_array_input",
)


def compute(function: Any, args: tuple[Any, ...], wrt: tuple[int, ...], seed: Any, order: int) -> Any:
    """One gradient for each position in `wrt`; the Hessian where `order` is 2."""
    if order == 2:
        return (adjit.hessian(function, argnums=wrt[0])(*args),)
    value, pullback = adjit.vjp(function, *args, argnums=wrt)
    return pullback(np.ones_like(value)[()] if seed is None else seed)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: Case) -> None:
    assert judge(case, compute, adjit.AdjitError) == ""


@pytest.mark.compiled
@pytest.mark.parametrize("name", COMPILED)
def test_case_compiled(name: str, compiled: None) -> None:
    assert judge(CASES[name], compute, adjit.AdjitError) == ""


def test_cases_from_several_threads() -> None:
    """Gradients computed at the same time equal those computed alone."""
    chosen = [c for c in CASES.values() if c.expect == GRADIENT and c.id != "large_loop_overwrite"][::2] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda c: (c.id, judge(c, compute, adjit.AdjitError)), chosen))
    assert [pair for pair in found if pair[1]] == []


EXPECTED = [
    c
    for c in CASES.values()
    if c.gradient is not None and c.expect not in (ERROR, ACCEPT) and c.fd != "alias"
]


@pytest.mark.parametrize("case", EXPECTED, ids=[c.id for c in EXPECTED])
def test_expected_gradient_agrees_with_differences(case: Case) -> None:
    args = tuple(case.fd_args(np.random.default_rng(0))) if case.fd_args else case.make_args()
    if case.id == "large_loop_overwrite":
        args = (*args[:2], 300)
    args = tuple(np.array(a, np.float64) if np.asarray(a).dtype == np.float32 else a for a in args)
    seed, rng = case.make_seed(), np.random.default_rng(0)
    wanted = case.gradient(*args)  # type: ignore[misc]
    if case.order == 2:
        _check_hessian(case, args, wanted)
        return
    for position, expected in zip(case.wrt, wanted, strict=True):
        tolerance = 10 * case.fd_tol
        mode = case.fd.get(position, "central") if isinstance(case.fd, dict) else case.fd
        direction = oracles.random_direction(args[position], rng)
        if mode == "right":
            direction = np.abs(direction)
            have = _right(case, args, position, direction)
            tolerance = 1e-4  # powers have no second derivative there
        else:
            have = oracles.directional(case.function, args, position, direction, seed).value
        want = float(np.sum(np.asarray(expected) * direction))
        assert abs(have - want) <= tolerance * max(1.0, abs(want)), (position, have, want)


def _right(case: Case, args: tuple[Any, ...], position: int, direction: Any) -> float:
    """One-sided: the function is not defined to the left, as for powers at 0."""
    at = [
        float(oracles.plain(case.function, oracles.moved(args, position, direction, h)))
        for h in (0, 1e-6, 2e-6)
    ]
    return (4 * at[1] - at[2] - 3 * at[0]) / 2e-6


def _check_hessian(case: Case, args: tuple[Any, ...], wanted: Any) -> None:
    h, (x,) = 1e-4, trees.fresh(args)
    for i, j in np.ndindex(np.shape(wanted)):

        def at(a: float, b: float, i: int = i, j: int = j) -> float:
            moved = x.copy()
            moved[i] += a
            moved[j] += b
            return float(case.function(moved))

        have = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h)
        assert abs(have - wanted[i, j]) < 1e-5 * max(1.0, abs(wanted[i, j]))


def test_an_error_that_is_not_the_librarys_own_is_no_answer() -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("support")

    refused = [c for c in CASES.values() if c.expect in (ERROR, GRADIENT_OR_ERROR)]
    assert refused and all(judge(c, broken, adjit.AdjitError) for c in refused)
