"""adjit's functions inside other tools: `adjit.interop.torch`, `.jax` and `.pytensor`, each loaded where it
is used.

    loss = adjit.interop.torch.wrap(f)      # takes tensors, and `loss(w).backward()` works

SciPy, scikit-learn, joblib and Dask need no adapter: gradients are ordinary functions of arrays that can be
pickled.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import jax, pytensor, torch

_TOOLS = ("jax", "pytensor", "torch")


def __getattr__(name: str) -> Any:
    if name not in _TOOLS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return list(_TOOLS)


__all__ = ["jax", "pytensor", "torch"]
