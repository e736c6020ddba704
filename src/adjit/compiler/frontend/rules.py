"""Calls of functions with a derivative of their own: `custom_vjp` and `custom_jvp`.

Input: a `Ruled` object (the user's function, its rules), and the values of its arguments. Output: the value
of the call. The primal code (`fwd`, or the function itself) is inlined; then one call of a routine stands for
the step from the arguments to the results, with the rule, captured by itself, as its attribute (see
`library.rules`). Invariants: arguments keep their contents while the primal code runs; results that are the
memory of an argument must not be written afterwards, since they are copies here. Non-goals: the derivative
of such a call (`library.rules`), compiled functions that are not read (`opaque`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from ...errors import InferenceError, MissingRuleError, OverwriteError, call_notes
from ..adjoint.transpose import NotLinear, transposed
from ..ir.nodes import Function, Operand, Var
from ..ir.types import Array, Type
from ..library.blocks import shape
from ..library.rules import Rule, routine
from ..passes import simplify
from ..program import (
    ArraySpec,
    Hidden,
    NodeSpec,
    Program,
    ResultLeaf,
    ScalarSpec,
    Spec,
    StaticSpec,
    tuple_tree,
)
from . import resolve
from .arrays import as_variable, full
from .arrays.complexes import is_complex
from .arrays.promote import dtype_of, is_number, is_weak, operand
from .inlined import Specifications
from .rule_entries import forward_and_back, walked
from .ruling import Made, Ruled, Ruling
from .structure import children, form, with_children
from .values import ArrayValue, ScalarValue, Sequence_, Value

if TYPE_CHECKING:
    from .specialise import Specialiser


def call(ctx: Specialiser, function: Ruled, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of a call."""
    values = [ctx.settled(v, "argument") for v in _positional(ctx, function, args, kwargs)]
    if not isinstance(ctx.ruling, Ruling):
        ctx.ruling = Ruling()
    if ctx.plain:
        with ctx.ruling.own_code():
            return ctx.call(function.fun, values)
    if not function.rules:
        ctx.error(
            MissingRuleError,
            f"{function.__name__!r} has no rule yet",
            "it is differentiated by the rule that is given to it",
            "\n" + function.skeleton(),
        )
    return _Call(ctx, function, values).value()


def _positional(
    ctx: Specialiser, function: Ruled, args: Sequence[Value], kwargs: dict[str, Value]
) -> list[Value]:
    """One value per parameter; the arguments of `*args` follow one by one."""
    try:
        found = function.signature.bind(*args, **kwargs)
    except TypeError as error:
        ctx.error(InferenceError, str(error))
    values: list[Value] = []
    for name, parameter in function.signature.parameters.items():
        if parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD):
            ctx.error(
                InferenceError,
                f"{function.__name__!r} has the keyword parameter {name!r}",
                "the arguments of a function with a rule are known by position",
                "make it a positional parameter",
            )
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            values += found.arguments.get(name, ())
        elif name in found.arguments:
            values.append(found.arguments[name])
        else:
            values.append(resolve.constant(parameter.default))
    return values


FITS = "a cotangent has the shape of its argument, a tangent that of its result"


@dataclass(frozen=True)
class _Leaf:
    """A float: an array variable, or a number in a 0-d array; `value` is the number itself."""

    box: Var
    value: Operand | None
    weak: bool = False

    @property
    def rank(self) -> int:
        assert isinstance(self.box.type, Array)
        return self.box.type.ndim

    def spec(self) -> Spec:
        if self.value is not None:
            return ScalarSpec(self.value.type.dtype, self.weak)
        return ArraySpec(self.box.type.dtype, self.rank, "A", True, unsure=tuple(range(self.rank)))

    def type(self) -> Type:
        """Of a cotangent or tangent."""
        return Array(self.box.type.dtype, self.rank, "A") if self.value is None else self.value.type


