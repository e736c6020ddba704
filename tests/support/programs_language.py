"""Sample programs: the language. Loops, branches, exits, names, calls."""

from __future__ import annotations

import math

import numba
import numpy as np

from .programs import program, vector, vectors

SCALE = 1.7
TABLE = np.array([0.3, -0.8, 1.1, 0.4])


@program(lambda r: (2.0, 4.0), wrt=(0, 1))
def worked_example(w, x):
    u = w * x
    return u * u + 3.0 * u


@program(vector(7))
def step_that_does_not_divide(x):
    s = 0.0
    for i in range(1, 7, 3):
        s += x[i] ** 2 * i
    for i in range(6, 0, -4):
        s += np.sin(x[i] * s)
    return s


@program(lambda r: (r.normal(size=4), 0), wrt=(0,))
def no_passes(x, n):
    s = x[0]
    for i in range(n):
        s = s * x[i]
    for i in range(3, 3):
        s = 7.0
    return s * x[1]


@program(lambda r: (r.normal(size=9), 2, 9, 3), wrt=(0,))
def step_known_at_run_time(x, lo, hi, step):
    s = 1.0
    for i in range(lo, hi, step):
        s = s * np.cos(x[i]) + i
    for i in range(hi - 1, lo, -step):
        s += x[i] * s
    return s


@program(vectors(4, 4), wrt=(0, 1))
def iterating_arrays(x, y):
    s = 0.0
    for v in x:
        s += v * v
    for i, v in enumerate(y):
        s += (i + 1) * v * x[i]
    for a, b in zip(x, y):
        s = s + np.tanh(a * b) * s
    for v in reversed(x):
        s = 0.5 * s + v
    for i, (a, b) in enumerate(zip(x[1:], y)):
        s += i * a * b
    return s


@program(lambda r: (0.7, 5))
def while_with_counter(x, n):
    k = 0
    s = x
    while k < n and s < 4.0:
        s = s + x * s
        k += 1
    return s + k


@program(vector(6))
def break_and_continue(x):
    s = 0.0
    for i in range(x.shape[0]):
        if i == 1:
            continue
        s += x[i] * np.exp(s * 0.1)
        if s > 5.0 or i == 4:
            break
    else:
        s = s * 100.0
    return s


@program(vector(6))
def loop_else_runs(x):
    s = 1.0
    for v in x:
        if v > 3.0:
            break
        s *= 1.0 + 0.3 * v
    else:
        s = s * s
    return s


def first_large(x, level):
    for i in range(x.shape[0]):
        if x[i] > level:
            return x[i] * i
    return 0.0 * level


@program(lambda r: (np.array([0.1, 0.4, 0.9, 0.2]), 0.5))
def early_return_in_helper(x, level):
    return first_large(x, level) ** 2 + first_large(x, 10.0) + x[0]


@program(lambda r: (0.4,))
def returns_in_every_branch(x):
    if x > 1.0:
        return x * x
    elif x > 0.5:
        return x**3
    if x > 0.3:
        y = np.sin(x)
        if y < -2.0:
            return y
        return y * x
    return -x


@program(lambda r: (r.uniform(0.2, 0.9, 5), 3))
def nested_exits(x, n):
    total = 0.0
    for i in range(n):
        k = 0
        while True:
            total += x[k] * x[i]
            k += 1
            if k > i + 1:
                break
        for j in range(i, 5):
            if j == 4:
                continue
            total *= 1.0 + 0.1 * x[j]
            if total > 3.0:
                return total
    return total * 2.0


@program(vectors(3, 3), wrt=(0, 1))
def swaps_and_tuples(x, y):
    a, b, c = x
    a, b = b, a
    (p, q), r = (a * b, c), y[0]
    a = b = p + q * r
    t = (a, b, x[1])
    first, _ = (t[0], 1)
    u, v = t[:2]
    return first * u + v + t[-1] * len(t)


@program(lambda r: (0.3, 1.2), wrt=(0, 1))
def augmented_names(x, y):
    s = x
    s += y
    s *= x
    s -= y * y
    s /= 2.0 + x
    s **= 2
    return s


@program(lambda r: (0.6, 1.3), wrt=(0, 1))
def boolean_expressions(x, y):
    flag = x > 0 and (y > 2 or not x > y)
    z = x * y if flag else x - y
    w = (0 < x < 1 < y) * y
    inside = (x if y > 1 else y) + (y if x > 1 else x * x)
    return z + w * x + inside


@program(vector(5))
def comprehension(x):
    squares = np.array([v * v + i for i, v in enumerate(x)])
    pairs = [x[i] * x[i + 1] for i in range(4)]
    return np.sum(squares * x) + sum(pairs) + max([1.0, 2.0])


@program(lambda r: (r.uniform(0.1, 1, 4), 0.7), wrt=(0, 1))
def inner_functions(x, c):
    k = c * c

    def scaled(v, by=2.0):
        return v * by * k + c

    square = lambda v: v * v
    s = 0.0
    for v in x:
        s += scaled(v) + square(scaled(v, by=v))
    return s


def power_sum(x, p=2, *, scale=1.0):
    s = 0.0
    for v in x:
        s += scale * v**p
    return s


@program(vector(4))
def keyword_arguments(x):
    return power_sum(x) + power_sum(x, 3, scale=0.5) * power_sum(scale=2.0, x=x)


