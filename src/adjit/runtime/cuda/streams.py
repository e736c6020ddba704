"""On which stream a program runs: on that of its arguments.

Input: the arrays of a call, each with the stream that its library works on (Numba's `stream`, the entry of
that name in `__cuda_array_interface__`). Output: inside `running`, `current()` is the first stream that is
not the default one; what is queued on the streams of the other arrays goes before, and what is queued on them
later goes behind. Streams wait for each other on the device. Invariants: the host waits for none of them.
Non-goals: streams of one program's own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numba import cuda

from .simulated import SIMULATED

DEFAULT = 0
LEGACY = 1  # CUDA's explicit name of the default stream

_thread = threading.local()


def current() -> Any:
    """The stream that kernels are launched on now, as Numba's functions take it."""
    return getattr(_thread, "stream", DEFAULT)


def number(stream: Any) -> int:
    """What tells streams apart; 0 is the default one."""
    if SIMULATED and not hasattr(stream, "__int__"):
        return id(stream)
    shared = getattr(stream, "__cuda_stream__", None)  # by which libraries tell each other
    handle = int(stream if shared is None else shared()[1])
    return DEFAULT if handle == LEGACY else handle


@contextmanager
def running(arrays: Sequence[Any]) -> Iterator[None]:
    """Run what is inside on the stream of the arrays."""
    found = {number(a.stream): a.stream for a in arrays}
    own = next((n for n in found if n != DEFAULT), DEFAULT)
    stream = found.pop(own) if own != DEFAULT else DEFAULT
    others = [s for n, s in found.items() if n != own]
    for other in others:
        follow(stream, other)
    before = current()
    _thread.stream = stream
    try:
        yield
    finally:
        _thread.stream = before
        for other in others:
            follow(other, stream)


def follow(later: Any, earlier: Any) -> None:
    """What is queued on `later` from now on waits for what has been queued on `earlier`."""
    event = cuda.event(timing=False) if not SIMULATED else cuda.event()
    event.record(earlier)
    event.wait(later)


def finished(stream: Any) -> None:
    """Wait until a stream has done what is queued on it; copies of the default stream have waited already."""
    if number(stream) != DEFAULT:
        stream.synchronize()
