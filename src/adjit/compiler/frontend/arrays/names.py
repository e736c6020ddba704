"""What a function is called where a user finds it.

Input: a function, class or bound method. Output: its dotted name, NumPy's with `np.`: `np.random.choice`, not
the class and the hidden object that it is a method of; the name of its class for an object without a name.
Non-goals: names of the user's variables.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator

import numpy as np
from scipy import special


def name_of(function: object) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    name = name or type(function).__qualname__
    module = getattr(function, "__module__", None) or ("numpy" if isinstance(function, np.ufunc) else "")
    if isinstance(function, np.ufunc) and getattr(special, function.__name__, None) is function:
        module = "scipy.special"
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType | type | np.ufunc):
        return _of_method(function, owner)
    return _dotted(str(module), str(name))


def _dotted(module: str, name: str) -> str:
    prefix = f"{module}.".replace("numpy.", "np.", 1)[:-1].split("._")[0].lstrip("_")
    return f"{prefix}.{name}" if prefix and prefix != "builtins" else name


def _of_method(function: object, owner: object) -> str:
    """A method of an object that a module keeps: by the module's own name for it, or for the object."""
    name, cls = str(getattr(function, "__name__", "")), type(owner)
    for module in _around(cls.__module__):
        found = vars(module)
        if _same(found.get(name), function):
            return _dotted(module.__name__, name)
        kept = next((k for k, v in found.items() if v is owner and not k.startswith("_")), None)
        if kept is not None:
            return _dotted(module.__name__, f"{kept}.{name}")
    return _dotted(cls.__module__, f"{cls.__qualname__}.{name}")


def _same(found: object, function: object) -> bool:
    """Whether two bound methods are one; other objects are not compared, which may mean anything."""
    return type(found) is type(function) and bool(found == function)


def _around(module: str) -> Iterator[types.ModuleType]:
    """The packages that a module is in, outermost first, and itself."""
    parts = module.split(".")
    for k in range(1, len(parts) + 1):
        found = sys.modules.get(".".join(parts[:k]))
        if found is not None:
            yield found


__all__ = ["name_of"]
