"""A program ready to run: its compiled function and what has to be done around each call.

Input: a `Program` and the leaves of a call. Output: results in the user's structure. Per call: constants that were compiled
in are compared, hidden arrays fetched, overlaps checked where something is written, failures turned into the error
at the user's line. Invariants: a call whose constants or hidden arrays have changed in kind is never run here (`fits`).
Non-goals: choosing the program (`adjit.api`).
"""

from __future__ import annotations

import builtins
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numba
import numpy as np
from numba.core.errors import NumbaError

from .. import errors, options
from ..compiler import pipeline
from ..compiler.codegen import Text
from ..compiler.ir.nodes import Const, Function, Var
from ..compiler.ir.types import Array
from ..compiler.program import ArraySpec, Program, ScalarSpec
from ..errors import AdjitError, BackendError
from ..options import Options
from . import aliasing, files, modules, pytree
from .modules import Loaded
from .support import Failure

Convert = Callable[[Any], Any]


def _same_value(a: object, b: object) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    try:
        return bool(a == b)
    except Exception:  # whatever a user's __eq__ does, it is not the same
        return False


def failure(found: Failure, text: Text) -> Exception:
    """The error that a failed check of a generated program stands for."""
    site = text.sites[found.args[0]]
    if site.error == "OutOfBoundsError":
        _, index, length = found.args
        return errors.OutOfBoundsError(
            f"index {index} is out of bounds for axis {site.axis} of {site.array!r} with size {length}", site.location
        )
    own = getattr(errors, site.error, None)
    if own is not None:
        made: Exception = own(site.message, site.location)
        return made
    kind = getattr(builtins, site.error, RuntimeError)
    made = kind(site.message) if site.message else kind()
    if site.location.line > 0 and hasattr(made, "add_note"):
        made.add_note(f"raised at {site.location}")
    return made


def _scalar_out(dtype: str) -> Convert | None:
    """How a scalar result is handed to the user: Python's own types where they hold the same numbers."""
    if dtype in ("float64", "int64", "bool"):
        return {"float64": float, "int64": int, "bool": bool}[dtype]
    return np.dtype(dtype).type


class Runner:
    """A core function compiled for the types of the leaves it is called with."""

    def __init__(self, fn: Function, chosen: Options, title: str = "", text: Text | None = None) -> None:
        self.options = chosen
        self.name = fn.name
        self.text = pipeline.emit(fn, chosen, title) if text is None else text
        self.loaded: Loaded = modules.load(self.text, chosen.cache)
        self.scalars = [None if isinstance(p.type, Array) else np.dtype(p.type.dtype).type for p in fn.params]
        self.count = len(fn.results)
        place = {p: k for k, p in enumerate(fn.params)}
        self.outs = [_scalar_out(r.type.dtype) if not isinstance(r.type, Array) else None for r in fn.results]
        if self.loaded.compiled:
            plain = ("float64", "int64", "bool")
            self.outs = [None if r.type.dtype in plain else f for r, f in zip(fn.results, self.outs, strict=True)]
        self.passed = {
            k: place[r] for k, r in enumerate(fn.results) if isinstance(r, Var) and r in place and self.outs[k] is None
        }
        self.passed = {k: p for k, p in self.passed.items() if isinstance(fn.results[k].type, Array)}
        self.simple = not self.passed and not any(self.outs)
        self.ready: set[object] = set()

    def prepare(self, leaves: Sequence[Any]) -> None:
        """Compile for these leaves, ahead of the call."""
        if not self.loaded.compiled:
            return
        types = tuple(numba.typeof(x) for x in leaves)
        if types in self.ready:
            return
        start = time.perf_counter()
        try:
            self.loaded.call.compile(types)  # type: ignore[attr-defined]
        except OSError as error:  # Numba cannot write its files: go on without them
            files.no_cache(f"{error.strerror or error}")
            self.loaded = modules.in_memory(self.text)
            self.prepare(leaves)
            return
        except NumbaError as error:
            raise self.refused(error) from error
        self.ready.add(types)
        if options.log_wanted():
            self.log(time.perf_counter() - start)

    def log(self, spent: float) -> None:
        stats = self.loaded.call.stats  # type: ignore[attr-defined]
        how = "loaded from the cache" if stats.cache_hits else "compiled"
        print(f"adjit: {how} {self.name} in {spent:.2f} s ({self.loaded.filename})", file=sys.stderr)

    def refused(self, error: NumbaError) -> AdjitError:
        """Numba's refusal, at the user's line."""
        at = getattr(error, "loc", None)
        location = self.text.user_location(at.line) if at is not None and at.line else None
        first = str(error).strip().splitlines()
        return BackendError(
            f"Numba could not compile the program generated from `{self.name}`: {first[0] if first else 'no reason given'}",
            location,
            "this is a fault of adjit, not of the function",
            f"report it with the generated source, {self.loaded.filename}",
        )

    def call(self, leaves: Sequence[Any]) -> Any:
        """The flat results, as a tuple."""
        if not self.loaded.compiled:
            leaves = [x if t is None else t(x) for x, t in zip(leaves, self.scalars, strict=True)]
        try:
            found = self.loaded.call(*leaves)
        except Failure as failed:
            raise failure(failed, self.text) from None
        if self.count == 1:
            found = (found,)
        elif self.count == 0:
            return ()
        return found if self.simple else self.finished(found, leaves)

    def finished(self, found: Sequence[Any], leaves: Sequence[Any]) -> tuple[Any, ...]:
        made = [x if f is None else f(x) for x, f in zip(found, self.outs, strict=True)]
        for k, p in self.passed.items():
            made[k] = leaves[p]
        return tuple(made)


