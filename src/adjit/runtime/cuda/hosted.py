"""Library routines that have no form on the GPU: they run on the host, on copies of their arrays.

Input: the name of a routine (`hosted.cholesky`), its arguments, arrays of the device among them. Output: what
it writes, on the device. One warning per process says so. Invariants: a copy waits for what is queued before
it, on the stream of its array; failures are NumPy's own. Non-goals: matrix products (`products`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import options
from ...compiler.library import ROUTINES
from ...errors import warn_once
from .. import draws, forwarding, routines
from . import arrays


def __getattr__(name: str) -> Callable[..., None]:
    if name not in ROUTINES:
        raise AttributeError(name)
    return _hosted(name)


@functools.cache
def _hosted(name: str) -> Callable[..., None]:
    routine = ROUTINES[name]

    def call(*args: Any) -> None:
        warn_once(
            "adjit-cuda-host",
            f"`{name}` has no form on the GPU: its arrays are copied to the host and back at each call",
        )
        there = [k for k, a in enumerate(args) if arrays.is_numbas(a)]
        here = list(args)
        for k in there:
            fresh = k in routine.writes and k not in routine.reads
            here[k] = np.empty(args[k].shape, args[k].dtype) if fresh else arrays.fetched(args[k])
        _run(name)(*here)
        for k in there:
            if k in routine.writes:
                arrays.copy(args[k], arrays.to_device(here[k]))

    return call


def _run(name: str) -> Callable[..., None]:
    """The routine, compiled unless that is switched off."""
    plain: Callable[..., None] = getattr(draws if name.startswith("draw_") else routines, name)
    if options.jit_disabled():
        return plain
    compiled: Callable[..., None] = forwarding.COMPILED[plain]
    return compiled
