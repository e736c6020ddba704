"""Statements of core IR as lines of Python.

Input: one core function. Output: numbered lines with the user's places, and the failure sites met on the
way. A comment quotes the user's line before the statements that come from it. Invariants: carried values
are assigned in parallel; a name is never read after another value took it (see `liveness`). Non-goals: the
module around the function.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.nodes import (
    NOWHERE,
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Location,
    Mark,
    Op,
    Operand,
    Reshape,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from ..ir.types import INT, Array, Type
from ..library.opaque import Argument, Constant, Opaque, opaque_of
from . import printing, views
from .expressions import Expressions, call, dtype, literal, name
from .folding import fold
from .linemap import Site
from .moves import Move, assignment, sequence
from .naming import name_variables

Line = tuple[int, str, Location, tuple[Location, ...]]  # depth, text, place, places of what is folded in
PASS = ast.Pass()
TAB = "    "
WORKSPACE = "ws"


@dataclass(frozen=True)
class Piece:
    """One function of a module."""

    decorator: str
    name: str
    params: tuple[str, ...]
    lines: tuple[Line, ...]


def negated(cond: ast.expr) -> ast.expr:
    """`not cond`, without a double negation; NaN forbids turning other comparisons round."""
    if isinstance(cond, ast.UnaryOp) and isinstance(cond.op, ast.Not):
        return cond.operand
    if isinstance(cond, ast.Compare) and len(cond.ops) == 1 and isinstance(cond.ops[0], ast.Eq | ast.NotEq):
        turned = ast.NotEq() if isinstance(cond.ops[0], ast.Eq) else ast.Eq()
        return ast.Compare(cond.left, [turned], cond.comparators)
    return ast.UnaryOp(ast.Not(), cond)


class Statements:
    """Prints one function; `lines` and `sites` are the outcome."""

    def __init__(
        self,
        fn: Function,
        taken: Sequence[str],
        kept: frozenset[Var] = frozenset(),
        precise: bool = False,
        always: bool = False,
    ) -> None:
        self.fn = fn
        self.workspace = bool(kept) or always
        self.kept = kept
        self.folded = fold(fn)
        self.names = name_variables(fn, self.folded, taken)
        self.expressions = Expressions(fn, self.names, self.folded, precise)
        self.shapes: dict[Var, tuple[Operand, ...]] = {}  # of arrays made so far, as they were made
        self.lines: list[Line] = []
        self.sites: list[Site] = []
        self.depth = 1
        self.quoted: tuple[str, int] = ("", 0)
        self.loc = NOWHERE

    def run(self) -> None:
        if self.workspace:
            first = ast.Subscript(ast.Name(WORKSPACE, ast.Load()), literal(0), ast.Store())
            self.put(ast.Assign([first], literal(8)))
        self.block(self.fn.body)
        results = [self.of(r) for r in self.fn.results]
        value = results[0] if len(results) == 1 else ast.Tuple(results, ast.Load())
        self.loc = NOWHERE
        self.put(ast.Return(value if results else None))

    def of(self, x: Operand) -> ast.expr:
        return self.expressions.of(x)

    # -- lines
    def text(self, text: str) -> None:
        folded = tuple(dict.fromkeys(self.expressions.read))
        self.expressions.read.clear()
        for part in text.split("\n"):
            self.lines.append((self.depth, part, self.loc, folded))

    def put(self, node: ast.stmt) -> None:
        self.text(printing.statement(node))

    def assign(self, out: Var, value: ast.expr) -> None:
        self.put(assignment(self.names[out], value))

    def moves(self, targets: Sequence[Var], values: Sequence[Operand]) -> list[ast.stmt]:
        pairs = zip(targets, values, strict=True)
        return sequence([Move(self.names[t], self.of(v)) for t, v in pairs])

    def quote(self, loc: Location) -> None:
        """A comment with the user's line, where it is not the line of the statement before."""
        self.loc = loc
        here = (loc.file, loc.line)
        if loc.line <= 0 or here in (self.quoted, (self.fn.loc.file, self.fn.loc.line)):
            return
        self.quoted = here
        source = linecache.getline(loc.file, loc.line).strip()
        if source and self.lines and self.depth == 1:
            self.lines.append((0, "", NOWHERE, ()))
        if source:
            self.text(f"# {source}")

    # -- blocks
    def block(self, block: Block) -> None:
        for stmt in self.folded.kept(block):
            if isinstance(stmt, Mark):
                continue
            if isinstance(stmt, Alloc | Dim | View | Reshape):
                self.loc = stmt.loc  # passes move these about: the user's line would be quoted far from it
            else:
                self.quote(stmt.loc)
            self.statement(stmt)

    def nested(self, block: Block, last: Sequence[ast.stmt]) -> None:
        """An inner block and the assignments at its end."""
        kept, read = self.quoted, self.expressions.read
        self.expressions.read = []
        self.depth += 1
        start = len(self.lines)
        self.block(block)
        self.expressions.read = read
        for node in last:
            self.put(node)
        if not any(not text.startswith("#") and text for _, text, *_ in self.lines[start:]):
            self.put(PASS)
        self.depth -= 1
        self.quoted = kept

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op(out=out) | Load(out=out) | Dim(out=out):
                self.assign(out, self.expressions.computed(stmt))
            case Store(array=array, index=index, value=value):
                self.written(array, index, value, None)
            case Accumulate(array=array, index=index, value=value):
                self.written(array, index, value, ast.Add())
            case Alloc():
                self.alloc(stmt)
            case View(out=out):
                self.assign(out, views.view(self.expressions, stmt))
            case Reshape(out=out, array=array, shape=shape):
                base = name(self.names[array])
                reshaped = call(ast.Attribute(base, "reshape", ast.Load()), self.tuple(shape))
                same = self.shapes.get(array) == shape
                if not (same and self.names[out] == self.names[array]):
                    self.assign(out, base if same else reshaped)
                self.shapes[out] = shape
            case Call():
                self.routine(stmt)
            case For():
                self.for_(stmt)
            case While():
                self.while_(stmt)
            case If():
                self.if_(stmt)
            case Bounds():
                self.bounds(stmt)
            case Check():
                self.check(stmt)
            case _:
                raise AssertionError(f"no such statement: {type(stmt).__name__}")

    # -- memory
    def tuple(self, xs: Sequence[Operand]) -> ast.expr:
        return ast.Tuple([self.of(x) for x in xs], ast.Load())

    def make_room(self, array: Var, index: Operand) -> None:
        """Lengthen a growing array that has no such element yet."""
        at = self.of(index)
        inside = ast.Compare(at, [ast.GtE()], [self.expressions.dim(array, 0)])
        self.text(printing.header(ast.If(inside, [PASS], [])))
        self.depth += 1
        self.assign(array, call("grow", name(self.names[array]), at))
        self.depth -= 1

    def written(self, array: Var, index: Sequence[Operand], value: Operand, op: ast.operator | None) -> None:
        if _growing(array.type):
            self.make_room(array, index[0])
        target = self.expressions.element(array, index, store=True)
        new = self.of(value)
        if op is not None and isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.USub):
            op, new = ast.Sub(), new.operand
        self.put(ast.Assign([target], new) if op is None else ast.AugAssign(target, op, new))

    def alloc(self, stmt: Alloc) -> None:
        self.shapes[stmt.out] = stmt.shape
        function = "zeros" if stmt.zeroed else "empty"
        kind = dtype(stmt.out.type.dtype)
        if _growing(stmt.out.type):
            shape: ast.expr = literal(0)
        else:
            shape = self.of(stmt.shape[0]) if len(stmt.shape) == 1 else self.tuple(stmt.shape)
        if stmt.out in self.kept:
            helper = "take_zeros" if stmt.zeroed else "take"
            self.assign(stmt.out, call(helper, name(WORKSPACE), self.tuple(stmt.shape), kind))
        else:
            self.assign(stmt.out, call(function, shape, kind))

    def routine(self, stmt: Call) -> None:
        if stmt.name == "show":
            form = ast.Constant(str(stmt.attrs[0]))
            self.put(ast.Expr(call("show", form, *(self.of(a) for a in stmt.args[1:]))))
            return
        opaque = opaque_of(stmt)
        if opaque is not None:
            self.opaque(opaque, stmt.args)
            return
        attrs = [ast.Constant(a) for a in stmt.attrs if isinstance(a, str | int)]
        self.put(ast.Expr(call(stmt.name, *(self.of(a) for a in stmt.args), *attrs)))

    def in_order(self, x: Operand) -> ast.expr:
        """An operand, in C order if it is an array."""
        as_it_is = not isinstance(x.type, Array) or x.type.layout == "C"
        return self.of(x) if as_it_is else call("np.ascontiguousarray", self.of(x))

    def opaque(self, opaque: Opaque, args: Sequence[Operand]) -> None:
        """A function of the user's as it is, and its results where they belong."""
        written = iter([self.of(a) for a in args[: opaque.written]])
        given = [self.in_order(a) for a in args[opaque.written :]]
        value: ast.expr = call(opaque.name, *(passed(a, given) for a in opaque.arguments))
        if len(opaque.results) != 1 or opaque.results[0][0]:
            result = f"{opaque.name}_result"
            self.put(ast.Assign([ast.Name(result, ast.Store())], value))
            value = name(result)
        for path, rank in opaque.results:
            leaf = value
            for k in path:
                leaf = ast.Subscript(leaf, ast.Constant(k), ast.Load())
            target = next(written)
            if rank is None:
                empty = ast.Tuple([], ast.Load())
                self.put(ast.Assign([ast.Subscript(target, empty, ast.Store())], leaf))
            else:
                assert isinstance(target, ast.Name)
                self.put(assignment(target.id, call("laid_out", next(written), leaf)))

    # -- control
    def for_(self, stmt: For) -> None:
        for node in self.moves(stmt.args, stmt.inits):
            self.put(node)
        self.count_from_zero(stmt.trips)
        bounds = [self.of(stmt.lo), self.of(stmt.hi)]
        if stmt.step != 1:
            bounds.append(literal(stmt.step))
        elif isinstance(stmt.lo, Const) and stmt.lo.value == 0:
            del bounds[0]
        target = ast.Name(self.names[stmt.iv], ast.Store())
        self.text(printing.header(ast.For(target, call("range", *bounds), [PASS], [])))
        self.nested(stmt.body, self.end_of_pass(stmt))

    def count_from_zero(self, trips: Var | None) -> None:
        if trips is not None:
            self.assign(trips, literal(0))

    def end_of_pass(self, stmt: For | While) -> list[ast.stmt]:
        last = self.moves(stmt.args, stmt.body.yields)
        if stmt.trips is not None:
            last.append(ast.AugAssign(ast.Name(self.names[stmt.trips], ast.Store()), ast.Add(), literal(1)))
        if stmt.stop is not None:
            last.append(ast.If(self.of(stmt.stop), [ast.Break()], []))
        return last

    def while_(self, stmt: While) -> None:
        for node in self.moves(stmt.args, stmt.inits):
            self.put(node)
        self.count_from_zero(stmt.trips)
        simple = not self.folded.kept(stmt.cond)
        cond = self.of(stmt.cond.yields[0])
        self.text(printing.header(ast.While(cond if simple else ast.Constant(True), [PASS], [])))
        if not simple:
            self.nested(stmt.cond, [ast.If(negated(cond), [ast.Break()], [])])
        self.nested(stmt.body, self.end_of_pass(stmt))

    def if_(self, stmt: If, word: str = "if") -> None:
        then = self.moves(stmt.outs, stmt.then.yields)
        orelse = self.moves(stmt.outs, stmt.orelse.yields)
        cond = self.of(stmt.cond)
        first, last = (stmt.then, then), (stmt.orelse, orelse)
        if not self.folded.kept(stmt.then) and not then and (self.folded.kept(stmt.orelse) or orelse):
            cond, first, last = negated(cond), last, first
        head = printing.header(ast.If(cond, [PASS], []))
        self.text(head if word == "if" else "el" + head)
        self.nested(*first)
        inner = self.folded.kept(last[0])
        if len(inner) == 1 and isinstance(inner[0], If) and not last[1]:
            self.if_(inner[0], "elif")
        elif inner or last[1]:
            self.text("else:")
            self.nested(*last)

    # -- checks
    def site(
        self, error: str, message: str, array: str = "", axis: int = 0, *, places: int = 0, remedy: str = ""
    ) -> ast.expr:
        self.sites.append(Site(error, message, self.loc, array, axis, places, remedy))
        return literal(len(self.sites) - 1)

    def bounds(self, stmt: Bounds) -> None:
        index, length = self.of(stmt.index), self.expressions.dim(stmt.array, stmt.axis)
        if self.expressions.ascending(stmt.index):
            beyond: ast.expr = ast.Compare(index, [ast.GtE()], [length])
        else:
            beyond = negated(ast.Compare(literal(0), [ast.LtE(), ast.Lt()], [index, length]))
        self.text(printing.header(ast.If(beyond, [PASS], [])))
        site = self.site("OutOfBoundsError", "", self.names[stmt.array], stmt.axis)
        self.failing(call("outside", site, index, length))

    def check(self, stmt: Check) -> None:
        self.text(printing.header(ast.If(negated(self.of(stmt.cond)), [PASS], [])))
        site = self.site(stmt.error, stmt.message, places=len(stmt.values), remedy=stmt.remedy)
        if two_integers(stmt):
            self.failing(call("failed_with", site, *map(self.of, stmt.values)))
        elif stmt.values:
            self.failing(call("failed_at", site, self.tuple(stmt.values)))
        else:
            self.failing(call("failed", site))

    def failing(self, value: ast.expr) -> None:
        self.depth += 1
        self.put(ast.Expr(value))
        self.depth -= 1


def two_integers(stmt: Check) -> bool:
    """Whether a check shows two integers, which threads and kernels can hand on."""
    return len(stmt.values) == 2 and all(v.type == INT for v in stmt.values)


def _growing(type_: Type) -> bool:
    return isinstance(type_, Array) and type_.growing


def passed(argument: Argument, given: Sequence[ast.expr]) -> ast.expr:
    """An argument of a function that is called as it is."""
    if isinstance(argument, tuple):
        return ast.Tuple([passed(a, given) for a in argument], ast.Load())
    return ast.Constant(argument.value) if isinstance(argument, Constant) else given[argument]
