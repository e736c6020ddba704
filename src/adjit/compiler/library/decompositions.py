"""Singular values, QR and the pseudo-inverse.

`svd(u, s, v, a)` and `qr(q, r, a)` are the reduced forms; `pinv(out, a)` holds wherever the rank does not
change nearby. Equal or zero singular values are taken to be symmetric in effect: quotients by their
differences, or by zero, are left out. A vjp computes the result anew from the operand.
"""

from __future__ import annotations

from ..ir.builder import Builder, const
from ..ir.nodes import Call, Operand, Var
from .blocks import ONE, ZERO, Index, add, clear, each, gemm, like, scaled, shape, transposed
from .core import Arrays, Routine, Shadows, register
from .linalg import reads_needed


def product(b: Builder, x: Var, y: Var) -> Var:
    """`x @ y` in fresh memory."""
    out = b.alloc((b.dim(x, 0), b.dim(y, 1)), x.type.dtype, "t")
    gemm(b, out, x, y)
    return out


def minus(b: Builder, x: Var, y: Var) -> Var:
    out = like(b, x, "t")
    each(b, shape(b, x), lambda i: b.store(out, i, b.op("sub", b.load(x, i), b.load(y, i))))
    return out


def by_columns(b: Builder, x: Var, factors: Var, *, divide: bool = False) -> Var:
    """`x * factors`, or `x / factors` with zero for a zero factor, column by column."""
    out = like(b, x, "t")

    def body(i: Index) -> None:
        f = b.load(factors, (i[1],))
        value = b.load(x, i)
        b.store(out, i, quotient(b, value, f) if divide else b.op("mul", value, f))

    each(b, shape(b, x), body)
    return out


def quotient(b: Builder, x: Operand, y: Operand) -> Operand:
    """`x / y`; zero for a zero `y`."""
    zero, one = (const(v, x.type.dtype) for v in (0.0, 1.0))
    none = b.op("eq", y, zero)
    return b.op("select", none, zero, b.op("div", x, b.op("select", none, one, y)))


def clear_all(b: Builder, ct: Shadows, positions: tuple[int, ...]) -> None:
    for k in positions:
        shadow = ct[k]
        if shadow is not None:
            clear(b, shadow)


# -- pinv(out, a)


def pseudo_inverse(b: Builder, call: Call, a: Var) -> Var:
    out = b.alloc((b.dim(a, 1), b.dim(a, 0)), a.type.dtype, "inverse")
    b.call("pinv", out, a, attrs=call.attrs)
    return out


def pinv_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    """Golub and Pereyra: with P the result, the change of it is
    `-P dA P + P P^T dA^T (I - A P) + (I - P A) dA^T P^T P`."""
    of_out, of_a = ct[0], ct[1]
    if of_out is None:
        return
    if of_a is not None:
        a = primal[1]
        p = pseudo_inverse(b, call, a)
        pt, turned = transposed(b, p), transposed(b, of_out)
        add(b, of_a, product(b, product(b, pt, of_out), pt), negative=True)
        first = product(b, product(b, turned, p), pt)
        add(b, of_a, minus(b, first, product(b, a, product(b, p, first))))
        second = product(b, pt, product(b, p, turned))
        add(b, of_a, minus(b, second, product(b, second, product(b, p, a))))
    clear(b, of_out)


def pinv_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_out, of_a = tangent[0], tangent[1]
    if of_out is None or of_a is None:
        return
    a, p = primal[1], primal[0]
    pt, turned = transposed(b, p), transposed(b, of_a)
    gemm(b, of_out, scaled(b, product(b, p, of_a), -1.0, "t"), p)
    first = product(b, product(b, p, pt), turned)
    add(b, of_out, minus(b, first, product(b, product(b, first, a), p)))
    second = product(b, product(b, turned, pt), p)
    add(b, of_out, minus(b, second, product(b, p, product(b, a, second))))


# -- svd(u, s, v, a): a = u diag(s) v, reduced


def singular(b: Builder, a: Var) -> tuple[Var, Var, Var]:
    k, dtype = b.op("minimum", b.dim(a, 0), b.dim(a, 1)), a.type.dtype
    u = b.alloc((b.dim(a, 0), k), dtype, "u")
    s = b.alloc((k,), dtype, "s")
    v = b.alloc((k, b.dim(a, 1)), dtype, "v")
    b.call("svd", u, s, v, a)
    return u, s, v


