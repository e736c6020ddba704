"""Hand tracking: distances between measured points and a posed model of a hand.

A pose turns each bone against its parent, the bones move the vertices by weights, and the whole is turned
and moved. A measured point belongs to a vertex, or, where `us` is given, to a place in a triangle whose
coordinates `us` holds. The Jacobian is made column by column in tangent mode; those of `us`, of which only
the point's own two matter in a row, come first and take two directions for all points.
"""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served

FINGERS, JOINTS = 5, 3


def bone_angles(theta, bones):
    """Turns about x, z and y for each bone: the wrist has none, each finger's first joint has two."""
    angles = np.zeros((bones, 3))
    at, bone = 6, 2
    for _ in range(FINGERS):
        for joint in range(JOINTS):
            angles[bone, 0] = theta[at]
            at += 1
            if joint == 0:
                angles[bone, 1] = theta[at]
                at += 1
            bone += 1
        bone += 1
    return angles


def turn(angles):
    """The matrix of turns about x, then y, then z."""
    cx, cz, cy = np.cos(angles[0]), np.cos(angles[1]), np.cos(angles[2])
    sx, sz, sy = np.sin(angles[0]), np.sin(angles[1]), np.sin(angles[2])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    about_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    about_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return about_z @ about_y @ about_x


def axis_turn(v):
    """The matrix of a turn about the axis `v` by its length."""
    angle = np.sqrt(np.sum(v * v))
    if angle < 0.0001:
        return np.eye(3)
    x, y, z = v[0] / angle, v[1] / angle, v[2] / angle
    c, s = np.cos(angle), np.sin(angle)
    return np.array(
        [
            [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
            [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
            [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
        ]
    )


def vertices(theta, parents, relatives, inverses, positions, weights, side):
    """The posed model, a row per vertex."""
    bones = parents.shape[0]
    angles = bone_angles(theta, bones)
    absolute = np.zeros((bones, 4, 4))
    skin = np.zeros((positions.shape[0], 3))
    for k in range(bones):
        local = np.eye(4)
        local[:3, :3] = turn(angles[k])
        moved = relatives[k] @ local
        if parents[k] >= 0:
            absolute[k] = absolute[parents[k]] @ moved
        else:
            absolute[k] = moved
        transform = absolute[k] @ inverses[k]
        for v in range(positions.shape[0]):
            for a in range(3):
                for b in range(4):
                    skin[v, a] += weights[v, k] * transform[a, b] * positions[v, b]
    skin[:, 0] *= side
    return skin @ axis_turn(theta[:3]).T + theta[3:6]


def to_vertices(theta, us, model, points, nearest):
    return (points - vertices(theta, *model)[nearest]).ravel()


def to_triangles(theta, us, model, points, corners):
    placed = vertices(theta, *model)
    errors = np.empty_like(points)
    for i in range(points.shape[0]):
        u, v = us[i, 0], us[i, 1]
        for a in range(3):
            place = u * placed[corners[i, 0], a] + v * placed[corners[i, 1], a]
            errors[i, a] = points[i, a] - place - (1.0 - u - v) * placed[corners[i, 2], a]
    return errors.ravel()


def prepare(given):
    data, model = given["data"], given["data"]["model"]
    names = ("base_relatives", "inverse_base_absolutes", "base_positions", "weights")
    arrays = [np.array(model[name], dtype=np.float64) for name in names]
    known = (np.array(model["parents"], dtype=np.int64), *arrays, -1.0 if model["is_mirrored"] else 1.0)
    nearest = np.array(data["correspondences"], dtype=np.int64)
    us = np.array(given["us"], dtype=np.float64).reshape(-1, 2)
    if us.size:
        nearest = np.array(model["triangles"], dtype=np.int64)[nearest]
    points = np.array(data["points"], dtype=np.float64)
    return np.array(given["theta"], dtype=np.float64), us, known, points, nearest


SIMPLE, COMPLICATED = adjit.jit(to_vertices), adjit.jit(to_triangles)


def objective(theta, us, *rest):
    return (COMPLICATED if us.size else SIMPLE)(theta, us, *rest)


def jacobian(theta, us, *rest):
    errors = to_triangles if us.size else to_vertices
    constant, columns = (None,) * len(rest), []
    for k in range(2 if us.size else 0):
        direction = np.zeros_like(us)
        direction[:, k] = 1.0
        columns.append(adjit.jvp(errors, (theta, us, *rest), (None, direction, *constant))[1])
    for k in range(theta.size):
        direction = np.zeros_like(theta)
        direction[k] = 1.0
        columns.append(adjit.jvp(errors, (theta, us, *rest), (direction, None, *constant))[1])
    return np.stack(columns, axis=1)


FUNCTIONS = {"objective": Served(prepare, objective), "jacobian": Served(prepare, jacobian)}
