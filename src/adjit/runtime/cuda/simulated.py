"""Whether Numba's CUDA simulator runs the kernels (`NUMBA_ENABLE_CUDASIM=1`), as plain Python on the CPU.

Its arrays are made here: in given memory, or over what `__cuda_array_interface__` describes, which it does
not read itself. Mended here: two threads of the simulator that ask for one shared array at the same time may
get two.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import config

from .described import described

SIMULATED = bool(config.ENABLE_CUDASIM)
_lock = threading.Lock()


def array(
    block: np.ndarray[Any, Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: Any,
    stream: Any,
    at_end: Callable[[], None],
) -> Any:
    """A device array in a block of memory; `at_end` is called when nobody holds it any more."""
    return _wrapped(described(shape, strides, dtype, block.ctypes.data, at_end=at_end), stream)


def adopted(interface: dict[str, Any], owner: Any) -> Any:
    """The device array that an interface describes; here its address is one of the host."""
    address, readonly = interface["data"]
    shape, strides = interface["shape"], interface.get("strides")
    seen = described(shape, strides, interface["typestr"], address, readonly)
    made = _wrapped(seen, interface.get("stream") or 0)
    made.owner = owner
    return made


def _wrapped(seen: np.ndarray[Any, Any], stream: Any) -> Any:
    from numba.cuda.cudadrv.devicearray import FakeCUDAArray

    return FakeCUDAArray(seen, stream)


def _mend() -> None:
    from numba.cuda.simulator import kernelapi

    shared = kernelapi.FakeCUDAShared

    def array(self: Any, shape: Any, dtype: Any) -> Any:
        caller = sys._getframe(1)
        place = (caller.f_code.co_filename, caller.f_lineno)
        with _lock:
            found = self._allocations.get(place)
            if found is None:
                kind = np.dtype(getattr(dtype, "name", None) or dtype)
                found = self._allocations[place] = np.empty(shape, kind)
        return found

    shared.array = array


if SIMULATED:
    _mend()
