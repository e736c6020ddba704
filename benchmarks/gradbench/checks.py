"""Small inputs for each evaluation, and what must come back, known from elsewhere.

Input: nothing. Output: `CASES`, a list of messages' contents with a check of the output. What is expected
comes from closed forms, from SciPy, from central differences of the plain Python function, or, for
`particle` and `saddle`, is what the evaluation itself expects. Invariants: nothing here uses a derivative
of adjit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .evaluations import gmm, ht, lstm


@dataclass(frozen=True)
class Case:
    module: str
    function: str
    input: Any
    expected: Callable[[], Any]
    tolerance: float = 1e-9

    @property
    def name(self) -> str:
        return f"{self.module}::{self.function}"

    def trouble(self, output: Any) -> str:
        """What is wrong with an output, or nothing."""
        return difference(self.expected(), output, self.tolerance)


def difference(expected: Any, output: Any, tolerance: float) -> str:
    if isinstance(expected, dict):
        if not isinstance(output, dict) or expected.keys() != output.keys():
            return f"expected the keys {list(expected)}, got {output!r}"
        found = (difference(expected[k], output[k], tolerance) for k in expected)
        return "; ".join(f"{k}: {t}" for k, t in zip(expected, found, strict=True) if t)
    want, have = np.asarray(expected, dtype=np.float64), np.asarray(output, dtype=np.float64)
    if want.shape != have.shape:
        return f"expected the shape {want.shape}, got {have.shape}"
    off = np.abs(want - have) / np.maximum(1.0, np.abs(want))
    worst = float(np.max(off, initial=0.0))
    return "" if worst <= tolerance else f"off by {worst:.1e}"


def differences(function: Callable[[np.ndarray], Any], x: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """The Jacobian by central differences of fourth order: the result's shape followed by that of `x`."""
    columns = []
    for k in range(x.size):
        e = np.zeros(x.size)
        e[k] = step
        e = e.reshape(x.shape)
        near = np.asarray(function(x + e)) - np.asarray(function(x - e))
        far = np.asarray(function(x + 2.0 * e)) - np.asarray(function(x - 2.0 * e))
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *x.shape)


def hello() -> Iterator[Case]:
    yield Case("hello", "square", 3.0, lambda: 9.0)
    yield Case("hello", "double", 3.0, lambda: 6.0)


def llsq() -> Iterator[Case]:
    x, n = np.array([0.3, -0.7, 0.2, 1.1]), 9
    t = np.linspace(-1.0, 1.0, n)
    powers = np.vander(t, x.size, increasing=True)
    residual = np.sign(t) - powers @ x
    given = {"x": x.tolist(), "n": n}
    yield Case("llsq", "primal", given, lambda: 0.5 * residual @ residual)
    yield Case("llsq", "gradient", given, lambda: -powers.T @ residual)


def lse() -> Iterator[Case]:
    from scipy import special

    x = np.array([0.5, -2.0, 700.0, 699.0, 3.0])
    yield Case("lse", "primal", {"x": x.tolist()}, lambda: special.logsumexp(x))
    yield Case("lse", "gradient", {"x": x.tolist()}, lambda: special.softmax(x))


def det() -> Iterator[Case]:
    for size in (1, 2, 4):
        a = np.random.default_rng(size).normal(size=(size, size))
        given = {"A": a.ravel().tolist(), "ell": size}
        yield Case("det", "primal", given, lambda a=a: np.linalg.det(a))
        yield Case("det", "gradient", given, lambda a=a: (np.linalg.det(a) * np.linalg.inv(a).T).ravel())


