"""Programs whose names stand for things of different kinds on different paths, and arguments to try."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

POINTS = (-0.6, 0.53, 1.47, 2.7)


def regime(v: Any) -> Any:
    if v < 1.0:
        return "low"
    if v < 2.0:
        return "mid"
    return "high"


def three_words(x: Any) -> Any:
    k = regime(x)
    return x if k == "low" else 2.0 * x if k == "mid" else 3.0 * x


def words_by_elif(x: Any) -> Any:
    if x < 0.0:
        k = "a"
    elif x < 1.0:
        k = "b"
    elif x < 2.0:
        k = "c"
    else:
        k = "d"
    if k == "a":
        return x * x
    return x if k == "b" else x + 100.0 if k == "c" else x + 200.0


def word_as_key(x: Any) -> Any:
    table = {"low": 1.0, "mid": 2.0, "high": 3.0}
    return table[regime(x)] * x


def clamped(v: Any) -> Any:
    if v > 1.0:
        return 1.0
    if v > 0.0:
        return v
    return None


def number_or_none(x: Any) -> Any:
    r = clamped(x)
    return 7.0 * x if r is None else r * x


def none_in_the_middle(x: Any) -> Any:
    def inner(v: Any) -> Any:
        if v < 0:
            return v
        if v < 1:
            return None
        return 2.0

    r = inner(x)
    return 7.0 * x if r is None else r * x


def functions(x: Any) -> Any:
    def pick(v: Any) -> Any:
        if v < 0.0:
            return math.sin
        if v < 1.0:
            return math.cos
        return math.exp

    return pick(x)(x)


def tuples_of_other_lengths(x: Any) -> Any:
    def parts(v: Any) -> Any:
        if v < 0.0:
            return (v,)
        if v < 1.0:
            return (v, v)
        return (v, v, v)

    return 1.0 * sum(parts(x))


def arrays_of_other_ranks(x: Any) -> Any:
    def made(v: Any) -> Any:
        if v < 0.0:
            return np.ones(2) * v
        if v < 1.0:
            return np.ones((2, 2)) * v
        return np.ones(3) * v

    return np.sum(made(x))


def array_or_number(x: Any) -> Any:
    def made(v: Any) -> Any:
        if v < 0.0:
            return np.ones(2) * v
        if v < 1.0:
            return v
        return np.ones(3) * v

    return np.sum(made(x))


def dicts_of_other_keys(x: Any) -> Any:
    def made(v: Any) -> Any:
        if v < 0.0:
            return {"a": v}
        if v < 1.0:
            return {"a": v, "b": v}
        return {"b": v}

    d = made(x)
    return d["a"] if "a" in d else 10.0 * x


class Weight(NamedTuple):
    w: float


class Both(NamedTuple):
    w: float
    b: float


def records_of_other_classes(x: Any) -> Any:
    def made(v: Any) -> Any:
        if v < 0:
            return Weight(v)
        if v < 1:
            return Both(v, 1.0)
        return Weight(2 * v)

    m = made(x)
    return m.w * x + (m.b if isinstance(m, Both) else 0.0)


class Halved(NamedTuple):
    w: float

    def times(self, v: Any) -> Any:
        return 0.5 * self.w * v


class Doubled(NamedTuple):
    w: float

    def times(self, v: Any) -> Any:
        return 2.0 * self.w * v


def records_that_change_their_class(x: Any) -> Any:
    m: Any = Halved(x)
    s = 0.0
    for _ in range(int(abs(x)) + 2):
        s += m.times(x)
        m = Doubled(0.5 * x)
    return s


def identity_of_booleans(x: Any) -> Any:
    flag = x > 1.0
    return x if flag is True else 2.0 * x


def returned_from_a_loop(x: Any) -> Any:
    def first(v: Any) -> Any:
        for k in range(4):
            if k * 0.3 > v:
                return k
            if k * 0.5 > v:
                return None
        return v

    r = first(x)
    return 5.0 * x if r is None else r * x


def word_set_in_a_loop(x: Any) -> Any:
    mode = "a"
    for k in range(3):
        if x > k:
            mode = "b"
    return x if mode == "a" else 10.0 * x


def found_and_break(x: Any) -> Any:
    found = None
    for k in range(5):
        if x < k:
            found = k
            break
    return 100.0 * x if found is None else found * x


def found_once(x: Any) -> Any:
    found = None
    for k in range(5):
        if x < k and found is None:
            found = k
    return 100.0 * x if found is None else found * x


def first_in_two_ifs(x: Any) -> Any:
    first = None
    y = x
    for _ in range(4):
        y = 1.3 * y
        if y > 2.0:  # noqa: SIM102
            if first is None:
                first = y
    return 0.0 * x if first is None else first


def difference_with_the_previous(x: Any) -> Any:
    prev = None
    s = 0.0
    for k in range(6):
        y = x * k
        if y < 0.6:
            continue
        if prev is not None:
            s += (y - prev) ** 2
        prev = y
    return s + x


def result_of_a_while(x: Any) -> Any:
    n = 0
    res = None
    while n < 10:
        n += 1
        if x * n > 2.0:
            res = x * n
            break
    if res is None:
        return 3.0 * x
    return res


def function_set_in_a_loop(x: Any) -> Any:
    f = math.sin
    for k in range(3):
        if x > k:
            f = math.exp
            break
    return f(x)


def text_that_grows(x: Any) -> Any:
    msg = ""
    for k in range(3):
        if x > k:
            msg = msg + "a"
    return x * len(msg)


def state_machine(x: Any) -> Any:
    state = "up"
    y = x
    for _ in range(8):
        if state == "up":
            y = 1.5 * y
            if y > 3.0:
                state = "down"
        else:
            y = 0.5 * y
            if y < 1.0:
                state = "up"
    return y


@dataclass
class Named:
    name: str
    v: float


def record_set_in_a_loop(x: Any) -> Any:
    p = Named("a", x)
    for k in range(3):
        if x > k:
            p = Named("b", 2.0 * x)
            break
    return p.v if p.name == "a" else 10.0 * p.v


def words_and_continue(x: Any) -> Any:
    it = 0
    mode = "a"
    while it < 3:
        it += 1
        if x > 1 and mode == "a":
            mode = "b"
            continue
        if mode == "b":
            break
    return x * it if mode == "b" else -x


def none_by_elif(x: Any) -> Any:
    if x > 2.0:
        r = 2.0
    elif x > 1.0:
        r = None
    else:
        r = x
    return 3.0 * x if r is None else r * x


def word_in_two_ifs(x: Any) -> Any:
    mode = "a"
    if x > 0.0:  # noqa: SIM102
        if x > 1.0:
            mode = "b"
    return 2.0 * x if mode == "a" else 3.0 * x


def last_of_a_tuple(x: Any) -> Any:
    last = None
    for v in (1.0, 2.0, 3.0):
        if x > v:
            last = v
    return x if last is None else x * last


def array_after_break(x: Any) -> Any:
    r = x
    for k in range(3):
        if x > k:
            r = np.ones(2) * x
            break
    return np.sum(r)


def words_in_tuples(x: Any) -> Any:
    def unit(v: Any) -> Any:
        if v < 1:
            return ("m", 1.0)
        if v < 2:
            return ("cm", 0.01)
        return ("mm", 0.001)

    u, s = unit(x)
    return x * s * (2.0 if u == "m" else 3.0 if u == "cm" else 5.0)


def word_of_a_tuple_by_index(x: Any) -> Any:
    pair = ("a", x)
    for k in range(2):
        if x > k:
            pair = ("b", 2.0 * x)
    return pair[1] if pair[0] == "a" else 10.0 * pair[1]


def word_lost_and_set_again(x: Any) -> Any:
    mode = "a"
    if x > 0.0:
        mode = 1.0
    for k in range(2):
        if x > k + 1:
            mode = "c"
    return 2.0 * x if mode == "a" else 5.0 * x if mode == "c" else x


def word_lost_in_a_loop_around(x: Any) -> Any:
    mode = "a"
    for _ in range(2):
        for k in range(2):
            if x > k:
                mode = "b"
        if x > 2.0:
            mode = "c"
    return 2.0 * x if mode == "a" else 5.0 * x if mode == "c" else x


def maximum_of_the_positive(x: Any) -> Any:
    best = None
    for i in range(x.shape[0]):
        if x[i] > 0.0:  # noqa: SIM102
            if best is None or x[i] > best:
                best = x[i]
    return 0.0 if best is None else best**2


PROGRAMS: list[Callable[..., Any]] = [
    f
    for name, f in list(globals().items())
    if callable(f) and getattr(f, "__module__", "") == __name__ and not isinstance(f, type)
]
PROGRAMS = [f for f in PROGRAMS if f not in (regime, clamped)]


def arguments(fun: Callable[..., Any]) -> list[Any]:
    if fun is maximum_of_the_positive:
        return [np.array([1.0, -2.0, 3.0]), np.array([-1.0, -2.0])]
    return list(POINTS)
