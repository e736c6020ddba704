"""Every exception that a user can see.

Each class is also a subclass of the builtin exception that fits, so that both `except` styles work. An error carries where
it was found and what to write instead; its text is the message, the line with a caret, and the hint.
Non-goals: rendering of the excerpt (`compiler.diagnostics`).
"""

from __future__ import annotations


class AdjitError(Exception):
    """Base of all errors. `location` is a place in the user's source (file, line, column) or None."""

    def __init__(
        self, message: str = "", *, location: object = None, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint
        self.notes = notes

    def __str__(self) -> str:
        from_where = f"{self.location}: " if self.location is not None else ""
        return "\n".join([from_where + self.message, *self.notes, *([self.hint] if self.hint else [])])


class UnsupportedSyntaxError(AdjitError, SyntaxError):
    """A construct outside the language that adjit reads."""


class NameResolutionError(AdjitError, NameError):
    """A name that means nothing, or nothing on some path."""


class InferenceError(AdjitError, TypeError):
    """No type can be given, or types disagree."""


class MissingRuleError(AdjitError, NotImplementedError):
    """A function that adjit does not know."""


class NotDifferentiableError(AdjitError, ValueError):
    """An integer argument, a mutated global and the like."""


class SeedError(AdjitError, ValueError):
    """A cotangent of the wrong shape or dtype."""


class OverwriteError(AdjitError, RuntimeError):
    """Aliasing or overwriting that cannot be reversed."""


class ShapeError(AdjitError, ValueError):
    """Shapes that do not fit, in NumPy's words."""


class OutOfBoundsError(AdjitError, IndexError):
    """An index outside its axis."""


class ReleasedError(AdjitError, RuntimeError):
    """A second pullback without retain=True."""


class InputChangedError(AdjitError, RuntimeError):
    """An input changed between the two sweeps."""


class GradientCheckError(AdjitError, AssertionError):
    """check_grads found a difference."""


class MemoryBudgetError(AdjitError, MemoryError):
    """The budget is too small for any plan."""


class BackendError(AdjitError, RuntimeError):
    """Numba failed; the cause is kept."""


class InternalError(AdjitError, AssertionError):
    """A broken invariant of the compiler: please report it."""
