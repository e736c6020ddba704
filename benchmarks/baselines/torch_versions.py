"""The workloads in PyTorch, eager. Needs torch; `VERSIONS[name](args)` gives systems by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from .formulas import arc_distance, ba, hdiff, k2mm, rosenbrock

Systems = dict[str, Callable[[], Any]]


def gradient(f: Callable[..., Any], argnums: tuple[int, ...], args: tuple[Any, ...]) -> Systems:
    tensors = [torch.from_numpy(np.array(a)) if isinstance(a, np.ndarray) else a for a in args]
    for k in argnums:
        if not isinstance(tensors[k], torch.Tensor):
            tensors[k] = torch.tensor(tensors[k], dtype=torch.float64)
    wrt = [tensors[k] for k in argnums]

    def run() -> Any:
        for t in wrt:
            t.requires_grad_(True)
        loss = f(*tensors)
        return loss.detach(), torch.autograd.grad(loss, wrt)

    return {"torch": run}


def jacobi_2d(args: Any) -> Systems:
    A0, steps = args

    def stencil(A):
        return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])

    def f(A):
        A, B = A.clone(), A.clone()
        for _ in range(steps):
            B = B.clone()
            B[1:-1, 1:-1] = stencil(A)
            A = A.clone()
            A[1:-1, 1:-1] = stencil(B)
        return 0.5 * (A * A).sum()

    return gradient(f, (0,), (A0,))


def burgers_2d(args: Any) -> Systems:
    u0, v0, steps, a, nu = args

    def one(uc, vc, q):
        qc = q[1:-1, 1:-1]
        return (
            qc
            - a * (uc * (qc - q[:-2, 1:-1]) + vc * (qc - q[1:-1, :-2]))
            + nu * (q[2:, 1:-1] + q[:-2, 1:-1] + q[1:-1, 2:] + q[1:-1, :-2] - 4.0 * qc)
        )

    def f(u, v):
        for _ in range(steps):
            uc, vc = u[1:-1, 1:-1], v[1:-1, 1:-1]
            un, vn = one(uc, vc, u), one(uc, vc, v)
            u, v = u.clone(), v.clone()
            u[1:-1, 1:-1] = un
            v[1:-1, 1:-1] = vn
        return 0.5 * ((u * u).sum() + (v * v).sum())

    return gradient(f, (0, 1), (u0, v0))


def durbin(args: Any) -> Systems:
    n = len(args[0])

    def f(r, w):
        a, b, y = -r[0:1], 1.0, -r[0:1]
        for k in range(1, n):
            b = b * (1.0 - a * a)
            a = -(r[k : k + 1] + torch.dot(torch.flip(r[:k], (0,)), y)) / b
            y = torch.cat((y + a * torch.flip(y, (0,)), a))
        return torch.dot(w, y)

    return gradient(f, (0,), args)


def gmm(args: Any) -> Systems:
    al, mu, icf, x, gamma, m = args
    K, d = mu.shape
    n = len(x)
    b, a = (torch.from_numpy(v) for v in np.array([(i, j) for i in range(d) for j in range(i + 1, d)]).T)
    data = torch.from_numpy(x)

    def f(al, mu, icf):
        L = torch.zeros((K, d, d), dtype=torch.float64)
        L = L.index_put((torch.arange(K)[:, None], a[None], b[None]), icf[:, d:])
        L = L + torch.diag_embed(torch.exp(icf[:, :d]))
        y = torch.bmm(data[None] - mu[:, None], L.transpose(1, 2))
        sq = icf[:, :d].sum(1)
        inner = al[:, None] + sq[:, None] - 0.5 * (y * y).sum(2)
        frobenius = (torch.exp(icf[:, :d]) ** 2).sum() + (icf[:, d:] ** 2).sum()
        prior = 0.5 * gamma**2 * frobenius - m * sq.sum()
        return torch.logsumexp(inner, 0).sum() - n * torch.logsumexp(al, 0) + prior

    return gradient(f, (0, 1, 2), (al, mu, icf))


def mlp2(args: Any) -> Systems:
    def f(W1, b1, W2, b2, X, Y):
        Z = torch.relu(X @ W1 + b1) @ W2 + b2
        return (torch.logsumexp(Z, 1) - (Y * Z).sum(1)).mean()

    return gradient(f, (0, 1, 2, 3), args)


def attention(args: Any) -> Systems:
    scale = 1 / args[0].shape[1] ** 0.5

    def f(Q, K, V):
        return 0.5 * ((torch.softmax(Q @ K.T * scale, -1) @ V) ** 2).sum()

    return gradient(f, (0, 1, 2), args)


def logreg(args: Any) -> Systems:
    def f(w, b, X, y):
        return torch.nn.functional.softplus(-y * (X @ w + b), threshold=1e9).mean()

    return gradient(f, (0, 1), args)


def layernorm(args: Any) -> Systems:
    d = args[0].shape[1]

    def f(x, gain, bias, W):
        return (W * torch.nn.functional.layer_norm(x, (d,), gain, bias, 1e-5)).sum()

    return gradient(f, (0, 1, 2), args)


VERSIONS: dict[str, Callable[[Any], Systems]] = {
    "jacobi_2d": jacobi_2d,
    "hdiff": lambda args: gradient(partial(hdiff, torch), (0, 1), args),
    "burgers_2d": burgers_2d,
    "durbin": durbin,
    "ba": lambda args: gradient(partial(ba, torch), (0, 1, 2), args),
    "gmm": gmm,
    "arc_distance": lambda args: gradient(partial(arc_distance, torch), (0, 1, 2, 3), args),
    "logreg": logreg,
    "layernorm": layernorm,
    "mlp2": mlp2,
    "attention": attention,
    "k2mm": lambda args: gradient(k2mm, (0, 1, 2, 3), args),
    "rosenbrock_2": lambda args: gradient(partial(rosenbrock, torch), (0,), args),
    "rosenbrock_10": lambda args: gradient(partial(rosenbrock, torch), (0,), args),
}
