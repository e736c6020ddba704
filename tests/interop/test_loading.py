"""`adjit.interop` is at hand without an import of its own, and loads a tool only where it is used."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import adjit
import adjit.interop


def test_names() -> None:
    assert dir(adjit.interop) == ["jax", "pytensor", "torch"]
    with pytest.raises(AttributeError, match="has no attribute 'tensorflow'"):
        adjit.interop.tensorflow  # noqa: B018


def test_a_tool_is_loaded_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType("adjit.interop.torch")
    monkeypatch.setitem(sys.modules, "adjit.interop.torch", made)
    monkeypatch.delitem(vars(adjit.interop), "torch", raising=False)
    assert adjit.interop.torch is made


def test_train_shows_its_rules() -> None:
    assert dir(adjit.train) == ["adam", "adamw", "clip_by_global_norm", "momentum", "sgd"]
