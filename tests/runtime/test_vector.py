"""Compiled vector functions against extended precision, in vectors and outside, with and without libmvec."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from scipy import special

from adjit.compiler.codegen.python import VECTOR
from adjit.compiler.ops import TABLE
from adjit.runtime import libmvec, polynomials, vector

pytestmark = pytest.mark.compiled
EXTENDED = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant
UNARY = [f.__name__ for f in vector.UNARY]
BINARY = [f.__name__ for f in vector.BINARY]
KINDS = [np.float64, np.float32]
MOST = 4.0  # units in the last place
SPECIAL = np.array(
    [
        *(
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1.0,
            -1.0,
            0.5,
            -0.5,
            2.0,
            -2.0,
            3.0,
            -3.0,
            1e5,
            -1e5,
            1e22,
            -1e22,
        ),
        *(1e300, -1e300, 3e38, -3e38, 5e-324, -5e-324, 1e-310, -1e-310, 2.3e-308, 1e-40, -1e-40, 1.2e-38),
        *(1.4e-45, 709.7, 709.8, -708.5, -745.1, -745.2, 88.7, 88.8, -87.5, -103.9, -104.0, 1023.9, 1024.0),
        *(-1022.5, -1074.0, 710.4, 710.5, -1075.0, 127.9, 128.0, -126.5, -149.0, -150.0, 1.0 - 1e-16),
        *(-1.0 + 1e-16, 1.0 + 3e-16, 0.99999994, -0.99999994, 5.9, 9.2, 10.1, 26.6, 27.0, -27.0, 1e-8, 1e-20),
        *(1.0 / 3.0, np.pi, np.pi / 2),
    ]
)


@pytest.fixture(params=["libmvec", "polynomials"])
def forms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where vector functions come from."""
    if request.param == "libmvec" and not libmvec.VARIANTS:
        pytest.skip("the C library has no vector functions")
    if request.param == "polynomials":
        monkeypatch.setattr(libmvec, "VARIANTS", {})
    return str(request.param)


def loop(name: str, kind: Any) -> Any:
    """The function over arrays, compiled for any strides and for dense ones."""
    function = getattr(vector, name)
    if name in BINARY:

        @numba.njit(error_model="numpy")
        def run(x, y, out):
            for i in range(out.shape[0]):
                out[i] = function(x[i], y[i])
    else:

        @numba.njit(error_model="numpy")
        def run(x, out):
            for i in range(out.shape[0]):
                out[i] = function(x[i])

    return run


def truth(name: str, *args: np.ndarray) -> np.ndarray:
    if name in ("erf", "erfc"):
        one = getattr(math, name)  # SciPy's erfc is a hundred units off in the tail
        return np.array([one(float(x)) for x in args[0]], np.longdouble)
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, name)(*(a.astype(np.longdouble) for a in args)))


