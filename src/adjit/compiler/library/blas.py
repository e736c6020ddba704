"""Matrix products."""

from __future__ import annotations

from ..ir.builder import Builder
from ..ir.nodes import Call
from .blocks import accumulates, clear, gemm, transposed
from .core import Arrays, Routine, Shadows, register


def gemm_needs(_call: Call, active: set[int]) -> set[int]:
    return ({2} if 1 in active else set()) | ({1} if 2 in active else set())


def gemm_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    """`out = x @ y`: the cotangents are `ct @ y.T` and `x.T @ ct`."""
    of_out = ct[0]
    if of_out is None:
        return
    if (of_x := ct[1]) is not None:
        gemm(b, of_x, of_out, transposed(b, primal[2]), accumulate=True)
    if (of_y := ct[2]) is not None:
        gemm(b, of_y, transposed(b, primal[1]), of_out, accumulate=True)
    if not accumulates(call.attrs):
        clear(b, of_out)


def gemm_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out = tangent[0]
    if of_out is None:
        return
    added = accumulates(call.attrs)
    if (of_x := tangent[1]) is not None:
        gemm(b, of_out, of_x, primal[2], accumulate=added)
        added = True
    if (of_y := tangent[2]) is not None:
        gemm(b, of_out, primal[1], of_y, accumulate=added)
        added = True
    if not added:
        clear(b, of_out)


register(Routine("gemm", reads=(1, 2), writes=(0,), vjp=gemm_vjp, jvp=gemm_jvp, needs=gemm_needs))
