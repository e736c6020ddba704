"""Sample programs: lists that grow at run time."""

from __future__ import annotations

from collections import namedtuple

import numba
import numpy as np

from .programs import program, vector

Event = namedtuple("Event", ["at", "value", "rising"])


@program(lambda r: (np.array([0.3, 0.9]),))
def path_until_an_event(p):
    """An orbit is followed until it comes down; its length is known at the end only."""
    y, v, t = 0.0, 2.0 + p[0], 0.0
    ts = [t]
    ys = [y]
    while y >= 0.0 and t < 5.0:
        t += 0.11
        v -= 0.9 * (1.0 + 0.1 * p[1] * v * v) * 0.11
        y += v * 0.11
        ts.append(t)
        ys.append(y)
    a, b = np.array(ts), np.asarray(ys)
    return np.trapezoid(b, a) + ys[-2] * len(ts) + np.max(b)


@program(lambda r: (np.sin(np.arange(30) * 0.7) + 0.1 * r.normal(size=30),))
def crossings(x):
    events = []
    for i in range(1, x.shape[0]):
        if x[i - 1] * x[i] < 0.0:
            events.append(Event(i - 1 + x[i - 1] / (x[i - 1] - x[i]), x[i] - x[i - 1], x[i] > 0))
    s = 0.0
    for k in range(1, len(events)):
        s += (events[k].at - events[k - 1].at) ** 2 * events[k].value
    for e in events:
        s += np.sin(e.value) if e.rising else e.at
    return s


@program(vector(11))
def tree_by_a_stack(x):
    stack = numba.typed.List()
    stack.append((0, 1.0))
    s = 0.0
    while stack:
        node, weight = stack.pop()
        s += weight * np.tanh(x[node])
        for child in (2 * node + 1, 2 * node + 2):
            if child < x.shape[0]:
                stack.append((child, weight * (1.0 + x[node] ** 2)))
    return s * s


@program(vector(9))
def queue_that_its_loop_fills(x):
    queue = [0]
    s = 1.0
    for node in queue:
        s = s * 0.9 + x[node] * x[node]
        if 2 * node + 1 < x.shape[0]:
            queue.append(2 * node + 1)
        if 2 * node + 2 < x.shape[0]:
            queue.append(2 * node + 2)
    return s * len(queue)


