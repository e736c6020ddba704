"""Functions of text that the front end can read, as it reads a file.

Input: text, the name of a function in it, a file name of its own, the names that it sees. Output: the
function. Non-goals: making the text.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any


def function_of(text: str, name: str, file: str, space: dict[str, Any]) -> Callable[..., Any]:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    found: Callable[..., Any] = space[name]
    return found
