"""One row per scalar primitive: its domain and the derivative chosen at its special points.

`points` map arguments to the partials expected there, `second` to the derivatives of the partials (row by
row). None is a partial that does not exist; `...` is one that is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adjit.compiler.ops import TABLE

INF, NAN = math.inf, math.nan
Sample = Callable[[np.random.Generator], float]


def real(rng: np.random.Generator) -> float:
    """Both signs, small and middling."""
    return float(rng.normal() * rng.choice([0.1, 1.0, 3.0]))


def positive(rng: np.random.Generator) -> float:
    return float(np.exp(rng.normal() * rng.choice([0.3, 1.5])))


def nonzero(rng: np.random.Generator) -> float:
    return float(rng.choice([-1.0, 1.0]) * (0.2 + rng.random() * 3.0))


def moderate(rng: np.random.Generator) -> float:
    return float(rng.uniform(-4.0, 4.0))


def between(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.4, 6.0))


def inside(rng: np.random.Generator) -> float:
    """Between -1 and 1."""
    return float(rng.uniform(-0.97, 0.97))


def fraction(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.03, 0.97))


def above_one(rng: np.random.Generator) -> float:
    return float(1.05 + rng.random() * 4.0)


def above_minus_one(rng: np.random.Generator) -> float:
    return float(rng.uniform(-0.9, 4.0))


def off_integers(rng: np.random.Generator) -> float:
    """Not near a step of a rounding function."""
    return float(rng.integers(-4, 5) + rng.uniform(0.1, 0.9))


def angle(rng: np.random.Generator) -> float:
    """Away from the poles of the tangent."""
    return float(rng.uniform(-1.3, 1.3) + math.pi * rng.integers(-2, 3))


def gamma_domain(rng: np.random.Generator) -> float:
    """Positive, or between the poles."""
    return float(rng.uniform(0.3, 8.0) if rng.random() < 0.7 else -rng.integers(1, 5) + rng.uniform(0.2, 0.8))


def order(rng: np.random.Generator) -> float:
    return float(rng.integers(1, 4))


def weight(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.1, 0.9))


def integer(rng: np.random.Generator) -> int:
    return int(rng.integers(0, 9))


def signed(rng: np.random.Generator) -> int:
    return int(rng.integers(-9, 9))


def truth(rng: np.random.Generator) -> bool:
    return bool(rng.integers(0, 2))


@dataclass(frozen=True)
class Scalar:
    """`value` is what the op must compute, where the table's own `evaluate` is not the authority."""

    samples: tuple[Sample, ...]
    points: dict[tuple[float, ...], tuple[Any, ...]] = field(default_factory=dict)
    second: dict[tuple[float, ...], tuple[tuple[Any, ...], ...]] = field(default_factory=dict)
    value: Callable[..., Any] | None = None
    apart: bool = False  # the two arguments must not be equal
    own_rule: bool = False  # the reverse pass does not read its partials
    numeric: bool = True  # its value, differenced, has the derivative that is stated


R2P = 2.0 / math.sqrt(math.pi)

