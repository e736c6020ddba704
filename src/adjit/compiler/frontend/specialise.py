"""One walk from a user's function to core IR, for one signature.

Input: a Python function and the specification of each argument. Output: a `Program`: typed, inlined, free of
structures and of NumPy. Names stand for frontend values; statements are emitted through the builder as the
walk meets them. Invariants: user code is never run; a block may be walked again (types of carried values
widen), so a walk has no effect but on the builder, the names in scope and the tables of the specialiser.
Non-goals: derivatives, optimisation.
"""

from __future__ import annotations

import ast
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from ...errors import AdjitError, NotDifferentiableError, OverwriteError, call_notes
from ...options import DEFAULT, Options
from ..adjoint.checkpointed_loops import converted, unmarked
from ..ir.builder import Builder
from ..ir.builder import Names as Numbers
from ..ir.nodes import Function, Location, Operand, Var
from ..program import Guard, Hidden, Program, Spec
from . import (
    calls,
    comparisons,
    comprehensions,
    conditions,
    entries,
    expressions,
    lookup,
    recomputed,
    statements,
    structure,
)
from .arrays import materialise
from .blocks import called
from .intermediates import check_all_marked, intermediate
from .lowering import lowered
from .passes import ActiveLoop
from .scope import Facts
from .source import Source
from .values import (
    ArrayValue,
    Choice,
    Closure,
    Item,
    Mapping_,
    Maybe,
    Method,
    Record,
    Sequence_,
    Value,
    VirtualArray,
)

Result = TypeVar("Result")


@dataclass(eq=False)
class Frame:
    """The names of one call. `outer` is the frame in which a closure was defined; a `quiet` frame (one of
    adjit's own definitions) leaves locations at the user's line, and its parameters in `once` may stay
    unmaterialised.
    """

    source: Source
    facts: Facts
    stops: dict[ast.stmt, str]
    locals: frozenset[str]
    outer: Frame | None = None
    quiet: bool = False
    once: frozenset[str] = frozenset()
    names: dict[str, Value] = field(default_factory=dict)
    site: Location | None = None
    known: tuple[object, ...] = ()  # of the arguments, at compile time


class Again(Exception):
    """Walk the statement that stands in `scope` again, after `prepare`."""

    def __init__(self, scope: object, prepare: Callable[[], None]) -> None:
        super().__init__()
        self.scope, self.prepare = scope, prepare


Snapshot = tuple[list[tuple[Frame, dict[str, Value]]], int, tuple[object, ...], bool]


