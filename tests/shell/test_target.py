"""What a command works on: files, functions, builders."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from adjit.shell.target import UsageError, function_of, target


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "beside_target.py").write_text("FACTOR = 3.0\n", encoding="utf-8")
    path = tmp_path / "target_programs.py"
    path.write_text(
        "from beside_target import FACTOR\n\n\nclass Model:\n    @staticmethod\n    def energy(x, k=2.0):\n"
        "        return FACTOR * k * x\n\n\ndef Model_energy_args():\n    return 5.0\n",
        encoding="utf-8",
    )
    for name in ("beside_target", "target_programs"):
        sys.modules.pop(name, None)
    return str(path)


def test_a_builder_is_found_by_name(file: str) -> None:
    found = target(f"{file}:Model.energy", None, None, 0)
    assert found.arguments == (5.0, 2.0)
    assert found.function(*found.arguments) == 30.0


def test_arguments_are_bound_to_parameters(file: str) -> None:
    assert target(f"{file}:Model.energy", "k=1.0, x=4.0", None, 0).arguments == (4.0, 1.0)
    with pytest.raises(UsageError, match="missing a required argument"):
        target(f"{file}:Model.energy", "k=1.0", None, 0)


def test_a_file_is_imported_once(file: str) -> None:
    assert function_of(f"{file}:Model.energy")[2] is function_of(f"{file}:Model.energy")[2]
