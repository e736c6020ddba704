"""Arrays in a workspace, made by a few instructions.

A workspace is an array of 64-bit words of which the first `ws[0]` are in use. Input: the workspace, the shape
and the dtype of an array. Output: the array, C-contiguous, in the next words; a fresh one where they do not
suffice. What would have sufficed is counted on in `ws[0]`. Written out in LLVM, since Numba takes seconds to
compile slices, views and reshapes for each rank. Non-goals: keeping workspaces (`workspace`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import lower_builtin, type_callable

from .instructions import clamped, clamped_in_llvm

ALIGNMENT = 8  # words


def _room(ws: Any, shape: Any, dtype: Any) -> Any:
    """Move `ws[0]` on; the words of the array, or None if there are not enough."""
    count = 1
    for n in shape:
        count *= n
    words = (count * np.dtype(dtype).itemsize + 7) // 8
    start = int(ws[0])
    ws[0] = start + words + ALIGNMENT - words % ALIGNMENT
    if start + words > ws.shape[0]:
        return None
    return ws[start : start + words].view(dtype)[:count].reshape(shape)


def take(ws: Any, shape: Any, dtype: Any) -> Any:
    """An array of any contents; negative lengths count as zero."""
    shape = clamped(shape)
    room = _room(ws, shape, dtype)
    return np.empty(shape, dtype) if room is None else room


def take_zeros(ws: Any, shape: Any, dtype: Any) -> Any:
    """An array of zeros."""
    made = take(ws, shape, dtype)
    made[...] = 0
    return made


@type_callable(take)  # type: ignore[untyped-decorator]
@type_callable(take_zeros)  # type: ignore[untyped-decorator]
def _typed(_context: Any) -> Any:
    def typer(ws: Any, shape: Any, dtype: Any) -> Any:
        return types.Array(dtype.dtype, len(shape), "C")

    return typer


def _sizes(context: Any, builder: Any, item: Any, lengths: list[Any]) -> tuple[Any, Any]:
    """Bytes and words of an array."""
    seven, three = (ir.Constant(ir.IntType(64), k) for k in (7, 3))
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    for n in lengths:
        size = builder.mul(size, n)
    return size, builder.lshr(builder.add(size, seven), three)


def _lowered(zeroed: bool) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.np.arrayobj import (  # a tenth of an import of Numba: with the first compile
            _empty_nd_impl,
            make_array,
        )

        made = signature.return_type
        source = make_array(signature.args[0])(context, builder, args[0])
        lengths = clamped_in_llvm(context, builder, cgutils.unpack_tuple(builder, args[1], made.ndim))
        item = context.get_data_type(made.dtype)
        size, words = _sizes(context, builder, item, lengths)
        whole, last = (ir.Constant(ir.IntType(64), k) for k in (ALIGNMENT, ALIGNMENT - 1))
        start = builder.load(source.data)
        end = builder.add(start, words)
        next_free = builder.sub(builder.add(end, whole), builder.and_(words, last))
        builder.store(next_free, source.data)
        result = cgutils.alloca_once(builder, context.get_value_type(made))
        fits = builder.icmp_signed("<=", end, builder.extract_value(source.shape, 0))
        with builder.if_else(fits) as (inside, outside):
            with inside:
                place = builder.bitcast(builder.gep(source.data, [start]), ir.PointerType(item))
                value = _within(context, builder, made, source, place, lengths)
                builder.store(value, result)
            with outside:
                builder.store(_empty_nd_impl(context, builder, made, lengths)._getvalue(), result)
        value = builder.load(result)
        if zeroed:
            data = make_array(made)(context, builder, value).data
            byte = builder.bitcast(data, ir.PointerType(ir.IntType(8)))
            cgutils.memset(builder, byte, size, 0)
        return impl_ret_new_ref(context, builder, made, value)

    return lower


def _within(context: Any, builder: Any, made: Any, source: Any, place: Any, lengths: list[Any]) -> Any:
    """The value of an array at `place`, which shares the memory of `source`."""
    from numba.np.arrayobj import make_array, populate_array

    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(made.dtype)))
    strides: list[Any] = []
    step = itemsize
    for n in reversed(lengths):
        strides.insert(0, step)
        step = builder.mul(step, n)
    target = make_array(made)(context, builder)
    populate_array(
        target,
        data=place,
        shape=lengths,
        strides=strides,
        itemsize=itemsize,
        meminfo=source.meminfo,
        parent=None,
    )
    value = target._getvalue()
    context.nrt.incref(builder, made, value)
    return value


_SHAPE: Any = types.BaseTuple  # type: ignore[attr-defined]

for _function, _zeroed in ((take, False), (take_zeros, True)):
    lower_builtin(_function, types.Array, _SHAPE, types.NumberClass)(_lowered(_zeroed))