def between(b: Builder, s: Var, x: Var) -> Var:
    """`(x[i, j] - x[j, i]) / (s[j]^2 - s[i]^2)`; zero between equal values."""
    out = like(b, x, "t")
    dtype = s.type.dtype
    least = const(1e-13 if dtype == "float64" else 1e-5, dtype)

    def body(i: Index) -> None:
        high, low = (b.op("mul", z, z) for z in (b.load(s, (i[1],)), b.load(s, (i[0],))))
        gap = b.op("sub", high, low)
        size = b.op("mul", least, b.op("add", high, low))
        near = b.op("le", b.op("abs", gap), size)
        both = b.op("sub", b.load(x, i), b.load(x, (i[1], i[0])))
        value = quotient(b, both, b.op("select", near, const(0.0, dtype), gap))
        b.store(out, i, value)

    each(b, shape(b, x), body)
    return out


def svd_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_u, of_s, of_v, of_a = ct[0], ct[1], ct[2], ct[3]
    if of_a is not None:
        u, s, v = singular(b, primal[3])
        vt, ut = transposed(b, v), transposed(b, u)
        middle = b.alloc((b.dim(s, 0), b.dim(s, 0)), s.type.dtype, "t", zeroed=True)
        if of_s is not None:
            with b.loop(ZERO, b.dim(s, 0), "i") as i:
                b.accumulate(middle, (i, i), b.load(of_s, (i,)))
        if of_u is not None:
            add(b, middle, by_columns(b, between(b, s, product(b, ut, of_u)), s))
            rest = minus(b, of_u, product(b, u, product(b, ut, of_u)))
            gemm(b, of_a, by_columns(b, rest, s, divide=True), v, accumulate=True)
        if of_v is not None:
            turned = transposed(b, of_v)
            inner = between(b, s, product(b, v, turned))
            add(b, middle, transposed(b, by_columns(b, transposed(b, inner), s)))
            rest = minus(b, turned, product(b, vt, product(b, v, turned)))
            gemm(b, of_a, u, transposed(b, by_columns(b, rest, s, divide=True)), accumulate=True)
        gemm(b, of_a, product(b, u, middle), v, accumulate=True)
    clear_all(b, ct, (0, 1, 2))


def svd_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    """With `m = u^T da v^T`: ds is its diagonal; the rest turns u and v within and out of their spans."""
    of_u, of_s, of_v, of_a = tangent[0], tangent[1], tangent[2], tangent[3]
    if of_a is None:
        return
    u, s, v = primal[0], primal[1], primal[2]
    ut, vt = transposed(b, u), transposed(b, v)
    m = product(b, product(b, ut, of_a), vt)
    if of_s is not None:
        with b.loop(ZERO, b.dim(s, 0), "i") as i:
            b.store(of_s, (i,), b.load(m, (i, i)))
    if of_u is not None:
        turn = turning(b, s, m, left=True)
        gemm(b, of_u, u, turn)
        side = product(b, of_a, vt)
        rest = minus(b, side, product(b, u, product(b, ut, side)))
        add(b, of_u, by_columns(b, rest, s, divide=True))
    if of_v is not None:
        turn = turning(b, s, m, left=False)
        gemm(b, of_v, transposed(b, turn), v)
        side = product(b, transposed(b, of_a), u)
        rest = minus(b, side, product(b, vt, product(b, v, side)))
        add(b, of_v, transposed(b, by_columns(b, rest, s, divide=True)))


def turning(b: Builder, s: Var, m: Var, *, left: bool) -> Var:
    """`(m[i, j] s[j] + s[i] m[j, i]) / (s[j]^2 - s[i]^2)` for u; with the factors exchanged for v."""
    out = like(b, m, "t")
    dtype = s.type.dtype
    least = const(1e-13 if dtype == "float64" else 1e-5, dtype)

    def body(i: Index) -> None:
        si, sj = b.load(s, (i[0],)), b.load(s, (i[1],))
        mij, mji = b.load(m, i), b.load(m, (i[1], i[0]))
        own, other = (sj, si) if left else (si, sj)
        value = b.op("add", b.op("mul", mij, own), b.op("mul", mji, other))
        high, low = b.op("mul", sj, sj), b.op("mul", si, si)
        gap = b.op("sub", high, low)
        near = b.op("le", b.op("abs", gap), b.op("mul", least, b.op("add", high, low)))
        b.store(out, i, quotient(b, value, b.op("select", near, const(0.0, dtype), gap)))

    each(b, shape(b, m), body)
    return out


