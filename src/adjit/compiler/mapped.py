"""A program for one example to a program for a batch: a loop over the examples.

Input: the `Program` of one example, the axis of each parameter along which examples lie (None: the same for
all), the axes of the results. Output: a `Program` whose core function runs the example's statements in a
loop; elements of batched arrays are read and written where they lie. Invariants: shapes of results are known
before the loop, so that they are right without examples too; an argument that all examples share is not
written. Non-goals: specifications of arguments (`adjit.api.batch`), vector instructions (Numba's).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import NotDifferentiableError, OverwriteError
from .ir.builder import Builder, Names, const
from .ir.nodes import (
    Accumulate,
    Alloc,
    Block,
    Bounds,
    Const,
    Dim,
    For,
    Function,
    If,
    Load,
    Op,
    Operand,
    Reshape,
    Slice,
    Stmt,
    Store,
    Var,
    View,
    While,
)
from .ir.types import INT, Array, Type
from .ir.visitor import all_reads, defined, operands, walk, with_blocks, with_operands
from .program import NodeSpec, Program, ResultLeaf, Spec, StaticSpec


@dataclass(frozen=True)
class Place:
    """Memory of one example: `base` with the example's number on `axis`."""

    base: Var
    axis: int

    def index(self, index: Sequence[Operand], i: Operand) -> tuple[Operand, ...]:
        return (*index[: self.axis], i, *index[self.axis :])

    def outer(self, axis: int) -> int:
        return axis + (axis >= self.axis)


def batched_type(type_: Type, layout: str) -> Array:
    return Array(type_.dtype, (type_.ndim if isinstance(type_, Array) else 0) + 1, layout)


def mapped(
    program: Program,
    arguments: tuple[Spec, ...],
    axes: Sequence[int | None],
    layouts: Sequence[str],
    out_axes: Sequence[int],
) -> Program:
    """`axes` and `layouts` (of the batch) belong to the parameters that are not hidden; `out_axes` to the
    results.
    """
    return _Mapper(program, axes, layouts, out_axes).run(arguments)


