"""What the documents show runs: the README's example, the doctests of every module, the demo's parts."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import adjit
from tests.support import oracles
from tests.support.strategies import write_module

from . import supported

ROOT = Path(__file__).parent.parent.parent
MODULES = [m.name for m in pkgutil.walk_packages(adjit.__path__, "adjit.") if not m.name.endswith("__main__")]


def test_the_readmes_example(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.S)
    module = write_module(block, "readme_example", tmp_path)
    args = (np.linspace(0.0, 1.0, 6), 20, 0.2)
    assert np.isclose(module.value, module.energy(*args))
    direction = np.array([1.0, -0.5, 2.0, 0.3, 1.1, -0.7])
    estimate = oracles.directional(module.energy, args, 0, direction)
    assert abs(float(module.d_u @ direction) - estimate.value) < 1e-7


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    if name.startswith("adjit.interop."):
        pytest.importorskip(name.rpartition(".")[2])
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert failed == 0


def test_the_documents_name_what_exists() -> None:
    """Files and folders that the documents point to are there."""
    for document in ("README.md", "CONTRIBUTING.md", "docs/architecture.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for name in re.findall(r"`((?:compiler|tests|benchmarks|runtime|api)/[\w/.]*\w)`", text):
            candidates = [ROOT / name, ROOT / "src" / "adjit" / name]
            candidates += [c.with_suffix(".py") for c in candidates]
            assert any(c.exists() for c in candidates), f"{document} names {name}"


def test_the_generated_programs_shown_are_generated() -> None:
    page = (ROOT / "docs" / "generated.md").read_text(encoding="utf-8")
    folder = ROOT / "tests" / "golden" / "programs" / "test_generated_source"
    golden = "\n".join(p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.py")))
    blocks = re.findall(r"```text\n(.*?)```", page, re.S)
    assert len(blocks) == 3
    assert all(block in golden for block in blocks)


def test_what_is_supported_is_up_to_date(request: pytest.FixtureRequest) -> None:
    made = supported.text()
    if request.config.getoption("--update-golden"):
        supported.PAGE.write_text(made, encoding="utf-8")
    assert supported.PAGE.read_text(encoding="utf-8") == made, "run python -m tests.docs.supported"


def test_the_worked_example_of_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    from adjit.demo import worked

    assert worked.run()
    printed = capsys.readouterr().out
    assert "dL/dw = 76" in printed


@pytest.mark.compiled
@pytest.mark.slow
def test_the_network_of_the_demo(compiled: None) -> None:
    from adjit.demo import digits

    assert digits.run()
