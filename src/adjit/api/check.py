"""`check_grads`: values against those of the function itself, uncompiled where it has a Python form, and
derivatives against its finite differences.

Input: a function, its arguments, the order and the modes. Output: what was compared, or
`GradientCheckError` with the worst entry. Method: one random direction per mode, central differences with
Richardson extrapolation; on failure each entry is looked at by itself, so that the message can name the
worst. What is allowed follows the size of the derivative, and what rounding and the length of the step do
to the difference; there is no size below which everything passes. Non-goals: points where the function has
a kink within a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiler.program import NodeSpec, Program
from ..errors import AdjitError, GradientCheckError, MissingRuleError, NotDifferentiableError
from ..runtime import cotangents, pytree
from ..runtime.dispatch import Around
from .differences import Difference, Leaves, Point, argument_names, floats, holds_floats, is_float
from .gradient import Gradient
from .jacobian import flattened
from .tangent import Jvp
from .transform import Transform, kept
from .vjp import Vjp

MOST_ENTRIES = 400
WORDS = {"fwd": "tangent", "rev": "gradient"}


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


def _dot(a: Leaves, b: Leaves) -> float:
    return float(sum(np.sum(np.asarray(x, dtype=np.float64) * y) for x, y in zip(a, b, strict=True)))


class _Check:
    def __init__(
        self, fun: Callable[..., Any], args: tuple[Any, ...], word: str, tolerance: float | None
    ) -> None:
        self.below = fun
        self.point = Point(primal(fun), args)
        self.word = word
        self.args = args
        self.given = tolerance
        self.tolerance = tolerance if tolerance is not None else 2e-2 if self.point.step() > 1e-3 else 1e-5
        self.rng = np.random.default_rng(20240229)

    def forward(self, direction: Leaves) -> tuple[Leaves, Leaves]:
        """The leaves of the value, and its tangent."""
        transform: Jvp = kept(Jvp, self.below, (), options={})
        point = self.point
        cast = [
            None if d is None else cotangents.cast(d, x, "")
            for d, x in zip(direction, point.leaves, strict=True)
        ]
        tangents = tuple(pytree.assembler(point.tree)(cast))
        bound = transform.bound(point.arguments(point.leaves), {})
        value, found = transform.push(bound, transform.grouped(tangents, len(bound)))
        tangent = [np.asarray(x, dtype=np.float64) for x in flattened(found, apart=True)[0]]
        return flattened(value, apart=True)[0], tangent

    def reverse(self, weights: Leaves) -> tuple[Leaves, Leaves]:
        """The leaves of the value, and per leaf of the arguments its gradient."""
        transform: Vjp = kept(Vjp, self.below, None, (), options={})
        value, pullback = transform.forward(self.point.arguments(self.point.leaves), {}, False)
        leaves, tree = flattened(value, apart=True)
        it = iter(weights)
        seeds = [next(it) if is_float(x) else None for x in leaves]
        found = pytree.conjugate(pullback(pytree.conjugate(pytree.assembler(tree)(seeds))))
        out: Leaves = [None] * len(self.point.leaves)
        target: dict[int, Any] = {}
        assert isinstance(self.point.tree, NodeSpec)
        cotangents.flat(
            NodeSpec(tuple, self.point.tree.keys, self.point.tree.children),
            tuple(found)[: len(self.point.tree.children)],
            [x if is_float(x) else None for x in self.point.leaves],
            "gradient",
            target,
        )
        for k, g in target.items():
            out[k] = g
        return leaves, out

    def run(self, mode: str) -> None:
        direction = self.point.random(self.rng)
        differences = self.point.difference(direction)
        weights = [self.rng.uniform(0.5, 1.5, d.derivative.shape) for d in differences]
        if len(weights) == 1 and weights[0].shape == ():
            weights = [np.ones(())]  # so that the figures of a failure are those of the function
        wanted = _dot([d.derivative for d in differences], weights)
        if mode == "fwd":
            value, tangent = self.forward(direction)
            got = _dot(tangent, weights)
        else:
            value, gradient = self.reverse(weights)
            pairs = [(g, d) for g, d in zip(gradient, direction, strict=True) if g is not None]
            got = _dot([g for g, _ in pairs], [d for _, d in pairs])
        self.same_value(value)
        if not (abs(got - wanted) <= self.allowed(differences) or (np.isnan(got) and np.isnan(wanted))):
            raise self.failure(mode, weights, got, wanted, direction)

    def allowed(self, differences: Sequence[Difference]) -> float:
        """How far a derivative may be from these differences."""
        size = sum(float(np.sum(np.abs(d.derivative))) for d in differences)
        spread = sum(float(np.sum(d.spread)) for d in differences)
        rounding = sum(float(np.sum(d.rounding)) for d in differences)
        return self.tolerance * size + min(self.tolerance, spread) + rounding

    def same_value(self, value: Leaves) -> None:
        """Raise where adjit's value is not that of the function itself."""
        here = self.point.here
        shapes = [[np.shape(x) for x in leaves] for leaves in (value, here)]
        if shapes[0] != shapes[1]:
            raise self.wrong_value(f": its shapes are {shapes[0]}, by the function itself {shapes[1]}")
        tolerance = self.given if self.given is not None else float(np.sqrt(self.point.precision))
        rounding = iter(self.point.rounding)
        for k, (a, b) in enumerate(zip(map(np.asarray, value), map(np.asarray, here), strict=True)):
            off = a != b
            if is_float(here[k]):
                by = next(rounding)
                least = 0.0 if np.any(by) else 32.0 * self.point.precision  # nothing to judge its size by
                with np.errstate(all="ignore"):
                    near = np.abs(a - b) <= tolerance * np.abs(b) + 16.0 * by + least
                off &= ~(near & np.isfinite(b)) & ~(np.isnan(a) & np.isnan(b))
            if np.any(off):
                entry = np.unravel_index(np.argmax(off), off.shape)
                place = f" at [{', '.join(map(str, entry))}]" if entry else ""
                part = f" in part {k} of the result" if len(here) > 1 else ""
                figures = f"{float(a[entry]):.10g}, by the function itself {float(b[entry]):.10g}"
                raise self.wrong_value(f"{part}{place}: {figures}")

    def wrong_value(self, found: str) -> GradientCheckError:
        program = self.program(self.point.arguments(self.point.leaves))
        return GradientCheckError(
            f"the value of {self.word} is wrong{found}",
            None if program is None else program.function.loc,
            why="Python runs the function itself, adjit what it has compiled of it",
            hint="see that integers stay within 64 bits, and that your own rules return the function's value",
        )

    def steady(self) -> None:
        """Raise where two calls give two values: then differences say nothing."""
        for a, b in zip(floats(self.point.here), self.point.value(self.point.leaves), strict=True):
            if not np.array_equal(a, b, equal_nan=True):
                k = np.argmax(a != b)
                raise GradientCheckError(
                    f"two evaluations of {self.word} at the same arguments differ: "
                    f"{a.flat[k]:.10g} and {b.flat[k]:.10g}",
                    why="finite differences need the same function each time: this one draws random numbers, "
                    "or keeps something from call to call",
                    hint="call np.random.seed in the function, or pass it the numbers",
                )

    def all(self, modes: Sequence[str] | None, reasons: list[str]) -> tuple[str, ...]:
        """Compare in these modes, or in all that there are rules for; `reasons` gets why one is missing."""
        self.steady()
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

    def program(self, args: tuple[Any, ...]) -> Program | None:
        """What adjit reads of the function, a line for each statement."""
        transform: Jvp = kept(Jvp, self.below, (), options={"debug_nans": True})
        try:
            return transform.captured(transform.specs(transform.bound(args, {})))
        except AdjitError:
            return None

    def blamed(self, direction: Leaves) -> str:
        """The statement whose local partial disagrees along the direction, in words."""
        transform: Jvp = kept(Jvp, self.below, (), options={"debug_nans": True})  # a line for each statement
        h = 0.5 * self.point.step()
        args = [self.point.arguments(self.point.moved(direction, by)) for by in (0.0, h, -h)]
        program = self.program(args[0])
        if program is None:
            return ""
        from .suspect import suspect  # it loads the compiler, which a check that holds may not need

        around = Around(program)
        leaves = [around.with_hidden(transform.key(transform.bound(a, {}))[1]) for a in args]
        return suspect(program.function, leaves[0], leaves[1], leaves[2], h)

    def failure(
        self, mode: str, weights: Leaves, got: float, wanted: float, direction: Leaves
    ) -> GradientCheckError:
        """The worst entry of the gradient, and the statement to look at."""
        worst = (abs(got - wanted), f"in a random direction: {got:.10g}, by finite differences {wanted:.10g}")
        gradient = self.reverse(weights)[1] if mode == "rev" else None
        looked = 0
        deviation = -1.0
        for leaf in self.point.floats:
            for entry in range(np.size(self.point.leaves[leaf])):
                looked += 1
                if looked > MOST_ENTRIES:
                    break
                unit = self.point.unit(leaf, entry)
                b = _dot([d.derivative for d in self.point.difference(unit)], weights)
                a = (
                    _dot(self.forward(unit)[1], weights)
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
    """Compare `fun` at `args` with what adjit computes: its value with that of the function as Python runs
    it, its derivatives with finite differences. Raise `GradientCheckError` where they differ. Arguments
    without floats are left as they are; `NotDifferentiableError` if there are no others.
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
    values = floats(first.point.here)
    if order > 1 and len(values) == 1 and values[0].shape == ():
        chosen = tuple(k for k, a in enumerate(given) if holds_floats(a))
        gradient = kept(Gradient, fun, False, chosen, options={})
        done.append(_Check(gradient, given, f"the gradient of {name}", tolerance).all(modes, reasons))
    names, bound = argument_names(first.point.fun, given)
    varied = tuple(n for n, a in zip(names, bound, strict=True) if holds_floats(a))
    return Checked(name.strip("`"), varied, tuple(done), "; ".join(dict.fromkeys(reasons)))