@numba.njit
def jitted_helper(a, b):
    return a * math.exp(-b), a + b


@program(lambda r: (0.4, 0.9), wrt=(0, 1))
def njit_callee(x, y):
    p, q = jitted_helper(x, y)
    return p * q


@program(vector(4))
def globals_and_constants(x):
    s = 0.0
    for i in range(4):
        s += SCALE * x[i] * TABLE[i] + math.pi * x[i] ** 2
    return s


@program(vector(4))
def prange_runs_in_order(x):
    s = 0.0
    for i in numba.prange(x.shape[0]):
        s += x[i] * x[i] * i
    return s


@program(lambda r: (0.7, 0.3), wrt=(0, 1))
def math_functions(x, y):
    s = math.sin(x) + math.cos(y) * math.tan(x) + math.exp(y) + math.log(x) + math.sqrt(x + y)
    s += math.atan2(x, y) + math.hypot(x, y) + math.asin(y) + math.acos(x) + math.atan(x) + math.pow(x, y)
    s += math.sinh(x) + math.cosh(y) + math.tanh(x) + math.asinh(x) + math.acosh(1.0 + x) + math.atanh(y)
    return (
        s
        + math.expm1(x)
        + math.log1p(y)
        + math.log2(x)
        + math.log10(x)
        + math.erf(x)
        + math.erfc(y)
        + math.fabs(x)
    )


@program(lambda r: (0.7, 5, -3))
def integer_arithmetic(x, n, m):
    q, r = divmod(n, 3)
    s = x * (n // 2) + x**2 * (m % 4) + q * x - r
    s += x * (m // 2) + x * int(2.7) + round(2.4) * x + abs(m) * x + pow(x, 2) + pow(n, 2) * x
    return s * float(n) + min(n, 3) * x + max(m, 2) * x + (n << 1) * x + (n & 3) * x


@program(lambda r: (np.array([1.0, -2.0, 0.5]),))
def builtins_over_arrays(x):
    return sum(x) * max(x) + min(x) * len(x) + abs(x[1]) + max(x[0], x[2]) * min(x[0], x[1], x[2])


@program(vector(3))
def assert_and_raise(x):
    assert x.shape[0] == 3, "three numbers"
    if x.shape[0] > 5:
        raise ValueError("too many")
    return x[0] * x[1] * x[2]


@program(lambda r: (r.normal(size=4),))
def variable_first_bound_in_loop(x):
    for i in range(4):
        last = x[i] * (i + 1)
        if i == 2:
            middle = last * last
    return last * middle


@program(lambda r: (1.3, 4))
def integer_start_becomes_float(x, n):
    s = 0
    p = 1
    for i in range(n):
        s = s + p * x
        p = p * x if i % 2 else p
    return s


@program(vector(6))
def triangular_loops(x):
    s = 0.0
    for t in range(3):
        for i in range(6):
            for j in range(i):
                s += x[i] * x[j] * (t + 1) * np.cos(s * 0.1)
            for j in range(5, i, -1):
                s -= 0.1 * x[j]
    return s


@program(lambda r: (0.5, 30))
def scalar_recurrence(x, n):
    a = x
    b = 1.0
    for i in range(n):
        a, b = b + 0.1 * a, 0.9 * a - np.sin(b) * x
    return a * b


@program(lambda r: (r.uniform(-1, 1, 5), r.uniform(-1, 1, 5), 3), wrt=(0, 1))
def conditional_state(x, y, n):
    s = 0.2
    mode = 0
    for t in range(n):
        for i in range(5):
            if (i + t) % 3 == 0:
                s = np.tanh(s + x[i])
                mode = 1 - mode
            elif mode == 1:
                s = s * y[i] + 0.1
            else:
                s -= 0.2 * x[i] * y[i]
    return s


@program(lambda r: (0.8,))
def shadowed_names(np_value):
    float = np_value * 2.0
    ct_x = float * np_value
    x = ct_x + float
    saved_x = x * x
    t_x = saved_x - ct_x
    return t_x * x


@program(lambda r: (0.5, "sine"))
def static_string(x, kind):
    if kind == "sine":
        return np.sin(x)
    return np.cos(x)


@program(lambda r: (0.5, None))
def optional_argument(x, weight):
    if weight is None:
        return x * x
    return x * weight


@program(lambda r: (r.uniform(0.5, 1.5, 3), np.sqrt))
def function_argument(x, f):
    s = 0.0
    for v in x:
        s += f(v) * v
    return s


@program(vectors(4, 4), wrt=(0, 1))
def gradient_at_entry(x, y):
    x[0] = x[1] * y[0]
    for i in range(1, 4):
        x[i] = x[i] * x[i - 1] + y[i]
    y[:] = x * y
    return np.sum(y * y)


@program(lambda r: (1.5,))
def newton_iteration(a):
    x = a
    for _ in range(20):
        step = (x * x - a) / (2.0 * x)
        x = x - step
        if abs(step) < 1e-14:
            break
    return x


@program(lambda r: (r.uniform(-0.5, 0.5, 6), 4))
def long_time_loop(x, n):
    u = x.copy()
    v = np.zeros(6)
    for t in range(n):
        for i in range(6):
            left = u[i - 1] if i > 0 else u[5]
            v[i] = v[i] + 0.1 * (left - u[i]) * u[i]
        for i in range(6):
            u[i] = u[i] + 0.2 * v[i]
    return np.sum(u * v) + u[0]
