"""`np.random` and `random` in a differentiated function: each number is drawn once, in the forward sweep.

Input: the parameters of a distribution and a size as values. Output: the draws, or what follows from them: a
normal number is `loc + scale * z` with a standard draw `z`, so that shift and scale are differentiated. The
stream of numbers is used as NumPy's legacy functions and Numba's use it. Non-goals: `np.random.Generator`;
derivatives in other parameters (`library.randomness` refuses them).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence

import numpy as np

from ....errors import InferenceError, UnsupportedSyntaxError
from ...definitions.randomness import reorder
from ...fetching import Attribute
from ...ir.nodes import Operand, Var
from ...library import randomness as library
from ...program import ArraySpec, Hidden
from ..values import ArrayValue, ScalarValue, Sequence_, Static, Value
from . import create, elementwise, shapes, view
from .context import Context
from .fill import allocate
from .numpy_table import builtin
from .promote import is_array, operand

NONE, ZERO, ONE = Static(None), Static(0.0), Static(1.0)
Size = tuple[Operand, ...] | None  # None: one number
Drawn = ArrayValue | ScalarValue


def stream(ctx: Context) -> Var:
    """The hidden parameter that stands for the generator's state."""
    from .. import resolve

    module = sys.modules[library.__name__]
    wanted = Hidden("stream", Attribute(module, "STREAM"), ArraySpec("int64", 1))
    found = resolve.hidden_again(ctx, wanted)  # type: ignore[arg-type]
    assert isinstance(found, ArrayValue)
    return found.base


def draw(ctx: Context, kind: str, size: Size, *numbers: Value, dtype: str = "float64") -> Drawn:
    """Fresh draws; the numbers are the parameters of the distribution."""
    place = stream(ctx)
    operands: list[Operand] = []
    for v in numbers:
        if is_array(v):
            what = f"arrays as parameters of {kind.removeprefix('draw_')} draws are not supported"
            ctx.error(UnsupportedSyntaxError, what, "Numba takes numbers only", "draw in a loop")
        operands.append(
            operand(ctx, elementwise.number_of(ctx, v), "float64" if dtype == "float64" else dtype)
        )
    out = allocate(ctx, () if size is None else size, dtype, "z")
    ctx.b.call(kind, out.base, place, *operands)
    return out if size is not None else ScalarValue(ctx.b.load(out.base, (), "z"), weak=True)


def size_of(ctx: Context, size: Value, *like: Value) -> Size:
    """The size asked for; without one that of the parameters together."""
    if not create.is_none(size):
        return create.checked_shape(ctx, size)
    arrays = [v for v in like if is_array(v) or isinstance(v, Sequence_)]
    if not arrays:
        return None
    total: Value = shapes.as_array(ctx, arrays[0])
    for v in arrays[1:]:
        total = ctx.call(np.add, [total, shapes.as_array(ctx, v)], {})
    return shapes.as_array(ctx, total).shape


def located(ctx: Context, kind: str, loc: Value, scale: Value, size: Value) -> Value:
    """`loc + scale * z`."""
    z: Value = draw(ctx, kind, size_of(ctx, size, loc, scale))
    if not _is(scale, 1.0):
        z = ctx.call(np.multiply, [scale, z], {})
    return z if _is(loc, 0.0) else ctx.call(np.add, [loc, z], {})


def _is(value: Value, number: float) -> bool:
    return isinstance(value, Static) and value.value == number


# -- NumPy


@builtin(np.random.random, np.random.random_sample, np.random.sample, np.random.ranf)
def uniform_01(ctx: Context, size: Value = NONE) -> Value:
    return draw(ctx, "draw_uniform", size_of(ctx, size))


@builtin(np.random.rand)
def rand(ctx: Context, *lengths: Value) -> Value:
    return draw(ctx, "draw_uniform", size_of(ctx, Sequence_(lengths) if lengths else NONE))


@builtin(np.random.randn)
def randn(ctx: Context, *lengths: Value) -> Value:
    return draw(ctx, "draw_normal", size_of(ctx, Sequence_(lengths) if lengths else NONE))


@builtin(np.random.uniform)
def uniform(ctx: Context, low: Value = ZERO, high: Value = ONE, size: Value = NONE) -> Value:
    width = ctx.call(np.subtract, [high, low], {}) if not (_is(low, 0.0) and _is(high, 1.0)) else ONE
    if create.is_none(size):
        shape = size_of(ctx, size, low, high)
        z: Value = draw(ctx, "draw_uniform", shape)
        return ctx.call(np.add, [low, ctx.call(np.multiply, [width, z], {})], {})
    return located(ctx, "draw_uniform", low, width, size)