def gmm_cases() -> Iterator[Case]:
    rng = np.random.default_rng(1)
    d, k, n, gamma, m = 3, 2, 4, 1.3, 1
    alpha, means, x = rng.normal(size=k), rng.uniform(size=(k, d)), rng.normal(size=(n, d))
    q, l = 0.3 * rng.normal(size=(k, d)), rng.normal(size=(k, d * (d - 1) // 2))
    common = {"d": d, "k": k, "n": n, "alpha": alpha.tolist(), "x": x.tolist(), "gamma": gamma, "m": m}
    named = common | {"mu": means.tolist(), "q": q.tolist(), "l": l.tolist()}
    together = common | {"means": means.tolist(), "icf": np.concatenate((q, l), axis=1).tolist()}
    _, _, _, _, *rest = gmm.prepare(named)
    parts = {"alpha": alpha, "mu": means, "q": q, "l": l}

    def by_differences() -> dict[str, Any]:
        def of(name: str) -> Any:
            return lambda v: gmm.log_posterior(*(v if key == name else parts[key] for key in parts), *rest)

        return {name: differences(of(name), parts[name]) for name in parts}

    def flat() -> Any:
        found = by_differences()
        factor = np.concatenate((found["q"], found["l"]), axis=1)
        return np.concatenate((found["alpha"], found["mu"].ravel(), factor.ravel()))

    yield Case("gmm", "objective", named, lambda: posterior(alpha, means, q, l, x, gamma, m))
    yield Case("gmm", "jacobian", named, by_differences, 1e-8)
    yield Case("gmm", "objective", together, lambda: posterior(alpha, means, q, l, x, gamma, m))
    yield Case("gmm", "jacobian", together, flat, 1e-8)


def posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int) -> float:
    """The mixture's log posterior by the densities that SciPy has."""
    from scipy import special, stats

    total, d = 0.0, x.shape[1]
    densities = []
    for c in range(alpha.size):
        factor = np.diag(np.exp(q[c]))
        factor.T[np.triu_indices(d, 1)] = l[c]
        inverse = factor.T @ factor
        densities.append(stats.multivariate_normal(means[c], np.linalg.inv(inverse)).logpdf(x))
        total += stats.wishart(d + m + 1, np.eye(d) / gamma**2).logpdf(inverse)
    mixed = special.log_softmax(alpha)[:, None] + np.array(densities)
    return float(total + np.sum(special.logsumexp(mixed, axis=0)))


def ba() -> Iterator[Case]:
    rng = np.random.default_rng(2)
    cam, x, w, feat = 0.3 * rng.normal(size=11), rng.normal(size=3), 0.8, rng.normal(size=2)
    cam[6], x[2] = 2.0, x[2] + 4.0
    n, m, p = 2, 3, 4
    given = {"n": n, "m": m, "p": p, "cam": cam.tolist(), "x": x.tolist(), "w": w, "feat": feat.tolist()}
    row = np.array([*cam, *x, w])

    def objective() -> dict[str, Any]:
        return {
            "reproj_error": {"elements": reprojection(row, feat), "repeated": p},
            "w_err": {"element": 1.0 - w * w, "repeated": p},
        }

    def jacobian() -> dict[str, Any]:
        block = differences(lambda v: reprojection(v, feat), row)
        columns = []
        for i in range(p):
            camera, point = 11 * (i % n), 11 * n + 3 * (i % m)
            one = [*range(camera, camera + 11), *range(point, point + 3), 11 * n + 3 * m + i]
            columns += one + one
        starts = [15 * r for r in range(2 * p)] + [30 * p + r for r in range(p + 1)]
        return {
            "rows": starts,
            "cols": columns + [11 * n + 3 * m + i for i in range(p)],
            "vals": np.concatenate((np.tile(block.ravel(), p), np.full(p, -2.0 * w))),
        }

    yield Case("ba", "objective", given, objective)
    yield Case("ba", "jacobian", given, jacobian, 1e-8)


def reprojection(v: Any, feat: Any) -> np.ndarray:
    """One observation's errors, turned by SciPy."""
    from scipy.spatial.transform import Rotation

    p, q, r = Rotation.from_rotvec(v[:3]).apply(v[11:14] - v[3:6])
    place = np.array([p / r, q / r])
    square = place @ place
    place = place * (1.0 + v[9] * square + v[10] * square**2) * v[6] + v[7:9]
    return v[14] * (place - feat)


def ht_cases() -> Iterator[Case]:
    rng = np.random.default_rng(3)
    bones, count = 22, 5
    model = {
        "bone_count": bones,
        "bone_names": [f"bone{k}" for k in range(bones)],
        "parents": [-1, *(k - 1 if (k - 1) % 4 else 0 for k in range(1, bones))],
        "base_relatives": (np.eye(4) + 0.1 * rng.normal(size=(bones, 4, 4))).tolist(),
        "inverse_base_absolutes": (np.eye(4) + 0.1 * rng.normal(size=(bones, 4, 4))).tolist(),
        "base_positions": np.concatenate((rng.normal(size=(count, 3)), np.ones((count, 1))), axis=1).tolist(),
        "weights": rng.dirichlet(np.ones(bones), size=count).tolist(),
        "triangles": [[0, 1, 2], [2, 3, 4], [4, 0, 3]],
        "is_mirrored": True,
    }
    theta, us = 0.4 * rng.normal(size=26), rng.uniform(0.1, 0.4, size=(3, 2))
    points = rng.normal(size=(3, 3)).tolist()
    for chosen in ([], us.tolist()):
        data = {"model": model, "correspondences": [2, 0, 1], "points": points}
        given = {"theta": theta.tolist(), "data": data, "us": chosen}
        _, prepared, *rest = ht.prepare(given)
        errors = ht.to_triangles if chosen else ht.to_vertices

        def jacobian(errors: Any = errors, prepared: Any = prepared, rest: Any = rest) -> Any:
            found = differences(lambda t: errors(t, prepared, *rest), theta)
            if not prepared.size:
                return found
            own = differences(lambda u: errors(theta, u, *rest), prepared)
            return np.concatenate((np.stack([own[r, r // 3] for r in range(len(own))]), found), axis=1)

        yield Case("ht", "objective", given, lambda given=given: hand(given))
        yield Case("ht", "jacobian", given, jacobian, 1e-8)


def hand(given: Any) -> np.ndarray:
    """The errors by whole matrices, with SciPy's turns."""
    from scipy.spatial.transform import Rotation

    theta, data = np.array(given["theta"]), given["data"]
    model = {k: np.array(v) for k, v in data["model"].items() if k != "bone_names"}
    absolute: list[np.ndarray] = []
    placed = np.zeros((len(model["base_positions"]), 3))
    for k, parent in enumerate(model["parents"]):
        local, finger, joint = np.eye(4), (k - 1) // 4, (k - 1) % 4
        if joint > 0 and 0 <= finger < 5:
            first = 6 + 4 * finger
            about_x = theta[first if joint == 1 else first + joint]
            about_z = theta[first + 1] if joint == 1 else 0.0
            local[:3, :3] = Rotation.from_euler("xz", (about_x, about_z)).as_matrix()
        moved = model["base_relatives"][k] @ local
        absolute.append(moved if parent < 0 else absolute[parent] @ moved)
        by_bone = (absolute[k] @ model["inverse_base_absolutes"][k] @ model["base_positions"].T).T
        placed += model["weights"][:, k : k + 1] * by_bone[:, :3]
    placed[:, 0] *= -1.0 if model["is_mirrored"] else 1.0
    placed = Rotation.from_rotvec(theta[:3]).apply(placed) + theta[3:6]
    nearest, points = np.array(data["correspondences"]), np.array(data["points"])
    if not given["us"]:
        return (points - placed[nearest]).ravel()
    us = np.array(given["us"])
    shares = np.concatenate((us, 1.0 - us.sum(axis=1, keepdims=True)), axis=1)
    return (points - np.einsum("ic,ica->ia", shares, placed[model["triangles"][nearest]])).ravel()


def kmeans() -> Iterator[Case]:
    rng = np.random.default_rng(4)
    centroids = np.array([[0.0, 0.0], [5.0, 5.0], [-5.0, 5.0]])
    points = np.concatenate([c + rng.normal(size=(n, 2)) for c, n in zip(centroids, (3, 4, 2), strict=True)])
    given = {"points": points.tolist(), "centroids": centroids.tolist()}
    apart = ((points[:, None] - centroids[None]) ** 2).sum(axis=2)
    owner = apart.argmin(axis=1)
    means = np.array([points[owner == j].mean(axis=0) for j in range(3)])
    yield Case("kmeans", "cost", given, lambda: apart.min(axis=1).sum())
    yield Case("kmeans", "dir", given, lambda: centroids - means)


def lstm_cases() -> Iterator[Case]:
    rng = np.random.default_rng(5)
    layers, b, steps = 2, 3, 4
    shapes = {
        "main_params": (2 * layers, 4 * b),
        "extra_params": (3, b),
        "state": (2 * layers, b),
        "sequence": (steps, b),
    }
    given = {name: rng.normal(size=shape).tolist() for name, shape in shapes.items()}
    main, extra, state, sequence = lstm.prepare(given)

    def jacobian() -> Any:
        of_main = differences(lambda v: lstm.loss(v, extra, state, sequence), main)
        of_extra = differences(lambda v: lstm.loss(main, v, state, sequence), extra)
        return np.concatenate((of_main.ravel(), of_extra.ravel()))

    yield Case("lstm", "objective", given, lambda: network(main, extra, state, sequence))
    yield Case("lstm", "jacobian", given, jacobian, 1e-8)


def network(main: Any, extra: Any, state: Any, sequence: Any) -> float:
    """The network's loss, written by gates."""
    from scipy import special

    gates = main.reshape(-1, 2, 4, sequence.shape[1])  # layer, weight or bias, gate, element
    hidden, cell = state[0::2].copy(), state[1::2].copy()
    found = []
    for known, wanted in pairwise(sequence):
        x = known * extra[0]
        for k, (weight, bias) in enumerate(gates):
            forget, take, give, change = weight * np.array([x, hidden[k], x, hidden[k]]) + bias
            cell[k] = special.expit(forget) * cell[k] + special.expit(take) * np.tanh(change)
            hidden[k] = x = special.expit(give) * np.tanh(cell[k])
        y = x * extra[1] + extra[2]
        found.append(wanted * (y - special.logsumexp([*y, np.log(2.0)])))
    return -float(np.mean(found))


def ode() -> Iterator[Case]:
    # The solution is a polynomial of degree n, which the method finds exactly up to degree four.
    x = np.array([0.7, -0.4, 1.2, 0.9])
    products = np.cumprod(x)
    given = {"x": x.tolist(), "s": 5}
    factors = np.array([2.0, 2.0, 4.0 / 3.0, 2.0 / 3.0])  # 2^(i+1) / (i+1)!
    yield Case("ode", "primal", given, lambda: factors * products)
    yield Case("ode", "gradient", given, lambda: factors[-1] * products[-1] / x)


def searches() -> Iterator[Case]:
    for modes in ("rr", "ff", "fr", "rf"):
        yield Case("saddle", modes, {"start": [1.0, 1.0]}, lambda: [8.246324826140356e-06] * 4, 1e-12)
    for modes in ("rr", "ff", "fr", "rf"):
        yield Case("particle", modes, {"w": 0.0}, lambda: 0.2071918746486116, 1e-9)


def cases() -> list[Case]:
    makers = (
        hello,
        ba,
        det,
        gmm_cases,
        ht_cases,
        kmeans,
        llsq,
        lse,
        lstm_cases,
        ode,
        searches,
    )
    return [case for maker in makers for case in maker()]
