"""Calls: inlined functions, closures, methods, transforms, arguments as Python binds them."""

from __future__ import annotations

import functools
import math

import numba
import numpy as np
import pytest

import adjit
from adjit.errors import InferenceError, UnsupportedSyntaxError
from tests.support.capturing import agrees, captured, outcome

X = np.array([0.9, -0.4, 1.1, 1.3])
PROGRAMS = []


def program(*args):
    def register(function):
        PROGRAMS.append(pytest.param(function, args, id=function.__name__))
        return function

    return register


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    agrees(function, *args)


@numba.njit
def scaled(a, b=2.0):
    return a * b


def filled(y, x):
    for i in range(len(y)):
        y[i] = x[i] * 2


def down(x, k):
    if k == 0:
        return x.sum()
    return up(x * 2, k - 1)


def up(x, k):
    return down(x + 1, k)


@program(X)
def numba_functions(x):
    s = 0.0
    for i in numba.prange(len(x)):
        s += scaled(x[i]) + scaled(a=x[i], b=1.0)
    return s


@program(X)
def callee_writes_views(x):
    y = np.empty(4)
    filled(y, x)
    filled(y[1:3], x)
    return y


@program(X)
def recursion_of_known_depth(x):
    return down(x, 3)


@program(X, 0.5)
def inner_functions(x, a):
    b = a * 2

    def g(v, c=b):
        return v * c + a

    h = lambda v: g(v) + b  # noqa: E731
    b = 7.0
    s = 0.0
    for v in x:
        s += h(v)
    return s


@program(X)
def closures_write_what_they_see(x):
    a = x.copy()

    def poke(i):
        a[i] = -1.0
        return a.sum()

    s = poke(0) + poke(1)
    a = a * 2
    return s + poke(2), a


@program(X)
def functions_as_values(x):
    def twice(f, v):
        return f(f(v))

    return twice(lambda v: v * v, x[0]) + twice(np.sin, x[1]) + twice(math.cos, x[2])


@program(X)
def stars(x):
    def f(a, *rest, k=1.0, **named):
        s = a * k
        for r in rest:
            s += r
        return s + named["z"]

    args = (x[0], x[1], 2.0)
    return f(*args, k=3.0, **dict(z=1.0))  # noqa: C408 + f(1.0, z=2.0)


@program(X, 4)
def early_returns_of_callees(x, n):
    def first_above(v, limit):
        for k in range(len(v)):
            if v[k] > limit:
                return k
        return -1

    s = 0
    for i in range(n):
        s += first_above(x, i * 0.4) * 10**i
    return s


@program(X, 4)
def tuples_through_callees(x, n):
    def step(state, i):
        a, b = state
        return (b, a + b * x[i])

    s = (0.0, 1.0)
    for i in range(n):
        s = step(s, i)
    return s


@program(X)
def changed_argument_only(x):
    if x[0] > 100:
        return
    x[0] = 1.0


half = functools.partial(scaled, b=0.5)


@program(X)
def partial_functions(x):
    double = functools.partial(lambda a, b, c=1.0: a * b + c, x[1], c=2.0)
    return half(x[0]) + double(3.0) + double(b=1.0)


class Model:
    scale = 3.0

    def __init__(self):
        self.k = 2.0
        self.w = np.array([1.0, 2.0, 3.0, 4.0])

    @property
    def double(self):
        return 2.0 * self.k

    def __call__(self, x):
        return (x * self.w).sum() * self.k * self.scale

    def shifted(self, x):
        return self(x) + self.double


model = Model()


@program(X)
def objects_of_the_module(x):
    return model(x) + model.shifted(x)


def test_bound_methods_are_captured():
    assert outcome(model.shifted, X) == model.shifted(X)


def cube(t, k):
    return k * t * t * t


slope = adjit.grad(cube)


@program(X, 2.0)
def transforms_inside(x, k):
    s = 0.0
    for v in x:
        s += slope(v, k)
    return s


squares = adjit.value_and_grad(lambda v: np.sum(v * v * v))


@program(X)
def results_of_transforms(x):
    v, g = squares(x * 2)
    return v + g.sum(), g


