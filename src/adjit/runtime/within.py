"""Transforms as functions that code compiled by Numba calls.

Input: a transform, and the Numba types of a call's arguments. Output: their *bridge*, a function compiled by
Numba that takes the arguments apart into leaves, calls the generated program and puts the result together.
Invariants: a bridge allocates what its program works in, so that threads share nothing; constants and arrays
that the user's function reads from globals and closures are as they were when the bridge was made, as
Numba has it; arguments that are written must not overlap. Numba's lock is held here, so no other is waited
for.
Non-goals: types (`typed`), errors (`surfacing`).
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numba
import numpy as np
from numba.core import types
from numba.core.errors import TypingError
from numba.extending import NativeValue, models, register_model, unbox

from .. import compiler
from ..compiler.codegen.linemap import Text
from ..compiler.ir.types import Array
from ..compiler.program import Program, Spec
from ..errors import AdjitError, InferenceError, MissingRuleError
from ..options import Options
from . import aliasing, frontcache, modules, pytree
from .dispatch import Around, Interface, interface, leaf_names
from .room import Wanted, learn, room
from .support import jitable
from .surfacing import Origin, called
from .typed import Names, Put, Taken, another, precise


class Callee(Protocol):
    """What is asked of a transform."""

    base: Callable[..., Any]
    options: Options
    signature: inspect.Signature

    def program(self, arguments: tuple[Spec, ...]) -> Program: ...
    def chain(self) -> str: ...
    def title(self) -> str: ...


class Within(types.Callable, types.Opaque):
    """The type of one transform."""

    def __init__(self, transform: Callee) -> None:
        self.transform = transform
        self.bridges: dict[tuple[tuple[str, ...], tuple[Any, ...]], Bridge] = {}
        super().__init__(f"{transform!r} at {id(transform):#x}")

    def get_call_type(self, context: Any, args: Sequence[Any], kws: Mapping[str, Any]) -> Any:
        """The signature of the bridge for arguments of these types, which is compiled here."""
        try:
            given = self.transform.signature.bind(*args, **kws).arguments
        except TypeError as error:
            raise TypingError(f"{self.transform!r}: {error}") from None
        names, chosen = tuple(given), tuple(map(precise, given.values()))
        found = self.bridges.get((names, chosen))
        if found is None or not found.holds():
            try:
                found = bridge(self.transform, dict(zip(names, chosen, strict=True)))
            except AdjitError as error:
                raise TypingError(f"{self.transform!r}: {error}") from error
            self.bridges[names, chosen] = found
        return numba.typeof(found.compiled).get_call_type(context, chosen, {})

    def get_call_signatures(self) -> Any:
        return [s for b in self.bridges.values() for s in b.compiled.nopython_signatures], True

    def get_impl_key(self, sig: Any) -> Any:
        return self.bridges[tuple(sig.pysig.parameters), sig.args].compiled.get_overload(sig.args)


register_model(Within)(models.OpaqueModel)


@unbox(Within)  # type: ignore[untyped-decorator]
def _taken(typ: Any, obj: Any, c: Any) -> Any:
    return NativeValue(c.context.get_dummy_value())


@dataclass(frozen=True)
class Bridge:
    """A function for Numba to compile. `constants` are what it has of the values that are read from
    outside.
    """

    compiled: Any
    around: Around
    constants: Sequence[Any]

    def holds(self) -> bool:
        """Whether what is read from outside is what it was."""
        pairs = zip(self.around.hidden, self.constants, strict=True)
        return self.around.fits(()) and all(
            np.array_equal(fetch(), known, equal_nan=True)  # type: ignore[arg-type]
            for (fetch, _, _), known in pairs
        )


def bridge(transform: Callee, given: dict[str, Any]) -> Bridge:
    """The function for arguments of these types, not compiled yet; parameters left out have their default."""
    names = Names(given)
    taken = Taken(names)
    specs: list[Spec] = []
    for name, parameter in transform.signature.parameters.items():
        where = f"argument {name!r}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise InferenceError(
                f"the function has {parameter}, which a call from compiled code does not pass on",
                hint="wrap it in a function of plain parameters",
            )
        if name in given:
            specs.append(taken.spec(given[name], name, where))
        else:
            specs.append(default(parameter.default, where, taken))
    program, known, text = prepared(transform, tuple(specs))
    constants = [frozen(h.fetch()) for h in program.hidden]
    leaves = [*taken.leaves, *(names.of(c, h.name) for c, h in zip(constants, program.hidden, strict=True))]
    lines = checks(program, leaves, names)
    if text.workspace:
        ws, wanted = names.fresh("ws"), names.of(Wanted(), "wanted")
        lines.append(f"{ws} = {names.of(room, 'room')}({wanted})")
        leaves.append(ws)
    loaded = modules.load(text, transform.options.cache, compiled=True)
    callee = names.of(dispatcher(loaded), "program"), names.of(Origin(text), "origin")
    result = names.fresh("result")
    passed = "".join(f"{leaf}, " for leaf in leaves)
    lines.append(f"{result} = {names.of(called, 'called')}({', '.join(callee)}, ({passed}))")
    if text.workspace:
        lines.append(f"{names.of(learn, 'learn')}({wanted}, {ws})")
    count = len(known.results)
    flat = [result] if count == 1 else [f"{result}[{k}]" for k in range(count)]
    put = Put(flat, [dtype for dtype, _, _ in known.results], names)
    lines.append(f"return {put.text(program.result)}")
    compiled = function(names.fresh(f"call_{text.name}"), list(given), lines, names)
    return Bridge(compiled, Around(program), constants)


def default(value: Any, where: str, taken: Taken) -> Spec:
    """The specification of a parameter's default, whose leaves are constants."""
    leaves: list[Any] = []
    spec = pytree.take_apart(pytree.mapped(value, frozen), where, leaves)
    taken.leaves += [taken.names.of(leaf, "default") for leaf in leaves]
    return spec


