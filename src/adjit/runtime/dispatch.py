"""A program ready to run: its compiled function and what has to be done around each call.

Input: a `Program` and the leaves of a call. Output: results in the user's structure. Per call: constants
that were compiled in are compared, hidden arrays fetched, overlaps checked where something is written,
failures turned into the error at the user's line. Invariants: a call whose constants or hidden arrays have
changed in kind is never run here (`fits`). Non-goals: choosing the program (`adjit.api`).
"""

from __future__ import annotations

import builtins
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from .. import compiler, errors, options
from ..compiler.codegen.linemap import Site, Text
from ..compiler.ir.places import UNEQUAL
from ..compiler.ir.types import Array
from ..compiler.program import ArraySpec, Program, ScalarSpec
from ..errors import AdjitError, BackendError
from ..options import Options
from . import aliasing, files, modules, pytree, threads, tracebacks
from .failure import Failure
from .modules import Loaded
from .workspace import EMPTY, Lent, Pool

if TYPE_CHECKING:
    from ..compiler.ir.nodes import Function

Convert = Callable[[Any], Any]
_compiling = threading.RLock()  # dispatchers are shared: what one thread allows another must not take back
WORDS = numba.types.Array(numba.types.int64, 1, "C")


def same_value(a: object, b: object) -> bool:
    """Whether a constant is what was compiled in, down to the type and the sign of zero."""
    if a is b and not isinstance(a, list | dict | tuple):
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(map(same_value, a.values(), b.values()))
    if isinstance(a, float | complex) and isinstance(b, float | complex):
        return repr(a) == repr(b)
    try:
        return bool(a == b)
    except Exception:  # whatever a user's __eq__ does, it is not the same
        return False


def _snapshot(value: object) -> object:
    """A constant as it was compiled in: lists and dicts of the user's may change later."""
    if type(value) in (list, tuple):
        return type(value)(map(_snapshot, value))  # type: ignore[call-arg, call-overload]
    if type(value) is dict:
        return {k: _snapshot(v) for k, v in value.items()}
    return value


def unequal(found: Failure, text: Text) -> bool:
    """Whether lengths that a program took to be equal were not."""
    site = text.sites[found.args[0]]
    return bool(site.error == UNEQUAL)


def failure(found: Failure, text: Text) -> Exception:
    """The error that a failed check of a generated program stands for, raised at the user's line."""
    site = text.sites[found.args[0]]
    return tracebacks.raised_at(_failure(found, site), site.location, found)


def _failure(found: Failure, site: Site) -> Exception:
    notes = errors.call_notes(site.location.calls())
    if site.array:
        _, index, length = found.args
        index -= length if index < 0 else 0  # a negative one has been counted from the end already
        return errors.OutOfBoundsError(
            f"index {index} is out of bounds for axis {site.axis} of {site.array!r} with size {length}",
            site.location,
            notes=notes,
        )
    message, values = site.message, found.args[1:]
    if len(values) == 1:  # as many as there are, in a tuple
        (values,) = values
    if site.places:
        message = message.format(*(values or [_Unknown()] * site.places))
    *place, name = site.error.split(":")
    own = getattr(errors, name, None)
    if own is not None:
        made: Exception = own(message, site.location, hint=site.remedy, notes=notes)
        return made
    kind = getattr(builtins, name, RuntimeError)
    if place:
        return _of_user(place, message) or kind(f"{place[1].rpartition('.')[2]}: {message}")
    return kind(message) if message else kind()


class _Unknown:
    """A number that a thread did not hand on."""

    def __format__(self, spec: str) -> str:
        return "..."


def _of_user(place: Sequence[str], message: str) -> Exception | None:
    """An exception of a class of the user's, where it is found and made of a text."""
    try:
        kind: Any = sys.modules[place[0]]
        for part in place[1].split("."):
            kind = getattr(kind, part)
        made: Exception = kind(message) if message else kind()
        return made if isinstance(made, Exception) else None
    except Exception:  # not there any more, or made of something else
        return None


def _scalar_out(dtype: str) -> Convert:
    """How a scalar result is handed to the user: Python's own types where they hold the same numbers."""
    if dtype in ("float64", "int64", "bool"):
        return {"float64": float, "int64": int, "bool": bool}[dtype]
    return np.dtype(dtype).type


@dataclass(frozen=True)
class Interface:
    """What a call needs to know of a core function: the dtype of each scalar parameter (None for arrays),
    and for each result (dtype, whether it is an array, the parameter that it is or -1).
    """

    name: str
    params: tuple[str | None, ...]
    results: tuple[tuple[str, bool, int], ...]


def interface(fn: Function) -> Interface:
    place: dict[object, int] = {p: k for k, p in enumerate(fn.params)}
    results = []
    for r in fn.results:
        is_array = isinstance(r.type, Array)
        results.append((r.type.dtype, is_array, place.get(r, -1) if is_array else -1))
    params = tuple(None if isinstance(p.type, Array) else p.type.dtype for p in fn.params)
    return Interface(fn.name, params, tuple(results))


