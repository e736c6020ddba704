"""One HTML page about one gradient: `.report("loss.html", *args)`.

Reading order: `trace` (the scalar operations that a call performs, with their gradients), `layout` (where the
graph's boxes stand), `sources` (the user's lines and the generated ones), `facts` (all that the page says),
`page` (how it looks).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .facts import gathered
from .page import page


def write(transform: Any, path: str | os.PathLike[str], args: tuple[Any, ...]) -> str:
    """Write the page for a transform at these arguments, which stay as they are; returns the path."""
    target = Path(path)
    target.write_text(page(gathered(transform, args)), encoding="utf-8")
    return str(target)


__all__ = ["write"]
