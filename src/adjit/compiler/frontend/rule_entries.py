"""The functions of a rule as they are captured.

Input: a function with a rule, or the rule. Output: `Entry`, or the rule itself. Invariant: a rule that Numba
compiles is entered by a call, since it may have to be called as it is. Non-goals: what a rule means
(`rules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...errors import InferenceError
from .entries import Entry, base_frame
from .ruling import Ruled, Ruling
from .source import Source
from .values import Sequence_, Value

if TYPE_CHECKING:
    from .specialise import Specialiser


MOST = 200  # arguments of a rule


def forward_and_back(function: Ruled, source: Source) -> Entry:
    """The function of held and moving arguments and cotangents that runs `fwd` and `bwd`; errors that have
    no other place are at `source`.
    """
    count = len(function.signature.parameters)

    def walk(ctx: Specialiser, given: Mapping[str, Value]) -> Value:
        *values, ct = given.values()
        held = {k % len(values) for k in function.nondiff}
        first, rest = values[: len(held)], iter(values[len(held) :])
        front = iter(first)
        args = [next(front) if k in held else next(rest) for k in range(len(values))]
        ctx.frames.append(base_frame(ctx, source, given))
        assert isinstance(ctx.ruling, Ruling)
        try:
            with ctx.ruling.inside(function):
                result = ctx.settled(ctx.call(function.rules[0], args), "y")
                if not isinstance(result, Sequence_) or len(result.items) != 2:
                    ctx.error(InferenceError, "fwd does not return a result and residuals")
                return ctx.call(function.rules[1], [*first, result.items[1], ct])
        finally:
            ctx.frames.pop()

    return Entry(source, _names(max(count, 1) + MOST), walk)


def walked(ctx: Specialiser, rule: object) -> object:
    """A rule as it is walked: one that Numba compiles may have to be called as it is."""
    if not hasattr(rule, "py_func"):
        return rule
    source = ctx.frame.source

    def walk(inner: Specialiser, given: Mapping[str, Value]) -> Value:
        inner.frames.append(base_frame(inner, source, given))
        try:
            return inner.call(rule, list(given.values()))
        finally:
            inner.frames.pop()

    return Entry(source, _names(MOST), walk)


def _names(count: int) -> tuple[str, ...]:
    return tuple(f"argument{k}" for k in range(count))


__all__ = ["forward_and_back", "walked"]