class Specialiser:
    """The state of a walk; passed to every function of the frontend as `ctx`. `plain`: nothing will be
    differentiated, so rules for derivatives are of no use. `ruling`: rules that are being captured (see
    `rules`).
    """

    def __init__(self, source: Source, options: Options, plain: bool = False, ruling: object = None) -> None:
        self.plain, self.ruling = plain, ruling
        self.b = Builder(Numbers(), source.location(source.node))
        self.options = options
        self.frames: list[Frame] = []
        self.hidden: list[tuple[Hidden, Var]] = []
        self.guards: list[Guard] = []
        self.lifted: dict[tuple[int, str], Value] = {}
        self.warnings: list[str] = []
        self.parameters: set[Var] = set()
        self.globals: dict[Var, str] = {}
        self.written: set[Var] = set()
        self.frozen: dict[Var, str] = {}
        self.readonly: dict[Var, str] = {}
        self.born: dict[VirtualArray, object] = {}
        self.plans: dict[object, object] = {}
        self.lists: set[Var] = set()
        self.list_items: dict[object, Item] = {}  # of lists that loops make, by loop and name
        self.loopable: dict[ast.AST, int] = {}  # functions under way that call themselves: their calls
        self.inlined: set[ast.AST] = set()  # those whose calls cannot be loops
        self.loops_for: dict[ast.AST, ast.FunctionDef] = {}  # those that are walked as loops
        self.no_loop: dict[ast.AST, str] = {}  # why others are none
        self.outdated: dict[int, Value] = {}  # lists that others have replaced, which hold wider items
        self.flags: set[Operand] = set()  # booleans that say whether a number is there or None
        self.typed_lists = False  # whether one of Numba's lists is made
        self.in_lists: set[Var] = set()  # memory that a copy in a list stands for
        self.exchanges: list[tuple[frozenset[Var], frozenset[Var]]] = []
        self.foreign: list[tuple[Value, str]] = []
        self.mutated: dict[int, Value] = {}  # lists, dicts and objects that were replaced by changed ones
        self.aliased: dict[int, tuple[Value, str]] = {}  # those that must not change any more, and why
        self.loops: list[ActiveLoop] = []
        self.unroll: set[object] = set()
        self.path: tuple[object, ...] = ()
        self.dead = False
        self.depth = 0  # of blocks around the statement that is walked
        self.count = 0

    # -- places and errors
    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """What is emitted or found wrong inside belongs to `node`."""
        if self.frame.quiet or not hasattr(node, "lineno"):
            yield
            return
        with self.b.at(self.frame.source.location(node, self.frame.site)):
            yield

    def error(self, cls: type[Exception], what: str, why: str = "", instead: str = "") -> NoReturn:
        if not issubclass(cls, AdjitError):
            raise cls(what)
        if self.dead and len(self.b.scopes) == self.depth:
            raise statements.Unreached
        sites = [f.site for f in reversed(self.frames) if f.site is not None and not f.quiet]
        raise cls(what, self.b.loc, why, instead, call_notes(sites))

    def fresh_name(self, hint: str) -> str:
        self.count += 1
        return f"@{hint}{self.count}"

    def new_frame(
        self,
        source: Source,
        facts: Facts,
        stops: dict[ast.stmt, str],
        own: frozenset[str],
        outer: Frame | None,
        quiet: bool,
    ) -> Frame:
        return Frame(source, facts, stops, own, outer, quiet)

    # -- the walk
    def run(self, block: Sequence[ast.stmt]) -> None:
        statements.run(self, block)

    def eval(self, node: ast.expr) -> Value:
        return expressions.evaluate(self, node)

    def call(self, function: object, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
        return calls.call(self, function, args, kwargs or {})

    def in_order(self, nodes: Sequence[ast.expr]) -> list[Value]:
        return expressions.in_order(self, nodes)

    def spread(self, nodes: Sequence[ast.expr]) -> list[Value]:
        return expressions.spread(self, nodes)

    def load(self, name: str) -> Value:
        return lookup.load(self, name)

    def truth(self, value: Value) -> Value:
        return conditions.truth(self, value)

    def compare(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        return comparisons.compare(self, op, left, right)

    def by_alternative(self, value: Choice, of: Callable[[Value], Value | None]) -> Value:
        return conditions.by_alternative(self, value, of)

    def attribute(self, owner: Value, name: str) -> Value:
        return expressions.attribute(self, owner, name)

    def subscript(self, owner: Value, index: Value) -> Value:
        return expressions.subscript(self, owner, index)

    def call_expression(self, node: ast.Call) -> Value:
        return calls.expression(self, node)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> Value:
        return comprehensions.evaluate(self, node)

    def assign(self, target: ast.expr, value: Value) -> None:
        statements.assign(self, target, value)

    def bind(self, name: str, value: Value, at: ast.stmt | None = None) -> None:
        """Let a name of the current frame stand for a value."""
        frame = self.frame
        if isinstance(value, VirtualArray):
            stays = frame.facts.virtual_may_stay(name, at)
            if frame.quiet:
                stays = name in frame.once or frame.facts.read_once(name)
            stays = stays and not self.options.debug_nans  # each statement by itself, on its own line
            if name.startswith("@") or stays:
                self.born[value] = self.b.scopes[-1]
            else:
                value = materialise(self, value, name)
        elif not name.startswith("@") and name not in frame.once:
            value = self.settled(value, name)
        if self.options.intermediates:
            whole = name if len(self.frames) == 1 else f"{frame.source.name}.{name}"
            if whole in self.options.intermediates and not frame.quiet:
                value = intermediate(self, whole, value)
        frame.names[name] = value

    @contextmanager
    def naming(self, targets: Sequence[ast.expr]) -> Iterator[None]:
        """Name the array that an assignment's right side makes after the user's variable."""
        kept, target = self.b.wish, targets[0]
        if not self.frame.quiet:
            self.b.wish = target.id if isinstance(target, ast.Name) else None
        try:
            yield
        finally:
            self.b.wish = kept if self.frame.quiet else None

    def replace_everywhere(self, old: Value, new: Value) -> None:
        """Let every name that sees `old` see `new`."""
        for frame in self.reachable():
            for name, value in list(frame.names.items()):
                frame.names[name] = replaced(value, old, new)

    def note_foreign(self, value: Value, what: str) -> None:
        foreign_parts(self, value, what)

    def reachable(self) -> list[Frame]:
        """The frames of all calls under way, and those that closures keep alive."""
        found = list(self.frames)
        for frame in found:
            outer = [c.scope for v in frame.names.values() for c in closures(v)]
            for one in (*outer, frame.outer):
                if isinstance(one, Frame) and one not in found:
                    found.append(one)
        return found

    def unroll_and_retry(self, loop: ActiveLoop) -> NoReturn:
        self.walk_again(loop.scope, lambda: self.unroll.add(loop.key))

    def walk_again(self, scope: object, prepare: Callable[[], None]) -> NoReturn:
        """Walk the statement under way in a block again, after `prepare`."""
        raise Again(scope, prepare)

    def settled(self, value: Value, hint: str) -> Value:
        """A value without unmaterialised arrays."""
        match value:
            case VirtualArray():
                return materialise(self, value, hint)
            case Sequence_(items=items, kind=kind):
                new = tuple(self.settled(v, hint) for v in items)
                return value if _same(new, items) else Sequence_(new, kind)
            case Mapping_(items=found):
                moved = {k: self.settled(v, hint) for k, v in found.items()}
                return value if _same(moved.values(), found.values()) else Mapping_(moved)
            case Record(cls=cls, items=fields):
                changed = {k: self.settled(v, hint) for k, v in fields.items()}
                return value if _same(changed.values(), fields.values()) else Record(cls, changed)
        return value

    # -- walking again
    def snapshot(self) -> Snapshot:
        names = [(f, dict(f.names)) for f in self.reachable()]
        return names, len(self.frames), self.path, self.dead

    def restore(self, kept: Snapshot) -> None:
        names, frames, self.path, self.dead = kept
        del self.frames[frames:]
        self.loops = [one for one in self.loops if one.scope in self.b.scopes]
        for frame, found in names:
            frame.names = dict(found)

    def retrying(self, walk: Callable[[], Result]) -> Result:
        """Run a walk that opens blocks; when something inside has to be done before them, do it and walk
        again.
        """
        while True:
            kept, place = self.snapshot(), self.b.loc
            try:
                return walk()
            except Again as again:
                self.restore(kept)
                self.b.loc = place
                if again.scope is not self.b.scopes[-1]:
                    raise
                again.prepare()

    # -- memory
    def before_write(self, base: Var) -> None:
        """Called before each store: what is still to be computed from the old contents is computed first."""
        memory = self.b.origin(base)
        for root in memory:
            if root in self.globals:
                self.error(
                    NotDifferentiableError,
                    f"the global array {self.globals[root]!r} is written",
                    "arrays of the module or of an enclosing function are constant in a differentiated one",
                    "pass it as an argument",
                )
            if root in self.readonly:
                self.error(
                    NotDifferentiableError,
                    "assignment destination is read-only",
                    f"{self.readonly[root]} is an array that must not be written",
                    "copy it first",
                )
            if root in self.frozen:
                what = f"{called(self, root)} is written"
                self.error(OverwriteError, what, self.frozen[root], "copy the array")
        self.written |= memory
        for frame in self.reachable():
            for name, value in list(frame.names.items()):
                for found in pending(value):
                    if any(self.b.origin(r) & memory for r in found.reads):
                        self.force(frame, name, found)

    def force(self, frame: Frame, name: str, value: VirtualArray) -> None:
        """Put a bound array into memory in the block where it was bound."""
        born = self.born.get(value)

        def prepare() -> None:
            stored = materialise(self, value, name)
            frame.names[name] = replaced(frame.names[name], value, stored)

        if born is None or born is self.b.scopes[-1] or born not in self.b.scopes:
            prepare()
        else:
            raise Again(born, prepare)


def closures(value: Value) -> Iterator[Closure]:
    """The functions of the user's text in a value."""
    match value:
        case Closure(defaults=parts):
            yield value
        case Method(owner=owner):
            parts = (owner,)
        case Maybe(value=inner):
            parts = (inner,)
        case _:
            parts = structure.children(value) or ()
    for part in parts:
        yield from closures(part)


def foreign_parts(ctx: Specialiser, value: Value, what: str) -> None:
    """Containers of the caller or of the module, which stay as they are."""
    match value:
        case Sequence_(items=items):
            inner: Iterable[Value] = items
        case Mapping_(items=found):
            inner = found.values()
        case Record(items=fields):
            inner = fields.values()
        case _:
            return
    ctx.foreign.append((value, what))
    for v in inner:
        foreign_parts(ctx, v, what)


def _same(new: object, old: object) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))  # type: ignore[call-overload]


