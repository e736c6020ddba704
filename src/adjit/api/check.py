"""`check_grads`: derivatives against finite differences of the function itself, uncompiled where it has a
Python form.

Input: a function, its arguments, the order and the modes. Output: what was compared, or
`GradientCheckError` with the worst entry. Method: one random direction per mode, central differences with
Richardson extrapolation; on failure each entry is looked at by itself, so that the message can name the
worst. Non-goals: points where the function has a kink within a step.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import compiler
from ..compiler.program import NodeSpec, ResultLeaf, StaticSpec
from ..errors import AdjitError, GradientCheckError, MissingRuleError, NotDifferentiableError
from ..runtime import cotangents, pytree
from ..runtime.dispatch import Around
from .gradient import Gradient
from .jacobian import copied, flattened
from .tangent import Jvp
from .transform import Transform, kept
from .vjp import Vjp

MOST_ENTRIES = 400
WORDS = {"fwd": "tangent", "rev": "gradient"}
Leaves = list[Any]


@dataclass(frozen=True)
class Checked:
    """What `check_grads` found to agree: derivatives of `name` in `arguments` in the modes of each order.
    `left_out` says why a mode is missing.
    """

    name: str
    arguments: tuple[str, ...]
    modes: tuple[tuple[str, ...], ...]
    left_out: str = ""

    def __str__(self) -> str:
        orders = zip(("first", "second"), self.modes, strict=False)
        done = ", ".join(
            f"{order} order by {' and '.join(WORDS[m] for m in modes)}" for order, modes in orders
        )
        said = (
            f"{self.name}: derivatives in {', '.join(self.arguments)} agree with finite differences ({done})"
        )
        return f"{said}\nleft out: {self.left_out}" if self.left_out else said

    def __repr__(self) -> str:
        return f"<adjit check of {self}>"


def _is_float(x: Any) -> bool:
    return bool(np.result_type(x).kind == "f")


class _Point:
    """The arguments as leaves, and the function on leaves."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun, self.given = fun, args
        self.leaves, self.tree = flattened_arguments(args, _parameters(fun, args))
        self.floats = [k for k, x in enumerate(self.leaves) if _is_float(x)]

    def arguments(self, leaves: Leaves) -> tuple[Any, ...]:
        made = pytree.assembler(self.tree)([copied(x) for x in leaves])
        return tuple(made)

    def value(self, leaves: Leaves) -> Leaves:
        with np.errstate(all="ignore"):
            found, _ = flattened(self.fun(*self.arguments(leaves)), apart=True)
        return [np.array(x, dtype=np.float64) for x in found if _is_float(x)]

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

    def difference(self, direction: Leaves) -> Leaves:
        """The directional derivative of the value by extrapolated central differences."""
        h = self.step()

        def central(by: float) -> Leaves:
            up, down = self.value(self.moved(direction, by)), self.value(self.moved(direction, -by))
            return [(a - b) / (2.0 * by) for a, b in zip(up, down, strict=True)]

        return [(4.0 * a - b) / 3.0 for a, b in zip(central(h / 2), central(h), strict=True)]

    def random(self, rng: np.random.Generator) -> Leaves:
        return [rng.uniform(-1.0, 1.0, np.shape(x)) if _is_float(x) else None for x in self.leaves]

    def spelling(self, leaf: int, entry: int) -> str:
        """An entry as a Python expression over the function's arguments."""
        names, values = argument_names(self.fun, self.given)
        specs = [pytree.take_apart(v, n, []) for n, v in zip(names, values, strict=True)]
        text, pairs = compiler.derived.spelled_leaves(names, specs)[leaf]
        where = [int(i) for i in np.unravel_index(entry, np.shape(self.leaves[leaf]))]
        part = (".real", ".imag")[where.pop()] if pairs else ""
        return f"{text}[{', '.join(map(str, where))}]{part}" if where else text + part

    def unit(self, leaf: int, entry: int) -> Leaves:
        made: Leaves = [np.zeros(np.shape(x)) if _is_float(x) else None for x in self.leaves]
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
    return any(_is_float(x) for x in flattened_arguments((argument,), ("argument",))[0])