def frozen(value: Any) -> Any:
    """A constant as it is now: Numba keeps small arrays as they are, but reads large ones where they lie."""
    if not isinstance(value, np.ndarray):
        return value
    made = value.copy(order="K")
    made.flags.writeable = False
    return made


def prepared(transform: Callee, specs: tuple[Spec, ...]) -> tuple[Program, Interface, Text]:
    """The program for these arguments and its text."""
    options = transform.options
    if options.target != "cpu":
        raise MissingRuleError("compiled code calls programs for the CPU only", hint='use target="cpu"')
    front = frontcache.Kept(transform.base, transform.chain(), specs, "within", options)
    found = front.find()
    if found is not None:
        program, (known, text) = found
        return program, known, text
    with compiler.pipeline.guessing(False):  # there is no second try
        program = transform.program(specs)
    known = interface(program.function)
    text = compiler.pipeline.emit(program.function, options, transform.title())
    front.keep(program, (known, text))
    return program, known, text


def dispatcher(loaded: modules.Loaded) -> Any:
    """A compiled function of the program for this use alone: others are compiled under a lock
    (`dispatch`).
    """
    made = another(loaded.call)
    if not loaded.filename.startswith("<"):
        made.enable_caching()
    return made


def checks(program: Program, leaves: Sequence[str], names: Names) -> list[str]:
    """Statements that refuse overlapping memory that is written."""
    fn, lines = program.function, []
    layouts = {k: p.type.layout for k, p in enumerate(fn.params) if isinstance(p.type, Array)}
    argument = leaf_names(program)
    for w in sorted(program.written):
        tests = []
        if layouts[w] == "A":
            test = f"{names.of(repeats, 'repeats')}({leaves[w]})"
            tests.append((test, aliasing.holding(argument[w], fn.name)))
        for k in layouts:
            if k > w or (k != w and k not in program.written):
                pair = argument[min(k, w)], argument[max(k, w)]
                test = f"{names.of(touch, 'touch')}({leaves[k]}, {leaves[w]})"
                tests.append((test, aliasing.overlapping(*pair, argument[w], fn.name)))
        for test, error in tests:
            arguments = f"{error.message!r}, None, {error.why!r}, {error.hint!r}"
            lines += [f"if {test}:", f"    raise {names.of(type(error), 'Refused')}({arguments})"]
    return lines


@jitable
def touch(a: Any, b: Any) -> bool:
    """Whether the stretches of memory that two arrays lie in have a byte in common."""
    if a.size == 0 or b.size == 0:
        return False
    low_a = high_a = a.ctypes.data
    for k in range(a.ndim):
        reach = (a.shape[k] - 1) * a.strides[k]
        low_a += min(reach, 0)
        high_a += max(reach, 0)
    low_b = high_b = b.ctypes.data
    for k in range(b.ndim):
        reach = (b.shape[k] - 1) * b.strides[k]
        low_b += min(reach, 0)
        high_b += max(reach, 0)
    return bool(low_a < high_b + b.itemsize and low_b < high_a + a.itemsize)


@jitable
def repeats(a: Any) -> bool:
    """Whether elements of an array may share memory: a step along some axis is shorter than what all axes of
    shorter steps reach over.
    """
    for k in range(a.ndim):
        if a.shape[k] < 2:
            continue
        reach = a.itemsize
        for j in range(a.ndim):
            step = abs(a.strides[j])
            shorter = step < abs(a.strides[k]) or (step == abs(a.strides[k]) and j > k)
            if j != k and shorter:
                reach += step * (max(a.shape[j], 1) - 1)
        if abs(a.strides[k]) < reach:
            return True
    return False


def function(name: str, params: Sequence[str], lines: Sequence[str], names: Names) -> Any:
    """A function of this body, to be compiled by Numba."""
    source = "\n".join([f"def {name}({', '.join(params)}):", *(f"    {line}" for line in lines), ""])
    filename = f"<adjit call of {name} {id(names):x}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), names.objects)
    return numba.njit(nogil=True)(names.objects[name])


__all__ = ["Within"]
