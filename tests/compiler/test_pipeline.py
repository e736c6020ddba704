"""Passes in order, with dumps, times and the verifier between them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adjit.compiler import pipeline
from adjit.compiler.ir.builder import Builder, Names
from adjit.compiler.ir.nodes import Function
from adjit.compiler.ir.types import FLOAT64
from adjit.errors import InternalError


def square() -> Function:
    b = Builder(Names())
    x = b.fresh("x", FLOAT64)
    y = b.op("mul", x, x)
    return Function("square", (x,), b.finish(), (y,))


def breaking(fn: Function) -> Function:
    """A pass that returns what nothing defines."""
    return replace(fn, results=(Builder(Names(99)).fresh("lost", FLOAT64),))


def test_a_broken_pass_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "always_verify", True)
    with pytest.raises(InternalError, match="after breaking"):
        pipeline.passes(square(), (breaking,))


def test_programs_are_dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJIT_DUMP", str(tmp_path / "dump"))
    pipeline.passes(square(), pipeline.AFTER_CAPTURE)
    found = [p.name for p in (tmp_path / "dump").iterdir()]
    assert len(found) == len(pipeline.AFTER_CAPTURE) and found[0].endswith("simplify.ir")


def test_steps_are_timed() -> None:
    before = pipeline.seconds["simplify"]
    pipeline.passes(square(), pipeline.AFTER_CAPTURE)
    assert pipeline.seconds["simplify"] > before
