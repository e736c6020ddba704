"""One row per NumPy function: calls of it, and generators of arguments by name.

An expression is a call as a user writes it over the names a, b, c, x, ...; float arguments are differentiated. `order` is how often.
Points at which differences say nothing (ties, zeros, kinks) have rows of their own in `points.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

Generator = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Row:
    """`single`: whether float32 arguments are tried too."""

    function: object
    expressions: tuple[str, ...]
    arguments: dict[str, Generator]
    order: int = 2
    single: bool = True


ROWS: list[Row] = []


def row(function: object, *expressions: str, order: int = 2, single: bool = True, **arguments: Generator) -> None:
    ROWS.append(Row(function, expressions, arguments, order, single))


def normal(*shape: int) -> Generator:
    return lambda rng: rng.normal(size=shape)


def positive(*shape: int) -> Generator:
    return lambda rng: rng.uniform(0.3, 2.5, size=shape)


def unit(*shape: int) -> Generator:
    """Between -0.9 and 0.9."""
    return lambda rng: rng.uniform(-0.9, 0.9, size=shape)


def fraction(*shape: int) -> Generator:
    return lambda rng: rng.uniform(0.05, 0.95, size=shape)


def above_one(*shape: int) -> Generator:
    return lambda rng: rng.uniform(1.1, 4.0, size=shape)


def nonzero(*shape: int) -> Generator:
    """Of both signs, away from zero."""
    return lambda rng: rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.3, 2.5, size=shape)


def apart(*shape: int) -> Generator:
    """Numbers at least 0.1 apart from each other and from multiples of one half."""

    def generate(rng: np.random.Generator) -> Any:
        n = int(np.prod(shape))
        grid = np.arange(n) * 0.25 - 0.125 * n + 0.06
        return (rng.permutation(grid) + rng.uniform(-0.02, 0.02, size=n)).reshape(shape)

    return generate


def rising(n: int) -> Generator:
    """A sorted vector."""
    return lambda rng: np.cumsum(rng.uniform(0.3, 1.0, size=n)) - 1.0


def integers(low: int, high: int, *shape: int) -> Generator:
    return lambda rng: rng.integers(low, high, size=shape)


def number(low: float, high: float) -> Generator:
    return lambda rng: float(rng.uniform(low, high))


def constant(value: Any) -> Generator:
    return lambda rng: value


# -- elementwise: the domain of one argument, then of two

for _domain, _names in {
    normal: "exp exp2 expm1 sin cos sinh cosh tanh arctan arcsinh square positive negative radians deg2rad degrees rad2deg sinc",
    positive: "log log2 log10 log1p sqrt cbrt reciprocal",
    unit: "arcsin arccos arctanh tan",
    above_one: "arccosh",
    nonzero: "abs absolute fabs sign",
}.items():
    for _name in dict.fromkeys(_names.split()):
        row(getattr(np, _name), f"np.{_name}(a)", a=_domain(3, 2))

row(np.add, "np.add(a, b)", "a + b", "a + 1", a=normal(3, 2), b=normal(2))
row(np.subtract, "np.subtract(a, b)", "a - b", "1.5 - a", a=normal(3, 2), b=normal(3, 1))
row(np.multiply, "np.multiply(a, b)", "a * b", a=normal(3, 2), b=normal(2))
row(np.true_divide, "np.divide(a, b)", "a / b", "2.0 / b", a=normal(3, 2), b=nonzero(2))
row(np.power, "np.power(a, b)", "a ** b", "a ** 2", "a ** -1.5", "2.0 ** b", a=positive(3, 2), b=normal(2))
row(np.float_power, "np.float_power(a, b)", a=positive(3), b=normal(3), single=False)
row(np.floor_divide, "np.floor_divide(a, 0.5) * a", a=apart(5))
row(np.remainder, "np.remainder(a, b)", "np.mod(a, b)", "a % b", a=apart(5), b=constant(0.5))
row(np.fmod, "np.fmod(a, b)", a=apart(5), b=constant(0.5))
row(np.maximum, "np.maximum(a, b)", "np.maximum(a, 0.0)", a=apart(3, 2), b=normal(2))
row(np.minimum, "np.minimum(a, b)", a=apart(3, 2), b=normal(2))
row(np.fmax, "np.fmax(a, b)", a=apart(4), b=normal(4))
row(np.fmin, "np.fmin(a, b)", a=apart(4), b=normal(4))
row(np.hypot, "np.hypot(a, b)", a=nonzero(3), b=nonzero(3))
row(np.arctan2, "np.arctan2(a, b)", a=nonzero(4), b=nonzero(4))
row(np.logaddexp, "np.logaddexp(a, b)", a=normal(3, 2), b=normal(2))
row(np.logaddexp2, "np.logaddexp2(a, b)", a=normal(3, 2), b=normal(2))
row(np.copysign, "np.copysign(a, b)", a=nonzero(4), b=nonzero(4))
row(np.heaviside, "np.heaviside(a, 0.5) * a", a=nonzero(4))
row(np.ldexp, "np.ldexp(a, n)", a=normal(3), n=integers(-2, 3, 3))
row(np.clip, "np.clip(a, -0.5, 0.5)", "a.clip(-0.5, 0.5)", "np.clip(a, None, 0.5)", "np.clip(a, lo, hi)",
    a=apart(6), lo=number(-0.6, -0.4), hi=number(0.4, 0.6))
row(np.where, "np.where(a > 0, a * b, b)", "np.where(a > 0, np.sqrt(np.abs(a)), 0.0)", a=nonzero(4), b=normal(4))
for _name in ("floor", "ceil", "trunc", "rint", "fix"):
    row(getattr(np, _name), f"np.{_name}(a) * a", a=apart(4))
for _name in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
    row(getattr(np, _name), f"np.where(np.{_name}(a, b), a, b * b)", a=normal(4), b=normal(4))
for _name in ("logical_and", "logical_or", "logical_xor"):
    row(getattr(np, _name), f"np.where(np.{_name}(a > 0, b > 0), a * b, b)", a=nonzero(6), b=nonzero(6))
for _name in ("logical_not", "isnan", "isinf", "isfinite", "signbit"):
    argument = "a > 0" if _name == "logical_not" else "a"
    row(getattr(np, _name), f"np.where(np.{_name}({argument}), a, a * a)", a=nonzero(4))
for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
    row(getattr(np, _name), f"a * np.{_name}(n, m)", a=normal(4), n=integers(0, 9, 4), m=integers(0, 4, 4), single=False)
row(np.invert, "a * np.invert(n)", a=normal(4), n=integers(0, 9, 4), single=False)
row(np.nan_to_num, "np.nan_to_num(a)", a=normal(4))
row(np.isclose, "np.where(np.isclose(a, b), a, b * b)", a=normal(4), b=normal(4))
row(np.allclose, "a * 2.0 if np.allclose(a, b) else a * a", a=normal(4), b=normal(4))
row(np.array_equal, "a * 2.0 if np.array_equal(a, b) else a * a", a=normal(4), b=normal(4))

for _name, _domain in {
    "erf": normal, "erfc": normal, "erfcx": normal, "ndtr": normal, "log_ndtr": normal, "expit": normal, "log_expit": normal,
    "erfinv": unit, "gamma": positive, "gammaln": positive, "digamma": positive, "ndtri": fraction, "logit": fraction,
    "entr": positive, "exprel": normal,
}.items():
    row(getattr(special, _name), f"special.{_name}(a)", a=_domain(4))
row(special.polygamma, "special.polygamma(1, a)", "special.polygamma(2, a)", a=positive(4))
for _name in ("xlogy", "xlog1py", "rel_entr", "kl_div", "beta", "betaln"):
    row(getattr(special, _name), f"special.{_name}(a, b)", a=positive(3), b=positive(3))

# -- reductions

for _name in ("sum", "mean", "prod", "var", "std"):
    _method = f"a.{_name}(axis=0)"
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=1)", f"np.{_name}(a, axis=(0, 2), keepdims=True)",
        f"np.{_name}(a, -1)", _method, a=normal(3, 2, 4))
row(np.var, "np.var(a, ddof=1)", "np.var(a, axis=0, ddof=1)", a=normal(4, 2))
for _name in ("max", "min", "ptp"):
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=1)", f"np.{_name}(a, axis=(0, 2), keepdims=True)",
        f"np.{_name}(a, 0)", a=apart(3, 2, 4))
for _name in ("argmax", "argmin"):
    row(getattr(np, _name), f"a * np.{_name}(a)", f"a * np.{_name}(a, axis=1, keepdims=True)", a=apart(3, 4))
for _name in ("any", "all"):
    row(getattr(np, _name), f"a * a if np.{_name}(a > 0) else a", f"np.where(np.{_name}(a > 0, axis=0), a, a * a)", a=nonzero(3, 4))
row(np.count_nonzero, "a * np.count_nonzero(a > 0)", "a * np.count_nonzero(a > 0, axis=0)", a=nonzero(3, 4), single=False)
for _name in ("nansum", "nanmean", "nanprod", "nanvar", "nanstd", "nanmax", "nanmin"):
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=0)", a=apart(3, 4))
for _name in ("cumsum", "cumprod"):
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=0)", f"np.{_name}(a, -1)", f"a.{_name}()", a=normal(3, 4))
row(special.logsumexp, "special.logsumexp(a)", "special.logsumexp(a, axis=0)", "special.logsumexp(a, 1, keepdims=True)", a=normal(3, 4))
row(special.softmax, "special.softmax(a)", "special.softmax(a, axis=1)", a=normal(3, 4))
row(special.log_softmax, "special.log_softmax(a)", "special.log_softmax(a, axis=0)", a=normal(3, 4))

# -- products

row(np.matmul, "a @ b", "np.matmul(a, b)", a=normal(3, 4), b=normal(4, 2))
row(np.matmul, "a @ b", "b @ a.T", a=normal(3, 4), b=normal(4))
row(np.matmul, "a @ b", a=normal(4), b=normal(4))
row(np.matmul, "a @ b", "a @ b[0]", "a @ b[:, :, 0, None]", a=normal(2, 3, 4), b=normal(2, 4, 2))
row(np.dot, "np.dot(a, b)", "a.dot(b)", "np.dot(a, b[:, 0])", "np.dot(a[0], b)", "np.dot(a[0], b[:, 1])", "np.dot(a, 2.0)",
    a=normal(3, 4), b=normal(4, 2))
row(np.dot, "np.dot(a, b)", a=normal(2, 3, 4), b=normal(4, 2))
row(np.vdot, "np.vdot(a, b)", a=normal(2, 3), b=normal(2, 3))
row(np.inner, "np.inner(a, b)", "np.inner(a[0], b[1])", a=normal(2, 3), b=normal(4, 3))
row(np.outer, "np.outer(a, b)", a=normal(3), b=normal(2))
row(np.tensordot, "np.tensordot(a, b, 1)", "np.tensordot(a, b, axes=((0, 1), (1, 0)))", "np.tensordot(a, a, 2)",
    a=normal(2, 3), b=normal(3, 2))
row(np.trace, "np.trace(a)", "np.trace(a, 1)", "np.trace(a, offset=-1)", a=normal(3, 4))
row(np.kron, "np.kron(a, b)", "np.kron(a, b[0])", a=normal(2, 2), b=normal(3, 2))
row(np.cross, "np.cross(a, b)", "np.cross(a[0], b)", "np.cross(a[0], b[1])", a=normal(2, 3), b=normal(2, 3))
row(np.linalg.norm, "np.linalg.norm(a)", "np.linalg.norm(a, axis=0)", "np.linalg.norm(a, 1, axis=1)", "np.linalg.norm(a, 'fro')",
    "np.linalg.norm(a, 3, axis=0, keepdims=True)", "np.linalg.norm(a, np.inf, 1)", "np.linalg.norm(a, 1)",
    "np.linalg.norm(a, np.inf)", a=apart(3, 4))

# -- creation

row(np.eye, "a * np.eye(3)", "a * np.eye(3, 3, 1)", a=normal(3, 3))
row(np.identity, "a * np.identity(3)", a=normal(3, 3))
row(np.tri, "a * np.tri(3, 4, 1)", a=normal(3, 4))
row(np.tril, "np.tril(a)", "np.tril(a, -1)", a=normal(3, 4))
row(np.triu, "np.triu(a)", "np.triu(a, k=1)", a=normal(3, 4))
row(np.diag, "np.diag(a)", "np.diag(a[0])", "np.diag(a[0], 1)", "np.diag(a, -1)", a=normal(3, 4))
row(np.diagonal, "np.diagonal(a)", "np.diagonal(a, 1)", a=normal(3, 4))
row(np.diagflat, "np.diagflat(a)", a=normal(2, 2))
row(np.linspace, "np.linspace(x, y, 5)", "np.linspace(x, 1.0, 4, endpoint=False)", x=number(-1, 1), y=number(1, 2))
row(np.logspace, "np.logspace(x, y, 4)", x=number(-1, 1), y=number(1, 2), single=False)
row(np.geomspace, "np.geomspace(x, y, 4)", x=number(0.5, 1), y=number(1, 2), single=False)
row(np.vander, "np.vander(a)", "np.vander(a, 4, increasing=True)", a=normal(3))
row(np.meshgrid, "np.meshgrid(a, b)[0] * np.meshgrid(a, b)[1]", "np.meshgrid(a, b, indexing='ij')[0]", a=normal(2), b=normal(3))
row(np.indices, "a * np.indices((2, 3))[1]", a=normal(2, 3), single=False)

# -- shape

row(np.concatenate, "np.concatenate((a, b))", "np.concatenate([a, b, a], axis=0)", "np.concatenate((a, a), 1)",
    "np.concatenate((a, b), axis=None)", a=normal(2, 3), b=normal(1, 3))
row(np.stack, "np.stack((a, b))", "np.stack((a, b), axis=1)", "np.stack([a, b], -1)", a=normal(2, 3), b=normal(2, 3))
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    row(getattr(np, _name), f"np.{_name}((a, b))", f"np.{_name}((a[0], b[1]))", a=normal(2, 3), b=normal(2, 3))
row(np.append, "np.append(a, b)", "np.append(a, b, axis=0)", "np.append(a[0], 1.0)", a=normal(2, 3), b=normal(2, 3))
row(np.tile, "np.tile(a, 2)", "np.tile(a, (2, 1))", "np.tile(a[0], (2, 2))", a=normal(2, 3))
row(np.repeat, "np.repeat(a, 2)", "np.repeat(a, 3, axis=0)", "np.repeat(a, 2, 1)", a=normal(2, 3))
row(np.roll, "np.roll(a, 1)", "np.roll(a, -1, axis=0)", "np.roll(a, 2, 1)", "np.roll(a, (1, 2), (0, 1))", a=normal(3, 4))
row(np.flip, "np.flip(a) * a", "np.flip(a, 0) * a", "np.flip(a, axis=(0, 1)) * a", a=normal(2, 3))
row(np.fliplr, "np.fliplr(a) * a", a=normal(2, 3))
row(np.flipud, "np.flipud(a) * a", a=normal(2, 3))
row(np.rot90, "np.rot90(a) * np.rot90(a, 3)[::-1]", "np.rot90(a, 2) * a", a=normal(2, 3))
row(np.diff, "np.diff(a)", "np.diff(a, axis=0)", "np.diff(a, 2)", a=normal(3, 4))
row(np.ediff1d, "np.ediff1d(a)", a=normal(4))
row(np.take, "np.take(a, n)", "np.take(a, n, axis=1)", a=normal(3, 4), n=integers(-3, 3, 4))
row(np.take_along_axis, "np.take_along_axis(a, n, axis=0)", a=normal(3, 4), n=integers(0, 3, 2, 4))

# -- order

row(np.sort, "np.sort(a)", "np.sort(a, axis=0)", "np.sort(a, axis=None)", a=apart(3, 4))
row(np.argsort, "a * np.argsort(a)", a=apart(3, 4), single=False)
row(np.median, "np.median(a)", "np.median(a, axis=0)", "np.median(a, axis=1, keepdims=True)", a=apart(3, 4))
row(np.quantile, "np.quantile(a, 0.3)", "np.quantile(a, [0.25, 0.6], axis=0)", "np.quantile(a, q)", a=apart(3, 4), q=number(0.31, 0.33))
row(np.percentile, "np.percentile(a, 40)", "np.percentile(a, [25.0, 60.0], axis=1)", a=apart(3, 4))
row(np.searchsorted, "a * np.searchsorted(b, a)", "np.searchsorted(b, a[0]) * a", a=normal(4), b=rising(5), single=False)
row(np.digitize, "a * np.digitize(a, b)", a=normal(4), b=rising(5), single=False)

# -- statistics

row(np.average, "np.average(a)", "np.average(a, axis=0)", "np.average(a, weights=w)", a=normal(3, 4), w=positive(3, 4))
row(np.average, "np.average(a, axis=1, weights=w)", a=normal(3, 4), w=positive(4))
row(np.cov, "np.cov(a)", "np.cov(a[0])", "np.cov(a, rowvar=False, bias=True)", a=normal(3, 4))
row(np.corrcoef, "np.corrcoef(a)", a=normal(3, 5))
row(np.trapezoid, "np.trapezoid(a)", "np.trapezoid(a, dx=0.1, axis=0)", "np.trapezoid(a, x)", a=normal(3, 4), x=rising(4))
row(np.polyval, "np.polyval(a, b)", "np.polyval(a, x)", a=normal(4), b=normal(3), x=number(0.2, 0.7))
row(np.convolve, "np.convolve(a, b)", "np.convolve(a, b, 'same')", "np.convolve(a, b, mode='valid')", a=normal(5), b=normal(3))
row(np.correlate, "np.correlate(a, b)", "np.correlate(a, b, 'full')", "np.correlate(b, a, 'same')", a=normal(5), b=normal(2))
row(np.interp, "np.interp(b, x, a)", "np.interp(0.3, x, a)", "np.interp(b, x, a, left=0.0, right=1.0)", a=normal(5), b=normal(4), x=rising(5), single=False)
row(np.gradient, "np.gradient(a)", "np.gradient(a, 0.1)", "np.gradient(a, x)", a=normal(5), x=rising(5))
row(np.gradient, "np.gradient(a)[0] * np.gradient(a)[1]", "np.gradient(a, axis=1)", a=normal(3, 4))
