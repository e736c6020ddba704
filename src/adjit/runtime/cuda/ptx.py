"""Kernels as PTX, without a GPU: what the real compiler makes of a generated module.

Input: the text of a module for the GPU and a compute capability. Output: PTX by kernel. Needs `numba-cuda`
with its toolkit (`pip install adjit[cuda]`), not a device. Non-goals: running.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
from numba import cuda

from ...compiler.codegen.linemap import Text
from ...compiler.ir.types import Array, Type
from . import modules

Capability = tuple[int, int]


def numba_type(t: Type) -> Any:
    kind = numba.from_dtype(np.dtype(t.dtype))
    return numba.types.Array(kind, t.ndim, t.layout) if isinstance(t, Array) else kind


def compile_all(text: Text, capability: Capability) -> dict[str, str]:
    """PTX of each kernel of a module."""
    program = modules.namespace(text, f"<{text.name}>")
    made = {}
    with device_of(capability):
        for name, types in text.kernels:
            signature = numba.types.void(*(numba_type(t) for t in types))
            made[name], _ = cuda.compile_ptx(program[name].py_func, signature, cc=capability)
    return made


@contextmanager
def device_of(capability: Capability) -> Iterator[None]:
    """Functions that kernels call are compiled for the present device: say which one, though there is
    none.
    """
    from numba.cuda import dispatcher

    kept = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = kept
