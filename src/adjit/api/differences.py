"""A function as one of its arguments' numbers, its differences, and how exactly it can be known.

Input: a Python function and arguments. Output: its value, directional derivatives by extrapolated central
differences, and how far rounding moves both. Invariants: the function runs on copies, so that one that
writes into its arguments finds them as they were. Non-goals: comparing with anything.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import compiler
from ..compiler.program import NodeSpec, ResultLeaf, StaticSpec
from ..runtime import pytree
from .jacobian import copied, flattened

Leaves = list[Any]


@dataclass(frozen=True)
class Difference:
    """The derivative of one leaf of the result; how far two step lengths disagree about it, which grows
    with the error of both; and what rounding can do to it.
    """

    derivative: np.ndarray[Any, Any]
    spread: np.ndarray[Any, Any]
    rounding: np.ndarray[Any, Any]


def is_float(x: Any) -> bool:
    return bool(np.result_type(x).kind == "f")


def floats(leaves: Leaves) -> Leaves:
    """The leaves that are floats, as float64."""
    return [np.array(x, dtype=np.float64) for x in leaves if is_float(x)]


class Point:
    """The arguments as leaves, and the function on leaves."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun, self.given = fun, args
        self.leaves, self.tree = flattened_arguments(args, _parameters(fun, args))
        self.floats = [k for k, x in enumerate(self.leaves) if is_float(x)]

    def arguments(self, leaves: Leaves) -> tuple[Any, ...]:
        made = pytree.assembler(self.tree)([copied(x) for x in leaves])
        return tuple(made)

    def results(self, leaves: Leaves) -> Leaves:
        """The leaves of the result."""
        with np.errstate(all="ignore"):
            return flattened(self.fun(*self.arguments(leaves)), apart=True)[0]

    def value(self, leaves: Leaves) -> Leaves:
        return floats(self.results(leaves))

    @cached_property
    def here(self) -> Leaves:
        """The leaves of the result at the point."""
        return self.results(self.leaves)

    def moved(self, direction: Leaves, by: float) -> Leaves:
        made = list(self.leaves)
        for k in self.floats:
            kind = np.result_type(made[k])
            new = np.asarray(made[k], dtype=np.float64) + by * np.asarray(direction[k], dtype=np.float64)
            made[k] = new.astype(kind) if isinstance(made[k], np.ndarray) else kind.type(new[()])
        return made

    def step(self) -> float:
        """The step for central differences: larger in single precision and at large arguments."""
        single = any(np.result_type(self.leaves[k]) == np.float32 for k in self.floats)
        return 2e-2 if single else 1e-4

    def difference(self, direction: Leaves) -> list[Difference]:
        """The directional derivative of each float of the result by extrapolated central differences."""
        h = self.step()

        def central(by: float) -> Leaves:
            up, down = self.value(self.moved(direction, by)), self.value(self.moved(direction, -by))
            return [(a - b) / (2.0 * by) for a, b in zip(up, down, strict=True)]

        pairs = zip(central(h / 2), central(h), self.rounding, strict=True)
        return [Difference((4.0 * a - b) / 3.0, np.abs(a - b), 8.0 * r / h) for a, b, r in pairs]

    @cached_property
    def precision(self) -> float:
        """The unit roundoff of the shortest floats among arguments and results."""
        kinds = [np.result_type(x) for x in (*self.leaves, *self.here) if is_float(x)]
        return max(float(np.finfo(k).eps) for k in kinds)

    @cached_property
    def rounding(self) -> Leaves:
        """How far each float of the result moves where the arguments move by a rounding or two: what
        cancels inside the function shows up too. With the rounding of the result itself.
        """
        rng = np.random.default_rng(7)
        here = floats(self.here)
        found = [self.precision * np.abs(x) for x in here]
        for _ in range(3):
            direction = [
                None if d is None else d * np.abs(np.asarray(x, dtype=np.float64))
                for d, x in zip(self.random(rng), self.leaves, strict=True)
            ]
            near = self.value(self.moved(direction, 4.0 * self.precision))
            found = [np.fmax(r, np.abs(a - b)) for r, a, b in zip(found, near, here, strict=True)]
        return found

    def random(self, rng: np.random.Generator) -> Leaves:
        return [rng.uniform(-1.0, 1.0, np.shape(x)) if is_float(x) else None for x in self.leaves]

    def spelling(self, leaf: int, entry: int) -> str:
        """An entry as a Python expression over the function's arguments."""
        names, values = argument_names(self.fun, self.given)
        specs = [pytree.take_apart(v, n, []) for n, v in zip(names, values, strict=True)]
        text, pairs = compiler.derived.spelled_leaves(names, specs)[leaf]
        where = [int(i) for i in np.unravel_index(entry, np.shape(self.leaves[leaf]))]
        part = (".real", ".imag")[where.pop()] if pairs else ""
        return f"{text}[{', '.join(map(str, where))}]{part}" if where else text + part

    def unit(self, leaf: int, entry: int) -> Leaves:
        made: Leaves = [np.zeros(np.shape(x)) if is_float(x) else None for x in self.leaves]
        made[leaf].reshape(-1)[entry] = 1.0
        return made


def flattened_arguments(args: tuple[Any, ...], names: Sequence[str]) -> tuple[Leaves, object]:
    """The arrays and numbers of the arguments, and the tree that rebuilds the tuple of arguments."""
    leaves: Leaves = []
    specs = [pytree.take_apart(a, f"argument {n!r}", leaves) for n, a in zip(names, args, strict=True)]
    count = iter(range(len(leaves)))

    def number(s: Any) -> Any:
        return s if isinstance(s, StaticSpec) else ResultLeaf(next(count))

    trees = tuple(pytree.map_leaves(s, number) for s in specs)
    return leaves, NodeSpec(tuple, tuple(range(len(trees))), trees)


def argument_names(fun: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[str], list[Any]]:
    """The parameters that a call fills, and their values: those of `*rest` are a tuple."""
    bound = inspect.signature(fun).bind(*args).arguments
    return list(bound), list(bound.values())


def _parameters(fun: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """For each argument the parameter that takes it; those of `*rest` by number."""
    bound = inspect.signature(fun).bind(*args)
    names = []
    for name, value in bound.arguments.items():
        rest = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        names += [f"{name}[{k}]" for k in range(len(value))] if rest else [name]
    return names


def holds_floats(argument: Any) -> bool:
    """Whether an argument has parts that `check_grads` varies."""
    return any(is_float(x) for x in flattened_arguments((argument,), ("argument",))[0])
