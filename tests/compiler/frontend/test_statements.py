"""Statements: assignments, checks, raise, assert."""

from __future__ import annotations

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Check
from tests.support.capturing import agrees, captured, outcome

X = np.array([0.9, -0.4, 1.1, 1.3])
M = np.arange(12.0).reshape(3, 4) / 7


def test_augmented_assignment():
    def f(x, m):
        y = x.copy()
        y[1:3] += 1
        y[::2] *= x[::2]
        y[-1] -= y[0]
        b = m.copy()
        b[1] += b[0]
        b[:, 1] /= 2
        b += y
        c = x
        c = c + 1
        c **= 2
        k = 7
        k //= 2
        k <<= 2
        return y, b, c, k

    agrees(f, X, M)


def test_elements_exchanged():
    def f(x):
        y = x.copy()
        y[0], y[1] = y[1], y[0]
        i, j = 2, 3
        y[i], y[j] = y[j], y[i]
        return y

    agrees(f, X)


def test_views_of_views():
    def f(m):
        b = m.copy()
        r = b[1]
        r[0] = 5.0
        b[:, 1] *= 2
        b[0] = r
        v = b.T
        v[0, 0] += 1
        return b, v[1]

    agrees(f, M)


def test_raise_and_assert_are_checks():
    def f(x, n):
        """Doc."""
        if n < 0:
            raise ValueError(f"n is {n}, must be positive")
        assert n < 10, f"bad {n}"
        y: float = 2.0
        return x[n] * y

    program = captured(f, X, 2)
    checks = [(s.error, s.message) for s in program.function.body.stmts if isinstance(s, Check)]
    assert checks == [("ValueError", "n is {}, must be positive"), ("AssertionError", "bad {}")]
    assert outcome(f, X, 2) == f(X, 2)
    with pytest.raises(ValueError, match="must be positive"):
        outcome(f, X, -1)


class Special(KeyError):
    pass


def test_exceptions_of_the_user():
    def f(x):
        if x > 2:
            raise Special("too large")
        return x

    (check,) = [s for s in captured(f, 1.0).function.body.stmts if isinstance(s, Check)]
    assert (check.error, check.message) == (f"{__name__}:Special:KeyError", "too large")


def test_raise_inside_a_branch():
    def f(x):
        if x > 2:
            y = x * 2
            if y > 10:
                raise ValueError("too large")
            x = y
        return x

    agrees(f, 3.0)
    agrees(f, 1.0)
    with pytest.raises(ValueError, match="too large"):
        outcome(f, 7.0)