def runner(fn: Function, chosen: Options, title: str = "") -> Runner:
    """A core function, printed and loaded."""
    return Runner(interface(fn), compiler.pipeline.emit(fn, chosen, title), chosen)


class Runner:
    """A core function compiled for the types of the leaves it is called with."""

    def __init__(self, known: Interface, text: Text, chosen: Options) -> None:
        self.interface = known
        self.options = chosen
        self.name = known.name
        self.text = text
        self.loaded: Loaded = modules.load(self.text, chosen.cache)
        self.scalars = [None if kind is None else np.dtype(kind).type for kind in known.params]
        self.count = len(known.results)
        exact = ("float64", "int64", "bool") if self.loaded.compiled else ()
        self.outs = [
            None if is_array or kind in exact else _scalar_out(kind) for kind, is_array, _ in known.results
        ]
        self.passed = {k: p for k, (_, _, p) in enumerate(known.results) if p >= 0}
        self.simple = not self.passed and not any(self.outs)
        self.ready: set[object] = set()
        self.guessed = any(site.error == UNEQUAL for site in text.sites)
        self.otherwise: Callable[[], Runner] | None = None  # makes a runner without the guesses
        self.unguessed: Runner | None = None
        self.replaced: Runner | None = None
        self.pool: Pool | None = None
        if text.workspace:
            self.pool = threads.ThreadedPool(chosen.parallel) if text.parallel else Pool()
        self.enter = self.entered()

    def entered(self) -> Callable[..., Any]:
        """The function to call."""
        call = self.loaded.call
        return threads.turned(call) if self.text.parallel and self.loaded.compiled else call

    def prepare(self, leaves: Sequence[Any]) -> None:
        """Compile for these leaves, ahead of the call."""
        if not self.loaded.compiled:
            return
        types = tuple(numba.typeof(x) for x in leaves)
        if self.pool is not None:
            types = (*types, WORDS)
        if types not in self.ready:
            with _compiling:
                self.compile(types, leaves)

    def compile(self, types: tuple[Any, ...], leaves: Sequence[Any]) -> None:
        if types in self.ready:
            return
        start = time.perf_counter()
        call: Any = self.loaded.call
        try:
            call.disable_compile(False)
            call.compile(types)
        except OSError as error:  # Numba cannot write its files: go on without them
            files.no_cache(f"{error.strerror or error}")
            self.loaded = modules.in_memory(self.text)
            self.enter = self.entered()
            self.prepare(leaves)
            return
        except Exception as error:
            raise self.refused(error) from error
        call.disable_compile()  # arguments of other types are for another program
        self.ready.add(types)
        if options.log_wanted():
            self.log(time.perf_counter() - start)

    def log(self, spent: float) -> None:
        stats = self.loaded.call.stats  # type: ignore[attr-defined]
        how = "loaded from the cache" if stats.cache_hits else "compiled"
        print(f"adjit: {how} {self.name} in {spent:.2f} s ({self.loaded.filename})", file=sys.stderr)

    def refused(self, error: Exception) -> AdjitError:
        """Numba's refusal, at the user's line."""
        at = getattr(error, "loc", None)
        location = self.text.user_location(at.line) if at is not None and at.line else None
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return BackendError(
            f"Numba could not compile the program generated from `{self.name}`: {reason}",
            location,
            "this is a fault of adjit, not of the function",
            f"report it with the generated source, {self.loaded.filename}",
        )

    def call(self, leaves: Sequence[Any]) -> Any:
        """The flat results, as a tuple."""
        if self.replaced is not None:
            self.replaced.prepare(leaves)
            return self.replaced.call(leaves)
        if self.text.target == "cuda":
            return self.call_on_device(leaves)
        if not self.loaded.compiled:
            leaves = [x if t is None else t(x) for x, t in zip(leaves, self.scalars, strict=True)]
        try:
            found = self.enter(*leaves) if self.pool is None else self.with_workspace(leaves)
        except Failure as failed:
            if unequal(failed, self.text) and self.otherwise is not None:
                return self.replacement(leaves).call(leaves)
            raise failure(failed, self.text) from None
        except Exception as error:
            tracebacks.located(error, self.text)
            raise
        return self.flat(found, leaves)

    def replacement(self, leaves: Sequence[Any]) -> Runner:
        """The runner without the guesses, made once."""
        with _compiling:
            if self.replaced is None:
                made = self.general()
                made.prepare(leaves)
                self.replaced = made
            return self.replaced

    def general(self) -> Runner:
        """This program without guesses, not compiled yet; itself if it has none."""
        if self.otherwise is None:
            return self
        with _compiling:
            if self.unguessed is None:
                self.unguessed = self.otherwise()
            return self.unguessed

    def lend(self, leaves: Sequence[Any]) -> tuple[Any, Lent | None]:
        """The same, with the workspace that some results may lie in."""
        if self.pool is None:
            return self.call(leaves), None
        if not self.loaded.compiled:
            leaves = [x if t is None else t(x) for x, t in zip(leaves, self.scalars, strict=True)]
        lent = Lent(self.pool, self.pool.take())
        try:
            found = self.enter(*leaves, lent.words[0])
        except Failure as failed:
            lent.back()
            raise failure(failed, self.text) from None
        except BaseException:
            lent.drop()
            raise
        return self.flat(found, leaves), lent

    def flat(self, found: Any, leaves: Sequence[Any]) -> Any:
        if self.count == 1:
            found = (found,)
        elif self.count == 0:
            return ()
        return found if self.simple else self.finished(found, leaves)

    def call_on_device(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The same for a program of kernels: numbers are fetched, arrays stay where they are."""
        from .cuda import calls

        try:
            found: Any = calls.run(self.loaded.call, leaves, self.scalars)
        except Failure as failed:
            if unequal(failed, self.text) and self.otherwise is not None:
                self.__dict__.update(self.otherwise().__dict__)
                return self.call_on_device(leaves)
            raise failure(failed, self.text) from None
        except numba.core.errors.NumbaError as error:
            raise self.refused(error) from error
        except Exception as error:
            tracebacks.located(error, self.text)
            raise
        found = (found,) if self.count == 1 else found or ()
        made = [x if f is None else f(x) for x, f in zip(found, self.outs, strict=True)]
        for k, p in self.passed.items():
            made[k] = calls.given(leaves[p])
        return tuple(made)

    @property
    def bare(self) -> Callable[..., Any]:
        """The compiled function with the parameters of the core function, workspace apart."""
        if self.pool is None:
            return self.loaded.call
        inner = self.loaded.call

        def call(*arguments: Any) -> Any:
            return inner(*arguments, np.zeros(EMPTY, np.int64))

        # Compiled code can call it, as it can the function itself.
        return numba.njit(call) if self.loaded.compiled else call

    def with_workspace(self, leaves: Sequence[Any]) -> Any:
        assert self.pool is not None
        words = self.pool.take()
        try:
            return self.enter(*leaves, words)
        finally:
            self.pool.give(words)

    def finished(self, found: Sequence[Any], leaves: Sequence[Any]) -> tuple[Any, ...]:
        made = [x if f is None else f(x) for x, f in zip(found, self.outs, strict=True)]
        for k, p in self.passed.items():
            made[k] = leaves[p]
        return tuple(made)


class Around:
    """What a program needs around a call besides its compiled function: constants, hidden arrays, overlap
    checks.
    """

    def __init__(self, program: Program, target: str = "cpu") -> None:
        self.name = program.function.name
        self.target = target
        self.guards = [(g.fetch, _snapshot(g.value)) for g in program.guards]
        self.hidden = [(h.fetch, h.spec, h.name) for h in program.hidden]
        self.plain = not self.guards and not self.hidden
        leaves = pytree.leaf_specs(program.arguments)
        self.same = any(not isinstance(s, ArraySpec | ScalarSpec) for s in leaves)
        self.params: list[int] = []  # positions among the call's leaves that are parameters
        self.arrays = [k for k, s in enumerate(leaves) if not isinstance(s, ScalarSpec)]
        self.params = [k for k, s in enumerate(leaves) if isinstance(s, ArraySpec | ScalarSpec)]
        self.written = sorted(program.written)
        self.names = leaf_names(program)

    def fits(self, leaves: Sequence[Any]) -> bool:
        """Whether constants are what they were, hidden arrays have the same types."""
        if any(not same_value(fetch(), value) for fetch, value in self.guards):
            return False
        return all(_spec_like(fetch(), spec, name) for fetch, spec, name in self.hidden)

    def with_hidden(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The core function's arguments for these leaves."""
        found = [leaves[k] for k in self.params] if self.same else leaves
        return [*found, *(fetch() for fetch, _, _ in self.hidden)] if self.hidden else found

    def leave(self, arguments: Sequence[Any]) -> None:
        """After a call on the device: arrays of the host receive what was written into their copies."""
        if self.target == "cuda" and self.written:
            from .cuda import calls

            calls.leaving(arguments, self.written)

    def check(self, arguments: Sequence[Any]) -> None:
        """Refuse overlapping memory that is written; `arguments` are those of the core function."""
        arrays = [k for k, a in enumerate(arguments) if isinstance(a, np.ndarray)]
        found = [arguments[k] for k in arrays]
        names = [self.names[k] if k < len(self.names) else f"#{k}" for k in arrays]
        aliasing.check(found, names, [arrays.index(w) for w in self.written if w in arrays], self.name)


def leaf_names(program: Program) -> list[str]:
    """For each parameter of the core function the name of the argument that it belongs to."""
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


__all__ = ["Around", "Interface", "Runner", "failure", "interface", "leaf_names", "runner"]