@program(lambda r: (r.uniform(0.1, 0.9, 8), np.array([0.2, 0.7])))
def clipped_polygon(flat, box):
    """Sutherland and Hodgman against two half planes, then the area."""
    output = [(flat[2 * i], flat[2 * i + 1]) for i in range(flat.shape[0] // 2)]
    for side in range(2):
        subject = output
        output = []
        for k in range(len(subject)):
            px, py = subject[k - 1]
            qx, qy = subject[k]
            dp = px - box[0] if side == 0 else box[1] - py
            dq = qx - box[0] if side == 0 else box[1] - qy
            if dp * dq < 0.0:
                w = dp / (dp - dq)
                output.append((px + w * (qx - px), py + w * (qy - py)))
            if dq >= 0.0:
                output.append((qx, qy))
    area = 0.0
    for k in range(len(output)):
        area += output[k - 1][0] * output[k][1] - output[k][0] * output[k - 1][1]
    return 0.5 * area + 0.1 * flat[0]


@program(vector(8))
def residuals_as_arrays(x):
    rows = []
    kept = []
    for i in range(1, x.shape[0]):
        if x[i] > -0.6:
            rows.append(np.array([x[i], x[i - 1] * x[i], 1.0]))
            kept.append(np.sin(x[i]))
    a = np.array(rows)
    r = a @ np.array([0.3, -1.0, 0.2]) - np.array(kept)
    return np.sum(r * r) + np.sum(np.vstack(rows)[-1]) + np.linalg.norm(np.concatenate(rows))


def push(items, value):
    items.append(value)
    return len(items)


@program(vector(7))
def seen_under_two_names(x):
    a = []
    b = a
    box = (a, 2.0)
    s = 0.0
    for i in range(x.shape[0]):
        s += push(b, x[i] * x[i])
        if i > 2:
            a[0] *= box[1]
            s += box[0].pop(1)
    return s * sum(b) + len(a)


@program(vector(6))
def items_overwritten_and_popped(x):
    stack = [x[0]]
    s = 0.0
    for i in range(1, x.shape[0]):
        stack.append(x[i])
        stack[-1] *= stack[-2]
        stack[0] = np.sin(stack[0] + x[i])
        if i % 2:
            s += stack.pop() * stack[-1]
            stack.append(s)
            stack.append(s * s)
    return s + sum(stack)


@program(vector(8))
def reset_and_rebound(x):
    total, run = 0.0, []
    best = [x[0]]
    for i in range(x.shape[0]):
        if x[i] > -0.3:
            run.append(x[i])
        else:
            total += sum(run) * len(run)
            run = []
        if len(run) > len(best):
            best = run.copy()
    front = [x[1]]
    for _ in range(3):
        after = []
        for v in front:
            after += [v * x[2], v + x[3]]
        front = after
    return total + sum(best) ** 2 + sum(front) * front[-1]


@program(vector(7))
def list_operations(x):
    a = [x[0] * 3.0]
    a.extend(x[1:])
    b = a[1:4] + a[-2:]
    c = b.copy()
    c.insert(1, x[0])
    c.reverse()
    b.append(7.5)
    c += b[::2]
    c.sort()
    whole = list(x)
    whole.pop(0)
    found = 0.0
    for k, (u, v) in enumerate(zip(c, whole)):
        found += (k + 1) * u * v
    a.clear()
    return found + len(a) + max(c) * min(b) + (1.0 if 7.5 in c else 2.0)


@program(vector(6))
def numbers_that_widen(x):
    counts = [1, 2]
    for i in range(x.shape[0]):
        counts.append(i)
        if x[i] > 0.0:
            counts.append(x[i] * x[i])
    neighbours = 0.0
    for i in range(x.shape[0]):
        near = []
        for j in range(x.shape[0]):
            if abs(i - j) < 2:
                near.append(x[j])
        neighbours += sum(near) / len(near) * x[i]
    return sum(counts) * neighbours


@program(vector(4))
def comprehension_then_append(x):
    items = [v * v for v in x]
    items.append(x[0])
    return sum(items) * items[-1]


@program(vector(4))
def comprehension_then_pop(x):
    items = [v for v in x]
    while len(items) > 1:
        a = items.pop()
        b = items.pop()
        items.append(a * b + 1)
    return items[0]


@program(vector(4))
def comprehension_then_extend(x):
    items = [v * 2 for v in x]
    items += [x[0], x[1]]
    items.extend([v for v in x if v > 0])
    return sum([v * v for v in items])


@program(vector(4))
def comprehension_of_rows_then_append(x):
    items = [x[:2] * v for v in x]
    items.append(x[2:])
    del items[0]
    return np.sum(items[0] * items[-1])


@program(vector(4))
def comprehension_of_pairs_then_insert(x):
    items = [(v, v * v) for v in x]
    items.insert(0, (x[1], x[2]))
    s = 0.0
    for a, b in items:
        s += a * b
    return s


@program(vector(4))
def items_deleted(x):
    items = [v * v for v in x]
    del items[0], items[-1]
    d = {"a": x[0], "b": x[1]}
    del d["a"]
    m = [x[0], x[1], x[2]]
    del m[1]
    return sum(items) * items[0] * d["b"] * m[1] * len(d)


@program(lambda r: (np.array([0.4, 1.2, 3.0, -0.7]),))
def items_deleted_in_a_loop(x):
    items = []
    for v in x:
        items.append(v)
    i = 0
    while i < len(items):
        if items[i] < 0.5:
            del items[i]
        else:
            i += 1
    return sum([v * v for v in items])
