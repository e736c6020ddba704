"""The order of things: capture, passes, derivatives, text.

Input: a user's function and a signature, or a core function. Output: programs and text. Each step is timed;
with `ADJIT_DUMP` every intermediate program is written to a numbered file, and verified, as tests always
do. Invariants: the order of passes stands here and nowhere else. Non-goals: compiling (`adjit.runtime`).
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from .. import options as environment
from ..errors import InternalError
from ..options import Options
from . import adjoint
from .analyses.deciding import deciding
from .analyses.effects import lasting
from .codegen.cuda import cuda_text
from .codegen.linemap import Text
from .codegen.python import module_text
from .codegen.threads import threaded_text
from .frontend.arrays.broadcast import GUESS
from .frontend.recomputed import AGAIN
from .frontend.specialise import specialise
from .ir.nodes import Function
from .ir.printer import text as printed
from .ir.verify import verify
from .ir.visitor import walk
from .library import ROUTINES
from .passes import (
    entry,
    expand_rules,
    finish,
    finish_divided,
    finish_for_kernels,
    finish_for_threads,
    history,
    in_strips,
    promised,
    scaled,
    simplify,
    staged,
    staged_but_sums,
    unguard,
    unscaled,
)
from .program import Program, Spec
from .threads import Plan, divide, parts_mapped
from .watch import watched

Pass = Callable[[Function], Function]

AFTER_CAPTURE: tuple[Pass, ...] = (simplify, in_strips)
AFTER_DERIVATIVE: tuple[Pass, ...] = (simplify,)
AFTER_CAPTURE_FOR_KERNELS: tuple[Pass, ...] = (simplify,)
SPELLED: tuple[Pass, ...] = (
    adjoint.expanded,
    expand_rules,
    unguard,
    scaled,
)  # nothing is differentiated any more
BEFORE_TEXT: tuple[Pass, ...] = (*SPELLED, history, simplify, finish)
BEFORE_THREADS: tuple[Pass, ...] = (*SPELLED, simplify, finish_for_threads)
BEFORE_KERNELS: tuple[Pass, ...] = (*SPELLED, simplify, finish_for_kernels)

always_verify = False  # tests set it
seconds: defaultdict[str, float] = defaultdict(float)  # where adjit's own time goes, by step
_dumped: Counter[str] = Counter()


@contextmanager
def timed(step: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[step] += time.perf_counter() - start


def inspected(fn: Function, step: str) -> Function:
    """Dump and verify where that is wanted."""
    folder = environment.dump_folder()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        _dumped[fn.name] += 1
        path = folder / f"{fn.name.strip('<>')}-{_dumped[fn.name]:02d}-{step}.ir"
        path.write_text(printed(fn), encoding="utf-8")
    if always_verify or folder is not None:
        try:
            verify(fn)
        except InternalError as error:
            raise InternalError(
                f"after {step}: {error.message}", error.location, notes=error.notes
            ) from error
    return fn


def passes(fn: Function, chosen: Sequence[Pass]) -> Function:
    for one in chosen:
        with timed(one.__name__):
            fn = one(fn)
        fn = inspected(fn, one.__name__)
    return fn


def capture(
    fun: Callable[..., object], arguments: tuple[Spec, ...], options: Options, plain: bool = False
) -> Program:
    """A user's function for one signature; `plain`: it will not be differentiated."""
    with timed("capture"):
        program = specialise(fun, arguments, options, plain)
        if GUESS.get() and not repeatable(program):
            with guessing(False):
                program = specialise(fun, arguments, options, plain)
    inspected(program.function, "capture")
    first = (entry,) if options.boundscheck else (entry, promised)
    chosen = AFTER_CAPTURE if options.target == "cpu" else AFTER_CAPTURE_FOR_KERNELS
    return replace(program, function=passes(program.function, (*first, *chosen)))


def repeatable(program: Program) -> bool:
    """Whether a program that stops half way may be run again from the start: it leaves no trace."""
    return not program.written and not any(map(lasting, walk(program.function.body)))


@contextmanager
def guessing(wanted: bool) -> Iterator[None]:
    """Whether programs that are captured meanwhile take lengths that broadcast to be equal."""
    token = GUESS.set(wanted)
    try:
        yield
    finally:
        GUESS.reset(token)


