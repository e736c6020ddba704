"""The site: all code on its pages runs, its generated pages hold what they promise, and it builds."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import adjit
from adjit.shell import main
from tests.support.strategies import write_module

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
# `cuda.md` runs in `tests/cuda`, under the simulator.
PAGES = sorted(
    p
    for p in DOCS.rglob("*.md")
    if p.name != "cuda.md" and re.search(r"^```(python|sh)", p.read_text(encoding="utf-8"), re.M)
)
BLOCK = re.compile(r'^```(python|sh)(?: title="([\w.]+)")?\n(.*?)^```', re.S | re.M)


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_hooks", DOCS / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def runnable(text: str) -> tuple[str, list[str]]:
    """The sections of a page whose tools are installed, and the tools that are not. `<!-- needs: torch -->`
    is for the section that it stands in.
    """
    sections, absent = [], []
    for section in re.split(r"^(?=## )", text, flags=re.M):
        needed = re.findall(r"<!-- needs: (\w+) -->", section)
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        absent += missing
        sections += [] if missing else [section]
    return "".join(sections), absent


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, absent = runnable(page.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    blocks = BLOCK.findall(text)
    titled = [title.removesuffix(".py") for _, title, _ in blocks if title]
    for name in titled:
        sys.modules.pop(name, None)
    for kind, title, body in blocks:
        if kind == "python" and title:
            (tmp_path / title).write_text(body, encoding="utf-8")
    program = "\n".join(body for kind, title, body in blocks if kind == "python" and not title)
    if program:
        write_module(program, f"page_{page.stem.replace('-', '_')}", tmp_path)
    for kind, _, body in blocks:
        for line in body.splitlines() if kind == "sh" else ():
            program_name, *arguments = shlex.split(line, comments=True)
            assert program_name == "adjit" and main(arguments) == 0, line
    for name in titled:
        sys.modules.pop(name, None)
    if absent:
        pytest.skip(f"all but the sections that need {', '.join(absent)}")


def test_the_generated_pages(hooks: ModuleType) -> None:
    api = hooks.api()
    assert all(f"### `{name}`" in api for name in adjit.__all__ if name != "Options")
    assert "| `fastmath` | `False` |" in api
    gallery = hooks.gallery()
    assert gallery.count("\n## ") == 8 and gallery.count("```python") == 8
    assert len(list((DOCS / "gallery").glob("*.py"))) == 8
    picture = hooks.picture()
    assert picture.startswith("<svg") and ">76</text>" in picture and picture.endswith("</svg>")


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "gallery" / "index.html").read_text(encoding="utf-8")
    assert "Bundle adjustment" in page
    assert (tmp_path / "site" / "worked.svg").exists()
