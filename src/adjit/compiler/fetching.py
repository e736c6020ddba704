"""How a value outside the user's function is found again at each call.

Input: a namespace, closure cell or object, and a name. Output: a callable without arguments that gives the
value of the moment. `place` describes it in words that another process understands, or is None where that
cannot be. Invariant: no user code is run but item and attribute access of the object itself. Non-goals:
what the value means.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Fetch = Callable[[], object]
Place = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Global:
    space: dict[str, object]
    name: str

    def __call__(self) -> object:
        return self.space[self.name]

    def place(self, root: types.FunctionType) -> Place | None:
        module = str(self.space.get("__name__"))
        found = sys.modules.get(module)
        return ("global", module, self.name) if found is not None and vars(found) is self.space else None


@dataclass(frozen=True, eq=False)
class Cell:
    cell: types.CellType

    def __call__(self) -> object:
        return self.cell.cell_contents

    def place(self, root: types.FunctionType) -> Place | None:
        """By name, where it is a cell of the function that was captured."""
        for name, cell in zip(root.__code__.co_freevars, root.__closure__ or (), strict=True):
            if cell is self.cell:
                return ("cell", name)
        return None


@dataclass(frozen=True, eq=False)
class Held:
    """The value itself, which is part of something that is checked at each call."""

    value: object

    def __call__(self) -> object:
        return self.value


@dataclass(frozen=True, eq=False)
class Attribute:
    owner: Fetch | object
    name: str

    def __call__(self) -> object:
        return getattr(self.owner, self.name)

    def place(self, root: types.FunctionType) -> Place | None:
        if isinstance(self.owner, types.ModuleType) and sys.modules.get(self.owner.__name__) is self.owner:
            return ("module", self.owner.__name__, self.name)
        return None


@dataclass(frozen=True, eq=False)
class Item:
    base: Fetch
    key: object

    def __call__(self) -> object:
        return self.base()[self.key]  # type: ignore[index]

    def place(self, root: types.FunctionType) -> Place | None:
        below = place_of(self.base, root)
        return None if below is None else ("item", below, self.key)


@dataclass(frozen=True, eq=False)
class Field:
    base: Fetch
    name: str

    def __call__(self) -> object:
        return getattr(self.base(), self.name)

    def place(self, root: types.FunctionType) -> Place | None:
        below = place_of(self.base, root)
        return None if below is None else ("field", below, self.name)


@dataclass(frozen=True, eq=False)
class Default:
    """The default of a parameter."""

    function: types.FunctionType
    name: str

    def __call__(self) -> object:
        keywords = self.function.__kwdefaults__
        if keywords and self.name in keywords:
            return keywords[self.name]
        code, values = self.function.__code__, self.function.__defaults__ or ()
        place = code.co_varnames.index(self.name) - code.co_argcount + len(values)
        return values[place] if place >= 0 else None

    def place(self, root: types.FunctionType) -> Place | None:
        """By the function's module and qualified name, where that is this function."""
        if self.function is root:
            return ("default", "", "", self.name)
        module, qualname = self.function.__module__, self.function.__qualname__
        try:
            same = named_function(module, qualname) is self.function
        except (LookupError, AttributeError):
            return None
        return ("default", module, qualname, self.name) if same else None


def named_function(module: str, qualname: str) -> object:
    """The Python function of that name, below a compiled one."""
    found = _found(module, qualname)
    return getattr(found, "py_func", found)


def _found(module: str, qualname: str) -> object:
    found: object = sys.modules[module]
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


@dataclass(frozen=True, eq=False)
class Named:
    """A compiled function, by its module and qualified name where it is found there."""

    function: Any

    def __call__(self) -> object:
        return self.function

    def place(self, root: types.FunctionType) -> Place | None:
        plain = self.function.py_func
        try:
            same = _found(plain.__module__, plain.__qualname__) is self.function
        except (LookupError, AttributeError):
            return None
        return ("named", plain.__module__, plain.__qualname__) if same else None


@dataclass(frozen=True, eq=False)
class Applied:
    """`function(base())`; `function` is one of adjit's own, of a module's top level."""

    function: Callable[[object], object]
    base: Fetch

    def __call__(self) -> object:
        return self.function(self.base())

    def place(self, root: types.FunctionType) -> Place | None:
        below = place_of(self.base, root)
        return None if below is None else ("applied", self.function, below)


def place_of(fetch: Fetch, root: types.FunctionType) -> Place | None:
    """The place of a fetch, or None where another process could not find it."""
    place = getattr(fetch, "place", None)
    found: Place | None = None if place is None else place(root)
    return found


def at_place(place: Place, root: types.FunctionType) -> Fetch:
    """The fetch for a place; raises `LookupError` where there is no such thing."""
    kind, *rest = place
    if kind == "global":
        module, name = rest
        return Global(vars(sys.modules[module]), name)
    if kind == "cell":
        at = root.__code__.co_freevars.index(rest[0])
        return Cell((root.__closure__ or ())[at])
    if kind == "module":
        return Attribute(sys.modules[rest[0]], rest[1])
    if kind == "default":
        module, qualname, name = rest
        function = named_function(module, qualname) if module else root
        if not isinstance(function, types.FunctionType):
            raise LookupError(qualname)
        return Default(function, name)
    if kind == "named":
        return Named(_found(*rest))
    if kind == "item":
        return Item(at_place(rest[0], root), rest[1])
    if kind == "field":
        return Field(at_place(rest[0], root), rest[1])
    if kind == "applied":
        return Applied(rest[0], at_place(rest[1], root))
    raise LookupError(kind)
