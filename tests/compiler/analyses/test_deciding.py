"""What decides, on small functions: each names the parameters that must not be rounded."""

from __future__ import annotations

import pytest

from adjit.compiler.analyses.deciding import deciding
from tests.support.little import ir


def through_a_branch(a: "f8[:]", b: "f8[:]", c: "f8[:]"):
    s = 0.0
    for i in range(4):
        x = a[i]
        y = b[i]
        z = 0.0
        if y > 1.0:
            z = x
        else:
            z = 2.0 * x
        s = s + z
    return s


def through_memory_and_a_loop(a: "f8[:]", b: "f8[:]", c: "f8[:]"):
    r = zeros(4)
    for i in range(4):
        r[i] = a[i] * 2.0
    s = 0.0
    for i in range(4):
        t = 0.5
        if s > 3.0:
            t = 1.0
        else:
            t = 0.0
        s = r[i] + t
        c[i] = b[i]
    return s


def not_at_all(a: "f8[:]", b: "f8[:]", c: "f8[:]"):
    s = 0.0
    for i in range(4):
        s = s + sin(a[i]) * b[i]
        c[i] = s
    return s


@pytest.mark.parametrize(
    ("function", "wanted"),
    [(through_a_branch, {1}), (through_memory_and_a_loop, {0}), (not_at_all, set())],
)
def test_what_decides(function, wanted) -> None:
    assert deciding(ir(function)) == wanted
