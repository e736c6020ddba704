"""The scalar operations that one call performs, as a graph, and the gradient in each of them.

Input: a core function as captured and its arguments. Output: `Trace`: nodes in the order of execution, each
with its value, its operands, its partials and its gradient. The program is run statement by statement;
memory has a second array beside it that says which node each element came from. Only floats are nodes:
indices and lengths are plain numbers. Invariants: partials come from the table of ops, so that the graph
says what the compiled gradient does; `facts` compares the two. Non-goals: speed; programs of more than a
few hundred operations, and library routines other than the matrix product, are given up with `Untraceable`.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..compiler.ir.nodes import (
    NOWHERE,
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Call,
    Check,
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
from ..compiler.ir.types import is_float
from ..compiler.ops import TABLE

Targets = dict[tuple[int, int, int, int], str]
MOST_NODES = 240
MOST_STEPS = 20_000
NONE = -1
ANONYMOUS = re.compile(r"t(_\d+)?$")


class Untraceable(Exception):
    """The graph is not drawn; the message says why."""


@dataclass
class Node:
    """One number. `inputs` are node numbers (`NONE` for constants, whose texts are in `constants`),
    `partials` the derivatives in them. `formula` has a place for each input until `relabel` fills them."""

    number: int
    op: str
    formula: str
    value: float
    inputs: tuple[int, ...] = ()
    partials: tuple[float, ...] = ()
    constants: tuple[str, ...] = ()
    name: str = ""
    loc: Location = NOWHERE
    active: bool = False
    gradient: float = 0.0


@dataclass
class Trace:
    """`result` is the number of the node that the function returns; `leaves` maps input elements to nodes."""

    nodes: list[Node] = field(default_factory=list)
    result: int = NONE
    leaves: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)

    def relabel(self) -> None:
        """Formulas with the names that are known at the end."""
        for node in self.nodes:
            shown = [
                self.label(k) if k != NONE else c for k, c in zip(node.inputs, node.constants, strict=True)
            ]
            node.formula = node.formula.format(*shown)

    def label(self, number: int) -> str:
        """What a node is called inside formulas."""
        node = self.nodes[number]
        return node.name or f"v{number}"

    def name_assigned(self) -> None:
        """Names from the source: the last operation of `u = w * x` is `u`."""
        targets: dict[str, Targets] = {}
        for node, after in zip(self.nodes, [*self.nodes[1:], None], strict=True):
            loc = node.loc
            if node.name or loc.line <= 0 or (after is not None and after.loc == loc):
                continue
            if loc.file not in targets:
                targets[loc.file] = assigned("".join(linecache.getlines(loc.file)))
            node.name = targets[loc.file].get((loc.line, loc.column, loc.end_line, loc.end_column), "")

    def backward(self) -> None:
        """Fill in the gradients."""
        self.nodes[self.result].gradient = 1.0
        with np.errstate(all="ignore"):
            for node in reversed(self.nodes):
                for k, partial in zip(node.inputs, node.partials, strict=True):
                    if k != NONE and self.nodes[k].active:
                        self.nodes[k].gradient += float(TABLE["smul"].evaluate(node.gradient, partial))  # type: ignore[arg-type]


def assigned(source: str) -> Targets:
    """The name that each expression of a file is assigned to, by the expression's place.

    >>> assigned("u = w * x")
    {(1, 4, 1, 9): 'u'}
    """
    found: Targets = {}
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        value: ast.expr | ast.stmt
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            name, value = node.target.id, node
        else:
            continue
        found[value.lineno, value.col_offset, value.end_lineno or 0, value.end_col_offset or 0] = name
    return found


@dataclass
class Memory:
    """An array, and for each element the node that it came from. `parameter` is what it was passed as."""

    values: Any
    nodes: Any
    name: str


class _Scalar:
    __slots__ = ("node", "value")

    def __init__(self, value: Any, node: int = NONE) -> None:
        self.value, self.node = value, node


def _select(cond: Any, _a: Any, _b: Any, _out: Any) -> tuple[None, float, float]:
    return None, float(bool(cond)), float(not cond)


class _Machine:
    def __init__(self, wrt: Iterable[int]) -> None:
        self.trace = Trace()
        self.env: dict[Var, Any] = {}
        self.wrt = frozenset(wrt)
        self.steps = 0

    # -- nodes
    def add(self, node: Node) -> int:
        if len(self.trace.nodes) >= MOST_NODES:
            raise Untraceable(
                f"the call performs more than {MOST_NODES} operations; give smaller arguments to see them"
            )
        self.trace.nodes.append(node)
        return node.number

    def leaf(self, param: int, index: tuple[int, ...], name: str, value: float) -> int:
        label = name + (f"[{', '.join(map(str, index))}]" if index else "")
        node = Node(len(self.trace.nodes), "input", "", value, name=label, active=param in self.wrt)
        self.trace.leaves[param, index] = self.add(node)
        return node.number

    def operation(
        self,
        op: str,
        formula: str,
        value: float,
        inputs: Sequence[_Scalar],
        partials: Sequence[float],
        loc: Location,
    ) -> int:
        numbers = tuple(x.node for x in inputs)
        constants = tuple(f"{float(x.value):.6g}" for x in inputs)
        active = any(k != NONE and self.trace.nodes[k].active for k in numbers)
        number = len(self.trace.nodes)
        return self.add(
            Node(number, op, formula, value, numbers, tuple(partials), constants, loc=loc, active=active)
        )

    def named(self, x: Any, name: str) -> None:
        """A name for a node that has none yet."""
        if isinstance(x, _Scalar) and x.node != NONE and not ANONYMOUS.match(name) and name[0] != "@":
            node = self.trace.nodes[x.node]
            node.name = node.name or name

    # -- values
    def of(self, x: Operand) -> Any:
        return self.env[x] if isinstance(x, Var) else _Scalar(np.dtype(x.type.dtype).type(x.value))

    def number(self, x: Operand) -> int:
        return int(self.of(x).value)

    def bind(self, outs: Sequence[Var], values: Sequence[Any]) -> None:
        for out, value in zip(outs, values, strict=True):
            self.named(value, out.name)
            self.env[out] = value

    # -- statements
    def block(self, block: Block) -> list[Any]:
        for stmt in block.stmts:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Untraceable("the call takes too many steps; give smaller arguments to see them")
            self.statement(stmt)
        return [self.of(y) for y in block.yields]

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.env[stmt.out] = self.op(stmt)
            case Load(out=out, array=array, index=index):
                memory, at = self.of(array), tuple(map(self.number, index))
                self.env[out] = _Scalar(memory.values[at], int(memory.nodes[at]))
            case Store(array=array, index=index, value=value):
                self.store(self.of(array), tuple(map(self.number, index)), self.of(value))
            case Accumulate(array=array, index=index, value=value):
                self.accumulate(stmt, self.of(array), tuple(map(self.number, index)), self.of(value))
            case Check(cond=cond, message=message, values=values):
                if not self.of(cond).value:
                    message = message.format(*map(self.number, values)) if values else message
                    raise Untraceable(f"the function raises an error at these arguments: {message}")
            case Bounds():
                if not 0 <= self.number(stmt.index) < self.of(stmt.array).values.shape[stmt.axis]:
                    raise Untraceable("the function reads outside an array at these arguments")
            case Mark(value=value, out=out, name=name):
                self.named(self.of(value), name)
                if out is not None:
                    self.env[out] = self.of(value)
            case Call():
                self.routine(stmt)
            case For() | While():
                self.loop(stmt)
            case If(cond=cond, then=then, orelse=orelse, outs=outs):
                self.bind(outs, self.block(then if self.of(cond).value else orelse))
            case _:
                self.memory(stmt)

    def op(self, stmt: Op) -> _Scalar:
        args = [self.of(a) for a in stmt.args]
        kind = np.dtype(stmt.out.type.dtype).type
        if stmt.op == "cast":
            value = kind(args[0].value)
        elif (
            kind is not np.bool_
            and stmt.op in ("floordiv", "mod")
            and args[1].value == 0
            and not is_float(stmt.out.type)
        ):
            value = kind(0)
        else:
            value = kind(TABLE[stmt.op].evaluate(*(a.value for a in args)))
        if not is_float(stmt.out.type) or all(a.node == NONE for a in args):
            return _Scalar(value)
        if stmt.op == "cast":
            return _Scalar(value, args[0].node)
        rule: Any = TABLE[stmt.op].partials
        if stmt.op == "select":
            rule = _select
        found = rule(*(a.value for a in args), value) if rule is not None else [None] * len(args)
        partials = [0.0 if p is None else float(p) for p in found]
        made = self.operation(stmt.op, TABLE[stmt.op].python, float(value), args, partials, stmt.loc)
        scalar = _Scalar(value, made)
        self.named(scalar, stmt.out.name)
        return scalar

    def store(self, memory: Memory, at: tuple[int, ...], value: _Scalar) -> None:
        self.named(value, f"{memory.name}[{', '.join(map(str, at))}]")
        memory.values[at] = value.value
        memory.nodes[at] = value.node

    def accumulate(self, stmt: Stmt, memory: Memory, at: tuple[int, ...], value: _Scalar) -> None:
        old = _Scalar(memory.values[at], int(memory.nodes[at]))
        total = old.value + value.value
        made = NONE
        if value.node != NONE or old.node != NONE:
            made = self.operation("add", "{0} + {1}", float(total), (old, value), (1.0, 1.0), stmt.loc)
        self.store(memory, at, _Scalar(total, made))

    def routine(self, stmt: Call) -> None:
        if stmt.name != "gemm":
            raise Untraceable(
                f"the call uses the library routine {stmt.name}, which has no scalar operations"
            )
        out, a, b = (self.of(x) for x in stmt.args[:3])
        added = bool(stmt.attrs and stmt.attrs[0])
        for i, j in np.ndindex(out.values.shape):
            pairs = [
                (_Scalar(a.values[i, k], int(a.nodes[i, k])), _Scalar(b.values[k, j], int(b.nodes[k, j])))
                for k in range(a.values.shape[1])
            ]
            total = sum((x.value * y.value for x, y in pairs), start=out.values[i, j] * added)
            inputs = [s for pair in pairs for s in pair]
            partials = [float(v) for x, y in pairs for v in (y.value, x.value)]
            formula = " + ".join(f"{{{2 * k}}} * {{{2 * k + 1}}}" for k in range(len(pairs)))
            if added:
                formula = f"{formula} + {{{len(inputs)}}}"
                inputs.append(_Scalar(out.values[i, j], int(out.nodes[i, j])))
                partials.append(1.0)
            made = self.operation("dot", formula, float(total), inputs, partials, stmt.loc)
            self.store(out, (i, j), _Scalar(total, made))

    def loop(self, stmt: For | While) -> None:
        carried = [self.of(i) for i in stmt.inits]
        span = (
            iter(range(self.number(stmt.lo), self.number(stmt.hi), stmt.step))
            if isinstance(stmt, For)
            else None
        )
        trips = 0
        while True:
            self.bind(stmt.args, carried)
            if isinstance(stmt, While):
                if not self.block(stmt.cond)[0].value:
                    break
            else:
                assert span is not None
                at = next(span, None)
                if at is None:
                    break
                self.env[stmt.iv] = _Scalar(np.int64(at))
            carried = self.block(stmt.body)
            trips += 1
            if stmt.stop is not None and self.of(stmt.stop).value:
                break
        self.bind(stmt.outs, carried)
        if stmt.trips is not None:
            self.env[stmt.trips] = _Scalar(np.int64(trips))

    def memory(self, stmt: Stmt) -> None:
        match stmt:
            case Alloc(out=out, shape=shape):
                if getattr(out.type, "growing", False):
                    raise Untraceable("the call fills a list of unknown length")
                lengths = tuple(map(self.number, shape))
                self.env[out] = Memory(np.zeros(lengths, out.type.dtype), np.full(lengths, NONE), out.name)
            case Dim(out=out, array=array, axis=axis):
                self.env[out] = _Scalar(np.int64(self.of(array).values.shape[axis]))
            case View():
                self.env[stmt.out] = self.view(stmt)
            case Reshape(out=out, array=array, shape=shape):
                below, lengths = self.of(array), tuple(map(self.number, shape))
                self.env[out] = Memory(below.values.reshape(lengths), below.nodes.reshape(lengths), out.name)
            case _:
                raise Untraceable(f"statements of the kind {type(stmt).__name__} are not followed")

    def view(self, stmt: View) -> Memory:
        below = self.of(stmt.array)
        start = [0] * below.values.ndim
        for axis, at in stmt.fixed:
            start[axis] = self.number(at)
        for s in stmt.axes:
            if s.axis is not None:
                start[s.axis] = self.number(s.start)
        shape = [self.number(s.length) for s in stmt.axes]

        def seen(array: Any) -> Any:
            strides = [
                0 if s.axis is None else array.strides[s.axis] * self.number(s.step) for s in stmt.axes
            ]
            first = array[tuple(slice(o, None) for o in start)]
            return np.lib.stride_tricks.as_strided(first, shape, strides)

        return Memory(seen(below.values), seen(below.nodes), below.name)


def traced(fn: Function, arguments: Sequence[Any], wrt: Iterable[int]) -> Trace:
    """The operations of `fn` at these arguments, which are not written, with the gradient of its one result
    in the parameters `wrt`."""
    machine = _Machine(wrt)
    for number, (param, given) in enumerate(zip(fn.params, arguments, strict=True)):
        if not isinstance(given, np.ndarray):
            kind = np.dtype(param.type.dtype)
            node = machine.leaf(number, (), param.name, float(given)) if kind.kind == "f" else NONE
            machine.env[param] = _Scalar(kind.type(given), node)
            continue
        nodes = np.full(given.shape, NONE)
        if given.dtype.kind == "f":
            for at in np.ndindex(given.shape):
                nodes[at] = machine.leaf(number, at, param.name, float(given[at]))
        machine.env[param] = Memory(given.copy(), nodes, param.name)
    with np.errstate(all="ignore"):
        machine.block(fn.body)
    if len(fn.results) != 1:
        raise Untraceable("the function returns more than one number")
    result = machine.of(fn.results[0])
    if not isinstance(result, _Scalar) or result.node == NONE:
        raise Untraceable("the result is not a number that depends on the arguments")
    machine.trace.result = result.node
    machine.trace.name_assigned()
    final = machine.trace.nodes[result.node]
    final.name = final.name or fn.name
    machine.trace.relabel()
    machine.trace.backward()
    return machine.trace


__all__ = ["Node", "Trace", "Untraceable", "traced"]
