"""Functions of complex numbers against NumPy's, on branch cuts, at zero, and near where formulas could
fail.
"""

from __future__ import annotations

import numpy as np
import pytest

import adjit

SIDES = [complex(x, y) for x in (-2.0, -0.5, 0.5, 2.0) for y in (0.0, -0.0)]
TURNED = [complex(x, y) for y in (-2.0, -0.5, 0.5, 2.0) for x in (0.0, -0.0)]
FUNCTIONS = (
    "sqrt",
    "log",
    "log1p",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "exp",
    "tanh",
)


def compare(name: str, points: np.ndarray, **tolerance: float) -> None:
    function = getattr(np, name)
    got = adjit.jit(lambda z: function(z))(points)
    np.testing.assert_allclose(got, function(points), **{"rtol": 1e-14, "atol": 1e-15, **tolerance})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sides_of_branch_cuts(name: str) -> None:
    points = np.array(SIDES + TURNED)
    compare(name, points)
    want = getattr(np, name)(points)
    got = adjit.jit(lambda z: getattr(np, name)(z))(points)
    large = np.abs(want.imag) > 1e-9
    assert np.array_equal(np.signbit(got.imag[large]), np.signbit(want.imag[large]))


@pytest.mark.parametrize("name", ["tanh", "tan", "sinh", "cosh", "exp", "sqrt", "expm1"])
def test_large_and_small(name: str) -> None:
    points = np.array([30.0 + 1j, -30 - 2j, 1e-9 + 1e-10j, 1j * 1e-8, 25.0 - 0.5j, -1e-12, 200 + 0.1j])
    compare(name, points, rtol=1e-12, atol=0.0)


def test_roots_at_zero_and_infinity() -> None:
    root = adjit.jit(lambda z: np.sqrt(z))
    assert root(0j) == 0j and root(complex(np.inf, 1.0)) == complex(np.inf, 0.0)
    np.testing.assert_allclose(root(np.array([-4.0 + 0j, complex(-4.0, -0.0)])), [2j, -2j])


def test_quotients_do_not_overflow() -> None:
    z, w = 1e300 + 1e299j, 3e300 - 2e300j
    assert adjit.jit(lambda z, w: z / w)(z, w) == pytest.approx(z / w, rel=1e-14)
    assert adjit.jit(lambda z, w: z / w)(1e-300j, w * 1e-300) == pytest.approx(
        1e-300j / (w * 1e-300), rel=1e-14
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, -1, -3])
def test_integer_powers_hold_at_zero(n: int) -> None:
    z = np.array([0.0, 0.3 - 2.0j, -1.5])
    with np.errstate(all="ignore"):
        want = z**n
    got, push = adjit.jvp(lambda z: z**n, (z,), (np.ones(3, complex),))
    np.testing.assert_allclose(got[n < 0 :], want[n < 0 :], rtol=1e-13)
    slope = np.array([n * w ** (n - 1) if n != 0 else 0.0 for w in z[n < 0 :]])
    np.testing.assert_allclose(push[n < 0 :], slope, rtol=1e-12)


def test_powers_known_at_run_time() -> None:
    power = adjit.jit(lambda z, w: z**w)
    for z, w in ((0.3 - 2j, 3), (-1.5 + 0j, 2.5), (2.0 + 0j, 1 + 1j), (0j, 2.0), (0j, 0.0)):
        assert power(z, w) == pytest.approx(z**w, rel=1e-13)
    assert adjit.grad(lambda z, n: (z**n).real)(0j, 1) == 1.0
    assert adjit.grad(lambda z, n: (z**n).real)(0j, 2) == 0.0


def test_the_absolute_value_has_gradient_zero_at_zero() -> None:
    assert adjit.grad(lambda z: abs(z))(0j) == 0
    assert adjit.grad(lambda z: abs(z) ** 2)(0j) == 0
    assert adjit.grad(lambda z: np.linalg.norm(z))(np.zeros(2, complex)).tolist() == [0, 0]


def test_pure_phases_need_no_exponential() -> None:
    text = adjit.jit(lambda k, x: np.sum(np.exp(1j * k * x)).real).source(1.0, np.ones(3))
    assert "exp(" not in text and "cos(" in text


def test_infinite_parts_as_in_numpy() -> None:
    z = np.array([complex(np.inf, 1.0), complex(1.0, np.nan), complex(2.0, -np.inf)])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(adjit.jit(lambda z: 2.0 * z)(z), 2.0 * z)
        np.testing.assert_array_equal(adjit.jit(lambda z: z + 1j)(z), z + 1j)


VALUES = [0.0, -0.0, 4.0, -3.0]
SIGNED = [
    lambda z, x: np.sqrt(-z + 0j),
    lambda z, x: np.sqrt(1.0 - z**2),
    lambda z, x: np.sqrt(-(z**2) + 1),
    lambda z, x: np.sqrt(x * z),
    lambda z, x: np.sqrt(z - (-0j)),
    lambda z, x: np.log(1j * x * 1j),
    lambda z, x: np.sqrt(z / 2.0),
    lambda z, x: np.sqrt(z / (x + 0.5)),
    lambda z, x: np.arctan(1j * x),
    lambda z, x: np.log(z * z),
    lambda z, x: np.sqrt((-1j) * x * 1j),
    lambda z, x: (z * 1j) / 1j + np.log(x - z),
    lambda z, x: np.sqrt(np.exp(z) * -1),
]


@pytest.mark.parametrize("k", range(len(SIGNED)))
def test_signs_of_zeros_choose_the_same_side_as_in_numpy(k: int) -> None:
    function = SIGNED[k]
    points = [(complex(a, b), x) for a in VALUES for b in VALUES for x in VALUES]
    z, x = np.array([p for p, _ in points]), np.array([p for _, p in points])
    want, got = function(z, x), adjit.jit(function)(z, x)
    np.testing.assert_allclose(got.real, want.real, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(got.imag, want.imag, rtol=1e-13, atol=1e-15)
