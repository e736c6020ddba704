"""What is left of calls with a rule where nothing more is differentiated."""

from __future__ import annotations

import numpy as np

import adjit
from adjit.compiler.ir.builder import Builder, Names
from adjit.compiler.ir.nodes import Call, Function
from adjit.compiler.ir.types import Array
from adjit.compiler.ir.visitor import walk
from adjit.compiler.library.rules import Rule, routine
from adjit.compiler.passes import expand_rules


def test_a_call_becomes_a_copy() -> None:
    b = Builder(Names())
    y, x = b.fresh("y", Array("float64", 1)), b.fresh("x", Array("float64", 1))
    out = b.alloc((b.dim(y, 0),), "float64", "out")
    rule = Rule("f", 1, 1)
    b.call(routine(rule), out, y, x, attrs=(rule,))
    fn = Function("f", (y, x), b.finish(), (out,))
    made = expand_rules(fn)
    assert any(isinstance(s, Call) for s in walk(fn.body))
    assert not any(isinstance(s, Call) for s in walk(made.body))
    assert expand_rules(made) is made


def test_numbers_are_not_copied() -> None:
    square = adjit.custom_vjp(lambda x: x * x)
    square.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * ct * x,))

    def total(x):
        s = 0.0
        for i in range(len(x)):
            s += square(x[i])
        return s

    text = adjit.grad(total).source(np.ones(3))
    assert "np.zeros(()" not in text and "np.empty(()" not in text