def test_unbounded_recursion_is_refused():
    def fall(x):
        if x < 1.0:
            return x
        return fall(x - 1.0) * x

    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep at 'fall'"):
        captured(fall, 2.0)


def test_wrong_arguments_are_named():
    def f(x):
        return scaled(x, c=1.0)

    with pytest.raises(InferenceError, match="got an unexpected keyword argument 'c'"):
        captured(f, 1.0)

    def g(x):
        return scaled(x, 1.0, 2.0)

    with pytest.raises(InferenceError, match="takes 2 positional arguments but 3 were given"):
        captured(g, 1.0)

    def h(x):
        return scaled(b=x)

    with pytest.raises(InferenceError, match="missing a required argument: 'a'"):
        captured(h, 1.0)


def test_callees_are_named_in_errors():
    def inner(x):
        return x.nothing

    def outer(x):
        return inner(x)

    with pytest.raises(Exception, match="nothing") as error:
        captured(outer, X)
    assert "In the call at" in str(error.value)


def test_classes_are_not_made():
    def f(x):
        return Model()(x)

    with pytest.raises(UnsupportedSyntaxError, match="objects of the class 'Model'"):
        captured(f, X)


@program(X, 1.5)
def gradient_of_a_lambda(x, b):
    s = 0.0
    for v in x:
        s += adjit.grad(lambda t: t * t * b)(v)
    return s


@program(X, 1.5)
def gradient_of_an_inner_function(x, b):
    w = x * 2

    def inner(t):
        return t * b

    def energy(y, k=2.0):
        return np.sum(w * y * y) * inner(k)

    value, slope = adjit.value_and_grad(energy)(x)
    return value, slope, adjit.grad(energy, argnums=1)(x, b)


def test_other_transforms_are_refused_inside():
    def f(x):
        return adjit.hvp(cube, (x, 1.0), 1.0)

    with pytest.raises(UnsupportedSyntaxError, match=r"adjit\.hvp is not supported inside"):
        captured(f, 2.0)


def product_of(x, n):
    return 1.0 if n == 0 else x * product_of(x, n - 1)


def both(tree, x):
    if isinstance(tree, tuple):
        return both(tree[0], x) * both(tree[1], x)
    return tree * x


def fibonacci(n, x):
    return x if n < 2 else fibonacci(n - 1, x) + fibonacci(n - 2, x) * x


def test_recursion_whose_depth_is_known():
    assert adjit.grad(lambda x: product_of(x, 100))(1.0) == 100.0
    assert adjit.grad(lambda x: both(((1.0, 2.0), (3.0, 4.0)), x))(2.0) == 24.0 * 4.0 * 8.0
    adjit.check_grads(lambda x: fibonacci(7, x), (0.5,))


def nested_sines(x, n):
    return x if n == 0 else np.sin(nested_sines(x, n - 1))


def two_results(x, n):
    if n == 0:
        return x, x * x
    a, b = two_results(x, n - 1)
    return a * b, a + b


def test_recursion_whose_depth_is_not_known():
    assert adjit.grad(product_of)(2.0, 5) == 80.0
    assert adjit.grad(nested_sines)(2.0, 1) == np.cos(2.0)
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep at 'two_results'") as caught:
        adjit.grad(lambda x, n: two_results(x, n)[0])(2.0, 5)
    assert "let a constant of the module decide its depth" in caught.value.hint


def maker(a):
    def middle(b):
        def inner(c):
            return a * b * c

        return inner

    return middle


def chosen(kind):
    if kind == "square":
        return lambda t: t * t
    return lambda t: t * t * t


def test_functions_that_return_functions():
    assert adjit.grad(lambda x: maker(x)(x * x)(3.0))(2.0) == 36.0
    assert adjit.grad(lambda x: chosen("square")(x) + chosen("cube")(x))(2.0) == 16.0


def test_closures_over_structures():
    def f(x):
        table = {"u": x * 2, "v": (x, 3.0)}

        def use(y):
            return table["u"] * y + table["v"][0] * table["v"][1]

        return use(x)

    assert adjit.grad(f)(2.0) == 11.0
