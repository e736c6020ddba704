"""Which accumulations are plain, which are gathered, and which need atomics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .texts import gradient, kernels

X = np.zeros(100)


def own(x: Any) -> Any:
    return np.sum(x * x * x)


def test_an_element_of_its_own_needs_nothing() -> None:
    (kernel,) = kernels(gradient(own, X))
    assert "atomic" not in kernel
    assert "ct_x[i] +=" in kernel


def stencil(x: Any) -> Any:
    y = x[1:-1] - 2.0 * x[2:] + 3.0 * x[:-2]
    return np.sum(y * y)


def test_a_stencil_is_gathered() -> None:
    text = gradient(stencil, X)
    assert "atomic" not in text.source
    assert " >= 0" in kernels(text)[-1]


def costly(x: Any) -> Any:
    return np.sum(np.exp(x[1:] * x[:-1]))


def test_costly_values_are_not_computed_again() -> None:
    text = gradient(costly, X)
    assert "cuda.atomic.add(ct_x, " in text.source
    assert "# other threads may add to this element" in text.source
    assert text.source.count("= exp(") + text.source.count("exp(") < 4


def looked_up(x: Any, i: Any) -> Any:
    return np.sum(x[i] ** 2)


def test_indices_from_memory_need_atomics() -> None:
    text = gradient(looked_up, X, np.zeros(7, np.int64))
    assert "cuda.atomic.add(ct_x, " in text.source


def columns(a: Any, v: Any) -> Any:
    return np.sum(np.sin(a * v))


def test_rows_that_share_a_vector_need_atomics() -> None:
    specific = gradient(lambda v, a: columns(a, v), np.zeros(60), np.zeros((50, 60)))
    assert "cuda.atomic.add(ct_v, j, " in specific.source
