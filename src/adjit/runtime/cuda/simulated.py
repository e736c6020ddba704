"""Whether Numba's CUDA simulator runs the kernels (`NUMBA_ENABLE_CUDASIM=1`), as plain Python on the CPU.

Mended here: two threads of the simulator that ask for one shared array at the same time may get two.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
from numba.core import config

SIMULATED = bool(config.ENABLE_CUDASIM)
_lock = threading.Lock()


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
