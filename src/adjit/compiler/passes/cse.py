"""Common subexpressions: one computation of each pure value on a path.

    t = x * y; u = x * y; z = t + u      =>      t = x * y; z = t + t

Input and output: core IR. Pure ops, lengths and equal checks are shared with blocks that they dominate.
Integer values are equal if their linear forms are. Non-goals: loads (`forward_stores`), values of
different branches.
"""

from __future__ import annotations

from ..analyses.affine import Affine, Forms, Symbol
from ..ir.builder import const
from ..ir.nodes import Block, Bounds, Check, Const, Dim, Function, Op, Operand, Stmt, Var
from ..ir.types import INT, grows
from ..ir.visitor import block_params, blocks, defined, with_operands
from .rewrite import Rewriter

COMMUTES = {"add", "mul", "pmul", "eq", "ne", "and", "or", "maximum", "minimum", "bitand", "bitor", "bitxor"}


def cse(fn: Function) -> Function:
    """Compute each value once where the first computation dominates the second."""
    return _Sharing(fn).run()


def operand_key(x: Operand) -> object:
    """Equal for operands that are the same; constants of different types or signs of zero differ."""
    return (repr(x.value), x.type.dtype) if isinstance(x, Const) else x


def _age(s: Symbol) -> tuple[int, str]:
    """Later values first, whatever else was asked of the forms before."""
    source = s.source[0] if isinstance(s.source, tuple) else s.source
    return (-1 if source is None else source.number), s.name


class _Sharing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.forms = Forms.about(fn)
        self.known: dict[object, Operand | None] = {}
        self.added: list[object] = []
        self.equal: dict[Symbol, Affine] = {}  # by checks that were passed
        self.held: list[Var] = []  # conditions of these checks

    def block(self, block: Block) -> Block:
        mark, equal, held = len(self.added), dict(self.equal), len(self.held)
        made = super().block(block)
        self.unlearn(mark)
        self.equal = equal
        for cond in self.held[held:]:
            del self.map[cond]
        del self.held[held:]
        return made

    # -- equalities
    def form(self, x: Operand) -> Affine:
        """The linear form of an integer, in the symbols that checks have left."""
        return self.substituted(self.forms.of(x))

    def substituted(self, form: Affine) -> Affine:
        for s in form.terms:
            if s in self.equal:
                rest = Affine({t: c for t, c in form.terms.items() if t is not s}, form.const)
                return self.substituted(rest.plus(self.equal[s], form.terms[s]))
        return form

    def get(self, x: Operand) -> Operand:
        x = super().get(x)
        if self.equal and isinstance(x, Var) and x.type == INT and x in self.forms.definitions.maker:
            form = self.form(x)
            if form.constant is not None:
                return Const(form.constant, INT)
            known = self.known.get(("form", *form.key()))
            return known if known is not None else x
        return x

    def renamed(self, stmt: Stmt) -> Stmt:
        return with_operands(stmt, self.get) if self.equal else super().renamed(stmt)

    def passed(self, cond: Operand) -> None:
        """A check holds from here on: lengths that it says are equal become one."""
        if not isinstance(cond, Var) or cond in self.map:
            return
        self.map[cond] = const(True)
        self.held.append(cond)
        made = self.forms.definitions.maker.get(cond)
        if not isinstance(made, Op):
            return
        if made.op == "and":
            for a in made.args:
                self.passed(a)
        elif made.op == "eq" and made.args[0].type == INT:
            d = self.form(made.args[0]) - self.form(made.args[1])
            found = [s for s, c in d.terms.items() if abs(c) == 1]
            if found:
                s = max(found, key=_age)
                rest = Affine({t: c for t, c in d.terms.items() if t is not s}, d.const)
                self.equal[s] = rest.scaled(-d.terms[s])

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
                self.learn(("form", *self.form(v).key()), v)

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
        if isinstance(stmt, Check):
            self.passed(stmt.cond)
        if key is not None:
            self.learn(key, made[0] if made else None)

    def integer(self, stmt: Op | Dim) -> bool:
        """Replace an integer by a constant or by a value of the same linear form."""
        form = self.form(stmt.out)
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
                return ("bounds", self.substituted(self.forms.dim(array, axis)).key(), self.form(index).key())
            case Check(cond=cond, error=error):
                return ("check", operand_key(cond), error)
            case _:
                return None
