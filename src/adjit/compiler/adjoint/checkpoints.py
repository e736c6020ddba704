"""Parts of a program that the reverse sweep runs again instead of reading what they saved.

The statements of such a part stand inlined before a call that copies their results `ys` to `outs`; no
derivative flows into them, so nothing of them is saved. It flows through the call: its vjp runs the part
again, with both sweeps, from the inputs. Arguments of a call, in order: `outs`, `ys`, `flows` (the float
inputs; numbers in 0-d arrays), further arrays, numbers. Its attribute is a `Region`. Among the further
arguments may be what the statements left on their way for the reverse; that is a value like any other, and
derivatives of the reverse go through it. Input and output: core IR. Invariants: the part writes none of its
inputs but what was left; generated text has no such call (`expanded`). Non-goals: choosing the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.builder import Builder, Names
from ..ir.nodes import Block, Call, Function, Operand, Stmt, Var
from ..ir.types import Array, is_float
from ..ir.visitor import with_blocks
from ..library import ROUTINES
from ..library.core import Arrays, Routine, Shadows
from ..passes import simplify
from ..passes.clone import clone, mapped
from .copying import add_array, copy_array, fill, shape_of
from .left import Leaving
from .reverse import joint
from .tangent import tangent

Order = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(eq=False)
class Region(Leaving):
    """A part: its function. `pulled` and `pushed` keep what has been derived of it. Its last parameters may
    be what it left on its way: its reverse reads and writes that, the function does not.
    """

    fn: Function
    pulled: dict[tuple[int, ...], Function] = field(default_factory=dict)
    pushed: dict[tuple[int, ...], Function] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _routine(self)

    def __reduce__(self) -> Any:
        return Region, (self.fn,)

    @property
    def left(self) -> int:
        """How many of the last parameters are what was left."""
        return 0

    def left_in(self, call: Call) -> frozenset[int]:
        own, first = len(self.fn.params) - self.left, 2 * len(self.fn.results)
        given = (k for kind in self.order for k in kind)
        return frozenset(at for at, k in enumerate(given, first) if k >= own)

    def __repr__(self) -> str:
        return f"region {self.fn.name}"

    @property
    def name(self) -> str:
        flows, arrays, _ = self.order
        return f"checkpoint_{len(self.fn.results)}_{len(flows)}_{len(arrays)}"

    @property
    def order(self) -> Order:
        """Positions of the parameters: float ones, other arrays, other numbers. What was left counts among
        the others.
        """
        params = self.fn.params
        flows = tuple(k for k, p in enumerate(params[: len(params) - self.left]) if is_float(p.type))
        arrays = tuple(k for k, p in enumerate(params) if k not in flows and isinstance(p.type, Array))
        return flows, arrays, tuple(k for k in range(len(params)) if k not in (*flows, *arrays))

    def pull(self, wrt: tuple[int, ...]) -> Function:
        """From the parameters and the cotangents of all float results to the gradients in `wrt`."""
        if wrt not in self.pulled:
            self.pulled[wrt] = simplify(self.reversed(wrt))
        return self.pulled[wrt]

    def push(self, wrt: tuple[int, ...]) -> Function:
        if wrt not in self.pushed:
            self.pushed[wrt] = simplify(tangent(self.fn, wrt))
        return self.pushed[wrt]

    def adding(self, _wrt: tuple[int, ...]) -> tuple[int, ...]:
        """The arrays to whose cotangents the function of `pull` adds what it finds: further parameters."""
        return ()

    def reversed(self, wrt: tuple[int, ...]) -> Function:
        made = joint(self.fn, wrt, seed=None, shadows=self.adding(wrt))
        return replace(made, results=made.results[len(self.fn.results) :])


def _routine(region: Region) -> None:
    """The routine for calls of this form."""
    n = len(region.fn.results)
    flows, arrays, _ = region.order
    first, last = 2 * n, 2 * n + len(flows)
    read = tuple(range(first, last + len(arrays)))

    def needs(_call: Call, active: set[int]) -> set[int]:
        return set(read) if active else set()

    if region.name not in ROUTINES:
        ROUTINES[region.name] = Routine(
            region.name,
            reads=(*range(n, first), *read),
            writes=tuple(range(n)),
            vjp=_pull,
            jvp=_push,
            needs=needs,
            flows=tuple(range(first, last)),
        )


def _region(call: Stmt) -> Region | None:
    found = call.attrs[0] if isinstance(call, Call) and call.attrs else None
    return found if isinstance(found, Region) else None


# -- the call
def emit(
    b: Builder,
    region: Region,
    arguments: Sequence[Operand],
    ys: Sequence[Operand],
    targets: Mapping[int, Var] | None = None,
) -> list[Operand]:
    """The call behind the part's statements; what stands for its results from then on: arrays of their own,
    or the `targets` (by number).
    """
    flows, arrays, numbers = region.order
    given = targets or {}
    outs = [given[k] if k in given else _box(b, y, empty=True) for k, y in enumerate(ys)]
    boxed = [_box(b, y) for y in ys]
    inputs = [_box(b, arguments[k]) for k in flows]
    rest = [arguments[k] for k in (*arrays, *numbers)]
    b.call(region.name, *outs, *boxed, *inputs, *rest, attrs=(region,))
    return [o if isinstance(y.type, Array) else b.load(o, ()) for o, y in zip(outs, ys, strict=True)]


def _box(b: Builder, x: Operand, empty: bool = False) -> Var:
    """A number in a 0-d array; an array itself, or a fresh one of its shape where it is to be `empty`."""
    hint = x.name if isinstance(x, Var) else "value"
    if isinstance(x.type, Array):
        assert isinstance(x, Var)
        return b.alloc(shape_of(b, x), x.type.dtype, hint) if empty else x
    made = b.alloc((), x.type.dtype, hint)
    if not empty:
        b.store(made, (), x)
    return made


def _inputs(b: Builder, call: Call, region: Region, primal: Arrays) -> list[Operand]:
    """The parameters of the part's function, from the arguments of the call."""
    flows, arrays, numbers = region.order
    first = 2 * len(region.fn.results)
    found: dict[int, Operand] = {}
    for at, k in enumerate((*flows, *arrays)):
        array = primal[first + at]
        found[k] = array if isinstance(region.fn.params[k].type, Array) else b.load(array, ())
    for at, k in enumerate(numbers):
        found[k] = call.args[first + len(flows) + len(arrays) + at]
    return [found[k] for k in range(len(found))]


