"""Passes: what they do to small functions, what they leave alone, and that they keep the meaning of random
ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adjit.compiler.ir.compare import canonical
from adjit.compiler.ir.nodes import Function
from adjit.compiler.ir.printer import text
from adjit.compiler.ir.verify import verify
from adjit.compiler.passes import finish, hoist_all, simplify
from adjit.compiler.passes.checks import checks, wraps
from adjit.compiler.passes.closed_forms import closed_forms
from adjit.compiler.passes.cse import cse
from adjit.compiler.passes.dce import dce
from adjit.compiler.passes.dead_stores import dead_stores
from adjit.compiler.passes.distribute import distribute
from adjit.compiler.passes.forward_stores import forward_stores
from adjit.compiler.passes.fuse import fuse
from adjit.compiler.passes.hoist import hoist
from adjit.compiler.passes.promote import promote
from adjit.compiler.passes.reorder import reorder
from adjit.compiler.passes.simplify import simplify_ops
from adjit.compiler.passes.unroll import unroll
from tests.support.little import read

from .meaning import check_meaning

PASSES = {
    p.__name__: p
    for p in (
        simplify_ops,
        cse,
        dead_stores,
        distribute,
        fuse,
        promote,
        unroll,
        closed_forms,
        forward_stores,
        dce,
        wraps,
        checks,
        hoist,
        hoist_all,
        reorder,
        simplify,
        finish,
    )
}


def pairs() -> list[tuple[str, str, str]]:
    """Blocks of `pairs.txt`: a name (the pass, a colon, a remark), the function before and after."""
    found = []
    for chunk in (Path(__file__).parent / "pairs.txt").read_text().split("### ")[1:]:
        title, _, rest = chunk.partition("\n")
        before, _, after = rest.partition("=>\n")
        found.append((title.strip(), before, after or before))
    return found


@pytest.mark.parametrize(("title", "before", "after"), pairs(), ids=[p[0] for p in pairs()])
def test_pair(title: str, before: str, after: str) -> None:
    p: Callable[[Function], Function] = PASSES[title.partition(":")[0]]
    made = p(read(before))
    verify(made)
    wanted = dce(read(after)) if p is not dce else read(after)
    made = dce(made) if p is not dce else made
    assert canonical(made) == canonical(wanted), f"\n{text(made)}\nis not\n{text(wanted)}"


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("seed", range(40))
def test_meaning(name: str, seed: int) -> None:
    check_meaning(PASSES[name], seed, rounding=1e-9)
