"""Bundle adjustment: errors of points seen by cameras, and their sparse Jacobian.

A camera has eleven numbers: an axis times an angle, a centre, the focal length, the principal point, two
numbers of radial distortion. An observation's two errors depend on its camera, its point and its weight,
fifteen numbers, which stand in one row of `seen`. The first components of all rows are differentiated in
one reverse sweep, the second ones in another.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served

CAMERA, WIDTH = 11, 15


def rotated(x, y, z, p, q, r):
    """The vector (p, q, r) turned about the axis (x, y, z) by the axis's length."""
    square = x * x + y * y + z * z
    if square == 0.0:
        return p + y * r - z * q, q + z * p - x * r, r + x * q - y * p
    angle = np.sqrt(square)
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = x / angle, y / angle, z / angle
    along = (x * p + y * q + z * r) * (1.0 - c)
    return (
        p * c + (y * r - z * q) * s + x * along,
        q * c + (z * p - x * r) * s + y * along,
        r * c + (x * q - y * p) * s + z * along,
    )


def projection_errors(seen, features):
    errors = np.empty((seen.shape[0], 2))
    for i in range(seen.shape[0]):
        v = seen[i]
        p, q, r = rotated(v[0], v[1], v[2], v[11] - v[3], v[12] - v[4], v[13] - v[5])
        p, q = p / r, q / r
        square = p * p + q * q
        factor = v[6] * (1.0 + v[9] * square + v[10] * square * square)
        errors[i, 0] = v[14] * (p * factor + v[7] - features[i, 0])
        errors[i, 1] = v[14] * (q * factor + v[8] - features[i, 1])
    return errors


def weight_errors(seen):
    return 1.0 - seen[:, 14] ** 2


def prepare(given):
    """Each observation's row, what was observed, and which camera and point it is of."""
    count = given["p"]
    row = np.array([*given["cam"], *given["x"], given["w"]], dtype=np.float64)
    at = np.arange(count)
    features = np.tile(np.array(given["feat"], dtype=np.float64), (count, 1))
    return np.tile(row, (count, 1)), features, at % given["n"], at % given["m"], given["n"], given["m"]


PROJECTION, WEIGHT = adjit.jit(projection_errors), adjit.jit(weight_errors)


def objective(seen, features, *_):
    return PROJECTION(seen, features), WEIGHT(seen)


def jacobian(seen, features, cameras, points, n, m):
    errors, pullback = adjit.vjp(projection_errors, seen, features, argnums=0, retain=True)
    blocks = np.empty((seen.shape[0], 2, WIDTH))
    for component in range(2):
        seed = np.zeros_like(errors)
        seed[:, component] = 1.0
        blocks[:, component] = pullback(seed)[0]
    weights, pullback = adjit.vjp(weight_errors, seen)
    return sparse(blocks, pullback(np.ones_like(weights))[0][:, 14], cameras, points, n, m)


def sparse(blocks, weights, cameras, points, n, m):
    """Rows of the Jacobian one after the other: where each starts, and the columns and values of its
    entries.
    """
    count = blocks.shape[0]
    at = np.arange(count)
    columns = np.empty((count, WIDTH), dtype=np.int64)
    columns[:, :CAMERA] = CAMERA * cameras[:, None] + np.arange(CAMERA)
    columns[:, CAMERA:14] = CAMERA * n + 3 * points[:, None] + np.arange(3)
    columns[:, 14] = CAMERA * n + 3 * m + at
    starts = np.concatenate((np.arange(2 * count) * WIDTH, 2 * count * WIDTH + np.arange(count + 1)))
    columns = np.concatenate((np.repeat(columns, 2, axis=0).ravel(), columns[:, 14]))
    return starts, columns, np.concatenate((blocks.ravel(), weights))


def report_objective(value):
    errors, weights = value
    return {
        "reproj_error": {"elements": errors[0].tolist(), "repeated": errors.shape[0]},
        "w_err": {"element": float(weights[0]), "repeated": weights.shape[0]},
    }


def report_jacobian(value):
    return dict(zip(("rows", "cols", "vals"), (part.tolist() for part in value), strict=True))


FUNCTIONS = {
    "objective": Served(prepare, objective, report_objective),
    "jacobian": Served(prepare, jacobian, report_jacobian),
}
