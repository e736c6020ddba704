"""What was captured and generated, kept for other processes: they read it and capture nothing.

Input: a function, the transforms applied to it, the kinds of its arguments, options. Output: what `keep`
was given, if everything it came from is the same: the function's text and place, its defaults, each
constant and each function that was compiled in, the versions of Python, NumPy, Numba and of adjit's own
files. Invariants: what cannot be described for certain is not kept; a damaged file is as good as none.
Non-goals: compiled code (Numba's own cache, beside the generated module).
"""

from __future__ import annotations

import dataclasses
import inspect
import linecache
import pickle
import types
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import options as environment
from ..compiler.fetching import at_place, place_of
from ..compiler.ir.nodes import Block, Function
from ..compiler.program import (
    ArraySpec,
    Guard,
    Hidden,
    NodeSpec,
    Program,
    SameAs,
    ScalarSpec,
    Spec,
    StaticSpec,
)
from ..options import Options
from . import files

MOST_VARIANTS = 8  # per kind of arguments: constants have different values at different times
PLAIN = (type(None), bool, int, float, complex, str, bytes, types.EllipsisType)


class Unknown(Exception):
    """Something whose sameness in another process cannot be told."""


@cache
def stamp() -> str:
    """adjit's own files, as they are."""
    root = Path(__file__).parent.parent
    found = []
    for path in sorted(root.rglob("*.py")):
        state = path.stat()
        found.append(f"{path.relative_to(root)} {state.st_size} {state.st_mtime_ns}")
    return files.digest(*found, files.versions())


def function_text(fun: types.FunctionType) -> str:
    """The text of a function with its place; errors at run time name the place."""
    code = fun.__code__
    lines = linecache.getlines(code.co_filename, fun.__globals__)
    if not lines:
        raise Unknown(code.co_filename)
    try:
        block = inspect.getblock(lines[code.co_firstlineno - 1 :])
    except (SyntaxError, IndexError) as error:
        raise Unknown(code.co_filename) from error
    defaults = (fun.__defaults__ or (), fun.__kwdefaults__ or {})
    names = f"{fun.__module__} {fun.__qualname__} {code.co_filename}:{code.co_firstlineno}"
    return "\n".join([names, "".join(block), code_text(code), described(defaults)])


def code_text(code: types.CodeType) -> str:
    """The instructions of a code object: two lambdas may share a line."""
    inner = [code_text(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {inner}"


def described(value: object) -> str:
    """Words that are the same in another process exactly where the value is; raises `Unknown`."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.generic | np.dtype | np.ufunc):
        return f"numpy {value!r}"
    if type(value) in (tuple, list):
        return f"{type(value).__name__}[{', '.join(map(described, value))}]"  # type: ignore[call-overload]
    if type(value) is dict:
        return "dict[" + ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items()) + "]"
    own = getattr(value, "__adjit_described__", None)
    if own is not None and not isinstance(value, type):
        return str(own())
    inner = getattr(value, "py_func", value)
    if isinstance(inner, types.FunctionType):
        return function_text(inner)
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType):
        return f"{type(value).__name__} {getattr(value, '__module__', '')} {value.__name__}"
    if isinstance(value, type):
        return class_text(value)
    if type(value).__name__ == "_ArrayFunctionDispatcher":  # NumPy's functions
        return f"numpy {value.__module__}.{value.__qualname__}"  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        names = value._fields if isinstance(value, tuple) else [f.name for f in dataclasses.fields(value)]
        fields = [f"{n}={described(getattr(value, n))}" for n in names]
        return f"{class_text(type(value))}({', '.join(fields)})"
    raise Unknown(type(value).__name__)


def class_text(kind: type) -> str:
    module = kind.__module__.split(".")[0]
    if module in ("builtins", "numpy", "collections"):
        return f"class {kind.__module__}.{kind.__qualname__} {getattr(kind, '_fields', '')}"
    try:
        return f"class {kind.__module__}.{kind.__qualname__}\n{inspect.getsource(kind)}"
    except (OSError, TypeError) as error:
        raise Unknown(kind.__qualname__) from error


def spec_text(spec: Spec) -> str:
    if isinstance(spec, StaticSpec):
        return f"static {described(spec.value)}"
    if isinstance(spec, NodeSpec):
        children = ", ".join(map(spec_text, spec.children))
        return f"{described(spec.kind)} {described(spec.keys)} [{children}]"
    assert isinstance(spec, ArraySpec | ScalarSpec | SameAs)
    return repr(spec)


class Kept:
    """The file for one function under one chain of transforms, for one kind of arguments."""

    def __init__(
        self, root: Callable[..., object], chain: str, specs: Sequence[Spec], extra: object, chosen: Options
    ) -> None:
        self.root = root
        self.path: Path | None = None
        if not chosen.cache or not isinstance(root, types.FunctionType):
            return
        try:
            text = "\n".join([function_text(root), chain, *map(spec_text, specs), repr(extra), repr(chosen)])
        except Unknown:
            return
        self.path = environment.cache_folder() / f"front_{files.digest(text, stamp())}.pickle"

    def variants(self) -> list[Any]:
        data = None if self.path is None else files.read(self.path)
        if data is None:
            return []
        try:
            found = pickle.loads(data)
        except Exception:  # damaged, or of classes that are gone
            return []
        return found if isinstance(found, list) else []

    def find(self) -> tuple[Program, Any] | None:
        """The program (without its core function) and what was kept with it."""
        for program, guards, hidden, kept in self.variants():
            made = self.revived(program, guards, hidden)
            if made is not None:
                return made, kept
        return None

    def revived(self, program: Program, guards: Sequence[Any], hidden: Sequence[Any]) -> Program | None:
        """The program with its constants and hidden arrays found again; None where one is another."""
        assert isinstance(self.root, types.FunctionType)
        try:
            again = []
            for name, place, words in guards:
                fetch = at_place(place, self.root)
                value = fetch()
                if described(value) != words:
                    return None
                again.append(Guard(name, fetch, value))
            arrays = tuple(Hidden(name, at_place(place, self.root), spec) for name, place, spec in hidden)
        except (LookupError, AttributeError, ValueError, TypeError, Unknown):
            return None
        return dataclasses.replace(program, guards=tuple(again), hidden=arrays)

    def keep(self, program: Program, kept: Any) -> None:
        """Write down a program and what belongs to it, where that can be told to another process."""
        if self.path is None:
            return
        assert isinstance(self.root, types.FunctionType)
        try:
            guards = [(g.name, place_of(g.fetch, self.root), described(g.value)) for g in program.guards]
            hidden = [(h.name, place_of(h.fetch, self.root), h.spec) for h in program.hidden]
            if any(place is None for _, place, _ in (*guards, *hidden)):
                return
            bare = Function(program.function.name, (), Block(), (), program.function.loc)
            stub = dataclasses.replace(program, function=bare, guards=(), hidden=())
            variants = [*self.variants()[1 - MOST_VARIANTS :], (stub, guards, hidden, kept)]
            data = pickle.dumps(variants)
        except (Unknown, pickle.PicklingError, AttributeError, TypeError):
            return
        files.write(self.path, data)
