"""The few functions that generated programs call.

Each runs as plain Python and, called from a compiled function, is compiled by Numba with it. Invariants: they
follow NumPy's arithmetic (NaN spreads) and keep the dtype of their operands. Non-goals: library routines
(`routines`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.extending import register_jitable

from .carving import take as take
from .carving import take_zeros as take_zeros
from .failure import Failure
from .halves import from_bfloat16 as from_bfloat16
from .halves import from_float16 as from_float16
from .halves import to_bfloat16 as to_bfloat16
from .halves import to_float16 as to_float16
from .instructions import empty as empty
from .instructions import maximum as maximum
from .instructions import minimum as minimum
from .instructions import smul as smul
from .instructions import zeros as zeros

Jitable = TypeVar("Jitable", bound=Callable[..., Any])


def jitable(function: Jitable) -> Jitable:
    """Callable from compiled code too, where Numba compiles it."""
    made: Jitable = register_jitable(function)
    return made


@jitable
def put(out: Any, values: Any) -> None:
    """Copy a vector or a matrix, element by element: Numba takes seconds to compile `out[...] = values`."""
    if out.ndim == 1:
        for i in range(out.shape[0]):
            out[i] = values[i]
    else:
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = values[i, j]


uint = np.uint64  # an index that is known not to be negative: Numba then leaves out its check for that


@jitable
def failed(site: int) -> None:
    raise Failure(site)


@jitable
def failed_at(site: int, values: Any) -> None:
    raise Failure(site, values)


@jitable
def failed_with(site: int, x: int, y: int) -> None:
    raise Failure(site, x, y)


@jitable
def outside(site: int, index: int, length: int) -> None:
    raise Failure(site, index, length)


@jitable
def grow(a: Any, i: int) -> Any:
    """A longer copy of `a` that has an element `i`; what is new is zero."""
    length = a.shape[0]
    longer = zeros(maximum(maximum(2 * length, i + 1), 64), a.dtype)
    for k in range(length):  # Numba takes seconds to compile the assignment of a slice
        longer[k] = a[k]
    return longer


@jitable
def stop_of(start: int, length: int, step: int, n: int) -> int:
    """The third bound of a slice of an axis of length `n` that takes `length` elements from `start` on."""
    stop = start + length * step
    if length <= 0:
        stop = start
    return stop if stop >= 0 else -n - 1


@jitable
def share(lo: int, passes: int, k: int, threads: int, step: int) -> int:
    """Where share `k` of the passes of a loop begins, and share `k - 1` ends."""
    return lo + (passes * k // threads) * step


@jitable
def own(array: Any, copies: Any, thread: int) -> Any:
    """The array that a thread adds to: the first one has the array itself."""
    return copies[thread - 1] if thread > 0 else array


@jitable
def note(status: Any, thread: int, code: int, shown: int, x: int, y: int) -> None:
    """A check failed in a thread; `code` is the number of the check plus 2. `shown`: it has two numbers."""
    status[thread, 0] = code
    status[thread, 1] = shown
    status[thread, 2] = x
    status[thread, 3] = y


@jitable
def surface(status: Any) -> None:
    """Raise the failure of the first thread that has one: an error inside a thread is lost."""
    for thread in range(status.shape[0]):
        code = status[thread, 0]
        if code == 0:
            raise MemoryError("a thread could not finish")
        if code != 1 and status[thread, 1] != 0:
            raise Failure(code - 2, status[thread, 2], status[thread, 3])
        if code != 1:
            raise Failure(code - 2)