def _dot(a: Leaves, b: Leaves) -> float:
    return float(sum(np.sum(np.asarray(x, dtype=np.float64) * y) for x, y in zip(a, b, strict=True)))


def _close(a: float, b: float, scale: float, tolerance: float) -> bool:
    return bool(abs(a - b) <= tolerance * max(1.0, abs(scale))) or (np.isnan(a) and np.isnan(b))


class _Check:
    def __init__(
        self, fun: Callable[..., Any], args: tuple[Any, ...], word: str, tolerance: float | None
    ) -> None:
        self.below = fun
        self.point = _Point(primal(fun), args)
        self.word = word
        self.args = args
        single = self.point.step() > 1e-3
        self.tolerance = tolerance if tolerance is not None else 2e-2 if single else 1e-5
        self.rng = np.random.default_rng(20240229)

    def forward(self, direction: Leaves) -> Leaves:
        transform: Jvp = kept(Jvp, self.below, (), options={})
        point = self.point
        cast = [
            None if d is None else cotangents.cast(d, x, "")
            for d, x in zip(direction, point.leaves, strict=True)
        ]
        tangents = tuple(pytree.assembler(point.tree)(cast))
        bound = transform.bound(point.arguments(point.leaves), {})
        _, found = transform.push(bound, transform.grouped(tangents, len(bound)))
        return [np.asarray(x, dtype=np.float64) for x in flattened(found, apart=True)[0]]

    def reverse(self, weights: Leaves) -> Leaves:
        transform: Vjp = kept(Vjp, self.below, None, (), options={})
        value, pullback = transform.forward(self.point.arguments(self.point.leaves), {}, False)
        leaves, tree = flattened(value, apart=True)
        it = iter(weights)
        seeds = [next(it) if _is_float(x) else None for x in leaves]
        found = pytree.conjugate(pullback(pytree.conjugate(pytree.assembler(tree)(seeds))))
        out: Leaves = [None] * len(self.point.leaves)
        target: dict[int, Any] = {}
        assert isinstance(self.point.tree, NodeSpec)
        cotangents.flat(
            NodeSpec(tuple, self.point.tree.keys, self.point.tree.children),
            tuple(found)[: len(self.point.tree.children)],
            [x if _is_float(x) else None for x in self.point.leaves],
            "gradient",
            target,
        )
        for k, g in target.items():
            out[k] = g
        return out

    def run(self, mode: str) -> None:
        direction = self.point.random(self.rng)
        expected = self.point.difference(direction)
        weights = [self.rng.uniform(0.5, 1.5, x.shape) for x in expected]
        wanted = _dot(expected, weights)
        if mode == "fwd":
            got = _dot(self.forward(direction), weights)
        else:
            gradient = self.reverse(weights)
            pairs = [(g, d) for g, d in zip(gradient, direction, strict=True) if g is not None]
            got = _dot([g for g, _ in pairs], [d for _, d in pairs])
        scale = sum(float(np.sum(np.abs(x))) for x in expected)
        if not _close(got, wanted, scale, self.tolerance):
            raise self.failure(mode, weights, got, wanted, direction)

    def all(self, modes: Sequence[str] | None, reasons: list[str]) -> tuple[str, ...]:
        """Compare in these modes, or in all that there are rules for; `reasons` gets why one is missing."""
        done = []
        for mode in WORDS if modes is None else modes:
            try:
                self.run(mode)
            except MissingRuleError as error:
                if modes is not None or mode != "fwd":
                    raise
                reasons.append(f"the tangent of {self.word}, since {error.message}")
            else:
                done.append(mode)
        return tuple(done)

    def blamed(self, direction: Leaves) -> str:
        """The statement whose local partial disagrees along the direction, in words."""
        transform: Jvp = kept(Jvp, self.below, (), options={"debug_nans": True})  # a line for each statement
        h = 0.5 * self.point.step()
        args = [self.point.arguments(self.point.moved(direction, by)) for by in (0.0, h, -h)]
        try:
            program = transform.captured(transform.specs(transform.bound(args[0], {})))
        except AdjitError:
            return ""
        from .suspect import suspect  # it loads the compiler, which a check that holds may not need

        around = Around(program)
        leaves = [around.with_hidden(transform.key(transform.bound(a, {}))[1]) for a in args]
        return suspect(program.function, leaves[0], leaves[1], leaves[2], h)

    def failure(
        self, mode: str, weights: Leaves, got: float, wanted: float, direction: Leaves
    ) -> GradientCheckError:
        """The worst entry of the gradient, and the statement to look at; or that differences say nothing."""
        for a, b in zip(
            self.point.value(self.point.leaves), self.point.value(self.point.leaves), strict=True
        ):
            if not np.array_equal(a, b, equal_nan=True):
                k = np.argmax(a != b)
                return GradientCheckError(
                    f"two evaluations of {self.word} at the same arguments differ: "
                    f"{a.flat[k]:.10g} and {b.flat[k]:.10g}",
                    why="finite differences need the same function each time: this one draws random numbers, "
                    "or keeps something from call to call",
                    hint="call np.random.seed in the function, or pass it the numbers",
                )
        worst = (abs(got - wanted), f"in a random direction: {got:.10g}, by finite differences {wanted:.10g}")
        gradient = self.reverse(weights) if mode == "rev" else None
        looked = 0
        deviation = -1.0
        for leaf in self.point.floats:
            for entry in range(np.size(self.point.leaves[leaf])):
                looked += 1
                if looked > MOST_ENTRIES:
                    break
                unit = self.point.unit(leaf, entry)
                b = _dot(self.point.difference(unit), weights)
                a = (
                    _dot(self.forward(unit), weights)
                    if gradient is None
                    else float(np.asarray(gradient[leaf]).reshape(-1)[entry])
                )
                if abs(a - b) > deviation:
                    deviation = abs(a - b)
                    direction = unit
                    at = self.point.spelling(leaf, entry)
                    worst = (deviation, f"in `{at}`: {a:.10g}, by finite differences {b:.10g}")
        return GradientCheckError(
            f"the {WORDS[mode]} of {self.word} is wrong {worst[1]}",
            why=self.blamed(direction),
            hint="see that the function is smooth there, and that rules of your own are right",
        )


