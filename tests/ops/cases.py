"""One row per NumPy function of elements or over axes; importing the module fills `rows.ROWS`.

An expression is a call as a user writes it over the names a, b, x, ...; float arguments are differentiated.
Points at which differences say nothing (ties, zeros, kinks) have rows of their own in `points.py`.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from .rows import above_one, apart, constant, fraction, integers, nonzero, normal, number, positive, row, unit

# -- elementwise: the domain of one argument, then of two

for _domain, _names in {
    normal: "exp exp2 expm1 sin cos sinh cosh tanh arctan arcsinh square positive negative "
    "radians deg2rad degrees rad2deg sinc",
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
row(
    np.clip,
    "np.clip(a, -0.5, 0.5)",
    "a.clip(-0.5, 0.5)",
    "np.clip(a, None, 0.5)",
    "np.clip(a, lo, hi)",
    a=apart(6),
    lo=number(-0.6, -0.4),
    hi=number(0.4, 0.6),
)
row(
    np.where,
    "np.where(a > 0, a * b, b)",
    "np.where(a > 0, np.sqrt(np.abs(a)), 0.0)",
    a=nonzero(4),
    b=normal(4),
)
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
    row(
        getattr(np, _name),
        f"a * np.{_name}(n, m)",
        a=normal(4),
        n=integers(0, 9, 4),
        m=integers(0, 4, 4),
        single=False,
    )
row(np.invert, "a * np.invert(n)", a=normal(4), n=integers(0, 9, 4), single=False)
row(np.nan_to_num, "np.nan_to_num(a)", a=normal(4))
for _name in ("round", "around"):
    row(
        getattr(np, _name),
        f"np.{_name}(a) * a",
        f"np.{_name}(a, 1) * a",
        f"np.{_name}(a, -1) * a",
        a=apart(4),
        order=1,
    )
row(np.select, "np.select([a > 0.5, a > 0], [a * a, b], 1.0)", a=nonzero(5), b=normal(5))
row(np.isclose, "np.where(np.isclose(a, b), a, b * b)", a=normal(4), b=normal(4))
row(np.allclose, "a * 2.0 if np.allclose(a, b) else a * a", a=normal(4), b=normal(4))
row(np.array_equal, "a * 2.0 if np.array_equal(a, b) else a * a", a=normal(4), b=normal(4))

for _name, _domain in {
    "erf": normal,
    "erfc": normal,
    "erfcx": normal,
    "ndtr": normal,
    "log_ndtr": normal,
    "expit": normal,
    "log_expit": normal,
    "erfinv": unit,
    "gamma": positive,
    "gammaln": positive,
    "digamma": positive,
    "ndtri": fraction,
    "logit": fraction,
    "entr": positive,
    "exprel": normal,
}.items():
    row(getattr(special, _name), f"special.{_name}(a)", a=_domain(4))
row(special.polygamma, "special.polygamma(1, a)", "special.polygamma(2, a)", a=positive(4))
for _name in ("j0", "j1", "i0", "i1", "dawsn", "i0e", "i1e", "expi"):
    row(getattr(special, _name), f"special.{_name}(a)", a=nonzero(4))
for _name in ("y0", "y1", "k0", "k1", "k0e", "k1e", "exp1"):
    row(getattr(special, _name), f"special.{_name}(a)", a=positive(4))
row(special.erfcinv, "special.erfcinv(a)", a=fraction(4))
for _name in ("jv", "yv", "iv", "ive", "kv", "kve"):
    row(getattr(special, _name), f"special.{_name}(1.5, a)", f"special.{_name}(2, a)", a=positive(4))
for _name in ("gammainc", "gammaincc"):
    row(getattr(special, _name), f"special.{_name}(a, b)", a=positive(4), b=positive(4), order=1)
    row(getattr(special, _name), f"special.{_name}(1.5, b)", b=positive(4))
row(special.gammaincinv, "special.gammaincinv(a, b)", a=positive(4), b=fraction(4), order=1)
row(special.betainc, "special.betainc(1.5, 0.7, a)", a=fraction(4))
row(special.stdtr, "special.stdtr(3.5, a)", a=normal(4))
row(special.stdtrit, "special.stdtrit(3.5, a)", a=fraction(4))
row(special.owens_t, "special.owens_t(a, b)", a=normal(4), b=normal(4))
for _name in ("xlogy", "xlog1py", "rel_entr", "kl_div", "beta", "betaln"):
    row(getattr(special, _name), f"special.{_name}(a, b)", a=positive(3), b=positive(3))

# -- reductions

for _name in ("sum", "mean", "prod", "var", "std"):
    _method = f"a.{_name}(axis=0)"
    row(
        getattr(np, _name),
        f"np.{_name}(a)",
        f"np.{_name}(a, axis=1)",
        f"np.{_name}(a, axis=(0, 2), keepdims=True)",
        f"np.{_name}(a, -1)",
        _method,
        a=normal(3, 2, 4),
    )
row(np.var, "np.var(a, ddof=1)", "np.var(a, axis=0, ddof=1)", a=normal(4, 2))
for _name in ("max", "min", "amax", "amin", "ptp"):
    row(
        getattr(np, _name),
        f"np.{_name}(a)",
        f"np.{_name}(a, axis=1)",
        f"np.{_name}(a, axis=(0, 2), keepdims=True)",
        f"np.{_name}(a, 0)",
        a=apart(3, 2, 4),
    )
for _name in ("argmax", "argmin"):
    row(getattr(np, _name), f"a * np.{_name}(a)", f"a * np.{_name}(a, axis=1, keepdims=True)", a=apart(3, 4))
for _name in ("any", "all"):
    row(
        getattr(np, _name),
        f"a * a if np.{_name}(a > 0) else a",
        f"np.where(np.{_name}(a > 0, axis=0), a, a * a)",
        a=nonzero(3, 4),
    )
row(
    np.count_nonzero,
    "a * np.count_nonzero(a > 0)",
    "a * np.count_nonzero(a > 0, axis=0)",
    a=nonzero(3, 4),
    single=False,
)
for _name in ("nansum", "nanmean", "nanprod", "nanvar", "nanstd", "nanmax", "nanmin"):
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=0)", a=apart(3, 4))
for _name in ("cumsum", "cumprod"):
    row(
        getattr(np, _name),
        f"np.{_name}(a)",
        f"np.{_name}(a, axis=0)",
        f"np.{_name}(a, -1)",
        f"a.{_name}()",
        a=normal(3, 4),
    )
row(
    special.logsumexp,
    "special.logsumexp(a)",
    "special.logsumexp(a, axis=0)",
    "special.logsumexp(a, 1, keepdims=True)",
    a=normal(3, 4),
)
row(special.softmax, "special.softmax(a)", "special.softmax(a, axis=1)", a=normal(3, 4))
row(special.log_softmax, "special.log_softmax(a)", "special.log_softmax(a, axis=0)", a=normal(3, 4))

for _name in ("nancumsum", "nancumprod"):
    row(getattr(np, _name), f"np.{_name}(a)", f"np.{_name}(a, axis=0)", a=normal(3, 4))
