"""The way from an argument to the result, in words and source lines.

Input: a core function, the parameters of one argument, the results that are differentiated. Output: lines of
text: where the argument enters, what follows from it on which line, where the path forks and contributions
are summed, where it is cut, and so why a gradient is zero. Invariants: "no path" is said exactly where the
adjoint gives a zero without computing anything. Non-goals: numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import source_line
from .adjoint.activity import Activity, activity, differentiable_args, is_active
from .analyses.alias import roots
from .analyses.effects import reads, writes
from .ir.nodes import Call, For, Function, If, Load, Location, Op, Operand, Stmt, Store, Var, While
from .ir.types import Array, is_float
from .ir.visitor import block_reads, defined, operands, walk
from .library import ROUTINES

PIECEWISE = ("floor", "ceil", "rint", "trunc", "sign", "round", "floordiv")
LOOP = re.compile(r"\b(for|while)\b")  # loops that are written as such, not those over elements
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isfinite", "isinf")


@dataclass
class Line:
    """What happens on one line of the source."""

    loc: Location
    uses: dict[str, None] = field(default_factory=dict)
    makes: dict[str, None] = field(default_factory=dict)


class Explanation:
    def __init__(self, fn: Function, name: str, params: Sequence[Var], results: Sequence[Operand]) -> None:
        self.fn, self.name, self.params = fn, name, [p for p in params if is_float(p.type)]
        self.memory = roots(fn)
        self.active = activity(fn, self.memory, self.params, results)
        self.varied = activity(fn, self.memory, self.params, self._everything())
        self.statements = list(walk(fn.body))
        self.made = {v: s for s in self.statements for v in defined(s)}
        self.touched = self._touched(params)

    def _everything(self) -> list[Operand]:
        found: list[Operand] = list(self.fn.params)
        found += [v for s in walk(self.fn.body) for v in defined(s)]
        return [v for v in found if is_float(v.type)]

    def _touched(self, params: Sequence[Var]) -> set[Var]:
        """Everything that depends on the argument in any way, gradients apart."""
        found: set[Var] = set(params)
        before = -1
        while before != len(found):
            before = len(found)
            for s in self.statements:
                inner = block_reads(s) if isinstance(s, For | While | If) else ()
                sources = {r for x in (*operands(s), *inner) if isinstance(x, Var) for r in self._of(x)}
                if not found.isdisjoint(sources):
                    targets = (*defined(s), *writes(s))
                    found.update(r for v in targets for r in self._of(v))
        return found

    def _of(self, v: Var) -> frozenset[Var]:
        return self.memory.get(v, frozenset((v,))) if isinstance(v.type, Array) else frozenset((v,))

    # -- the text
    def lines(self) -> list[str]:
        path, cuts = self.path(), self.cuts()
        if self.reached():
            text = [f"`{self.name}` reaches the result:", *path, *self.sums()]
            if cuts:
                text += ["Cut on the way, elsewhere:", *cuts]
            return text
        text = [f"The gradient in `{self.name}` is zero: no differentiable path leads to the result."]
        if not self.params:
            return [f"`{self.name}` holds no float, so it has no gradient."]
        if cuts:
            return [*text, "The path is cut:", *cuts]
        if any(not isinstance(p.type, Array) or self._used(p) for p in self.params) and self._leaves():
            return [*text, f"What follows from `{self.name}` is not used by the result:", *self.unused()]
        return [*text, f"`{self.name}` is not used."]

    def reached(self) -> bool:
        return any(p in self.active for p in self.params)

    def _used(self, p: Var) -> bool:
        return any(p in self._of(a) for s in self.statements for a in reads(s))

    def _leaves(self) -> bool:
        return len(self.touched) > len(self.params)

    def grouped(self, active: Activity) -> list[Line]:
        found: dict[tuple[str, int], Line] = {}
        for s in self.statements:
            if s.loc.line <= 0 or not is_active(s, active) or isinstance(s, For | While | If):
                continue
            if isinstance(s, Store) and s.value not in active:
                continue  # it ends what was there, in memory that other values reach
            line = found.setdefault((s.loc.file, s.loc.line), Line(s.loc))
            for x in operands(s):
                if isinstance(x, Var) and x in active:
                    line.uses[self.called(x)] = None
            for v in (*defined(s), *writes(s)):
                if v in active:
                    line.makes[self.called(v)] = None
        return sorted(found.values(), key=lambda line: (line.loc.file != self.fn.loc.file, line.loc.line))

    def called(self, v: Var) -> str:
        if isinstance(v.type, Array):
            homes = sorted(self._of(v), key=lambda r: r.number)
            return self.name if any(r in self.params for r in homes) else homes[0].name
        if v in self.params or v.name != "t":
            return self.name if v in self.params else v.name
        made = self.made.get(v)  # the line's variable, where the value has no name of its own
        found = None if made is None else re.match(r"\s*(\w+)\s*=[^=]", source_line(made.loc))
        return v.name if found is None else found[1]

    def path(self) -> list[str]:
        return [_line(line.loc) for line in self.grouped(self.active)]

    def sums(self) -> list[str]:
        """Where a value is used more than once."""
        uses: dict[str, dict[int, None]] = {}
        for line in self.grouped(self.active):
            for name in line.uses:
                if name not in line.makes:
                    uses.setdefault(name, {})[line.loc.line] = None
        text = []
        for name, numbers in uses.items():
            if len(numbers) > 1:
                where = ", ".join(str(n) for n in sorted(numbers))
                text.append(f"  `{name}` forks: it is used on lines {where}; their contributions are summed")
        for s in self.statements:
            own = isinstance(s, For | While) and s.loc.line > 0 and LOOP.search(source_line(s.loc))
            if own and is_active(s, self.active):
                note = (
                    f"  each pass of the loop on line {s.loc.line} contributes; the contributions are summed"
                )
                if note not in text:
                    text.append(note)
        return text

    def unused(self) -> list[str]:
        return [_line(line.loc) for line in self.grouped(self.varied)]

    # -- cuts
    def cuts(self) -> list[str]:
        found: dict[str, None] = {}
        for s in self.statements:
            for why in self._cut(s):
                found.setdefault(f"{_line(s.loc)}\n      {why}", None)
        return list(found)

    def _cut(self, s: Stmt) -> Iterator[str]:
        """Why a statement lets no derivative through although it reads what depends on the argument."""
        match s:
            case Op(op=op, args=args, out=out) if any(self._is_varied(a) for a in args):
                flows = [a for a in differentiable_args(s) if a in self.varied]
                if not flows and (why := _reason(op, out)):
                    yield why
                elif op == "select" and self._is_varied(args[0]):
                    yield "a condition chooses; it has no gradient of its own"
            case Load(index=index) | Store(index=index) if any(x in self.touched for x in index):
                yield f"`{self.name}` decides on an index, which has no gradient"
            case If(cond=cond) if cond in self.touched:
                yield "a condition depends on it; which branch is taken has no gradient"
            case While(cond=cond) if any(y in self.touched for y in cond.yields):
                yield "the number of passes depends on it, which has no gradient"
            case Call(name=name, args=args) if ROUTINES[name].zero_derivative and any(
                args[k] in self.varied for k in ROUTINES[name].reads
            ):
                yield f"`{name}` gives integers, which have no gradient"
            case Store(array=array, value=value) if self._overwrites(array) and value not in self.varied:
                yield f"elements of `{self.called(array)}` are overwritten: what was there ends here"

    def _is_varied(self, x: Operand) -> bool:
        return x in self.varied

    def _overwrites(self, array: Var) -> bool:
        return any(r in self.params for r in self._of(array))


def _reason(op: str, out: Var) -> str:
    if op == "stop_gradient":
        return "stop_gradient makes it a constant"
    if op == "cast" and not is_float(out.type):
        return f"a cast to {out.type.dtype}, which has no gradient"
    if op in COMPARISONS or out.type.dtype == "bool":
        return "a comparison, which has no gradient"
    if op in PIECEWISE or is_float(out.type):
        return f"`{op}` is constant between its steps"
    return f"`{op}` gives an integer, which has no gradient"


def _line(loc: Location) -> str:
    return f"  line {loc.line}: {source_line(loc).strip()}"


def explain(fn: Function, name: str, params: Sequence[Var], results: Sequence[Operand]) -> str:
    """The explanation as text."""
    return "\n".join(Explanation(fn, name, params, results).lines())


__all__ = ["explain"]
