"""IR to IR and to text. `pipeline` and `derived` load the passes, the adjoint and the frontend: at first use,
since what an earlier process has compiled needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import derived as derived
    from . import pipeline as pipeline


def __getattr__(name: str) -> Any:
    if name not in ("derived", "pipeline"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
