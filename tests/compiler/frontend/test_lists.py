"""Lists that grow at run time: values as in Python, errors at the list's length, names that see one list."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from adjit.errors import (
    AdjitError,
    InferenceError,
    NotDifferentiableError,
    OverwriteError,
    UnsupportedSyntaxError,
)
from tests.support.capturing import agrees, captured, outcome, source

X = np.array([0.7, 1.1, -0.4, 0.9, 2.0, -1.3, 0.2])


def test_lengths_depend_on_values():
    def f(x):
        found = []
        for v in x:
            if v > 0:
                found.append(v)
        first = found[0]
        while len(found) > 3:
            first += found.pop()
        return first, len(found), found[-1], bool(found), np.array(found)

    agrees(f, X)


@pytest.mark.parametrize("index", [0, 2, 3, -1, -3, -4, 5])
def test_index_out_of_range_raises_at_the_length(index):
    def f(x, k):
        found = []
        for v in x:
            if v > 0.8:
                found.append(v)
        return found[k]

    if -3 <= index < 3:
        agrees(f, X, index)
    else:
        with pytest.raises(IndexError, match="list index out of range"):
            outcome(f, X, index)


def test_constant_index_out_of_range():
    def f(x):
        found = []
        for v in x:
            if v > 10.0:
                found.append(v)
        return found[0] + x[0]

    with pytest.raises(IndexError, match="list index out of range"):
        outcome(f, X)


def test_pop_of_nothing():
    def f(x):
        found = [x[0]]
        for _ in x:
            found.pop()
        return x[0]

    with pytest.raises(IndexError, match="pop from empty list"):
        outcome(f, X)


def test_store_out_of_range():
    def f(x):
        found = []
        for v in x:
            found.append(v)
        found[x.shape[0]] = 1.0
        return found[0]

    with pytest.raises(IndexError, match="list assignment index out of range"):
        outcome(f, X)


def test_paths_of_the_first_pass_that_a_short_list_ends():
    def f(x):
        found, s = [], 0.0
        for i in range(x.shape[0]):
            if i > 2:
                s += found[1] * found[-1] + max(found)
                found.pop(1)
            s += found[-1] if i > 0 else 1.0
            if i > 0 and found[0] > 0:
                s += 1.0
            found.append(x[i])
        return s, np.array(found)

    agrees(f, X)


def test_names_of_one_list():
    def push(items, v):
        items.append(v)

    def fill(items, x):
        for v in x:
            push(items, v)
        return items

    def f(x):
        a = []
        b = a
        both = (a, {"b": b})
        c = fill(b, x)
        for i in range(x.shape[0]):
            both[1]["b"][i] = both[0][i] * 2.0
        c.append(1.0)
        return np.array(a), len(b), len(both[0]), a is c, a is b.copy()

    agrees(f, X)


def test_arguments_that_a_later_argument_changes():
    def grow(items, x):
        for v in x:
            items.append(v)
        return 2.0

    def total(items, k):
        return sum(items) * k

    def f(x):
        a, b = [1.0], []
        b.append(grow(b, x))
        return total(a, grow(a, x)), sum(b), len(b)

    agrees(f, X)


def test_lists_known_at_compile_time_stay_shared_too():
    def add(d, x):
        for v in x:
            d["sum"] = d["sum"] + v

    def f(x):
        d, a = {"sum": 0.0}, [0.0, 1.0]
        b = a
        add(d, x)
        for v in x:
            a[0] += v
            b[1] *= 1.1
        return d["sum"], a[0], a[1], b[0], b[1]

    agrees(f, X)


def test_rebound_lists():
    def f(x):
        previous, now = [x[0]], [x[1]]
        for i in range(4):
            new = []
            for v in now:
                new.append(v * x[i] + previous[0])
                new.append(v)
            previous = now
            now = new
        if x[0] > 0.5:
            third = [x[0]]
        else:
            third = [x[1], x[2]]
        third.append(1.0)
        a, b = [1.0], [x[2], x[3]]
        for v in x:
            a, b = b, a
            a.append(v)
        return np.array(previous), np.array(now), np.array(third), np.array(a), len(b)

    agrees(f, X)


def test_a_loop_over_a_list_sees_its_changes():
    def f(x):
        q, seen = [0], []
        for u in q:
            seen.append(u)
            if 2 * u + 2 < x.shape[0]:
                q.append(2 * u + 1)
                q.append(2 * u + 2)
        r = [1.0, 2.0]
        s = 0.0
        for v in r:
            r[1] = v * x[0]
            s += v
        return np.array(q), np.array(seen), s

    agrees(f, X)


def test_numbas_lists_are_not_changed_under_a_loop():
    def f(x):
        q = numba.typed.List()
        q.append(0)
        for u in q:
            if u < 3:
                q.append(u + 1)
        return len(q) * x[0]

    with pytest.raises(OverwriteError, match="a list is changed while a loop runs over it"):
        captured(f, X)


def test_items_of_several_kinds():
    def f(x):
        marks, rows, flags = [], [], []
        for i in range(x.shape[0]):
            if x[i] > 0:
                marks.append(("up", i, (x[i], True)))
                rows.append(x[:3] * i)
                flags.append(x[i] > 1)
        s = 0.0
        for name, i, (v, good) in marks:
            s += i * v if good and name == "up" else 100.0
        return (
            s,
            np.array(rows),
            np.stack(rows),
            np.concatenate(rows),
            rows[1][2],
            any(flags),
            flags.count(True),
        )

    agrees(f, X)


def test_rows_must_agree():
    def f(x):
        rows = []
        for i in range(x.shape[0]):
            rows.append(x[:i])
        return np.sum(np.array(rows))

    with pytest.raises(ValueError, match="the arrays in a list must have one shape"):
        outcome(f, X)


def test_lists_as_arguments_of_numpy_and_builtins():
    def f(x):
        a = []
        for v in x:
            a.append(v)
        b = a + a[2:5]
        y = np.zeros(len(a))
        y[:] = a
        k = [i for i in range(x.shape[0]) if x[i] > 0]
        return (
            np.mean(a),
            np.dot(a, x),
            x[k],
            min(b),
            max(b),
            sum(b),
            y,
            np.asarray(b),
            0.9 in b,
            a == [],
            x * a,
        )

    agrees(f, X)


def test_the_callers_list_is_not_changed():
    def f(items, x):
        for _ in x:
            items.append(x)
        return len(items) * x[0]

    with pytest.raises(NotDifferentiableError, match="the argument 'items' is changed"):
        captured(f, [X], X)


def kinds(x):
    a = []
    for v in x:
        if v > 0:
            a.append(v)
        a.append((v, v))
    return len(a)


def escapes(x):
    a = []
    for v in x:
        a.append(v)
    return a


def nested(x):
    a = []
    for v in x:
        inner = []
        for w in x:
            inner.append(v * w)
        a.append(inner)
    return a[0][0]


def integers_then_floats(x):
    a = [0] * x.shape[0]
    for i in range(x.shape[0]):
        a[i] = x[i]
    return sum(a)


REFUSED = [
    (kinds, InferenceError, "the items of a list .* are of different kinds"),
    (escapes, InferenceError, "cannot be returned"),
    (nested, InferenceError, "'a' changes its kind in a loop"),
    (integers_then_floats, InferenceError, "a list of int64 numbers gets a float"),
]


@pytest.mark.parametrize(("f", "error", "message"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_refused(f, error, message):
    with pytest.raises(error, match=message):
        captured(f, X)


def best_seen_twice(x):
    a, best = [], []
    for v in x:
        a.append(v)
        if v > 0:
            best = a
    return sum(best)


def either_list(x):
    a, b = [x[0]], [x[1], x[2]]
    for v in x:
        if v > 0.5:
            a = b
        a.append(v)
    return sum(a) + sum(b)


def iterated_and_rebound(x):
    a = [v for v in x if v > 0]
    for v in a:
        a.append(v) if len(a) < 6 else None
        a = a[:4]
    return sum(a)


def row_written_again(x):
    row, rows = np.zeros(2), []
    for v in x:
        row[0] = v
        rows.append(row)
    return np.sum(np.array(rows))


def row_written_in_the_list(x):
    rows = []
    for v in x:
        rows.append(x * v)
    rows[1][0] = 5.0
    return np.sum(np.array(rows))


def object_in_a_branch(x):
    a, b = [1.0], [2.0]
    if x[0] > 0:
        b = a
    b[0] = 5.0
    return a[0]


ALIASES = [
    best_seen_twice, either_list, iterated_and_rebound, row_written_again, row_written_in_the_list,
    object_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("f", ALIASES, ids=[f.__name__ for f in ALIASES])
def test_what_names_see_must_not_depend_on_the_path(f):
    with pytest.raises(OverwriteError):
        captured(f, X)


def test_methods_that_are_not_there():
    def f(x):
        a = []
        for v in x:
            a.append(v)
        a.remove(x[0])
        return a[0]

    with pytest.raises(UnsupportedSyntaxError, match="the method 'remove'"):
        captured(f, X)
    assert issubclass(UnsupportedSyntaxError, AdjitError)


def test_a_short_loop_of_known_length_is_written_out():
    def f(x):
        a = []
        for i in range(3):
            a.append(x[i] * i)
        return a

    assert "alloc" not in source(f, X)
    agrees(f, X)


def test_bound_methods_follow_their_list():
    def f(x):
        a = [1.0]
        put, both = a.append, (a.pop, a)
        for v in x:
            put(v)
        a.pop(0)
        put(2.0)
        return np.array(a), both[0](), len(both[1])

    agrees(f, X)


def test_variables_that_only_a_function_keeps():
    def counter():
        seen, last = [], [0.0]

        def add(v):
            seen.append(v)
            last[0] = last[0] + v
            return sum(seen) * last[0]

        return add

    def f(x):
        add, s = counter(), 0.0
        for v in x:
            s += add(v)
        return s, add(1.0)

    agrees(f, X)


def test_a_name_that_a_branch_of_a_pass_moves_to_another_list():
    def f(x):
        a, b = [x[0], 1.0], [x[1], 2.0]
        for i in range(x.shape[0]):
            if x[i] > 0:
                a[0] = np.sin(a[0] + x[i])
                a = b
        return a[0] + b[0]

    with pytest.raises(OverwriteError, match="seen under another name"):
        captured(f, X)
