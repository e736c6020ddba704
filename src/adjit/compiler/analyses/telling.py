"""Values that tell in the result: if one of them is infinite or NaN, so is the result; or if one is zero.

    y = x / z          y, x infinite or NaN, or z zero: so is y, so is s
    s = s + y * y      (s is the result)

Input: a function and one of its results, a float. Output: two sets of scalar variables. Where a value that
tells goes wrong, no derivative of the result has a meaning, so that a product of the reverse sweep need not
be guarded against partials that are infinite only there. A value tells through the operations of its own
block, which run whenever it is computed, and through what loops carry. Non-goals: values in arrays;
partials that overflow where the value does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..ir.nodes import Block, For, Function, If, Op, Operand, Var, While
from ..ir.types import is_float
from ..ir.visitor import defined

# of an operand that is infinite or NaN, these make a value that is so, whatever their other operands
PASSED_ON = {
    **dict.fromkeys(("add", "sub", "mul"), (0, 1)),
    **dict.fromkeys(("div", "neg", "abs", "cast", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh"), (0,)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (0,)),
}
# of an operand that is zero: an infinity or NaN, or zero again
INFINITE_AT_ZERO = {"div": (1,), **dict.fromkeys(("log", "log2", "log10"), (0,))}
ZERO_AT_ZERO = {"mul": (0, 1), "div": (0,), **dict.fromkeys(("neg", "abs", "cast", "sqrt", "cbrt"), (0,))}

# partials of these are infinite or NaN only where the value itself is, overflow aside
ONLY_WITH_VALUE = {"div", "exp", "exp2", "expm1", "sinh", "cosh", "log", "log2", "log10", "log1p"}


@dataclass(eq=False)
class Telling:
    infinite: set[Var] = field(default_factory=set)
    zero: set[Var] = field(default_factory=set)

    def covers(self, op: Op) -> bool:
        """Whether the partials of an operation are finite wherever the result is, overflow aside."""
        if op.out not in self.infinite:
            return False
        return op.op in ONLY_WITH_VALUE or (op.op in ("sqrt", "cbrt") and op.out in self.zero)

    # -- a block from its end
    def block(self, block: Block, ending: Iterable[Operand], args: Iterable[Var] = ()) -> None:
        """Add what tells in `block`, given the values at its end that tell."""
        own = {*args, *(v for s in block.stmts for v in defined(s))}
        self.infinite.update(v for v in ending if isinstance(v, Var) and v in own)
        for s in reversed(block.stmts):
            match s:
                case Op():
                    self._op(s, own)
                case For() | While():
                    self._loop(s, own)
                case If():
                    for side in (s.then, s.orelse):
                        pairs = zip(s.outs, side.yields, strict=True)
                        self.block(side, [y for out, y in pairs if out in self.infinite])

    def _op(self, s: Op, own: set[Var]) -> None:
        def operands(table: Mapping[str, tuple[int, ...]]) -> set[Var]:
            chosen = (s.args[k] for k in table.get(s.op, ()))
            return {a for a in chosen if isinstance(a, Var) and a in own and is_float(a.type)}

        if s.out in self.infinite and is_float(s.out.type):
            self.infinite |= operands(PASSED_ON)
            self.zero |= operands(INFINITE_AT_ZERO)
        if s.out in self.zero:
            self.zero |= operands(ZERO_AT_ZERO)

    def _loop(self, s: For | While, own: set[Var]) -> None:
        """What is carried tells if each pass hands it on. It is assumed of all, until one is found not to."""
        carried = [k for k, out in enumerate(s.outs) if out in self.infinite]
        kept = set(self.infinite), set(self.zero)
        while True:
            self.block(s.body, [s.body.yields[k] for k in carried], s.args)
            still = [k for k in carried if s.args[k] in self.infinite]
            if still == carried:
                break
            carried = still
            self.infinite, self.zero = set(kept[0]), set(kept[1])
        for k in carried:
            init = s.inits[k]
            if isinstance(init, Var) and init in own:
                self.infinite.add(init)


def telling(fn: Function, result: Operand) -> Telling:
    """The values of `fn` that tell in one of its results, a float."""
    found = Telling()
    found.block(fn.body, (result,), fn.params)
    return found