def pending(value: Value) -> Iterator[VirtualArray]:
    """The arrays in a value that are not in memory yet."""
    match value:
        case VirtualArray():
            yield value
        case Sequence_(items=items):
            for v in items:
                yield from pending(v)
        case Mapping_(items=found):
            for v in found.values():
                yield from pending(v)
        case Record(items=fields):
            for v in fields.values():
                yield from pending(v)
        case Maybe(value=inner):
            yield from pending(inner)


def replaced(value: Value, old: Value, new: Value) -> Value:
    """The value with `old` inside it replaced by `new`."""
    if value is old:
        return new
    match value:
        case Sequence_(items=items, kind=kind):
            moved = tuple(replaced(v, old, new) for v in items)
            return value if _same(moved, items) else Sequence_(moved, kind)
        case Mapping_(items=found):
            changed = {k: replaced(v, old, new) for k, v in found.items()}
            return value if _same(changed.values(), found.values()) else Mapping_(changed)
        case Record(cls=cls, items=fields):
            renewed = {k: replaced(v, old, new) for k, v in fields.items()}
            return value if _same(renewed.values(), fields.values()) else Record(cls, renewed)
        case Method(owner=owner, name=name):
            bound_to = replaced(owner, old, new)
            return value if bound_to is owner else Method(bound_to, name)
        case Maybe(value=inner, bound=bound, name=name):
            again = replaced(inner, old, new)
            return value if again is inner else Maybe(again, bound, name)
    return value


