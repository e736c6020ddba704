"""Transposes of linear functions, by the identity <push(t), ct> = <t, pull(ct)> on numbers."""

from __future__ import annotations

import pytest

from adjit.compiler.adjoint.transpose import NotLinear, transposed
from adjit.compiler.ir.builder import Builder, Names
from adjit.compiler.ir.nodes import Function
from adjit.compiler.ir.types import FLOAT64
from tests.support.interpret import run


def pushed(op: str) -> Function:
    """`op(x, t)`."""
    b = Builder(Names())
    x, t = b.fresh("x", FLOAT64), b.fresh("t", FLOAT64)
    y = b.op(op, b.op("cos", x), t)
    return Function("push", (x, t), b.finish(), (y,))


def test_a_product() -> None:
    push = pushed("mul")
    pull = transposed(push, 1, (0,), (FLOAT64,), (None,))
    (forward,) = run(push, 0.3, 2.0)
    (back,) = run(pull, 0.3, 5.0)
    assert forward * 5.0 == pytest.approx(2.0 * back)


def test_what_is_not_linear() -> None:
    with pytest.raises(NotLinear):
        transposed(pushed("pow"), 1, (0,), (FLOAT64,), (None,))
