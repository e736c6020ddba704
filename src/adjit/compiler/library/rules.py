"""Calls of functions whose derivative is the user's: `custom_vjp` and `custom_jvp`.

The user's code stands before such a call, inlined: it has computed the results `ys` from the arguments. The
call copies `ys` to `outs`, through which no derivative flows into that code; it flows as the rule says
instead. Arguments of a call, in order: `outs`, `ys`, `flows` (what is differentiated, numbers in 0-d arrays),
the same for what `nondiff_argnums` names (`fixed`), further arrays and then numbers that the rule reads, at
last the lengths of `outs` where there are several.

A `Rule` is the call's attribute: core functions for both modes. `pull` takes the arrays and numbers and one
cotangent per out; `push` the arrays and numbers and one tangent per flow. `replaced`: where a reverse sweep
has taken over the rule, the forward sweep has plain copies in place of the call, so that a further
derivative is that of the rule's own code. Non-goals: capturing the user's functions (`frontend.rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import MissingRuleError, NotDifferentiableError
from ..ir.builder import Builder, const
from ..ir.instantiate import instantiate
from ..ir.nodes import Call, Function, Operand, Stmt, Var
from ..ir.types import Array
from .blocks import add, clear, each, shape
from .core import ROUTINES, Arrays, Routine, Shadows


@dataclass(eq=False)
class Rule:
    """Complete once its functions have been captured; these may hold calls of the rule itself. `pulled`
    names, per flow, the result of `pull` that is its cotangent, `pushed`, per out, the result of
    `push` that is its tangent; None stands for zero. `later` makes the other of `pull` and
    `push`, if it can, where it is needed.
    """

    name: str
    outs: int
    flows: int
    fixed: int = 0
    arrays: int = 0
    numbers: int = 0
    pull: Function | None = None
    pulled: tuple[int | None, ...] = ()
    push: Function | None = None
    pushed: tuple[int | None, ...] = ()
    replaced: bool = False
    later: Callable[[Rule], None] | None = None

    def __repr__(self) -> str:
        return f"rule of {self.name}"


def rule_of(call: Call) -> Rule:
    found = call.attrs[0]
    assert isinstance(found, Rule)
    return found


def is_rule(stmt: Stmt) -> bool:
    return isinstance(stmt, Call) and bool(stmt.attrs) and isinstance(stmt.attrs[0], Rule)


def routine(rule: Rule) -> str:
    """The name of the routine for calls of this form."""
    n, m = rule.outs, rule.flows + rule.fixed
    name = f"rule_{n}_{m}_{rule.arrays}"
    if name not in ROUTINES:
        first = 2 * n + m
        read = tuple(range(first, first + rule.arrays))

        def needs(_call: Call, active: set[int]) -> set[int]:
            return set(read) if active else set()

        ROUTINES[name] = Routine(
            name,
            reads=tuple(range(n, first + rule.arrays)),
            writes=tuple(range(n)),
            vjp=pulled_back,
            jvp=pushed_forward,
            needs=needs,
            flows=tuple(range(2 * n, first)),
        )
    return name


def copy_results(b: Builder, call: Call) -> None:
    """What the call does where nothing is differentiated."""
    n = rule_of(call).outs
    for out, y in zip(call.args[:n], call.args[n : 2 * n], strict=True):
        _copy(b, y, out)


def _copy(b: Builder, source: Operand, target: Operand) -> None:
    assert isinstance(source, Var) and isinstance(target, Var)
    dtype = target.type.dtype
    each(b, shape(b, target), lambda i: b.store(target, i, b.cast(b.load(source, i), dtype)))


def _read(call: Call, rule: Rule, primal: Arrays) -> list[Operand]:
    """The arrays and numbers that the rule reads."""
    first = 2 * rule.outs + rule.flows + rule.fixed
    last = first + rule.arrays
    return [*(primal[k] for k in range(first, last)), *call.args[last : last + rule.numbers]]


def pulled_back(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    rule = rule_of(call)
    n = rule.outs
    if all(ct[k] is None for k in range(n)):
        return
    _fixed(call, rule, ct)
    if rule.pull is None and rule.later is not None:
        rule.later(rule)
    if rule.pull is None:
        raise NotDifferentiableError(
            f"the rule of {rule.name!r} is not linear in the tangents",
            call.loc,
            "reverse mode of a custom_jvp is the transpose of its tangent",
            "write the tangent as a sum of products with a tangent each, or use adjit.custom_vjp",
        )
    given = _read(call, rule, primal)
    wanted = rule.pull.params[len(given) :]
    lengths = list(call.args[2 * n + rule.flows + rule.fixed + rule.arrays + rule.numbers :])
    for k, p in enumerate(wanted):
        rank = p.type.ndim if isinstance(p.type, Array) else 0
        own, lengths = lengths[:rank], lengths[rank:]
        given.append(_seed(b, p, ct[k], own))
    results = instantiate(b, rule.pull, given)
    for k, at in enumerate(rule.pulled):
        target = ct[2 * n + k]
        if target is not None and at is not None:
            _contribute(b, rule, target, results[at])
    for k in range(n):
        shadow = ct[k]
        if shadow is not None:
            clear(b, shadow)


def _fixed(call: Call, rule: Rule, derivatives: Shadows) -> None:
    """No derivative is asked for where the rule holds an argument constant."""
    first = 2 * rule.outs + rule.flows
    if any(derivatives[k] is not None for k in range(first, first + rule.fixed)):
        raise NotDifferentiableError(
            f"a derivative is asked for in an argument that nondiff_argnums of {rule.name!r} names",
            call.loc,
            "its rule holds this argument constant",
            "pass adjit.stop_gradient of it, or let the rule have a cotangent for it",
        )


def _seed(b: Builder, p: Var, found: Var | None, lengths: Sequence[Operand]) -> Operand:
    """A cotangent or tangent as the rule takes it; zeros where there is none."""
    dtype = p.type.dtype
    if not isinstance(p.type, Array):
        return const(0, dtype) if found is None else b.cast(b.load(found, ()), dtype)
    return b.alloc(lengths, dtype, p.name, zeroed=True) if found is None else found


def _contribute(b: Builder, rule: Rule, target: Var, value: Operand) -> None:
    if not isinstance(value.type, Array):
        b.accumulate(target, (), b.cast(value, target.type.dtype))
        return
    assert isinstance(value, Var) and rule.pull is not None
    with b.at(rule.pull.loc):
        _same_shape(b, rule, target, value, "cotangent", "its argument")
    if value.type.dtype == target.type.dtype:
        add(b, target, value)
        return
    dtype = target.type.dtype
    each(b, shape(b, target), lambda i: b.accumulate(target, i, b.cast(b.load(value, i), dtype)))


def pushed_forward(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    rule = rule_of(call)
    n = rule.outs
    _fixed(call, rule, tangent)
    if rule.push is None and rule.later is not None:
        rule.later(rule)
    if rule.push is None:
        raise MissingRuleError(
            f"{rule.name!r} has a custom_vjp, which gives no tangents",
            call.loc,
            "forward mode needs the rule of a custom_jvp",
            "use reverse mode, or define the function with adjit.custom_jvp, which serves both modes",
        )
    given = _read(call, rule, primal)
    moving = rule.push.params[len(given) : len(given) + rule.flows]
    likes = len(rule.push.params) - len(given) - rule.flows
    for k, p in enumerate(moving):
        flow = call.args[2 * n + k]
        assert isinstance(flow, Var)
        given.append(_seed(b, p, tangent[2 * n + k], shape(b, flow)))
    if likes and rule.pull is not None:  # arrays of the shapes of the results
        given += [
            y
            for y, p in zip(call.args[n : 2 * n], rule.pull.params[-n:], strict=True)
            if isinstance(p.type, Array)
        ]
    results = instantiate(b, rule.push, given)
    for k, at in enumerate(rule.pushed):
        target = tangent[k]
        if target is None:
            continue
        if at is None:
            clear(b, target)
        elif isinstance(results[at].type, Array):
            with b.at(rule.push.loc):
                _same_shape(b, rule, target, results[at], "tangent", "its result")
            _copy(b, results[at], target)
        else:
            b.store(target, (), b.cast(results[at], target.type.dtype))


def _same_shape(b: Builder, rule: Rule, target: Var, value: Operand, what: str, of: str) -> None:
    assert isinstance(value, Var)
    for mine, theirs in zip(shape(b, target), shape(b, value), strict=True):
        same = b.op("eq", mine, theirs)
        message = (
            f"the rule of {rule.name!r} returns a {what} of another shape than {of}: "
            "lengths {} and {} of one axis"
        )
        remedy = f"return an array of the shape of {of}: sum over axes along which that is repeated"
        b.check(same, "ShapeError", message, theirs, mine, remedy=remedy)


__all__ = ["Rule", "copy_results", "is_rule", "routine", "rule_of"]
