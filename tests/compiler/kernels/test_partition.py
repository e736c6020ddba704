"""What becomes a kernel, what the host does, and which loops are spread over threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjit.compiler.kernels.placement import FEW

from .texts import gradient, host, kernels, primal

X = np.zeros(100)
A = np.zeros((50, 60))


def scaled(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] / s
    return y


def test_a_sum_stays_on_the_device() -> None:
    text = primal(scaled, X)
    first, second = kernels(text)
    assert "sum_float64(s, s_of_block)" in first
    assert "s[0]" in second
    assert "read(" not in host(text)


def test_rows_and_columns_are_spread() -> None:
    (kernel,) = kernels(primal(lambda a: np.tanh(a) * 2.0, A))
    assert "x, y = cuda.grid(2)" in kernel
    assert "for i in range(y, n_a, dy):" in kernel
    assert "for j in range(x, n_a_1, dx):" in kernel


def time_steps(x: Any) -> Any:
    for _ in range(50):
        y = x.copy()
        for i in range(1, len(x)):
            y[i] = x[i] + 0.5 * x[i - 1]
        x = y
    return x


def test_steps_in_order_stay_on_the_host() -> None:
    text = primal(time_steps, X)
    assert "for k in range(50):" in host(text)
    assert "launch(" in host(text).split("range(50)")[1]


def running(x: Any) -> Any:
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    return x[len(x) - 1]


def test_a_loop_in_order_without_kernels_is_one_thread() -> None:
    text = primal(running, X)
    assert "cuda.grid" not in text.source
    assert "launch(running_1, (), " in host(text)


def while_large(x: Any) -> Any:
    s = np.sum(x)
    while s > 1.0:
        for i in range(len(x)):
            x[i] *= 0.5
        s = np.sum(x)
    return s


def test_a_condition_is_read() -> None:
    text = primal(while_large, X)
    assert "if not read(" in host(text) or "= read(" in host(text)


def few(x: Any) -> Any:
    for i in range(3):
        x[i] = 1.0


def test_a_few_passes_are_one_thread() -> None:
    assert FEW >= 3
    assert "cuda.grid" not in primal(few, X).source


def recurrence(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for _ in range(n):
            s = s * s + 0.1
        total += s
    return total


def test_a_recurrence_of_each_element_is_one_kernel_with_its_memory_beside() -> None:
    text = gradient(recurrence, X, 10)
    (kernel,) = kernels(text)
    assert "saved_s[k, i]" in kernel
    assert "saved_s = empty((support.maximum(n, 0), n_x), np.float64)" in host(text)


def test_routines_without_a_kernel_run_on_the_host() -> None:
    text = primal(lambda a: np.sum(np.linalg.cholesky(a)), np.eye(3))
    assert "from adjit.runtime.cuda.hosted import cholesky" in text.source
    assert "    cholesky(" in host(text)
