"""All that the page says about one gradient at one set of arguments.

Input: a transform and arguments. Output: `Facts`. The caller's arrays are not written. Invariants: the graph
is shown only if its gradient is that of the compiled program; what cannot be shown is replaced by the reason.
Non-goals: looks (`page`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..api.gradient import Gradient, jit
from ..api.transform import Transform, program_of
from ..bench import measure
from ..bench.peers import copied, floats
from ..compiler import derived, pipeline
from ..compiler.adjoint.activity import activity
from ..compiler.analyses.alias import roots
from ..compiler.frontend.specialise import specialise
from ..compiler.ir.nodes import Function, Var
from ..compiler.ir.types import Array, is_float
from ..compiler.ir.visitor import block_params, defined, walk
from ..compiler.program import Program, Spec
from ..errors import AdjitError
from ..options import jit_disabled
from ..runtime.buffers import Saved
from ..runtime.dispatch import Around
from .sources import Listing, Places, generated, user_functions
from .trace import ANONYMOUS, Trace, Untraceable, traced

TOLERANCE = 1e-8
SECONDS = 0.15  # of measuring each time


@dataclass(frozen=True)
class Part:
    """One line of the table of times."""

    what: str
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Named:
    """A name of the program and what activity analysis found about it."""

    name: str
    type: str
    active: bool
    why: str


@dataclass(frozen=True)
class Facts:
    """`trace` or `no_trace`, and `saved` or `no_saved`, is there."""

    title: str
    word: str
    arguments: tuple[tuple[str, str], ...]
    value: str
    gradient: str
    users: tuple[Listing, ...]
    generated: Listing
    trace: Trace | None
    no_trace: str
    saved: Saved | None
    no_saved: str
    activity: tuple[Named, ...]
    making: tuple[Part, ...]
    running: tuple[Part, ...]


def short(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"array of shape {value.shape}, {value.dtype}"
    with np.printoptions(precision=6, threshold=20):
        text = " ".join(str(value).split())
    return text if len(text) < 160 else text[:157] + "..."


def captured(fun: Callable[..., Any], specs: tuple[Spec, ...], transform: Transform) -> Program:
    """The program as it was captured, before any pass: its names and lines are the user's."""
    if isinstance(fun, Transform):
        return fun.program(specs)
    return specialise(fun, specs, transform.options)


def graph(program: Program, transform: Gradient, leaves: Sequence[Any], found: Any) -> Trace:
    """The trace, if it agrees with the compiled gradient `found`."""
    chosen = derived.choose(program, transform.chosen)
    arguments = Around(program).with_hidden(leaves)
    trace = traced(program.function, arguments, chosen.wrt)
    wanted = floats(found)
    if len(wanted) != len(chosen.wrt):
        raise Untraceable("one array is passed for two parameters")
    for param, gradient in zip(chosen.wrt, wanted, strict=True):
        for at in np.ndindex(gradient.shape):
            node = trace.leaves[param, at]
            have, want = trace.nodes[node].gradient, float(gradient[at])
            scale = 1e-4 if gradient.dtype == np.float32 else TOLERANCE
            if not abs(have - want) <= scale * max(1.0, abs(want)):
                raise Untraceable("its gradient differs from the compiled one: please report this")
    return trace


def _type(v: Var) -> str:
    return str(v.type)


def names(program: Program, wrt: Sequence[int]) -> tuple[Named, ...]:
    """The user's names in the program, active or not."""
    fn = program.function
    active = activity(fn, roots(fn), [fn.params[k] for k in wrt], fn.results)
    found: dict[str, Named] = {}
    for v in _variables(fn):
        if ANONYMOUS.match(v.name) or (v.name in found and found[v.name].active):
            continue
        if not is_float(v.type):
            why = "not a float"
        elif v in active:
            why = "lies between the differentiated arguments and the result"
        else:
            why = "constant, or without effect on the result"
        if v.name not in found or v in active:
            found[v.name] = Named(v.name, _type(v), v in active, why)
    return tuple(found.values())


