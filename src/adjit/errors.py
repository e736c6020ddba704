"""Every exception and warning that a user of adjit can see.

Purpose: one class per kind of trouble, each also a subclass of the builtin that fits, so that both styles
of `except` work. Input: a message in the user's words, the place in the user's source, the reason and the
remedy. Output: `str(error)` shows the message, the place, the line with a caret, the reason and what to
write instead. Invariants: errors can be pickled; nothing re-creates an error by calling its type with a
string. Non-goals: deciding when something is an error; collecting several (see `compiler.diagnostics`).
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Iterable
from typing import Protocol


class Place(Protocol):
    """What an error needs to know of a place in source: lines count from 1, columns from 0 in UTF-8 bytes."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...
    @property
    def function(self) -> str: ...


def _characters(line: str, column: int) -> int:
    """A column in UTF-8 bytes, as `ast` counts, as a column in characters."""
    return len(line.encode()[:column].decode(errors="replace"))


def source_line(place: Place) -> str:
    """The text of the place's line without its end, or an empty string where the source is not at hand."""
    if place.line <= 0:
        return ""
    return linecache.getline(place.file, place.line).rstrip("\r\n")


def excerpt(place: Place) -> str:
    """The line that a place lies on with a caret below it; empty where the source is not at hand."""
    line = source_line(place)
    if not line.strip():
        return ""
    start = _characters(line, place.column)
    same_line = place.end_line in (0, place.line)
    end = _characters(line, place.end_column) if same_line and place.end_column else len(line)
    if same_line and not place.end_column:
        end = start + 1
    margin = len(line) - len(line.lstrip())
    marks = " " * (start - margin) + "^" * max(1, end - start)
    return f"    {line.strip()}\n    {marks}"


def where(place: Place) -> str:
    """`File "f.py", line 3, column 5, in loss`."""
    inside = f", in {place.function}" if place.function else ""
    return f'File "{place.file}", line {place.line}, column {place.column + 1}{inside}'


def call_notes(calls: Iterable[object]) -> tuple[str, ...]:
    """Lines on the calls that lead to a place, the innermost first."""
    lines = list(dict.fromkeys(f"In the call at {call}" for call in calls))
    return (*lines[:4], *(["…"] if len(lines) > 4 else []))


