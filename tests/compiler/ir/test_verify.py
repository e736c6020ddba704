"""Each clause of the specification is checked."""

import pytest

from adjit.compiler.ir.builder import Builder, Names, const
from adjit.compiler.ir.nodes import Alloc, Block, Const, For, Function, If, Load, Op, Stmt, Store, Var
from adjit.compiler.ir.types import BOOL, FLOAT64, INT, Array
from adjit.compiler.ir.verify import verify

A = Array("float64", 1)
x, y = Var("x", 0, A), Var("y", 1, A)
s, t, k, c = Var("s", 2, FLOAT64), Var("t", 3, FLOAT64), Var("k", 4, INT), Var("c", 5, BOOL)
a1, a2, o1, o2, i = Var("a1", 6, A), Var("a2", 7, A), Var("o1", 8, A), Var("o2", 9, A), Var("i", 10, INT)
ZERO = const(0)


def fn(*stmts: Stmt, results: tuple[Var, ...] = ()) -> Function:
    return Function("f", (x, y, s, k, c), Block(stmts), results)


def swap(*yields: Var) -> For:
    return For(i, ZERO, k, 1, (a1, a2), (x, y), Block((), yields), (o1, o2))


BROKEN = {
    "defined twice": fn(Op(t, "neg", (s,)), Op(t, "neg", (s,))),
    "not defined here": fn(Op(Var("q", 20, FLOAT64), "neg", (t,))),
    "not visible here": fn(If(c, Block((Op(t, "neg", (s,)),)), Block(), ()), Store(x, (k,), t)),
    "takes 2 operands": fn(Op(t, "add", (s,))),
    "operands of add disagree": fn(Op(t, "add", (s, k))),
    "no op is named": fn(Op(t, "nonsense", (s,))),
    "1 axes but 2 indices": fn(Load(t, x, (k, k))),
    "index 1.0 has type": fn(Load(t, x, (const(1.0),))),
    "stored value": fn(Store(x, (k,), k)),
    "not a permutation": fn(swap(a1, a1)),
    "differ in number": fn(swap(a1)),
    "step of a loop": fn(For(i, ZERO, k, 0, (), (), Block(), ())),
    "has type int64, not bool": fn(If(k, Block(), Block(), ())),
    "allocated in it": fn(If(c, Block((Alloc(a1, (k,), False),), (a1,)), Block((), (x,)), (o1,))),
    "does not fit its type": fn(Op(t, "add", (s, Const(1, FLOAT64)))),
    "result t.3 is not visible": fn(results=(t,)),
}


@pytest.mark.parametrize("clause", BROKEN)
def test_clause(clause: str) -> None:
    with pytest.raises(AssertionError, match=clause.replace(".", r"\.")):
        verify(BROKEN[clause])


def test_accepts() -> None:
    verify(fn(swap(a2, a1), results=(o1, o2)))
    b = Builder(Names(30))
    b.check(c, "ValueError", "no")
    verify(Function("f", (c,), b.finish(), ()))
