"""The workloads in JAX, in the form that is fastest there. Needs JAX; `VERSIONS[name](args)` gives systems by
name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .formulas import arc_distance, ba, hdiff, k2mm, layernorm, rosenbrock

Systems = dict[str, Callable[[], Any]]


def gradient(f: Callable[..., Any], argnums: Any, args: tuple[Any, ...]) -> Callable[[], Any]:
    """Compiled value and gradient on device arrays."""
    device = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    compiled = jax.jit(jax.value_and_grad(f, argnums=argnums))
    return lambda: jax.block_until_ready(compiled(*device))


def stencil(A):
    return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


def jacobi_2d(args: Any) -> Systems:
    A0, steps = args

    def f(A):
        def body(c, _):
            A, B = c
            B = B.at[1:-1, 1:-1].set(stencil(A))
            A = A.at[1:-1, 1:-1].set(stencil(B))
            return (A, B), None

        (A, _), _ = jax.lax.scan(body, (A, A), None, length=steps)
        return 0.5 * jnp.sum(A * A)

    return {"jax": gradient(f, 0, (A0,))}


def seidel_row(associative, c, up, mid, down):
    b = c * (up[:-2] + up[1:-1] + up[2:] + mid[1:-1] + mid[2:] + down[:-2] + down[1:-1] + down[2:])
    if associative:
        b = b.at[0].add(c * mid[0])
        pair = (jnp.full_like(b, c), b)
        x = jax.lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), pair)[1]
    else:

        def step(left, bj):
            left = bj + c * left
            return left, left

        _, x = jax.lax.scan(step, mid[0], b, unroll=8)
    return jnp.concatenate([mid[:1], x, mid[-1:]])


def seidel_2d(args: Any) -> Systems:
    A0, sweeps = args

    def f(row, A):
        def sweep(A, _):
            def one(up, pair):
                new = row(up, *pair)
                return new, new

            _, rows = jax.lax.scan(one, A[0], (A[1:-1], A[2:]))
            return jnp.concatenate([A[:1], rows, A[-1:]]), None

        A, _ = jax.lax.scan(sweep, A, None, length=sweeps)
        return 0.5 * jnp.sum(A * A)

    rows = {"jax_associative": True, "jax": False}
    return {k: gradient(partial(f, partial(seidel_row, v, 1 / 9)), 0, (A0,)) for k, v in rows.items()}


def burgers_2d(args: Any) -> Systems:
    u0, v0, steps, a, nu = args

    def one(uc, vc, q):
        qc = q[1:-1, 1:-1]
        return (
            qc
            - a * (uc * (qc - q[:-2, 1:-1]) + vc * (qc - q[1:-1, :-2]))
            + nu * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2] - 4.0 * qc)
        )

    def f(remat, u, v):
        def body(c, _):
            u, v = c
            uc, vc = u[1:-1, 1:-1], v[1:-1, 1:-1]
            return (u.at[1:-1, 1:-1].set(one(uc, vc, u)), v.at[1:-1, 1:-1].set(one(uc, vc, v))), None

        (u, v), _ = jax.lax.scan(jax.checkpoint(body) if remat else body, (u, v), None, length=steps)
        return 0.5 * (jnp.sum(u * u) + jnp.sum(v * v))

    forms = {"jax": False, "jax_remat": True}
    return {k: gradient(partial(f, v), (0, 1), (u0, v0)) for k, v in forms.items()}


def cholesky(args: Any) -> Systems:
    A0, W = args
    n = len(A0)
    rows = np.arange(n)

    def columns(A, W):
        """Column form, one masked matrix-vector product per step; reads the lower triangle only."""

        def body(L, j):
            c = A[:, j] - L @ L[j]
            d = jnp.sqrt(c[j])
            c = jnp.where(rows > j, c / d, jnp.where(rows == j, d, 0.0))
            return L.at[:, j].set(c), None

        L, _ = jax.lax.scan(body, jnp.zeros_like(A), jnp.arange(n))
        return jnp.sum(W * L)

    def library(A, W):
        return jnp.sum(W * jax.lax.linalg.cholesky(A, symmetrize_input=False))

    def folded(A, W):
        """The library's rule gives a symmetrised gradient; fold it to the lower triangle."""
        v, s = jax.value_and_grad(library)(A, W)
        return v, jnp.tril(s) + jnp.tril(s.T, -1)

    compiled, device = jax.jit(folded), (jnp.asarray(A0), jnp.asarray(W))
    return {
        "jax": gradient(columns, 0, args),
        "jax_lapack": lambda: jax.block_until_ready(compiled(*device)),
    }


def durbin(args: Any) -> Systems:
    n = len(args[0])
    rows = np.arange(n)

    def f(r, w):
        def body(c, k):
            y, a, b = c
            b = b * (1.0 - a * a)
            z = jnp.zeros(n)
            rr = jax.lax.dynamic_slice(jnp.concatenate([r[::-1], z]), (n - k,), (n,))
            yr = jax.lax.dynamic_slice(jnp.concatenate([y[::-1], z]), (n - k,), (n,))
            a = -(r[k] + rr @ y) / b
            y = jnp.where(rows < k, y + a * yr, y).at[k].set(a)
            return (y, a, b), None

        start = (jnp.zeros(n).at[0].set(-r[0]), -r[0], jnp.float64(1.0))
        (y, _, _), _ = jax.lax.scan(body, start, jnp.arange(1, n))
        return w @ y

    return {"jax": gradient(f, 0, args)}