class _Call:
    """One call. `trees` and `tree` have the numbers of `flows` and `ys` where these stand in the arguments
    and in the result; lists are structures, None is a leaf without floats.
    """

    def __init__(self, ctx: Specialiser, function: Ruled, values: Sequence[Value]) -> None:
        self.ctx, self.function = ctx, function
        assert isinstance(ctx.ruling, Ruling)
        self.ruling = ctx.ruling
        self.before = ctx.b.names.next
        self.values = [self._referred(v) for v in values]
        count = len(values)
        held = {k % count for k in function.nondiff if -count <= k < count}
        self.held = [v for k, v in enumerate(self.values) if k in held]
        self.moving = [v for k, v in enumerate(self.values) if k not in held]
        self.flows: list[_Leaf] = []
        self.fixed: list[_Leaf] = []
        self.ys: list[_Leaf] = []
        self.trees = [self._numbered(v, self.flows) for v in self.moving]
        for v in self.held:
            self._numbered(v, self.fixed)
        self.tree: object = None

    def error(self, what: str, why: str = "", instead: str = "", at: Program | None = None) -> NoReturn:
        """An error at the call, or at the function of the rule, whose program is `at`."""
        text = f"the rule of {self.function.__name__!r} {what}"
        if at is None:
            self.ctx.error(InferenceError, text, why, instead)
        raise InferenceError(text, at.function.loc, why, instead, call_notes([self.ctx.b.loc]))

    # -- leaves
    def _referred(self, value: Value) -> Value:
        """The value with a variable of its own behind each array."""
        if isinstance(value, ArrayValue):
            return full(self.ctx, as_variable(self.ctx, value))
        inner = children(value)
        return value if inner is None else with_children(value, [self._referred(v) for v in inner])

    def _numbered(self, value: Value, leaves: list[_Leaf]) -> object:
        inner = children(value)
        if inner is not None:
            return [self._numbered(v, leaves) for v in inner]
        leaf = self._leaf(value)
        if leaf is None:
            return None
        leaves.append(leaf)
        return len(leaves) - 1

    def _leaf(self, value: Value) -> _Leaf | None:
        ctx = self.ctx
        if is_complex(value):
            self.error(
                "meets complex numbers",
                "rules are of real numbers and arrays",
                "pass and return real and imaginary parts",
            )
        if isinstance(value, ArrayValue):
            return _Leaf(as_variable(ctx, value), None) if value.dtype.startswith("float") else None
        if not is_number(value) or not dtype_of(ctx, value).startswith("float"):
            return None
        x = operand(ctx, value, dtype_of(ctx, value))
        box = ctx.b.alloc((), x.type.dtype, x.name if isinstance(x, Var) else "x")
        ctx.b.store(box, (), x)
        return _Leaf(box, x, is_weak(value))

    # -- the primal code
    def value(self) -> Value:
        ctx, function = self.ctx, self.function
        nested = function in self.ruling.within
        with self._unwritten(), self.ruling.own_code():
            if function.reverse and not nested:
                with self.ruling.inside(function):
                    result = ctx.call(function.rules[0], self.values)
                result, residuals = self._pair(ctx.settled(result, "y"))
            else:
                result, residuals = ctx.settled(ctx.call(function.fun, self.values), "y"), None
        result = self._referred(result)
        self.tree = self._numbered(result, self.ys)
        if not self.flows or not self.ys:
            return result
        if residuals is not None:
            return self._call(result, *self._with_residuals(result, residuals))
        return self._call(result, *self._by_arguments(result))

    def _pair(self, value: Value) -> tuple[Value, Value]:
        if not isinstance(value, Sequence_) or len(value.items) != 2:
            why = "fwd returns the result and the residuals"
            self.error("does not return a pair", why, "return y, residuals")
        return value.items[0], value.items[1]

    @contextmanager
    def _unwritten(self) -> Iterator[None]:
        """Arguments keep their contents while the primal code is walked."""
        frozen = self.ctx.frozen
        why = f"it is an argument of {self.function.__name__!r}, which has a rule for its derivative"
        added = [r for r in self._memory(self.values) if frozen.setdefault(r, why) is why]
        try:
            yield
        finally:
            for r in added:
                if frozen[r] is why:
                    del frozen[r]

    def _memory(self, values: Sequence[Value]) -> dict[Var, None]:
        found: dict[Var, None] = {}
        for v in values:
            if isinstance(v, ArrayValue):
                found.update(dict.fromkeys(self.ctx.b.origin(v.base)))
            found.update(self._memory(children(v) or ()))
        return found

    # -- the call
    def _call(self, result: Value, rule: Rule, read: Sequence[Operand]) -> Value:
        b, ys = self.ctx.b, self.ys
        outs: list[Var] = []
        lengths: list[Operand] = []
        for y in ys:
            own = shape(b, y.box)
            outs.append(b.alloc(own, y.box.type.dtype, y.box.name))
            lengths += own if len(ys) > 1 else ()
            if y.value is None:
                self._apart(y.box, outs[-1])
        boxes = [leaf.box for leaf in (*ys, *self.flows, *self.fixed)]
        b.call(routine(rule), *outs, *boxes, *read, *lengths, attrs=(rule,))
        return self._finished(result, self.tree, outs)

    def _finished(self, value: Value, tree: object, outs: Sequence[Var]) -> Value:
        if isinstance(tree, list):
            inner = children(value)
            assert inner is not None
            return with_children(
                value, [self._finished(v, t, outs) for v, t in zip(inner, tree, strict=True)]
            )
        if not isinstance(tree, int):
            return value
        if self.ys[tree].value is None:
            return full(self.ctx, outs[tree])
        return ScalarValue(self.ctx.b.load(outs[tree], ()), self.ys[tree].weak)

    def _apart(self, y: Var, out: Var) -> None:
        """A result that was there before the call is other memory than in Python: neither may be written."""
        ctx = self.ctx
        old = {r for r in ctx.b.origin(y) if r.number < self.before or r in ctx.parameters}
        if not old:
            return
        name = self.function.__name__
        why = f"{name!r}, which has a rule for its derivative, returns memory that it was given"
        if ctx.loops and old & ctx.written:
            ctx.error(OverwriteError, f"the array {y.name!r} is written", why, "return a copy there")
        for root in (*old, out):
            ctx.frozen[root] = why

    # -- rules
    def _with_residuals(self, result: Value, residuals: Value) -> tuple[Rule, list[Operand]]:
        """The rule that goes on from what `fwd` has left."""
        given = Specifications(self.ctx)
        specs = [read_only(given.spec(v, False)) for v in (*self.held, residuals)]
        specs.append(self._like(result, self.tree, self.ys))
        rule = Rule(self.function.__name__, len(self.ys), len(self.flows), len(self.fixed), replaced=True)
        self._fits(self.function.rules[1], len(specs))
        with self.ruling.inside(self.function):
            program = self._captured(self.function.rules[1], specs)
        rule.pull, hidden = self._ordered(rule, program, given.operands, len(self.ys))
        rule.pulled = self._pulled(program)
        return rule, self._read(rule, given.operands, hidden)

    def _by_arguments(self, result: Value) -> tuple[Rule, list[Operand]]:
        """The rule as a function of the arguments alone: that of a custom_jvp, and that of a custom_vjp in
        its own code, which begins with `fwd`.
        """
        given = Specifications(self.ctx)
        held = [read_only(given.spec(v, False)) for v in self.held]
        moving = [read_only(given.spec(v, False)) for v in self.moving]
        key = (self.function, repr((held, moving)))
        known = self.ruling.made.get(key)
        if known is None:
            known = Made(Rule(self.function.__name__, len(self.ys), len(self.flows), len(self.fixed)))
            self.ruling.made[key] = known
            kinds = [isinstance(x.type, Array) for x in given.operands]
            known.rule.arrays, known.rule.numbers = kinds.count(True), kinds.count(False)
            define = self._define_pull if self.function.reverse else self._define_push
            found = define(known.rule, result, held, moving, given.operands)
            if known.met and found:  # its own code has called it without these arrays
                known.hidden = found
                again = define(known.rule, result, held, moving, given.operands)
                if [(h.name, h.spec) for h in again] != [(h.name, h.spec) for h in found]:
                    self.error("calls its function and reads global arrays", "", "pass them as arguments")
            known.hidden = found
        elif known.hidden is None:
            known.met = True
        return known.rule, self._read(known.rule, given.operands, known.hidden or ())

    def _define_pull(
        self, rule: Rule, result: Value, held: list[Spec], moving: list[Spec], operands: Sequence[Operand]
    ) -> tuple[Hidden, ...]:
        ct = self._like(result, self.tree, self.ys)
        program = self._captured(forward_and_back(self.function, self.ctx.frame.source), [*held, *moving, ct])
        rule.pull, hidden = self._ordered(rule, program, operands, len(self.ys))
        rule.pulled = self._pulled(program)
        rule.later = self._push_later
        return hidden

    def _push_later(self, rule: Rule) -> None:
        """Tangents where the code of a custom_vjp calls its function: the transpose of `bwd`."""
        assert rule.pull is not None
        own = rule.arrays + rule.numbers
        types = [f.type() for f in self.flows]
        arrays = [y for y in self.ys if y.value is None]
        likes = {id(y): own + len(types) + k for k, y in enumerate(arrays)}
        shapes = [likes.get(id(y)) for y in self.ys]
        types += [y.type() for y in arrays]
        with suppress(NotLinear):
            rule.push = transposed(rule.pull, own, rule.pulled, types, shapes)
            rule.pushed = tuple(range(rule.outs))

    def _define_push(
        self, rule: Rule, result: Value, held: list[Spec], moving: list[Spec], operands: Sequence[Operand]
    ) -> tuple[Hidden, ...]:
        pairs = zip(self.moving, self.trees, strict=True)
        tangents = tuple_tree([self._like(v, t, self.flows) for v, t in pairs])
        self._fits(self.function.rules[0], len(held) + 2)
        program = self._captured(self.function.rules[0], [*held, tuple_tree(moving), tangents])
        rule.push, hidden = self._ordered(rule, program, operands, len(self.flows))
        tree = program.result
        if not isinstance(tree, NodeSpec) or tree.kind not in (tuple, list) or len(tree.children) != 2:
            self.error(
                "does not return a pair", "it gives the result and its tangent", "return y, tangent", program
            )
        found: list[int | None] = [None] * len(self.ys)
        self._match(self.tree, tree.children[1], self.ys, program, found)
        rule.pushed = tuple(found)
        arrays = [x for x in operands if isinstance(x.type, Array)]
        shapes = [arrays.index(f.box) if f.value is None else None for f in self.flows]
        rule.later = lambda rule: self._pull_later(rule, shapes)
        return hidden

    def _pull_later(self, rule: Rule, shapes: Sequence[int | None]) -> None:
        """Reverse mode of a custom_jvp: the transpose of its tangent."""
        assert rule.push is not None
        own = rule.arrays + rule.numbers
        with suppress(NotLinear):
            rule.pull = transposed(rule.push, own, rule.pushed, [y.type() for y in self.ys], shapes)
            rule.pulled = tuple(range(rule.flows))

    def _pulled(self, program: Program) -> tuple[int | None, ...]:
        tree, count = program.result, len(self.moving)
        if not isinstance(tree, NodeSpec) or tree.kind not in (tuple, list) or len(tree.children) != count:
            many = "one entry" if count == 1 else f"{count} entries"
            why = "bwd gives a cotangent for each differentiable argument, or None"
            cts = "ct," if count == 1 else ", ".join(f"ct_{k}" for k in range(count))
            self.error(f"does not return a tuple with {many}", why, f"return ({cts})", program)
        found: list[int | None] = [None] * len(self.flows)
        for mine, theirs in zip(self.trees, tree.children, strict=True):
            self._match(mine, theirs, self.flows, program, found)
        return tuple(found)

    # -- both
    def _like(self, value: Value, tree: object, leaves: Sequence[_Leaf]) -> Spec:
        """The specification of cotangents or tangents, structured as the value; None where it has no
        float.
        """
        if isinstance(tree, list):
            inner = children(value)
            assert inner is not None
            specs = tuple(self._like(v, t, leaves) for v, t in zip(inner, tree, strict=True))
            kind, keys = form(value)
            return NodeSpec(kind, keys, specs)
        return leaves[tree].spec() if isinstance(tree, int) else StaticSpec(None)

    def _fits(self, rule: Callable[..., object], count: int) -> None:
        try:
            inspect.signature(rule).bind(*range(count))
        except (TypeError, ValueError) as error:
            name = getattr(rule, "__name__", "it")
            self.error(f"does not fit: {name} is called with {count} arguments", str(error))

    def _captured(self, rule: object, specs: Sequence[Spec]) -> Program:
        from .specialise import specialise

        ctx = self.ctx
        options = ctx.options.updated({"intermediates": ()})
        with self.ruling.own_code():
            program = specialise(walked(ctx, rule), tuple(specs), options, ruling=self.ruling)
        for g in program.guards:
            if g not in ctx.guards:
                ctx.guards.append(g)
        return program

    def _ordered(
        self, rule: Rule, program: Program, operands: Sequence[Operand], last: int
    ) -> tuple[Function, tuple[Hidden, ...]]:
        """The captured function with its parameters in a routine's order: arrays, numbers, the `last`
        ones.
        """
        fn = program.function
        own = len(fn.params) - len(program.hidden)
        first = own - last
        assert first == len(operands)
        params = [*fn.params[:first], *fn.params[own:]]
        arrays = [p for p in params if isinstance(p.type, Array)]
        numbers = [p for p in params if not isinstance(p.type, Array)]
        rule.arrays, rule.numbers = len(arrays), len(numbers)
        return simplify(replace(fn, params=(*arrays, *numbers, *fn.params[first:own]))), program.hidden

    def _read(self, rule: Rule, operands: Sequence[Operand], hidden: Sequence[Hidden]) -> list[Operand]:
        """What the rule reads: arrays, then numbers."""
        ctx = self.ctx
        found = list(operands)
        for h in hidden:
            value = resolve.hidden_again(ctx, h)
            is_array = isinstance(value, ArrayValue)
            found.append(as_variable(ctx, value) if is_array else operand(ctx, value, h.spec.dtype))  # type: ignore[arg-type]
        return sorted(found, key=lambda x: not isinstance(x.type, Array))

    def _match(
        self, mine: object, theirs: object, leaves: Sequence[_Leaf], program: Program, found: list[int | None]
    ) -> None:
        """Pair the leaves of an argument (or a result) with those of what the rule returns for it."""
        if mine is None or (isinstance(theirs, StaticSpec) and theirs.value is None):
            return
        if isinstance(mine, list):
            if not isinstance(theirs, NodeSpec) or len(theirs.children) != len(mine):
                what = "returns another structure than that of the argument or result it belongs to"
                self.error(what, FITS, f"return {len(mine)} parts for it, or None", program)
            for m, t in zip(mine, theirs.children, strict=True):
                self._match(m, t, leaves, program, found)
            return
        assert isinstance(mine, int)
        leaf = leaves[mine]
        type_ = program.function.results[theirs.index].type if isinstance(theirs, ResultLeaf) else None
        rank = leaf.rank if leaf.value is None else None
        if type_ is None or rank != (type_.ndim if isinstance(type_, Array) else None):
            axes = "one axis" if rank == 1 else f"{rank} axes"
            wanted = "a number" if rank is None else f"an array with {axes}"
            what = f"returns something else than {wanted} or None for an argument or result"
            self.error(what, FITS, f"return {wanted}, or None where there is no derivative", program)
        assert isinstance(theirs, ResultLeaf)
        found[mine] = theirs.index


# -- specifications


def read_only(spec: Spec) -> Spec:
    if isinstance(spec, NodeSpec):
        return replace(spec, children=tuple(map(read_only, spec.children)))
    return replace(spec, readonly=True) if isinstance(spec, ArraySpec) else spec


__all__ = ["Ruled", "call"]
