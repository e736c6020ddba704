"""Memory, views, copies and streams of real device arrays, over memory of the host."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from adjit.runtime.cuda import arrays, calls, driver, launching, memory, products, streams
from tests.support import host_driver
from tests.support.foreign import Foreign
from tests.support.host_driver import Context, stream

A = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Context:
    return host_driver.install(monkeypatch)


@pytest.mark.parametrize("a", [A, np.asfortranarray(A), A[::-1, 1::2], np.array(3.0), np.zeros((0, 3))])
def test_there_and_back(gpu: Context, a: Any) -> None:
    there = arrays.to_device(a)
    np.testing.assert_array_equal(arrays.fetched(there), a)
    assert there.shape == a.shape
    assert not there.flags["F_CONTIGUOUS"] or a.flags.f_contiguous or a.size < 2


def test_views(gpu: Context) -> None:
    there = arrays.to_device(A)
    backwards = arrays.view(there, (0, 2, 3, -1), (1, 1, 2, 2))
    np.testing.assert_array_equal(arrays.fetched(backwards), A[::-1, 1::2])
    column = arrays.view(there, (0, 0, 3, 1), (None, 0, 2, 1), fixed=((1, 3),))
    assert arrays.stand_in(column).strides == (32, 0)
    assert arrays.view(there, (0, 1, -2, 1), (1, 0, 4, 1)).shape == (0, 4)


def test_zeros_and_longer_vectors(gpu: Context) -> None:
    assert np.all(arrays.fetched(driver.zeros((2, 3), np.float32)) == 0.0)
    longer = driver.grown(arrays.to_device(np.arange(3.0)), 3)
    np.testing.assert_array_equal(arrays.fetched(longer)[:5], [0.0, 1.0, 2.0, 0.0, 0.0])


def test_memory_is_given_out_again_when_no_view_holds_it(gpu: Context) -> None:
    first = arrays.empty((100,), np.float64)
    address = first.device_ctypes_pointer.value
    view = arrays.view(first, (0, 5, 3, 1))
    del first
    gc.collect()
    other = arrays.empty((100,), np.float64)
    assert other.device_ctypes_pointer.value != address
    del view
    gc.collect()
    assert arrays.empty((90,), np.float64).device_ctypes_pointer.value == address
    assert [size for what, size in gpu.log if what == "allocate"] == [1024, 1024]


def test_memory_of_one_stream_is_not_given_to_another(gpu: Context) -> None:
    first = arrays.empty((100,), np.float64)
    address = first.device_ctypes_pointer.value
    del first
    gc.collect()
    with streams.running([arrays.adopted(Foreign(A, stream=77))]):
        assert arrays.empty((100,), np.float64).device_ctypes_pointer.value != address


def test_free_blocks_are_released_when_the_driver_has_no_more() -> None:
    left = [1]

    def allocate(size: int) -> object:
        if not left:
            raise MemoryError
        left.pop()
        return object()

    pool = memory.Pool(allocate)
    _, back = pool.take((0, 0), 100)
    with pytest.raises(MemoryError):
        pool.take((0, 0), 10_000)
    back()
    pool.release = lambda: left.append(1)  # type: ignore[method-assign]
    pool.take((0, 0), 10_000)


@pytest.mark.parametrize(("size", "block"), [(1, 512), (512, 512), (513, 1024), (10_000, 10_240)])
def test_sizes_of_blocks(size: int, block: int) -> None:
    assert memory.rounded(size) == block
    assert size <= memory.rounded(size) <= max(512, 2 * size)


def test_arrays_of_other_libraries(gpu: Context) -> None:
    stood = arrays.stand_in(Foreign(A[:, ::-2], readonly=True, stream=77))
    assert stood.strides == A[:, ::-2].strides
    assert not stood.flags.writeable
    assert gpu.log == []  # nobody has waited
    np.testing.assert_array_equal(arrays.fetched(stood.memory), A[:, ::-2])
    assert gpu.log[-3:] == [("kernel", 77), ("MemcpyDtoHAsync", 77), ("finish", 77)]


def test_a_call_runs_on_the_stream_of_its_arguments(gpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "find_device", lambda: None)
    launched: list[Any] = []

    class Kernel:
        def __getitem__(self, configuration: Any) -> Any:
            blocks, threads, on = configuration
            return lambda *args: launched.append((blocks, threads, host_driver.number(on), args))

    def program(a: Any, b: Any, n: Any) -> Any:
        out = driver.zeros((3,), np.float64)
        driver.launch(kernel, (n,), a, b, out)
        return out

    kernel = Kernel()
    a, b = Foreign(A), Foreign(A, stream=77)
    out = calls.run(program, [arrays.stand_in(a), arrays.stand_in(b), 300], [None, None, np.int64])
    assert host_driver.number(out.stream) == 77
    assert [(blocks, threads, on) for blocks, threads, on, _ in launched] == [((2,), (256,), 77)]
    assert gpu.log[0] == ("wait", 77, "for", 0)
    assert gpu.log[-1] == ("wait", 0, "for", 77)
    assert ("MemsetD8Async", 77) in gpu.log
    assert streams.current() == 0
    calls.run(
        program, [arrays.stand_in(a), arrays.stand_in(Foreign(A, stream=1)), 300], [None, None, np.int64]
    )
    assert launched[-1][2] == 0  # 1 is a name of the default stream


def test_the_stream_is_left_when_a_program_fails(gpu: Context) -> None:
    with pytest.raises(ZeroDivisionError), streams.running([arrays.adopted(Foreign(A, stream=77))]):
        raise ZeroDivisionError
    assert streams.current() == 0


def test_the_same_configuration_is_made_once_without_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.cuda import dispatcher

    wanted: list[int] = []

    class Kernel:
        def __getitem__(self, configuration: Any) -> Any:
            wanted.append(dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS)
            return object()

    kernel = Kernel()
    monkeypatch.setattr(dispatcher.config, "CUDA_LOW_OCCUPANCY_WARNINGS", 1)
    assert launching.configured(kernel, 1, 1) is launching.configured(kernel, 1, 1)
    assert wanted == [0]
    assert dispatcher.config.CUDA_LOW_OCCUPANCY_WARNINGS == 1


@pytest.mark.parametrize(
    ("extents", "most", "together", "blocks"),
    [
        ((10,), 65535, False, (1,)),
        ((10**9,), 65535, False, (65535,)),
        ((1000, 100), 65535, False, (4, 125)),
        ((10**6, 10**6, 40), 1024, True, (2, 512, 1)),
    ],
)
def test_geometry(extents: tuple[int, ...], most: int, together: bool, blocks: tuple[int, ...]) -> None:
    assert launching.geometry(extents, most, together)[0] == blocks


class Library:
    """A stand-in for CuPy that computes with NumPy."""

    def __init__(self) -> None:
        self.streams: list[int] = []
        self.cuda = self

    def ExternalStream(self, handle: int) -> Any:
        self.streams.append(handle)
        return pytest.MonkeyPatch.context()

    def asarray(self, a: Any) -> np.ndarray[Any, Any]:
        known = a.__cuda_array_interface__
        assert known["stream"] is None  # CuPy would wait for it
        found = arrays.described(known["shape"], known["strides"], known["typestr"], known["data"][0])
        return found

    matmul = staticmethod(np.matmul)


def test_products_by_another_library(gpu: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(products, "CUPY", library)
    a = arrays.to_device(A)
    b = arrays.view(arrays.to_device(A), (1, 0, 4, 1), (0, 0, 3, 1))
    out = driver.zeros((3, 3), np.float64)
    products.gemm(out, a, b)
    np.testing.assert_allclose(arrays.fetched(out), A @ A.T)
    with streams.running([a.bind(stream(77))]):
        products.gemm(out, a, b, True)
    np.testing.assert_allclose(arrays.fetched(out), 2.0 * A @ A.T)
    products.gemm(driver.zeros((0, 3), np.float64), a, b)
    assert library.streams == [0, 77]
