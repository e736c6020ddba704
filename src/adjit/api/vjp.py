"""`vjp`: the value now, cotangents later. Two compiled functions with the saved values between them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .. import compiler
from ..compiler import complexes
from ..compiler.codegen.linemap import Text
from ..compiler.ir.types import Array, is_float
from ..compiler.program import Leaves, NodeSpec, Program, ResultLeaf, StaticSpec, tuple_tree
from ..errors import InputChangedError, ReleasedError, SeedError
from ..options import DEFAULT, Options
from ..runtime import buffers, cotangents, pytree
from ..runtime.aliasing import copies
from ..runtime.dispatch import Around, Interface, Runner, interface
from ..runtime.fingerprint import mark, unchanged
from ..runtime.workspace import Lent
from .argnums import Argnums, every, frozen, positions
from .hooks import Hooks, Packed, active, packed
from .signatures import R
from .transform import Transform, kept

if TYPE_CHECKING:
    from ..compiler.ir.nodes import Function


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
    together: frozenset[int]  # saved arrays that may share memory with others
    decisive: frozenset[int]  # saved arrays that branches and indices of the reverse sweep depend on
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
    count = len(forward.results) - own
    lent = compiler.derived.lendable(backward, count, own)
    return Split(
        leaves,
        outputs,
        value_tree(program, len(outputs)),
        own,
        tuple(k for k, r in enumerate(fn.results) if is_float(r.type)),
        tuple(v.name for v in backward.params[:count]),
        *compiler.derived.touched(backward),
        frozenset(k for group in backward.shared for k in group),
        compiler.pipeline.decisive(backward),
        (
            interface(forward),
            compiler.pipeline.emit(forward, transform.options, f"Forward sweep of `{name}`", lent),
        ),
        (
            interface(backward),
            compiler.pipeline.emit(backward, transform.options, f"Reverse sweep of `{name}`"),
        ),
    )


@dataclass
class Swept:
    """What a forward sweep leaves: results and outputs, saved values, the core function's arguments, and the
    workspace that saved values may lie in.
    """

    results: tuple[Any, ...]
    saved: Sequence[Any]
    arguments: Sequence[Any]
    lent: Lent | None


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

    def forward(self, leaves: Sequence[Any]) -> Swept:
        """Run the forward sweep."""
        arguments = self.around.with_hidden(leaves)
        if self.around.written:
            self.around.check(arguments)
        flat, lent = self.runner.lend(arguments)
        own = self.kept.own
        if self.options.target == "cuda":
            return self.on_device(flat, arguments)
        results = (*flat[:own], *(arguments[p] for p in self.kept.outputs))
        return Swept(results, flat[own:], arguments, lent)

    def on_device(self, flat: Sequence[Any], arguments: Sequence[Any]) -> Swept:
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
        outputs = [calls.given(arguments[p]) for p in self.kept.outputs]
        return Swept((*flat[:own], *outputs), tuple(saved), arguments, None)

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
        swept: Swept,
        retain: bool,
    ) -> None:
        self._lent = swept.lent
        self._halves = halves
        self._results = [_shape_only(r) for r in swept.results]
        saved = swept.saved
        self._saved: Sequence[Any] | None = saved
        self._retain = retain
        self._lock = threading.Lock()
        self._zeros = [cotangents.zero(swept.arguments[p]) for p in halves.kept.leaves.zeros]
        arrays = [a for a in (*swept.arguments, *swept.results) if isinstance(a, np.ndarray)]
        used = halves.kept.reads | halves.kept.writes  # of others the reverse sweep needs the lengths only
        self._borrowed = [
            k
            for k, v in enumerate(saved)
            if isinstance(v, np.ndarray) and any(np.may_share_memory(v, a) for a in arrays)
        ]
        if (hooks := active()) is not None:
            self._pack(hooks)
        read = [k for k in self._borrowed if k in used] if halves.options.check_inputs else []
        self._marks = [(k, mark(saved[k])) for k in read]

    def _pack(self, hooks: Hooks) -> None:
        """Let hooks keep what they like of the arrays that are the pullback's own."""
        assert self._saved is not None
        kept = self._halves.kept
        left = {*self._borrowed, *kept.together, *(kept.decisive if hooks.rounding else ())}
        self._saved = [
            packed(hooks, v, kept.saved_names[k]) if isinstance(v, np.ndarray) and k not in left else v
            for k, v in enumerate(self._saved)
        ]
        if self._lent is not None:
            self._lent.drop()  # who knows what the hook has kept

    @property
    def saved(self) -> Any:
        """The saved values, as a named tuple. From then on their memory is the caller's as well."""
        if self._saved is None:
            raise self._released()
        if self._lent is not None:
            self._lent.drop()
        values = [v.unpacked() if isinstance(v, Packed) else v for v in self._saved]
        return buffers.named(self._halves.kept.saved_names, values)

    def __repr__(self) -> str:
        chosen = ", ".join(self._halves.program.argument_names)
        state = "released" if self._saved is None else f"{len(self._saved)} saved values"
        return f"<adjit pullback of {self._halves.around.name} in {chosen}: {state}>"

    def _released(self) -> ReleasedError:
        return ReleasedError(
            "the saved values of this pullback were released by its first call",
            hint="pass retain=True to vjp in order to call the pullback again",
        )

    def __call__(self, *cotangent: Any) -> tuple[Any, ...]:
        seeds = self._seeds(cotangent)
        with self._lock:
            saved = self._saved
            if saved is None:
                raise self._released()
            self._unchanged(saved)
            if not self._retain:
                self._saved = None
        written = self._halves.kept.writes
        saved = [v.unpacked(k in written) if isinstance(v, Packed) else v for k, v in enumerate(saved)]
        borrowed = any(k in written for k in self._borrowed)
        try:
            found = self._halves.backward(saved, seeds, self._retain or borrowed)
        finally:
            if not self._retain:
                del saved
                self._give_back()
        gradients: tuple[Any, ...] = self._halves.gradients([*found, *self._zeros])
        return gradients

    def _give_back(self) -> None:
        """The memory of the saved values, for the next forward sweep."""
        if self._lent is not None:
            self._lent.back()

    def __del__(self) -> None:
        if getattr(self, "_saved", None) is not None:
            self._saved = None
            self._give_back()

    def _unchanged(self, saved: Sequence[Any]) -> None:
        for k, known in self._marks:
            if not unchanged(saved[k], known):
                raise InputChangedError(
                    f"the array saved as {self._halves.kept.saved_names[k]!r} was written "
                    "after the forward sweep",
                    why="the reverse sweep reads it",
                    hint="call the pullback first, pass a copy to vjp, or check_inputs=False for no check",
                )

    def _seeds(self, given: tuple[Any, ...]) -> list[Any]:
        tree = self._halves.kept.tree
        if len(given) > 1:
            raise SeedError(f"a pullback takes one cotangent, structured as the value, not {len(given)}")
        if not given:
            alone = isinstance(tree, ResultLeaf) and np.shape(self._results[tree.index]) == ()
            if not alone:
                kind = _described(tree, self._results)
                raise SeedError(
                    f"the value is {kind}, not a single number, so the pullback needs a cotangent",
                    why="the gradient of several numbers is known only once each has a weight",
                    hint=f"call pullback(cotangent) with {kind}",
                )
            given = (1.0,)
        found: dict[int, Any] = {}
        cotangents.flat(tree, given[0], self._results, "the cotangent", found, dual=True)
        wanted = [*self._halves.kept.floats, *range(self._halves.kept.own, len(self._results))]
        return [found.get(k, cotangents.zero(self._results[k])) for k in wanted]


