"""The statement that a failed `check_grads` names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit


def kinked(x):  # type: ignore[no-untyped-def]
    y = x * 2.0 - 1.0
    z = np.abs(y)
    return np.sum(np.sin(z) + x)


def jumps(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            s += 2.0 * x[i]
        else:
            s += np.cos(x[i])
    return s


def held(x):  # type: ignore[no-untyped-def]
    y = x * x
    z = adjit.stop_gradient(y) * x
    return np.sum(z)


def test_a_kink_is_named() -> None:
    with pytest.raises(adjit.GradientCheckError) as caught:
        adjit.check_grads(kinked, (np.array([0.3, 0.50001, 0.9]),), modes=("rev",))
    message = str(caught.value)
    assert "in `x[1]`: " in message
    assert "z = np.abs(y)" in message and "`abs` gives" in message, message


def test_a_changing_branch_is_named() -> None:
    with pytest.raises(adjit.GradientCheckError, match="a condition before line"):
        adjit.check_grads(jumps, (np.array([0.3, 0.500001, 0.9]),))


def test_a_constant_that_is_none_is_named() -> None:
    """stop_gradient gives another derivative than that of the function."""
    with pytest.raises(adjit.GradientCheckError, match="stop_gradient") as caught:
        adjit.check_grads(held, (np.array([0.3, 0.7]),), order=1)
    assert "adjit.stop_gradient(y)" in str(caught.value)


def test_a_wrong_rule_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the table of operations had a mistake."""
    from dataclasses import replace

    from adjit.compiler.adjoint import partials
    from adjit.compiler.ops import TABLE

    def wrong(x: Any, out: Any) -> tuple[object, ...]:
        return (out * 0.5,)

    monkeypatch.setitem(TABLE, "cosh", replace(TABLE["cosh"], partials=wrong))
    partials._reads.cache_clear()

    def f(x):  # type: ignore[no-untyped-def]
        y = np.sin(x)
        return np.cosh(y) * 2.0

    try:
        with pytest.raises(adjit.GradientCheckError, match="`cosh` gives") as caught:
            adjit.check_grads(f, (0.7,), order=1)
    finally:
        partials._reads.cache_clear()
    assert "return np.cosh(y) * 2.0" in str(caught.value)