def primal(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The function to take differences of: the Python one where there is one."""
    if isinstance(fun, Transform):
        from_python = getattr(fun, "py_func", None)
        return from_python if from_python is not None else fun
    return getattr(fun, "py_func", fun)


def check_grads(
    fun: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] | None = None,
    tolerance: float | None = None,
) -> Checked:
    """Compare derivatives of `fun` at `args` with finite differences; raise `GradientCheckError` where they
    differ. Arguments without floats are left as they are; `NotDifferentiableError` if there are no others.
    What comes back says what was compared.

    `order=2` also checks the gradient's own derivatives, where the function returns a single number. `modes`
    are "fwd" and "rev": both, if none are given, but without "fwd" where a custom_vjp gives no tangents.

    >>> def cube(x):
    ...     return x * x * x
    >>> check_grads(cube, (2.0,), order=1, modes=("rev",))
    <adjit check of cube: derivatives in x agree with finite differences (first order by gradient)>
    """
    if modes is not None and not (modes and all(m in WORDS for m in modes)):
        raise ValueError(f"modes are 'fwd' and 'rev', not {modes!r}")
    if not isinstance(args, tuple | list):
        raise TypeError("args is the tuple of the function's arguments: check_grads(f, (x,))")
    name = f"`{getattr(fun, '__name__', 'the function')}`"
    given = tuple(args)
    first = _Check(fun, given, name, tolerance)
    if not first.point.floats:
        raise NotDifferentiableError(
            f"no argument of {name} holds floats: there is nothing to compare", hint="pass 3.0 for 3"
        )
    reasons: list[str] = []
    done = [first.all(modes, reasons)]
    values = first.point.value(first.point.leaves)
    if order > 1 and len(values) == 1 and values[0].shape == ():
        chosen = tuple(k for k, a in enumerate(given) if holds_floats(a))
        gradient = kept(Gradient, fun, False, chosen, options={})
        done.append(_Check(gradient, given, f"the gradient of {name}", tolerance).all(modes, reasons))
    names, bound = argument_names(first.point.fun, given)
    varied = tuple(n for n, a in zip(names, bound, strict=True) if holds_floats(a))
    return Checked(name.strip("`"), varied, tuple(done), "; ".join(dict.fromkeys(reasons)))
