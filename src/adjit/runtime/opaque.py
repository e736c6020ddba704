"""The compiled functions of the user's that generated programs call as they are.

A generated module imports a function under the name that `compiler.opaque` gave it. Invariant: only functions
that this process has met are found; a program from the cache brings them along as guards. Non-goals: what a
call means.
"""

from __future__ import annotations

from typing import Any

from ..compiler.opaque import FUNCTIONS
from .support import jitable


@jitable
def laid_out(lengths: Any, a: Any) -> Any:
    """The elements of an array in C order, and its lengths."""
    for k in range(a.ndim):
        lengths[k] = a.shape[k]
    return a.ravel()


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(name)
    return FUNCTIONS[name]
