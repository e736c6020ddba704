"""Registry of the NumPy functions that are written as loops, and of what the loops are written in.

A definition is a plain Python function in the subset that the frontend reads: scalar loops, element loads
and stores, `for index in np.ndindex(shape)` with a tuple index, static tuples (concatenation,
comprehension, constant index), tests on ranks, dtypes, None and other compile-time values, calls of other
definitions. It runs as it stands on NumPy arrays and returns what the NumPy function returns: value, shape
and dtype. No derivative is written in one: that of the loops has to be right, at ties and zeros too.

Annotations tell the frontend how to pass an argument:
- `Array` array-like: a number, list or tuple of numbers becomes an array before the call (rank 0 for a
  number);
- `Once` the same, and each element is read at most once, so a virtual array is passed without being put
  into memory;
- `Arrays` a tuple or list, each item of which is made an array; its elements are read at most once too.

Anything else is passed as it is. Keywords that a definition does not name are not supported.

Kinds of function:
- `@defines(np.sum)` inlined for the spelling;
- `@elementwise(np.square)` a function of scalars, applied to each element with broadcasting. For a ufunc
  the arguments are first cast to the dtypes of the loop that NumPy chooses and the result to the dtype of
  its output; otherwise integers become float64;
- `@compile_time` ordinary Python that is run during compilation, on compile-time arguments only (dtypes,
  ranks, axes); its errors are the user's;
- `@spells("share")` a Python spelling of the core op of that name;
- `@calls("gemm")` a Python spelling of the library routine of that name: arrays in the routine's order of
  arguments, no result.

Non-goals: reading the sources, choosing between a definition and a library routine.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..held import held as held

Function = TypeVar("Function", bound=Callable[..., Any])

Array = Annotated[np.ndarray[Any, np.dtype[Any]], "array"]
Once = Annotated[np.ndarray[Any, np.dtype[Any]], "array", "once"]
Arrays = Annotated[tuple[np.ndarray[Any, np.dtype[Any]], ...], "arrays", "once"]
Axis = int | tuple[int, ...] | None
Shape = tuple[int, ...]
Number = Any  # a scalar whose dtype is known only in a specialisation
Dtype = Any  # what `np.dtype` takes, or None

DEFINITIONS: dict[object, Callable[..., Any]] = {}
ELEMENTWISE: dict[object, Callable[..., Any]] = {}
COMPILE_TIME: set[object] = set()
OPS: dict[object, str] = {}
ROUTINES: dict[object, str] = {}


def _enter(
    table: dict[object, Callable[..., Any]], spellings: tuple[object, ...]
) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        for spelling in spellings:
            if spelling in DEFINITIONS or spelling in ELEMENTWISE:
                raise ValueError(f"{spelling} is defined twice")
            table[spelling] = function
        return function

    return decorate


def defines(*spellings: object) -> Callable[[Function], Function]:
    """Decorator: the function stands for each of `spellings`."""
    return _enter(DEFINITIONS, spellings)


def newer(*names: str) -> tuple[Any, ...]:
    """NumPy's functions of these names; none for a name that the installed NumPy is too old to have."""
    return tuple(getattr(np, name) for name in names if hasattr(np, name))


def elementwise(*spellings: object) -> Callable[[Function], Function]:
    """Decorator: the function of scalars stands for each of `spellings` on every element."""
    return _enter(ELEMENTWISE, spellings)


def compile_time(function: Function) -> Function:
    """Decorator: run during compilation."""
    COMPILE_TIME.add(function)
    return function


def spells(op: str) -> Callable[[Function], Function]:
    """Decorator: a call of the function is the core op `op`."""

    def decorate(function: Function) -> Function:
        OPS[function] = op
        return function

    return decorate


def calls(routine: str) -> Callable[[Function], Function]:
    """Decorator: a call of the function is the library routine `routine`."""

    def decorate(function: Function) -> Function:
        ROUTINES[function] = routine
        return function

    return decorate