def _described(tree: object, results: Sequence[Any]) -> str:
    """A value in words, down to the shapes of its arrays."""
    if isinstance(tree, NodeSpec) and complexes.is_complex(tree.kind):
        first = tree.children[0]
        shape = np.shape(results[first.index])[:-1] if isinstance(first, ResultLeaf) else ()
        return f"a complex array of shape {shape}" if tree.kind in complexes.ARRAYS else "a complex number"
    if isinstance(tree, NodeSpec):
        parts = ", ".join(_described(c, results) for c in tree.children)
        return f"a {tree.kind.__name__} of ({parts})"
    if isinstance(tree, ResultLeaf):
        shape = np.shape(results[tree.index])
        return f"an array of shape {shape}" if shape else "a number"
    return f"{tree.value!r}" if isinstance(tree, StaticSpec) else "nothing"


def _shape_only(value: Any) -> Any:
    """Something of the value's shape and dtype that holds no memory."""
    if isinstance(value, np.ndarray) or hasattr(value, "copy_to_host"):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value


class Vjp(Transform):
    targets = ("cpu", "cuda")
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
        from ..runtime import tables

        below: Vjp = kept(Vjp, self.fun, frozen(self.argnums), (), options={})
        halves, leaves = below.prepare(below.bound(args, kwargs))
        program = self.captured(halves.program.arguments)  # what another process kept has no statements
        arguments = halves.around.with_hidden(unshared(leaves))
        wrt = halves.kept.leaves.wrt
        sweep, notes = compiler.pipeline.kept(program.function, wrt, None, halves.kept.outputs, apart=True)
        run = forward_only(self, sweep, arguments)
        return tables.table(sweep, notes, arguments, compiler.derived.spelled(program), run)

    def forward(self, args: tuple[Any, ...], kwargs: dict[str, Any], retain: bool) -> tuple[Any, Pullback]:
        halves, leaves = self.prepare(self.bound(args, kwargs))
        swept = halves.forward(leaves)
        return halves.assemble(swept.results), Pullback(halves, swept, retain)


