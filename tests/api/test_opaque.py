"""Functions and rules that Numba compiles and adjit does not read: called as they are, judged by closed
forms.

The functions use dicts with keys known at run time, which adjit does not read.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import adjit
from adjit.compiler import opaque as registry

X = np.array([0.3, 1.2, -0.4])
FACTOR = 2.0


@numba.njit
def through_a_dict(n):
    found = {}
    for k in range(n):
        found[k] = k
    return found


@numba.njit
def total_sine(x):
    s = 0.0
    for k in through_a_dict(x.shape[0]):
        s += np.sin(x[k])
    return s


@numba.njit
def table(x, n):
    """Shape (2, len(x)): n sin x and 2 n sin x."""
    out = np.empty((2, x.shape[0]))
    for k in through_a_dict(x.shape[0]):
        out[0, k] = n * np.sin(x[k])
        out[1, k] = 2.0 * out[0, k]
    return out


@numba.njit
def table_forward(x, n):
    return table(x, n), (x, n)


@numba.njit
def table_backward(residuals, ct):
    x, n = residuals
    of_x, of_n = np.zeros_like(x), 0.0
    for k in through_a_dict(x.shape[0]):
        both = ct[0, k] + 2.0 * ct[1, k]
        of_x[k] = both * n * np.cos(x[k])
        of_n += both * np.sin(x[k])
    return of_x, of_n


ruled_table = adjit.custom_vjp(table)
ruled_table.defvjp(table_forward, table_backward)

ruled_sine = adjit.custom_vjp(total_sine)
ruled_sine.defvjp(lambda x: (total_sine(x), x), lambda x, ct: (ct * np.cos(x),))


@numba.njit("Tuple((float64, int64, float64[:]))(float64[::1], float64)")
def several(x, a):
    n = 0
    for k in through_a_dict(x.shape[0]):
        n += k
    return a * x[0], n, x * a


@adjit.custom_vjp
def of_several(x, a):
    y, n, z = several(x, a)
    return y, n, z


def of_several_forward(x, a):
    return of_several(x, a), (x, a)


def of_several_backward(residuals, ct):
    x, a = residuals
    of_x = ct[2] * a
    of_x[0] += ct[0] * a
    return of_x, ct[0] * x[0] + np.sum(ct[2] * x)


of_several.defvjp(of_several_forward, of_several_backward)


@numba.njit
def sine_and_tangent(primals, tangents):
    x, t = primals[0], tangents[0]
    s = 0.0
    for k in through_a_dict(x.shape[0]):
        s += np.cos(x[k]) * t[k]
    return total_sine(x), s


forward_sine = adjit.custom_jvp(total_sine)
forward_sine.defjvp(sine_and_tangent)


def loops_and_branches(x, n):
    s = 0.0
    for k in range(4):
        if k != 1:
            y = ruled_table(x * (k + 1), n)
            s += np.sum(y[0] * y[1]) + ruled_sine(x) * np.sum(y)
        elif x[0] > 0:
            s = s * ruled_sine(x[::2])
    return s


def loops_and_branches_plain(x, n):
    s = 0.0
    for k in range(4):
        if k != 1:
            y = n * np.sin(x * (k + 1))
            s += np.sum(2.0 * y * y) + np.sum(np.sin(x)) * np.sum(3.0 * y)
        elif x[0] > 0:
            s = s * np.sum(np.sin(x[::2]))
    return s


def agrees(f: Callable[..., Any], g: Callable[..., Any], *args: Any) -> None:
    wrt = tuple(range(len(args)))
    value, found = adjit.value_and_grad(f, argnums=wrt)(*args)
    assert value == pytest.approx(g(*args), rel=1e-13)
    for mine, theirs in zip(found, adjit.grad(g, argnums=wrt)(*args), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    adjit.check_grads(g, args, order=1)


def test_gradient_through_rules_that_are_not_read() -> None:
    agrees(loops_and_branches, loops_and_branches_plain, X, 1.5)
    assert adjit.jit(loops_and_branches)(X, 1.5) == pytest.approx(loops_and_branches_plain(X, 1.5))


@pytest.mark.compiled
def test_compiled(compiled: None) -> None:
    agrees(loops_and_branches, loops_and_branches_plain, X, 1.5)


def test_several_results_and_explicit_signatures() -> None:
    def f(x, a):
        y, n, z = of_several(x, a)
        return y * n + np.sum(z * z)

    agrees(f, lambda x, a: a * x[0] * 3 + np.sum((a * x) ** 2), X, 1.5)


def test_matrix_rows_are_passed_in_order() -> None:
    m = np.arange(12.0).reshape(3, 4) / 10

    def f(m):
        return of_several(m[:, 1], 2.0)[0] + np.sum(of_several(m[1, ::-1], 3.0)[2])

    agrees(f, lambda m: 2.0 * m[0, 1] + 3.0 * np.sum(m[1]), m)


def test_forward_mode() -> None:
    value, tangent = adjit.jvp(lambda x: forward_sine(x) ** 2, (X,), (X,))
    s = np.sum(np.sin(X))
    assert value == pytest.approx(s * s)
    assert tangent == pytest.approx(2.0 * s * np.sum(np.cos(X) * X))
    with pytest.raises(adjit.NotDifferentiableError):
        adjit.grad(lambda x: forward_sine(x))(X)


def test_second_order_is_refused() -> None:
    for second in (adjit.hessian(ruled_sine), lambda x: adjit.hvp(ruled_sine, (x,), x)):
        found = second(X)  # the rule's code is read, and what it calls that is not has no part in it
        np.testing.assert_allclose(found, np.diag(-np.sin(X)) if found.ndim == 2 else -np.sin(X) * X)
    with pytest.raises(adjit.NotDifferentiableError, match="called as it is"):
        adjit.hessian(lambda x: np.sum(ruled_table(x, 2.0) ** 2))(X)


def test_what_is_read_stays_differentiable_again() -> None:
    @numba.njit
    def squared(x):
        return x * x

    @adjit.custom_vjp
    def f(x):
        return squared(x)

    f.defvjp(numba.njit(lambda x: (squared(x), x)), numba.njit(lambda x, ct: (2.0 * x * ct,)))
    assert adjit.grad(adjit.grad(f))(1.5) == 2.0


@numba.njit
def overwriting(x):
    s = 0.0
    for k in through_a_dict(x.shape[0]):
        s += x[k]
        x[k] = 0.0
    return s


def held(function: Any) -> Any:
    found = adjit.custom_vjp(lambda x: function(x))
    found.defvjp(lambda x: (function(x), x), lambda x, ct: (ct * np.ones_like(x),))
    return found


def test_what_writes_its_argument_is_refused() -> None:
    with pytest.raises(adjit.OverwriteError, match="'overwriting', which is called as it is, writes"):
        adjit.grad(held(overwriting))(X.copy())
    assert adjit.grad(held(overwriting))(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]  # writes what is there


@numba.njit
def listing(x):
    return [x[k] for k in through_a_dict(x.shape[0])]


def test_results_that_cannot_be_taken_over_say_why_it_is_not_read() -> None:
    ruled = held(listing)
    with pytest.raises(adjit.AdjitError, match="keys of a dict"):
        adjit.grad(lambda x: ruled(x)[0])(X)


def test_outside_of_rules_functions_are_read() -> None:
    with pytest.raises(adjit.AdjitError, match="dict"):
        adjit.grad(total_sine)(X)


def test_not_on_the_gpu() -> None:
    with pytest.raises(adjit.MissingRuleError, match="total_sine"):
        adjit.value_and_grad(ruled_sine, target="cuda").source(X)


# -- names and caches


def made(factor: float) -> Any:
    @numba.njit
    def scaled(x):
        return factor * x

    return scaled


def test_a_name_tells_what_a_function_is_compiled_from() -> None:
    one, same, other = made(1.0), made(1.0), made(2.0)
    assert registry.registered(one) == registry.registered(same) != registry.registered(other)
    assert "total_sine" in registry.whole_text(ruled_sine.fun) and "through_a_dict" in registry.whole_text(
        total_sine
    )


PROGRAM = """
import numba, numpy as np, adjit

@numba.njit
def inner(n):
    return {{k: {factor} for k in range(n)}}

@numba.njit
def scaled(x):
    s = 0.0
    found = inner(x.shape[0])
    for k in found:
        s += found[k] * x[k]
    return s

@adjit.custom_vjp
def f(x):
    return scaled(x)

f.defvjp(lambda x: (scaled(x), x), lambda x, ct: (scaled(np.ones(3)) * ct * np.ones_like(x) / 3.0,))

def g(x):
    return f(x) ** 2

if __name__ == "__main__":
    value, gradient = adjit.value_and_grad(g)(np.array([1.0, 2.0, 3.0]))
    print(value, gradient.tolist())
"""


def run(file: Path, cache: Path) -> str:
    env = {"ADJIT_CACHE_DIR": str(cache), "ADJIT_DISABLE_JIT": "1", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=env, check=True)
    return done.stdout.strip()


def test_a_changed_callee_is_noticed_in_another_process(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    for factor in (2.0, 2.0, 3.0):
        file.write_text(PROGRAM.format(factor=factor))
        value, gradient = (factor * 6.0) ** 2, 2.0 * factor * 6.0 * factor
        assert run(file, tmp_path / "cache") == f"{value} {[gradient] * 3}"
