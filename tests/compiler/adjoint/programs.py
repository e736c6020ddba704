"""Programs in the little language for tests of differentiation: one function per kind of control flow and
memory use.

Each row of `PROGRAMS` is a function and its arguments; all arguments that are floats are differentiated.
"""

from __future__ import annotations

import numpy as np

from tests.support.little import ir

# The bodies are read, never run.


@ir
def recurrence(x: "f8[:]"):
    s = 0.5
    for i in range(dim(x, 0)):
        s = s * x[i] + sin(x[i] * s)
    return s


@ir
def stencil_in_place(x: "f8[:]"):
    n = dim(x, 0)
    a = zeros(n)
    for i in range(n):
        a[i] = x[i]
    for t in range(3):
        for i in range(1, n - 1):
            a[i] = a[i] * a[i - 1] + sin(a[i + 1])
    s = 0.0
    for i in range(n):
        s = s + a[i] * a[i]
    return s


@ir
def swapped(x: "f8[:]"):
    n = dim(x, 0)
    a = zeros(n)
    c = zeros(n)
    for i in range(n):
        a[i] = x[i]
        c[i] = 2.0 * x[i]
    for t in range(3):
        for i in range(1, n - 1):
            c[i] = a[i] * a[i - 1] + sin(a[i + 1])
        a, c = c, a
    s = 0.0
    for i in range(n):
        s = s + a[i] * a[i] * c[i]
    return s


@ir
def swapped_inside(x: "f8[:]"):
    n = dim(x, 0)
    a = zeros(n)
    c = zeros(n)
    for i in range(n):
        a[i] = x[i]
        c[i] = 2.0 * x[i]
    for t in range(n):
        for k in range(t):
            a[k] = a[k] * c[k]
            a, c = c, a
        a[t] = a[t] * a[t]
    s = 0.0
    for i in range(n):
        s = s + a[i] * a[i] * c[i]
    return s


@ir
def swapped_under_condition(x: "f8[:]"):
    n = dim(x, 0)
    a = zeros(n)
    c = zeros(n)
    for i in range(n):
        a[i] = x[i]
        c[i] = 2.0 * x[i]
    for t in range(n):
        a[t] = a[t] * c[t]
        if x[t] > 0.0:
            a, c = c, a
        a[t] = a[t] * a[t]
    s = 0.0
    for i in range(n):
        s = s + a[i] * a[i] * c[i]
    return s


@ir
def triangular(x: "f8[:]"):
    s = 0.4
    for t in range(dim(x, 0)):
        u = s
        for i in range(t + 1):
            v = sin(u * x[i])
            if v < 0.3:
                u = u + exp(v * x[i])
            else:
                u = u + v * v
        while u > 1.0:
            u = u * 0.5 * cos(u * 0.1)
        s = u
    return s


@ir
def early_exit(x: "f8[:]"):
    s = 0.3
    for t in range(dim(x, 0)):
        z = s + x[t]
        for k in range(5, 0, -2):
            z = z * z + 0.1 * x[t]
            stop(z > 2.0)
        s = sin(z)
    return s


@ir
def branch_at_top(x: "f8[:]"):
    a = x[0] * x[1]
    r = a
    if a > 0.2:
        c = exp(sin(a))
        for i in range(dim(x, 0)):
            c = c * x[i]
        r = exp(c * c) * a
    else:
        r = a * a * a
    return r * r


@ir
def levinson(r: "f8[:]"):
    n = dim(r, 0)
    y = zeros(n)
    z = zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = alpha
    for k in range(1, n):
        beta = beta * (1.0 - alpha * alpha)
        s = r[k]
        for i in range(k):
            s = s + r[k - 1 - i] * y[i]
        alpha = -s / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - 1 - i]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    t = 0.0
    for i in range(n):
        t = t + y[i] * y[i] * y[i]
    return t


@ir
def overwritten_argument(x: "f8[:]", c: "f8"):
    for i in range(1, dim(x, 0)):
        x[i] = x[i] * x[i - 1] + c
    x[0] = c * x[1]
    s = 0.0
    for i in range(dim(x, 0)):
        s = s + x[i] * x[i]
    return s


@ir
def scatter(x: "f8[:]", k: "i8[:]"):
    n = dim(x, 0)
    a = zeros(n)
    for i in range(dim(k, 0)):
        a[k[i]] += x[i] * x[k[i]]
    for i in range(dim(k, 0)):
        a[k[i]] = a[k[i]] * a[k[i]] + x[i]
    s = 1.0
    for i in range(n):
        s = s + a[i] * s
    return s


@ir
def indices_from_memory(x: "f8[:]", k: "i8[:]"):
    s = 0.0
    for i in range(dim(k, 0)):
        j = k[i]
        k[i] = 0
        for m in range(j):
            s = s + x[m] * x[j]
    return s * s


@ir
def two_sums(x: "f8[:]", w: "f8[:,:]"):
    n = dim(x, 0)
    s = 0.0
    for i in range(n):
        row = 0.0
        for j in range(n):
            row = row + w[i, j] * x[j]
        s = s + exp(row) * x[i]
    t = 0.0
    for i in range(n):
        t = t + x[i] * x[i]
    return (s + 3.0 * t) / 2.0


@ir
def row_views(w: "f8[:,:]"):
    s = 0.0
    for i in range(dim(w, 0)):
        r = row(w, i)
        for j in range(1, dim(w, 1)):
            r[j] = r[j] * r[j - 1]
        s = s + r[dim(w, 1) - 1] * w[i, 0]
    return s


_X = np.array([0.3, -0.8, 0.5, 1.1, 0.7])
_K = np.array([2, 0, 2, 4, 1])
_W = np.array([[0.3, -0.4, 0.2, 0.1, 0.9], [0.5, 0.6, -0.7, 0.2, 0.3]] * 3)[:5]

PROGRAMS = {
    "recurrence": (recurrence, (_X,)),
    "stencil_in_place": (stencil_in_place, (_X,)),
    "swapped": (swapped, (_X,)),
    "swapped_inside": (swapped_inside, (_X,)),
    "swapped_under_condition": (swapped_under_condition, (_X,)),
    "triangular": (triangular, (np.abs(_X),)),
    "early_exit": (early_exit, (_X,)),
    "branch_at_top": (branch_at_top, (np.abs(_X),)),
    "branch_not_taken": (branch_at_top, (0.3 * _X,)),
    "levinson": (levinson, (0.5 * _X,)),
    "overwritten_argument": (overwritten_argument, (_X, 0.7)),
    "scatter": (scatter, (_X, _K)),
    "indices_from_memory": (indices_from_memory, (_X, _K)),
    "two_sums": (two_sums, (_X, _W)),
    "row_views": (row_views, (_W,)),
    "no_elements": (recurrence, (np.zeros(0),)),
}
