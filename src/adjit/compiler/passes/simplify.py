"""Small rewrites: constants, neutral elements, branches and loops that are decided.

Input and output: core IR. Floating results keep their value, except that `x + 0.0` and `x * 1.0` are
`x`. Each rule takes an op and the ops that define its arguments, and gives an operand, another
application, or None. Non-goals: anything that needs to know ranges (`checks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ..ir.builder import const
from ..ir.nodes import Block, Check, Const, For, Function, If, Op, Operand, Stmt, Var, While
from ..ir.types import BOOL, FLOATS, INT, is_float, is_integer
from ..ir.visitor import int_const
from ..ops.arithmetic import PRODUCTS_WITH_ZERO
from ..ops.core import fold
from .rewrite import Rewriter

Makers = dict[Var, Op]
Application = tuple[str, tuple[Operand, ...]]
Rule = Callable[[Op, Makers], "Operand | Application | None"]

OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


def _maker(x: Operand, makers: Makers, op: str) -> Op | None:
    found = makers.get(x) if isinstance(x, Var) else None
    return found if found is not None and found.op == op else None


def negation(op: Op, makers: Makers) -> Operand | Application | None:
    """`-(-x) => x`, `x + -y => x - y`, `x - -y => x + y`, `0 - x => -x` (integers), `not not c => c`, `not
    a < b => a >= b` (integers)
    """
    if op.op in ("neg", "not"):
        inner = _maker(op.args[0], makers, op.op)
        if inner is not None:
            return inner.args[0]
    if op.op in ("add", "sub"):
        inner = _maker(op.args[1], makers, "neg")
        if inner is not None:
            return ("sub" if op.op == "add" else "add"), (op.args[0], inner.args[0])
    if op.op == "add":
        inner = _maker(op.args[0], makers, "neg")
        if inner is not None:
            return "sub", (op.args[1], inner.args[0])
    if op.op == "sub" and int_const(op.args[0]) == 0:
        return "neg", (op.args[1],)
    made = makers.get(op.args[0]) if op.op == "not" and isinstance(op.args[0], Var) else None
    if made is not None and made.op in OPPOSITE and is_integer(made.args[0].type):
        return OPPOSITE[made.op], made.args
    return None


def integer_sums(op: Op, makers: Makers) -> Operand | Application | None:
    """`(x + 1) + 2 => x + 3`, `(x - 1) + 2 => x + 1`, `x - x => 0`, `(x + y) - y => x`, `x + (y - x) =>
    y`, integers only
    """
    if op.out.type != INT or op.op not in ("add", "sub"):
        return None
    a, b = op.args
    if op.op == "sub" and a is b:
        return const(0)
    if op.op == "add" and isinstance(a, Const) and not isinstance(b, Const):
        a, b = b, a
    shift = int_const(b)
    if shift is not None:
        return _shifted(a, shift if op.op == "add" else -shift, op, makers)
    if op.op == "sub":
        inner = _maker(a, makers, "add")
        if inner is not None and b in inner.args:
            return inner.args[1] if inner.args[0] is b else inner.args[0]
    for x, y in ((a, b), (b, a)):
        inner = _maker(y, makers, "sub")
        if op.op == "add" and inner is not None and inner.args[1] is x:
            return inner.args[0]
    return None


def _shifted(a: Operand, shift: int, op: Op, makers: Makers) -> Application | Operand | None:
    made = makers.get(a) if isinstance(a, Var) else None
    if made is not None and made.op in ("add", "sub"):
        inner = int_const(made.args[1])
        if inner is not None:
            total = shift + (inner if made.op == "add" else -inner)
            return made.args[0] if total == 0 else _sum(made.args[0], total)
    canonical = _sum(a, shift)
    return None if canonical == (op.op, op.args) else canonical


def _sum(x: Operand, constant: int) -> Application:
    return ("add", (x, const(constant))) if constant >= 0 else ("sub", (x, const(-constant)))


def products(op: Op, makers: Makers) -> Operand | Application | None:
    """`x * 0 => 0` (integers), `x * -1.0 => -x`, `x / 2.0 => x * 0.5` (powers of two), `smul(0.5, x) => 0.5 *
    x` (constants but zero), and powers, see `_power`
    """
    if op.op in PRODUCTS_WITH_ZERO:
        return ("mul", op.args) if isinstance(op.args[0], Const) and op.args[0].value else None
    if op.op == "mul":
        for a, b in (op.args, op.args[::-1]):
            if int_const(b) == 0 and is_integer(op.out.type):
                return b
            if isinstance(b, Const) and b.value == -1 and not isinstance(b.value, bool):
                return "neg", (a,)
    if op.op == "div" and is_float(op.out.type) and isinstance(op.args[1], Const):
        d = float(op.args[1].value)
        if d and math.isfinite(d) and math.frexp(abs(d))[0] == 0.5 and 2.0**-100 < abs(d) < 2.0**100:
            return "mul", (op.args[0], const(1.0 / d, op.out.type.dtype))
    return _power(*op.args) if op.op == "pow" else None


def _power(x: Operand, y: Operand) -> Application | None:
    """`x ** 2.0 => x * x`, `x ** -1.0 => 1.0 / x`, `x ** 0.5 => sqrt(x)`, `2.0 ** y => exp2(y)`"""
    if isinstance(y, Const) and y.value == 2:
        return "mul", (x, x)
    if isinstance(y, Const) and is_float(y.type):
        if y.value == -1:
            return "div", (const(1.0, y.type.dtype), x)
        if y.value == 0.5:
            return "sqrt", (x,)
    if isinstance(x, Const) and is_float(x.type) and x.value == 2:
        return "exp2", (y,)
    return None


def comparisons(op: Op, makers: Makers) -> Operand | Application | None:
    """`x <= x => True`, `x < x => False` (integers), `c and True => c`, `c or True => True`, `c == True =>
    c`
    """
    if op.op in OPPOSITE and op.args[0] is op.args[1] and is_integer(op.args[0].type):
        return const(op.op in ("le", "ge", "eq"))
    if op.op in ("and", "or"):
        for a, b in (op.args, op.args[::-1]):
            if isinstance(b, Const):
                return a if b.value == (op.op == "and") else b
        if op.args[0] is op.args[1]:
            return op.args[0]
    if op.op == "eq" and op.args[0].type == BOOL and isinstance(op.args[1], Const):
        return op.args[0] if op.args[1].value else ("not", (op.args[0],))
    return None


def orderings(op: Op, makers: Makers) -> Application | None:
    """`ordering(x, y) == 1 => x > y`, `… == 2 => y > x`, `… == 3 => x == y`"""
    made = _maker(op.args[0], makers, "ordering") if op.op == "eq" else None
    which = None if made is None else int_const(op.args[1])
    if made is None or which not in (1, 2, 3):
        return None
    x, y = made.args
    return ("eq", (x, y)) if which == 3 else ("gt", (x, y) if which == 1 else (y, x))


def selections(op: Op, makers: Makers) -> Operand | Application | None:
    """`a if not c else b => b if c else a`, `True if c else False => c`, `maximum(i, i) => i`,
    `wrap(-1, n) => n - 1`, `cast(cast(b)) => cast(b)` (booleans)
    """
    if op.op == "select":
        sides = tuple(a.value if isinstance(a, Const) else None for a in op.args[1:])
        if op.out.type == BOOL and sides in ((True, False), (False, True)):
            return op.args[0] if sides[0] else ("not", (op.args[0],))
        inner = _maker(op.args[0], makers, "not")
        if inner is not None:
            return "select", (inner.args[0], op.args[2], op.args[1])
    if op.op in ("maximum", "minimum") and op.args[0] is op.args[1] and is_integer(op.out.type):
        return op.args[0]
    index = int_const(op.args[0]) if op.op == "wrap" else None
    if index is not None and index < 0:
        return "sub", (op.args[1], const(-index))
    return None


def squares_of_roots(op: Op, makers: Makers) -> Application | None:
    """`r * r => square_of(r, x)` for r = sqrt(x), likewise `-r * r`: smooth in x at zero, where r is not"""
    if op.op != "mul":
        return None
    signs, roots = 1, []
    for a in op.args:
        negated = _maker(a, makers, "neg")
        signs = -signs if negated is not None else signs
        roots.append(a if negated is None else negated.args[0])
    made = _maker(roots[0], makers, "root") or _maker(roots[0], makers, "sqrt")
    if made is None or roots[0] is not roots[1]:
        return None
    return ("square_of" if signs > 0 else "minus_square_of"), (roots[0], made.args[0])


def conversions(op: Op, makers: Makers) -> Operand | None:
    """`float32(float64(x)) => x` for x in float32"""
    made = _maker(op.args[0], makers, "cast") if op.op == "cast" else None
    if made is None or made.args[0].type != op.out.type or (op.out.type.dtype, made.out.type.dtype) != FLOATS:
        return None
    return made.args[0]


RULES: tuple[Rule, ...] = (
    conversions,
    negation,
    integer_sums,
    products,
    comparisons,
    orderings,
    selections,
    squares_of_roots,
)


def simplify_ops(fn: Function) -> Function:
    """Apply the rules until none fires, and resolve branches and loops that are decided.

    `if True: A else: B` => `A`; `for i in range(3, 4): A` => `A` with i = 3; a carried value that never
    changes is its initial value.
    """
    return _Simplifier(fn).run()


class _Simplifier(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.makers: Makers = {}

    def visit(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.visit_op(stmt)
            case If(cond=Const(value=value), then=then, orelse=orelse, outs=outs):
                self.splice(then if value else orelse, outs)
            case If():
                self.branch(stmt)
            case For() | While():
                self.loop(stmt)
            case Check(cond=Const(value=True)):
                pass
            case _:
                self.out.append(stmt)

    def visit_op(self, stmt: Op) -> None:
        while True:
            known = fold(stmt.op, stmt.args, stmt.out.type) if stmt.op != "cast" else self.cast(stmt)
            if known is not None:
                self.equate(stmt.out, known)
                return
            changed = next((c for c in (rule(stmt, self.makers) for rule in RULES) if c is not None), None)
            if changed is None:
                self.makers[stmt.out] = stmt
                self.out.append(stmt)
                return
            if not isinstance(changed, tuple):
                self.equate(stmt.out, changed)
                return
            stmt = Op(stmt.out, changed[0], changed[1], loc=stmt.loc)

    def cast(self, stmt: Op) -> Operand | None:
        x = stmt.args[0]
        if x.type == stmt.out.type:
            return x
        if isinstance(x, Const) and (
            stmt.out.type.dtype.startswith("float") or (stmt.out.type == INT and isinstance(x.value, bool))
        ):
            return const(x.value, stmt.out.type.dtype)
        return None

    def splice(self, block: Block, outs: tuple[Var, ...]) -> None:
        """The statements of a branch or body in place of the statement around it."""
        for stmt in block.stmts:
            self.visit(self.renamed(stmt))
        for o, y in zip(outs, block.yields, strict=True):
            self.equate(o, y)

    def branch(self, stmt: If) -> None:
        new = self.inner(stmt)
        assert isinstance(new, If)
        for o, a, b in zip(new.outs, new.then.yields, new.orelse.yields, strict=True):
            if a is b or (isinstance(a, Const) and isinstance(b, Const) and repr(a) == repr(b)):
                self.equate(o, a)
        self.out.append(new)

    def loop(self, stmt: For | While) -> None:
        stmt = self.without_constants(stmt)
        trips = self.known_trips(stmt)
        if isinstance(stmt, For) and trips is not None and trips <= 1 and stmt.trips is None:
            if trips == 0:
                for o, i in zip(stmt.outs, stmt.inits, strict=True):
                    self.equate(o, i)
                return
            self.equate(stmt.iv, stmt.lo)
            for a, i in zip(stmt.args, stmt.inits, strict=True):
                self.equate(a, i)
            self.splice(stmt.body, stmt.outs)
            return
        new = self.inner(stmt)
        if isinstance(new, For | While) and isinstance(new.stop, Const) and not new.stop.value:
            new = replace(new, stop=None)
        self.out.append(new)

    def without_constants(self, stmt: For | While) -> For | While:
        """The loop without carried values that never change; they are equal to their initial values."""
        kept = []
        for k, (a, i, y, o) in enumerate(
            zip(stmt.args, stmt.inits, stmt.body.yields, stmt.outs, strict=True)
        ):
            if y is a or y is i or (isinstance(y, Const) and isinstance(i, Const) and repr(y) == repr(i)):
                self.equate(a, i)
                self.equate(o, i)
            else:
                kept.append(k)
        if len(kept) == len(stmt.args):
            return stmt
        args, inits, outs = (tuple(xs[k] for k in kept) for xs in (stmt.args, stmt.inits, stmt.outs))
        body = Block(stmt.body.stmts, tuple(stmt.body.yields[k] for k in kept))
        return replace(stmt, args=args, inits=inits, outs=outs, body=body)  # type: ignore[arg-type]

    @staticmethod
    def known_trips(stmt: Stmt) -> int | None:
        """The number of passes where it is 0 or 1 for sure."""
        if not isinstance(stmt, For):
            return None
        lo, hi = int_const(stmt.lo), int_const(stmt.hi)
        if lo is not None and hi is not None:
            return len(range(lo, hi, stmt.step))
        return 0 if stmt.lo is stmt.hi else None
