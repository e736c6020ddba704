"""Tables as text, and as a picture where rich is installed."""

from __future__ import annotations

import io

import pytest

from adjit import console
from adjit.console import tables

TABLE = console.Table(
    "sizes", ("name", "bytes"), (("[h]", "80"), ("total", "1080")), frozenset({1}), ("a note",)
)


def test_plain() -> None:
    lines = console.render(TABLE).splitlines()
    assert lines == ["sizes", "name   bytes", "-----  -----", "[h]       80", "total   1080", "a note"]


def test_what_is_piped_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    console.show(TABLE)
    console.code("x = 1")
    assert capsys.readouterr().out == console.render(TABLE) + "\nx = 1\n"


def test_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    stream = io.StringIO()
    monkeypatch.setattr(tables, "decorated", lambda: True)
    monkeypatch.setattr("sys.stdout", stream)
    console.show(TABLE)
    console.code("x = 1")
    printed = stream.getvalue()
    assert "[h]" in printed and "a note" in printed and "━" in printed and "x" in printed
