"""An array as other libraries for GPUs hand it on: an object with `__cuda_array_interface__`, over memory of
the host, which is where the simulator's device has its memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Foreign:
    """`more` are further entries of the interface, such as `stream`."""

    def __init__(self, a: np.ndarray[Any, Any], readonly: bool = False, **more: Any) -> None:
        self.a = a
        self.__cuda_array_interface__ = {
            "shape": a.shape,
            "strides": None if a.flags.c_contiguous else a.strides,
            "typestr": a.dtype.str,
            "data": (a.ctypes.data, readonly),
            "version": 3,
            **more,
        }