Located = Callable[[Context, Value, Value, Value], Value]
SHIFTED: dict[object, str] = {
    np.random.normal: "draw_normal",
    np.random.laplace: "draw_laplace",
    np.random.logistic: "draw_logistic",
    np.random.gumbel: "draw_gumbel",
}
STANDARD: dict[object, str] = {
    np.random.standard_normal: "draw_normal",
    np.random.standard_exponential: "draw_exponential",
    np.random.standard_cauchy: "draw_cauchy",
}


def _shifted(kind: str) -> Callable[..., Value]:
    def handler(ctx: Context, loc: Value = ZERO, scale: Value = ONE, size: Value = NONE) -> Value:
        return located(ctx, kind, loc, scale, size)

    return handler


def _standard(kind: str) -> Callable[..., Value]:
    def handler(ctx: Context, size: Value = NONE) -> Value:
        return draw(ctx, kind, size_of(ctx, size))

    return handler


for function, kind in SHIFTED.items():
    builtin(function)(_shifted(kind))
for function, kind in STANDARD.items():
    builtin(function)(_standard(kind))


@builtin(np.random.exponential)
def exponential(ctx: Context, scale: Value = ONE, size: Value = NONE) -> Value:
    return located(ctx, "draw_exponential", ZERO, scale, size)


@builtin(np.random.lognormal)
def lognormal(ctx: Context, mean: Value = ZERO, sigma: Value = ONE, size: Value = NONE) -> Value:
    return ctx.call(np.exp, [located(ctx, "draw_normal", mean, sigma, size)], {})


@builtin(np.random.rayleigh)
def rayleigh(ctx: Context, scale: Value = ONE, size: Value = NONE) -> Value:
    z = draw(ctx, "draw_exponential", size_of(ctx, size, scale))
    root = ctx.call(np.sqrt, [ctx.call(np.multiply, [Static(2.0), z], {})], {})
    return ctx.call(np.multiply, [scale, root], {})


@builtin(np.random.weibull)
def weibull(ctx: Context, a: Value, size: Value = NONE) -> Value:
    z = draw(ctx, "draw_exponential", size_of(ctx, size, a))
    return ctx.call(np.power, [z, ctx.call(np.true_divide, [ONE, a], {})], {})


@builtin(np.random.pareto)
def pareto(ctx: Context, a: Value, size: Value = NONE) -> Value:
    z = draw(ctx, "draw_exponential", size_of(ctx, size, a))
    return ctx.call(np.expm1, [ctx.call(np.true_divide, [z, a], {})], {})


# -- parameters without a derivative


@builtin(np.random.standard_gamma)
def standard_gamma(ctx: Context, shape: Value, size: Value = NONE) -> Value:
    return draw(ctx, "draw_gamma", size_of(ctx, size), shape)


@builtin(np.random.gamma)
def gamma(ctx: Context, shape: Value, scale: Value = ONE, size: Value = NONE) -> Value:
    z = draw(ctx, "draw_gamma", size_of(ctx, size, scale), shape)
    return z if _is(scale, 1.0) else ctx.call(np.multiply, [scale, z], {})


@builtin(np.random.beta)
def beta(ctx: Context, a: Value, b: Value, size: Value = NONE) -> Value:
    return draw(ctx, "draw_beta", size_of(ctx, size), a, b)


@builtin(np.random.chisquare)
def chisquare(ctx: Context, df: Value, size: Value = NONE) -> Value:
    return draw(ctx, "draw_chisquare", size_of(ctx, size), df)


@builtin(np.random.standard_t)
def standard_t(ctx: Context, df: Value, size: Value = NONE) -> Value:
    return draw(ctx, "draw_student", size_of(ctx, size), df)


# -- integers


def counted(ctx: Context, kind: str, size: Size, *numbers: Value) -> Value:
    """Draws of a distribution on the integers with parameters that are floats."""
    place = stream(ctx)
    operands = [operand(ctx, elementwise.number_of(ctx, v), "float64") for v in numbers]
    out = allocate(ctx, () if size is None else size, "int64", "z")
    ctx.b.call(kind, out.base, place, *operands)
    return out if size is not None else ScalarValue(ctx.b.load(out.base, (), "z"), weak=True)


