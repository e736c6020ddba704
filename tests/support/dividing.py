"""Loops divided among threads however little they do, with the threads of uncompiled runs in reverse order.

Uncompiled, the shares of passes run one after the other. In reverse they show what one share needs of an
earlier one, which in order would go unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from adjit.compiler.threads import cost, nests
from adjit.options import jit_disabled
from adjit.runtime import together


def backwards(part: Callable[..., None], threads: int, workers: int, arguments: tuple[Any, ...]) -> None:
    """As `in_threads`, the last thread first."""
    for thread in reversed(range(threads)):
        part(thread, threads, *arguments)


@contextmanager
def eagerly() -> Iterator[None]:
    """Divide every loop that can be divided. Programs made meanwhile are to have `cache=False`."""
    with (
        mock.patch.object(cost, "WORTH", 0),
        mock.patch.object(cost, "PER_COPY", 0),
        mock.patch.object(nests, "FEW", 1),
        mock.patch.object(nests, "LIGHTEST", 0),
        mock.patch.object(together, "in_threads", backwards if jit_disabled() else together.in_threads),
    ):
        yield
