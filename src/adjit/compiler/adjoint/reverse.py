"""Reverse mode: a core function to the core function that also returns gradients.

`joint` gives one function with both sweeps, `split` two functions with the saved values between them. See
DESIGN in `docs/architecture.md`: shadow memory, scalars as values, saves by minimum cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ...errors import NotDifferentiableError
from ..analyses.alias import roots, sharing
from ..analyses.telling import Telling, telling
from ..ir.builder import Builder, Names, const
from ..ir.nodes import Alloc, Block, For, Function, Mark, Operand, Stmt, Var, While
from ..ir.types import INT, Array, is_float
from ..ir.visitor import free_vars, with_blocks
from .account import Account, Note, notes
from .activity import Activity, activity
from .copying import add_array, fill, shape_of
from .forward import ForwardSweep
from .fused import FusedLoops
from .fusion import Fusion, early, find
from .left import outermost_only
from .marks import collected, nested
from .masked import masked
from .orderings import decided, plain
from .plan import Plan, make_plan
from .sweep import ReverseSweep


@dataclass
class Halves:
    """The two sweeps; `saved` are the arrays that the first fills for the second."""

    forward: Builder
    backward: Builder
    seeds: list[Var]
    gradients: list[Operand]
    buffers: list[Var]
    shadows: list[Var]
    saved: list[Var]
    marked: list[Operand]
    cotangents: frozenset[Operand]  # those that are known before the reverse sweep starts
    account: Account


Change = Callable[[Function, Halves], Halves]


def joint(
    fn: Function,
    wrt: Sequence[int],
    seed: float | None = 1.0,
    accumulate: bool = False,
    marks: Sequence[str] = (),
    seeded: Sequence[int] | None = None,
    shadows: Sequence[int] = (),
    change: Change | None = None,
) -> Function:
    """Results: those of `fn`, the gradients in the parameters `wrt`, those at the marked intermediates.

    `seed` is the constant cotangent of the (one, scalar) result; None makes the seeds of all float results
    further parameters. `seeded` chooses the results (by number) that have a cotangent at all. `accumulate`
    makes one further parameter per array in `wrt`: an array to which its gradient is added and which is
    returned in its place. `shadows` are array parameters in `wrt` whose shadow is a further parameter: it
    holds the cotangent of what the array is at the end, and afterwards of what it was at the start.
    `change` may make other sweeps of the two.
    """
    halves = _differentiate(fn, wrt, seed, accumulate, (), marks, seeded, shadows)
    halves = halves if change is None else change(fn, halves)
    return assembled(fn, halves)


def assembled(fn: Function, halves: Halves) -> Function:
    """Both sweeps as one function."""
    params = (*fn.params, *halves.seeds, *halves.buffers, *halves.shadows)
    body = Block((*halves.forward.stmts, *halves.backward.stmts))
    return replace(
        fn,
        name=f"{fn.name}_gradient",
        params=params,
        body=body,
        results=(*fn.results, *halves.gradients, *halves.marked),
    )


def split(
    fn: Function, wrt: Sequence[int], outputs: Sequence[int] = (), marks: Sequence[str] = ()
) -> tuple[Function, Function]:
    """(forward, backward): forward's results are those of `fn` and the saved values; backward's parameters
    are the saved values and one seed per float result and per parameter in `outputs`."""
    halves = _differentiate(fn, wrt, None, False, outputs, marks)
    backward = Block(tuple(halves.backward.stmts), (*halves.gradients, *halves.marked))
    own = {*halves.seeds}
    saved = tuple(v for v in free_vars(backward) if v not in own)
    forward = replace(
        fn, name=f"{fn.name}_forward", body=Block(tuple(halves.forward.stmts)), results=(*fn.results, *saved)
    )
    return forward, Function(
        f"{fn.name}_backward",
        (*saved, *halves.seeds),
        Block(backward.stmts),
        backward.yields,
        fn.loc,
        fn.notes,
        sharing(forward, saved),
    )


def kept(
    fn: Function,
    wrt: Sequence[int],
    seeded: Sequence[int] | None = None,
    outputs: Sequence[int] = (),
    apart: bool = False,
    change: Change | None = None,
) -> tuple[Function, tuple[Note, ...]]:
    """The forward sweep of `joint`, or of `split` if `apart`. Further results: what the reverse sweep reads
    of it, cotangents apart, with a note on each.
    """
    halves = _differentiate(fn, wrt, None if apart else 1.0, False, outputs, (), seeded)
    halves = halves if change is None else change(fn, halves)
    backward = Block(tuple(halves.backward.stmts), tuple(halves.gradients))
    known = halves.cotangents | set(halves.seeds)
    saved = tuple(v for v in free_vars(backward) if v not in known)
    made = replace(fn, body=Block(tuple(halves.forward.stmts)), results=(*fn.results, *saved))
    return made, notes(halves.account, saved)


def saving(fn: Function, wrt: Sequence[int], seeded: Sequence[int]) -> tuple[Function, frozenset[Stmt]]:
    """The function as `joint` differentiates it, with the same loops in the same order, and those of them
    inside which something is saved.
    """
    made, _, _, plan = planned(fn, wrt, 1.0, chosen=seeded)
    place = plan.place
    within = {place.block_of[v] for v in plan.saved}
    within.update(place.block_with[call] for call, _ in plan.kept)
    within.update(place.block_with[snapshot.loop] for snapshot in plan.snapshots.values())
    return made, frozenset(loop for block in within for loop in place.loops(block))


def with_trips(fn: Function) -> Function:
    """Every loop that may end early counts its passes."""
    names = Names.above(fn)

    def one(stmt: Stmt) -> Stmt:
        stmt = with_blocks(stmt, block)
        counted = isinstance(stmt, While) or (isinstance(stmt, For) and stmt.stop is not None)
        if counted and stmt.trips is None:  # type: ignore[attr-defined]
            return replace(stmt, trips=names.fresh("trips", INT))  # type: ignore[call-arg]
        return stmt

    def block(b: Block) -> Block:
        return Block(tuple(one(s) for s in b.stmts), b.yields)

    return replace(fn, body=block(fn.body))


def _differentiate(
    fn: Function,
    wrt: Sequence[int],
    seed: float | None,
    accumulate: bool,
    outputs: Sequence[int],
    marks: Sequence[str],
    chosen: Sequence[int] | None = None,
    shadows: Sequence[int] = (),
) -> Halves:
    """The sweeps of an adjoint; what is asked for is said in `joint`."""
    fn, seeded, active, plan = planned(fn, wrt, seed, outputs, chosen, shadows)
    names = Names.above(fn)
    forward, backward = Builder(names, fn.loc), Builder(names, fn.loc)
    sweep = ForwardSweep(forward, plan, active)
    given = {fn.params[k]: _shadow_parameter(forward, fn.params[k]) for k in shadows}
    sweep.trail.shadows.update(given)
    inner = collected(fn, plan.place, marks)
    sweep.collected = list(inner.values())
    tells = Telling() if seed is None or len(seeded) != 1 else telling(fn, seeded[0])
    counting = [*seeded, *(fn.params[k] for k in shadows)]
    reverse = ReverseSweep(backward, plan, active, sweep, tells, masked(fn, active, counting))
    reverse.collected = {m: one for one in inner.values() for m in one.marks}
    parameters = [fn.params[k] for k in wrt]
    seeds: list[Var] = []
    if plan.fusion.of:

        def start() -> None:
            _shadows(fn, reverse, active, given)
            _seeds(reverse, seeded, seed)

        sweep.reverse = FusedLoops(fn, reverse, start)
    sweep.run(fn.params)
    reverse.follow()
    buffers = _buffers(fn, reverse, parameters, accumulate)
    if not plan.fusion.of:
        _shadows(fn, reverse, active, given)
        seeds = _seeds(reverse, seeded, seed)
    account = Account(plan, active, sweep.trail)
    known = frozenset((*reverse.again.shadows.values(), *reverse.ct.sums.values()))
    reverse.block(fn.body)
    gradients = [_gradient(reverse, v, buffers) for v in parameters]
    marked = [_marked(reverse, fn, m) for m in marks]
    for b in (forward, backward):
        b.stmts[:] = plain(b.stmts)
    return Halves(
        forward,
        backward,
        seeds,
        gradients,
        list(buffers.values()),
        list(given.values()),
        list(dict.fromkeys(sweep.trail.buffers.values())),
        marked,
        known,
        account,
    )


def planned(
    fn: Function,
    wrt: Sequence[int],
    seed: float | None,
    outputs: Sequence[int] = (),
    chosen: Sequence[int] | None = None,
    shadows: Sequence[int] = (),
) -> tuple[Function, list[Operand], Activity, Plan]:
    """The function as it is differentiated, the results with a cotangent, what is active and saved."""
    fn = outermost_only(fn)
    fn = decided(with_trips(fn if seed is None else early(fn)))
    _refuse_integers(fn, wrt)
    results = fn.results if chosen is None else [fn.results[k] for k in chosen]
    seeded = [r for r in results if is_float(r.type)] + [fn.params[k] for k in outputs]
    useful = [*seeded, *(fn.params[k] for k in shadows)]
    active = activity(fn, roots(fn), [fn.params[k] for k in wrt], useful)
    plan = make_plan(fn, active, Fusion() if seed is None or nested(fn) else find(fn, active))
    return fn, seeded, active, plan


def _refuse_integers(fn: Function, wrt: Sequence[int]) -> None:
    for k in wrt:
        if not is_float(fn.params[k].type):
            raise NotDifferentiableError(
                f"`{fn.params[k].name}` is of type {fn.params[k].type}: only floats have a gradient",
                location=fn.loc,
            )


def _shadow_parameter(b: Builder, v: Var) -> Var:
    assert isinstance(v.type, Array)
    return b.fresh(f"ct_{v.name}", Array(v.type.dtype, v.type.ndim))


def _buffers(
    fn: Function, reverse: ReverseSweep, parameters: Sequence[Var], accumulate: bool
) -> dict[Var, Var]:
    if not accumulate:
        return {}
    return {
        v: reverse.b.fresh(f"grad_{v.name}", Array(v.type.dtype, v.type.ndim))
        for v in parameters
        if isinstance(v.type, Array)
    }


def _shadows(fn: Function, reverse: ReverseSweep, active: Activity, given: Collection[Var]) -> None:
    """Zeroed shadows for all active memory of the outermost block, but for parameters whose shadow is
    given.
    """
    again, b = reverse.again, reverse.b
    made = {s.out: s for s in fn.body.stmts if isinstance(s, Alloc)}
    for root in (*fn.params, *made):
        if root not in active.memory or root in given:
            continue
        if root in again.shadows:
            fill(b, again.shadows[root])
        elif root in made:
            reverse.make_shadow(made[root])
        else:
            again.shadows[root] = b.alloc(shape_of(b, root), root.type.dtype, f"ct_{root.name}", zeroed=True)


def _seeds(reverse: ReverseSweep, seeded: Sequence[Operand], seed: float | None) -> list[Var]:
    found: list[Var] = []
    for r in seeded:
        if seed is not None:
            assert not isinstance(r.type, Array), "a constant seed is for scalars"
            reverse.ct.add(r, const(seed, r.type.dtype))
            continue
        type_ = Array(r.type.dtype, r.type.ndim, "A") if isinstance(r.type, Array) else r.type
        v = reverse.b.fresh(f"seed_{r.name}" if isinstance(r, Var) else "seed", type_)
        found.append(v)
        if isinstance(r.type, Array):
            assert isinstance(r, Var)
            if r in reverse.active:
                add_array(reverse.b, v, reverse.again.shadow(r))
        else:
            reverse.ct.add(r, v)
    return found


def _marked(reverse: ReverseSweep, fn: Function, name: str) -> Operand:
    buffer = reverse.forward.trail.marks.get(name)
    if buffer is not None:
        assert isinstance(buffer.type, Array)
        return buffer if buffer.type.ndim else reverse.b.load(buffer, ())
    return reverse.marked[name] if name in reverse.marked else _without_influence(fn, reverse.b, name)


def _without_influence(fn: Function, b: Builder, name: str) -> Operand:
    """The gradient at an intermediate on which no seeded result depends."""
    value = next(s.value for s in fn.body.stmts if isinstance(s, Mark) and s.name == name)
    if not isinstance(value.type, Array):
        return const(0, value.type.dtype)
    assert isinstance(value, Var)
    return b.alloc(shape_of(b, value), value.type.dtype, f"ct_{name}", zeroed=True)


def _gradient(reverse: ReverseSweep, v: Var, buffers: dict[Var, Var]) -> Operand:
    if not isinstance(v.type, Array):
        return reverse.ct.get(v)
    b = reverse.b
    shadow = reverse.again.shadow(v) if v in reverse.active else None
    if v in buffers:
        if shadow is not None:
            add_array(b, shadow, buffers[v])
        return buffers[v]
    if shadow is None:
        return b.alloc(shape_of(b, v), v.type.dtype, f"ct_{v.name}", zeroed=True)
    return shadow
