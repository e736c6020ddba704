"""Which accumulations are plain, which are gathered, and which need atomics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .texts import gradient, kernels

X = np.zeros(100)


def own(x: Any) -> Any:
    return np.sum(x * x * x)


def test_an_element_of_its_own_needs_nothing() -> None:
    text = gradient(own, X)
    (kernel,) = kernels(text)
    assert "atomic" not in kernel
    assert "ct_x[i] = " in kernel  # the first sum into an array is a store: it need not be zeroed
    assert "zeros" not in text.source


def twice(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    for i in range(len(x) - 1):
        s += x[i + 1] ** 3
    return s


def test_only_the_first_sum_over_all_of_an_array_is_a_store() -> None:
    text = gradient(twice, X)
    assert "ct_x[i] = " in text.source
    assert "ct_x[i + 1] += " in text.source or "ct_x[t_1] += " in text.source


def partly(x: Any) -> Any:
    s = 0.0
    for i in range(1, len(x)):
        s += x[i] * x[i]
    return s


def test_an_array_that_is_reached_in_part_is_zeroed() -> None:
    text = gradient(partly, X)
    assert "ct_x = zeros((n_x,), np.float64)" in text.source
    assert "ct_x[i] += " in text.source


def stencil(x: Any) -> Any:
    y = x[1:-1] - 2.0 * x[2:] + 3.0 * x[:-2]
    return np.sum(y * y)


def test_a_stencil_is_gathered() -> None:
    text = gradient(stencil, X)
    assert "atomic" not in text.source
    assert "ct_x[i] = " in kernels(text)[-1]


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
