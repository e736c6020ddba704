"""Generated text computes what the interpreter of core IR computes, on random functions, their adjoints and
the adjoints' tangents.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from adjit.compiler import adjoint
from adjit.compiler.codegen.python import module_text
from adjit.compiler.ir.nodes import Function
from adjit.errors import NotDifferentiableError
from adjit.options import Options
from adjit.runtime import modules
from adjit.runtime.support import Failure
from tests.compiler.passes.meaning import arguments
from tests.support.interpret import run
from tests.support.little import read
from tests.support.random_ir import program


def outcome(fn: Function, seed: int, executed: bool, words: int = 8) -> list[object]:
    """Results and final contents of the arguments; the kind of failure."""
    args = arguments(seed)
    text = module_text(fn, Options())
    try:
        if executed:
            types = [
                None
                if isinstance(a, np.ndarray)
                else type(np.float64(0) if isinstance(a, float) else np.int64(0))
                for a in args
            ]
            plain = [a if t is None else t(a) for a, t in zip(args, types, strict=True)]
            workspace = [np.full(words, -1, np.int64)] if text.workspace else []
            found = modules.load(text, cache=False).call(*plain, *workspace)
            results = found if isinstance(found, tuple) else (found,)
        else:
            results = run(fn, *args)
    except (IndexError, ValueError, Failure):
        return ["failure"]
    return [np.array(r) for r in (*results, *args[:3])]


def check(fn: Function, seed: int) -> None:
    a, b = outcome(fn, seed, executed=False), outcome(fn, seed, executed=True, words=8 + seed % 3 * 1000)
    text = module_text(fn, Options()).source
    assert len(a) == len(b), f"seed {seed}\n{a}\n{b}\n{text}"
    for u, v in zip(a, b, strict=True):
        if isinstance(u, str):
            assert u == v
        else:
            np.testing.assert_allclose(u, v, rtol=1e-13, atol=1e-13, err_msg=f"seed {seed}\n{text}")


@pytest.mark.parametrize("seed", range(60))
def test_random_functions(seed: int) -> None:
    check(read(program(seed)), seed)


def floats_of(fn: Function) -> list[int]:
    return [k for k, p in enumerate(fn.params) if p.type.dtype == "float64"]


@pytest.mark.parametrize("seed", range(40))
def test_their_adjoints(seed: int) -> None:
    fn = read(program(seed))
    scalars = [
        k for k, r in enumerate(fn.results) if r.type.dtype == "float64" and not hasattr(r.type, "ndim")
    ]
    try:
        made = adjoint.joint(fn, floats_of(fn), seeded=scalars)
    except NotDifferentiableError:
        return
    check(made, seed)


def test_text_is_the_same_each_time_and_belongs_to_no_machine() -> None:
    for seed in range(10):
        first = module_text(read(program(seed)), Options()).source
        assert first == module_text(read(program(seed)), Options()).source
        assert not re.search(r"['\"(]/\w+/", first)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_compiled(seed: int, compiled: None) -> None:
    check(read(program(seed)), seed)
