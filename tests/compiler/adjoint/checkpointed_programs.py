"""Functions with loops that may be checkpointed: one per kind of state and of control flow.

A row is made by a function of `loop`, which goes around the range or the condition: `adjit.checkpoint` with a
number of snapshots, or `same` for the program without. All arguments that are floats are differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Made = Callable[..., Any]
Loop = Callable[[Any], Any]


def same(header: Any) -> Any:
    return header


def scalars(loop: Loop) -> Made:
    def f(x, r, n):  # type: ignore[no-untyped-def]
        y = 0.5 * x
        for _ in loop(range(n)):
            x, y = x + r * x * (1.0 - x) - 0.1 * y, np.sin(y) + x * r
        return x * y

    return f


def loop_variable(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        t = 0
        for t in loop(range(2 * n, 0, -2)):
            x = 0.1 * np.sin(x * t) + x
        return x * t

    return f


def enumerated(loop: Loop) -> Made:
    def f(x, u, n):  # type: ignore[no-untyped-def]
        k = i = 0
        for k, i in enumerate(loop(range(3, 3 + 2 * n, 2)), n):
            x = 0.1 * np.sin(x * k) + x * u[i % u.shape[0]]
            if i == 7:
                continue
            for pair in enumerate(loop(range(2))):
                x += 0.1 * pair[0] * np.cos(x * pair[1])
        return x * k + x * i

    return f


def in_place(loop: Loop) -> Made:
    def f(u, c, n):  # type: ignore[no-untyped-def]
        for _ in loop(range(n)):
            for i in range(1, u.shape[0]):
                u[i] = np.sin(u[i] * u[i - 1]) + c[i] * u[i]
        return np.sum(u * u)

    return f


def before_and_after(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        u = np.sin(x)
        u[0] = u[1] * u[2]
        for _ in loop(range(n)):
            u[1:] = u[:-1] * u[1:] + u[0]
            u[0] *= u[2]
        u[1] = u[1] * u[0]
        return np.sum(np.exp(0.1 * u) * x)

    return f


def exchanged(loop: Loop) -> Made:
    def f(u, c, n):  # type: ignore[no-untyped-def]
        new = np.zeros_like(u)
        for _ in loop(range(n)):
            for i in range(1, u.shape[0] - 1):
                new[i] = u[i] + c[i] * np.sin(u[i - 1] - 2.0 * u[i] + u[i + 1])
            u, new = new, u
        return np.sum(u * u * new) + np.sum(u)

    return f


def three_in_turn(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        a, b, c = np.sin(x), np.cos(x), x * x
        for k in loop(range(n)):
            a *= 0.5 * b + 0.1 * k
            c += a * x
            a, b, c = b, c, a
        return np.sum(a * b * b + np.sin(c))

    return f


def new_arrays(loop: Loop) -> Made:
    def f(x, w, n):  # type: ignore[no-untyped-def]
        h = x
        for _ in loop(range(n)):
            h = np.tanh(w @ h) + 0.1 * h
        return np.sum(h * h)

    return f


def ends_early(loop: Loop) -> Made:
    def f(x, limit, n):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in loop(range(n)):
            x = x * (1.0 + 0.1 * np.cos(x))
            if k == 3:
                continue
            s += x * x
            if s > limit:
                break
        return s * x

    return f


def until(loop: Loop) -> Made:
    def f(x, limit, _n):  # type: ignore[no-untyped-def]
        u = np.array([x, 2.0 * x, 0.3])
        while loop(u[0] < limit):
            u[0] += 0.1 * u[1] * u[0] + 0.05
            u[1] = np.sin(u[1] * u[0])
        return u[0] * u[1] + u[2]

    return f


def exchanged_until(loop: Loop) -> Made:
    def f(u, c, n):  # type: ignore[no-untyped-def]
        new = 0.1 * c
        for k in loop(range(100)):
            for i in range(1, u.shape[0] - 1):
                new[i] = u[i] + c[i] * np.sin(u[i - 1] - 2.0 * u[i] + u[i + 1])
            u, new = new, u
            if k >= 2 * n:
                break
        return np.sum(u * u * new) + np.sum(u)

    return f


def ends_in_a_branch(loop: Loop) -> Made:
    def f(u, n):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in loop(range(40, 0, -3)):
            u[1:] = np.sin(u[:-1]) * u[1:] + 0.1 * s
            if 40 - k >= 3 * n:
                u[0] *= s
                break
            s += u[1] * u[2] * k
        return s + np.sum(u * u)

    return f


def until_in_a_checkpoint(loop: Loop) -> Made:
    def f(u, r, n):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in loop(range(n)):
            y = u[k % 2]
            j = 0
            while loop(j < k + 2):
                u[0] = np.sin(u[0] + y * r)
                y = y * np.cos(u[1])
                j += 1
            s += y
            u[1] += y * u[0]
        return s + u[0] * u[1]

    return f


def counted_in_until(loop: Loop) -> Made:
    def f(u, n):  # type: ignore[no-untyped-def]
        k = 0
        while loop(k < n):
            for j in loop(range(k % 3 + 2)):
                u[1:] = np.sin(u[:-1]) * u[1:] + 0.1 * j
            u[0] *= u[1] + u[2]
            k += 1
        return np.sum(u * u)

    return f


def until_in_a_branch(loop: Loop) -> Made:
    def f(x, y, n):  # type: ignore[no-untyped-def]
        u = np.array([x, y])
        k = 0
        if x > 0.1:
            while loop(k < n):
                u[0] = np.sin(u[0]) + y * u[1]
                k += 1
        else:
            u[1] = y * y
        return u[0] * y + u[1]

    return f


def one_after_the_other(loop: Loop) -> Made:
    def f(u, n):  # type: ignore[no-untyped-def]
        for _ in loop(range(n)):
            u[1:] = np.sin(u[:-1]) * u[1:] + 0.1
        k = 0
        while loop(k < n + 3):
            u[:-1] *= np.cos(u[1:])
            k += 1
        for _ in loop(range(2 * n)):
            u[0] = np.sin(u[0] * u[1])
        return np.sum(u * u)

    return f


def branches(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        u = np.sin(x)
        for k in loop(range(n)):
            if u[0] > 0.5:
                u[0] = u[0] * u[1] - 0.2
            elif k % 3 == 1:
                u[1] += u[0] * u[2]
            else:
                u[0] += 0.3 * u[2] + 0.1
        return np.sum(u * u)

    return f


def history(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        path = np.zeros(n + 1)
        total = np.zeros(3)
        for k in loop(range(n)):
            path[k] = x * x
            total[k % 3] += np.sin(x) * x
            x = np.cos(x) * 1.1
        return np.sum(path * path * path) + total[0] * total[1] + total[2] + x

    return f


def views(loop: Loop) -> Made:
    def f(a, n):  # type: ignore[no-untyped-def]
        first, last = a[0], a[1:, ::2]
        for k in loop(range(n)):
            first[1:] += np.sin(first[:-1]) * a[1, 1:]
            last[k % 2] *= first[::2]
        return np.sum(a * a)

    return f


def nested(loop: Loop) -> Made:
    def f(u, r, n):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in loop(range(n)):
            y = u[k % 2]
            for _ in loop(range(k + 1)):
                u[0] = np.sin(u[0] + y * r)
                y = y * np.cos(u[1])
            s += y
            u[1] += y * u[0]
        return s + u[0] * u[1]

    return f


def in_a_loop(loop: Loop) -> Made:
    def f(u, n):  # type: ignore[no-untyped-def]
        s = 0.0
        for k in range(3):
            for _ in loop(range(n + k)):
                u[1:] = np.sin(u[:-1]) * u[1:] + 0.1
                s += u[k] * u[2]
            u[0] *= s
        return s * u[1]

    return f


def under_a_condition(loop: Loop) -> Made:
    def f(x, y, n):  # type: ignore[no-untyped-def]
        if x > 0.1:
            for _ in loop(range(n)):
                x = np.sin(x) + y * x
        else:
            x = y * y
        return x * y

    return f


def float32(loop: Loop) -> Made:
    def f(u, n):  # type: ignore[no-untyped-def]
        for _ in loop(range(n)):
            u[1:] += np.float32(0.1) * np.sin(u[:-1]) * u[1:]
        return np.sum(u * u)

    return f


def complex_numbers(loop: Loop) -> Made:
    def f(x, n):  # type: ignore[no-untyped-def]
        z = x[0] + 1j * x[1]
        w = np.array([z, 1.0 + 0.5j * z])
        for _ in loop(range(n)):
            z = z * z * 0.3 + w[0]
            w[1] = w[1] * z + w[0]
        return abs(z) + w[1].real * w[1].imag

    return f


U, C = np.array([0.3, 0.7, -0.4, 0.9, 0.2]), np.array([0.2, 0.4, 0.3, 0.1, 0.25])
W = np.array([[0.2, -0.5, 0.3], [0.4, 0.1, -0.2], [-0.3, 0.6, 0.5]])

PROGRAMS: dict[str, tuple[Callable[[Loop], Made], tuple[Any, ...]]] = {
    "scalars": (scalars, (0.4, 0.3)),
    "loop_variable": (loop_variable, (0.4,)),
    "enumerated": (enumerated, (0.4, U)),
    "in_place": (in_place, (U, C)),
    "before_and_after": (before_and_after, (U,)),
    "exchanged": (exchanged, (U, C)),
    "three_in_turn": (three_in_turn, (U,)),
    "new_arrays": (new_arrays, (U[:3], W)),
    "ends_early": (ends_early, (0.8, 6.0)),
    "until": (until, (0.3, 1.4)),
    "exchanged_until": (exchanged_until, (U, C)),
    "ends_in_a_branch": (ends_in_a_branch, (U[:3],)),
    "until_in_a_checkpoint": (until_in_a_checkpoint, (U[:2], 0.4)),
    "counted_in_until": (counted_in_until, (U[:3],)),
    "until_in_a_branch": (until_in_a_branch, (0.4, 0.3)),
    "one_after_the_other": (one_after_the_other, (U[:3],)),
    "branches": (branches, (U[:3],)),
    "history": (history, (0.6,)),
    "views": (views, (np.concatenate([U, C, U + C]).reshape(3, 5),)),
    "nested": (nested, (U[:2], 0.4)),
    "in_a_loop": (in_a_loop, (U,)),
    "under_a_condition": (under_a_condition, (0.4, 0.3)),
    "float32": (float32, (U.astype(np.float32),)),
    "complex_numbers": (complex_numbers, (U[:2],)),
}
