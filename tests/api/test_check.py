"""`check_grads` passes what is right and names what is wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

import adjit
from adjit.api import check
from adjit.errors import GradientCheckError


def f(x, c):
    return np.sum(np.sin(x) * c) * x[0]


def test_right_derivatives_pass() -> None:
    adjit.check_grads(f, (np.array([0.3, 1.0]), 2.0))
    adjit.check_grads(lambda x: x * x, (np.array([0.3, 1.0], np.float32),))
    adjit.check_grads(f, (np.array([0.3, 1.0]), 2.0), order=1, modes=("rev",))


def test_a_wrong_gradient_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong by one in a thousand, at one entry."""
    right = check.Vjp.forward

    def wrong(self, *args):
        value, pullback = right(self, *args)
        return value, lambda seed: (pullback(seed)[0] * np.array([1.0, 1.001]),)

    monkeypatch.setattr(check.Vjp, "forward", wrong)
    with pytest.raises(GradientCheckError, match=r"wrong in `x\[1\]`: .* by finite differences"):
        adjit.check_grads(lambda x: np.sum(np.sin(x)) * x[1], (np.array([0.3, 1.0]),), modes=("rev",))


def test_a_wrong_tangent_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = check.Jvp.push

    def wrong(self, primals, tangents):
        value, tangent = right(self, primals, tangents)
        return value, tangent * 1.001

    monkeypatch.setattr(check.Jvp, "push", wrong)
    with pytest.raises(GradientCheckError, match="the tangent of"):
        adjit.check_grads(lambda x: np.sum(np.sin(x)), (np.array([0.3, 1.0]),), modes=("fwd",))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_function_that_differs_from_call_to_call_is_named(mode: str) -> None:
    def noisy(x):
        return np.sum(x * np.random.randn(3))

    with pytest.raises(GradientCheckError, match="two evaluations of `noisy` at the same arguments differ: "):
        adjit.check_grads(noisy, (np.ones(3),), modes=(mode,))

    def seeded(x):
        np.random.seed(2)
        return np.sum(x * np.random.randn(3))

    adjit.check_grads(seeded, (np.ones(3),), modes=(mode,))


def jumps(z, *rest):
    return np.sum(np.abs(z) ** 2) * rest[0] + (0.0 if rest[1]["a"][0, 1] < 1.0 else 1.0)


def turns(z):
    return np.sum(np.abs(z) ** 2) + (0.0 if z[1].imag < 1.0 else 1.0)


@pytest.mark.parametrize(
    ("function", "args", "entry"),
    [
        (jumps, (np.array([1.0, 3.0]), 2.0, {"a": np.array([[3.0, 0.99999]])}), "rest[1]['a'][0, 1]"),
        (turns, (np.array([1.0 + 2.0j, 3.0 + 0.99999j]),), "z[1].imag"),
    ],
)
def test_the_worst_entry_is_named_as_the_function_names_it(function, args, entry) -> None:
    with pytest.raises(GradientCheckError, match=f"in `{re.escape(entry)}`: "):
        adjit.check_grads(function, args, order=1)


@adjit.custom_vjp
def cube(x):
    return x * x * x


cube.defvjp(lambda x: (cube(x), x), lambda x, ct: (3.0 * x * x * ct,))


@adjit.custom_vjp
def wrong_cube(x):
    return x * x * x


wrong_cube.defvjp(lambda x: (wrong_cube(x), x), lambda x, ct: (2.9 * x * x * ct,))


def test_modes_without_a_rule_are_left_out_and_named() -> None:
    found = adjit.check_grads(lambda x, n: np.sum(cube(np.sin(x))) * n, (np.array([0.3, 1.0]), 2))
    assert found.arguments == ("x",) and found.modes == (("rev",), ("fwd", "rev"))
    assert "'cube' has a custom_vjp" in str(found)
    with pytest.raises(adjit.MissingRuleError):
        adjit.check_grads(lambda x: cube(x), (0.3,), modes=("fwd", "rev"))
    with pytest.raises(GradientCheckError, match="in `x`"):
        adjit.check_grads(lambda x: wrong_cube(x), (0.3,))


def test_modes_are_known() -> None:
    with pytest.raises(ValueError, match="modes are"):
        adjit.check_grads(f, (np.ones(2), 1.0), modes=())
    with pytest.raises(ValueError, match="modes are"):
        adjit.check_grads(f, (np.ones(2), 1.0), modes=("sideways",))


@adjit.custom_vjp
def shifted(x):
    return x * x


shifted.defvjp(lambda x: (x * x + 1e-4, x), lambda x, ct: (2.0 * x * ct,))


@pytest.mark.parametrize(
    ("function", "args", "found"),
    [
        (lambda x: shifted(x), (0.5,), r": 0\.2501, by the function itself 0\.25\n  File .*, line \d+"),
        (lambda x: np.array([x, shifted(x)]), (0.5,), r"at \[1\]: "),
        (lambda x: (x, shifted(x)), (0.5,), r"in part 1 of the result: "),
        (lambda x, k: (x, k * k), (0.5, 2**33), r"in part 1 of the result: 0, by the function itself 7\.37"),
    ],
)
def test_a_wrong_value_is_caught(function, args, found) -> None:
    with pytest.raises(GradientCheckError, match=f"the value of .* is wrong.*{found}"):
        adjit.check_grads(function, args, order=1, modes=("rev",))


def test_values_and_derivatives_may_differ_as_much_as_rounding_makes_them() -> None:
    """Each is right, and its value or derivative is all rounding."""
    x = np.linspace(0.1, 1.0, 7)
    adjit.check_grads(lambda x: np.sum(np.exp(x)) / np.sum(np.exp(x)) - 1.0, (x,))
    adjit.check_grads(lambda x: np.sum(x - np.mean(x)), (x.astype(np.float32),))
    adjit.check_grads(lambda x: x**5 + 1e6, (0.0,))
    adjit.check_grads(lambda x: x * x * 1e-3, (np.array([1e8, 3e7]),))
    adjit.check_grads(lambda x: np.floor(x) * np.array([1.0, 2.0]), (0.5,), order=1)


def test_a_function_that_writes_into_its_arguments_is_run_on_copies() -> None:
    def filled(x, out):
        out[:] = out + x * x
        return np.sum(out)

    out = np.ones(3)
    adjit.check_grads(filled, (np.array([0.3, 1.0, 2.0]), out))
    assert np.all(out == 1.0)


@adjit.custom_vjp
def millionth(x):
    return 1e-6 * x


millionth.defvjp(lambda x: (millionth(x), None), lambda kept, ct: (-7.1e-6 * ct,))


@pytest.mark.parametrize("scale", [1.0, 1e-12])
def test_small_wrong_derivatives_are_caught(scale: float) -> None:
    with pytest.raises(GradientCheckError, match=r"in `x`: -7\.1e-"):
        adjit.check_grads(lambda x: millionth(x) * scale, (0.5,), order=1)
    adjit.check_grads(lambda x: 1e-6 * x * scale, (0.5,))
