"""A second process captures nothing, and notices everything that has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import numpy as np
import adjit
from adjit.compiler import pipeline
from model import f
x = np.linspace(0.0, 1.0, 3)
print(adjit.value_and_grad(f)(x)[0], adjit.vjp(f, x)[1]()[0].sum(), adjit.jvp(f, (x,), (x,))[1])
print("captured" if pipeline.seconds["capture"] else "found")
"""

MODEL = """
import numpy as np

SCALE = 2.0
WEIGHTS = np.ones(3)


def helper(v, k=1.0):
    return v * v * k


def f(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += SCALE * WEIGHTS[i] * helper(x[i])
    return s
"""


class Folder:
    def __init__(self, path: Path, source: Path) -> None:
        self.path = path
        self.source = source
        (path / "use.py").write_text(SCRIPT)
        self.model(MODEL)

    def model(self, text: str) -> None:
        (self.path / "model.py").write_text(text)

    def run(self, **more: str) -> tuple[str, str]:
        changes = {
            "ADJIT_CACHE_DIR": str(self.path / "cache"),
            "PYTHONPATH": str(self.source),
            "ADJIT_DISABLE_JIT": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment = {**os.environ, **changes, **more}
        command = [sys.executable, "use.py"]
        done = subprocess.run(
            command, cwd=self.path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        first, second = done.stdout.splitlines()
        return first, second


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package: the cache looks at the package's own files, which may be edited meanwhile."""
    copy = tmp_path_factory.mktemp("source")
    shutil.copytree(Path(__file__).parents[2] / "src" / "adjit", copy / "adjit")
    return copy


@pytest.fixture
def folder(tmp_path: Path, source: Path) -> Folder:
    return Folder(tmp_path, source)


def test_a_second_process_finds_everything(folder: Folder) -> None:
    first, how = folder.run()
    assert how == "captured"
    assert folder.run() == (first, "found")
    assert folder.run(ADJIT_DUMP=str(folder.path / "dump")) == (
        first,
        "captured",
    )  # else no pass would be seen
    assert list(folder.path.glob("dump/f_gradient-*-adjoint.ir"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SCALE = 2.0", "SCALE = 3.0"),
        ("v * v * k", "v * v * k * 2.0"),
        ("k=1.0", "k=4.0"),
        ("s = 0.0", "s = 1.0"),
    ],
)
def test_what_has_changed_is_captured_again(folder: Folder, before: str, after: str) -> None:
    first, _ = folder.run()
    folder.model(MODEL.replace(before, after))
    changed, how = folder.run()
    assert how == "captured" and changed != first
    folder.model(MODEL)
    assert folder.run() == (first, "found")


def test_a_new_array_is_not_a_change(folder: Folder) -> None:
    first, _ = folder.run()
    folder.model(MODEL.replace("np.ones(3)", "np.arange(3.0)"))
    changed, how = folder.run()
    assert how == "found" and changed != first


def test_a_damaged_file_is_as_good_as_none(folder: Folder) -> None:
    first, _ = folder.run()
    for path in (folder.path / "cache").glob("front_*"):
        path.write_bytes(path.read_bytes()[:40])
    assert folder.run() == (first, "captured")
    assert folder.run() == (first, "found")
