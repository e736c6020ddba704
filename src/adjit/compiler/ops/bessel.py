"""Bessel functions, exponential integrals and their kin, with their partials in the variable.

Orders and shapes whose derivative has no closed form pass through an op of their own, `order_of_*`: it is the
number itself, and where a derivative is asked for, it refuses. Non-goals: complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from scipy import special

from ...errors import NotDifferentiableError
from ..ir.nodes import NOWHERE
from .core import define
from .symbolic import Sym, Value, call, exp, sign


def define_held(name: str, what: str) -> None:
    """The op `name`: a number that stays as it is, in which there is no derivative."""

    def refuse(x: Value, out: Value) -> tuple[object, ...]:
        place = x.builder.loc if isinstance(x, Sym) else NOWHERE
        raise NotDifferentiableError(
            f"the derivative in {what} is not known",
            place,
            "there is no closed form of it",
            "hold it constant with adjit.stop_gradient, or leave it out of argnums",
        )

    define(name, 1, "{0}", lambda x: x)(refuse)


def lower(v: Value) -> Value:
    return v - 1.0


def higher(v: Value) -> Value:
    return v + 1.0


# Each op by the function of one variable that it is, with its derivative.
PLAIN: dict[str, Callable[[Value, Value], Value]] = {
    "j0": lambda x, out: -call("j1", x),
    "j1": lambda x, out: 0.5 * (call("j0", x) - call("jv", 2.0, x)),
    "y0": lambda x, out: -call("y1", x),
    "y1": lambda x, out: 0.5 * (call("y0", x) - call("yv", 2.0, x)),
    "i0": lambda x, out: call("i1", x),
    "i1": lambda x, out: 0.5 * (call("i0", x) + call("iv", 2.0, x)),
    "i0e": lambda x, out: call("i1e", x) - sign(x) * out,
    "i1e": lambda x, out: 0.5 * (call("i0e", x) + call("ive", 2.0, x)) - sign(x) * out,
    "k0": lambda x, out: -call("k1", x),
    "k1": lambda x, out: -0.5 * (call("k0", x) + call("kv", 2.0, x)),
    "k0e": lambda x, out: out - call("k1e", x),
    "k1e": lambda x, out: out - 0.5 * (call("k0e", x) + call("kve", 2.0, x)),
    "exp1": lambda x, out: -exp(-x) / x,
    "expi": lambda x, out: exp(x) / x,
    "dawsn": lambda x, out: 1.0 - 2.0 * x * out,
    "erfcinv": lambda x, out: -0.886226925452758 * exp(out * out),
}

# The same for functions of an order and a variable.
ORDERED: dict[str, Callable[[Value, Value, Value], Value]] = {
    "jv": lambda v, x, out: 0.5 * (call("jv", lower(v), x) - call("jv", higher(v), x)),
    "yv": lambda v, x, out: 0.5 * (call("yv", lower(v), x) - call("yv", higher(v), x)),
    "iv": lambda v, x, out: 0.5 * (call("iv", lower(v), x) + call("iv", higher(v), x)),
    "kv": lambda v, x, out: -0.5 * (call("kv", lower(v), x) + call("kv", higher(v), x)),
    "ive": lambda v, x, out: 0.5 * (call("ive", lower(v), x) + call("ive", higher(v), x)) - sign(x) * out,
    "kve": lambda v, x, out: out - 0.5 * (call("kve", lower(v), x) + call("kve", higher(v), x)),
}

SINGULAR = {"y0", "y1", "k0", "k1", "k0e", "k1e", "exp1", "expi", "erfcinv", "yv", "kv", "kve"}


def spelling(name: str) -> str:
    """How generated code calls the function; names like `i0` are left to the user's variables."""
    return f"bessel_{name}" if len(name) <= 3 else name


def _unary(name: str, derivative: Callable[[Value, Value], Value]) -> None:
    @define(
        name, 1, f"{spelling(name)}({{0}})", getattr(special, name), expensive=True, singular=name in SINGULAR
    )
    def partials(x: Value, out: Value) -> tuple[object, ...]:
        return (derivative(x, out),)


def _ordered(name: str, derivative: Callable[[Value, Value, Value], Value]) -> None:
    python = f"{spelling(name)}({{0}}, {{1}})"

    @define(name, 2, python, getattr(special, name), expensive=True, singular=name in SINGULAR)
    def partials(v: Value, x: Value, out: Value) -> tuple[object, ...]:
        """None in the order, which frontends pass through `order_of_*`."""
        return None, derivative(v, x, out)

    define_held(f"order_of_{name}", f"the order of scipy.special.{name}")


for _name, _derivative in PLAIN.items():
    _unary(_name, _derivative)
for _name, _of_order in ORDERED.items():
    _ordered(_name, _of_order)

NAMES = (*PLAIN, *ORDERED)
