"""What was captured and generated, kept for other processes: they read it and capture nothing.

Input: a function, the transforms applied to it, the kinds of its arguments, options. Output: what `keep`
was given, if everything it came from is the same: the function's text and place, its defaults, each
constant and each function that was compiled in, the versions of Python, NumPy, Numba and of adjit's own
files. Invariants: what cannot be described for certain is not kept; a damaged file is as good as none.
Non-goals: compiled code (Numba's own cache, beside the generated module).
"""

from __future__ import annotations

import dataclasses
import pickle
import types
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .. import options as environment
from ..compiler.describing import Unknown, described, function_text
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


@cache
def stamp() -> str:
    """adjit's own files, as they are."""
    root = Path(__file__).parent.parent
    found = []
    for path in sorted(root.rglob("*.py")):
        state = path.stat()
        found.append(f"{path.relative_to(root)} {state.st_size} {state.st_mtime_ns}")
    return files.digest(*found, files.versions())


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
        if environment.dump_folder() is not None:  # the passes are to be seen
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
        from ..compiler.fetching import at_place

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
        from ..compiler.fetching import place_of
        from ..compiler.ir.nodes import Block, Function

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
