"""`vmap`: a function of one example as a function of a batch, by one compiled loop.

Input: a function or a transform of one, and where in each argument the examples lie. Output: a transform
that composes with the others: `vmap(grad(f))` gives per-example gradients, `grad` of a function that calls
`vmap(f)` differentiates the loop. Invariants: an argument without an axis of examples is the same for all.
Non-goals: examples of different shapes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

from .. import compiler
from ..compiler.program import ArraySpec, NodeSpec, Program, ResultLeaf, SameAs, ScalarSpec, Spec, StaticSpec
from ..errors import InferenceError, OverwriteError, ShapeError
from ..options import DEFAULT, Options
from ..runtime import pytree
from .signatures import Transformed
from .transform import Transform, decorated, program_of

Axes = Any  # an int, None, or a structure of these that is a prefix of the argument's


def _leaves(axes: Axes, spec: Spec, where: str) -> Iterator[tuple[Spec, int | None, str]]:
    """The leaves of a specification with their axes; an axis stands for all leaves below it."""
    if not isinstance(spec, NodeSpec):
        if axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
            raise InferenceError(f"in_axes for {where} is {axes!r}", hint="pass an axis or None")
        yield spec, axes, where
        return
    node = None if axes is None or isinstance(axes, int) else pytree.children(axes)
    if axes is not None and not isinstance(axes, int):
        fits = node is not None and len(node[2]) == len(spec.children)
        if not fits or (spec.kind is dict and set(node[1]) != set(spec.keys)):  # type: ignore[index]
            raise InferenceError(
                f"in_axes for {where} is {axes!r}, which is not structured as the argument",
                hint="pass an axis, None, or one of these per part",
            )
    parts = dict(zip(node[1], node[2], strict=True)) if node is not None else {}
    for k, (key, child) in enumerate(zip(spec.keys, spec.children, strict=True)):
        below = axes if node is None else parts[key if spec.kind is dict else node[1][k]]
        yield from _leaves(below, child, f"{where}[{key!r}]")


def _example(spec: Spec, axis: int | None, where: str) -> tuple[Spec, int | None]:
    """The specification of a leaf for one example, and its axis counted from the front."""
    if isinstance(spec, SameAs):
        raise OverwriteError(
            f"{where} is an array that is passed twice and written", hint="pass a copy of it"
        )
    if axis is None or isinstance(spec, StaticSpec):
        return spec, None
    if not isinstance(spec, ArraySpec) or not -spec.ndim <= axis < spec.ndim:
        what = f"an array with {spec.ndim} axes" if isinstance(spec, ArraySpec) else "a number"
        raise ShapeError(
            f"in_axes names axis {axis} of {where}, which is {what}",
            hint="in_axes=None is for what all examples share",
        )
    axis %= spec.ndim
    if spec.ndim == 1:
        return ScalarSpec(spec.dtype), axis
    kept = (spec.layout == "C" and axis == 0) or (spec.layout == "F" and axis == spec.ndim - 1)
    ones, unsure = (tuple(k - (k > axis) for k in axes if k != axis) for axes in (spec.ones, spec.unsure))
    layout = spec.layout if kept else "A"
    return ArraySpec(spec.dtype, spec.ndim - 1, layout, spec.readonly, ones, unsure), axis


class Vmap(Transform):
    targets = ("cpu", "cuda")
    word = "batch"

    def __init__(
        self, fun: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, options: Options = DEFAULT
    ) -> None:
        super().__init__(fun, options)
        self.in_axes, self.out_axes = in_axes, out_axes

    def recipe(self) -> tuple[Any, ...]:
        return (self.fun, self.in_axes, self.out_axes, self.options)

    def captured(self, arguments: tuple[Spec, ...]) -> Program:
        from ..compiler.mapped import mapped
        from ..compiler.passes import simplify

        per_argument = self.axes_of(arguments)
        examples: list[Spec] = []
        axes: list[int | None] = []
        layouts: list[str] = []
        for spec, given, name in zip(arguments, per_argument, self.names, strict=False):
            found = iter(list(_leaves(given, spec, f"argument {name!r}")))

            def leaf(_: Spec, found: Iterator[tuple[Spec, int | None, str]] = found) -> Spec:
                whole, axis, where = next(found)
                one, axis = _example(whole, axis, where)
                if not isinstance(whole, StaticSpec):
                    axes.append(axis)
                    layouts.append(whole.layout if isinstance(whole, ArraySpec) else "")
                return one

            examples.append(pytree.map_leaves(spec, leaf))
        if all(a is None for a in axes):
            raise ShapeError("vmap needs an argument with an axis of examples", hint="in_axes=0")
        program = program_of(self.fun, tuple(examples), self.options)
        compiler.derived.refuse_complex((*arguments, program.result), "vmap", program)
        made = mapped(program, arguments, axes, layouts, self.results(program))
        fn = compiler.pipeline.passes(compiler.pipeline.inspected(made.function, "vmap"), (simplify,))
        return replace(made, function=fn)

    def axes_of(self, arguments: tuple[Spec, ...]) -> Sequence[Axes]:
        """The axes of each argument; only a default without arrays needs no entry of its own."""
        if not isinstance(self.in_axes, tuple | list):
            return [self.in_axes] * len(arguments)
        missing = len(arguments) - len(self.in_axes)
        if missing < 0:
            raise ShapeError(f"in_axes has {len(self.in_axes)} entries for {len(arguments)} arguments")
        given = [*self.in_axes, *[None] * missing]
        for name, spec in list(zip(self.names, arguments, strict=False))[len(self.in_axes) :]:
            default = self.signature.parameters[name].default is not inspect.Parameter.empty
            if not default or any(isinstance(s, ArraySpec) for s, _, _ in _leaves(None, spec, name)):
                raise ShapeError(
                    f"in_axes {self.in_axes!r} has no entry for argument {name!r}",
                    hint=f"an axis or None for each argument, as in in_axes={tuple(given)!r}",
                )
        return given

    def results(self, program: Program) -> list[int]:
        """The axis of examples in each result."""
        found = [0] * len(program.function.results)

        def visit(tree: Any, axes: Axes) -> None:
            if isinstance(tree, NodeSpec):
                node = None if axes is None or isinstance(axes, int) else pytree.children(axes)
                if node is None and not isinstance(axes, int):
                    raise InferenceError(f"out_axes {axes!r} is not structured as the result")
                if node is not None and len(node[2]) != len(tree.children):
                    raise InferenceError(f"out_axes {axes!r} is not structured as the result")
                for k, child in enumerate(tree.children):
                    visit(child, axes if node is None else node[2][k])
            elif isinstance(tree, ResultLeaf):
                ndim = getattr(program.function.results[tree.index].type, "ndim", 0) + 1
                if isinstance(axes, bool) or not isinstance(axes, int) or not -ndim <= axes < ndim:
                    raise ShapeError(f"out_axes {axes!r} is no axis of a result with {ndim} axes")
                found[tree.index] = axes % ndim

        visit(program.result, self.out_axes)
        return found

    def derive(self, program: Program) -> Program:
        return program


@overload
def vmap(
    fun: None = None, in_axes: Axes = 0, out_axes: Axes = 0, **options: Any
) -> Callable[[Callable[..., Any]], Transformed[..., Any]]: ...
@overload
def vmap(
    fun: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, **options: Any
) -> Transformed[..., Any]: ...
def vmap(fun: Callable[..., Any] | None = None, in_axes: Axes = 0, out_axes: Axes = 0, **options: Any) -> Any:
    """The function for a batch: `in_axes` and `out_axes` say where the examples lie in arguments and results,
    None for an argument that all examples share; structures of these for structured arguments.

    >>> import numpy as np
    >>> vmap(lambda w, x: w * x * x, in_axes=(None, 0))(2.0, np.array([1.0, 3.0]))
    array([ 2., 18.])
    """
    return decorated(Vmap, fun, {"in_axes": in_axes, "out_axes": out_axes}, options)


__all__ = ["Vmap", "vmap"]