@contextmanager
def without_checkpoints() -> Iterator[None]:
    """Programs that are captured meanwhile have checkpointed functions and loops as plain ones."""
    token = AGAIN.set(False)
    try:
        yield
    finally:
        AGAIN.reset(token)


def joint(
    fn: Function,
    wrt: Sequence[int],
    seeded: Sequence[int],
    marks: Sequence[str] = (),
    saved_as: str | None = None,
) -> Function:
    """Value and gradient; see `adjoint.joint` and, for `saved_as`, `adjoint.rounding`."""
    with timed("adjoint"):
        fn = adjoint.in_parts(fn, wrt, seeded=seeded)
        made = adjoint.joint(fn, wrt, seeded=seeded, marks=marks, change=_rounding(saved_as))
    return passes(inspected(made, "adjoint"), AFTER_DERIVATIVE)


def kept(
    fn: Function,
    wrt: Sequence[int],
    seeded: Sequence[int] | None,
    outputs: Sequence[int] = (),
    apart: bool = False,
    saved_as: str | None = None,
) -> tuple[Function, tuple[adjoint.Note, ...]]:
    """Forward sweep and what it leaves; see `adjoint.kept`."""
    fn = adjoint.in_parts(fn, wrt, None if apart else 1.0, outputs, seeded)
    made, notes = adjoint.kept(fn, wrt, seeded, outputs, apart, _rounding(saved_as))
    return inspected(made, "kept"), notes


def _rounding(saved_as: str | None) -> adjoint.Change | None:
    return None if saved_as is None else adjoint.rounding(saved_as)


def split(fn: Function, wrt: Sequence[int], outputs: Sequence[int] = ()) -> tuple[Function, Function]:
    """Forward and backward half; see `adjoint.split`."""
    with timed("adjoint"):
        fn = adjoint.in_parts(fn, wrt, None, outputs)
        forward, backward = adjoint.split(fn, wrt, outputs)
    return inspected(forward, "forward"), inspected(backward, "backward")


def decisive(backward: Function) -> frozenset[int]:
    """The parameters of a backward half that its decisions depend on."""
    return deciding(passes(backward, (adjoint.expanded, expand_rules)))


def tangent(fn: Function, wrt: Sequence[int]) -> Function:
    """Value and directional derivative; see `adjoint.tangent`."""
    with timed("tangent"):
        made = adjoint.tangent(fn, wrt)
    return passes(inspected(made, "tangent"), AFTER_DERIVATIVE)


def pattern(fn: Function, wrt: Sequence[int]) -> Function:
    """Value and sparsity; see `adjoint.pattern`."""
    return passes(inspected(adjoint.pattern(fn, wrt), "pattern"), AFTER_DERIVATIVE)


def emit(fn: Function, options: Options, title: str = "", lent: Collection[int] = ()) -> Text:
    """The text of a core function's module; results that are `lent` may lie in its workspace."""
    if options.target == "cuda":
        fn = passes(fn, BEFORE_KERNELS)
        with timed("codegen"):
            return cuda_text(fn, title)
    if options.parallel and not options.debug_nans:
        plan = divided(fn, options)
        if plan.parts:
            with timed("codegen"):
                return threaded_text(plan, options, tuple(ROUTINES), title, lent)
    fn = passes(fn, spelled(BEFORE_TEXT, options))
    if options.debug_nans:
        fn = inspected(watched(fn), "watch")
    elif not options.precise:
        fn = passes(fn, (staged_but_sums if options.fastmath else staged,))
    with timed("codegen"):
        return module_text(fn, options, tuple(ROUTINES), title, lent)


def spelled(chosen: Sequence[Pass], options: Options) -> list[Pass]:
    """The passes, with the short forms of formulas where rounding is free."""
    return [unscaled if options.fastmath and p is scaled else p for p in chosen]


def divided(fn: Function, options: Options) -> Plan:
    """A function in parts for several threads, each finished by itself."""
    plan = divide(passes(fn, spelled(BEFORE_THREADS, options)))
    last: tuple[Pass, ...] = (finish_divided,)
    if not options.precise:
        last = (*last, staged_but_sums if options.fastmath else staged)
    return parts_mapped(plan, lambda one: passes(one, last)) if plan.parts else plan
