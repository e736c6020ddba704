"""The module that holds a divided function: its parts, for each part a driver that runs it in several
threads, and the function itself.

    def f_part_1(thread, first, end, x, ct_w, partial_s):     one thread's passes
    def f_each_1(threads, together, lo, passes, …):           for thread in numba.prange(threads): f_part_1(…)
    def f(x, ws):                                             f_each_1(…), then the sums of the threads

Input: a plan and the options it is compiled with. Output: `Text`. Numba divides nothing but the drivers' one
loop, and does nothing else to a program that is to run in parallel. A check that fails in a part is noted,
and raised by the function, since Numba forgets errors of threads. Non-goals: choosing what is divided.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

from ...options import Options
from ..analyses.effects import writes
from ..ir.nodes import NOWHERE, Var
from ..ir.visitor import walk
from ..threads.divide import FAILED, Part, Plan
from .expressions import call, literal, name
from .linemap import Site, Text
from .python import Piece, assembled, decorator, header, name_of, reserved
from .statements import WORKSPACE, Line, Statements
from .workspace import reusable

OFF = ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion")
PRANGE_ONLY = ", ".join(['"prange": True', *(f'"{kind}": False' for kind in OFF)])


class PartStatements(Statements):
    """Prints a part: a failed check is noted, and the thread ends."""

    def __init__(self, part: Part, taken: Sequence[str], precise: bool, sites: list[Site]) -> None:
        super().__init__(part.fn, taken, precise=precise)
        self.part = part
        self.sites = sites

    def failing(self, value: ast.expr) -> None:
        assert isinstance(value, ast.Call) and self.part.status is not None
        status, thread = (self.names[v] for v in (self.part.status, self.part.fn.params[0]))
        site, *rest = value.args
        assert isinstance(site, ast.Constant)
        of_index = literal(1 if rest else 0)
        at = rest if rest else [literal(0), literal(0)]
        noted = call("note", name(status), name(thread), literal(site.value + FAILED), of_index, *at)
        self.depth += 1
        self.put(ast.Expr(noted))
        self.put(ast.Return(None))
        self.depth -= 1


def threaded_text(
    plan: Plan,
    options: Options,
    routines: tuple[str, ...] = (),
    title: str = "",
    lent: Collection[int] = (),
) -> Text:
    """The text of the module; `routines` and `lent` as in `python.module_text`."""
    drivers = [n for p in plan.parts for n in (p.driver, p.fn.name)]
    taken = (*reserved(routines), *drivers)
    own = name_of(plan.host, taken)
    sites: list[Site] = []
    pieces: list[Piece] = []
    for part in plan.parts:
        printed = PartStatements(part, (own, *taken), options.precise, sites)
        printed.run()
        params = tuple(printed.names[v] for v in part.fn.params)
        pieces.append(Piece(decorator(options), part.fn.name, params, tuple(printed.lines)))
        pieces.append(driver(part, options))
    kept = reusable(plan.host, lent)
    body = Statements(plan.host, (own, *taken), kept, options.precise, always=True)
    body.sites = sites
    threads, together = (body.names[v] for v in (plan.threads, plan.together))
    body.put(ast.parse(f"{threads}, {together} = {WORKSPACE}[1], {WORKSPACE}[2]").body[0])
    body.run()
    visible = replace(plan.host, params=plan.host.params[:-2])
    params = (*(body.names[v] for v in visible.params), WORKSPACE)
    pieces.append(Piece(decorator(options), own, params, tuple(body.lines)))
    head = [*header(visible, body, title or own)[:-1], *(_described(p) for p in plan.parts), '"""']
    made = assembled(head, pieces, routines, options.precise)
    return replace(made, sites=tuple(sites), workspace=True, parallel=True)


def driver(part: Part, options: Options) -> Piece:
    """Runs a part once per thread: each its share of the passes, in order."""
    names = _named(part)
    once = f"{part.fn.name}(%s)"
    first = ["thread", *(f"share(lo, passes, {k}, threads, {part.step})" for k in ("thread", "thread + 1"))]
    mine = [f"own({names[v]}, {names[c]}, thread)" for v, c in zip(part.private, part.copies, strict=True)]
    own = dict(zip(part.private, mine, strict=True))
    last = [names[v] for v in (*part.partial, *([part.status] if part.status is not None else []))]
    args = [*first, *(own.get(v, names[v]) for v in part.arguments), *last]
    whole = ["0", "lo", f"lo + passes * {part.step}", *(names[v] for v in part.arguments), *last]
    text = [
        (1, "if threads == 1:"),
        (2, once % ", ".join(whole)),
        (1, "elif together == 0:"),
        (2, "for thread in range(threads):"),
        (3, once % ", ".join(args)),
        (1, "else:"),
        (2, "for thread in numba.prange(threads):"),
        (3, once % ", ".join(args)),
    ]
    lines: list[Line] = [(depth, line, NOWHERE, ()) for depth, line in text]
    params = ("threads", "together", "lo", "passes", *(names[v] for v in names))
    at = decorator(options)
    return Piece(f"{at[:-1]}, parallel={{{PRANGE_ONLY}}})", part.driver, params, tuple(lines))


def _named(part: Part) -> dict[Var, str]:
    """Names for the parameters of a driver."""
    found: dict[Var, str] = {}
    status = () if part.status is None else (part.status,)
    for v in (*part.arguments, *part.copies, *part.partial, *status):
        base = "".join(c if c.isalnum() else "_" for c in v.name)
        base = f"v{base}" if not base[:1].isalpha() else base
        made, k = base, 0
        while made in found.values() or made in ("threads", "together", "lo", "passes", "thread"):
            k += 1
            made = f"{base}_{k}"
        found[v] = made
    return found


def _described(part: Part) -> str:
    """One line of the module's header: what the threads of a part share, and how."""
    written = {a for s in walk(part.fn.body) for a in writes(s)}
    params = dict(zip(part.fn.params[3:], part.arguments, strict=False))
    direct = [v.name for p, v in params.items() if p in written and v not in part.private]
    shown = [f"line {part.loop.loc.line}"]
    if direct:
        shown.append(f"each thread writes its own elements of {', '.join(direct)}")
    if part.private:
        shown.append(f"has a copy of {', '.join(v.name for v in part.private)}")
    if part.partial:
        shown.append(f"a partial sum of {', '.join(v.name.removeprefix('partial_') for v in part.partial)}")
    return f"{part.driver}: {'; '.join(shown)}"


__all__ = ["threaded_text"]
