"""The module that holds a divided function: its parts, and the function itself.

    def f_part_1(thread, threads, lo, passes, x, ct_w, copies_ct_w, partial_s):    one thread's passes
    def f(x, ws):             in_threads(f_part_1, threads, workers, (…)), then the sums of the threads

Input: a plan and the options it is compiled with. Output: `Text`. A part finds out which passes are its
own, and which copies of arrays. A check that fails in a part is noted, and raised by the function, since
errors of threads are lost. Non-goals: choosing what is divided.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace

from ...options import Options
from ..analyses.effects import writes
from ..ir.nodes import Call
from ..ir.visitor import walk
from ..threads.divide import FAILED, IN_THREADS, Part, Plan
from .expressions import call, literal, name
from .linemap import Site, Text
from .naming import identifier
from .python import assembled, decorator, header, name_of, reserved
from .statements import WORKSPACE, Piece, Statements
from .workspace import reusable

USED = ("thread", "threads", "lo", "passes")  # names in a part
SEAM = "seam"  # the parameter that says whether it is the turn of the last passes


class PartStatements(Statements):
    """Prints a part: a failed check is noted, and the thread ends."""

    def __init__(self, part: Part, taken: Sequence[str], precise: bool, sites: list[Site]) -> None:
        self.shared = _distinct([v.name for v in part.private], (*taken, *USED, SEAM))
        self.copies = _distinct([v.name for v in part.copies], (*taken, *USED, SEAM, *self.shared))
        super().__init__(part.fn, (*taken, *USED, SEAM, *self.shared, *self.copies), precise=precise)
        self.part = part
        self.sites = sites
        self.thread = "thread"
        self.names[part.fn.params[0]] = self.thread

    def params(self) -> tuple[str, ...]:
        """The parameters in the text."""
        count = len(self.part.arguments)
        given = [self.names[v] for v in self.part.fn.params[3 : 3 + count]]
        for v, name_ in zip(self.part.private, self.shared, strict=True):
            given[self.part.arguments.index(v)] = name_
        rest = [self.names[v] for v in self.part.fn.params[3 + count :]]
        seam = (SEAM,) if self.part.seam else ()
        return (*USED, *seam, *given, *self.copies, *rest)

    def run(self) -> None:
        """First what is this thread's own."""
        first, end = (self.names[v] for v in self.part.fn.params[1:3])
        for at, k in ((first, "thread"), (end, "thread + 1")):
            self.text(f"{at} = share(lo, passes, {k}, threads, {self.part.step})")
        if self.part.seam:
            before = f"{end} - {self.part.seam * self.part.step}"
            self.text("if threads > 1:")
            self.text(f"    {first}, {end} = ({before}, {end}) if {SEAM} else ({first}, {before})")
        for v, shared, copies in zip(self.part.private, self.shared, self.copies, strict=True):
            mine = self.names[self.part.fn.params[3 + self.part.arguments.index(v)]]
            self.text(f"{mine} = own({shared}, {copies}, thread)")
        super().run()

    def failing(self, value: ast.expr) -> None:
        assert isinstance(value, ast.Call) and self.part.status is not None
        status = self.names[self.part.status]
        site, *rest = value.args
        assert isinstance(site, ast.Constant) and isinstance(site.value, int)
        shown = literal(1 if len(rest) == 2 else 0)
        at = rest if len(rest) == 2 else [literal(0), literal(0)]
        noted = call("note", name(status), name(self.thread), literal(site.value + FAILED), shown, *at)
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
    taken = (*reserved(routines), *(p.fn.name for p in plan.parts))
    own = name_of(plan.host, taken)
    sites: list[Site] = []
    pieces: list[Piece] = []
    for part in plan.parts:
        printed = PartStatements(part, (own, *taken), options.precise, sites)
        printed.run()
        pieces.append(Piece(decorator(options), part.fn.name, printed.params(), tuple(printed.lines)))
    kept = reusable(plan.host, lent)
    body = HostStatements(plan.host, (own, *taken), kept, options.precise, always=True)
    body.sites = sites
    threads, workers = (body.names[v] for v in (plan.threads, plan.workers))
    body.text(f"{threads}, {workers} = {WORKSPACE}[1], {WORKSPACE}[2]")
    body.run()
    visible = replace(plan.host, params=plan.host.params[:-2])
    params = (*(body.names[v] for v in visible.params), WORKSPACE)
    pieces.append(Piece(decorator(options), own, params, tuple(body.lines)))
    numbers = f"{WORKSPACE}[1], {WORKSPACE}[2]: the number of threads, and how many may run at a time"
    head = [*header(visible, body, title or own)[:-1], numbers, *map(_described, plan.parts), '"""']
    made = assembled(head, pieces, routines, options.precise)
    return replace(made, sites=tuple(sites), workspace=True, parallel=True)


class HostStatements(Statements):
    """Prints the function that calls the parts."""

    def routine(self, stmt: Call) -> None:
        if stmt.name != IN_THREADS:
            super().routine(stmt)
            return
        threads, workers, *given = (self.of(a) for a in stmt.args)
        part = name(str(stmt.attrs[0]))
        self.put(ast.Expr(call(IN_THREADS, part, threads, workers, ast.Tuple(given, ast.Load()))))


def _distinct(hints: Sequence[str], taken: Collection[str]) -> list[str]:
    """Identifiers that are none of `taken`."""
    found: list[str] = []
    for hint in hints:
        base = identifier(hint)
        made, k = base, 0
        while made in taken or made in found:
            k += 1
            made = f"{base}_{k}"
        found.append(made)
    return found


def _described(part: Part) -> str:
    """One line of the module's header: what the threads of a part share, and how."""
    written = {a for s in walk(part.fn.body) for a in writes(s)}
    params = dict(zip(part.fn.params[3:], part.arguments, strict=False))
    direct = [v.name for p, v in params.items() if p in written and v not in (*part.private, *part.seamed)]
    shown = [f"line {part.loop.loc.line}"]
    if direct:
        shown.append(f"each thread writes its own elements of {', '.join(direct)}")
    if part.seamed:
        names = ", ".join(v.name for v in part.seamed)
        shown.append(f"its last {part.seam} passes wait for the others because of {names}")
    if part.private:
        shown.append(f"has a copy of {', '.join(v.name for v in part.private)}")
    if part.partial:
        shown.append(f"a partial sum of {', '.join(v.name.removeprefix('partial_') for v in part.partial)}")
    return f"{part.fn.name}: {'; '.join(shown)}"


__all__ = ["threaded_text"]
