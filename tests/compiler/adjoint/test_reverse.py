"""Adjoints and tangents of small core programs against central differences, the dot-product test and each
other.

Everything runs in the interpreter of `tests.support.interpret`: no text is generated and nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from adjit.compiler.adjoint import joint, split, tangent
from adjit.compiler.ir.nodes import Alloc, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from tests.compiler.adjoint.programs import PROGRAMS
from tests.support.interpret import run

Args = tuple[object, ...]
STEP = 1e-6


def copies(args: Sequence[object], moved: dict[int, object] | None = None) -> list[object]:
    """Fresh arguments; `moved` are added to those at their positions."""
    moved = moved or {}
    fresh = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    return [a + moved[k] if k in moved else a for k, a in enumerate(fresh)]  # type: ignore[operator]


def floats(args: Args) -> list[int]:
    return [k for k, a in enumerate(args) if np.asarray(a).dtype.kind == "f"]


def directions(args: Args, wrt: Sequence[int], seed: int = 0) -> list[object]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=np.shape(args[k])) for k in wrt]  # type: ignore[arg-type]


def slope(fn: Function, args: Args, wrt: Sequence[int], along: Sequence[object], result: int = 0) -> object:
    """Central difference of one result along a direction."""
    ends = []
    for sign in (1.0, -1.0):
        moved = {k: sign * STEP * np.asarray(d) for k, d in zip(wrt, along, strict=True)}
        ends.append(np.asarray(run(fn, *copies(args, moved))[result]))
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> tuple[Function, Args]:
    return PROGRAMS[request.param]


def test_joint_against_differences(program: tuple[Function, Args]) -> None:
    fn, args = program
    wrt = floats(args)
    adjoint = joint(fn, wrt)
    verify(adjoint)
    value, *gradients = run(adjoint, *copies(args))
    assert value == run(fn, *copies(args))[0]
    for seed in range(3):
        along = directions(args, wrt, seed)
        total = sum(np.sum(np.asarray(g) * d) for g, d in zip(gradients, along, strict=True))
        np.testing.assert_allclose(total, slope(fn, args, wrt, along), rtol=1e-5, atol=1e-7)


def test_split_equals_joint(program: tuple[Function, Args]) -> None:
    fn, args = program
    wrt = floats(args)
    forward, backward = split(fn, wrt)
    verify(forward)
    verify(backward)
    value, *saved = run(forward, *copies(args))
    expected = run(joint(fn, wrt), *copies(args))
    for seed in (1.0, -2.5):
        for got, want in zip(run(backward, *saved, seed), expected[1:], strict=True):
            np.testing.assert_allclose(got, seed * np.asarray(want), rtol=1e-12, atol=1e-13)
    assert value == expected[0]


def test_tangent_is_the_transpose(program: tuple[Function, Args]) -> None:
    fn, args = program
    wrt = floats(args)
    mode = tangent(fn, wrt)
    verify(mode)
    along = directions(args, wrt)
    slope_forward = run(mode, *copies(args), *along)[1]
    gradients = run(joint(fn, wrt), *copies(args))[1:]
    total = sum(np.sum(np.asarray(g) * d) for g, d in zip(gradients, along, strict=True))
    np.testing.assert_allclose(slope_forward, total, rtol=1e-10, atol=1e-12)


def test_second_order(program: tuple[Function, Args]) -> None:
    """Tangent over reverse and reverse over reverse against a difference of the gradient."""
    fn, args = program
    adjoint = joint(fn, [0])
    along = directions(args, [0])
    expected = slope(adjoint, args, [0], along, result=1)
    product = run(tangent(adjoint, [0]), *copies(args), *along)[-1]
    np.testing.assert_allclose(product, expected, rtol=1e-4, atol=1e-6)
    forward, backward = split(adjoint, [0])
    verify(forward)
    verify(backward)
    saved = run(forward, *copies(args))[2:]
    (again,) = run(backward, *saved, 0.0, *along)
    np.testing.assert_allclose(again, product, rtol=1e-10, atol=1e-12)


def test_gradients_are_added_to_buffers(program: tuple[Function, Args]) -> None:
    fn, args = program
    arrays = [k for k in floats(args) if isinstance(args[k], np.ndarray)]
    buffers = [np.ones(np.shape(args[k])) for k in arrays]  # type: ignore[arg-type]
    gradients = run(joint(fn, arrays), *copies(args))[1:]
    run(joint(fn, arrays, accumulate=True), *copies(args), *buffers)
    for got, want in zip(buffers, gradients, strict=True):
        np.testing.assert_allclose(got, 1.0 + np.asarray(want), rtol=1e-12)


def saved_names(name: str) -> set[str]:
    fn = joint(PROGRAMS[name][0], [0])
    return {s.out.name for s in walk(fn.body) if isinstance(s, Alloc) and s.out.name.startswith("saved")}


def test_what_is_saved() -> None:
    """The reverse of a sum needs no memory; a swap saves the state, an exit the number of passes."""
    assert saved_names("two_sums") == set()
    assert saved_names("swapped") == {"saved_a"}
    assert "saved_trips" in saved_names("early_exit")


def test_triangular_buffers_are_counted() -> None:
    """The loops of `levinson` read n (n - 1) / 2 elements of y: one buffer, neither growing nor square."""
    fn = joint(PROGRAMS["levinson"][0], [0])
    buffers = [s for s in walk(fn.body) if isinstance(s, Alloc) and s.out.name == "saved_y"]
    assert len(buffers) == 1
    assert not buffers[0].out.type.growing  # type: ignore[union-attr]
    assert len(buffers[0].shape) == 1
