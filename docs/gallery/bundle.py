"""Bundle adjustment

Cameras and points in space are found together from the points' places in pictures: the core of every
program that makes a model from photographs. The rotation is Rodrigues' formula, written with numbers as one
would in C.
"""

import math

import numpy as np
from scipy.optimize import least_squares

import adjit


def project(camera, point):
    """Camera: rotation vector, translation, focal length."""
    a, b, c = camera[0], camera[1], camera[2]
    angle = math.sqrt(a * a + b * b + c * c + 1e-16)
    a, b, c = a / angle, b / angle, c / angle
    x, y, z = point[0], point[1], point[2]
    cos, sin = math.cos(angle), math.sin(angle)
    along = (a * x + b * y + c * z) * (1.0 - cos)
    u = x * cos + (b * z - c * y) * sin + a * along + camera[3]
    v = y * cos + (c * x - a * z) * sin + b * along + camera[4]
    w = z * cos + (a * y - b * x) * sin + c * along + camera[5]
    return camera[6] * u / w, camera[6] * v / w


def residual(unknown, cameras, seen):
    """`unknown` is all cameras, then all points; `seen[c, p]` is where camera c sees point p."""
    points = seen.shape[1]
    out = np.zeros(cameras * points * 2)
    k = 0
    for c in range(cameras):
        for p in range(points):
            at = 7 * cameras + 3 * p
            u, v = project(unknown[7 * c : 7 * c + 7], unknown[at : at + 3])
            out[k] = u - seen[c, p, 0]
            out[k + 1] = v - seen[c, p, 1]
            k += 2
    return out


def main(cameras=3, points=10, seed=1):
    rng = np.random.default_rng(seed)
    poses = np.concatenate([rng.normal(size=(cameras, 3)) * 0.2, rng.normal(size=(cameras, 3)) * 0.3], axis=1)
    poses[:, 5] += 6.0
    truth = np.concatenate([np.c_[poses, np.full(cameras, 2.0)].ravel(), rng.normal(size=3 * points)])
    seen = residual(truth, cameras, np.zeros((cameras, points, 2))).reshape(cameras, points, 2)
    guess = truth + 0.03 * rng.normal(size=truth.shape)
    found = least_squares(residual, guess, jac=adjit.jacrev(residual), args=(cameras, seen), x_scale="jac")
    before = np.sqrt(np.mean(residual(guess, cameras, seen) ** 2))
    after = np.sqrt(np.mean(found.fun**2))
    print(f"error in the pictures {before:.1e} -> {after:.1e} in {found.nfev} evaluations")
    return before, after


if __name__ == "__main__":
    main()
