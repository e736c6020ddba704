"""A call of a program on the GPU: arguments on the way in, results on the way out.

Input: the arguments of the user's call. Output: stand-ins for their arrays, before the call; the arrays of
the device, for the program; the caller's own objects, for results that are arguments. Invariants: an array
that is passed twice is copied once; what the program wrote into arrays of the host is put there after the
call; a program runs on the stream of its arguments. Non-goals: which program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import cuda

from ...errors import BackendError, MissingRuleError
from .. import pytree
from . import streams
from .arrays import StandIn, copy_back, duplicate, is_device_array, is_numbas, stand_in, to_device
from .simulated import SIMULATED

_found: list[bool] = []


def find_device() -> None:
    """Refuse to go on without a GPU or the simulator."""
    if _found:
        return
    if not SIMULATED and not cuda.is_available():
        raise BackendError(
            'target="cuda" needs a GPU, and CUDA finds none',
            why="Numba could not open the driver, or there is no device",
            hint='pass target="cpu", or set NUMBA_ENABLE_CUDASIM=1 before Python starts to run kernels in '
            "Numba's simulator",
        )
    _found.append(True)


def arguments(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with stand-ins in the place of arrays."""
    known: dict[int, StandIn] = {}

    def one(value: Any) -> Any:
        if isinstance(value, StandIn):
            return value
        if isinstance(value, np.ndarray) or is_device_array(value):
            if id(value) not in known:
                known[id(value)] = _stood(value)
            return known[id(value)]
        node = pytree.children(value)
        if node is None:
            return value
        kind, keys, parts = node
        return pytree.rebuild(kind, keys, [one(p) for p in parts])

    return tuple(one(a) for a in args)


def _stood(value: Any) -> StandIn:
    if isinstance(value, np.ndarray) and value.dtype.kind != "c":
        pytree.array_spec(value, "an argument")  # refuses what adjit does not handle
    made = stand_in(value)
    if made.dtype.kind == "c":
        raise MissingRuleError(
            "complex arrays are not passed to the GPU", hint="pass real and imaginary parts"
        )
    return made


def run(program: Callable[..., Any], leaves: Sequence[Any], scalars: Sequence[Any]) -> Any:
    """Call a program with what the leaves stand for; `scalars` are the types of those that are numbers."""
    find_device()
    there = [x._memory if isinstance(x, StandIn) else x for x in leaves]
    with streams.running([x for x in there if is_numbas(x)]):
        entering = [
            x.memory if isinstance(x, StandIn) else to_device(x) if isinstance(x, np.ndarray) else x
            for x in leaves
        ]
        return program(*(x if t is None else t(x) for x, t in zip(entering, scalars, strict=True)))


def given(x: Any) -> Any:
    """The caller's own object for an argument."""
    return x.given if isinstance(x, StandIn) else x


def leaving(leaves: Sequence[Any], written: Sequence[int]) -> None:
    """After the call: arrays of the host receive what was written."""
    for k in written:
        if isinstance(leaves[k], StandIn):
            copy_back(leaves[k])


def kept(x: Any, used: bool) -> Any:
    """An argument as a saved value: a copy, if its elements will be `used` and the caller may change them."""
    if isinstance(x, np.ndarray) and not isinstance(x, StandIn):
        return to_device(x)
    copied = isinstance(x.given, np.ndarray)
    return x.memory if copied or not used else duplicate(x.memory)


def apart(values: list[Any], chosen: Sequence[int]) -> None:
    """Put copies in the place of the chosen arrays; an array that stands twice is copied once."""
    known: dict[int, Any] = {}
    for k in chosen:
        if is_numbas(values[k]):
            known.setdefault(id(values[k]), duplicate(values[k]))
    for k, value in enumerate(values):
        values[k] = known.get(id(value), value)
