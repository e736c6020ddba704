"""The text of small functions, word for word, and what names may not be."""

from __future__ import annotations

import ast
import builtins
import keyword

import numpy as np
import pytest

from adjit.compiler.codegen.naming import identifier
from adjit.compiler.codegen.python import module_text
from adjit.compiler.ir.builder import Builder, Names, const
from adjit.compiler.ir.nodes import Block, For, Function, Slice, Var
from adjit.compiler.ir.types import FLOAT64, INT, Array, Scalar
from adjit.options import Options
from adjit.runtime import modules


def body_of(fn: Function) -> list[str]:
    lines = module_text(fn, Options()).source.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("def "))
    return [line for line in lines[start + 1 :] if line]


def run(fn: Function, *args: object) -> object:
    return modules.load(module_text(fn, Options()), cache=False).call(*args)


def test_a_sum_is_written_as_one_would() -> None:
    b = Builder(Names())
    x = b.fresh("x", Array("float64", 1))
    s, i, out = b.fresh("s", FLOAT64), b.fresh("i", INT), b.fresh("s", FLOAT64)
    n = b.dim(x, 0)
    with b.block() as body:
        v = b.load(x, [i])
        new = b.op("add", s, b.op("mul", v, v), hint="s")
    b.emit(For(i, const(0), n, 1, (s,), (const(0.0),), Block(tuple(body), (new,)), (out,)))
    fn = Function("total", (x,), b.finish(), (out,))
    expected = ["s = 0.0", "for i in range(x.shape[0]):", "    x_1 = x[i]", "    s += x_1 * x_1", "return s"]
    assert [line.removeprefix("    ") for line in body_of(fn)] == expected


@pytest.mark.parametrize(
    "hint", [*keyword.kwlist, "np", "numba", "u", "take", "ws", "erf", *dir(builtins)[:40]]
)
def test_names_clash_with_nothing(hint: str) -> None:
    b = Builder(Names())
    x = b.fresh(hint, FLOAT64)
    y = b.op("sin", b.op("mul", x, x, hint=hint), hint=hint)
    fn = Function(hint, (x,), b.finish(), (y,))
    assert run(fn, np.float64(2.0)) == np.sin(4.0)


@pytest.mark.parametrize("hint", ["@h1", "a.b", "", "2x", "__init__", "λ", "x y"])
def test_any_hint_gives_an_identifier(hint: str) -> None:
    assert identifier(hint).isidentifier() and not identifier(hint).startswith("__")


@pytest.mark.parametrize("value", [1e-310, -0.0, 0.1, 1e300, float("inf"), float("-inf"), -3.5])
def test_constants_are_exact(value: float) -> None:
    b = Builder(Names())
    x = b.fresh("x", FLOAT64)
    got = run(Function("f", (x,), b.finish(), (const(value),)), np.float64(0.0))
    assert repr(float(got)) == repr(value)  # type: ignore[arg-type]


def test_single_precision_constants() -> None:
    b = Builder(Names())
    x = b.fresh("x", Scalar("float32"))
    y = b.op("mul", x, const(0.1, "float32"))
    fn = Function("f", (x,), b.finish(), (y,))
    assert "np.float32(0.1)" in module_text(fn, Options()).source
    assert type(run(fn, np.float32(2.0))) is np.float32


def viewed(axes: list[Slice], fixed: list[tuple[int, object]], a: np.ndarray) -> object:
    b = Builder(Names())
    x = b.fresh("a", Array("float64", a.ndim))
    v: Var = b.view(x, axes, fixed, hint="v")  # type: ignore[arg-type]
    return run(Function("f", (x,), b.finish(), (v,)), a)


def axis(k: int | None, start: int, length: int, step: int = 1) -> Slice:
    return Slice(k, const(start), const(length), const(step))


def test_views() -> None:
    a = np.arange(24.0).reshape(4, 6)
    np.testing.assert_array_equal(viewed([axis(0, 1, 2), axis(1, 0, 6)], [], a), a[1:3])
    np.testing.assert_array_equal(viewed([axis(1, 0, 6), axis(0, 0, 4)], [], a), a.T)
    np.testing.assert_array_equal(viewed([axis(0, 3, 4, -1), axis(1, 1, 3, 2)], [], a), a[::-1, 1::2])
    np.testing.assert_array_equal(viewed([axis(1, 5, 2, -5)], [(0, const(2))], a), a[2, [5, 0]])
    np.testing.assert_array_equal(viewed([axis(1, 0, 0, -1)], [(0, const(2))], a), a[2, :0])
    np.testing.assert_array_equal(
        viewed([axis(None, 0, 1, 0), axis(1, 0, 6)], [(0, const(1))], a), a[1][None]
    )
    wide = viewed([axis(1, 0, 6), axis(None, 0, 3, 0)], [(0, const(1))], a)
    np.testing.assert_array_equal(wide, np.broadcast_to(a[1][:, None], (6, 3)))


def test_the_text_parses_and_says_where_it_comes_from() -> None:
    b = Builder(Names())
    x = b.fresh("x", FLOAT64)
    text = module_text(
        Function("f", (x,), b.finish(), (x,), notes=("saves nothing",)), Options(fastmath=True)
    )
    ast.parse(text.source)
    assert "saves nothing" in text.source and "'reassoc'" in text.source and "nnan" not in text.source
