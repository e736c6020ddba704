"""The frontend judged without code generation: a captured program, interpreted, against the function itself.

Input: a Python function and arguments. `agrees` runs both on copies and compares values, shapes, dtypes,
structures and what was written to the arguments. The interpreter is that of `interpret`, so that the
frontend is tested alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjit.compiler.frontend.specialise import specialise
from adjit.compiler.ir.printer import text
from adjit.compiler.ir.verify import verify
from adjit.compiler.program import NodeSpec, Program, ResultLeaf, StaticSpec
from adjit.options import DEFAULT, Options
from adjit.runtime import pytree, routines
from tests.support.interpret import run

ROUTINES = ("gemm", "solve", "inv", "det", "cofactor", "slogdet", "cholesky", "eigh", "argsort")
CALLS = {name: getattr(routines, name) for name in ROUTINES}


def captured(function: Callable[..., Any], *args: Any, options: Options = DEFAULT) -> Program:
    """The verified program of a function for arguments like these."""
    program = specialise(function, tuple(pytree.take_apart(a, "argument", []) for a in args), options)
    verify(program.function)
    return program


def source(function: Callable[..., Any], *args: Any) -> str:
    """The core function as text."""
    return text(captured(function, *args).function)


def outcome(function: Callable[..., Any], *args: Any, options: Options = DEFAULT) -> Any:
    """What the captured program gives for the arguments, which it may write."""
    program = captured(function, *args, options=options)
    leaves: list[Any] = []
    for a in args:
        pytree.take_apart(a, "argument", leaves)
    hidden = [h.fetch() for h in program.hidden]
    results = run(program.function, *leaves, *hidden, calls=CALLS)
    return assembled(program.result, results)


def assembled(tree: Any, results: Sequence[Any]) -> Any:
    if isinstance(tree, ResultLeaf):
        return results[tree.index]
    if isinstance(tree, StaticSpec):
        return tree.value
    assert isinstance(tree, NodeSpec)
    return pytree.rebuild(tree.kind, tree.keys, [assembled(c, results) for c in tree.children])


def agrees(function: Callable[..., Any], *args: Any, rtol: float = 1e-12) -> None:
    """The program does what the function does."""
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    same(outcome(function, *mine), function(*theirs), rtol)
    same(mine, theirs, rtol)


def same(got: Any, wanted: Any, rtol: float = 1e-12) -> None:
    node = pytree.children(wanted)
    if node is not None:
        assert type(got) is type(wanted)
        found = pytree.children(got)
        assert found is not None and len(found[2]) == len(node[2])
        for g, w in zip(found[2], node[2], strict=True):
            same(g, w, rtol)
        return
    if isinstance(wanted, bool | int | float | np.generic | np.ndarray):
        assert np.shape(got) == np.shape(wanted)
        assert np.asarray(got).dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=1e-14)
    else:
        assert got == wanted