class Around:
    """What a program needs around a call besides its compiled function: constants, hidden arrays, overlap checks."""

    def __init__(self, program: Program) -> None:
        self.name = program.function.name
        self.guards = [(g.fetch, g.value) for g in program.guards]
        self.hidden = [(h.fetch, h.spec, h.name) for h in program.hidden]
        self.plain = not self.guards and not self.hidden
        leaves = pytree.leaf_specs(program.arguments)
        self.same = any(not isinstance(s, ArraySpec | ScalarSpec) for s in leaves)
        self.params: list[int] = []  # positions among the call's leaves that are parameters
        self.arrays = [k for k, s in enumerate(leaves) if not isinstance(s, ScalarSpec)]
        self.params = [k for k, s in enumerate(leaves) if isinstance(s, ArraySpec | ScalarSpec)]
        self.written = sorted(program.written)
        self.names = _leaf_names(program)

    def fits(self, leaves: Sequence[Any]) -> bool:
        """Whether constants are what they were, hidden arrays have the same types."""
        if any(not _same_value(fetch(), value) for fetch, value in self.guards):
            return False
        return all(_spec_like(fetch(), spec, name) for fetch, spec, name in self.hidden)

    def with_hidden(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The core function's arguments for these leaves."""
        found = [leaves[k] for k in self.params] if self.same else leaves
        return [*found, *(fetch() for fetch, _, _ in self.hidden)] if self.hidden else found

    def check(self, arguments: Sequence[Any]) -> None:
        """Refuse overlapping memory where some of it is written; `arguments` are those of the core function."""
        arrays = [k for k, a in enumerate(arguments) if isinstance(a, np.ndarray)]
        found = [arguments[k] for k in arrays]
        names = [self.names[k] if k < len(self.names) else f"#{k}" for k in arrays]
        aliasing.check(found, names, [arrays.index(w) for w in self.written if w in arrays], self.name)


def _leaf_names(program: Program) -> list[str]:
    names: list[str] = []
    for name, spec in zip(program.argument_names, program.arguments, strict=True):
        count = sum(isinstance(s, ArraySpec | ScalarSpec) for s in pytree.leaf_specs([spec]))
        names.extend([name] * count)
    return [*names, *(h.name for h in program.hidden)]


def _spec_like(value: object, spec: ArraySpec | ScalarSpec, name: str) -> bool:
    if isinstance(spec, ArraySpec):
        if not isinstance(value, np.ndarray):
            return False
        # A hidden array is never written, whether or not it could be.
        return replace(pytree.array_spec(value, name), readonly=spec.readonly) == spec
    leaves: list[object] = []
    return pytree.take_apart(value, name, leaves) == spec


__all__ = ["Around", "Const", "Runner", "failure"]
