"""Solves, inverses, determinants and decompositions of matrices.

Rules follow from what each routine computes, with two exceptions to the textbook: the determinant's
derivative is the matrix of cofactors, which exists for singular matrices; and `cholesky` and `eigh` read
the lower triangle only, so only it has a cotangent. A vjp computes the result anew from the operands where
it needs it. Equal eigenvalues are taken to be symmetric in effect: the quotient of their difference is left
out.
"""

from __future__ import annotations

from ...errors import MissingRuleError
from ..ir.builder import Builder, const
from ..ir.nodes import Call, Operand, Var
from .blocks import (
    ONE,
    ZERO,
    Index,
    add,
    clear,
    each,
    gemm,
    like,
    rank,
    scaled,
    shape,
    transposed,
)
from .core import Arrays, Needs, Routine, Shadows, register


def reads_needed(*positions: int) -> Needs:
    """A vjp that reads these operands whenever some operand is active."""
    return lambda _call, active: set(positions) if active else set()


def solution(b: Builder, a: Var, right: Var, hint: str) -> Var:
    """`a` solved for a vector or matrix, in fresh memory."""
    out = like(b, right, hint)
    b.call("solve", out, a, right)
    return out


def minus_product(b: Builder, target: Var, x: Var, y: Var) -> None:
    """`target -= x y^T` for two vectors or two matrices of the same shape."""
    if rank(x) == 2:
        gemm(b, target, scaled(b, x, -1.0, x.name), transposed(b, y), accumulate=True)
        return

    def body(i: Index) -> None:
        value = b.op("mul", b.load(x, (i[0],)), b.load(y, (i[1],)))
        b.accumulate(target, i, b.op("neg", value))

    each(b, shape(b, target), body)


# -- solve(x, a, right): a x = right


def solve_needs(_call: Call, active: set[int]) -> set[int]:
    return {1, 2} if 1 in active else {1} if active else set()


def solve_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_x = ct[0]
    if of_x is None:
        return
    a = primal[1]
    of_right = solution(b, transposed(b, a), of_x, "ct_right")
    if (of_a := ct[1]) is not None:
        minus_product(b, of_a, of_right, solution(b, a, primal[2], "x"))
    if (target := ct[2]) is not None:
        add(b, target, of_right)
    clear(b, of_x)


def solve_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_x = tangent[0]
    if of_x is None:
        return
    residual = b.alloc(shape(b, of_x), of_x.type.dtype, "t_right", zeroed=True)
    if (of_right := tangent[2]) is not None:
        add(b, residual, of_right)
    if (of_a := tangent[1]) is not None:
        x = primal[0]
        if rank(x) == 2:
            gemm(b, residual, scaled(b, of_a, -1.0, of_a.name), x, accumulate=True)
        else:

            def body(i: Index) -> None:
                value = b.op("mul", b.load(of_a, i), b.load(x, (i[1],)))
                b.accumulate(residual, (i[0],), b.op("neg", value))

            each(b, shape(b, of_a), body)
    b.call("solve", of_x, primal[1], residual)


# -- inv(out, a)


def inverse(b: Builder, a: Var) -> Var:
    out = like(b, a, "inverse")
    b.call("inv", out, a)
    return out


def inv_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_out, of_a = ct[0], ct[1]
    if of_out is None:
        return
    if of_a is not None:
        turned = transposed(b, inverse(b, primal[1]))
        half = like(b, of_out, "t")
        gemm(b, half, turned, of_out)
        gemm(b, of_a, scaled(b, half, -1.0, "t"), turned, accumulate=True)
    clear(b, of_out)


def inv_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out, of_a = tangent[0], tangent[1]
    if of_out is None or of_a is None:
        return
    half = like(b, of_a, "t")
    gemm(b, half, primal[0], of_a)
    gemm(b, of_out, scaled(b, half, -1.0, "t"), primal[0])


# -- det(out, a), cofactor(out, a), cofactor_derivative(out, a, direction)


def inner(b: Builder, target: Var, x: Var, y: Var) -> None:
    """`target[0] += sum(x * y)` for matrices."""
    each(b, shape(b, x), lambda i: b.accumulate(target, (ZERO,), b.op("mul", b.load(x, i), b.load(y, i))))


def add_multiple(b: Builder, target: Var, factor: Operand, source: Var) -> None:
    each(b, shape(b, target), lambda i: b.accumulate(target, i, b.op("mul", factor, b.load(source, i))))


def cofactors(b: Builder, a: Var) -> Var:
    out = like(b, a, "cofactors")
    b.call("cofactor", out, a)
    return out


def det_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_out, of_a = ct[0], ct[1]
    if of_out is None:
        return
    if of_a is not None:
        add_multiple(b, of_a, b.load(of_out, (ZERO,)), cofactors(b, primal[1]))
    clear(b, of_out)


