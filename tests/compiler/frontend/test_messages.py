"""Strings made of numbers that are known at run time only: good in errors, refused elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import adjit


def guarded(x):  # type: ignore[no-untyped-def]
    if x[0] < 0:
        message = f"negative: {x[0]}"
        raise ValueError(message)
    return np.sum(x * x)


def compared(x):  # type: ignore[no-untyped-def]
    s = 0.0
    name = f"w{x[0]}"
    if name == "w1.0":
        s += x[0]
    return s


def test_a_message_of_its_own_line() -> None:
    np.testing.assert_array_equal(adjit.grad(guarded)(np.array([1.0, 2.0])), [2.0, 4.0])
    with pytest.raises(ValueError, match="message"):
        adjit.grad(guarded)(np.array([-1.0, 2.0]))


def test_such_a_string_is_no_data() -> None:
    with pytest.raises(adjit.InferenceError, match="known at run time only"):
        adjit.grad(compared)(np.array([1.0, 2.0]))
