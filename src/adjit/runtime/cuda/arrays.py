"""Arrays on the device: made from arguments, allocated, viewed, copied.

Input: device arrays of any library (through `__cuda_array_interface__`) or arrays of the host, which are
copied, with one warning per process. Output: Numba's device arrays. `StandIn` is how the rest of adjit sees a
device array: an `ndarray` of the same shape, strides, type and address, from which types and overlaps are
found. Invariants: the elements of a stand-in are never touched; what is queued here goes to the stream of the
array it is about, or to the current one for a new array. Non-goals: kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ...errors import warn_once
from . import memory, simulated, streams
from .described import described
from .simulated import SIMULATED


class StandIn(np.ndarray[Any, Any]):
    """An array of the device, its elements out of reach; `given` is what was passed."""

    given: Any
    _memory: Any

    @property
    def memory(self) -> Any:
        """Numba's array; a copy of the host's is made when it is first asked for."""
        if self._memory is None:
            warn_once(
                "adjit-cuda-copy",
                'an argument of a function with target="cuda" is an array of the host: it is copied to the '
                "GPU at each call; pass a device array (numba.cuda.to_device, CuPy, torch) to avoid that",
            )
            self._memory = to_device(self.given)
        return self._memory

    def copy(self, order: Any = "C") -> StandIn:
        """A stand-in for a copy on the device."""
        return stand_in(duplicate(self.memory))

    def __repr__(self) -> str:
        return f"<array on the device of shape {self.shape}>"

    __str__ = __repr__


def is_device_array(a: Any) -> bool:
    """Whether an argument is an array of the device."""
    if isinstance(a, np.ndarray):
        return False
    return hasattr(a, "__cuda_array_interface__") or is_numbas(a)


def is_numbas(a: Any) -> bool:
    """Whether an array is a device array of Numba's own."""
    return getattr(a, "__cuda_ndarray__", False) is True


def stand_in(given: Any) -> StandIn:
    """The stand-in of an argument."""
    own, seen = None, given
    if not isinstance(given, np.ndarray):
        own = adopted(given)
        seen = _seen(own, given)
    made: StandIn = seen.view(StandIn)
    made._memory, made.given = own, given
    return made


def adopted(given: Any) -> Any:
    """Numba's array for a device array of any library: the same memory, the same stream, no waiting."""
    if is_numbas(given):
        return given
    if SIMULATED:
        return simulated.adopted(given.__cuda_array_interface__, given)
    return cuda.as_cuda_array(given, sync=False)


def _seen(device: Any, given: Any) -> np.ndarray[Any, Any]:
    if SIMULATED:
        inner: np.ndarray[Any, Any] = device._ary
        return inner
    address = device.device_ctypes_pointer.value or 0
    _, readonly = given.__cuda_array_interface__["data"]
    return described(device.shape, device.strides, device.dtype, address, readonly)


def to_device(a: np.ndarray[Any, Any]) -> Any:
    """A copy on the device, of the same order of axes; the host's array may change from then on."""
    if not (a.flags.c_contiguous or a.flags.f_contiguous):
        a = np.ascontiguousarray(a)
    made = memory.array(a.shape, a.dtype, "C" if a.flags.c_contiguous else "F")
    if a.size:
        made.copy_to_device(a)
        streams.finished(made.stream)
    return made


def fetched(a: Any) -> np.ndarray[Any, Any]:
    """A copy on the host: waits for the stream of the array."""
    if not (a.flags["C_CONTIGUOUS"] or a.flags["F_CONTIGUOUS"]):
        a = duplicate(a)
    made: np.ndarray[Any, Any] = a.copy_to_host()
    streams.finished(a.stream)
    return made


def copy_back(stood: StandIn) -> None:
    """Put what a program wrote into the caller's own array, where that is on the host."""
    if isinstance(stood.given, np.ndarray):
        stood.given[...] = fetched(stood.memory)


def empty(shape: Any, dtype: Any) -> Any:
    """An array of any contents; negative lengths count as zero."""
    return memory.array(tuple(max(int(n), 0) for n in shape), dtype)


def copy(target: Any, source: Any) -> None:
    """Copy between arrays of the device of one shape and any strides."""
    if SIMULATED:
        target._ary[...] = source._ary
    elif target.size == 0:
        return
    elif target.strides == source.strides and target.flags["C_CONTIGUOUS"]:
        target.copy_to_device(source)
    else:  # Numba waits for this copy unless a stream is named
        axes = (slice(None),) * target.ndim
        target.setitem(axes, source, stream=target.stream or cuda.default_stream())


def duplicate(a: Any) -> Any:
    """A contiguous copy on the device."""
    order = "F" if a.flags["F_CONTIGUOUS"] and not a.flags["C_CONTIGUOUS"] else "C"
    with streams.running([a]):
        made = memory.array(tuple(a.shape), a.dtype, order)
    copy(made, a)
    return made


def view(a: Any, *axes: tuple[int | None, int, int, int], fixed: tuple[tuple[int, int], ...] = ()) -> Any:
    """A strided view: per axis of the result (axis of `a` or None, start, length, step); `fixed` axes go."""
    offset = sum(int(i) * a.strides[axis] for axis, i in fixed)
    shape, strides = [], []
    for axis, start, length, step in axes:
        shape.append(max(int(length), 0))
        if axis is None:
            strides.append(0)
            continue
        strides.append(a.strides[axis] * int(step))
        if length > 0:
            offset += int(start) * a.strides[axis]
    return _strided(a, offset, tuple(shape), tuple(strides))


def _strided(a: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    if 0 in shape:
        return empty(shape, a.dtype)
    if SIMULATED:
        inner = a._ary
        address = inner.__array_interface__["data"][0] + offset
        seen = described(shape, strides, a.dtype, address)
        seen = np.lib.stride_tricks.as_strided(seen, shape, strides)
        made = type(a)(seen, a.stream)
        made.base = a  # keeps the memory
        return made
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    extent = a.dtype.itemsize + sum((n - 1) * abs(step) for n, step in zip(shape, strides, strict=True))
    return DeviceNDArray(shape, strides, a.dtype, a.stream, a.gpu_data.view(offset, offset + extent))
