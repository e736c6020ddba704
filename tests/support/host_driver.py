"""Numba's own array classes for the GPU over memory of the host: the few driver calls that they make are
replaced by copies here, and noted.

So what adjit does with real device arrays (memory, views, copies, streams) runs without a GPU. Kernels do
not: Numba's copy between strided arrays is one, and is replaced too. Works with Numba's own CUDA half and
with `numba-cuda`.
"""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import Any

import numpy as np
import pytest
from numba.cuda.cudadrv import devicearray, devices, driver

BOUND = getattr(driver, "binding", None)  # NVIDIA's own binding, which `numba-cuda` is built on


def number(handle: Any) -> int:
    """An address, or a stream or its handle, as an integer."""
    handle = getattr(handle, "handle", handle)
    found = getattr(handle, "value", handle)
    return 0 if found is None else int(found)


def pointer(address: int) -> Any:
    return ctypes.c_uint64(address) if BOUND is None else BOUND.CUdeviceptr(address)


class Event:
    def __init__(self, log: list[Any]) -> None:
        self.log, self.of = log, -1

    def record(self, stream: Any = 0) -> None:
        self.of = number(stream)

    def wait(self, stream: Any = 0) -> None:
        self.log.append(("wait", number(stream), "for", self.of))


class Context:
    """Stands for the device; `blocks` is what is allocated now, `log` what was asked of the driver."""

    class device:
        id = 0

    def __init__(self) -> None:
        self.blocks: dict[int, np.ndarray[Any, Any]] = {}
        self.log: list[Any] = []
        self.kept: list[Any] = []

    def memalloc(self, size: int) -> Any:
        block = np.full(size, 0xEE, np.uint8)
        address = block.ctypes.data
        self.blocks[address] = block
        self.log.append(("allocate", size))

        def freed() -> None:
            del self.blocks[address]

        made = driver.AutoFreePointer(weakref.proxy(self), pointer(address), size, finalizer=freed)
        self.kept.append(made)  # as Numba's memory manager does
        return made.own()

    def create_external_stream(self, handle: int) -> Any:
        return stream(handle)

    def get_default_stream(self) -> Any:
        return stream(0)

    def create_event(self, timing: bool = True) -> Event:
        return Event(self.log)


def stream(handle: int) -> Any:
    if BOUND is None:
        return driver.Stream(None, ctypes.c_void_p(handle), None, external=True)
    return driver.Stream(BOUND.CUstream(handle), external=True)


class Driver:
    """Copies and memory, at once, whichever stream they are for."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> None:
            if name == "cuStreamSynchronize":
                self.log.append(("finish", number(args[0])))
                return
            to, source, size = number(args[0]), args[1], args[2]
            self.log.append((name.removeprefix("cu"), number(args[3]) if len(args) > 3 else 0))
            if name.startswith("cuMemcpy"):
                ctypes.memmove(to, number(source), size)
            elif name.startswith("cuMemset"):
                ctypes.memset(to, source, size)
            else:
                raise AssertionError(f"the driver's {name} is not replaced")

        return call


def install(monkeypatch: pytest.MonkeyPatch) -> Context:
    """Replace the driver until the test ends."""
    from adjit.runtime.cuda import memory
    from adjit.runtime.cuda.described import described

    context = Context()

    def seen(a: Any) -> np.ndarray[Any, Any]:
        return described(a.shape, a.strides, a.dtype, number(a.device_ctypes_pointer.value or 0))

    def setitem(self: Any, key: Any, value: Any, stream: Any = 0) -> None:
        context.log.append(("kernel", number(stream)))
        seen(self)[key] = seen(value)

    monkeypatch.setattr(devices._runtime, "get_or_create_context", lambda devnum: context)
    monkeypatch.setattr(devices._runtime, "ensure_context", contextlib.nullcontext)
    monkeypatch.setattr(driver, "driver", Driver(context.log))
    monkeypatch.setattr(driver, "get_devptr_for_active_ctx", pointer)
    monkeypatch.setattr(devicearray.DeviceNDArray, "setitem", setitem)
    monkeypatch.setattr(memory, "POOL", memory.Pool(context.memalloc))
    return context