class _Mapper:
    def __init__(
        self, program: Program, axes: Sequence[int | None], layouts: Sequence[str], out_axes: Sequence[int]
    ) -> None:
        self.program, self.axes, self.out_axes = program, axes, out_axes
        fn = program.function
        self.fn = fn
        self.b = Builder(Names.above(fn), fn.loc)
        self.places: dict[Var, Place] = {}
        self.params: list[Var] = []
        for k, p in enumerate(fn.params):
            axis = axes[k] if k < len(axes) else None
            if axis is None:
                self.params.append(p)
                continue
            base = self.b.fresh(p.name, batched_type(p.type, layouts[k]))
            self.places[p] = Place(base, axis)
            self.params.append(base)
        self.definitions: dict[Var, Stmt] = {v: s for s in walk(fn.body) for v in defined(s)}
        self.memory: dict[Var, Place] = {v: p for v, p in self.places.items() if isinstance(v.type, Array)}
        self.lifted: dict[Operand, Operand] = {}

    def run(self, arguments: tuple[Spec, ...]) -> Program:
        b, fn = self.b, self.fn
        self.before: list[Alloc] = []
        shared = [fn.params[k] for k in sorted(self.program.written) if fn.params[k] not in self.places]
        if shared:
            raise OverwriteError(
                f"`{fn.name}` writes {shared[0].name!r}, which all examples share",
                fn.loc,
                "each example would find what another one left",
                "copy it in the function, or give it an axis of examples",
            )
        count = self.count()
        outs = [self.result(k, r, count) for k, r in enumerate(fn.results)]
        i = b.fresh("example", INT)
        b.iterates(i, const(0), count, 1)
        with b.block() as body:
            self.start(i)
            used = set(self.memory)
            for stmt in fn.body.stmts:
                if not (isinstance(stmt, Alloc) and stmt.out in used):
                    b.emit(self.statement(stmt, i))
            tree = self.numbered(self.program.result, outs, count, i)
            for k, (r, out) in enumerate(zip(fn.results, outs, strict=False)):
                self.deliver(r, out, self.out_axes[k], i)
        for stmt in self.before:
            b.emit(stmt)
        b.emit(For(i, const(0), count, 1, (), (), Block(tuple(body)), (), loc=fn.loc))
        made = Function(f"{fn.name}_each", tuple(self.params), b.finish(), tuple(outs), fn.loc, fn.notes)
        return replace(self.program, function=made, arguments=arguments, result=tree)

    def count(self) -> Operand:
        """The number of examples, which all batched arguments agree on."""
        b, found = self.b, None
        for place in self.places.values():
            n = b.dim(place.base, place.axis)
            if found is None:
                found, first = n, place.base.name
            else:
                text = f"vmap got different numbers of examples in {first!r} and {place.base.name!r}"
                b.check(b.op("eq", found, n), "ShapeError", f"{text}: {{}} and {{}}", found, n)
        assert found is not None
        return found

    # -- results
    def result(self, k: int, r: Operand, count: Operand) -> Var:
        """The array for all examples of a result. Where the example's own array is made at the top of the
        program, it is made there instead.
        """
        hint = r.name if isinstance(r, Var) else "result"
        if not isinstance(r.type, Array):
            return self.b.alloc((count,), r.type.dtype, hint)
        assert isinstance(r, Var)
        axis = self.out_axes[k]
        shape = [self.length(r, a) for a in range(r.type.ndim)]
        stmt = self.definitions.get(r)
        own = isinstance(stmt, Alloc) and stmt in self.fn.body.stmts and not r.type.growing
        direct = own and axis == 0 and r not in self.memory
        zeroed = direct and isinstance(stmt, Alloc) and stmt.zeroed
        out = self.b.alloc((*shape[:axis], count, *shape[axis:]), r.type.dtype, hint, zeroed=zeroed)
        if direct:
            self.memory[r] = Place(out, 0)
        return out

    def numbered(self, tree: object, outs: list[Var], count: Operand, i: Var) -> object:
        """The tree of the results; a number that is the same for all examples becomes an array too."""
        if isinstance(tree, NodeSpec):
            below = tuple(self.numbered(c, outs, count, i) for c in tree.children)
            return NodeSpec(tree.kind, tree.keys, below)  # type: ignore[arg-type]
        if isinstance(tree, StaticSpec) and isinstance(tree.value, bool | int | float):
            value = const(tree.value)
            out = self.b.fresh("result", Array(value.type.dtype, 1))
            self.before.append(Alloc(out, (count,), False, loc=self.b.loc))
            self.b.store(out, (i,), value)
            outs.append(out)
            return ResultLeaf(len(outs) - 1)
        return tree

    def deliver(self, r: Operand, out: Var, axis: int, i: Var) -> None:
        """Put a result of one example into the array for all."""
        b = self.b
        if not isinstance(r.type, Array):
            b.store(out, (i,), self.scalar(r))
            return
        assert isinstance(r, Var)
        place = self.memory.get(r)
        if place is not None and place.base is out:
            return
        source = self.views.get(r, r)
        target = Place(out, axis)
        self._copy(source, target, i, ())
        for a in range(r.type.ndim):
            same = b.op("eq", b.dim(source, a), b.dim(out, target.outer(a)))
            b.check(same, "ShapeError", "the examples of vmap give results of different shapes")

    def _copy(self, source: Var, target: Place, i: Var, index: tuple[Operand, ...]) -> None:
        b = self.b
        if isinstance(source.type, Array) and len(index) == source.type.ndim:
            b.store(target.base, target.index(index, i), b.load(source, index))
            return
        axis = len(index)
        length = b.op("minimum", b.dim(source, axis), b.dim(target.base, target.outer(axis)))
        with b.loop(const(0), length, "k") as k:
            self._copy(source, target, i, (*index, k))

    # -- what is known before the loop
    def length(self, array: Var, axis: int) -> Operand:
        """The length of an axis of an array of the example, before the loop."""
        if array in self.places:
            place = self.places[array]
            return self.b.dim(place.base, place.outer(axis))
        match self.definitions.get(array):
            case None:
                return self.b.dim(array, axis)
            case Alloc(shape=shape) | Reshape(shape=shape) if shape:
                return self.outside(shape[axis])
            case View(axes=axes):
                return self.outside(axes[axis].length)
            case If(then=then, outs=outs):
                y = then.yields[outs.index(array)]
                assert isinstance(y, Var)
                return self.length(y, axis)
            case For(inits=inits, outs=outs) | While(inits=inits, outs=outs) if array in outs:
                start = inits[outs.index(array)]
                assert isinstance(start, Var)
                return self.length(start, axis)
        raise self.unknown(array)

    def outside(self, x: Operand) -> Operand:
        """A scalar of the example, computed before the loop."""
        if isinstance(x, Const) or x in self.fn.params:
            if x in self.places:
                raise self.unknown(x)
            return x
        if x not in self.lifted:
            match self.definitions.get(x):
                case Op(op="cast", args=args):
                    self.lifted[x] = self.b.cast(self.outside(args[0]), x.type.dtype, x.name)
                case Op(op=op, args=args):
                    self.lifted[x] = self.b.op(op, *(self.outside(a) for a in args), hint=x.name)
                case Dim(array=array, axis=axis):
                    self.lifted[x] = self.length(array, axis)
                case _:
                    raise self.unknown(x)
        return self.lifted[x]

    def unknown(self, x: Operand) -> NotDifferentiableError:
        stmt = self.definitions.get(x) if isinstance(x, Var) else None
        return NotDifferentiableError(
            "the shape of the result differs from example to example",
            self.fn.loc if stmt is None else stmt.loc,
            "vmap puts the results of all examples into one array",
            "return arrays whose shape follows from the shapes of the arguments",
        )

    # -- statements
    def start(self, i: Var) -> None:
        """Elements and views of the batched arguments for one example."""
        b = self.b
        reads = {x for s in self.fn.body.stmts for x in all_reads(s) if isinstance(x, Var)}
        reads.update(r for r in self.fn.results if isinstance(r, Var))
        self.views: dict[Var, Var] = {}
        self.scalars: dict[Operand, Operand] = {}
        for v, place in self.places.items():
            if not isinstance(v.type, Array) and v in reads:
                self.scalars[v] = b.load(place.base, (i,), hint=v.name)
        for v, place in self.memory.items():
            assert isinstance(v.type, Array)
            layout = v.type.layout if v in self.places else "C"
            axes = [
                Slice(place.outer(a), const(0), b.dim(place.base, place.outer(a)), const(1))
                for a in range(v.type.ndim)
            ]
            view = b.fresh(v.name, Array(v.type.dtype, v.type.ndim, layout))
            b.emit(View(view, place.base, tuple(axes), ((place.axis, i),), loc=b.loc))
            self.views[v] = view

    def scalar(self, x: Operand) -> Operand:
        return self.scalars.get(x, x)

    def read(self, x: Operand) -> Operand:
        if isinstance(x, Var) and x in self.views:
            return self.views[x]
        return self.scalars.get(x, x)

    def block(self, block: Block, i: Var) -> Block:
        return Block(
            tuple(self.statement(s, i) for s in block.stmts), tuple(self.read(y) for y in block.yields)
        )

    def statement(self, stmt: Stmt, i: Var) -> Stmt:
        stmt = with_blocks(stmt, lambda inner: self.block(inner, i))
        if isinstance(stmt, For | While) and stmt.stop is not None:
            stmt = replace(stmt, stop=self.read(stmt.stop))
        array = getattr(stmt, "array", None)
        place = self.memory.get(array) if isinstance(array, Var) else None
        if place is not None:
            match stmt:
                case Load(index=index) | Store(index=index) | Accumulate(index=index):
                    at = place.index(tuple(self.read(x) for x in index), i)
                    moved = replace(stmt, array=place.base, index=at)
                    return moved if isinstance(moved, Load) else replace(moved, value=self.read(moved.value))
                case Dim(axis=axis):
                    return replace(stmt, array=place.base, axis=place.outer(axis))
                case Bounds(axis=axis, index=index):
                    return replace(stmt, array=place.base, axis=place.outer(axis), index=self.read(index))
        if any(x in self.views or x in self.scalars for x in operands(stmt)):
            return with_operands(stmt, self.read)
        return stmt