_limit_lock = threading.Lock()
_walks, _limit = 0, 0  # walks under way in all threads; the limit before the first


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Long sums and inlined calls make deep syntax trees, which are walked recursively."""
    global _walks, _limit
    with _limit_lock:
        if _walks == 0:
            _limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit, 20_000))
        _walks += 1
    try:
        yield
    finally:
        with _limit_lock:
            _walks -= 1
            if _walks == 0:
                sys.setrecursionlimit(_limit)


def specialise(
    fun: object,
    arguments: tuple[Spec, ...],
    options: Options | None = None,
    plain: bool = False,
    ruling: object = None,
) -> Program:
    """The program of a function for arguments of these kinds; see `Specialiser` for `plain` and `ruling`."""
    with deep_recursion():
        return _specialise(fun, arguments, options or DEFAULT, plain, ruling)


def _specialise(
    fun: object, arguments: tuple[Spec, ...], options: Options, plain: bool, ruling: object
) -> Program:
    entry = entries.entry(fun)
    source = entry.source
    ctx = Specialiser(source, options, plain, ruling)
    node = source.node
    names = entry.names
    if len(arguments) > len(names):
        raise TypeError(f"{source.name} takes {len(names)} arguments, not {len(arguments)}")
    params, values = structure.arguments(ctx, arguments, names)
    for value, name in zip(values, names, strict=False):
        foreign_parts(ctx, value, f"the argument {name!r}")
    result = entry.walk(ctx, dict(zip(names, values, strict=False)))
    with ctx.b.at(source.location(node)):
        check_all_marked(ctx, source.name)
        tree, results = structure.results(ctx, result)
    params = [*params, *(v for _, v in ctx.hidden)]
    written = frozenset(k for k, p in enumerate(params) if p in ctx.written)
    body = ctx.b.finish()
    name = source.name if source.name != "<lambda>" else "function"
    core = Function(name, tuple(params), body, tuple(results), source.location(node))
    core = lowered(core, ctx.b.names, ctx.b.halves)
    core = converted(core) if recomputed.AGAIN.get() and not plain else unmarked(core)
    hidden = tuple(h for h, _ in ctx.hidden)
    return Program(core, arguments, names, tree, hidden, tuple(ctx.guards), written)


__all__ = ["Again", "ArrayValue", "Frame", "Specialiser", "pending", "replaced", "specialise", "types"]
