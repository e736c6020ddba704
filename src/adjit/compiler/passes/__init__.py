"""Passes: core IR to core IR. The lists below say which run, and in what order.

`simplify` prepares a function for differentiation: what it shares and hoists changes what the reverse
sweep has to save; `in_strips` follows it for what a user wrote. `finish` prepares any function for code
generation.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.nodes import Function, Mark
from ..ir.visitor import walk
from .absorb import absorb
from .ahead import ahead
from .batch import batch
from .checks import checks, wraps
from .clears import clears
from .closed_forms import closed_forms
from .contract import contract
from .copies import copies
from .cse import cse
from .dce import dce
from .dead_stores import dead_stores
from .distribute import distribute
from .expand_rules import expand_rules
from .first_stores import first_stores
from .forward_stores import forward_stores
from .fuse import fuse
from .gather import gather
from .history import history
from .hoist import hoist
from .mirror import mirror
from .promote import promote
from .relay import relay
from .reorder import reorder
from .required import promised, required
from .reread import reread
from .reuse import reuse
from .shift import shift
from .simplify import simplify_ops
from .spell_out import scaled, unscaled
from .stages import stages
from .unguard import unguard
from .unroll import unroll
from .widest import widest
from .zeroed import zeroed

Pass = Callable[[Function], Function]


def hoist_all(fn: Function) -> Function:
    """Hoist loads under a condition, and allocations: for the last time that a function is seen."""
    return hoist(fn, guarded=True, allocations=True)


def hoist_guarded(fn: Function) -> Function:
    """Hoist loads under a condition, but no allocations."""
    return hoist(fn, guarded=True)


def promote_all(fn: Function) -> Function:
    """Promote elements under a condition too."""
    return promote(fn, guarded=True)


def shifted(fn: Function) -> Function:
    """Shift, with the bounds of the new loops as far outside as they can go."""
    made = shift(fn)
    return made if made is fn else cse(hoist_all(simplify_ops(made)))


def gathered(fn: Function) -> Function:
    """Gather, with the bounds of the new nests outside the loops around them."""
    made = gather(fn)
    return made if made is fn else cse(hoist_all(made))


ENTRY: tuple[Pass, ...] = (simplify_ops, cse, required)

BEFORE: tuple[Pass, ...] = (
    simplify_ops,
    cse,
    closed_forms,
    unroll,
    simplify_ops,  # closed forms leave trip counts and products of constants, unrolling constant indices
    wraps,
    checks,
    hoist,
    fuse,
    forward_stores,
    promote,
    forward_stores,  # what is promoted inside may be known outside
    cse,  # what was hoisted or forwarded meets its equals
    simplify_ops,
    copies,
    dead_stores,
    dce,
)

STRIPS: tuple[Pass, ...] = (batch, cse, simplify_ops, dce)

AFTER: tuple[Pass, ...] = (
    simplify_ops,
    cse,
    forward_stores,
    wraps,
    checks,
    simplify_ops,
    dead_stores,
    dce,
    reorder,
    hoist_all,
    cse,  # conditions of hoisted loads
    simplify_ops,
    reread,
    fuse,  # what was zeroed with what adds to it
    forward_stores,
    dead_stores,
    dce,
    contract,
    promote_all,
    first_stores,
    zeroed,
    mirror,
    zeroed,  # what is added to in order
    absorb,
    relay,
    shifted,
    gathered,
    clears,
    distribute,  # last, so that nothing fuses its parts again
    widest,
    hoist_all,  # scratch rows
    cse,
    simplify_ops,
    dce,
    reuse,
)

CLEAN: tuple[Pass, ...] = (hoist_all, cse, simplify_ops, dce)


FREE: tuple[Pass, ...] = (  # nothing that ties one pass of a loop to the next
    *AFTER[: AFTER.index(hoist_all)],
    hoist_guarded,  # an array that each pass makes stays in the pass
    *(p for p in AFTER[AFTER.index(hoist_all) + 1 : AFTER.index(relay)]),
    cse,
    simplify_ops,
    dce,
)

AFTER_FOR_KERNELS: tuple[Pass, ...] = tuple(p for p in FREE if p is not contract)

AFTER_FOR_THREADS: tuple[Pass, ...] = (
    *FREE[: FREE.index(first_stores) + 1],
    gather,
    *FREE[FREE.index(first_stores) + 1 :],
)

DIVIDED: tuple[Pass, ...] = (
    hoist_all,
    cse,
    simplify_ops,
    forward_stores,
    dead_stores,
    dce,
    promote_all,
    *AFTER[AFTER.index(relay) :],
)


def entry(fn: Function) -> Function:
    """What a captured function requires of its arguments, first."""
    return _run(fn, ENTRY)


def simplify(fn: Function) -> Function:
    """The passes before differentiation."""
    return _run(fn, BEFORE)


def in_strips(fn: Function) -> Function:
    """Loops over samples in strips: once, for a captured function."""
    marked = any(isinstance(s, Mark) for s in walk(fn.body))  # a mark in a loop has one entry per pass
    return fn if marked else _run(fn, STRIPS)


def finish(fn: Function) -> Function:
    """The passes after differentiation, or before code generation of a function that is not
    differentiated.
    """
    return _run(fn, AFTER)


def finish_for_kernels(fn: Function) -> Function:
    """The same where kernels are made of the function: nothing that ties one pass of a loop to the next."""
    return _run(fn, AFTER_FOR_KERNELS)


def finish_for_threads(fn: Function) -> Function:
    """The same where loops are divided among threads: gathered sums need no copies of arrays."""
    return _run(fn, AFTER_FOR_THREADS)


def finish_divided(fn: Function) -> Function:
    """What is left to do to the parts of a divided function."""
    return _run(fn, DIVIDED)


def staged(fn: Function) -> Function:
    """Calls of elementary functions apart from what is carried, for a function that is compiled with them
    in vectors.
    """
    return _run(fn, (stages, *CLEAN))


def staged_but_sums(fn: Function) -> Function:
    """The same where sums may be reassociated, those of recurrences too."""
    return _run(fn, (ahead, stages_but_sums, *CLEAN))


def stages_but_sums(fn: Function) -> Function:
    return stages(fn, sums=True)


def _run(fn: Function, passes: tuple[Pass, ...]) -> Function:
    idle: set[Pass] = set()  # what has changed nothing since the last change
    for p in passes:
        if p not in idle:
            made = p(fn)
            idle = {*idle, p} if made is fn else set()
            fn = made
    return fn


__all__ = [
    "entry",
    "expand_rules",
    "finish",
    "finish_divided",
    "finish_for_kernels",
    "finish_for_threads",
    "history",
    "in_strips",
    "promised",
    "scaled",
    "simplify",
    "staged",
    "staged_but_sums",
    "unguard",
    "unscaled",
]
