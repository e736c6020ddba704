"""Generated modules on disk: written whole, found again, done without where the folder refuses."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import pytest

from adjit import errors
from adjit.compiler.codegen.linemap import Text
from adjit.runtime import files, modules

SOURCE = '''"""t"""

import numba
import numpy as np


@numba.njit(error_model="numpy", nogil=True, cache=True)
def double(x):
    return x * 2.0
'''


def text(note: str = "") -> Text:
    return Text(SOURCE + note, "double", (), ())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADJIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(modules, "_loaded", {})
    monkeypatch.setattr(errors, "_given", set())
    return tmp_path / "cache"


def test_the_name_is_the_content() -> None:
    assert modules.module_name(text()) == modules.module_name(text())
    assert modules.module_name(text()) != modules.module_name(text("# other\n"))


def test_the_same_text_is_loaded_once() -> None:
    assert modules.load(text()).call is modules.load(text()).call


@pytest.mark.compiled
def test_a_file_is_written_and_registered(compiled: None, folder: Path) -> None:
    loaded = modules.load(text("# file\n"))
    assert loaded.call(3.0) == 6.0
    assert Path(loaded.filename).read_text() == SOURCE + "# file\n"
    assert modules.module_name(text("# file\n")) in sys.modules
    assert not list(folder.glob(".adjit-*"))
    assert list(folder.glob("__pycache__/*.nbi"))


@pytest.mark.compiled
def test_a_damaged_file_is_replaced(compiled: None, folder: Path) -> None:
    name = modules.module_name(text("# damaged\n"))
    folder.mkdir()
    (folder / f"{name}.py").write_text("def dou")
    assert modules.load(text("# damaged\n")).call(3.0) == 6.0


@pytest.mark.compiled
def test_a_folder_that_refuses_costs_one_warning(compiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.tempfile, "mkstemp", refuse)
    with pytest.warns(errors.AdjitWarning, match="No space left"):
        assert modules.load(text("# full\n")).call(3.0) == 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert modules.load(text("# full too\n")).call(3.0) == 6.0


def test_no_half_file_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise OSError(5, "I/O error")

    monkeypatch.setattr(os, "replace", killed)
    with pytest.warns(errors.AdjitWarning):
        assert not files.write(folder / "a.py", b"data")
    assert list(folder.iterdir()) == []


@pytest.mark.compiled
def test_without_cache_nothing_is_written(compiled: None, folder: Path) -> None:
    assert modules.load(text("# none\n"), cache=False).call(3.0) == 6.0
    assert not folder.exists()
