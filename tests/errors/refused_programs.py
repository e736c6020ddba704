"""Programs that must be refused, or that raise when they run: each with its error class and its arguments.

The text of every message is a golden file of the same name.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import scipy.sparse

import adjit

from .refusals import refused

BUFFER = np.zeros(3)
SPARSE = scipy.sparse.csr_array(np.eye(3))


@refused("UnsupportedSyntaxError")
def uses_try(x):
    try:
        return x[0] / x[1]
    except ZeroDivisionError:
        return x[0]


@refused("UnsupportedSyntaxError")
def several_at_once(x):
    with contextlib.nullcontext():
        y = x[0]
    del y
    import math

    return math.sin(x[0])


@refused("UnsupportedSyntaxError", 1.0, 3)
def string_of_a_number(x, n):
    s = 0.0
    for i in range(n):
        if f"w{i}" == "w1":
            s += x
    return s


@refused("InferenceError")
def returns_a_list_that_grows(x):
    found = []
    for v in x:
        found.append(v * v)
    return found


@refused("InferenceError", np.ones(30))
def list_of_different_kinds(x):
    found = []
    for v in x:
        found.append(v)
        if v > 2:
            found.append((v, v))
    return len(found) * x[0]


@refused("OverwriteError", np.ones(30))
def list_seen_under_a_name_that_a_branch_chose(x):
    path, best = [], []
    for v in x:
        path.append(v)
        if v > 0:
            best = path
    return sum(best)


@refused("OverwriteError", np.ones(30))
def one_row_in_all_places(x):
    row, rows = np.zeros(2), []
    for v in x:
        row[0] = v
        rows.append(row)
    return np.sum(np.array(rows))


@refused("OutOfBoundsError", np.ones(30))
def item_after_the_last(x):
    found = []
    for v in x:
        if v > 2:
            found.append(v)
    return found[0]


@refused("NotDifferentiableError", 3)
def integers_only(x):
    return x * x


@refused("NameResolutionError")
def typo_in_a_module(x):
    return np.summ(x)


@refused("MissingRuleError")
def draws_numbers(x):
    return np.sum(x * np.random.multinomial(3, x))


@refused("UnsupportedSyntaxError", 1.0)
def generator(x):
    yield x


@refused("UnsupportedSyntaxError", 1.0)
def local_class(x):
    class Pair:
        pass

    return x


@refused("UnsupportedSyntaxError", 1.0)
def global_write(x):
    global COUNT
    COUNT = 1
    return x * COUNT


@refused("NotDifferentiableError")
def mutated_global(x):
    BUFFER[0] = x[0]
    return BUFFER[0] * x[1]


@refused("NameResolutionError", 1.0)
def unknown_name(x):
    return x * undefined_factor  # noqa: F821


@refused("NameResolutionError", 1.0)
def bound_on_one_path(x):
    if x > 2.0:
        y = x
    return y * x


@refused("MissingRuleError")
def unknown_numpy_function(x):
    return np.sum(np.fft.fft(x).real)


@refused("UnsupportedSyntaxError")
def unknown_method(x):
    return x.byteswap()[0]


@refused("UnsupportedSyntaxError")
def unsupported_keyword(x):
    return np.sum(np.sort(x, order="field"))


@refused("InferenceError", 1.0)
def types_disagree(x):
    y = x if x > 0 else (x, x)
    return y


@refused("NotDifferentiableError", 3)
def integer_argument(n):
    return n * 2.0


@refused("NotDifferentiableError", np.arange(3))
def integer_array(n):
    return np.sum(n) * 2.0


@refused("NotDifferentiableError")
def integer_result(x):
    return np.argmax(x)


@refused("NotDifferentiableError")
def array_result_of_grad(x):
    return x * 2.0


@refused("NotDifferentiableError")
def no_result(x):
    x[0] = 1.0


@refused("ShapeError", np.ones(3), np.ones(4))
def shapes_do_not_broadcast(a, b):
    return np.sum(a + b)


@refused("ShapeError", np.ones((2, 3)), np.ones((2, 3)))
def matrix_product(a, b):
    return np.sum(a @ b)


@refused("ShapeError", np.ones(6))
def impossible_reshape(x):
    return np.sum(x.reshape(4, 2))


@refused("OutOfBoundsError")
def index_beyond_the_end(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i + 1]
    return s


@refused("OutOfBoundsError")
def index_too_negative(x):
    return x[-4] * 2.0


@refused("AssertionError")
def failing_assert(x):
    assert x[0] > 5.0, "five at least"
    return x[0]


@refused("ValueError")
def raises(x):
    if x[0] < 5.0:
        raise ValueError("x must be large")
    return x[0]


BASE = np.linspace(0.0, 1.0, 5)


@refused("OverwriteError", BASE[1:], BASE[:-1])
def overlapping_arguments(a, b):
    a[0] = b[1] * b[2]
    return np.sum(a)


def _frozen() -> Any:
    x = np.ones(3)
    x.flags.writeable = False
    return x


@refused("ValueError", _frozen())
def read_only_argument(x):
    x[0] = 2.0
    return np.sum(x)


@refused("UnsupportedSyntaxError", 2.0, 3)
def recursion(x, n):
    s = x
    for k in range(n):
        s += np.sin(recursion(x, k))
    return s


@refused("SeedError", run=lambda f, x: adjit.vjp(f, x)[1](np.ones(2)))
def seed_of_another_shape(x):
    return x * x


@refused("ReleasedError", run=lambda f, x: [p() for p in [adjit.vjp(f, x)[1]] * 2])
def pullback_called_twice(x):
    return np.sum(x * x)


@refused("TypeError", run=lambda f, x: adjit.grad(f, fast=True)(x))
def unknown_option(x):
    return np.sum(x)


@refused("ValueError", run=lambda f, x: adjit.grad(f, argnums="y")(x))
def unknown_argument_name(x):
    return np.sum(x)


@refused("TypeError", run=lambda f, x: adjit.grad(f)(x, 1.0))
def too_many_arguments(x):
    return np.sum(x)


@refused("NameResolutionError", run=lambda f, x: adjit.grad(f, intermediates=("h",))(x))
def unknown_intermediate(x):
    return np.sum(x)


def changed_between(function: Callable[..., Any], x: Any) -> Any:
    x = x.copy()
    _, pullback = adjit.vjp(function, x)
    x[:] = 0.0
    return pullback()


@refused("InputChangedError", run=changed_between)
def input_changed(x):
    return np.sum(np.sin(x))


@refused("InferenceError")
def array_or_number(x):
    if x[0] > 0.0:
        return x
    return x[0]


@refused("OutOfBoundsError", np.ones(3), 7)
def index_of_an_expression(x, i):
    y = np.sin(x)
    return y[i] * 2.0


@refused("UnsupportedSyntaxError")
def deletes_a_slice(x):
    items = [v * v for v in x]
    del items[1:]
    return items[0]


@refused("MissingRuleError")
def function_that_could_have_a_rule(x):
    return np.nanpercentile(x, 50)


@refused("MissingRuleError", np.eye(2))
def eigenvalues_of_any_matrix(a):
    return np.linalg.eigvals(a)[0]


@refused("UnsupportedSyntaxError")
def sorted_by_a_key(x):
    return sorted(x, key=abs)[0]


@refused("InferenceError", 1.0, 3)
def text_with_a_number(x, n):
    return x if "x".startswith("x", n) else 2.0 * x


@numba.guvectorize("(n)->(n)")
def without_a_dtype(x, out):
    out[0] = x[0]


@refused("UnsupportedSyntaxError")
def kernel_without_a_dtype(x):
    return without_a_dtype(x)[0]


@numba.guvectorize([(numba.float64[:], numba.float64[:], numba.float64[:])], "(n),(n)->()")
def inner_product(x, y, out):
    out[0] = np.sum(x * y)


@refused("ShapeError")
def kernel_with_axes_that_do_not_fit(x):
    return inner_product(x, x[1:])


@refused("ShapeError", 1.0)
def kernel_with_too_few_axes(x):
    return inner_product(x, x)


@dataclass
class Growing:
    x: Any

    def __iadd__(self, other):
        self.x += other
        return self


@refused("UnsupportedSyntaxError", 1.0)
def operator_that_changes_its_operand(x):
    a = Growing(x)
    a += 2.0
    return a.x


@refused("ShapeError", np.ones((2, 3, 4)))
def stack_of_matrices_that_are_not_square(a):
    return np.linalg.inv(a)[0, 0, 0]


def square_or_word(v):
    if v > 0:
        return v * v
    return "negative"


@refused("InferenceError")
def result_of_two_kinds(x):
    return square_or_word(x[0]) * 2.0


@refused("MissingRuleError")
def stops_for_the_debugger(x):
    breakpoint()
    return x[0]


@refused("ShapeError", np.ones(5), 3)
def shrinks_in_a_loop(x, n):
    for _ in range(n):
        x = 0.5 * (x[:-1] + x[1:])
    return np.sum(x)


@refused("ShapeError", np.ones(5), 3)
def appends_in_a_loop(x, n):
    y = np.zeros(0)
    for i in range(n):
        y = np.append(y, 2.0 * x[i])
    return np.sum(y)


@refused("UnsupportedSyntaxError", {"W0": np.ones(2), "W1": np.ones(2)}, 2)
def key_from_a_run_time_loop(p, layers):
    total = 0.0
    for i in range(layers):
        total += np.sum(p[f"W{i}"])
    return total


@refused("InferenceError")
def text_for_later(x):
    said = f"sum = {x.sum():.3f}"
    print(said)
    return np.sum(x)


@refused("UnsupportedSyntaxError")
def formatted_for_later(x):
    said = "{:.3f}".format(x[0])  # noqa: UP032
    return np.sum(x) if said else x[0]


@refused("ValueError")
def raises_on_every_path(x):
    return 2.0 * _penalty(x, "l3")


def _penalty(x, kind):
    if kind == "l2":
        return np.sum(x * x)
    raise ValueError(f"unknown penalty {kind}")


@refused("MissingRuleError")
def calls_the_standard_library(x):
    logging.info("%s", "here")
    return np.sum(x)


@refused("OutOfBoundsError")
def index_in_a_function_that_is_called(x):
    return _at(x, 2) + _at(x, len(x))


def _at(x, i):
    return x[i]


@refused("NotDifferentiableError")
def returns_a_pair(x):
    return np.sum(x), x * x


@refused("InferenceError")
def uses_a_sparse_matrix(x):
    return np.sum(SPARSE @ x)


@refused("NotDifferentiableError", np.ones(3), 2)
def rotates_in_a_loop_inside_a_loop(x, n):
    u, w = x.copy(), np.zeros(n)
    for _ in range(n):
        for _ in w:
            x, u, w = u, w, x
    return np.sum(x)
