"""Arrays put together, repeated, shifted, turned.

Input: arrays, and counts that may be known at run time only. Output: a fresh array, except for `flip`,
`rot90` and their kin, whose results are views as in NumPy. Non-goals: reshapes, transposes and broadcasts,
which are views of the core.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import OutOfBoundsError, ShapeError
from .core import (
    Array,
    Arrays,
    Axis,
    Number,
    Once,
    Shape,
    axes_of,
    axis_of,
    compile_time,
    defines,
    unsupported,
)


@compile_time
def common_dtype(dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    return np.result_type(*dtypes)


@compile_time
def ranks_agree(ranks: Shape) -> None:
    """The error that NumPy gives for arrays of different ranks."""
    if not ranks:
        raise ValueError("need at least one array to concatenate")
    if len(set(ranks)) > 1 or ranks[0] == 0:
        raise ValueError(
            "all the input array dimensions must match exactly, and arrays of rank 0 cannot be concatenated"
        )


def shifted(index: Shape, axis: int, by: int) -> Shape:
    return tuple(i + by if k == axis else i for k, i in enumerate(index))


@defines(np.concatenate)
def concatenate(arrays: Arrays, axis: int | None = 0) -> Array:
    if axis is None:
        return joined_along(tuple(x.ravel() for x in arrays), 0)
    return joined_along(arrays, axis)


def joined_along(arrays: Arrays, axis: int) -> Array:
    ranks_agree(tuple(x.ndim for x in arrays))
    along = axis_of(axis, arrays[0].ndim)
    first = arrays[0].shape
    length = 0
    for shape in tuple(x.shape for x in arrays):
        length = length + shape[along]
        for k, (n, m) in enumerate(zip(shape, first)):
            if k != along and n != m:
                raise ShapeError(
                    "all the input array dimensions except for the concatenation axis must match exactly"
                )
    kind = common_dtype(tuple(x.dtype for x in arrays))
    out = np.empty(tuple(length if k == along else n for k, n in enumerate(first)), kind)
    start = 0
    for x in arrays:
        start = start + placed(out, x, along, start)
    return out


def placed(out: Array, x: Once, axis: int, start: int) -> int:
    """Copy `x` into `out` from `start` on along an axis; its length there."""
    for index in np.ndindex(x.shape):
        out[shifted(index, axis, start)] = out.dtype.type(x[index])
    return x.shape[axis]


@defines(np.stack)
def stack(arrays: Arrays, axis: int = 0) -> Array:
    along = axis_of(axis, arrays[0].ndim + 1)
    first = arrays[0].shape
    for shape in tuple(x.shape for x in arrays):
        for n, m in zip(shape, first):
            if n != m:
                raise ShapeError("all input arrays must have the same shape")
    kind = common_dtype(tuple(x.dtype for x in arrays))
    out = np.empty(first[:along] + (len(arrays),) + first[along:], kind)
    for m, x in enumerate(arrays):
        layer(out, x, along, m)
    return out


def layer(out: Array, x: Once, axis: int, at: int) -> None:
    """Copy `x` into `out` at one place of a new axis."""
    for index in np.ndindex(x.shape):
        out[index[:axis] + (at,) + index[axis:]] = out.dtype.type(x[index])


def at_least_two(x: Once) -> Array:
    if x.ndim == 0:
        return x.reshape(1, 1)
    if x.ndim == 1:
        return x[None, :]
    return x


def at_least_three(x: Once) -> Array:
    if x.ndim == 0:
        return x.reshape(1, 1, 1)
    if x.ndim == 1:
        return x[None, :, None]
    if x.ndim == 2:
        return x[:, :, None]
    return x


def at_least_one(x: Once) -> Array:
    if x.ndim == 0:
        return x.reshape(1)
    return x


def as_column(x: Once) -> Array:
    if x.ndim < 2:
        return x.reshape(x.size, 1)
    return x


@defines(np.hstack)
def hstack(tup: Arrays) -> Array:
    return concatenate(tuple(at_least_one(x) for x in tup), 0 if tup[0].ndim <= 1 else 1)


@defines(np.vstack)
def vstack(tup: Arrays) -> Array:
    return concatenate(tuple(at_least_two(x) for x in tup), 0)


@defines(np.dstack)
def dstack(tup: Arrays) -> Array:
    return concatenate(tuple(at_least_three(x) for x in tup), 2)


@defines(np.column_stack)
def column_stack(tup: Arrays) -> Array:
    return concatenate(tuple(as_column(x) for x in tup), 1)


@defines(np.append)
def append(arr: Array, values: Array, axis: int | None = None) -> Array:
    if axis is None:
        return concatenate((arr.ravel(), values.ravel()))
    return concatenate((arr, values), axis)


@defines(np.tile)
def tile(A: Array, reps: Any) -> Array:
    counts = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    if len(counts) < A.ndim:
        counts = tuple(1 for k in range(A.ndim - len(counts))) + counts
    lengths = tuple(1 for k in range(len(counts) - A.ndim)) + A.shape
    out = np.empty(tuple(n * c for n, c in zip(lengths, counts)), A.dtype)
    lead = len(counts) - A.ndim
    for block in np.ndindex(counts):
        for index in np.ndindex(A.shape):
            full = tuple(0 for k in range(lead)) + index
            out[tuple(b * n + i for b, n, i in zip(block, lengths, full))] = A[index]
    return out


@defines(np.repeat)
def repeat(a: Once, repeats: int, axis: int | None = None) -> Array:
    """`repeats` is one number."""
    if np.ndim(repeats) != 0:
        unsupported("np.repeat with one count per element")
    if axis is None:
        flat = np.empty(a.size * repeats, a.dtype)
        position = 0
        for index in np.ndindex(a.shape):
            value = a[index]
            for m in range(repeats):
                flat[position + m] = value
            position = position + repeats
        return flat
    along = axis_of(axis, a.ndim)
    out = np.empty(tuple(n * repeats if k == along else n for k, n in enumerate(a.shape)), a.dtype)
    for index in np.ndindex(a.shape):
        value = a[index]
        for m in range(repeats):
            out[tuple(i * repeats + m if k == along else i for k, i in enumerate(index))] = value
    return out


def rolled(i: int, shift: int, n: int) -> int:
    """Where element i of n goes, for 0 <= shift < n."""
    return i + shift if i + shift < n else i + shift - n


@defines(np.roll)
def roll(a: Array, shift: Any, axis: Any = None) -> Array:
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    if np.ndim(axis) == 0:
        return roll_one(a, shift, axis_of(axis, a.ndim))
    shifts = (shift,) * len(axis) if np.ndim(shift) == 0 else tuple(shift)
    out = a
    for s, k in zip(shifts, axis):
        out = roll_one(out, s, axis_of(k, a.ndim))
    return out


def roll_one(a: Once, shift: int, axis: int) -> Array:
    n = a.shape[axis]
    places = shift % n if n > 0 else 0
    out = np.empty(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        out[tuple(rolled(i, places, n) if k == axis else i for k, i in enumerate(index))] = a[index]
    return out


@defines(np.flip)
def flip(m: Array, axis: Axis = None) -> Array:
    axes = axes_of(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


@defines(np.fliplr)
def fliplr(m: Array) -> Array:
    return m[:, ::-1]


@defines(np.flipud)
def flipud(m: Array) -> Array:
    return m[::-1]


@defines(np.rot90)
def rot90(m: Array, k: int = 1) -> Array:
    """In the plane of the first two axes."""
    turns = k % 4
    if turns == 0:
        return m[:]
    if turns == 2:
        return m[::-1, ::-1]
    if turns == 1:
        return np.swapaxes(m[:, ::-1], 0, 1)
    return np.swapaxes(m, 0, 1)[:, ::-1]


@defines(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1) -> Array:
    if n == 0:
        return a
    return diff(difference(a, axis_of(axis, a.ndim)), n - 1, axis)


def difference(a: Array, axis: int) -> Array:
    after = tuple(slice(1, None) if k == axis else slice(None) for k in range(a.ndim))
    before = tuple(slice(None, -1) if k == axis else slice(None) for k in range(a.ndim))
    return a[after] - a[before]


@defines(np.ediff1d)
def ediff1d(ary: Array) -> Array:
    return difference(ary.ravel(), 0)


@defines(np.take)
def take(a: Array, indices: Array, axis: int | None = None) -> Number:
    if axis is None:
        return take(a.ravel(), indices, 0)
    along = axis_of(axis, a.ndim)
    return a[tuple(indices if k == along else slice(None) for k in range(a.ndim))]


@defines(np.take_along_axis)
def take_along_axis(arr: Array, indices: Array, axis: int) -> Array:
    along = axis_of(axis, arr.ndim)
    for k, (n, m) in enumerate(zip(arr.shape, indices.shape)):
        if k != along and n != m:
            raise ShapeError("`indices` and `arr` must have the same shape off the axis")
    out = np.empty(indices.shape, arr.dtype)
    for index in np.ndindex(indices.shape):
        out[index] = arr[tuple(indices[index] if k == along else i for k, i in enumerate(index))]
    return out


@defines(np.split)
def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> tuple[Array, ...]:
    """Views, in a tuple rather than a list."""
    along = axis_of(axis, ary.ndim)
    n = ary.shape[along]
    if np.ndim(indices_or_sections) == 0:
        parts = indices_or_sections
        if n % parts != 0:
            raise ShapeError("array split does not result in an equal division")
        return tuple(piece(ary, along, k * (n // parts), (k + 1) * (n // parts)) for k in range(parts))
    edges = (0,) + tuple(indices_or_sections) + (n,)
    return tuple(piece(ary, along, edges[k], edges[k + 1]) for k in range(len(edges) - 1))


def piece(a: Array, axis: int, start: int, stop: int) -> Array:
    return a[tuple(slice(start, stop) if k == axis else slice(None) for k in range(a.ndim))]


@defines(np.hsplit)
def hsplit(ary: Array, indices_or_sections: Any) -> tuple[Array, ...]:
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


@defines(np.vsplit)
def vsplit(ary: Array, indices_or_sections: Any) -> tuple[Array, ...]:
    return split(ary, indices_or_sections, 0)


@compile_time
def pad_widths(width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """Before and after, for each axis."""
    return tuple((int(a), int(b)) for a, b in np.broadcast_to(np.asarray(width), (ndim, 2)).tolist())


@compile_time
def known_padding(mode: str) -> None:
    if mode not in ("constant", "edge", "wrap", "reflect", "symmetric"):
        raise NotImplementedError(f"np.pad of mode {mode!r}")


def source_of(i: int, n: int, mode: str) -> int:
    """The element of n that a padded position i, counted from the first element, repeats."""
    if mode == "edge":
        return min(max(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    if mode == "reflect":
        j = i % max(2 * n - 2, 1)
        return j if j < n else 2 * n - 2 - j
    j = i % (2 * n)
    return j if j < n else 2 * n - 1 - j


@defines(np.pad)
def pad(array: Array, pad_width: Any, mode: str = "constant", *, constant_values: Number = 0) -> Array:
    known_padding(mode)
    widths = pad_widths(pad_width, array.ndim)
    out = np.empty(tuple(n + w[0] + w[1] for n, w in zip(array.shape, widths)), array.dtype)
    if mode == "constant":
        for index in np.ndindex(out.shape):
            out[index] = constant_values
        for index in np.ndindex(array.shape):
            out[tuple(i + w[0] for i, w in zip(index, widths))] = array[index]
        return out
    for index in np.ndindex(out.shape):
        out[index] = array[tuple(source_of(i - w[0], n, mode) for i, n, w in zip(index, array.shape, widths))]
    return out


@defines(np.insert)
def insert(arr: Array, obj: int, values: Number, axis: int | None = None) -> Array:
    """At one place."""
    if np.ndim(obj) != 0:
        unsupported("np.insert at several places")
    if axis is None:
        return insert(arr.ravel(), obj, values, 0)
    along = axis_of(axis, arr.ndim)
    at = obj + arr.shape[along] if obj < 0 else obj
    shape = tuple(n + 1 if k == along else n for k, n in enumerate(arr.shape))
    new = np.broadcast_to(values, tuple(n for k, n in enumerate(arr.shape) if k != along))
    out = np.empty(shape, arr.dtype)
    for index in np.ndindex(shape):
        if index[along] == at:
            out[index] = new[tuple(i for k, i in enumerate(index) if k != along)]
        elif index[along] < at:
            out[index] = arr[index]
        else:
            out[index] = arr[shifted(index, along, -1)]
    return out


@defines(np.delete)
def delete(arr: Array, obj: int, axis: int | None = None) -> Array:
    """Of one place."""
    if np.ndim(obj) != 0:
        unsupported("np.delete at several places")
    if axis is None:
        return delete(arr.ravel(), obj, 0)
    along = axis_of(axis, arr.ndim)
    at = obj + arr.shape[along] if obj < 0 else obj
    if at < 0 or at >= arr.shape[along]:
        raise OutOfBoundsError("index is out of bounds in np.delete")
    shape = tuple(n - 1 if k == along else n for k, n in enumerate(arr.shape))
    out = np.empty(shape, arr.dtype)
    for index in np.ndindex(shape):
        out[index] = arr[index] if index[along] < at else arr[shifted(index, along, 1)]
    return out