SCALARS: dict[str, Scalar] = {
    "add": Scalar((real, real)),
    "sub": Scalar((real, real)),
    "mul": Scalar((real, real), {(0.0, 3.0): (3.0, 0.0)}, {(0.0, 0.0): ((0, 1), (1, 0))}),
    "pmul": Scalar((real, real), {(0.0, 3.0): (3.0, 0.0)}, {(0.0, 0.0): ((0, 1), (1, 0))}),
    "neg": Scalar((real,)),
    "div": Scalar(
        (real, nonzero),
        {(0.0, 2.0): (0.5, 0.0), (1.0, 0.0): (INF, -INF)},
        {(0.0, 2.0): ((0, -0.25), (-0.25, 0))},
    ),
    "smul": Scalar(
        (real, real),
        {(0.0, INF): (INF, 0.0), (0.0, 2.0): (2.0, 0.0), (3.0, INF): (INF, 3.0)},
        value=lambda ct, p: 0.0 if ct == 0 else ct * p,
    ),
    "umul": Scalar(
        (real, real),
        {(0.0, INF): (INF, 0.0), (0.0, 2.0): (2.0, 0.0), (3.0, INF): (INF, 3.0)},
        value=lambda ct, p: 0.0 if ct == 0 else ct * p,
    ),
    "pow": Scalar(
        (positive, real),
        {
            (0.0, 2.0): (0.0, 0.0),
            (0.0, 1.0): (1.0, 0.0),
            (0.0, 0.0): (0.0, 0.0),
            (-2.0, 3.0): (12.0, ...),
            (-2.0, -1.0): (-0.25, ...),
            (0.0, 0.5): (INF, 0.0),
            (2.0, 0.0): (0.0, math.log(2.0)),
        },
        {
            (0.0, 2.0): ((2.0, ...), (..., ...)),
            (0.0, 3.0): ((0.0, 0.0), (0.0, 0.0)),
            (2.0, 0.0): ((0.0, 0.5), (0.5, math.log(2.0) ** 2)),
            (-1.5, 2.0): ((2.0, ...), (..., ...)),
        },
    ),
    "floordiv": Scalar((off_integers, lambda rng: 1.0)),
    "mod": Scalar(
        (real, nonzero), {(5.5, 2.0): (1.0, -2.0), (-0.5, 2.0): (1.0, 1.0), (6.0, 3.0): (1.0, -2.0)}
    ),
    "fmod": Scalar((real, nonzero), {(5.5, 2.0): (1.0, -2.0), (-0.5, 2.0): (1.0, 0.0)}),
    "abs": Scalar((nonzero,), {(0.0,): (0.0,), (INF,): (1.0,), (-INF,): (-1.0,)}),
    "maximum": Scalar(
        (real, real),
        {
            (1.0, 1.0): (0.5, 0.5),
            (0.0, -0.0): (0.5, 0.5),
            (INF, 1.0): (1.0, 0.0),
            (1.0, INF): (0.0, 1.0),
            (NAN, 1.0): (..., 0.0),
        },
        apart=True,
    ),
    "minimum": Scalar(
        (real, real), {(1.0, 1.0): (0.5, 0.5), (INF, 1.0): (0.0, 1.0), (-INF, 1.0): (1.0, 0.0)}, apart=True
    ),
    "copysign": Scalar(
        (nonzero, nonzero), {(2.0, -1.0): (-1.0, None), (-2.0, -1.0): (1.0, None), (0.0, 1.0): (0.0, None)}
    ),
    "select": Scalar((truth, real, real), own_rule=True),
    "larger": Scalar(
        (real, real),
        {
            (1.0, 1.0): (0.5, 0.5),
            (0.0, -0.0): (0.5, 0.5),
            (INF, 1.0): (1.0, 0.0),
            (1.0, INF): (0.0, 1.0),
            (NAN, 1.0): (1.0, 0.0),
            (1.0, NAN): (1.0, 0.0),
        },
        value=lambda a, b: max(a, b),
        apart=True,
    ),
    "smaller": Scalar(
        (real, real),
        {
            (1.0, 1.0): (0.5, 0.5),
            (INF, 1.0): (0.0, 1.0),
            (-INF, 1.0): (1.0, 0.0),
            (NAN, 1.0): (1.0, 0.0),
            (1.0, NAN): (1.0, 0.0),
        },
        value=lambda a, b: min(a, b),
        apart=True,
    ),
    "larger_by": Scalar(
        (real, real, lambda rng: 2),
        {
            (2.0, 1.0, 1): (1.0, 0.0, None),
            (1.0, 2.0, 2): (0.0, 1.0, None),
            (1.0, 1.0, 3): (0.5, 0.5, None),
            (NAN, 1.0, 0): (1.0, 0.0, None),
        },
        numeric=False,
    ),
    "smaller_by": Scalar(
        (real, real, lambda rng: 2),
        {
            (2.0, 1.0, 1): (0.0, 1.0, None),
            (1.0, 2.0, 2): (1.0, 0.0, None),
            (1.0, 1.0, 3): (0.5, 0.5, None),
            (NAN, 1.0, 0): (1.0, 0.0, None),
        },
        numeric=False,
    ),
    "maximum_by": Scalar(
        (real, real, lambda rng: 2),
        {
            (2.0, 1.0, 1): (1.0, 0.0, None),
            (1.0, 2.0, 2): (0.0, 1.0, None),
            (1.0, 1.0, 3): (0.5, 0.5, None),
            (NAN, 1.0, 0): (0.0, 0.0, None),
        },
        numeric=False,
    ),
    "minimum_by": Scalar(
        (real, real, lambda rng: 2),
        {
            (2.0, 1.0, 1): (0.0, 1.0, None),
            (1.0, 2.0, 2): (1.0, 0.0, None),
            (1.0, 1.0, 3): (0.5, 0.5, None),
            (NAN, 1.0, 0): (0.0, 0.0, None),
        },
        numeric=False,
    ),
    "cast": Scalar((real,)),
    "share": Scalar((real, real, weight), {(1.0, 1.0, 0.25): (1.0, 0.25, None)}, numeric=False),
    "root": Scalar((positive,), {(0.0,): (0.0,), (4.0,): (0.25,)}, {(0.0,): ((0.0,),)}),
    "square_of": Scalar((positive, positive), {(0.0, 0.0): (None, 1.0)}, numeric=False),
    "minus_square_of": Scalar((positive, positive), {(0.0, 0.0): (None, -1.0)}, numeric=False),
    "add_zero": Scalar((real, lambda rng: 0.0), {(2.0, 0.0): (1.0, None)}, numeric=False),
    "stop_gradient": Scalar((real,), numeric=False),
    # transcendental
    "exp": Scalar((real,), {(-800.0,): (0.0,), (0.0,): (1.0,)}),
    "exp2": Scalar((real,)),
    "expm1": Scalar((real,), {(1e-20,): (1.0,)}),
    "log": Scalar((positive,), {(0.0,): (INF,), (1e-300,): (1e300,)}),
    "log2": Scalar((positive,)),
    "log10": Scalar((positive,)),
    "log1p": Scalar((above_minus_one,), {(0.0,): (1.0,), (-1.0,): (INF,)}),
    "sqrt": Scalar((positive,), {(0.0,): (INF,), (1e-300,): (0.5e150,)}),
    "cbrt": Scalar((nonzero,), {(0.0,): (INF,), (-8.0,): (1.0 / 12.0,)}),
    "sin": Scalar((real,)),
    "cos": Scalar((real,)),
    "tan": Scalar((angle,)),
    "asin": Scalar((inside,), {(1.0,): (INF,), (0.0,): (1.0,)}),
    "acos": Scalar((inside,), {(-1.0,): (-INF,), (0.0,): (-1.0,)}),
    "atan": Scalar((real,), {(1e200,): (0.0,)}),
    "atan2": Scalar(
        (nonzero, nonzero),
        {
            (0.0, 1.0): (1.0, 0.0),
            (0.0, -1.0): (-1.0, 0.0),
            (1.0, 0.0): (0.0, -1.0),
            (1e200, 1e200): (0.5e-200, -0.5e-200),
            (3e-200, 4e-200): (1.6e199, -1.2e199),
        },
        {(0.0, 2.0): ((0.0, -0.25), (-0.25, 0.0)), (1.0, 1.0): ((-0.5, 0.0), (0.0, 0.5))},
    ),
    "sinh": Scalar((real,)),
    "cosh": Scalar((real,)),
    "tanh": Scalar((real,), {(30.0,): (0.0,)}),
    "asinh": Scalar((real,), {(0.0,): (1.0,), (1e200,): (1e-200,)}),
    "acosh": Scalar((above_one,), {(1.0,): (INF,)}),
    "atanh": Scalar((inside,), {(1.0,): (INF,)}),
    "over_squares": Scalar(
        (nonzero, nonzero),
        {(0.0, 2.0): (0.25, 0.0), (2.0, 0.0): (-0.25, 0.0), (1e120, 0.0): (-1e-240, 0.0)},
        value=lambda x, y: x / (x * x + y * y),
    ),
    "hypot": Scalar(
        (nonzero, nonzero),
        {
            (0.0, 0.0): (0.0, 0.0),
            (3.0, 4.0): (0.6, 0.8),
            (3e200, 4e200): (0.6, 0.8),
            (0.0, -2.0): (0.0, -1.0),
        },
        {(0.0, 2.0): ((0.5, 0.0), (0.0, 0.0))},
    ),
    # special
    "erf": Scalar((real,), {(0.0,): (R2P,), (30.0,): (0.0,)}, {(0.0,): ((0.0,),)}),
    "erfc": Scalar((real,), {(0.0,): (-R2P,)}),
    "erfcx": Scalar((lambda rng: float(rng.uniform(-2, 20)),), {(0.0,): (-R2P,)}, {(0.0,): ((2.0,),)}),
    "erfinv": Scalar((inside,), {(0.0,): (1.0 / R2P,), (1.0,): (INF,)}),
    "gamma": Scalar((gamma_domain,), {(1.0,): (-np.euler_gamma,)}),
    "gammaln": Scalar((gamma_domain,), {(1.0,): (-np.euler_gamma,)}, {(1.0,): ((math.pi**2 / 6,),)}),
    "digamma": Scalar((gamma_domain,), {(1.0,): (math.pi**2 / 6,)}),
    "polygamma": Scalar((order, gamma_domain)),
    "ndtr": Scalar((real,), {(0.0,): (1.0 / math.sqrt(2.0 * math.pi),), (-40.0,): (0.0,)}),
    "log_ndtr": Scalar((real,), {(-40.0,): (40.02496884726,), (40.0,): (0.0,)}),
    "mills": Scalar((real,)),
    "ndtri": Scalar((fraction,), {(0.5,): (math.sqrt(2.0 * math.pi),), (0.0,): (INF,)}),
    "logit": Scalar((fraction,), {(0.5,): (4.0,), (0.0,): (INF,)}, {(0.5,): ((0.0,),)}),
    "log_expit": Scalar(
        (real,), {(0.0,): (0.5,), (-1000.0,): (1.0,), (1000.0,): (0.0,)}, {(0.0,): ((-0.25,),)}
    ),
    "expit": Scalar((real,), {(0.0,): (0.25,), (-1000.0,): (0.0,), (1000.0,): (0.0,)}),
    **{name: Scalar((moderate,)) for name in ("j0", "j1", "i0", "i1", "dawsn")},
    **{name: Scalar((nonzero,)) for name in ("i0e", "i1e", "expi")},
    **{name: Scalar((between,)) for name in ("y0", "y1", "k0", "k1", "k0e", "k1e", "exp1")},
    "erfcinv": Scalar((lambda rng: float(rng.uniform(0.05, 1.95)),)),
    **{name: Scalar((between, between)) for name in ("jv", "yv", "iv", "ive", "kv", "kve")},
    **{name: Scalar((between, between)) for name in ("gammainc", "gammaincc", "gammainc_by_a")},
    "gammaincinv": Scalar((between, fraction)),
    "betainc": Scalar((between, between, fraction)),
    "stdtr": Scalar((between, real)),
    "stdtrit": Scalar((between, fraction)),
    "owens_t": Scalar((real, real)),
    **{
        name: Scalar((positive,), own_rule=True)
        for name in TABLE
        if name.startswith(("order_of_", "shape_of_", "freedom_of_"))
    },
    # no derivative
    **{name: Scalar((real, real), apart=True) for name in ("lt", "le", "gt", "ge", "eq", "ne", "ordering")},
    **{name: Scalar((off_integers,)) for name in ("floor", "ceil", "trunc", "rint")},
    "sign": Scalar((nonzero,)),
    **{name: Scalar((real,)) for name in ("isnan", "isinf", "isfinite")},
    **{name: Scalar((integer, integer)) for name in ("bitand", "bitor", "bitxor", "lshift", "rshift")},
    "invert": Scalar((integer,)),
    **{name: Scalar((real,)) for name in ("to_float16", "to_bfloat16")},
    **{name: Scalar((integer,)) for name in ("from_float16", "from_bfloat16")},
    "not": Scalar((truth,)),
    **{name: Scalar((truth, truth)) for name in ("and", "or")},
    "wrap": Scalar((signed, lambda rng: 9), value=lambda i, n: i % n),
    "trips": Scalar((signed, signed, lambda rng: int(rng.choice([-2, -1, 1, 3])))),
}
