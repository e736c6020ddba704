"""Common subexpressions: one computation of each pure value on a path.

    t = x * y; u = x * y; z = t + u      =>      t = x * y; z = t + t

Input and output: core IR. Pure ops, lengths and equal checks are shared with blocks that they dominate. Integer values are equal
if their linear forms are. Non-goals: loads (`forward_stores`), values of different branches.
"""

from __future__ import annotations

from ..analyses.affine import Forms
from ..analyses.definitions import Definitions
from ..ir.nodes import Block, Bounds, Check, Const, Dim, Function, Op, Operand, Stmt, Var
from ..ir.types import INT, grows
from ..ir.visitor import block_params, blocks, defined
from .rewrite import Rewriter

COMMUTES = {"add", "mul", "eq", "ne", "and", "or", "maximum", "minimum", "bitand", "bitor", "bitxor"}


def cse(fn: Function) -> Function:
    """Compute each value once where the first computation dominates the second."""
    return _Sharing(fn).run()


def operand_key(x: Operand) -> object:
    """Equal for operands that are the same; constants of different types or signs of zero differ."""
    return (repr(x.value), x.type.dtype) if isinstance(x, Const) else x


class _Sharing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.forms = Forms(fn, Definitions(fn))
        self.known: dict[object, Operand | None] = {}
        self.added: list[object] = []

    def block(self, block: Block) -> Block:
        mark = len(self.added)
        made = super().block(block)
        self.unlearn(mark)
        return made

    def unlearn(self, mark: int) -> None:
        for key in self.added[mark:]:
            del self.known[key]
        del self.added[mark:]

    def learn(self, key: object, value: Operand | None) -> None:
        if key not in self.known:
            self.known[key] = value
            self.added.append(key)

    def learn_integers(self, made: tuple[Var, ...]) -> None:
        for v in made:
            if v.type == INT:
                self.learn(("form", *self.forms.of(v).key()), v)

    def run(self) -> Function:
        self.learn_integers(self.fn.params)
        return super().run()

    def visit(self, stmt: Stmt) -> None:
        key = self.key(stmt)
        if key is not None and key in self.known:
            found = self.known[key]
            if found is not None:
                self.equate(defined(stmt)[0], found)
            return
        if isinstance(stmt, Op | Dim) and stmt.out.type == INT and self.integer(stmt):
            return
        if blocks(stmt):
            mark = len(self.added)
            self.learn_integers(block_params(stmt))
            super().visit(stmt)
            self.unlearn(mark)
        else:
            super().visit(stmt)
        made = defined(stmt)
        self.learn_integers(made)
        if key is not None:
            self.learn(key, made[0] if made else None)

    def integer(self, stmt: Op | Dim) -> bool:
        """Replace an integer by a constant or by a value of the same linear form."""
        form = self.forms.of(stmt.out)
        if form.constant is not None:
            self.equate(stmt.out, Const(form.constant, INT))
            return True
        found = self.known.get(("form", *form.key()))
        if found is not None:
            self.equate(stmt.out, found)
        return found is not None

    def key(self, stmt: Stmt) -> object:
        match stmt:
            case Op(out=out, op=op, args=args):
                keys = [operand_key(a) for a in args]
                if op in COMMUTES:
                    keys.sort(key=repr)
                return (op, out.type, *keys)
            case Bounds(array=array, axis=axis, index=index) if not grows(array.type):
                return ("bounds", self.forms.dim(array, axis).key(), self.forms.of(index).key())
            case Check(cond=cond, error=error):
                return ("check", operand_key(cond), error)
            case _:
                return None
