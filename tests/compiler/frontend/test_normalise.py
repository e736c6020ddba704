"""Structured exits: no break, continue or early return is left, and the meaning is kept."""

from __future__ import annotations

import ast
import itertools

import pytest

from adjit.compiler.frontend.normalise import RESULT, normalise

TEXTS = [
    """
def f(a, b, n):
    if a:
        return 1
    return 2
""",
    """
def f(a, b, n):
    s = 0
    for i in range(n):
        if i == 1 and a:
            if b:
                continue
            s += 1
        if s > 2:
            break
        s += 2
    else:
        s = -s
    return s
""",
    """
def f(a, b, n):
    s = 0
    for i in range(n):
        for j in range(n):
            if i * j == 2:
                if a:
                    return s
                break
            s += i + j
        else:
            s += 10
            if b:
                break
        s += 100
    if b:
        if a:
            return -1
        s += 1000
    while s > 10:
        s -= 7
        if s % 5 == 0:
            continue
        if a and s == 13:
            return 'early'
    return s
""",
    """
def f(a, b, n):
    while True:
        if n > 5:
            break
        n += 1
        if a:
            if n == 4:
                return 'four'
            n += 1
        else:
            n += b
    return n
""",
    """
def f(a, b, n):
    k = 0
    while (m := n - k) > 0:
        k += 1
        if a and m == 2:
            return m
    if a:
        return
    k += b
    return k
""",
]


def run(body, arguments, stops):
    """The normalised statements, with the flags of loops turned into breaks."""

    class Flags(ast.NodeTransformer):
        def loop(self, node):
            stop = stops.get(node)
            new = self.generic_visit(node)
            if stop is not None:
                flag = stop.replace("@", "_at_")
                start = ast.parse(f"{flag} = False").body[0]
                leave = ast.parse(f"while 1:\n  if {flag}: break").body[0]
                new.body = [start, *new.body, leave.body[0]]
            return new

        visit_For = visit_While = loop

        def visit_Name(self, node):
            return ast.Name(node.id.replace("@", "_at_"), node.ctx)

    function = ast.parse("def f(a, b, n):\n    pass\n")
    statements = [Flags().visit(s) for s in body]
    result = ast.parse(f"def g(): return {RESULT.replace('@', '_at_')}").body[0].body
    function.body[0].body = [*statements, *result]
    space = {}
    exec(compile(ast.fix_missing_locations(function), "<normalised>", "exec"), space)
    return space["f"](*arguments)


@pytest.mark.parametrize("text", TEXTS)
def test_meaning_is_kept(text):
    original = {}
    exec(text, original)
    for a, b, n in itertools.product((False, True), (False, True), range(5)):
        normal = normalise(ast.parse(text).body[0])
        assert not any(
            isinstance(x, ast.Break | ast.Continue | ast.Return) for s in normal.body for x in ast.walk(s)
        )
        assert run(normal.body, (a, b, n), normal.stops) == original["f"](a, b, n)


def test_the_tree_that_comes_in_is_not_changed():
    node = ast.parse(TEXTS[2]).body[0]
    before = ast.dump(node)
    normalise(node)
    assert ast.dump(node) == before


def test_straight_exits_need_no_flags():
    normal = normalise(ast.parse(TEXTS[0]).body[0])
    assert ast.unparse(ast.Module(normal.body, [])) == "if a:\n    @result = 1\nelse:\n    @result = 2"
