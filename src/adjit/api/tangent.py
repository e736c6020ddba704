"""`jvp`: value and directional derivative by one compiled function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, overload

import numpy as np

from .. import compiler
from ..compiler.program import Leaves, NodeSpec, Program, ResultLeaf, Spec, StaticSpec
from ..errors import NotDifferentiableError, SeedError
from ..options import DEFAULT, Options
from ..runtime import aliasing, cotangents, pytree
from ..runtime.dispatch import Around, Runner, runner
from ..runtime.typed import compiled_form, known
from .argnums import starred
from .gradient import Jit
from .signatures import R
from .transform import Transform, kept, program_of


class Pushed:
    """The tangent program of one kind of arguments: after the primal leaves come one direction per leaf in
    `leaves.wrt`.
    """

    def __init__(self, program: Program, primals: int, leaves: Leaves, runner: Runner) -> None:
        self.program = program
        self.primals = primals
        self.leaves = leaves
        self.runner = runner
        below = replace(
            program, arguments=program.arguments[:primals], argument_names=program.argument_names[:primals]
        )
        self.around = Around(below, runner.options.target)
        self.assemble = pytree.assembler(program.result)
        self.count = len(leaves.wrt)
        self.hidden = len(program.hidden)

    @property
    def kept(self) -> Any:
        return self.primals, self.leaves, self.runner.interface, self.runner.text

    def arguments(self, leaves: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
        own = list(self.around.with_hidden(leaves))
        at = len(own) - self.hidden
        return [*own[:at], *directions, *own[at:]]

    def compile(self, leaves: Sequence[Any]) -> None:
        """Compiled at the first call: the directions are not known here."""

    def run(self, leaves: Sequence[Any], directions: Sequence[Any]) -> Any:
        if self.around.written:
            self.around.check(self.around.with_hidden(leaves))
        arguments = self.arguments(leaves, directions)
        self.runner.prepare(arguments)
        flat = self.runner.call(arguments)
        self.around.leave(self.around.with_hidden(leaves))
        return self.assemble(flat)


def revived(program: Program, kept: Any, options: Options) -> Pushed:
    """From what an earlier process kept."""
    primals, leaves, known, text = kept
    return Pushed(program, primals, leaves, Runner(known, text, options))


def parameter_of_leaf(program: Program) -> list[int | None]:
    """For each leaf of a call its parameter where that is a float."""
    found: list[int | None] = []

    def visit(tree: object, spec: object) -> None:
        if isinstance(spec, NodeSpec):
            assert isinstance(tree, NodeSpec)
            for t, s in zip(tree.children, spec.children, strict=True):
                visit(t, s)
        elif not isinstance(spec, StaticSpec):
            found.append(tree if isinstance(tree, int) else None)

    for tree, spec in zip(compiler.derived.parameters(program), program.arguments, strict=True):
        visit(tree, spec)
    return found


class Jvp(Transform):
    """Differentiates with respect to the leaves that a tangent is given for."""

    targets = ("cpu", "cuda")

    word = "tangent"

    def __init__(
        self, fun: Callable[..., Any], outputs: tuple[str, ...] = (), options: Options = DEFAULT
    ) -> None:
        super().__init__(fun, options)
        self.outputs = outputs

    def recipe(self) -> tuple[Any, ...]:
        return (self.fun, self.outputs, self.options)

    def make(self, program: Program, extra: Any) -> Any:
        params = parameter_of_leaf(program)
        wrt = []
        for leaf in extra:
            p = params[leaf]
            if p is None:
                raise NotDifferentiableError(
                    "a tangent is given for an argument without floats", hint="pass None as its tangent"
                )
            if p not in wrt:
                wrt.append(p)
        primals = len(program.arguments)
        if self.outputs:
            program = compiler.derived.with_outputs(program, self.outputs)
        leaves = Leaves(tuple(wrt), (), ())
        made = compiler.derived.tangent(program, leaves)
        return Pushed(made, primals, leaves, runner(made.function, self.options, self.title()))

    def revive(self, program: Program, kept: Any, extra: Any) -> Any:
        return revived(program, kept, self.options)

    def grouped(self, tangents: tuple[Any, ...], count: int) -> tuple[Any, ...]:
        """One tangent per parameter, from one per positional argument: those of `*args` together."""
        star = starred(self)
        if star is not None:
            rest = tangents[star:]
            tangents = (*tangents[:star], rest if any(t is not None for t in rest) else None)
        return tangents + (None,) * (count - len(tangents))

    def push(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        leaves: list[Any] = []
        trees = []
        named: list[str] = []  # per leaf
        for primal, name in zip(primals, self.names, strict=True):
            trees.append(_numbered(primal, f"argument {name!r}", leaves))
            named += [f"the tangent of {name!r}"] * (len(leaves) - len(named))
        found: dict[int, Any] = {}
        for tree, tangent, name in zip(trees, tangents, self.names, strict=True):
            cotangents.flat(tree, tangent, leaves, f"the tangent of {name!r}", found)
        chosen = tuple(sorted(found))
        entry, own = self.prepare(primals, chosen)
        directions = {k: found[k] for k in chosen}
        if entry.around.same:
            directions = together(own, directions, named)
        return entry.run(own, list(directions.values()))


def together(leaves: Sequence[Any], directions: dict[int, Any], named: Sequence[str]) -> dict[int, Any]:
    """One direction for each array, of those of all leaves that are this array: it moves in one only.
    `named` are the directions in words.
    """
    arrays = [k for k, x in enumerate(leaves) if isinstance(x, np.ndarray)]
    first = dict(zip(arrays, (arrays[j] for j in aliasing.pattern([leaves[k] for k in arrays])), strict=True))
    made: dict[int, int] = {}
    for k, direction in directions.items():
        known = made.setdefault(first.get(k, k), k)
        if not np.array_equal(directions[known], direction, equal_nan=True):
            raise SeedError(
                f"{named[known]} and {named[k]} differ, but the two arguments are one array",
                why="the function writes it, so it is one memory, which moves in one direction",
                hint="pass a copy for one of the arguments, or the same direction for both",
            )
    return {array: directions[k] for array, k in made.items()}


def _numbered(value: Any, where: str, leaves: list[Any]) -> object:
    """The tree of a value with its leaves numbered and appended to `leaves`."""
    spec = pytree.take_apart(value, where, [])
    own: list[Any] = []
    pytree.take_apart(value, where, own)
    numbers = iter(range(len(leaves), len(leaves) + len(own)))
    leaves.extend(own)

    def number(s: Any) -> Any:
        return s if isinstance(s, StaticSpec) else ResultLeaf(next(numbers))

    return pytree.map_leaves(spec, number)


@overload
def jvp(
    fun: Callable[..., R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    outputs: tuple[()] = (),
    **options: Any,
) -> tuple[R, R]: ...
@overload
def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    outputs: Sequence[str],
    **options: Any,
) -> tuple[Any, Any]: ...
def jvp(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    outputs: Sequence[str] = (),
    **options: Any,
) -> tuple[Any, Any]:
    """`(value, tangent)`: the value at `primals` and its derivative in the direction `tangents`, None for
    what is held constant.

    >>> jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, None))
    (10.0, 5.0)
    """
    transform: Jvp = kept(Jvp, fun, tuple(outputs), options=options)
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise SeedError("primals and tangents are tuples, an entry per argument", hint="jvp(f, (x,), (t,))")
    bound = transform.bound(tuple(primals), {})
    given = tuple(tangents)
    if len(given) != len(primals):
        raise SeedError(
            f"{len(primals)} primals need as many tangents, not {len(given)}", hint="pass None for constants"
        )
    value, tangent = transform.push(bound, transform.grouped(given, len(bound)))
    return value, tangent


@compiled_form(jvp)
def _compiled_jvp(fun: Any, primals: Any, tangents: Any) -> Any:
    """`jvp` in code that Numba compiles."""
    inner = pushed(known(fun))
    return lambda fun, primals, tangents: inner(primals, tangents)


@cache
def pushed(fun: Callable[..., Any]) -> Jit:
    """`jvp` of a function, as a function of primals and tangents."""

    def push(primals: Any, tangents: Any) -> Any:
        return jvp(fun, primals, tangents)

    return Jit(push)


class Inside(Transform):
    """`jvp` inside a differentiated function: the arguments are the primals, then the tangents of `given`."""

    word = "tangent"

    def __init__(self, fun: Callable[..., Any], given: tuple[int, ...], options: Options = DEFAULT) -> None:
        super().__init__(fun, options)
        self.given = given

    def program(self, arguments: tuple[Spec, ...]) -> Program:
        program = program_of(self.fun, arguments[: len(self.names)], self.options)
        return compiler.derived.tangent(program, compiler.derived.choose(program, self.given))


jvp.inside = Inside  # type: ignore[attr-defined]

__all__ = ["Inside", "Jvp", "jvp"]
