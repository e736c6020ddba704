"""The object that every transform returns: a function with a program per kind of argument.

Input: the user's function and options. At a call the arguments' types choose a compiled program, made at
the first call of its kind. Invariants: compiling happens under a lock, so that several threads compile
once; calls need none. Non-goals: what the program computes (subclasses).
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import compiler
from ..compiler.describing import described
from ..compiler.frontend import jitclasses
from ..compiler.ir.types import is_float
from ..compiler.program import ArraySpec, NodeSpec, Program, SameAs, Spec
from ..errors import AdjitError, InferenceError, MissingRuleError
from ..options import DEFAULT, Options, jit_disabled
from ..runtime import aliasing, fastpath, frontcache, pytree
from ..runtime.dispatch import Around, Runner, runner
from .binding import bound

if TYPE_CHECKING:
    from ..compiler.ir.nodes import Function, Operand

MASK = pytree.C | pytree.F | pytree.WRITEABLE
NUMBERS = (float, bool, np.float64, np.float32)


def python_function(fun: object) -> Callable[..., Any]:
    """What is captured: the function below Numba's dispatcher, or `fun`."""
    if isinstance(fun, Transform):
        return fun
    inner = getattr(fun, "py_func", None)
    fun = jitclasses.as_written(fun if inner is None else inner)
    if not callable(fun):
        raise InferenceError(
            f"{fun!r} is not a function", hint="pass a function, or a function compiled by numba.njit"
        )
    return fun


def program_of(fun: Callable[..., Any], arguments: tuple[Spec, ...], options: Options) -> Program:
    """The program of a function or of a transform of one."""
    if isinstance(fun, Transform):
        return fun.program(arguments)
    return compiler.pipeline.capture(fun, arguments, options)


class Prepared:
    """One compiled program of a transform."""

    def __init__(self, program: Program, runner: Runner) -> None:
        self.program = program
        self.around = Around(program, runner.options.target)
        self.runner = runner
        self.assemble = pytree.assembler(program.result)
        self.fast: fastpath.Fast | None = None
        self.asked = False

    @property
    def kept(self) -> Any:
        """What another process needs besides the program."""
        return self.runner.interface, self.runner.text

    def short_way(self, args: tuple[Any, ...]) -> fastpath.Fast | None:
        """The fast function for arguments like these, made once."""
        if not self.asked:
            self.fast = fastpath.build(args, self.around, self.runner, self.program.result)
            self.asked = True
        return self.fast

    def compile(self, leaves: Sequence[Any]) -> None:
        self.runner.prepare(self.around.with_hidden(leaves))

    def run(self, leaves: Sequence[Any]) -> Any:
        around = self.around
        arguments = leaves if around.plain and not around.same else around.with_hidden(leaves)
        if around.written:
            around.check(arguments)
        flat = self.runner.call(arguments)
        around.leave(arguments)
        return self.assemble(flat)


