"""The workloads: arguments at two sizes, the plain programs, the hand-written adjoint and what it keeps.

`saved` is the number of bytes that live from the forward into the reverse sweep of the hand-written adjoint,
by the shapes it allocates; arguments, results and temporaries within a sweep are apart. Figures of other
tools are in `jax_versions`, `torch_versions` and `autograd_versions`, which are optional.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import hand_dense, hand_loops, hand_stencils, plain_dense, plain_loops, plain_stencils
from .vecmath import vatan2, vcos, vexp, vsin

Arguments = tuple[Any, ...]
FLOAT = 8


@dataclass(frozen=True)
class Workload:
    """`hand(*args)` gives (value, gradients). `bound`: work, blas, or calls (dominated by the cost of one
    call)."""

    name: str
    kind: str
    arguments: Callable[[bool], Arguments]
    argnums: tuple[int, ...]
    loops: Callable[..., float]
    numpy: Callable[..., float] | None
    primal: Callable[..., Any]
    hand: Callable[..., Any]
    saved: Callable[..., int]
    bound: str = "work"
    variants: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def form(self, name: str) -> Callable[..., float]:
        """The plain program in the form `loops` or `numpy`."""
        return self.numpy if name == "numpy" and self.numpy is not None else self.loops


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def jacobi_2d_arguments(quick: bool) -> Arguments:
    n, steps = (60, 5) if quick else (300, 40)
    return _rng().random((n, n)), steps


def seidel_2d_arguments(quick: bool) -> Arguments:
    n, sweeps = (24, 2) if quick else (200, 20)
    return _rng().random((n, n)), sweeps


def hdiff_arguments(quick: bool) -> Arguments:
    i, j, k = (6, 6, 4) if quick else (64, 64, 60)
    rng = _rng()
    return rng.random((i + 4, j + 4, k)), rng.random((i, j, k))


def burgers_2d_arguments(quick: bool) -> Arguments:
    n, steps = (20, 4) if quick else (192, 50)
    rng = _rng()
    return rng.random((n, n)), rng.random((n, n)), steps, 0.1, 0.1


def cholesky_arguments(quick: bool) -> Arguments:
    n = 16 if quick else 256
    rng = _rng()
    m = rng.standard_normal((n, n))
    return m @ m.T / n + 2 * np.eye(n), np.tril(rng.standard_normal((n, n)))


def durbin_arguments(quick: bool) -> Arguments:
    n = 24 if quick else 1000
    k = np.arange(1, n + 1)
    return 0.6 * 0.95**k * np.cos(0.1 * k), _rng().standard_normal(n)


def garch_arguments(quick: bool) -> Arguments:
    return np.array([0.05, 0.1, 0.85]), _rng().standard_normal(200 if quick else 100_000)


def lotka_rk4_arguments(quick: bool) -> Arguments:
    data = _rng().random((50 if quick else 10_000, 2)) * 5
    return np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0]), data, 0.002


def ba_arguments(quick: bool) -> Arguments:
    cameras, points, observations = (4, 20, 60) if quick else (21, 11_315, 36_455)
    rng = _rng()
    c = rng.standard_normal((cameras, 11)) * 0.3
    c[:, 5] -= 6.0
    c[:, 6] = 1.0 + rng.random(cameras)
    c[:, 9:] *= 0.1
    x = rng.standard_normal((points, 3))
    w = rng.random(observations)
    f = rng.standard_normal((observations, 2))
    return c, x, w, f, rng.integers(0, cameras, observations), rng.integers(0, points, observations)


def gmm_arguments(quick: bool) -> Arguments:
    n, d, k = (20, 3, 4) if quick else (1000, 10, 25)
    rng = _rng()
    alphas, means = rng.standard_normal(k), rng.random((k, d))
    icf = rng.standard_normal((k, d + d * (d - 1) // 2)) * 0.5
    return alphas, means, icf, rng.random((n, d)), 1.0, 0.0


def arc_distance_arguments(quick: bool) -> Arguments:
    rng = _rng()
    return tuple(rng.random(100 if quick else 200_000) * 1.2 + 0.1 for _ in range(4))


def logreg_arguments(quick: bool) -> Arguments:
    n, d = (30, 4) if quick else (20_000, 64)
    rng = _rng()
    x, w = rng.standard_normal((n, d)), rng.standard_normal(d) * 0.2
    return w, 0.1, x, np.sign(rng.standard_normal(n))


def layernorm_arguments(quick: bool) -> Arguments:
    n, d = (6, 8) if quick else (1024, 512)
    rng = _rng()
    return rng.standard_normal((n, d)), rng.random(d), rng.random(d), rng.standard_normal((n, d))


def mlp2_arguments(quick: bool) -> Arguments:
    n, d, h, c = (8, 5, 7, 3) if quick else (256, 256, 512, 10)
    rng = _rng()
    w1, w2 = rng.standard_normal((d, h)) / math.sqrt(d), rng.standard_normal((h, c)) / math.sqrt(h)
    b1, b2 = rng.standard_normal(h) * 0.1, rng.standard_normal(c) * 0.1
    x = rng.standard_normal((n, d))
    return w1, b1, w2, b2, x, np.eye(c)[rng.integers(0, c, n)]


def attention_arguments(quick: bool) -> Arguments:
    rng = _rng()
    return tuple(rng.standard_normal((12, 4) if quick else (512, 64)) for _ in range(3))


def k2mm_arguments(quick: bool) -> Arguments:
    i, j, k, m = (6, 5, 4, 3) if quick else (320, 360, 440, 480)
    rng = _rng()
    return rng.random((i, k)), rng.random((k, j)), rng.random((j, m)), rng.random((i, m))


def rosenbrock_arguments(n: int) -> Callable[[bool], Arguments]:
    return lambda _quick: (_rng().random(n),)


def hdiff_saved(x: Any, coeff: Any) -> int:
    """The Laplacian, and the result before the loss, which T stands for."""
    i, j, k = coeff.shape
    return 2 * (i + 2) * (j + 2) * k * FLOAT


def gmm_saved(alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any) -> int:
    """The weights of the components, and the transposed data."""
    return (len(alphas) * len(x) + x.size) * FLOAT


def mlp2_saved(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> int:
    return len(x) * (len(b1) + len(b2)) * FLOAT


def nothing(*_args: Any) -> int:
    return 0


S, L, D = hand_stencils, hand_loops, hand_dense
PS, PL, PD = plain_stencils, plain_loops, plain_dense

_ALL = [
    Workload(
        "jacobi_2d",
        "stencil, in place",
        jacobi_2d_arguments,
        (0,),
        PS.jacobi_2d_loops,
        PS.jacobi_2d_numpy,
        S.jacobi_2d_primal,
        S.jacobi_2d,
        lambda a, _t: a.nbytes,
        variants={"scatter": S.jacobi_2d_scatter},
    ),
    Workload(
        "seidel_2d",
        "loop-carried stencil, in place",
        seidel_2d_arguments,
        (0,),
        PS.seidel_2d_loops,
        PS.seidel_2d_numpy,
        S.seidel_2d_primal,
        S.seidel_2d,
        lambda a, _t: a.nbytes,
        variants={"scatter": S.seidel_2d_scatter},
    ),
    Workload(
        "hdiff",
        "stencil with limiter",
        hdiff_arguments,
        (0, 1),
        PS.hdiff_loops,
        PS.hdiff_numpy,
        S.hdiff_primal,
        S.hdiff,
        hdiff_saved,
    ),
    Workload(
        "burgers_2d",
        "nonlinear stencil in time",
        burgers_2d_arguments,
        (0, 1),
        PS.burgers_2d_loops,
        PS.burgers_2d_numpy,
        S.burgers_2d_primal,
        S.burgers_2d,
        lambda u, v, t, a, nu: 2 * (t + 1) * u.nbytes,
        variants={"scatter": S.burgers_2d_scatter},
    ),
    Workload(
        "cholesky",
        "triangular, in place",
        cholesky_arguments,
        (0,),
        PL.cholesky_loops,
        PL.cholesky_numpy,
        L.cholesky_primal,
        L.cholesky,
        lambda a, w: a.nbytes,
    ),
    Workload(
        "durbin",
        "recurrence over vectors, in place",
        durbin_arguments,
        (0,),
        PL.durbin_loops,
        PL.durbin_numpy,
        L.durbin_primal,
        L.durbin,
        lambda r, w: (len(r) * (len(r) + 1) // 2 + 2 * len(r)) * FLOAT,
        variants={"inverted": L.durbin_inverted},
    ),
    Workload(
        "garch",
        "scalar recurrence",
        garch_arguments,
        (0,),
        PL.garch_loops,
        None,
        L.garch_primal,
        L.garch,
        lambda th, x: x.nbytes,
    ),
    Workload(
        "lotka_rk4",
        "scalar recurrence",
        lotka_rk4_arguments,
        (0, 1),
        PL.lotka_rk4_loops,
        PL.lotka_rk4_numpy,
        L.lotka_rk4_primal,
        L.lotka_rk4,
        lambda p, z, d, dt: 2 * (len(d) + 1) * FLOAT,
    ),
    Workload(
        "ba",
        "gather and scatter",
        ba_arguments,
        (0, 1, 2),
        PL.ba_loops,
        PL.ba_numpy,
        L.ba_primal,
        L.ba,
        nothing,
    ),
    Workload(
        "gmm",
        "dense loops",
        gmm_arguments,
        (0, 1, 2),
        PD.gmm_loops,
        PD.gmm_numpy,
        D.gmm_primal,
        D.gmm,
        gmm_saved,
    ),
    Workload(
        "arc_distance",
        "transcendental",
        arc_distance_arguments,
        (0, 1, 2, 3),
        PD.arc_distance_loops,
        PD.arc_distance_numpy,
        lambda *a: D.arc_distance_primal(*a, vsin, vcos, vatan2),
        lambda *a: D.arc_distance(*a, vsin, vcos, vatan2),
        nothing,
        variants={"scalar_math": lambda *a: D.arc_distance(*a, D.scalar_sin, D.scalar_cos, D.scalar_atan2)},
    ),
    Workload(
        "logreg",
        "matrix-vector and elementwise",
        logreg_arguments,
        (0, 1),
        PD.logreg_loops,
        PD.logreg_numpy,
        D.logreg_primal,
        D.logreg,
        nothing,
        variants={"gemv": D.logreg_gemv},
    ),
    Workload(
        "layernorm",
        "elementwise and reductions",
        layernorm_arguments,
        (0, 1, 2),
        PD.layernorm_loops,
        PD.layernorm_numpy,
        D.layernorm_primal,
        D.layernorm,
        nothing,
    ),
    Workload(
        "mlp2",
        "matrix products",
        mlp2_arguments,
        (0, 1, 2, 3),
        PD.mlp2_loops,
        PD.mlp2_numpy,
        D.mlp2_primal,
        D.mlp2,
        mlp2_saved,
        bound="blas",
    ),
    Workload(
        "attention",
        "matrix products and softmax",
        attention_arguments,
        (0, 1, 2),
        PD.attention_loops,
        PD.attention_numpy,
        D.attention_primal,
        lambda *a: D.attention(*a, vexp),
        lambda q, k, v: len(q) * len(k) * FLOAT + q.nbytes,
        bound="blas",
        variants={"scalar_exp": lambda *a: D.attention(*a, D.scalar_exp)},
    ),
    Workload(
        "k2mm",
        "matrix products",
        k2mm_arguments,
        (0, 1, 2, 3),
        PD.k2mm_loops,
        PD.k2mm_numpy,
        D.k2mm_primal,
        D.k2mm,
        lambda a, b, c, d: (len(a) * b.shape[1] + d.size) * FLOAT,
        bound="blas",
    ),
    *(
        Workload(
            f"rosenbrock_{n}",
            "one call",
            rosenbrock_arguments(n),
            (0,),
            PL.rosenbrock_loops,
            PL.rosenbrock_numpy,
            L.rosenbrock_primal,
            L.rosenbrock,
            nothing,
            bound="calls",
        )
        for n in (2, 10)
    ),
]

WORKLOADS: dict[str, Workload] = {w.name: w for w in _ALL}
