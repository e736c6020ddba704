"""Functions of generated programs that are a few instructions: arithmetic on two numbers, and fresh arrays.

Input and output: numbers of one dtype; a shape and a dtype. In plain Python they are what they say; in
compiled code they are written out in LLVM, since Numba takes a twentieth of a second to compile each small
function, and several for each kind of `np.zeros`. Invariants: NaN spreads as in NumPy; the caller's
fastmath flags apply. Non-goals: memory that is kept between calls (`carving`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref, impl_ret_untracked
from numba.core.types.misc import unliteral
from numba.core.typing import signature
from numba.extending import lower_builtin, type_callable


def smul(ct: Any, p: Any) -> Any:
    """`ct * p`, and zero where `ct` is zero even if `p` is infinite or NaN."""
    return ct * p if ct != 0 else ct


def maximum(a: Any, b: Any) -> Any:
    """The larger one; NaN if either is."""
    return a if a >= b or a != a else b


def minimum(a: Any, b: Any) -> Any:
    """The smaller one; NaN if either is."""
    return a if a <= b or a != a else b


def empty(shape: Any, dtype: Any) -> Any:
    """A C array of any contents; negative lengths count as zero."""
    return np.empty(clamped(shape), dtype)


def zeros(shape: Any, dtype: Any) -> Any:
    """A C array of zeros; negative lengths count as zero."""
    return np.zeros(clamped(shape), dtype)


def clamped(shape: Any) -> Any:
    """The shape of an array that may stand before the loop in which its lengths are known not to be
    negative.
    """
    return tuple(max(n, 0) for n in shape) if isinstance(shape, tuple) else max(shape, 0)


def clamped_in_llvm(context: Any, builder: Any, lengths: Sequence[Any]) -> list[Any]:
    """The same for lengths as integers of LLVM."""
    zero = context.get_constant(types.intp, 0)
    return [builder.select(builder.icmp_signed("<", n, zero), zero, n) for n in lengths]


def _of_two(context: Any) -> Any:
    def typer(a: Any, b: Any) -> Any:
        both = context.unify_types(unliteral(a), unliteral(b))
        return signature(both, both, both)

    return typer


for _binary in (smul, maximum, minimum):
    type_callable(_binary)(_of_two)


def _smul(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ct, p = args
    if isinstance(sig.return_type, types.Float):
        nonzero = builder.fcmp_ordered("!=", ct, ct.type(0.0))  # of NaN, `ct` itself: one flag less to test
        value = builder.select(nonzero, builder.fmul(ct, p), ct)
    else:
        value = builder.mul(ct, p)
    return impl_ret_untracked(context, builder, sig.return_type, value)


def _extremum(sign: str) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = args
        kind = sig.return_type
        if isinstance(kind, types.Float):
            first = builder.or_(builder.fcmp_ordered(sign, a, b), builder.fcmp_unordered("uno", a, a))
        elif kind.signed:
            first = builder.icmp_signed(sign, a, b)
        else:
            first = builder.icmp_unsigned(sign, a, b)
        return impl_ret_untracked(context, builder, kind, builder.select(first, a, b))

    return lower


lower_builtin(smul, types.Any, types.Any)(_smul)
lower_builtin(maximum, types.Any, types.Any)(_extremum(">="))
lower_builtin(minimum, types.Any, types.Any)(_extremum("<="))


@type_callable(empty)  # type: ignore[untyped-decorator]
@type_callable(zeros)  # type: ignore[untyped-decorator]
def _array(_context: Any) -> Any:
    def typer(shape: Any, dtype: Any) -> Any:
        count = len(shape) if isinstance(shape, types.BaseTuple) else 1  # type: ignore[attr-defined]
        return types.Array(dtype.dtype, count, "C")

    return typer


def _fresh(zeroed: bool) -> Any:
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        from numba.np.arrayobj import _empty_nd_impl  # a tenth of an import of Numba: with the first compile

        made, shape = sig.return_type, sig.args[0]
        single = not isinstance(shape, types.BaseTuple)  # type: ignore[attr-defined]
        parts = [args[0]] if single else cgutils.unpack_tuple(builder, args[0], made.ndim)
        kinds = [shape] if single else list(shape)
        whole = [context.cast(builder, n, k, types.intp) for n, k in zip(parts, kinds, strict=True)]
        lengths = clamped_in_llvm(context, builder, whole)
        array = _empty_nd_impl(context, builder, made, lengths)
        if zeroed:
            cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)
        return impl_ret_new_ref(context, builder, made, array._getvalue())

    return lower


for _function, _zeroed in ((empty, False), (zeros, True)):
    for _shape in (types.Integer, types.BaseTuple):  # type: ignore[attr-defined]
        for _dtype in (types.NumberClass, types.DType):
            lower_builtin(_function, _shape, _dtype)(_fresh(_zeroed))
