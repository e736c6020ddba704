"""Sample programs: Numba's array functions, Python's functions of functions, operators of classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numba
import numpy as np

from .programs import arrays, program, vector


@numba.guvectorize(
    [(numba.float64[:], numba.float64[:, :], numba.float64[:], numba.float64[:])], "(n),(n,m)->(m),()"
)
def projected(x, a, y, s):
    s[0] = 0.0
    for j in range(a.shape[1]):
        y[j] = 0.0
        for i in range(x.shape[0]):
            y[j] += x[i] * a[i, j]
        s[0] += y[j] ** 2


@numba.guvectorize([(numba.float64[:], numba.float64, numba.float64[:])], "(n),()->(n)")
def scaled(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] * y


@numba.guvectorize([(numba.float64[:], numba.float64[:], numba.float64[:])], "(),()->()")
def product_and_sine(x, y, out):
    out[0] = x[0] * y[0] + math.sin(x[0])


@numba.guvectorize([(numba.float32[:], numba.float32[:]), (numba.float64[:], numba.float64[:])], "(n)->(n)")
def running_squares(x, out):
    s = x[0] * 0
    for i in range(x.shape[0]):
        s += x[i] ** 2
        out[i] = s


@program(arrays((3,), (3, 4)), wrt=(0, 1))
def kernel_without_loop_axes(x, a):
    y, s = projected(x, a)
    return y.sum() * s


@program(arrays((2, 1, 3), (3, 3, 4)), wrt=(0, 1))
def kernel_over_broadcast_axes(x, a):
    y, s = projected(x, a)
    return (y**2).sum() + (s**2).sum()


@program(lambda r: (r.normal(size=(2, 3)), 1.3), wrt=(0, 1))
def kernel_with_a_number(x, y):
    return scaled(x, y).sum() ** 2 + product_and_sine(y, 2.0) * product_and_sine(x, y)[0, 1]


@program(arrays((3, 4)))
def kernel_that_writes_to_a_given_array(m):
    out = np.zeros_like(m)
    running_squares(m, out)
    s = 0.0
    for k in range(3):
        s += running_squares(m * k)[0, 1] * out[k, -1]
    return s


@program(lambda r: (np.arange(4), r.normal(size=4)), wrt=(1,))
def kernel_with_converted_arguments(n, x):
    return (running_squares(n) * x).sum() ** 2


@program(vector(4))
def mapped(x):
    first, second = map(np.sin, (x[0], x[1]))
    both = list(map(abs, (x[0], x[1] * x[2])))
    pairs = sum(map(lambda a, b: a * b, x, x[::-1]))
    return pairs * list(map(math.sin, x))[0] + first * second * both[0] * both[1]


@program(lambda r: (np.array([0.4, 1.2, 3.0, -0.7]),))
def filtered(x):
    positive = list(filter(lambda v: v > 0, x))
    s = 0.0
    for v in filter(lambda v: v < 2, x):
        s += v * v
    return sum(positive) * len(positive) * s


@program(vector(4))
def reduced(x):
    steps = (np.sin, np.cos, lambda v: v * v)
    horner = reduce(lambda a, b: a * b + 1, x, 2.0) * reduce(lambda a, b: a * b + a, x)
    return horner + reduce(lambda v, step: step(v), steps, x[0])


@program(vector(5))
def in_order(x):
    s = 0.0
    for k, v in enumerate(sorted(x, reverse=True)):
        s += k * v * v
    few = sorted([x[0], x[1] ** 2, x[2]])
    return s * few[0] * few[-1]


@program(lambda r: (r.normal(size=4), "Sum, mean"), wrt=(0,))
def text_as_an_option(x, how):
    first, second = how.lower().split(", ")
    if first.startswith("su") and second.strip() == "mean":
        return x.sum() * x.mean()
    return x[0]


@dataclass
class Vector:
    x: Any
    y: Any

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return Vector(self.x + other, self.y + other)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __rmul__(self, factor):
        return self * factor

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return (self @ self) ** 0.5

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __len__(self):
        return 2


class Point(NamedTuple):
    x: Any
    y: Any

    def __add__(self, other):
        return Point(self.x + other.x, self.y * other.y)


@program(lambda r: (Vector(1.0, 2.0), Vector(0.3, 0.2)), wrt=(0, 1))
def operators_of_a_class(a, b):
    c = 0.5 * (a + b * 2.0)
    d = 1.5 + c
    return abs(c) + c @ -a + d[0] * len(d) * d[1]


@program(lambda r: (Vector(1.0, 2.0), 0.3), wrt=(0, 1))
def operators_in_a_loop(v, h):
    p = v
    for _ in range(4):
        p = p + (-p) * h
        p += v * 0.1
    return abs(p) * p.x


@program(lambda r: (Point(1.0, 2.0), Point(0.3, 0.2)), wrt=(0, 1))
def addition_of_named_tuples(a, b):
    c = a + b
    return c.x * c.y
