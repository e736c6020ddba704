"""Uses of objects, methods, rules and functions that are refused, and what their messages say to write.

The text of every message is a golden file of the same name, as for `refused_programs`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from scipy import linalg, optimize

import adjit

from .refusals import refused


class Net:
    """An object of parameters that is called."""

    def __init__(self) -> None:
        self.w = np.ones(3)

    def __call__(self, x: Any) -> Any:
        return np.sum(self.w * x)

    def keeps(self, x: Any) -> Any:
        self.last = x * x
        return self.last


class Frame:
    """A table by column, as one of pandas."""

    def __getitem__(self, name: str) -> Any:
        return np.ones(3)


Frame.__module__ = "pandas.core.frame"


class Shade(enum.Enum):
    DARK = "dark"


@dataclass
class State:
    x: float
    t: float


NET, FRAME = Net(), Frame()


@numba.stencil
def neighbours(a):
    return a[-1] + a[1]


@refused("MissingRuleError", 2.0)
def root_of_a_closure(a):
    return optimize.brentq(lambda t: t * t - a, 0.0, 10.0)


@refused("MissingRuleError")
def uses_a_stencil(x):
    return np.sum(neighbours(x))


@refused("MissingRuleError", np.eye(2))
def factors_of_a_matrix(x):
    return linalg.lu(x)[2][0, 0]


@refused("NotDifferentiableError", NET)
def gradient_of_an_object(net):
    return net(np.ones(3))


@refused("InferenceError", 1.0, Shade.DARK)
def member_of_an_enum(x, shade):
    return x if shade is Shade.DARK else 2.0 * x


@refused("InferenceError", 1.0, np.random.default_rng(1))
def generator_as_argument(x, rng):
    return x * rng.normal()


@refused("InferenceError", np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]))
def structured_array(x):
    return x["a"][0]


@refused("InferenceError", 1.0)
def column_of_a_table(x):
    return x * FRAME["a"][0]


@refused("NotDifferentiableError", State(1.0, 0.0))
def changes_a_dataclass_of_the_caller(state):
    state.t = 2.0 * state.x
    return state.t


@refused("NotDifferentiableError", {"x": 1.0})
def changes_a_dict_of_the_caller(state):
    state.update(x=2.0 * state["x"])
    return state["x"]


@refused("UnsupportedSyntaxError", run=lambda function, x: adjit.grad(NET.keeps)(x))
def assigns_to_self(x):
    return x


@refused("UnsupportedSyntaxError", 1.0)
def never_returns(x):
    return x if x is None else _on_and_on(x)


def _on_and_on(x):
    if x > 0.0:
        return _on_and_on(2.0 * x)
    return _on_and_on(-x) + 1.0


@adjit.custom_vjp
def long_rule(x):
    return x * x


long_rule.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * ct * x, ct))


@refused("InferenceError", 1.0)
def rule_with_a_cotangent_too_many(x):
    return long_rule(x)


@adjit.custom_vjp
def short_rule(x):
    return np.sum(x)


short_rule.defvjp(lambda x: (np.sum(x), x), lambda x, ct: (ct * np.ones(2),))


@refused("ShapeError")
def rule_of_another_length(x):
    return short_rule(x)


@adjit.custom_vjp
def flat_rule(x):
    return np.sum(x)


flat_rule.defvjp(lambda x: (np.sum(x), None), lambda kept, ct: (ct,))


@refused("InferenceError")
def rule_that_gives_a_number_for_an_array(x):
    return flat_rule(x)


@refused("UnsupportedSyntaxError", 1.0)
async def asynchronous(x):
    return x * x


@refused("UnsupportedSyntaxError", 1.0)
def power_of_three(x):
    return x * pow(3, 4, 5)


@refused("UnsupportedSyntaxError")
def greatest_by_a_key(x):
    return max(x, key=lambda v: -v)


@refused("UnsupportedSyntaxError", 1.0)
def list_sorted_by_a_key(x):
    values = [x, 2.0 * x]
    values.sort(key=lambda v: -v)
    return values[0]


@refused("UnsupportedSyntaxError")
def place_in_a_list_that_grows(x):
    values = []
    for v in x:
        values.append(v)
    return x[values.index(1.0)]


@refused("OverwriteError")
def writes_what_an_expression_chose(x):
    y = 2.0 * x
    chosen = x if x[0] > 0.0 else y
    chosen[0] = 1.0
    return np.sum(x)


@refused("ShapeError", np.zeros(0))
def greatest_of_nothing(x):
    return np.max(x)


@refused("TypeError", 2.0, 3, run=lambda function, x, n: adjit.grad(function, x, n))
def arguments_given_to_the_transform(x, n):
    return x**n


@adjit.custom_vjp
def applied(f, x):
    return f(x)


applied.defvjp(lambda f, x: (applied(f, x), x), lambda x, ct: (None, ct))


@refused("InferenceError", 2.0)
def inner_function_for_a_rule(x):
    return applied(lambda t: t * x, x)