def inlined(b: Builder, fn: Function, arguments: Sequence[Operand]) -> list[Operand]:
    """Emit a copy of a function's body, its lines kept; its results."""
    mapping: dict[Var, Operand] = dict(zip(fn.params, arguments, strict=True))
    for s in clone(fn.body.stmts, mapping, b.names):
        b.emit(s)
    return [mapped(r, mapping) for r in fn.results]


# -- derivatives
def _pull(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    """The part once more, forward and backward, from the cotangents of its results."""
    region = _region(call)
    assert region is not None
    n, flows = len(region.fn.results), region.order[0]
    ct_flows = [ct[2 * n + at] for at in range(len(flows))]
    wrt = tuple(k for k, s in zip(flows, ct_flows, strict=True) if s is not None)
    made = region.pull(wrt)
    seeds: list[Operand] = []
    for k, r in enumerate(region.fn.results):
        if not is_float(r.type):
            continue
        shadow = ct[k]
        if shadow is None:
            out = call.args[k]
            assert isinstance(out, Var)
            shadow = b.alloc(shape_of(b, out), r.type.dtype, f"ct_{out.name}", zeroed=True)
        seeds.append(shadow if isinstance(r.type, Array) else b.load(shadow, ()))
    shadows = dict(zip(wrt, (s for s in ct_flows if s is not None), strict=True))
    adding = region.adding(wrt)
    handed = [shadows[k] for k in adding]
    found = inlined(b, made, [*_inputs(b, call, region, primal), *seeds, *handed])
    for k in range(n):
        if (shadow := ct[k]) is not None:
            fill(b, shadow)
    for (k, shadow), g in zip(shadows.items(), found, strict=True):
        if k in adding:
            continue
        if isinstance(g.type, Array):
            assert isinstance(g, Var)
            add_array(b, g, shadow)
        else:
            b.accumulate(shadow, (), g)


def _push(b: Builder, call: Call, tangents: Shadows, primal: Arrays) -> None:
    region = _region(call)
    assert region is not None
    n, flows = len(region.fn.results), region.order[0]
    active = [at for at in range(len(flows)) if tangents[2 * n + at] is not None]
    made = region.push(tuple(flows[at] for at in active))
    directions: list[Operand] = []
    for at in active:
        t = tangents[2 * n + at]
        assert t is not None
        directions.append(t if isinstance(region.fn.params[flows[at]].type, Array) else b.load(t, ()))
    found = iter(inlined(b, made, [*_inputs(b, call, region, primal), *directions])[n:])
    for k, r in enumerate(region.fn.results):
        new = next(found) if is_float(r.type) else None
        target = tangents[k]
        if target is None or new is None:
            continue
        if isinstance(new.type, Array):
            assert isinstance(new, Var)
            copy_array(b, new, target)
        else:
            b.store(target, (), new)


# -- before text
def expanded(fn: Function) -> Function:
    """The calls as what they do where nothing is differentiated any more: copies."""
    names = Names.above(fn)

    def block(inner: Block) -> Block:
        stmts: list[Stmt] = []
        for s in inner.stmts:
            region = _region(s)
            if region is None:
                stmts.append(with_blocks(s, block))
                continue
            b = Builder(names, s.loc)
            assert isinstance(s, Call)
            n = len(region.fn.results)
            for out, y in zip(s.args[:n], s.args[n : 2 * n], strict=True):
                assert isinstance(out, Var) and isinstance(y, Var)
                copy_array(b, y, out)
            stmts += b.stmts
        same = len(stmts) == len(inner.stmts) and all(a is b for a, b in zip(stmts, inner.stmts, strict=True))
        return inner if same else Block(tuple(stmts), inner.yields)

    body = block(fn.body)
    return fn if body is fn.body else replace(fn, body=body)
