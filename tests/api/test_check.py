"""`check_grads` passes what is right and names what is wrong."""

from __future__ import annotations

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
    with pytest.raises(
        GradientCheckError, match=r"at leaf 0\[1\] of the arguments: .* by finite differences"
    ):
        adjit.check_grads(lambda x: np.sum(np.sin(x)) * x[1], (np.array([0.3, 1.0]),), modes=("rev",))


def test_a_wrong_tangent_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = check.Jvp.push

    def wrong(self, primals, tangents):
        value, tangent = right(self, primals, tangents)
        return value, tangent * 1.001

    monkeypatch.setattr(check.Jvp, "push", wrong)
    with pytest.raises(GradientCheckError, match="the tangent of"):
        adjit.check_grads(lambda x: np.sum(np.sin(x)), (np.array([0.3, 1.0]),), modes=("fwd",))


def test_modes_are_known() -> None:
    with pytest.raises(ValueError, match="modes are"):
        adjit.check_grads(f, (np.ones(2), 1.0), modes=("sideways",))
