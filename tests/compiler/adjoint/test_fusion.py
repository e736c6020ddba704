"""Sums that follow each other: a fused loop must know all of its cotangents before it starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support import judge


def sums_one_after_the_other(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i])
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s


def arithmetic_between_sums(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i])
    s = s * 3.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s


def sum_read_in_a_later_sum(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(x[i])
    r = 0.0
    for i in range(x.shape[0]):
        r += x[i] * s
    return r


def scaled_sum_read_in_a_later_sum(x: Any) -> Any:
    m = np.sum(x) * 2.0
    return np.sum((x - m) ** 3)


def nested_sums_one_after_the_other(x: Any) -> Any:
    s = 0.0
    for i in range(3):
        for j in range(x.shape[0]):
            s += np.sin(x[j] * i)
        for j in range(x.shape[0]):
            s += x[j] * x[j]
    return s


def sum_over_an_array_of_the_pass(x: Any) -> Any:
    s = 0.0
    for i in range(3):
        y = np.empty(x.shape[0])
        for j in range(x.shape[0]):
            y[j] = np.sin(x[j] * i)
        for j in range(x.shape[0]):
            s += y[j] * y[j]
    return s


PROGRAMS = [
    sums_one_after_the_other,
    arithmetic_between_sums,
    sum_read_in_a_later_sum,
    scaled_sum_read_in_a_later_sum,
    nested_sums_one_after_the_other,
    sum_over_an_array_of_the_pass,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(program: Callable[..., Any]) -> None:
    verdict = judge.check(program, (np.array([0.3, 0.5, -0.7]),), (0,), second=True)
    assert verdict.kind == "right", verdict