def det_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out, of_a = tangent[0], tangent[1]
    if of_out is None or of_a is None:
        return
    clear(b, of_out)
    inner(b, of_out, cofactors(b, primal[1]), of_a)


def cofactor_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    """The second derivative of the determinant is symmetric, so the vjp is the jvp."""
    of_out, of_a = ct[0], ct[1]
    if of_out is None:
        return
    if of_a is not None:
        change = like(b, of_a, "t")
        b.call("cofactor_derivative", change, primal[1], of_out)
        add(b, of_a, change)
    clear(b, of_out)


def cofactor_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out, of_a = tangent[0], tangent[1]
    if of_out is not None and of_a is not None:
        b.call("cofactor_derivative", of_out, primal[1], of_a)


def _third_derivative() -> None:
    raise MissingRuleError("third derivatives of a determinant are not supported")


def cofactor_derivative_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_out, of_direction = ct[0], ct[2]
    if of_out is None:
        return
    if ct[1] is not None:
        _third_derivative()
    if of_direction is not None:
        change = like(b, of_direction, "t")
        b.call("cofactor_derivative", change, primal[1], of_out)
        add(b, of_direction, change)
    clear(b, of_out)


def cofactor_derivative_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    if tangent[1] is not None:
        _third_derivative()
    of_out, of_direction = tangent[0], tangent[2]
    if of_out is not None and of_direction is not None:
        b.call("cofactor_derivative", of_out, primal[1], of_direction)


# -- slogdet(sign, logabs, a)


def slogdet_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    """The sign is piecewise constant."""
    of_log, of_a = ct[1], ct[2]
    if of_log is not None and of_a is not None:
        turned = transposed(b, inverse(b, primal[2]))
        add_multiple(b, of_a, b.load(of_log, (ZERO,)), turned)
    for shadow in (ct[0], of_log):
        if shadow is not None:
            clear(b, shadow)


def slogdet_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_log, of_a = tangent[1], tangent[2]
    for shadow in (tangent[0], of_log):
        if shadow is not None:
            clear(b, shadow)
    if of_log is not None and of_a is not None:
        inner(b, of_log, transposed(b, inverse(b, primal[2])), of_a)


# -- cholesky(out, a): the lower factor; reads the lower triangle


def lower_half(b: Builder, x: Var) -> Var:
    """The lower triangle with half of the diagonal."""
    out = b.alloc(shape(b, x), x.type.dtype, "t", zeroed=True)
    with b.loop(ZERO, b.dim(x, 0), "i") as i:
        with b.loop(ZERO, i, "j") as j:
            b.store(out, (i, j), b.load(x, (i, j)))
        b.store(out, (i, i), b.op("mul", const(0.5, x.type.dtype), b.load(x, (i, i))))
    return out


def add_lower(b: Builder, target: Var, of_matrix: Var) -> None:
    """Add the cotangent of a symmetric matrix, as one of a general matrix, to that of the triangle it is
    read from.
    """
    with b.loop(ZERO, b.dim(target, 0), "i") as i:
        with b.loop(ZERO, i, "j") as j:
            both = b.op("add", b.load(of_matrix, (i, j)), b.load(of_matrix, (j, i)))
            b.accumulate(target, (i, j), both)
        b.accumulate(target, (i, i), b.load(of_matrix, (i, i)))


def from_lower(b: Builder, x: Var) -> Var:
    """The symmetric matrix whose lower triangle is that of `x`."""
    out = like(b, x, "t")
    with b.loop(ZERO, b.dim(x, 0), "i") as i, b.loop(ZERO, b.op("add", i, ONE), "j") as j:
        value = b.load(x, (i, j))
        b.store(out, (i, j), value)
        b.store(out, (j, i), value)
    return out


def congruence(b: Builder, left: Var, x: Var) -> Var:
    """`left^-1 x^T left^-T`."""
    half = solution(b, left, x, "t")
    return solution(b, left, transposed(b, half), "t")


def cholesky_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_out, of_a = ct[0], ct[1]
    if of_out is None:
        return
    if of_a is not None:
        factor = like(b, primal[1], "factor")
        b.call("cholesky", factor, primal[1])
        turned = transposed(b, factor)
        product = like(b, of_out, "t")
        gemm(b, product, turned, of_out)
        change = congruence(b, turned, lower_half(b, product))
        add_lower(b, of_a, change)
    clear(b, of_out)


def cholesky_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out, of_a = tangent[0], tangent[1]
    if of_out is None or of_a is None:
        return
    factor = primal[0]
    gemm(b, of_out, factor, lower_half(b, congruence(b, factor, from_lower(b, of_a))))