# -- qr(q, r, a): a = q r, reduced, at least as many rows as columns


def factors(b: Builder, a: Var) -> tuple[Var, Var]:
    q = like(b, a, "q")
    r = b.alloc((b.dim(a, 1), b.dim(a, 1)), a.type.dtype, "r")
    b.call("qr", q, r, a)
    return q, r


def mirrored(b: Builder, m: Var) -> Var:
    """The symmetric matrix with the lower triangle of `m`."""
    out = like(b, m, "t")
    with b.loop(ZERO, b.dim(m, 0), "i") as i, b.loop(ZERO, b.op("add", i, ONE), "j") as j:
        value = b.load(m, (i, j))
        b.store(out, (i, j), value)
        b.store(out, (j, i), value)
    return out


def qr_vjp(b: Builder, call: Call, ct: Shadows, primal: Arrays) -> None:
    of_q, of_r, of_a = ct[0], ct[1], ct[2]
    if of_a is not None and (of_q is not None or of_r is not None):
        q, r = factors(b, primal[2])
        m = b.alloc(shape(b, r), r.type.dtype, "t", zeroed=True)
        total = b.alloc(shape(b, q), q.type.dtype, "t", zeroed=True)
        if of_r is not None:
            upper = upper_part(b, of_r)
            add(b, m, product(b, r, transposed(b, upper)))
        if of_q is not None:
            add(b, m, product(b, transposed(b, of_q), q), negative=True)
            add(b, total, of_q)
        add(b, total, product(b, q, mirrored(b, m)))
        turned = like(b, transposed(b, total), "t")
        b.call("solve", turned, r, transposed(b, total))
        add(b, of_a, transposed(b, turned))
    clear_all(b, ct, (0, 1))


def upper_part(b: Builder, x: Var) -> Var:
    out = b.alloc(shape(b, x), x.type.dtype, "t", zeroed=True)
    with b.loop(ZERO, b.dim(x, 0), "i") as i, b.loop(i, b.dim(x, 1), "j") as j:
        b.store(out, (i, j), b.load(x, (i, j)))
    return out


def qr_jvp(b: Builder, call: Call, tangent: Shadows, primal: Arrays) -> None:
    of_q, of_r, of_a = tangent[0], tangent[1], tangent[2]
    if of_a is None:
        return
    q, r = primal[0], primal[1]
    turned = b.alloc((b.dim(of_a, 1), b.dim(of_a, 0)), of_a.type.dtype, "t")
    b.call("solve", turned, transposed(b, r), transposed(b, of_a))
    scaled_change = transposed(b, turned)  # da r^-1
    inner = product(b, transposed(b, q), scaled_change)
    skew = antisymmetric(b, inner)
    if of_q is not None:
        gemm(b, of_q, q, minus(b, skew, inner))
        add(b, of_q, scaled_change)
    if of_r is not None:
        gemm(b, of_r, minus(b, inner, skew), r)


def antisymmetric(b: Builder, m: Var) -> Var:
    """The lower triangle of `m` without its diagonal, minus its transpose."""
    out = b.alloc(shape(b, m), m.type.dtype, "t", zeroed=True)
    with b.loop(ZERO, b.dim(m, 0), "i") as i, b.loop(ZERO, i, "j") as j:
        value = b.load(m, (i, j))
        b.store(out, (i, j), value)
        b.store(out, (j, i), b.op("neg", value))
    return out


register(Routine("pinv", (1,), (0,), pinv_vjp, pinv_jvp, reads_needed(1)))
register(Routine("svd", (3,), (0, 1, 2), svd_vjp, svd_jvp, reads_needed(3)))
register(Routine("qr", (2,), (0, 1), qr_vjp, qr_jvp, reads_needed(2)))
