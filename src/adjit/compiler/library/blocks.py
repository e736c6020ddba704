"""Small pieces of IR that the rules of several routines share: nests over whole arrays, transposed views,
products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.builder import Builder, const
from ..ir.nodes import Operand, Slice, Var
from ..ir.types import Array

ZERO, ONE = const(0), const(1)
Index = Sequence[Operand]


def rank(a: Var) -> int:
    assert isinstance(a.type, Array)
    return a.type.ndim


def shape(b: Builder, a: Var) -> tuple[Operand, ...]:
    return tuple(b.dim(a, k) for k in range(rank(a)))


def each(b: Builder, bounds: Sequence[Operand], body: Callable[[Index], None]) -> None:
    """`body(index)` in a nest of loops over `bounds`."""
    index: list[Operand] = []

    def level(k: int) -> None:
        if k == len(bounds):
            body(tuple(index))
            return
        loop = b.loop(ZERO, bounds[k], "ijkl"[k % 4])
        loop.independent = True
        with loop as iv:
            index.append(iv)
            level(k + 1)
            index.pop()

    level(0)


def like(b: Builder, a: Var, hint: str) -> Var:
    """Fresh memory of the shape of `a`."""
    return b.alloc(shape(b, a), a.type.dtype, hint)


def clear(b: Builder, a: Var) -> None:
    zero = const(0, a.type.dtype)
    each(b, shape(b, a), lambda i: b.store(a, i, zero))


def add(b: Builder, target: Var, source: Var, *, negative: bool = False) -> None:
    """`target += source`, or `-=`."""

    def body(i: Index) -> None:
        x: Operand = b.load(source, i)
        b.accumulate(target, i, b.op("neg", x) if negative else x)

    each(b, shape(b, target), body)


def scaled(b: Builder, source: Var, factor: float, hint: str) -> Var:
    out = like(b, source, hint)
    k = const(factor, source.type.dtype)
    each(b, shape(b, out), lambda i: b.store(out, i, b.op("mul", k, b.load(source, i))))
    return out


def transposed(b: Builder, a: Var) -> Var:
    """The transposed view of a matrix."""
    n, m = shape(b, a)
    return b.view(a, (Slice(1, ZERO, m, ONE), Slice(0, ZERO, n, ONE)))


def gemm(b: Builder, out: Var, x: Var, y: Var, *, accumulate: bool = False) -> None:
    """`out = x @ y`, or `out += x @ y`, for matrices."""
    b.call("gemm", out, x, y, attrs=(True,) if accumulate else ())


def accumulates(attrs: Sequence[object]) -> bool:
    return any(a is True for a in attrs)
