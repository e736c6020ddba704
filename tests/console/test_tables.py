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


WIDE = console.Table(
    "times",
    ("tool", "function", "gradient", "ratio", "against adjit", "memory", "compile", "deviation"),
    (("numpy-fd", "12.58 us", "~72.09 us", "~10.0", "~26.14x", "192 KiB", "1.64 s", "9e-16"),),
    frozenset(range(1, 8)),
)


def test_numbers_stay_whole_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    stream = io.StringIO()
    monkeypatch.setattr(tables, "decorated", lambda: True)
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("COLUMNS", "80")
    console.show(WIDE)
    title, *lines = stream.getvalue().splitlines()
    assert title == "times" and max(map(len, lines)) <= 80
    assert lines[-1].split() == " ".join(WIDE.rows[0]).split()
    words = " ".join(lines[:2]).split()
    assert sorted(words) == sorted(" ".join(WIDE.columns).split())


def test_the_colours_of_code_are_the_terminals_own(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    stream = io.StringIO()
    monkeypatch.setattr(tables, "decorated", lambda: True)
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    console.code("for x in y:\n    pass  # twice\n")
    printed = stream.getvalue()
    assert "\033[1mfor\033[0m" in printed and "\033[32m# twice" in printed
    assert "38;2;" not in printed and "48;2;" not in printed  # no colour that hides on another background