class AdjitError(Exception):
    """Base class: catch it to catch everything that adjit itself raises.

    >>> try:
    ...     raise SeedError("the seed has shape (2,), the result has shape (3,)", hint="pass three numbers")
    ... except ValueError as error:
    ...     print(error)
    the seed has shape (2,), the result has shape (3,)
    Instead: pass three numbers
    """

    def __init__(
        self,
        message: str,
        location: Place | None = None,
        why: str = "",
        hint: str = "",
        notes: tuple[str, ...] = (),
        others: tuple[AdjitError, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.why = why
        self.hint = hint
        self.notes = notes
        self.others = others

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.location, self.why, self.hint, self.notes, self.others)

    def details(self) -> str:
        """The message with its reason, remedy and notes, without the place."""
        lines = [self.message]
        if self.why:
            lines.append(f"Why: {self.why}")
        if self.hint:
            lines.append(f"Instead: {self.hint}")
        lines.extend(self.notes)
        return "\n".join(lines)

    def _one(self) -> str:
        head, *rest = self.details().split("\n")
        lines = [head]
        if self.location is not None and self.location.line > 0:
            lines.append(f"  {where(self.location)}")
            shown = excerpt(self.location)
            if shown:
                lines.append(shown)
        return "\n".join(lines + rest)

    def __str__(self) -> str:
        return "\n\n".join([self._one(), *(str(other) for other in self.others)])


class UnsupportedSyntaxError(AdjitError, SyntaxError):
    """A construct that adjit does not read.

    Wrong: `with open(name) as file: ...` in a differentiated function. Right: read the file before the call
    and pass the numbers.
    """

    def __init__(
        self,
        message: str,
        location: Place | None = None,
        why: str = "",
        hint: str = "",
        notes: tuple[str, ...] = (),
        others: tuple[AdjitError, ...] = (),
    ) -> None:
        super().__init__(message, location, why, hint, notes, others)
        self.msg = "\n\n".join([self.details(), *(str(other) for other in others)])
        if location is None or location.line <= 0:
            return
        line = source_line(location)
        self.filename, self.lineno = location.file, location.line
        if not line:  # nothing that a traceback could show
            return
        self.text = line + "\n"
        self.offset = _characters(line, location.column) + 1
        if location.end_line:
            self.end_lineno = location.end_line
            self.end_offset = _characters(line, location.end_column) + 1


class NameResolutionError(AdjitError, NameError):
    """A name that has no value where it is read.

    Wrong: `if c: y = x` followed by `return y`. Right: give `y` a value on the other path too.
    """


class InferenceError(AdjitError, TypeError):
    """A value whose type cannot be found, or two that disagree.

    Wrong: `x = 1.0 if c else (1.0, 2.0)`. Right: the same type on both sides. Wrong: `grad(f)([1.0, 2.0])`.
    Right: `grad(f)(np.array([1.0, 2.0]))`.
    """


class MissingRuleError(AdjitError, NotImplementedError):
    """A function that adjit neither reads nor has a derivative rule for.

    Wrong: `np.linalg.svd(a)`. Right: the computation as loops, or as functions that have a rule.
    """


class NotDifferentiableError(AdjitError, ValueError):
    """A derivative was asked for where there is none.

    Wrong: `adjit.grad(f)(3)`, an integer. Right: `adjit.grad(f)(3.0)`.
    """


class SeedError(AdjitError, ValueError):
    """A cotangent or tangent that does not fit what it belongs to.

    Wrong: `pullback(np.ones(2))` for a result of shape (3,). Right: `pullback(np.ones(3))`.
    """


class OverwriteError(AdjitError, RuntimeError):
    """Memory is written through one name and read through another, in a way that cannot be reversed.

    Wrong: `f(a[1:], a[:-1])` where f writes its first argument. Right: `f(a[1:].copy(), a[:-1])`.
    """


class ShapeError(AdjitError, ValueError):
    """Shapes that do not go together, in NumPy's words.

    Wrong: `np.ones(3) + np.ones(4)`. Right: equal lengths, or a length of one.
    """


class OutOfBoundsError(AdjitError, IndexError):
    """An index outside its axis.

    Wrong: `x[i + 1]` in `for i in range(len(x))`. Right: `for i in range(len(x) - 1)`.
    """


class ReleasedError(AdjitError, RuntimeError):
    """A pullback was called a second time, after its buffers were given up.

    Wrong: `value, pullback = adjit.vjp(f, x)` and two calls of `pullback`. Right: `adjit.vjp(f, x,
    retain=True)`.
    """


class InputChangedError(AdjitError, RuntimeError):
    """An argument array was written between the forward and the reverse sweep, which still reads it.

    Wrong: `value, pullback = adjit.vjp(f, x)`, then `x[:] = 0`, then `pullback()`. Right: call the pullback
    first, or pass `x.copy()`.
    """


class NonFiniteError(AdjitError, FloatingPointError):
    """With `debug_nans=True`: the first statement that made a NaN or an infinity of finite numbers.

    Wrong: `np.log(x)` at 0. Right: another formula there, or `np.where` on the argument of the logarithm.
    """


class GradientCheckError(AdjitError, AssertionError):
    """`check_grads` found a derivative that differs from the finite difference.

    Wrong: a kink or a jump at the point. Right: another point; the message names the worst entry.
    """


class MemoryBudgetError(AdjitError, MemoryError):
    """A gradient does not fit into `max_bytes`.

    Wrong: `adjit.grad(f, max_bytes=1)`. Right: the least budget that the message names, or more.
    """


class BackendError(AdjitError, RuntimeError):
    """Numba could not compile the generated program; the cause is kept as `__cause__`.

    Wrong: nothing that you did. Right: report it with the generated source that the message names.
    """


class InternalError(AdjitError, AssertionError):
    """adjit found a mistake of its own. Please report it with the file that the message names."""


class AdjitWarning(UserWarning):
    """Base class of adjit's warnings; `warnings.simplefilter("ignore", adjit.AdjitWarning)` silences all."""


_given: set[str] = set()


def warn_once(identity: str, text: str) -> None:
    """Warn with `[identity] text`, once per process and identity."""
    if identity not in _given:
        _given.add(identity)
        warnings.warn(f"[{identity}] {text}", AdjitWarning, stacklevel=3)
