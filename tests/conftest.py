"""Fixtures shared by all tests: golden files, uncompiled and compiled mode, seeds.

Tests run generated programs as plain Python unless they ask for the fixture `compiled` (marker `compiled`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# Before the library is imported: generated programs go to a folder of this run, uncompiled.
os.environ.setdefault("ADJIT_DISABLE_JIT", "1")
os.environ.setdefault("ADJIT_CACHE_DIR", tempfile.mkdtemp(prefix="adjit-tests-"))

import numpy as np

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Compares a text with the golden file named after the test; a missing file fails.

    `--update-golden` writes the file; review reads the difference.
    """
    module = Path(str(request.node.path)).relative_to(Path(__file__).parent).with_suffix("")
    name = request.node.name.replace("[", "-").replace("]", "").replace("/", "_")

    def compare(text: str, suffix: str = ".txt") -> None:
        path = GOLDEN / module / f"{name}{suffix}"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"no golden file {path.name}: run pytest with --update-golden and read it"
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs (--update-golden rewrites it)"

    return compare


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba compiles in this test."""
    monkeypatch.setenv("ADJIT_DISABLE_JIT", "0")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(12345)


@pytest.fixture(autouse=True)
def quiet_arithmetic() -> Iterator[None]:
    """Plain Python runs of generated programs divide by zero as NumPy does, without warnings."""
    with np.errstate(all="ignore"):
        yield
