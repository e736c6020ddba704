"""Errors on their way out of compiled code: kept under a number, found by it, forgotten in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from adjit.runtime import surfacing
from adjit.runtime.support import Failure
from adjit.runtime.surfacing import Origin, Surfaced, kept


@pytest.fixture
def origin() -> Origin:
    def second(x):
        return x[1] * x[0]

    gradient = adjit.grad(second)
    gradient(np.ones(2))
    (entries,) = gradient.entries.values()  # type: ignore[attr-defined]
    return Origin(entries[0].runner.text)


def test_a_failed_check_is_the_error_at_the_line(origin: Origin) -> None:
    site = next(k for k, s in enumerate(origin.text.sites) if s.array)
    found: Any = Surfaced(kept(origin, Failure, (site, 1, 1)))
    assert isinstance(found, adjit.OutOfBoundsError)
    assert "index 1 is out of bounds for axis 0 of 'x' with size 1" in str(found)
    assert found.location is not None and found.location.function == "second"


@pytest.mark.parametrize("value", [("too large",), "too large", ValueError("too large")], ids=type)
def test_errors_that_python_has_not_made_yet(origin: Origin, value: object) -> None:
    found: Any = Surfaced(kept(origin, ValueError, value))
    assert type(found) is ValueError and found.args == ("too large",)
    assert type(Surfaced(kept(origin, MemoryError, None))) is MemoryError


def test_errors_are_forgotten_in_time(origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surfacing, "MOST_KEPT", 2)
    first, *others = [kept(origin, KeyError, (k,)) for k in range(3)]
    assert [Surfaced(n).args for n in others] == [(1,), (2,)]
    assert type(Surfaced(first)) is RuntimeError and type(Surfaced(0)) is RuntimeError