def forward_only(
    transform: Transform, sweep: Function, arguments: Sequence[Any]
) -> Callable[[], Sequence[Any]]:
    """Runs a forward sweep; gives what it leaves behind its results, which the table needs the shapes of."""

    def run() -> Sequence[Any]:
        text = compiler.pipeline.emit(sweep, transform.options, f"Forward sweep of `{sweep.name}`")
        found: Sequence[Any] = Runner(interface(sweep), text, transform.options).call(unshared(arguments))
        return found

    return run


def unshared(leaves: Sequence[Any]) -> list[Any]:
    """Copies of the arrays; an array that stands twice stays one."""
    own: dict[int, Any] = {}
    return [own.setdefault(id(x), x.copy(order="K")) if isinstance(x, np.ndarray) else x for x in leaves]


@overload
def vjp(
    fun: Callable[..., R],
    *args: Any,
    argnums: Argnums | None = None,
    retain: bool = False,
    outputs: tuple[()] = (),
    check_inputs: bool = True,
    **kwargs: Any,
) -> tuple[R, Pullback]: ...
@overload
def vjp(
    fun: Callable[..., Any],
    *args: Any,
    argnums: Argnums | None = None,
    retain: bool = False,
    outputs: Sequence[str],
    check_inputs: bool = True,
    **kwargs: Any,
) -> tuple[Any, Pullback]: ...
def vjp(
    fun: Callable[..., Any],
    *args: Any,
    argnums: Argnums | None = None,
    retain: bool = False,
    outputs: Sequence[str] = (),
    check_inputs: bool = True,
    **kwargs: Any,
) -> tuple[Any, Pullback]:
    """`(value, pullback)`; `pullback(cotangent)` is a tuple with one gradient per differentiated argument.

    All arguments are differentiated unless `argnums` names some; an argument without floats has None.
    `outputs` names arrays that the function writes and whose final contents count as results, after the
    returned value. `check_inputs`: notice that an argument was written before the pullback reads it.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> value, pullback(1.0)
    (10.0, (5.0, 2.0))
    """
    options = {} if check_inputs else {"check_inputs": False}
    transform: Vjp = kept(Vjp, fun, frozen(argnums), tuple(outputs), options=options)
    return transform.forward(args, kwargs, retain)


__all__ = ["Pullback", "Vjp", "vjp"]
