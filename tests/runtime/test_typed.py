"""Programs for arguments of which only Numba's types are known: no lengths, so that each axis may have
length one.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.runtime import modules, pytree, within, workspace
from adjit.runtime.typed import Names, Taken, precise
from tests.support.oracles import entries
from tests.support.programs import load
from tests.support.trees import get


def without_lengths(transform: Any, args: tuple[Any, ...]) -> Any:
    """The result of the program that a call from compiled code runs, uncompiled."""
    taken = Taken(Names(()))
    specs = tuple(taken.spec(precise(numba.typeof(a)), f"args[{k}]", "") for k, a in enumerate(args))
    made, known, text = within.prepared(transform, specs)
    leaves = [eval(leaf, {"args": args, **taken.names.objects}) for leaf in taken.leaves]
    leaves += [h.fetch() for h in made.hidden]
    leaves = [x if d is None else np.dtype(d).type(x) for x, d in zip(leaves, known.params, strict=True)]
    found = modules.load(text).call(*leaves, *[np.zeros(workspace.EMPTY, np.int64)] * text.workspace)
    return pytree.assembler(made.result)((found,) if len(known.results) == 1 else found)


SOME = (
    "negative_indices",
    "rotate_three",
    "zero_dimensional",
    "cholesky_in_place",
    "kernel_with_a_number",
    "while_with_counter",
    "integer_arithmetic",
    "shadowed_names",
    "crossings",
    "products",
    "transposes_and_axes",
    "globals_and_constants",
    "triangular_loops",
)


@pytest.mark.parametrize("name", SOME)
def test_programs_for_arrays_of_any_lengths(name: str) -> None:
    """Where each axis may have length one, the gradient is what differences of the original give."""
    program = load()[name]
    gradients = without_lengths(adjit.grad(program.function, argnums=program.wrt), program.make_args())
    for k, gradient in zip(program.wrt, gradients, strict=True):
        for path, position, wanted in entries(program.function, program.make_args(), k):
            got = np.asarray(get(gradient, path))[position]
            assert abs(got - wanted.value) <= program.rtol * max(1.0, abs(wanted.value)) + wanted.error, path


def test_examples_of_length_one() -> None:
    x, m = np.array([[1.0], [2.0]]), np.arange(6.0).reshape(2, 3)
    distances = adjit.vmap(lambda row, middle: np.sum((row - middle) ** 2))
    assert np.allclose(without_lengths(distances, (x, m)), np.sum((x - m) ** 2, axis=1))
