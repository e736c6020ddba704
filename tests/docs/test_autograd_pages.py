"""The pages of `docs/autograd` run: the Python blocks of a page, in order, are one module with assertions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.strategies import write_module

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted((DOCS / "autograd").glob("*.md"))


def anchors(page: Path) -> set[str]:
    """The fragments that headings of a page have on GitHub."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    plain = [re.sub(r"[^\w\- ]", "", h.replace("`", "").lower()) for h in headings]
    return {h.replace(" ", "-") for h in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_pages_run(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert blocks and "assert" in "".join(blocks)
    write_module("\n\n".join(blocks), f"page_{page.stem}", tmp_path)


def test_each_idea_is_linked_to_an_example() -> None:
    text = (DOCS / "autograd.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert rows
    for row in rows:
        links = re.findall(r"\]\((autograd/[\w.]+)(?:#([\w\-]+))?\)", row)
        assert links, row
        for name, fragment in links:
            assert (DOCS / name).exists(), row
            assert not fragment or fragment in anchors(DOCS / name), row
