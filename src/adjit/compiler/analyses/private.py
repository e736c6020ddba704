"""Arrays that each pass of a loop fills before it reads them: scratch memory that the passes could have each
for itself.

Input: the dependence facts of a function, a loop and an allocation. Output: `is_private`. It holds if the
array has no other name, is used nowhere else, and each element that a pass reads was stored by an earlier
statement of the same pass: at the same place, or by a loop that has stored a whole interval around it.
`is_clean` says the same of an array of zeros, as the shadow of scratch memory is: what a pass adds to it it
sets to zero again. Non-goals: loops with branches (their callers have none).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.nodes import Accumulate, Alloc, Dim, For, Load, Store, Var
from ..ir.visitor import is_zero_store, operands
from .affine import Affine
from .dependence import Dependence


def is_private(facts: Dependence, loop: For, array: Var) -> bool:
    """Whether no pass of `loop` sees what another, or anything outside, left in `array`."""
    uses = _uses(facts, loop, array)
    if uses is None:
        return False
    stores: list[Store] = []
    for s in uses:
        if isinstance(s, Store):
            stores.append(s)
        elif not any(_covers(facts, t, s) for t in stores):
            return False
    return True


def is_clean(facts: Dependence, loop: For, array: Var) -> bool:
    """Whether each pass of `loop` leaves zeros in all of `array` if it finds zeros there, and nothing
    outside uses it.
    """
    uses = _uses(facts, loop, array)
    if uses is None:
        return False
    zeros: list[Store] = []
    for s in reversed(uses):
        if is_zero_store(s):
            zeros.append(s)
        elif not isinstance(s, Load) and not any(_clears(facts, loop, t, s) for t in zeros):
            return False
    return True


def _uses(facts: Dependence, loop: For, array: Var) -> list[Load | Store | Accumulate] | None:
    """The accesses to an array that has no other name, in order; None if it has, or is used outside the
    loop.
    """
    if not isinstance(facts.definitions.maker.get(array), Alloc) or array in facts.fn.results:
        return None
    if not facts.has_one_name(array):
        return None
    used: list[Load | Store | Accumulate] = []
    for s in facts.definitions.stmts:
        if isinstance(s, Alloc | Dim) or array not in operands(s):
            continue
        if not isinstance(s, Load | Store | Accumulate) or not facts.definitions.inside(s, loop):
            return None
        used.append(s)
    return used


def _clears(facts: Dependence, loop: For, zero: Store, write: Store | Accumulate) -> bool:
    """Whether a store after `write` in the text clears its element: in the same passes of their common
    loops, or in a later pass of one within `loop`.
    """
    common = facts.definitions.common(zero, write)
    inner = common[common.index(loop) + 1 :]
    later = [other for other in inner if isinstance(other, For) and other.stop is None]
    return _covers(facts, zero, write) or any(_covers(facts, zero, write, other) for other in later)


def _covers(
    facts: Dependence, store: Store, reader: Load | Store | Accumulate, later: For | None = None
) -> bool:
    """Whether the store, which comes before `reader` in the text or after it, stores to the element that
    `reader` touches; with `later`, in later passes of that loop.
    """
    place = facts.definitions.place
    common = facts.definitions.common(store, reader)
    if later is not None:
        common = common[: common.index(later)]
    own = place[store].loops[len(common) :]
    left = {loop for loop in own if isinstance(loop, For) and abs(loop.step) == 1}
    if len(left) < len(own):
        return False
    for written, read in zip(store.index, reader.index, strict=True):
        form, wanted = facts.forms.of(written), facts.forms.of(read)
        along = [loop for loop in left if facts.forms.iteration.get(loop) in form.terms]
        if not along:
            if any(s.depth > len(common) for s in form.terms) or not form.same(wanted):
                return False
            continue
        if len(along) > 1 or not _spans(facts, form, along[0], len(common), wanted, reader, later):
            return False
        left.discard(along[0])
    return not left


def _spans(
    facts: Dependence,
    form: Affine,
    loop: For,
    depth: int,
    wanted: Affine,
    reader: Load | Store | Accumulate,
    later: For | None,
) -> bool:
    """Whether `form`, over all passes of `loop`, or those after the reader's if it is `later`, takes the
    value `wanted`.
    """
    iteration = facts.forms.iteration[loop]
    along = form.terms[iteration]
    lo, hi = facts.forms.of(loop.lo), facts.forms.of(loop.hi)
    if loop is later:
        lo, depth = facts.forms.of(loop.iv).shifted(loop.step), depth + 1
    ends: Sequence[Affine] = (lo, hi.shifted(-loop.step))
    if abs(along) != 1:
        return False
    first, last = (form.plus(Affine({iteration: 1}), -along).plus(end, along) for end in ends)
    if along * loop.step < 0:
        first, last = last, first
    if any(s.depth > depth for f in (first, last) for s in f.terms):
        return False
    place = facts.definitions.place[reader]
    return all(facts.ranges.proves_in(place.loops, place.guard, f) for f in (wanted - first, last - wanted))
