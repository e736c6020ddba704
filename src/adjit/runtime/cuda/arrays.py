"""Arrays on the device: made from arguments, allocated, viewed.

Input: device arrays of any library (through `__cuda_array_interface__`) or arrays of the host, which are
copied, with one warning per process. Output: Numba's device arrays. `StandIn` is how the rest of adjit sees a
device array: an `ndarray` of the same shape, strides, type and address, from which types and overlaps
are found. Invariants: the elements of a stand-in are never touched. Non-goals: kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ...errors import warn_once
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


class _Description:
    def __init__(self, described: dict[str, Any]) -> None:
        self.__array_interface__ = described


def described(shape: Any, strides: Any, dtype: Any, address: int) -> np.ndarray[Any, Any]:
    """An array that says where its elements would be."""
    if 0 in shape:
        return np.empty(shape, dtype)
    made = {"shape": shape, "strides": strides, "typestr": np.dtype(dtype).str, "data": (address, False)}
    return np.asarray(_Description({**made, "version": 3}))


def is_device_array(a: Any) -> bool:
    """Whether an argument is an array of the device."""
    if isinstance(a, np.ndarray):
        return False
    return hasattr(a, "__cuda_array_interface__") or (SIMULATED and hasattr(a, "copy_to_host"))


def stand_in(given: Any) -> StandIn:
    """The stand-in of an argument."""
    memory, seen = None, given
    if not isinstance(given, np.ndarray):
        memory = given if SIMULATED else cuda.as_cuda_array(given)
        seen = _seen(memory)
    made: StandIn = seen.view(StandIn)
    made._memory, made.given = memory, given
    return made


def _seen(device: Any) -> np.ndarray[Any, Any]:
    if SIMULATED:
        inner: np.ndarray[Any, Any] = device._ary
        return inner
    address = device.device_ctypes_pointer.value or 0
    return described(device.shape, device.strides, device.dtype, address)


def to_device(a: np.ndarray[Any, Any]) -> Any:
    """A copy on the device, of the same order of axes."""
    return cuda.to_device(a if a.flags.c_contiguous or a.flags.f_contiguous else np.ascontiguousarray(a))


def copy_back(stood: StandIn) -> None:
    """Put what a program wrote into the caller's own array, where that is on the host."""
    if isinstance(stood.given, np.ndarray):
        stood.given[...] = stood.memory.copy_to_host()


def empty(shape: Any, dtype: Any) -> Any:
    """An array of any contents; negative lengths count as zero."""
    return cuda.device_array(tuple(max(int(n), 0) for n in shape), dtype)


def copy(target: Any, source: Any) -> None:
    """Copy between contiguous arrays of the device."""
    if SIMULATED:
        target._ary[...] = source._ary
    else:
        target.copy_to_device(source)


def duplicate(a: Any) -> Any:
    """A contiguous copy on the device."""
    if SIMULATED:
        return cuda.to_device(a._ary)
    if not (a.flags["C_CONTIGUOUS"] or a.flags["F_CONTIGUOUS"]):
        return cuda.to_device(a.copy_to_host())
    made = cuda.device_array_like(a)
    made.copy_to_device(a)
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
        made = type(a)(seen)
        made.base = a  # keeps the memory
        return made
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    return DeviceNDArray(shape, strides, a.dtype, gpu_data=a.gpu_data.view(offset))