@builtin(np.random.poisson)
def poisson(ctx: Context, lam: Value = ONE, size: Value = NONE) -> Value:
    return counted(ctx, "draw_poisson", size_of(ctx, size), lam)


@builtin(np.random.binomial)
def binomial(ctx: Context, n: Value, p: Value, size: Value = NONE) -> Value:
    return counted(ctx, "draw_binomial", size_of(ctx, size), n, p)


@builtin(np.random.geometric)
def geometric(ctx: Context, p: Value, size: Value = NONE) -> Value:
    return counted(ctx, "draw_geometric", size_of(ctx, size), p)


@builtin(np.random.randint)
def randint(ctx: Context, low: Value, high: Value = NONE, size: Value = NONE) -> Value:
    if create.is_none(high):
        low, high = Static(0), low
    return draw(ctx, "draw_integers", size_of(ctx, size), low, high, dtype="int64")


def order(ctx: Context, n: Operand) -> ArrayValue:
    """The numbers below n in a random order."""
    found = draw(ctx, "draw_permutation", (n,), dtype="int64")
    assert isinstance(found, ArrayValue)
    return found


def picked(ctx: Context, a: Value, index: Value) -> Value:
    from ..specialise import Specialiser

    assert isinstance(ctx, Specialiser)
    return ctx.subscript(a, index)


def population(ctx: Context, a: Value) -> tuple[Operand, Value | None]:
    """How many there are to choose from, and the array, if there is one."""
    if is_array(a) or isinstance(a, Sequence_):
        array = shapes.as_array(ctx, a)
        if not array.shape:
            return operand(ctx, elementwise.number_of(ctx, a), "int64"), None
        return array.shape[0], array
    return operand(ctx, a, "int64"), None


@builtin(np.random.permutation)
def permutation(ctx: Context, x: Value) -> Value:
    n, array = population(ctx, x)
    found = order(ctx, n)
    return found if array is None else picked(ctx, array, found)


@builtin(np.random.shuffle)
def shuffle(ctx: Context, x: Value) -> Value:
    if not isinstance(x, ArrayValue):
        ctx.error(UnsupportedSyntaxError, "only an array is shuffled in place", instead="shuffle an array")
    ctx.call(reorder, [x, order(ctx, x.shape[0])], {})
    return NONE


@builtin(np.random.choice)
def choice(ctx: Context, a: Value, size: Value = NONE, replace: Value = Static(True)) -> Value:  # noqa: B008
    n, array = population(ctx, a)
    wanted = size_of(ctx, size)
    again = shapes.constant(ctx, replace, "replace")
    if again or wanted is None:
        index: Value = draw(ctx, "draw_integers", wanted, Static(0), ScalarValue(n), dtype="int64")
    else:
        index = _without_replacement(ctx, n, wanted)
    return index if array is None else picked(ctx, array, index)


def _without_replacement(ctx: Context, n: Operand, wanted: Sequence[Operand]) -> Value:
    if len(wanted) != 1:
        ctx.error(InferenceError, "a choice without replacement has one axis here", instead="reshape it")
    ctx.b.check(
        ctx.b.op("le", wanted[0], n),
        "ValueError",
        "Cannot take a larger sample than population when replace is False",
    )
    return view.sliced(ctx, order(ctx, n), 0, view.ZERO, wanted[0], view.ONE)


@builtin(np.random.seed)
def seed(ctx: Context, seed: Value) -> Value:
    ctx.b.call("draw_seed", stream(ctx), operand(ctx, seed, "int64"))
    return NONE


# -- the module `random`


@builtin(random.seed)
def python_seed(ctx: Context, a: Value) -> Value:
    ctx.b.call("draw_python_seed", stream(ctx), operand(ctx, a, "int64"))
    return NONE


@builtin(random.random)
def python_random(ctx: Context) -> Value:
    return draw(ctx, "draw_python_uniform", None)


@builtin(random.uniform)
def python_uniform(ctx: Context, a: Value, b: Value) -> Value:
    width = ctx.call(np.subtract, [b, a], {})
    return located(ctx, "draw_python_uniform", a, width, NONE)


@builtin(random.gauss)
def python_gauss(ctx: Context, mu: Value = ZERO, sigma: Value = ONE) -> Value:
    return located(ctx, "draw_python_normal", mu, sigma, NONE)


@builtin(random.normalvariate)
def python_normal(ctx: Context, mu: Value = ZERO, sigma: Value = ONE) -> Value:
    return located(ctx, "draw_python_normalvariate", mu, sigma, NONE)
