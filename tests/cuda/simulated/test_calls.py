"""Arguments and results of functions on the GPU: device arrays, arrays of the host, views, failures."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import cuda

import adjit
from adjit import errors
from tests.support.foreign import Foreign

quiet = pytest.mark.filterwarnings("ignore:.adjit-cuda-copy")


def square_sum(x: Any) -> Any:
    return np.sum(x * x)


def doubled(x: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = 2.0 * x[i]


def picked(x: Any, i: Any) -> Any:
    return np.sum(x[i] ** 2)


def test_device_arrays_stay_on_the_device() -> None:
    x = np.linspace(-1.0, 2.0, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, gradient = adjit.value_and_grad(square_sum, target="cuda")(cuda.to_device(x))
    assert isinstance(value, float)
    assert value == pytest.approx(np.sum(x * x))
    assert hasattr(gradient, "copy_to_host")
    np.testing.assert_allclose(gradient.copy_to_host(), 2.0 * x)


def test_arrays_of_the_host_are_copied_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_given", set())
    f = adjit.grad(square_sum, target="cuda")
    with pytest.warns(adjit.AdjitWarning, match="copied to the GPU"):
        f(np.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(np.ones(3))


@quiet
def test_what_is_written_reaches_the_caller() -> None:
    x, out = np.arange(4.0), np.zeros(4)
    adjit.jit(doubled, target="cuda")(x, out)
    np.testing.assert_array_equal(out, 2.0 * x)
    there = cuda.to_device(np.zeros(4))
    adjit.jit(doubled, target="cuda")(cuda.to_device(x), there)
    np.testing.assert_array_equal(there.copy_to_host(), 2.0 * x)


@quiet
def test_one_array_for_two_parameters() -> None:
    x = np.arange(1.0, 4.0)
    gradients = adjit.grad(lambda a, b: np.sum(a * a * b), argnums=(0, 1), target="cuda")(x, x)
    np.testing.assert_allclose(gradients[0].copy_to_host(), 2.0 * x * x)
    np.testing.assert_allclose(gradients[1].copy_to_host(), x * x)


@quiet
@pytest.mark.parametrize(
    "strided", [lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, 4).T, np.asfortranarray]
)
def test_strided_arguments(strided: Callable[[Any], Any]) -> None:
    x = strided(np.arange(8.0))
    gradient = adjit.grad(square_sum, target="cuda")(x)
    np.testing.assert_allclose(gradient.copy_to_host(), 2.0 * x)


@pytest.mark.parametrize(
    "strided",
    [lambda a: a, lambda a: a[::2], lambda a: a[::-1], lambda a: a.reshape(2, 4).T, lambda a: a[:0]],
)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_of_other_libraries(strided: Callable[[Any], Any], kind: Any) -> None:
    x = strided(np.arange(8.0, dtype=kind))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, gradient = adjit.value_and_grad(square_sum, target="cuda")(Foreign(x, readonly=True))
    assert value == pytest.approx(np.sum(x * x))
    assert gradient.dtype == kind
    np.testing.assert_allclose(gradient.copy_to_host(), 2.0 * x)


def test_another_library_sees_what_is_written() -> None:
    x, out = np.arange(4.0), np.zeros(8)
    adjit.jit(doubled, target="cuda")(Foreign(x, readonly=True), Foreign(out[::2]))
    np.testing.assert_array_equal(out[::2], 2.0 * x)
    assert not out[1::2].any()


def test_a_readonly_array_that_would_be_written() -> None:
    out = np.zeros(4)
    with pytest.raises(adjit.AdjitError, match="read-only"):
        adjit.jit(doubled, target="cuda")(Foreign(np.ones(4)), Foreign(out, readonly=True))
    assert not out.any()


@quiet
def test_arguments_of_the_device_the_host_and_another_library() -> None:
    x = np.arange(1.0, 4.0)
    f = adjit.grad(lambda a, b, c: np.sum(a * b * c), argnums=(0, 1, 2), target="cuda")
    for gradient in f(cuda.to_device(x), x, Foreign(x)):
        np.testing.assert_allclose(gradient.copy_to_host(), x * x)


def test_complex_arrays_of_the_device_are_refused() -> None:
    z = np.ones(3, np.complex128)
    for given in (z, cuda.to_device(z), Foreign(z)):
        with pytest.raises(adjit.AdjitError, match="complex"):
            adjit.jit(square_sum, target="cuda")(given)


def test_a_type_that_adjit_does_not_have() -> None:
    with pytest.raises(adjit.InferenceError, match="float16"):
        adjit.jit(square_sum, target="cuda")(cuda.to_device(np.ones(3, np.float16)))


def test_routines_of_the_host_warn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_given", set())
    f = adjit.jit(lambda a: np.sum(np.linalg.inv(a)), target="cuda")
    there = cuda.to_device(np.eye(3))
    with pytest.warns(adjit.AdjitWarning, match="`inv` has no form on the GPU"):
        f(there)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(there)
        with pytest.raises(np.linalg.LinAlgError, match="ingular"):
            f(cuda.to_device(np.zeros((3, 3))))


@quiet
def test_numbers_of_the_device_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: Any) -> Any:
        s = np.sum(x)
        print("sum", s)
        return s * s

    adjit.grad(shown, target="cuda")(np.ones(4))
    assert capsys.readouterr().out == "sum 4.0\n"


@quiet
def test_a_cotangent_on_the_device() -> None:
    x = cuda.to_device(np.arange(3.0))
    _, pullback = adjit.vjp(adjit.jit(lambda x: x * x, target="cuda"), x)
    (gradient,) = pullback(cuda.to_device(np.ones(3)))
    np.testing.assert_allclose(gradient.copy_to_host(), 2.0 * np.arange(3.0))
    _, pullback = adjit.vjp(adjit.jit(lambda x: x * x, target="cuda"), x)
    with pytest.raises(adjit.SeedError, match="not cast"):
        pullback(cuda.to_device(np.ones(3, np.float32)))


@quiet
def test_changing_an_argument_before_the_pullback_does_no_harm() -> None:
    x = cuda.to_device(np.arange(3.0))
    _, pullback = adjit.vjp(adjit.jit(square_sum, target="cuda"), x)
    x.copy_to_device(np.zeros(3))
    np.testing.assert_allclose(pullback()[0].copy_to_host(), 2.0 * np.arange(3.0))


@quiet
def test_an_index_out_of_bounds_in_a_kernel() -> None:
    with pytest.raises(
        adjit.OutOfBoundsError, match=r"index 7 is out of bounds for axis 0 .* size 4"
    ) as found:
        adjit.grad(picked, target="cuda")(np.arange(4.0), np.array([0, 7, 1]))
    assert "test_calls.py" in str(found.value)


@quiet
def test_overlapping_arguments_of_which_one_is_written() -> None:
    memory = np.arange(6.0)
    with pytest.raises(adjit.OverwriteError):
        adjit.jit(doubled, target="cuda")(memory[:4], memory[2:])


@quiet
def test_sums_are_the_same_each_time() -> None:
    x = np.random.default_rng(0).normal(size=101) * 10.0 ** np.arange(-50, 51)
    f = adjit.jit(lambda x: np.sum(x * 1.1), target="cuda")
    assert len({f(x) for _ in range(5)}) == 1


@quiet
def test_device_functions_of_the_user() -> None:
    @cuda.jit(device=True)
    def cube(a: Any) -> Any:
        return a * a * a

    if not hasattr(cube, "py_func"):
        cube = cube.fn  # the simulator's own device functions have another name for it
    x = np.array([1.0, -2.0])
    gradient = adjit.grad(lambda x: np.sum(cube(x)), target="cuda")(x)
    np.testing.assert_allclose(gradient.copy_to_host(), 3.0 * x * x)


def chained(x: Any) -> Any:
    h = 0.0
    for k in range(len(x)):
        h = np.tanh(0.5 * h + x[k])
    return h


def test_a_thread_for_each_example_of_a_batch() -> None:
    x = np.random.default_rng(0).normal(size=(4, 3))
    there = cuda.to_device(x)
    batch = adjit.vmap(chained, target="cuda")
    assert "for example in range(cuda.grid(1)" in batch.source(there)
    np.testing.assert_allclose(batch(there).copy_to_host(), [chained(row) for row in x])
    gradients = adjit.vmap(adjit.grad(chained), target="cuda")(there).copy_to_host()
    _, pullback = adjit.vjp(batch, there)
    np.testing.assert_allclose(pullback(np.ones(4))[0].copy_to_host(), gradients)
    step = 1e-6 * np.eye(3)
    slopes = [[(chained(row + s) - chained(row - s)) / 2e-6 for s in step] for row in x]
    np.testing.assert_allclose(gradients, slopes, rtol=1e-6)


@pytest.mark.parametrize("transform", [adjit.jacrev, adjit.jacfwd, adjit.hessian])
def test_matrices_of_derivatives_are_refused(transform: Callable[..., Any]) -> None:
    with pytest.raises(adjit.MissingRuleError, match="no form on the GPU"):
        transform(square_sum, target="cuda")


@quiet
def test_buffers_of_the_host_are_refused() -> None:
    with pytest.raises(adjit.MissingRuleError, match="no form on the GPU"):
        adjit.value_and_grad(square_sum, target="cuda").into(np.zeros(3), np.ones(3))


@quiet
def test_saved_buffers_are_shown() -> None:
    f = adjit.value_and_grad(lambda x: np.sum(np.tanh(x) ** 2) ** 2, target="cuda")
    saved = {row.name: (row.dtype, row.shape) for row in f.saved(np.ones(3)).rows}
    assert saved["saved_t"] == ("float64", (3,))
