"""Whether a pass keeps the meaning of random functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjit.compiler.ir.nodes import Function
from adjit.compiler.ir.printer import text
from adjit.compiler.ir.verify import verify
from tests.support.interpret import run
from tests.support.little import read
from tests.support.random_ir import program


def arguments(seed: int) -> list[object]:
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=8),
        rng.normal(size=8),
        rng.normal(size=(6, 6)),
        int(rng.integers(4, 7)),
        float(rng.normal()),
    ]


def outcome(fn: Function, seed: int) -> list[object]:
    """Results and final contents of the arguments; the class of what is raised."""
    args = arguments(seed)
    try:
        results = run(fn, *args)
    except (IndexError, ValueError) as error:
        return [type(error).__name__]
    return [np.array(r) for r in (*results, *args[:3])]


def check_meaning(p: Callable[[Function], Function], seed: int, *, rounding: float = 0.0) -> None:
    """Raises if `p` changes what the random function number `seed` computes (within relative `rounding`)."""
    fn = read(program(seed))
    changed = p(fn)
    try:
        verify(changed)
        a, b = outcome(fn, seed), outcome(changed, seed)
        assert len(a) == len(b), f"{a} against {b}"
        for u, v in zip(a, b, strict=True):
            if isinstance(u, str):
                assert u == v, f"{u} against {v}"
            else:
                np.testing.assert_allclose(u, v, rtol=rounding, atol=rounding)  # type: ignore[arg-type]
    except AssertionError as error:
        raise AssertionError(
            f"seed {seed}: {error}\n{program(seed)}\n{text(fn)}\n=>\n{text(changed)}"
        ) from error
