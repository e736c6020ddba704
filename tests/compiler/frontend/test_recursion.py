"""Recursion whose depth depends on values: tail calls, sums of calls and frames that wait
become loops, the rest is refused."""

from __future__ import annotations

import numba
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
    ("f", "x"), [(writes, X), (prints, 1.0), (inside_a_loop, X)], ids=lambda f: str(f)[:20]
)
def test_other_forms_are_refused(f, x):
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep"):
        captured(lambda x, n: f(x, n), x, 5)


def doubled(x, n):
    return doubled(2.0 * x, n) + 1.0


def by_a_name(x, n):
    y = by_a_name(2.0 * x, n)
    return y + 1.0


def on_both_ways(x, n):
    if x > 1.0:
        return on_both_ways(0.5 * x, n)
    return (on_both_ways(2.0 * x, n) if n > 2 else on_both_ways(3.0 * x, n)) * x


def in_a_test(x, n):
    if in_a_test(2.0 * x, n) > 0.0:
        return x
    return -x


@pytest.mark.parametrize("f", [doubled, by_a_name, on_both_ways, in_a_test])
def test_recursion_without_an_end_is_refused(f):
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep") as refused:
        adjit.grad(f)(0.5, 5)
    assert "on every path" in refused.value.why and "@" not in str(refused.value)


def ends_in_one_way(x, n):
    if n > 0:
        return ends_in_one_way(1.1 * x, n - 1)
    if n < 0:
        return ends_in_one_way(2.0 * x, n + 1)
    return x * x


def test_recursion_that_may_end_is_none_without_an_end():
    agrees(ends_in_one_way, 1.5, 4)
    agrees(ends_in_one_way, 1.5, -3)


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


# -- frames that wait


def product(n, x):
    if n < 2:
        return x
    return product(n - 1, x) * product(n - 2, x)


def expression(op, left, right, leaves, node):
    if op[node] == 0:
        return leaves[node]
    a = expression(op, left, right, leaves, left[node])
    b = expression(op, left, right, leaves, right[node])
    if op[node] == 1:
        return a + b
    if op[node] == 2:
        return a * b
    return a / (1.0 + b * b)


def of_expression(leaves):
    op = np.array([2, 1, 3, 0, 0, 0, 0])
    left, right = np.array([1, 3, 5, 0, 0, 0, 0]), np.array([2, 4, 6, 0, 0, 0, 0])
    return expression(op, left, right, leaves, 0)


