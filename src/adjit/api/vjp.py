"""`vjp`: the value now, cotangents later. Two compiled functions with the saved values between them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import compiler
from ..compiler.codegen.linemap import Text
from ..compiler.ir.types import Array, is_float
from ..compiler.program import Leaves, Program, ResultLeaf, StaticSpec, tuple_tree
from ..errors import InputChangedError, ReleasedError, SeedError
from ..options import DEFAULT, Options
from ..runtime import buffers, cotangents, pytree
from ..runtime.aliasing import copies
from ..runtime.dispatch import Around, Interface, Runner, interface
from ..runtime.fingerprint import fingerprint
from .argnums import Argnums, every, frozen, positions
from .transform import Transform, kept


@dataclass(frozen=True)
class Split:
    """What a pullback needs to know of the two functions: who is differentiated, what is saved, and the
    functions themselves.

    `tree` is the value's structure: results are numbered, then outputs. `floats` are the results that have
    a seed.
    """

    leaves: Leaves
    outputs: tuple[int, ...]
    tree: object
    own: int
    floats: tuple[int, ...]
    saved_names: tuple[str, ...]
    reads: frozenset[int]
    writes: frozenset[int]
    forward: tuple[Interface, Text]
    backward: tuple[Interface, Text]


def output_params(program: Program, names: Sequence[str]) -> tuple[int, ...]:
    found = []
    numbers = compiler.derived.parameters(program)
    for name in names:
        at = numbers[program.argument_names.index(name)] if name in program.argument_names else None
        if not isinstance(at, int) or not isinstance(program.function.params[at].type, Array):
            raise SeedError(f"outputs names {name!r}, which is not a parameter that holds an array of floats")
        found.append(at)
    return tuple(found)


def value_tree(program: Program, count: int) -> object:
    """The returned value, then the outputs, numbered after the results."""
    tree: object = program.result
    if not count:
        return tree
    own = len(program.function.results)
    trees: list[object] = [ResultLeaf(own + k) for k in range(count)]
    parts = trees if isinstance(tree, StaticSpec) and tree.value is None else [tree, *trees]
    return parts[0] if len(parts) == 1 else tuple_tree(parts)


def split(program: Program, transform: Vjp) -> Split:
    fn = program.function
    leaves = compiler.derived.choose(program, transform.chosen, transform.argnums is None)
    outputs = output_params(program, transform.outputs)
    forward, backward = compiler.pipeline.split(fn, leaves.wrt, outputs)
    name = getattr(transform.base, "__name__", "function")
    own = len(fn.results)
    return Split(
        leaves,
        outputs,
        value_tree(program, len(outputs)),
        own,
        tuple(k for k, r in enumerate(fn.results) if is_float(r.type)),
        tuple(v.name for v in backward.params[: len(forward.results) - own]),
        *compiler.derived.touched(backward),
        (
            interface(forward),
            compiler.pipeline.emit(forward, transform.options, f"Forward sweep of `{name}`"),
        ),
        (
            interface(backward),
            compiler.pipeline.emit(backward, transform.options, f"Reverse sweep of `{name}`"),
        ),
    )


class Halves:
    """The forward and backward functions of one program."""

    def __init__(self, program: Program, kept: Split, options: Options) -> None:
        self.program = program
        self.kept = kept
        self.around = Around(program, options.target)
        self.options = options
        self.runner = Runner(*kept.forward, options)
        self.assemble = pytree.assembler(kept.tree)
        self.gradients = pytree.assembler(tuple_tree(kept.leaves.trees))
        self.lock = threading.Lock()
        self._backward: Runner | None = None

    def compile(self, leaves: Sequence[Any]) -> None:
        self.runner.prepare(self.around.with_hidden(leaves))

    def forward(self, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...], Sequence[Any]]:
        """(results and outputs, saved values, the core function's arguments)."""
        arguments = self.around.with_hidden(leaves)
        if self.around.written:
            self.around.check(arguments)
        flat = self.runner.call(arguments)
        own = self.kept.own
        outputs = [arguments[p] for p in self.kept.outputs]
        if self.options.target == "cuda":
            return self.on_device(flat, outputs, arguments)
        return (*flat[:own], *outputs), flat[own:], arguments

    def on_device(
        self, flat: Sequence[Any], outputs: Sequence[Any], arguments: Sequence[Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], Sequence[Any]]:
        """The same for arrays of the GPU: an argument that the reverse sweep reads is saved as a copy, since
        looking whether it has changed would wait for the device.
        """
        from ..runtime.cuda import calls

        self.around.leave(arguments)
        own = self.kept.own
        used = self.kept.reads | self.kept.writes
        saved = list(flat[own:])
        for k, (_, _, p) in enumerate(self.runner.interface.results[own:]):
            if p >= 0:
                saved[k] = calls.kept(arguments[p], k in used)
        return (*flat[:own], *(calls.given(x) for x in outputs)), tuple(saved), arguments

    def backward(self, saved: Sequence[Any], seeds: Sequence[Any], keep: bool) -> tuple[Any, ...]:
        """Gradients of the differentiated leaves. `keep`: the saved values stay as they are."""
        values = list(saved)
        if keep:
            written = sorted(k for k in self.kept.writes if k < len(values))
            arrays = [k for k in written if isinstance(values[k], np.ndarray)]
            for k, copy in zip(arrays, copies([values[k] for k in arrays]), strict=True):
                values[k] = copy
            if self.options.target == "cuda":
                from ..runtime.cuda import calls

                calls.apart(values, written)
        arguments = [*values, *seeds]
        with self.lock:
            if self._backward is None:
                self._backward = Runner(*self.kept.backward, self.options)
            self._backward.prepare(arguments)
        found: tuple[Any, ...] = self._backward.call(arguments)
        return found


class Pullback:
    """Maps a cotangent of the value to gradients, one per differentiated argument."""

    def __init__(
        self,
        halves: Halves,
        results: Sequence[Any],
        saved: Sequence[Any],
        arguments: Sequence[Any],
        retain: bool,
    ) -> None:
        self._halves = halves
        self._results = [_shape_only(r) for r in results]
        self._saved: Sequence[Any] | None = saved
        self._retain = retain
        self._lock = threading.Lock()
        self._zeros = [cotangents.zero(arguments[p]) for p in halves.kept.leaves.zeros]
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        used = halves.kept.reads | halves.kept.writes  # of others the reverse sweep needs the lengths only
        self._borrowed = [
            k
            for k, v in enumerate(saved)
            if k in used and isinstance(v, np.ndarray) and any(np.may_share_memory(v, a) for a in arrays)
        ]
        self._marks = [fingerprint(saved[k]) for k in self._borrowed] if halves.options.check_inputs else []

    @property
    def saved(self) -> Any:
        """The saved values, as a named tuple."""
        if self._saved is None:
            raise self._released()
        return buffers.named(self._halves.kept.saved_names, self._saved)

    def _released(self) -> ReleasedError:
        return ReleasedError(
            "the saved values of this pullback were released by its first call",
            hint="pass retain=True to vjp in order to call the pullback again",
        )

    def __call__(self, *cotangent: Any) -> Any:
        seeds = self._seeds(cotangent)
        with self._lock:
            saved = self._saved
            if saved is None:
                raise self._released()
            self._unchanged(saved)
            if not self._retain:
                self._saved = None
        borrowed = any(k in self._halves.kept.writes for k in self._borrowed)
        found = self._halves.backward(saved, seeds, self._retain or borrowed)
        return self._halves.gradients([*found, *self._zeros])

    def _unchanged(self, saved: Sequence[Any]) -> None:
        for k, mark in zip(self._borrowed, self._marks, strict=False):
            if fingerprint(saved[k]) != mark:
                raise InputChangedError(
                    f"the argument array saved as {self._halves.kept.saved_names[k]!r} was written "
                    "after the forward sweep",
                    why="the reverse sweep reads it",
                    hint="call the pullback first, or pass a copy to vjp",
                )

    def _seeds(self, given: tuple[Any, ...]) -> list[Any]:
        tree = self._halves.kept.tree
        if len(given) > 1:
            raise SeedError(f"a pullback takes one cotangent, structured as the value, not {len(given)}")
        if not given:
            alone = isinstance(tree, ResultLeaf) and np.shape(self._results[tree.index]) == ()
            if not alone:
                raise SeedError("the value is not a single number, so the pullback needs a cotangent")
            given = (1.0,)
        found: dict[int, Any] = {}
        cotangents.flat(tree, given[0], self._results, "the cotangent", found)
        wanted = [*self._halves.kept.floats, *range(self._halves.kept.own, len(self._results))]
        return [found.get(k, cotangents.zero(self._results[k])) for k in wanted]


def _shape_only(value: Any) -> Any:
    """Something of the value's shape and dtype that holds no memory."""
    if isinstance(value, np.ndarray) or hasattr(value, "copy_to_host"):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value


class Vjp(Transform):
    word = "pullback"

    def __init__(
        self,
        fun: Callable[..., Any],
        argnums: Argnums | None = None,
        outputs: tuple[str, ...] = (),
        options: Options = DEFAULT,
    ) -> None:
        super().__init__(fun, options)
        self.argnums, self.outputs = argnums, outputs
        self.chosen = every(self) if argnums is None else positions(self, argnums)[0]

    def recipe(self) -> tuple[Any, ...]:
        return (self.fun, self.argnums, self.outputs, self.options)

    def make(self, program: Program, extra: Any) -> Any:
        return Halves(program, split(program, self), self.options)

    def revive(self, program: Program, kept: Any, extra: Any) -> Any:
        return Halves(program, kept, self.options)

    def saved(self, *args: Any, **kwargs: Any) -> buffers.Saved:
        """What the forward sweep leaves for the reverse sweep, for these arguments, which are not written."""
        below: Vjp = kept(Vjp, self.fun, frozen(self.argnums), (), options={})
        halves, leaves = below.prepare(below.bound(args, kwargs))
        _, values, arguments = halves.forward(unshared(leaves))
        return buffers.table(halves.kept.saved_names, values, arguments)

    def forward(self, args: tuple[Any, ...], kwargs: dict[str, Any], retain: bool) -> tuple[Any, Pullback]:
        halves, leaves = self.prepare(self.bound(args, kwargs))
        results, saved, arguments = halves.forward(leaves)
        return halves.assemble(results), Pullback(halves, results, saved, arguments, retain)


def unshared(leaves: Sequence[Any]) -> list[Any]:
    """Copies of the arrays; an array that stands twice stays one."""
    own: dict[int, Any] = {}
    return [own.setdefault(id(x), x.copy(order="K")) if isinstance(x, np.ndarray) else x for x in leaves]


def vjp(
    fun: Callable[..., Any],
    *args: Any,
    argnums: Argnums | None = None,
    retain: bool = False,
    outputs: Sequence[str] = (),
    **kwargs: Any,
) -> tuple[Any, Pullback]:
    """`(value, pullback)`; `pullback(cotangent)` is a tuple with one gradient per differentiated argument.

    All arguments are differentiated unless `argnums` names some; an argument without floats has None.
    `outputs` names arrays that the function writes and whose final contents count as results, after the
    returned value.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> value, pullback(1.0)
    (10.0, (5.0, 2.0))
    """
    transform: Vjp = kept(Vjp, fun, frozen(argnums), tuple(outputs), options={})
    return transform.forward(args, kwargs, retain)


__all__ = ["Pullback", "Vjp", "vjp"]
