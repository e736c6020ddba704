"""Progress appears only for what lasts, and on standard error only."""

from __future__ import annotations

import io
import time

import pytest

from adjit import console
from adjit.console import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_short_work_draws_nothing() -> None:
    stream = io.StringIO()
    with console.steps(2, "work", stream) as bar:
        bar.step("more")
    assert stream.getvalue() == ""


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_long_work_is_drawn(kind: type[io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "APART", 0.1)
    stream = kind()
    with console.steps(2, "first", stream) as bar:
        time.sleep(0.3)
        bar.step("second")
        time.sleep(0.3)
    text = stream.getvalue()
    assert "0/2" in text and "first" in text
    assert "1/2" in text and "second" in text
    assert ("\r" in text) == (kind is Terminal)