def garch(args: Any) -> Systems:
    def f(unroll, th, x):
        omega, alpha, beta = th[0], th[1], th[2]

        def body(h, xt):
            return omega + alpha * xt * xt + beta * h, h

        _, H = jax.lax.scan(body, omega / (1 - alpha - beta), x, unroll=unroll)
        return 0.5 * jnp.sum(jnp.log(H) + x * x / H)

    return {k: gradient(partial(f, u), 0, args) for k, u in {"jax": 1, "jax_unroll16": 16}.items()}


def lotka_rk4(args: Any) -> Systems:
    p0, z0, D, dt = args

    def f(remat, p, z0):
        def rhs(x, y):
            return p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y

        def body(c, d):
            x, y = c
            a1, b1 = rhs(x, y)
            a2, b2 = rhs(x + 0.5 * dt * a1, y + 0.5 * dt * b1)
            a3, b3 = rhs(x + 0.5 * dt * a2, y + 0.5 * dt * b2)
            a4, b4 = rhs(x + dt * a3, y + dt * b3)
            x = x + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            y = y + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
            return (x, y), (x - d[0]) ** 2 + (y - d[1]) ** 2

        body = jax.checkpoint(body) if remat else body
        _, e = jax.lax.scan(body, (z0[0], z0[1]), jnp.asarray(D))
        return jnp.sum(e)

    forms = {"jax": False, "jax_remat": True}
    return {k: gradient(partial(f, v), (0, 1), (p0, z0)) for k, v in forms.items()}


def gmm(args: Any) -> Systems:
    al, mu, icf, x, gamma, m = args
    K, d = mu.shape
    n = len(x)
    b, a = np.array([(i, j) for i in range(d) for j in range(i + 1, d)]).T

    def f(al, mu, icf):
        L = jnp.zeros((K, d, d)).at[:, a, b].set(icf[:, d:])
        L = L.at[:, np.arange(d), np.arange(d)].set(jnp.exp(icf[:, :d]))
        y = jnp.einsum("kab,knb->kna", L, x[None] - mu[:, None])
        sq = icf[:, :d].sum(1)
        inner = al[:, None] + sq[:, None] - 0.5 * (y * y).sum(2)
        frobenius = (jnp.exp(icf[:, :d]) ** 2).sum() + (icf[:, d:] ** 2).sum()
        prior = 0.5 * gamma**2 * frobenius - m * sq.sum()
        return jax.nn.logsumexp(inner, axis=0).sum() - n * jax.nn.logsumexp(al) + prior

    return {"jax": gradient(f, (0, 1, 2), (al, mu, icf))}


def mlp2(args: Any) -> Systems:
    def f(W1, b1, W2, b2, X, Y):
        Z = jax.nn.relu(X @ W1 + b1) @ W2 + b2
        return jnp.mean(jax.nn.logsumexp(Z, axis=1) - jnp.sum(Y * Z, 1))

    return {"jax": gradient(f, (0, 1, 2, 3), args)}


def attention(args: Any) -> Systems:
    scale = 1 / np.sqrt(args[0].shape[1])

    def f(Q, K, V):
        return 0.5 * jnp.sum((jax.nn.softmax(Q @ K.T * scale, axis=-1) @ V) ** 2)

    return {"jax": gradient(f, (0, 1, 2), args)}


def logreg(args: Any) -> Systems:
    def f(w, b, X, y):
        return jnp.mean(jnp.logaddexp(0.0, -y * (X @ w + b)))

    return {"jax": gradient(f, (0, 1), args)}


VERSIONS: dict[str, Callable[[Any], Systems]] = {
    "jacobi_2d": jacobi_2d,
    "seidel_2d": seidel_2d,
    "hdiff": lambda args: {"jax": gradient(partial(hdiff, jnp), (0, 1), args)},
    "burgers_2d": burgers_2d,
    "cholesky": cholesky,
    "durbin": durbin,
    "garch": garch,
    "lotka_rk4": lotka_rk4,
    "ba": lambda args: {"jax": gradient(partial(ba, jnp), (0, 1, 2), args)},
    "gmm": gmm,
    "arc_distance": lambda args: {"jax": gradient(partial(arc_distance, jnp), (0, 1, 2, 3), args)},
    "logreg": logreg,
    "layernorm": lambda args: {"jax": gradient(partial(layernorm, jnp), (0, 1, 2), args)},
    "mlp2": mlp2,
    "attention": attention,
    "k2mm": lambda args: {"jax": gradient(k2mm, (0, 1, 2, 3), args)},
    "rosenbrock_2": lambda args: {"jax": gradient(partial(rosenbrock, jnp), 0, args)},
    "rosenbrock_10": lambda args: {"jax": gradient(partial(rosenbrock, jnp), 0, args)},
}
