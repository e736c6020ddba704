"""Files of the cache: written whole or not at all.

Invariants: readers never see half a file, whichever process is killed when; a folder that cannot be written
switches the cache off with one warning. Non-goals: what is in the files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np

from ..errors import warn_once
from . import libmvec

VERSION = "0.1.0"


@cache
def versions() -> str:
    """What generated code depends on besides its text."""
    python = ".".join(map(str, sys.version_info[:3]))
    backend = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, numpy {np.__version__}"
    called = digest(*(p.read_text(encoding="utf-8") for p in sorted(Path(__file__).parent.glob("*.py"))))
    vectors = digest(repr(sorted(libmvec.VARIANTS.items())))  # machine code refers to them by name
    return f"adjit {VERSION} {called}, {backend}, python {python}, vectors {vectors}"


def digest(*parts: str) -> str:
    """A short name for a content."""
    h = hashlib.sha256()
    for part in parts:
        h.update(part.encode())
        h.update(b"\0")
    return h.hexdigest()[:20]


def write(path: Path, data: bytes) -> bool:
    """Put a file in place atomically; False, with one warning, where the folder does not take it."""
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".adjit-", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            _remove(temporary)
        no_cache(f"{error.strerror or error}")
        return False
    return True


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def no_cache(reason: str) -> None:
    warn_once(
        "adjit-no-cache",
        f"the cache folder cannot be written ({reason}): compiled programs are not kept; "
        "set ADJIT_CACHE_DIR to another folder, or pass cache=False",
    )


def read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
