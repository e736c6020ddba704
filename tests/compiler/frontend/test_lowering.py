"""Complex values in captured programs: none is left, and memory, loops and branches keep their meaning."""

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.compiler.complexes import PARTS, ComplexArray, ComplexNumber
from adjit.compiler.frontend.lowering import lowered
from adjit.compiler.ir.builder import Names
from adjit.compiler.ir.types import Array
from adjit.compiler.ir.visitor import all_defined
from adjit.errors import InferenceError, MissingRuleError
from tests.support.capturing import agrees, captured, source

Z = np.array([0.3 - 1.2j, -0.7 + 0.2j, 1.5j, -0.4])
M = np.arange(6.0).reshape(2, 3) * (1 - 0.5j)
PROGRAMS = []


def program(*args):
    def register(function):
        PROGRAMS.append(pytest.param(function, args, id=function.__name__))
        return function

    return register


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_programs(function, args):
    agrees(function, *args)
    found = captured(function, *args).function
    assert not any(v.type.dtype in PARTS for v in (*found.params, *all_defined(found.body)))


@program(Z, 3)
def becomes_complex_in_a_loop(z, n):
    y = 0
    w = 1.0
    for k in range(n):
        y = y * z[k] + 2
        w = z[k] * w if k > 0 else z[k]
    return y, w


@program(Z)
def while_with_both(z):
    w, k = z[0], 0
    while abs(w) < 5 and k < 9:
        w = w * w + z[1]
        k += 1
    return w, k


@program(Z)
def bound_on_one_path(z):
    for k in range(len(z)):
        if z[k].real < 0:
            found = z[k]
            break
    return found


@program(Z, 0.5)
def arrays_exchanged(z, x):
    a, b = z.copy(), np.zeros_like(z)
    for _ in range(3):
        b[1:] = a[:-1] * 1j
        b[0] = x
        a, b = b, a
    return a, b


@program(Z, True)
@program(Z, False)
def arrays_chosen(z, first):
    w = z * 2
    if first:
        y = z
    else:
        y = w
    return y + 1


@program(M)
def views_of_views(m):
    t = m.T[1:, ::-1]
    t.real[...] = 2.0
    t.imag[0] += m[0, 0].real
    row = m[1].imag
    row *= 3.0
    return t.conj(), m.reshape(6)[2], m.reshape(3, 2)[:, 1].real, row.sum()


@program(M)
def parts_assigned(m):
    m.real = 1.0
    m.imag[:, 1] = m.imag[:, 0]
    m.imag -= 0.5
    w = np.empty(2, dtype=np.complex64)
    w.real, w.imag = m[0, 0].real, 2
    return m, w


@program(Z)
def masks(z):
    w = z.copy()
    w[w.real > 0] = 1j
    w[np.abs(w) < 1] *= 2
    w[[0, 0, 1]] += 1 - 1j
    return w


@program(Z)
def exits(z):
    for k in range(len(z)):
        if z[k] == 1.5j:
            return z[k] * 2
    return 0.0


@program(Z)
def generator_and_sum(z):
    return sum(w * w for w in z), np.array([w.conjugate() for w in z]), sum(z), max(abs(w) for w in z)


@program(Z)
def large_products(z):
    a = np.outer(np.arange(9.0), z)
    return a @ a.T, a.T @ a, a.conj().T @ a, (a[::2] @ a[0])


def test_real_functions_are_left_as_they_are():
    fn = captured(lambda x: np.sum(x * 2.0), np.ones(3)).function
    assert lowered(fn, Names(1000), {}) is fn


def test_a_part_of_an_array_is_read_where_it_lies():
    text = source(lambda z: z.real[1] + z.imag[0], Z)
    assert "view" not in adjit.jit(lambda z: z.real[1] + z.imag[0]).source(Z)
    assert "z" in text


def test_trees_and_parameters():
    found = captured(lambda z, w: (z * w, z[0] * 2), Z, 1j)
    assert [a.kind for a in found.arguments] == [ComplexArray, ComplexNumber]
    assert [c.kind for c in found.result.children] == [ComplexArray, ComplexNumber]
    assert [str(p.type) for p in found.function.params] == ["float64[:,:]", "float64", "float64"]
    assert isinstance(found.function.results[0].type, Array)


def test_rules_meet_no_complex_numbers():
    @adjit.custom_vjp
    def f(x):
        return x * 1j

    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct,))
    with pytest.raises(InferenceError, match="meets complex numbers"):
        captured(lambda x: f(x).real, 2.0)


def test_intermediates_are_real():
    def f(x):
        z = x * 1j
        return abs(z)

    with pytest.raises(adjit.AdjitError, match="intermediate"):
        adjit.grad(f, intermediates=("z",))(2.0)


def test_checkpoint():
    part = adjit.checkpoint(lambda z, x: np.exp(z * x) * z[0])

    def f(z, x):
        return np.sum(np.abs(part(z, x)))

    adjit.check_grads(f, (Z, 0.4), order=1)


def test_transforms_inside():
    def inner(z, x):
        return np.sum(np.abs(z * x) ** 2)

    def f(z, x):
        value, (gz, gx) = adjit.value_and_grad(inner, argnums=(0, 1))(z, x)
        return np.sum((gz * z).real) + value * gx

    adjit.check_grads(f, (Z, 0.4), order=1)
    got = adjit.jit(lambda z: adjit.grad(inner)(z, 1.0))(Z)
    np.testing.assert_allclose(got, 2 * Z.conj())


def test_a_local_function_sees_complex_values():
    def f(x, z):
        w = z * 2
        c = z[0] * 1j

        def inner(y):
            return np.sum(np.abs(w * y + c))

        return adjit.grad(inner)(x)

    h = 1e-5
    want = [np.sum(np.abs(2 * Z * y + Z[0] * 1j)) for y in (0.4 + h, 0.4 - h)]
    assert adjit.jit(f)(0.4, Z) == pytest.approx((want[0] - want[1]) / (2 * h), rel=1e-7)
    adjit.check_grads(f, (0.4, Z), order=1)


def test_jvp_inside_takes_no_complex_numbers():
    with pytest.raises((adjit.AdjitError, MissingRuleError)):
        captured(lambda z: adjit.jvp(lambda w: w * w, (z,), (z,))[1], 1j)
