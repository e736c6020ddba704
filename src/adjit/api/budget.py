"""`grad(f, max_bytes=…)`: gradients that fit into a number of bytes.

Input: a function, what a gradient is asked for, a call. Output: for each kind of arguments and their sizes,
the gradient in which `compiler.budget` has chosen the loops that are checkpointed. Invariants: what a call
has at a time beyond its arguments, results included, is at most `max_bytes` as `.saved(*args).peak` predicts
it, else `MemoryBudgetError` with the least number that would do. Non-goals: transforms of such a gradient,
which know no sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.budget import Budget, Choice, with_checkpoints
from ..compiler.derived import saving_loops
from ..compiler.program import Program, Spec
from ..errors import MissingRuleError
from ..runtime import aliasing, buffers
from ..runtime.dispatch import Around
from .gradient import Gradient


class Chosen(Gradient):
    """A gradient with some loops checkpointed, by their number in the program."""

    guesses = False  # loops are numbered in the program that holds for all lengths

    def __init__(self, *recipe: Any, choice: Choice) -> None:
        self.choice = choice
        super().__init__(*recipe)

    def chain(self) -> str:
        return f"{sorted(self.choice.items())} {super().chain()}"

    def captured(self, arguments: tuple[Spec, ...]) -> Program:
        return self.adapted(super().captured(arguments))

    def adapted(self, program: Program) -> Program:
        return with_checkpoints(program, self.choice)


class _Known:
    """What is known of one kind of arguments: their program, and the gradient for each set of sizes."""

    def __init__(self, program: Program) -> None:
        self.program, self.around = program, Around(program)
        self.found: dict[object, Chosen] = {}


class Budgeted(Gradient):
    """The gradient that each call chooses."""

    budgets = True

    def __init__(self, *recipe: Any, **settings: Any) -> None:
        super().__init__(*recipe, **settings)
        if self.options.target == "cuda":
            raise refusal('target="cuda"', "what kernels take is not predicted")
        if self.options.parallel:
            raise refusal("parallel", "what each thread takes is not predicted")
        self.plans: dict[object, list[_Known]] = {}
        self.latest: Chosen | None = None

    def program(self, arguments: tuple[Spec, ...]) -> Program:
        raise refusal(
            "a transform of the gradient or a call of it from compiled code",
            "sizes are known when it runs only",
        )

    def made(self, choice: Choice) -> Chosen:
        *recipe, options = self.recipe()
        return Chosen(*recipe, options.updated({"max_bytes": None}), choice=choice)

    def fitting(self, args: tuple[Any, ...]) -> Chosen:
        """The gradient for these arguments."""
        key, leaves = self.key(args)
        arrays = [a for a in leaves if isinstance(a, np.ndarray)]
        pattern = aliasing.pattern(arrays)
        with self.lock:
            plans = self.plans.setdefault((key, pattern), [])
            known = next((p for p in plans if p.around.fits(leaves)), None)
            if known is None:
                known = _Known(self.below(args, pattern))
                plans.append(known)
            arguments = known.around.with_hidden(leaves)
            sizes = tuple(map(_size, arguments))
            if sizes not in known.found:
                saving = saving_loops(known.program, self.chosen, self.has_aux)
                budget = Budget(known.program, lambda p: self.derive(p).function, saving, arguments)
                assert self.options.max_bytes is not None
                known.found[sizes] = self.made(budget.chosen(self.options.max_bytes))
            self.latest = known.found[sizes]
            return self.latest

    def below(self, args: tuple[Any, ...], pattern: tuple[int, ...]) -> Program:
        program = self.captured(self.specs(args))
        apart = pattern == tuple(range(len(pattern)))
        return program if apart or not program.written else self.captured(self.specs(args, pattern))

    # -- all that is asked of it is asked of the one that fits
    def prepare(self, args: tuple[Any, ...], extra: Any = None) -> tuple[Any, Sequence[Any]]:
        return self.fitting(args).prepare(args, extra)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fitting(self.bound(args, kwargs))(*args, **kwargs)

    def saved(self, *args: Any, **kwargs: Any) -> buffers.Saved:
        return self.fitting(self.bound(args, kwargs)).saved(*args, **kwargs)

    @property
    def compiled(self) -> Callable[..., Any] | None:
        return None if self.latest is None else self.latest.compiled


def refusal(what: str, why: str) -> MissingRuleError:
    hint = "mark loops with adjit.checkpoint"
    return MissingRuleError(f"max_bytes does not go together with {what}", why=why, hint=hint)


def _size(x: Any) -> object:
    """What lengths may depend on: shapes, integers, and arrays of integers."""
    if isinstance(x, np.ndarray):
        return (x.shape, x.tobytes()) if x.dtype.kind in "iub" else x.shape
    return x if isinstance(x, int | np.integer) else None


__all__ = ["Budgeted", "Chosen"]