def ulps(found: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Distances in units in the last place of the right values; infinite where one is not finite."""
    kind = found.dtype
    with np.errstate(all="ignore"):
        rounded = right.astype(kind)
        unit = np.spacing(np.where(np.isfinite(rounded), np.abs(rounded), np.finfo(kind).max))
        away = np.abs(found.astype(np.longdouble) - right) / unit.astype(np.longdouble)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    return np.where(same, 0.0, np.where(np.isfinite(away), away, np.inf)).astype(np.float64)


def samples(name: str, kind: Any, n: int = 3001) -> list[np.ndarray]:
    """Every exponent, the neighbourhood of one, usual sizes, large ones."""
    rng = np.random.default_rng(3)
    whole = np.dtype(f"u{np.dtype(kind).itemsize}")
    drawn = rng.integers(0, np.iinfo(whole).max, n, dtype=whole, endpoint=True).view(kind)
    spread = [(-1.0, 1.0), (0.0, 2.0), (-20.0, 20.0), (-800.0, 800.0), (-1e6, 1e6), (-1e9, 1e9)]
    found = [drawn, *(rng.uniform(a, b, n).astype(kind) for a, b in spread)]
    return [*found, np.exp(rng.uniform(-8, 8, n)).astype(kind)]


def check(name: str, found: np.ndarray, *args: np.ndarray, most: float = MOST) -> None:
    right = truth(name, *args)
    away = ulps(found, right)
    worst = int(np.argmax(away))
    slack = 0.0 if EXTENDED and not name.startswith("erf") else 2.0
    at = [a[worst] for a in args]
    assert away[worst] <= most + slack, f"{name}{at}: {found[worst]!r}, {away[worst]:.1f} ulp"
    zero = found == 0
    with np.errstate(all="ignore"):
        signs = np.signbit(right.astype(found.dtype))
    assert np.array_equal(np.signbit(found[zero]), signs[zero]), name


def test_generated_code_knows_these_functions() -> None:
    composed = [f.__name__ for f in vector.COMPOSED]
    assert sorted(UNARY + BINARY + composed) == sorted(VECTOR)
    assert libmvec.ARITY.keys() == {vector.C_NAMES.get(f, f.__name__) for f in vector.UNARY + vector.BINARY}


def test_values_of_vector_functions_are_never_computed_again() -> None:
    """Two evaluations may differ in the last bit: the reverse sweep must see what the forward sweep saw."""
    assert all(op.expensive for op in TABLE.values() if op.vector)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", KINDS)
def test_accuracy(name: str, kind: Any, forms: str, compiled: None) -> None:
    run = loop(name, kind)
    for x in [*samples(name, kind), np.repeat(SPECIAL, 8).astype(kind), np.tile(SPECIAL, 3).astype(kind)]:
        out = np.empty_like(x)
        run(x, out)
        check(name, out, x)
    # Numbers outside vectors: short arrays, the last ones, strided ones.
    x = np.linspace(0.1, 0.9, 45).astype(kind)
    for part in [*(x[:n] for n in range(1, 20)), x[::3], x[::-1], x[:-1]]:
        part = part + 1 if name == "arccosh" else part
        out = np.empty_like(part)
        run(part, out)
        check(name, out, part)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("kind", KINDS)
def test_accuracy_of_two(name: str, kind: Any, forms: str, compiled: None) -> None:
    run = loop(name, kind)
    found = samples(name, kind)
    pairs = [*zip(found, [x[::-1].copy() for x in found], strict=True)]
    pairs += [(np.repeat(SPECIAL, len(SPECIAL)).astype(kind), np.tile(SPECIAL, len(SPECIAL)).astype(kind))]
    whole = np.arange(-20.0, 21.0)
    pairs += [(np.repeat(whole, len(whole)).astype(kind), np.tile(whole, len(whole)).astype(kind))]
    pairs += [(np.linspace(0.9, 1.1, 999).astype(kind), np.linspace(-2000.0, 2000.0, 999).astype(kind))]
    for x, y in pairs:
        for n in (len(x), 3):
            out = np.empty(n, kind)
            run(x[:n], y[:n], out)
            check(name, out, x[:n], y[:n])


@pytest.mark.parametrize("name", sorted(polynomials.FUNCTIONS))
def test_polynomials_are_accurate_to_three_units(
    name: str, monkeypatch: pytest.MonkeyPatch, compiled: None
) -> None:
    monkeypatch.setattr(libmvec, "VARIANTS", {})
    run = loop(name, np.float64)
    for x in samples(name, np.float64, 20001):
        out = np.empty_like(x)
        run(x, out)
        check(name, out, x, most=3.0)


@pytest.mark.parametrize("fast", [False, True, {"reassoc", "nsz", "arcp", "contract", "afn"}])
def test_flags_of_the_caller_change_nothing(fast: Any, forms: str, compiled: None) -> None:
    x = (
        np.concatenate([np.linspace(-30.0, 30.0, 997), SPECIAL])
        if fast is not True
        else np.linspace(-30, 30, 997)
    )

    @numba.njit(error_model="numpy", fastmath=fast)
    def run(x, out):
        for i in range(x.shape[0]):
            out[i] = vector.exp(x[i]) * 1.0

    out = np.empty_like(x)
    run(x, out)
    check("exp", out, x)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
@pytest.mark.parametrize("kind", KINDS)
def test_loops_use_the_vector_form(name: str, kind: Any, forms: str, compiled: None) -> None:
    if forms == "polynomials" and name not in polynomials.FUNCTIONS:
        return
    c_name = vector.C_NAMES.get(getattr(vector, name), name) + ("f" if kind is np.float32 else "")
    symbol = f"adjit_{c_name}_" if forms == "libmvec" else f"adjit_own_{c_name}_"
    run: Callable[..., None] = loop(name, kind)
    x = np.ones(3, kind)
    run(*[x] * (3 if name in BINARY else 2))
    (text,) = run.inspect_asm().values()  # type: ignore[attr-defined]
    called = [
        line
        for line in text.splitlines()
        if symbol in line and ("$" in line or "call" in line or "bl" in line)
    ]
    assert called, "not vectorised"


def test_guarded_calls_and_sums_vectorise(forms: str, compiled: None) -> None:
    @numba.njit(error_model="numpy", fastmath={"reassoc", "nsz"})
    def run(x, w):
        s = 0.0
        for i in range(x.shape[0]):
            if w[i] > 0.5:
                s += w[i] * vector.exp(x[i])
        return s

    x, w = np.linspace(-1.0, 1.0, 101), np.tile([0.0, 1.0], 51)[:101]
    assert abs(run(x, w) - np.sum((w * np.exp(x))[w > 0.5])) < 1e-12
    (text,) = run.inspect_asm().values()
    assert "_exp_" in text


@pytest.mark.parametrize("name", [f.__name__ for f in vector.COMPOSED])
@pytest.mark.parametrize("kind", KINDS)
def test_composed_functions(name: str, kind: Any, forms: str, compiled: None) -> None:
    run = loop(name, kind)
    ends = [0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 40.0, -40.0, 700.0, -700.0, 1e-300, 0.3, 0.65]
    inside = (0.001, 0.999) if name == "logit" else (-5.0, 5.0)
    for x in (np.array(ends * 5, kind), np.linspace(*inside, 1001).astype(kind), np.array([0.25], kind)):
        out = np.empty_like(x)
        run(x, out)
        with np.errstate(all="ignore"):
            right = getattr(special, name)(x.astype(np.float64))
            if name == "logit":  # SciPy 1.13 loses digits near its zero
                near = np.abs(x - 0.5) < 0.25
                right[near] = 2.0 * np.arctanh(2.0 * x[near].astype(np.float64) - 1.0)
        precision = 2e-14 if kind is np.float64 else 1e-6
        np.testing.assert_allclose(out, right.astype(kind), rtol=precision, atol=np.finfo(kind).tiny)
    if name != "ndtr" or forms == "libmvec":
        (text,) = run.inspect_asm().values()
        assert re.search(r"adjit_(own_)?(exp|erfc|log|log1p)_[a-z]?\d", text), "not vectorised"


def test_integers_are_refused(compiled: None) -> None:
    @numba.njit
    def run(n):
        return vector.exp(n)

    with pytest.raises(numba.TypingError):
        run(3)