@functools.cache
def _marks(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    hints = typing.get_type_hints(function, include_extras=True)
    return {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}


def arguments_marked(function: Callable[..., Any], mark: str) -> frozenset[str]:
    """Names of the parameters annotated with `mark`: "array", "once" or "arrays".

    >>> def f(a: Once, axis: int) -> None: ...
    >>> sorted(arguments_marked(f, "once"))
    ['a']
    """
    return frozenset(name for name, marks in _marks(function).items() if mark in marks)


# -- what the definitions share


@compile_time
def unsupported(what: str) -> None:
    """Refuses, during compilation, what NumPy can do and the definition cannot."""
    raise NotImplementedError(what)


@spells("share")
def share(x: Number, y: Number, weight: Number) -> Number:
    """`x`, with the part `weight` of the derivative of `y`, which is equal, in addition to its own."""
    return x


@spells("root")
def root(x: Number) -> Number:
    """Square root whose derivative at zero is zero: that of a norm."""
    return np.sqrt(x)


spells("stop_gradient")(held)  # in definitions only where the derivative cancels out of the result


@compile_time
def axes_of(axis: Axis, ndim: int) -> Shape:
    """The axes meant, each counted from zero, ascending.

    >>> axes_of(None, 2), axes_of(-1, 2)
    ((0, 1), (1,))
    """
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(normalize_axis_tuple(axis, ndim)))


@compile_time
def axis_of(axis: int, ndim: int) -> int:
    return int(normalize_axis_index(axis, ndim))


@compile_time
def trailing(axes: Shape, ndim: int) -> bool:
    """Whether these are the last axes."""
    return axes == tuple(range(ndim - len(axes), ndim))


@compile_time
def places(axes: Shape, ndim: int) -> Shape:
    """Where entry k of a full index stands in `kept + reduced`, `reduced` being the entries on `axes`.

    >>> places((0,), 3)
    (2, 0, 1)
    """
    kept = [k for k in range(ndim) if k not in axes]
    order = (*kept, *axes)
    return tuple(order.index(k) for k in range(ndim))


@compile_time
def sum_dtype(dtype: Dtype, wanted: Dtype = None) -> np.dtype[Any]:
    """The dtype in which NumPy adds and multiplies: integers narrower than int64 widen."""
    if wanted is not None:
        return np.dtype(wanted)
    return np.add.reduce(np.empty(0, dtype)).dtype


@compile_time
def wide(kind: Dtype) -> np.dtype[Any]:
    """The dtype in which one sum runs: float32 numbers are added up in float64, since a running sum in
    float32 loses digits that NumPy's pairwise sums keep.

    >>> str(wide(np.dtype(np.float32))), str(wide(np.dtype(np.int64)))
    ('float64', 'int64')
    """
    return np.promote_types(kind, np.float64) if np.issubdtype(kind, np.inexact) else np.dtype(kind)


@compile_time
def float_dtype(dtype: Dtype, wanted: Dtype = None) -> np.dtype[Any]:
    """The dtype of a mean: that of floats, float64 for integers."""
    if wanted is not None:
        return np.dtype(wanted)
    return np.dtype(dtype) if np.issubdtype(dtype, np.inexact) else np.dtype(np.float64)


def kept_shape(shape: Shape, axes: Shape, keepdims: bool) -> Shape:
    """The shape after a reduction over `axes`."""
    if keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def without(shape: Shape, axes: Shape) -> Shape:
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def only(shape: Shape, axes: Shape) -> Shape:
    return tuple(n for k, n in enumerate(shape) if k in axes)


def kept_index(index: Shape, axes: Shape, keepdims: bool) -> Shape:
    """Where the element at `index` goes in a reduction over `axes`."""
    if keepdims:
        return tuple(0 if k in axes else i for k, i in enumerate(index))
    return tuple(i for k, i in enumerate(index) if k not in axes)


def spread(index: Shape, axes: Shape, keepdims: bool) -> Shape:
    """An index over the kept axes, as one into the result: with zeros on `axes` for `keepdims`."""
    if keepdims:
        both = index + tuple(0 for k in axes)
        return tuple(both[p] for p in places(axes, len(both)))
    return index


def joined(kept: Shape, reduced: Any, axes: Shape) -> Any:
    """The full index with entries `reduced` on `axes` and `kept` elsewhere."""
    both = kept + reduced
    return tuple(both[p] for p in places(axes, len(both)))


def count(shape: Shape, axes: Shape) -> int:
    """How many elements are reduced into one."""
    n = 1
    for k in axes:
        n = n * shape[k]
    return n
