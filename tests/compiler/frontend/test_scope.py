"""Names: live sets, names assigned, reads of a name."""

from __future__ import annotations

import ast

from adjit.compiler.frontend.normalise import normalise
from adjit.compiler.frontend.scope import Facts, analyse


def facts(text: str) -> tuple[Facts, dict[str, ast.stmt]]:
    normal = normalise(ast.parse(text).body[0])
    found = analyse(normal)
    compound = {}
    for s in normal.body:
        for n in ast.walk(s):
            if isinstance(n, ast.For | ast.While | ast.If):
                compound.setdefault(type(n).__name__, n)
    return found, compound


def test_loop_names():
    found, nodes = facts(
        """
def f(x, n):
    s = 0.0
    for i in range(n):
        t = x[i]
        s = s + t
        last = t
    return s + last
"""
    )
    loop = nodes["For"]
    assert set(found.assigned[loop]) == {"i", "t", "s", "last"}
    assert found.head[loop] >= {"s", "last"}
    assert "t" not in found.head[loop]
    assert "s" in found.entered[loop]
    assert "i" not in found.entered[loop]
    assert found.after[loop] >= {"s", "last"}


def test_names_live_after_a_branch():
    found, nodes = facts(
        """
def f(x):
    if x > 0:
        t = x
        y = t * 2
    else:
        y = x
    return y
"""
    )
    assert "y" in found.after[nodes["If"]]
    assert "t" not in found.after[nodes["If"]]


def test_what_inner_functions_read_lives():
    found, nodes = facts(
        """
def f(x):
    a = x
    g = lambda v: v * a
    if x > 0:
        a = 2.0
    return g(x)
"""
    )
    assert "a" in found.captured
    assert "a" in found.after[nodes["If"]]


def test_single_reads():
    found, _ = facts(
        """
def f(x, n):
    once = x * 2
    twice = x * 3
    shape = x + 1
    looped = x + 2
    for i in range(n):
        twice = twice + looped
    return once + twice + shape.shape[0] + len(shape)
"""
    )
    assert found.virtual_may_stay("once", None)
    assert found.virtual_may_stay("shape", None)
    assert not found.virtual_may_stay("twice", None)
    assert not found.virtual_may_stay("looped", None)


def test_comprehension_variables_are_not_locals():
    found, _ = facts("def f(x):\n    y = [v for v in x]\n    return [w := 1.0, y]\n")
    assert found.bound == {"y", "w", "@result"}
