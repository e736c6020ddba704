"""`debug_nans`: checks that stop a program at the first statement that makes a NaN or an infinity.

Input: a finished core function, and how many of its parameters are the user's. Output: the function with a
check behind each statement whose float result is not finite though what it is made of is. Invariants: a
function all of whose values are finite computes what it did; values that only the side of a `where` that
is not taken, or a strong zero, can discard are not looked at where they are made. Non-goals: values that come
in as arguments (a NaN read from one is reported as such).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .adjoint.copying import nest, shape_of
from .analyses.alias import roots
from .analyses.effects import writes
from .ir.builder import Builder, Names, const
from .ir.nodes import Block, Call, Check, Const, For, Function, If, Load, Op, Operand, Stmt, Var, While
from .ir.types import INT, Array, is_float
from .ir.visitor import block_reads, operands, walk, with_blocks

SAFE = (
    "neg",
    "abs",
    "maximum",
    "minimum",
    "larger",
    "smaller",
    "stop_gradient",
    "sign",
    "floor",
    "ceil",
    "rint",
    "trunc",
    "from_float16",
    "from_bfloat16",
)
KEPT_APART = {"select": (1, 2), "smul": (1,), "umul": (1,), "pmul": (0, 1)}  # operands that may be discarded
PRODUCTS = dict.fromkeys(("smul", "umul", "pmul"), "the product of a cotangent and a derivative")


def watched(fn: Function) -> Function:
    return _Watch(fn).run()


class _Watch:
    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.b = Builder(Names.above(fn), fn.loc)
        self.memory = roots(fn)
        self.guarded = _guarded(fn)
        self.loops: list[tuple[str, Var]] = []  # how a pass is called, and its number

    def run(self) -> Function:
        with self.b.block() as start:
            for p in self.fn.params:
                if is_float(p.type) and not isinstance(p.type, Array):
                    self.argument(p, p.name)
        body = self.block(self.fn.body)
        return replace(self.fn, body=Block((*start, *body.stmts), body.yields))

    def block(self, block: Block) -> Block:
        with self.b.block() as inner:
            for stmt in block.stmts:
                with self.b.at(stmt.loc):
                    self.b.emit(self.inside(stmt))
                    self.after(stmt)
        return Block(tuple(inner), block.yields)

    def inside(self, stmt: Stmt) -> Stmt:
        """The statement with its blocks looked at."""
        if isinstance(stmt, For):
            self.loops.append((f"{stmt.iv.name} = {{}}", stmt.iv))
        elif isinstance(stmt, While):
            stmt = self.counted(stmt)
            self.loops.append((f"{{}} of the loop on line {stmt.loc.line}", stmt.args[-1]))
        else:
            return with_blocks(stmt, self.block)
        made = with_blocks(stmt, self.block)
        self.loops.pop()
        return made

    def counted(self, loop: While) -> While:
        """The loop with the number of its pass as the last of what it carries."""
        number, out = self.b.fresh("number", INT), self.b.fresh("number", INT)
        with self.b.block() as more:
            following = self.b.op("add", number, const(1), hint="number")
        return replace(
            loop,
            args=(*loop.args, number),
            inits=(*loop.inits, const(0)),
            body=Block((*loop.body.stmts, *more), (*loop.body.yields, following)),
            outs=(*loop.outs, out),
        )

    def after(self, stmt: Stmt) -> None:
        match stmt:
            case Op(op="select", args=(_, a, c)) if not {a, c} & self.guarded:
                pass  # one of two values that have been looked at
            case Op(out=out) if is_float(out.type) and out not in self.guarded and stmt.op not in SAFE:
                self.result(stmt)
            case Load(out=out, array=array) if is_float(out.type):
                home = [r for r in self.memory[array] if r in self.fn.params]
                if home and len(self.memory[array]) == 1:
                    self.argument(out, home[0].name)
            case Call():
                for array in writes(stmt):
                    if is_float(array.type):
                        self.array(stmt, array)

    # -- checks
    def check(self, holds: Operand, message: str) -> None:
        values = tuple(number for _, number in self.loops)
        if values:
            message += ", in the iteration " + ", ".join(words for words, _ in self.loops)
        self.b.emit(Check(holds, "NonFiniteError", message, values, loc=self.b.loc))

    def where(self) -> str:
        return "reverse" if self.b.loc.reverse else "forward"

    def argument(self, x: Var, name: str) -> None:
        self.check(self.b.op("not", self.b.op("isnan", x)), f"the argument `{name}` holds a NaN")

    def result(self, stmt: Op) -> None:
        b, out = self.b, stmt.out
        with b.block() as inner:
            sources = list(self._sources(stmt))
            fine: Operand = const(False)
            for x in sources:
                bad = b.op("or", b.op("isnan", x), b.op("and", b.op("isinf", x), b.op("isinf", out)))
                fine = bad if isinstance(fine, Const) else b.op("or", fine, bad)
            kinds = PRODUCTS.get(stmt.op, f"`{stmt.op}`")
            self.check(fine, f"{kinds} made a NaN or an infinity in the {self.where()} sweep")
        masks = stmt.op == "select" and any(isinstance(x, Const) and not _finite(x) for x in stmt.args)
        fits = b.op("not", b.op("isnan", out)) if masks else b.op("isfinite", out)
        b.emit(If(fits, Block(), Block(tuple(inner)), (), loc=b.loc))

    def _sources(self, stmt: Op) -> Iterable[Var]:
        """Operands that account for a result that is not finite."""
        apart = KEPT_APART.get(stmt.op, ())
        for k, x in enumerate(stmt.args):
            if isinstance(x, Var) and is_float(x.type) and not (k in apart and x in self.guarded):
                yield x

    def array(self, stmt: Call, array: Var) -> None:
        b = self.b

        def one(index: tuple[Operand, ...]) -> None:
            value = b.load(array, index)
            message = f"`{stmt.name}` made a NaN or an infinity in the {self.where()} sweep"
            self.check(b.op("isfinite", value), message)

        nest(b, shape_of(b, array), one)


def _finite(x: Const) -> bool:
    return abs(float(x.value)) != float("inf")


def _guarded(fn: Function) -> set[Var]:
    """Values that are only ever read where they may be discarded."""
    uses: dict[Var, list[tuple[Stmt, int]]] = {}
    seen: set[Operand] = set(fn.results)
    for s in walk(fn.body):
        for k, x in enumerate(operands(s)):
            if isinstance(x, Var):
                uses.setdefault(x, []).append((s, k))
        seen.update(block_reads(s))
    found: set[Var] = set()
    before = -1
    while before != len(found):
        before = len(found)
        for v, readers in uses.items():
            if v not in found and v not in seen and is_float(v.type) and not isinstance(v.type, Array):
                apart = all(_apart(s, k) or (isinstance(s, Op) and s.out in found) for s, k in readers)
                if apart:
                    found.add(v)
    return found


def _apart(stmt: Stmt, k: int) -> bool:
    return isinstance(stmt, Op) and k in KEPT_APART.get(stmt.op, ())


__all__ = ["watched"]
