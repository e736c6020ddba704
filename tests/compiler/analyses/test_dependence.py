"""The dependence test on the programs that motivated it."""

from __future__ import annotations

from adjit.compiler.analyses.dependence import Dependence
from adjit.compiler.ir.nodes import For, Function, Load, Stmt, Store, While
from adjit.compiler.ir.visitor import walk
from tests.support.little import ir


def find(fn: Function, kind: type, name: str | None = None) -> list[Stmt]:
    """Statements of a kind on an array (or a loop over a variable) of that name."""
    found = [s for s in walk(fn.body) if isinstance(s, kind)]
    if name is None:
        return found
    return [s for s in found if (s.iv.name if isinstance(s, For) else s.array.name) == name]  # type: ignore[attr-defined]


def survivors(fn: Function, name: str | None = None) -> list[bool]:
    d = Dependence(fn)
    return [d.element_survives(s) for s in find(fn, Load, name)]  # type: ignore[arg-type]


@ir
def cholesky(A: "f8[:,:]"):
    n = dim(A, 0)
    for i in range(n):
        for j in range(i):
            s = A[i, j]
            for k in range(j):
                s = s - A[i, k] * A[j, k]
            A[i, j] = s / A[j, j]
        d = A[i, i]
        for k in range(i):
            d = d - A[i, k] * A[i, k]
        A[i, i] = sqrt(d)


@ir
def burgers(u0: "f8[:]", T: "i8"):
    n = dim(u0, 0)
    u = alloc(n)
    un = alloc(n)
    for i in range(n):
        u[i] = u0[i]
        un[i] = u0[i]
    for t in range(T):
        for i in range(1, n - 1):
            un[i] = u[i] - u[i] * (u[i] - u[i - 1])
        u, un = un, u
    return u


@ir
def aliased_swap(x: "f8[:]", T: "i8"):
    n = dim(x, 0)
    u = x
    un = x
    for t in range(T):
        for i in range(1, n - 1):
            un[i] = u[i - 1]
        u, un = un, u


@ir
def history(x: "f8[:,:]", T: "i8"):
    n = dim(x, 1)
    for t in range(1, T):
        for i in range(n):
            x[t, i] = x[t - 1, i] * x[t - 1, i]


@ir
def strided(x: "f8[:]", n: "i8"):
    for i in range(0, n, 2):
        x[i + 1] = x[i] * 2.0


@ir
def branches(x: "f8[:]", n: "i8"):
    if n > 2:
        a = x[0]
    else:
        x[0] = 1.0
        a = x[0]
    x[1] = 2.0


@ir
def rows(x: "f8[:,:]", n: "i8"):
    for t in range(1, n):
        a = row(x, t)
        b = row(x, t - 1)
        for i in range(dim(x, 1)):
            a[i] = b[i] * b[i]


@ir
def temporary(x: "f8[:]", n: "i8"):
    for t in range(n):
        w = alloc(3)
        for i in range(3):
            w[i] = x[t]
        for i in range(3):
            x[t] += w[i]


@ir
def tables(x: "f8[:]", y: "f8[:]", k: "i8[:]", n: "i8"):
    for i in range(n):
        y[k[i]] += x[k[i]]


@ir
def guarded(x: "f8[:]", n: "i8"):
    for i in range(n):
        for j in range(n):
            if j > i:
                x[j] = x[i] * 2.0


@ir
def wrapped(x: "f8[:]", y: "f8[:]"):
    n = dim(x, 0)
    for i in range(n):
        y[i] = x[mod(i + 1, n)]
        x[i // 2] = 1.0


def test_cholesky() -> None:
    """Row i's elements are final once they are written, but for the ones that the pass itself reads
    before.
    """
    d = Dependence(cholesky)
    loads = find(cholesky, Load)
    assert [d.element_survives(s) for s in loads] == [False, True, True, True, False, True, True]  # type: ignore[arg-type]
    assert all(d.store_survives(s) for s in find(cholesky, Store))  # type: ignore[arg-type]
    assert [d.order_free(s) for s in find(cholesky, For)] == [False, False, True, True]  # type: ignore[arg-type]


def test_swapped_references_are_distinct_within_a_pass() -> None:
    d = Dependence(burgers)
    loops = find(burgers, For)
    loads = find(burgers, Load, "u")
    assert survivors(burgers) == [True] * 2 + [False] * 4
    assert all(d.outermost_unwritten(s) is loops[2] for s in loads)  # type: ignore[arg-type]
    assert [d.order_free(s) for s in loops] == [True, False, True]  # type: ignore[arg-type]
    assert not Dependence(aliased_swap).order_free(find(aliased_swap, For)[1])  # type: ignore[arg-type]
    assert Dependence(aliased_swap).outermost_unwritten(find(aliased_swap, Load)[0]) is None  # type: ignore[arg-type]


def test_history_survives() -> None:
    assert survivors(history) == [True, True]
    assert survivors(rows) == [True, True]
    d = Dependence(history)
    assert [d.order_free(s) for s in find(history, For)] == [False, True]  # type: ignore[arg-type]


def test_strides() -> None:
    assert survivors(strided) == [True]
    assert Dependence(strided).order_free(find(strided, For)[0])  # type: ignore[arg-type]


def test_branches_exclude_each_other() -> None:
    assert survivors(branches) == [True, True]
    assert not Dependence(branches).contents_survive(branches.body.stmts[0], branches.params[0])


def test_allocation_in_a_loop() -> None:
    assert survivors(temporary, "w") == [False]
    d = Dependence(temporary)
    assert d.order_free(find(temporary, For)[0])  # type: ignore[arg-type]


def test_unknown_indices() -> None:
    assert survivors(tables) == [True, True, True]
    assert Dependence(tables).order_free(find(tables, For)[0])  # type: ignore[arg-type]


def test_conditions_count() -> None:
    d = Dependence(guarded)
    assert survivors(guarded) == [True]
    assert [d.order_free(s) for s in find(guarded, For)] == [False, True]  # type: ignore[arg-type]


def test_remainders() -> None:
    assert survivors(wrapped) == [False]
    assert find(wrapped, While) == []