class Transform:
    """A function of the user under a transform. `fun` is the function or transform below."""

    word = "value"
    targets: tuple[str, ...] = ("cpu",)
    budgets = False  # whether max_bytes means something to it
    rounds = False  # whether saved_as means something to it
    guesses = False  # whether an entry's runner runs the whole program, and may be replaced by a slower one

    def __init__(self, fun: Callable[..., Any], options: Options = DEFAULT) -> None:
        self.fun = python_function(fun)
        if options.target not in self.targets:
            raise MissingRuleError(
                f"{type(self).__name__.lower()} has no form on the GPU",
                why="its result is put together on the host",
                hint='use grad, value_and_grad, vjp, jvp, hvp, vmap with target="cuda", or target="cpu" here',
            )
        if options.max_bytes is not None and not self.budgets:
            raise MissingRuleError(
                f"max_bytes is for grad and value_and_grad, not for {type(self).__name__.lower()}",
                why="only there is all memory that a call takes known before it",
                hint="mark loops with adjit.checkpoint",
            )
        if options.saved_as is not None and (not self.rounds or options.target == "cuda"):
            raise MissingRuleError(
                "saved_as is an option of grad and value_and_grad on the CPU, not of "
                + ('target="cuda"' if self.rounds else type(self).__name__.lower()),
                hint='call vjp inside `with adjit.saved_as("float16"):`',
            )
        if options.target == "cuda" and options.debug_nans:
            raise MissingRuleError("debug_nans has no form on the GPU", hint='use it with target="cpu"')
        self.options = options
        self.lock = threading.RLock()
        self.entries: dict[object, list[Any]] = {}
        self.fast: fastpath.Fast | None = None
        base = self.fun.base if isinstance(self.fun, Transform) else self.fun
        self.base: Callable[..., Any] = base
        functools.update_wrapper(self, base, updated=())
        try:
            if type(base).__module__ == "numpy":  # a ufunc, or what chooses among implementations, as np.sum
                raise ValueError
            self.signature = inspect.signature(base, follow_wrapped=not isinstance(base, types.FunctionType))
        except ValueError:  # not one of Python's
            from ..compiler.frontend.entries import no_text

            raise no_text(base) from None
        kinds = [p.kind for p in self.signature.parameters.values()]
        plain = all(
            k in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for k in kinds
        )
        self.arity = len(kinds) if plain else -1
        self.names = tuple(self.signature.parameters)

    # -- what subclasses say
    def derive(self, program: Program) -> Program:
        """The transformed program; refused where a result is put together outside of programs."""
        kind = type(self).__name__.lower()
        name = getattr(self.base, "__name__", "function")
        raise MissingRuleError(
            f"the {kind} of `{name}` cannot be transformed further",
            why=f"{kind} runs a program for one direction many times and puts its result together outside",
            hint=f"call {kind} for one example after another, or build on what composes: adjit.grad, "
            "adjit.value_and_grad, adjit.vmap, or in a function adjit.jvp(adjit.grad(f), (x,), (v,))",
        )

    def captured(self, arguments: tuple[Spec, ...]) -> Program:
        """The program below this transform."""
        return program_of(self.fun, arguments, self.options)

    def guessed(self, arguments: tuple[Spec, ...]) -> Program:
        """The same; where this transform can make up for it, lengths that broadcast are taken to be equal."""
        if not self.guesses:
            return self.captured(arguments)
        with compiler.pipeline.guessing(True):
            return self.captured(arguments)

    # -- arguments
    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """One value per parameter of the user's function, defaults filled in."""
        if kwargs or len(args) != self.arity:
            name = getattr(self.base, "__name__", "the function")
            args = bound(self.signature, name, args, kwargs)
        if self.options.target == "cuda":
            from ..runtime.cuda import calls

            return calls.arguments(args)
        return args

    def key(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Sequence[Any]]:
        """The kinds of the arguments, and their leaves."""
        key: list[Any] = []
        leaves: list[Any] = []
        for k, a in enumerate(args):
            kind = type(a)
            if kind is np.ndarray and a.dtype.kind != "c":
                broadcasts = pytree.ones(a) if 1 in a.shape else ()
                key.append((a.dtype, a.ndim, a.flags.num & MASK, broadcasts))
                leaves.append(a)
            elif kind in NUMBERS:
                key.append(kind)
                leaves.append(a)
            else:
                key.append(pytree.take_apart(a, f"argument {self.names[k]!r}", leaves))
        return tuple(key), leaves

    def specs(self, args: tuple[Any, ...], pattern: tuple[int, ...] | None = None) -> tuple[Spec, ...]:
        """Specifications of the arguments; `pattern` says which array leaves are the same."""
        leaves: list[Any] = []
        found = [
            pytree.take_apart(a, f"argument {n!r}", leaves) for a, n in zip(args, self.names, strict=True)
        ]
        if pattern is not None:
            counter = iter(range(len(pattern)))

            def shared(spec: Spec) -> Spec:
                if not isinstance(spec, ArraySpec):
                    return spec
                at = next(counter)
                return spec if pattern[at] == at else SameAs(pattern[at])

            found = [pytree.map_leaves(s, shared) for s in found]
        return tuple(found)

    # -- programs
    def program(self, arguments: tuple[Spec, ...]) -> Program:
        """The transformed program for arguments of these kinds; other transforms build on it."""
        return self.derive(self.captured(arguments))

    def title(self) -> str:
        name = getattr(self.base, "__name__", "function")
        return f"{self.word[0].upper()}{self.word[1:]} of `{name}`"

    def make(self, program: Program, extra: Any) -> Any:
        """The entry for one kind of arguments: `around`, `runner`, `run(leaves)`, `program` and `kept`."""
        made = self.derive(program)
        return Prepared(made, runner(made.function, self.options, self.title()))

    def revive(self, program: Program, kept: Any, extra: Any) -> Any:
        """The same from what an earlier process kept."""
        known, text = kept
        return Prepared(program, Runner(known, text, self.options))

    def chain(self) -> str:
        """This transform and those below it, in words."""
        inner = self.fun.chain() if isinstance(self.fun, Transform) else ""
        return f"{type(self).__name__} {self.recipe()[1:]!r} {inner}"

    def __adjit_described__(self) -> str:
        return f"{self.chain()} {described(self.base)}"

    def prepare(self, args: tuple[Any, ...], extra: Any = None) -> tuple[Any, Sequence[Any]]:
        """The prepared program for a call, and the leaves of its arguments. `extra` is part of the key."""
        key, leaves = self.key(args)
        if extra is not None:
            key = (key, extra)
        for entry in self.entries.get(key, ()):
            around = entry.around
            if (around.plain or around.fits(leaves)) and (not around.written or not self.repeats(leaves)):
                return entry, leaves
        try:
            return self.make_entry(key, args, leaves, extra), leaves
        except AdjitError as error:
            if jit_disabled():
                raise
            raise error.with_traceback(None)  # noqa: B904 - the user's place is in the message; ours is no help

    @staticmethod
    def repeats(leaves: Sequence[Any]) -> bool:
        arrays = [a for a in leaves if isinstance(a, np.ndarray)]
        return len(arrays) > 1 and aliasing.pattern(arrays) != tuple(range(len(arrays)))

    def make_entry(
        self, key: tuple[Any, ...], args: tuple[Any, ...], leaves: Sequence[Any], extra: Any
    ) -> Any:
        with self.lock:
            for entry in self.entries.get(key, ()):
                if entry.around.fits(leaves) and (not entry.around.written or not self.repeats(leaves)):
                    return entry
            specs, store = self.specs(args), key
            front = frontcache.Kept(self.base, self.chain(), specs, extra, self.options)
            found = front.find()
            program = found[0] if found else self.guessed(specs)
            if program.written and self.repeats(leaves):
                pattern = aliasing.pattern([a for a in leaves if isinstance(a, np.ndarray)])
                store = (key, pattern)
                for entry in self.entries.get(store, ()):
                    if entry.around.fits(leaves):
                        return entry
                specs = self.specs(args, pattern)
                front = frontcache.Kept(self.base, self.chain(), specs, extra, self.options)
                found = front.find()
                program = found[0] if found else self.guessed(specs)
            if found:
                entry = self.revive(*found, extra)
            else:
                entry = self.make(program, extra)
                front.keep(entry.program, entry.kept)
            if self.guesses and entry.runner.guessed:
                entry.runner.otherwise = lambda: self.make(self.captured(specs), extra).runner
            entry.compile(leaves)
            self.entries.setdefault(store, []).append(entry)
            return entry

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.fast is not None and not kwargs:
            found = self.fast(args)
            if found is not fastpath.MISS:
                return found
        bound = self.bound(args, kwargs)
        entry, leaves = self.prepare(bound)
        if bound is args:
            self.fast = entry.short_way(args)
        return entry.run(leaves)

    def needs_plain_parameters(self, what: str) -> None:
        """Refuse `*args`, `**kwargs` and parameters that are given by keyword only."""
        if self.arity < 0:
            name = getattr(self.base, "__name__", "the function")
            raise InferenceError(
                f"`{name}{self.signature}` has parameters that {what} does not pass on",
                why="there each parameter is given by position",
                hint="wrap it in a function of plain parameters",
            )

    # -- looking inside
    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile for arguments like these without running."""
        self.prepare(self.bound(args, kwargs))

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The generated program for arguments like these."""
        entry, _ = self.prepare(self.bound(args, kwargs))
        text: str = entry.runner.text.source
        return text

    def path(self, *args: Any, **kwargs: Any) -> str:
        """The file that holds the generated program for arguments like these."""
        entry, _ = self.prepare(self.bound(args, kwargs))
        return str(entry.runner.loaded.filename)

    def explain(self, name: str, *args: Any, **kwargs: Any) -> str:
        """How the argument `name` reaches the result, in words and source lines: where the path forks,
        where it is cut, and so why a gradient is zero. Without arguments: for those of the latest call.
        """
        if args or kwargs:
            specs = self.specs(self.bound(args, kwargs))
        else:
            found = [e for entries in self.entries.values() for e in entries]
            if not found:
                raise TypeError(
                    "explain needs example arguments until there has been a call: explain(name, *args)"
                )
            specs = found[-1].program.arguments[: len(self.names)]
        with compiler.pipeline.without_checkpoints():
            program = self.captured(specs)
        spelled = compiler.derived.spelled(program)
        chosen = [k for k, s in enumerate(spelled) if re.match(re.escape(name) + r"($|[\[.])", s)]
        if not chosen:
            raise ValueError(f"{name!r} is none of {', '.join(spelled)}")
        from ..compiler.explain import explain

        fn, results = self.explained(program)
        return explain(fn, name, [fn.params[k] for k in chosen], results)

    def explained(self, program: Program) -> tuple[Function, list[Operand]]:
        """The function and the results that a path is looked for to."""
        return program.function, [r for r in program.function.results if is_float(r.type)]

    def report(self, path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> str:
        """Write an HTML page about this transform at these arguments, which are not written: source beside
        the generated program, the graph step by step, what is saved. Returns the path."""
        written: str = import_module("adjit.report").write(self, path, self.bound(args, kwargs))
        return written

    @property
    def compiled(self) -> Callable[..., Any] | None:
        """The compiled function of the latest kind of arguments, without the checks around it."""
        found = [e for entries in self.entries.values() for e in entries]
        bare: Callable[..., Any] | None = found[-1].runner.general().bare if found else None
        return bare

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """What it is in a function that Numba compiles."""
        from ..runtime.within import Within

        return Within(self)

    def __repr__(self) -> str:
        chosen = [self.names[k if isinstance(k, int) else k.argument] for k in getattr(self, "chosen", ())]
        within = f" in {', '.join(chosen)}" if chosen else ""
        return f"<adjit {self.word} of {getattr(self.base, '__qualname__', self.base)!s}{within}>"

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        """A method where the transform decorates one."""
        return self if owner is None else functools.partial(self, owner)

    # -- pickling: by name where the module's name is this object, else by what it was made of
    def recipe(self) -> tuple[Any, ...]:
        """Arguments that make the same transform again."""
        return (self.fun, self.options)

    def __reduce__(self) -> Any:
        if _named(self.base) is self:
            return _lookup, (self.base.__module__, self.base.__qualname__)
        inner = _named(self.base)
        if isinstance(inner, Transform) and inner.fun is self.fun:
            _, *rest = self.recipe()
            return _remade, (type(self), inner, tuple(rest))
        return type(self), self.recipe()


def _lookup(module: str, qualname: str) -> Any:
    found: Any = __import__(module, fromlist=["_"])
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _named(fun: Callable[..., Any]) -> object:
    try:
        return _lookup(fun.__module__, fun.__qualname__)
    except (AttributeError, ImportError, ValueError):
        return None


def _remade(kind: type[Transform], inner: Transform, rest: tuple[Any, ...]) -> Transform:
    return kind(inner.fun, *rest)


_kept_lock = threading.Lock()


class _Kept(dict[Any, Any]):
    """Transforms made of a function, kept on it. `owner` tells whose they are: `functools.wraps` copies
    attributes.
    """

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self.owner = weakref.ref(owner)

    def __reduce__(self) -> Any:
        return dict, ()


def kept(
    kind: Callable[..., Transform], fun: Callable[..., Any], *settings: Any, options: dict[str, Any]
) -> Any:
    """The transform of that kind, made once per function and settings: for calls such as `vjp(f, x)`."""
    fun = python_function(fun)
    chosen = fun.options if isinstance(fun, Transform) else DEFAULT
    if options:
        chosen = chosen.updated(options)
    key = (kind, settings, chosen)
    known = getattr(fun, "__adjit__", None)
    if not isinstance(known, _Kept) or known.owner() is not fun:
        try:
            known = _Kept(fun)
            fun.__adjit__ = known  # type: ignore[attr-defined]
        except (AttributeError, TypeError):
            return kind(fun, *settings, options=chosen)
    with _kept_lock:
        if key not in known:
            known[key] = kind(fun, *settings, options=chosen)
    return known[key]


def decorated(
    make: Callable[..., Any],
    fun: Callable[..., Any] | None,
    settings: dict[str, Any],
    changes: dict[str, Any],
) -> Any:
    """`make(fun, **settings, options=...)`, or a decorator that does so where `fun` is None."""
    if fun is None:
        DEFAULT.updated(changes)  # complain at once
        return lambda function: decorated(make, function, settings, changes)
    base = fun.options if isinstance(fun, Transform) else DEFAULT
    return make(fun, **settings, options=base.updated(changes))


__all__ = ["NodeSpec", "Transform", "decorated", "replace"]