def _variables(fn: Function) -> list[Var]:
    made = list(fn.params)
    for stmt in walk(fn.body):
        made.extend(v for v in block_params(stmt))
        made.extend(v for v in defined(stmt) if not isinstance(v.type, Array) or v.name)
    lengths = {f"n_{p.name}" for p in fn.params}
    return [v for v in made if not any(v.name == n or v.name.startswith(n + "_") for n in lengths)]


def making(transform: Transform, specs: tuple[Spec, ...]) -> tuple[Part, ...]:
    """adjit's own steps, run again with the clock on."""
    before = dict(pipeline.seconds)
    program = transform.derive(program_of(transform.fun, specs, transform.options))
    pipeline.emit(program.function, transform.options)
    return tuple(
        Part(step, spent - before.get(step, 0.0))
        for step, spent in pipeline.seconds.items()
        if spent > before.get(step, 0.0)
    )


def running(transform: Transform, args: tuple[Any, ...]) -> tuple[Part, ...]:
    own = tuple(map(copied, args))
    function = jit(transform.fun)
    function.compile(*own)
    calls = [lambda: function(*own), lambda: transform(*own)]
    times = measure.medians(calls, SECONDS)
    note = "uncompiled" if jit_disabled() else ""
    return (
        Part("function", times[0], note),
        Part(transform.word, times[1], f"{times[1] / times[0]:.1f} times the function"),
    )


def _saved(transform: Gradient, args: tuple[Any, ...]) -> tuple[Saved | None, str]:
    try:
        return transform.saved(*map(copied, args)), ""
    except AdjitError as error:
        return None, str(error).splitlines()[0]


def gathered(transform: Any, args: tuple[Any, ...]) -> Facts:
    """Everything at once; compiles the function, the gradient and the forward sweep."""
    transform.needs_plain_parameters("report")
    bound = transform.bound(tuple(map(copied, args)), {})
    start = time.process_time()
    entry, leaves = transform.prepare(bound)
    ready = time.process_time() - start
    text = entry.runner.text
    specs = transform.specs(bound)
    places = Places()
    listing = generated(text, places)
    program = captured(transform.fun, specs, transform)
    value, gradient, trace, why = "", "", None, "this page is not about a gradient"
    saved: Saved | None = None
    no_saved = why
    wrt: tuple[int, ...] = ()
    if isinstance(transform, Gradient):
        wrt = derived.choose(program, transform.chosen).wrt
        found = transform(*map(copied, bound))
        value, gradient, alone = _results(transform, found)
        try:
            trace, why = graph(program, transform, leaves, alone), ""
        except Untraceable as reason:
            why = str(reason)
        saved, no_saved = _saved(transform, bound)
    parts = (*making(transform, specs), Part("first call in all", ready, _how(entry)))
    return Facts(
        title=getattr(transform.base, "__name__", "function"),
        word=transform.word,
        arguments=tuple((n, short(a)) for n, a in zip(transform.names, bound, strict=True)),
        value=value,
        gradient=gradient,
        users=tuple(user_functions(transform.base, text, places)),
        generated=listing,
        trace=trace,
        no_trace=why,
        saved=saved,
        no_saved=no_saved,
        activity=names(program, wrt) if wrt else (),
        making=parts,
        running=running(transform, bound),
    )


def _how(entry: Any) -> str:
    loaded = entry.runner.loaded
    if not loaded.compiled:
        return "uncompiled"
    hits = getattr(loaded.call.stats, "cache_hits", None)
    return "from the cache" if hits else "compiled, or ready before"


def _results(transform: Gradient, found: Any) -> tuple[str, str, Any]:
    """The value and the gradient in words, and the gradient itself."""
    value = ""
    rest = found
    if transform.value:
        value, rest = short(found[0]), found[1]
    elif transform.has_aux:
        rest = found[0]
    if transform.intermediates:
        rest = rest[0]
    return value, short(rest), rest