# -- eigh(w, v, a): eigenvalues ascending, eigenvectors in columns; reads the lower triangle


EQUAL_EIGENVALUES = "eigenvalues coincide, and the derivative depends on the choice of their eigenvectors"


def eigen(b: Builder, a: Var) -> tuple[Var, Var]:
    n = b.dim(a, 0)
    w, v = b.alloc((n,), a.type.dtype, "w"), b.alloc((n, n), a.type.dtype, "v")
    b.call("eigh", w, v, a)
    return w, v


def gaps(b: Builder, w: Var, x: Var) -> Var:
    """`x[i, j] / (w[j] - w[i])` off the diagonal, zero there.

    Between equal eigenvalues it is zero if `x[i, j]` is, which is so for what does not depend on how their
    common eigenvectors are chosen, to first order; else there is no derivative, or one that this formula
    does not give.
    """
    out = like(b, x, "t")
    n, dtype = b.dim(w, 0), w.type.dtype
    size = b.op("maximum", b.op("abs", b.load(w, (ZERO,))), b.op("abs", b.load(w, (b.op("sub", n, ONE),))))
    least = b.op("mul", const(1e-13 if dtype == "float64" else 1e-5, dtype), size)
    total = b.alloc((ONE,), dtype, "total", zeroed=True)
    each(b, shape(b, x), lambda i: b.accumulate(total, (ZERO,), b.op("abs", b.load(x, i))))
    noise = b.op("mul", const(1e-9 if dtype == "float64" else 1e-3, dtype), b.load(total, (ZERO,)))

    def body(i: Index) -> None:
        gap = b.op("sub", b.load(w, (i[1],)), b.load(w, (i[0],)))
        equal = b.op("le", b.op("abs", gap), least)
        coupled = b.op("and", b.op("gt", b.op("abs", b.load(x, i)), noise), b.op("ne", i[0], i[1]))
        b.check(b.op("not", b.op("and", equal, coupled)), "NotDifferentiableError", EQUAL_EIGENVALUES)
        safe = b.op("select", equal, const(1.0, dtype), gap)
        value = b.op("div", b.load(x, i), safe)
        b.store(out, i, b.op("select", equal, const(0.0, dtype), value))

    each(b, shape(b, x), body)
    return out


def eigh_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_w, of_v, of_a = ct[0], ct[1], ct[2]
    if of_a is not None and (of_w is not None or of_v is not None):
        w, v = eigen(b, primal[2])
        turned = transposed(b, v)
        middle = b.alloc(shape(b, v), v.type.dtype, "t", zeroed=True)
        if of_v is not None:
            product = like(b, v, "t")
            gemm(b, product, turned, of_v)
            add(b, middle, gaps(b, w, product))
        if of_w is not None:
            with b.loop(ZERO, b.dim(w, 0), "i") as i:
                b.accumulate(middle, (i, i), b.load(of_w, (i,)))
        half, change = like(b, v, "t"), like(b, v, "t")
        gemm(b, half, v, middle)
        gemm(b, change, half, turned)
        add_lower(b, of_a, change)
    for shadow in (of_w, of_v):
        if shadow is not None:
            clear(b, shadow)


def eigh_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_w, of_v, of_a = tangent[0], tangent[1], tangent[2]
    if of_a is None:
        return
    w, v = primal[0], primal[1]
    half, middle = like(b, v, "t"), like(b, v, "t")
    gemm(b, half, transposed(b, v), from_lower(b, of_a))
    gemm(b, middle, half, v)
    if of_w is not None:
        with b.loop(ZERO, b.dim(w, 0), "i") as i:
            b.store(of_w, (i,), b.load(middle, (i, i)))
    if of_v is not None:
        gemm(b, of_v, v, gaps(b, w, middle))


register(Routine("solve", (1, 2), (0,), solve_vjp, solve_jvp, solve_needs))
register(Routine("inv", (1,), (0,), inv_vjp, inv_jvp, reads_needed(1)))
register(Routine("det", (1,), (0,), det_vjp, det_jvp, reads_needed(1)))
register(Routine("cofactor", (1,), (0,), cofactor_vjp, cofactor_jvp, reads_needed(1)))
register(
    Routine(
        "cofactor_derivative", (1, 2), (0,), cofactor_derivative_vjp, cofactor_derivative_jvp, reads_needed(1)
    )
)
register(Routine("slogdet", (2,), (0, 1), slogdet_vjp, slogdet_jvp, reads_needed(2)))
register(Routine("cholesky", (1,), (0,), cholesky_vjp, cholesky_jvp, reads_needed(1)))
register(Routine("eigh", (2,), (0, 1), eigh_vjp, eigh_jvp, reads_needed(2)))
