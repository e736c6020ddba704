"""A progress bar on standard error for what lasts over two seconds.

Input: how many steps there are, then a note per step. Output: nothing for work that is over at once; on a
terminal one line drawn over itself, elsewhere a line now and then. A thread draws, so that the seconds go
on while a step compiles. Invariants: standard output is left alone; the thread ends with the block.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

PATIENCE = 2.0
APART = 5.0  # seconds between lines where there is no terminal
WIDTH = 24


class Steps:
    """The state of one piece of work. `step(note)` says what begins now."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.stream = stream or sys.stderr
        self.terminal = self.stream.isatty()
        self.done = -1
        self.note = ""
        self.start = time.monotonic()
        self.drawn = -2  # the step of the latest line
        self.at = -APART  # when it was drawn
        self.lock = threading.Lock()

    def step(self, note: str) -> None:
        with self.lock:
            self.done = min(self.done + 1, self.total)
            self.note = note

    def line(self) -> str:
        done = max(self.done, 0)
        filled = WIDTH * done // max(1, self.total)
        spent = time.monotonic() - self.start
        bar = "#" * filled + "." * (WIDTH - filled)
        return f"[{bar}] {done}/{self.total} {spent:4.0f} s  {self.note}"

    def draw(self) -> None:
        with self.lock:
            if time.monotonic() - self.start < PATIENCE:
                return
            if self.terminal:
                self.stream.write(f"\r\033[K{self.line()[:100]}")
                self.stream.flush()
            elif self.drawn != self.done and time.monotonic() - self.start - self.at >= APART:
                self.stream.write(self.line() + "\n")
                self.stream.flush()
                self.at = time.monotonic() - self.start
            else:
                return
            self.drawn = self.done

    def clear(self) -> None:
        if self.terminal and self.drawn > -2:
            self.stream.write("\r\033[K")
            self.stream.flush()


@contextmanager
def steps(total: int, note: str = "", stream: TextIO | None = None) -> Iterator[Steps]:
    """A bar over the block, shown only if the block lasts."""
    state = Steps(total, stream)
    if note:
        state.step(note)
    over = threading.Event()

    def drawing() -> None:
        while not over.wait(0.2):
            state.draw()

    thread = threading.Thread(target=drawing, daemon=True, name="adjit-progress")
    thread.start()
    try:
        yield state
    finally:
        over.set()
        thread.join()
        state.clear()
