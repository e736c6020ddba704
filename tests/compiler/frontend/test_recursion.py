"""Recursion whose depth depends on values: tail calls and sums of calls become loops, the rest is refused."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.errors import UnsupportedSyntaxError
from tests.support.capturing import agrees, captured
from tests.support.judge import check

X = np.array([0.7, 1.1, 0.4, 0.9, 2.0, -1.3, 0.2])


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def root(c, lo, hi):
    middle = 0.5 * (lo + hi)
    if hi - lo < 1e-3:
        return middle - (middle**3 - c) / (3.0 * middle**2)
    if middle**3 < c:
        return root(c, middle, hi)
    return root(c, lo, middle)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def horner(a, x, i):
    if i == a.shape[0]:
        return 0.0
    return a[i] + x * horner(a, x, i + 1)


def simpson(f, a, b, fa, fm, fb, eps):
    m = 0.5 * (a + b)
    flm, frm = f(0.5 * (a + m)), f(0.5 * (m + b))
    whole = (b - a) / 6.0 * (fa + 4.0 * fm + fb)
    left = (b - a) / 12.0 * (fa + 4.0 * flm + fm)
    right = (b - a) / 12.0 * (fm + 4.0 * frm + fb)
    if abs(left + right - whole) < 15.0 * eps:
        return left + right + (left + right - whole) / 15.0
    first = simpson(f, a, m, fa, flm, fm, eps / 2)
    second = simpson(f, m, b, fm, frm, fb, eps / 2)
    return first + second


def tree(v, left, right, node):
    if node < 0:
        return 0.0
    inner = tree(v, left, right, left[node])
    return np.sin(v[node]) + 0.5 * (inner - v[0] * tree(v, left, right, right[node]) / 3.0)


@adjit.jit
def all_forms(x, n):
    k = np.arange(x.shape[0])
    left = np.where(2 * k + 1 < x.shape[0], 2 * k + 1, -1)
    right = np.where(2 * k + 2 < x.shape[0], 2 * k + 2, -1)
    total = gcd(6 * n, 4 * n) * x[0] + fib(n) * x[1] + root(x[1], 0.0, n * 0.5)
    return total + horner(x, x[2], 0) * tree(x, left, right, 0)


def test_values():
    agrees(all_forms.py_func, X, 6, rtol=1e-10)
    for n in (0, 1, 2, 9):
        agrees(fib, n)


def test_gradients():
    verdict = check(all_forms.py_func, (X, 6), (0,))
    assert verdict.kind == "right", verdict.message


def test_adaptive_quadrature():
    """The integral of exp(p t) cos(q t) and its derivatives, in closed form."""

    def integral(p, q, b):
        def f(t):
            return np.exp(p * t) * np.cos(q * t)

        return simpson(f, 0.0, b, f(0.0), f(0.5 * b), f(b), 1e-10)

    def exact(p, q, b):
        z = p + 1j * q
        return ((np.exp(z * b) - 1.0) / z).real

    value, gradients = adjit.value_and_grad(integral, argnums=(0, 1, 2))(0.6, 3.0, 2.0)
    np.testing.assert_allclose(value, exact(0.6, 3.0, 2.0), rtol=1e-8)
    for k, found in enumerate(gradients):
        step = np.eye(3)[k] * 1e-6
        wanted = (
            exact(*(np.array([0.6, 3.0, 2.0]) + step)) - exact(*(np.array([0.6, 3.0, 2.0]) - step))
        ) / 2e-6
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def writes(a, i):
    if i <= 0:
        return 0.0
    a[i] = a[i - 1] * 2.0
    return writes(a, i - 1) + a[i]


def multiplies(x, n):
    if n <= 0:
        return x
    return multiplies(x, n - 1) * multiplies(x, n - 2)


def prints(x, n):
    if n <= 0:
        return x
    print(n)
    return prints(x, n - 1) + 1.0


def inside_a_loop(x, n):
    s = x[0]
    for i in range(n):
        s += inside_a_loop(x, i)
    return s


@pytest.mark.parametrize(
    ("f", "x"), [(writes, X), (multiplies, 1.1), (prints, 1.0), (inside_a_loop, X)], ids=lambda f: str(f)[:20]
)
def test_other_forms_are_refused(f, x):
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep"):
        captured(lambda x, n: f(x, n), x, 5)


def test_constants_still_decide():
    """A recursion that constants end is inlined: it may give arrays of several shapes."""

    def halves(x, depth):
        if depth == 0:
            return np.sum(x)
        return halves(x[::2], depth - 1) - halves(x[1::2], depth - 1)

    agrees(lambda x: halves(x, 2), X)


def total(tree, x):
    return total(tree[0], x) + total(tree[1], x) if isinstance(tree, tuple) else tree * x


def test_many_calls_that_constants_decide():
    tree = 0.5
    for k in range(8):
        tree = (tree, tree if k < 5 else float(k))
    agrees(lambda x: total(tree, x), 1.5, rtol=1e-12)
