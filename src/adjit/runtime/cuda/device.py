"""Functions that kernels call: elementary and special functions, sums of blocks, notes of failed checks.

On a GPU the elementary functions are those of CUDA's own library, reached through `math`; the special ones
are `runtime.evaluations` compiled for the device. In the simulator all are NumPy's and SciPy's. Invariants:
the dtype of the operand is kept, NaN spreads. Non-goals: accuracy beyond CUDA's.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from ...compiler.ops.special import NAMES as SPECIAL
from .. import evaluations, special
from .simulated import SIMULATED

THREADS = 256  # the most that a block has

ELEMENTARY = {
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "arctan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "hypot": math.hypot,
    "copysign": math.copysign,
    "fmod": math.fmod,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
}


class _Simulated:
    """`numba.cuda` as the kernel that runs now sees it: the simulator exchanges the module's name in the
    kernel only, safely.
    """

    def __getattr__(self, name: str) -> Any:
        from numba.cuda.simulator.kernel import _get_kernel_context

        return getattr(_get_kernel_context(), name)


def on_device(function: Callable[..., Any]) -> Any:
    """A function that kernels can call."""
    if not SIMULATED:
        return cuda.jit(device=True)(function)
    names = {**function.__globals__, "cuda": _Simulated()}
    return types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )


def smul(ct: Any, p: Any) -> Any:
    """`ct * p`, and zero where `ct` is zero even if `p` is infinite or NaN."""
    return ct * p if ct != 0 else ct


def maximum(a: Any, b: Any) -> Any:
    """The larger one; NaN if either is."""
    return a if a >= b or a != a else b


def minimum(a: Any, b: Any) -> Any:
    """The smaller one; NaN if either is."""
    return a if a <= b or a != a else b


def sign(x: Any) -> Any:
    """-1, 0 or 1, or NaN."""
    if x > 0:
        return 1.0
    if x < 0:
        return -1.0
    return x * 1.0


def rint(x: Any) -> Any:
    """The nearest whole number, the even one of two."""
    return cuda.libdevice.rint(np.float64(x))


def exp2(x: Any) -> Any:
    return cuda.libdevice.exp2(np.float64(x))


def note(status: Any, site: int, index: int, length: int) -> None:
    """The first failed check: its number, counted from one; the index and length that do not fit."""
    if cuda.atomic.cas(status, 0, 0, site + 1) == 0:
        status[1] = index
        status[2] = length
        status[3] = 1 if length >= 0 else 0


def _summing(dtype: Any) -> Callable[..., None]:
    """A function that adds up a value of each thread of a block into `sums[block]`."""

    def sum_of_block(value: Any, sums: Any) -> None:
        memory = cuda.shared.array(THREADS, dtype)
        own = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
        memory[own] = value
        cuda.syncthreads()
        half = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z // 2
        while half > 0:
            if own < half:
                memory[own] += memory[own + half]
            cuda.syncthreads()
            half //= 2
        if own == 0:
            block = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
            sums[block] = memory[0]
        cuda.syncthreads()

    return sum_of_block


def _totalling(dtype: Any, sum_of_block: Any) -> Any:
    """A kernel of one block that adds up the sums of all blocks."""

    def total(parts: Any, out: Any) -> None:
        s = dtype(0)
        for k in range(cuda.threadIdx.x, parts.shape[0], cuda.blockDim.x):
            s += parts[k]
        sum_of_block(s, out)

    return cuda.jit(total)


def _special() -> dict[str, Any]:
    """The special functions compiled for the device: they call each other by the names of this dictionary."""
    names: dict[str, Any] = {k: v for k, v in vars(evaluations).items() if not k.startswith("__")}
    for name, found in vars(evaluations).items():
        plain = getattr(found, "py_func", None)
        if plain is not None:
            own = types.FunctionType(plain.__code__, names, name, plain.__defaults__)
            names[name] = cuda.jit(device=True)(own)
    return names


def _functions() -> dict[str, Any]:
    """What each name means here."""
    own = {f.__name__: on_device(f) for f in (smul, maximum, minimum, note)}
    for dtype in ("float32", "float64", "int64"):
        own[f"sum_{dtype}"] = on_device(_summing(np.dtype(dtype).type))
    if SIMULATED:
        names = (*ELEMENTARY, "exp2", "rint", "sign")
        return {**own, **{k: getattr(np, k) for k in names}, **{k: getattr(special, k) for k in SPECIAL}}
    found = _special()
    more = {f.__name__: cuda.jit(device=True)(f) for f in (sign, rint, exp2)}
    return {**own, **ELEMENTARY, **more, **{k: found[k] for k in SPECIAL}}


FUNCTIONS = _functions()
TOTALS = {d: _totalling(np.dtype(d).type, FUNCTIONS[f"sum_{d}"]) for d in ("float32", "float64", "int64")}
globals().update(FUNCTIONS)