def branching(x, n):
    if n == 0:
        return x * x
    if n % 2 == 0:
        y = branching(x * 0.9, n - 1)
        z = np.sin(y) * x
    else:
        z = branching(x + 0.1, n // 2) / (1.0 + branching(x, n - 1) ** 2)
    return z * x


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def rebinding(x, n):
    n = n - 1
    x = x * 1.5
    if n < 0:
        return x
    first = rebinding(x, n)
    s = 0.0
    for k in range(3):
        s += first**k
    second = rebinding(first * 0.1, n - 1)
    return s * second + x


def halves(w, lo, hi):
    if hi - lo == 1:
        return w[lo]
    middle = (lo + hi) // 2
    return np.logaddexp(halves(w, lo, middle), halves(w, middle, hi))


def minimax(x, depth, mine):
    if depth == 0:
        return np.sin(x)
    a = minimax(x * 1.1 + 0.3, depth - 1, not mine)
    b = minimax(x * 0.7 - 0.2, depth - 1, not mine)
    if mine:
        return max(a, b)
    return min(a, b)


def conditional(x, n):
    return x if n < 1 else np.sin(conditional(x * 0.5, n - 1)) + 0.3 * conditional(x, n - 2) ** 2


def adaptive(a, b, p, eps):
    """A function within, whose results are added up."""
    c = 0.5 * (a + b)

    def f(x):
        return np.exp(-p * x * x)

    whole = (b - a) / 6.0 * (f(a) + 4.0 * f(c) + f(b))
    if b - a < eps:
        return whole
    return adaptive(a, c, p, eps) + adaptive(c, b, p, eps)


def with_a_lambda(a, b, p, eps):
    """The same where frames wait; the function reads the names of its own frame after calls, too."""
    c = 0.5 * (a + b)
    f = lambda x: np.exp(-p * x * x) + c  # noqa: E731
    if b - a < eps:
        return f(c)
    left = with_a_lambda(a, c, p, eps)
    return left * f(a) * with_a_lambda(c, b, p, eps) + f(c)


def tail_with_a_lambda(x, k):
    step = lambda t: np.sin(t) + k  # noqa: E731
    return x if x > 50.0 else tail_with_a_lambda(step(x) + 1.5 * x, k + 0.1)


def divided(x):
    """A local function that calls itself, and one beside it."""
    square = lambda t: t * t  # noqa: E731

    def part(lo, hi):
        if hi - lo == 1:
            return square(x[lo])
        middle = (lo + hi) // 2
        return np.sin(part(lo, middle)) + part(middle, hi) * x[middle]

    return part(0, len(x))


def shadowed(x, n):
    f = lambda t: t * t  # noqa: E731

    def again(k, v):
        def g(f, by=k):
            return 2.0 * f * by

        return v if k < 1 else again(k - 1, 0.7 * g(v)) + f(v)

    return again(n, x)


@numba.njit(cache=False)
def decorated(x, n):
    return x if n < 1 else np.sin(decorated(0.5 * x, n - 1)) + x


WAITING = (
    (decorated, (0.7, 5)),
    (lambda p, b: adaptive(0.0, b, p, 0.1), (1.3, 1.0)),
    (lambda p, b: with_a_lambda(0.0, b, p, 0.1), (1.3, 0.7)),
    (tail_with_a_lambda, (0.7, 0.1)),
    (divided, (X,)),
    (shadowed, (0.7, 3)),
    (lambda x, n: product(n, x), (1.05, 6)),
    (of_expression, (X,)),
    (branching, (0.7, 7)),
    (power, (1.1, 13)),
    (rebinding, (0.4, 4)),
    (lambda w: halves(w, 0, len(w)) ** 2, (X,)),
    (lambda x, n: minimax(x, n, True), (0.3, 4)),
    (conditional, (1.3, 5)),
)


@pytest.mark.parametrize(("function", "args"), WAITING)
def test_frames_that_wait(function, args):
    verdict = check(function, args, (0,), second=True)
    assert verdict.kind == "right", verdict.message


@pytest.mark.compiled
def test_frames_that_wait_compiled(compiled):
    function, args = WAITING[1]
    verdict = check(function, args, (0,))
    assert verdict.kind == "right", verdict.message


def drawn():
    return np.random.normal()


def drawing(x, n):
    if n == 0:
        return x + drawn()
    return drawing(x, n - 1) * drawing(x * 0.5, n - 2 if n > 1 else 0)


def in_a_loop(x, n):
    s = x
    for k in range(n):
        s += np.sin(in_a_loop(x * 0.5, k))
    return s


def pair(x, n):
    if n == 0:
        return x, x * x
    a, b = pair(x * 0.9, n - 1)
    return a * b, a + b


@pytest.mark.parametrize("function", [drawing, in_a_loop, lambda x, n: pair(x, n)[0]])
def test_what_cannot_be_walked_again_is_refused(function):
    """A draw would be made twice; a call inside a loop has no place to go on from; frames give numbers."""
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep"):
        adjit.grad(function)(1.3, 5)


def pair_of(x, n):
    return pair(x, n)[0]


def handing_on(n, g, x):
    """In a loop the lambda would see the `n` and `g` of later passes."""
    if n == 0:
        return g(x)
    return handing_on(n - 1, lambda t: g(t) * n, x)


def even(n, x):
    return x if n == 0 else odd(n - 1, 1.1 * x)


def odd(n, x):
    return x * x if n == 0 else even(n - 1, x * x)


def local_that_writes(x, n):
    y = x.copy()

    def scale(t):
        y[0] = y[0] * t
        return t

    def again(k):
        return y[0] if k == 0 else again(k - 1) + scale(x[1])

    return again(n)


def within_that_writes(x, n):
    y = x.copy()

    def again(k):
        def scale(t):
            y[0] = y[0] * t
            return t

        return y[0] if k == 0 else again(k - 1) + scale(x[1])

    return again(n)


def maker(x, k):
    """What `make` returns reads the `k` of the frame that it was made in."""
    make = lambda: lambda t: t * k  # noqa: E731
    return x if k < 1 else maker(make()(x), k - 1)


@pytest.mark.parametrize(
    ("function", "x", "why"),
    [
        (lambda x, n: handing_on(n, lambda t: t * t, x), 0.7, "a function within it is handed on"),
        (lambda x, n: even(n, x), 0.7, "call each other"),
        (local_that_writes, X, "may write an array"),
        (within_that_writes, X, "may write an array"),
        (maker, 0.7, "a function within it is handed on"),
        (in_a_loop, 0.7, "stands inside a loop"),
        (pair_of, 0.7, "that is refused: "),
    ],
)
def test_a_refusal_says_why_it_is_no_loop(function, x, why):
    with pytest.raises(UnsupportedSyntaxError, match="the calls go too deep") as found:
        adjit.grad(function)(x, 4)
    assert why in found.value.why
