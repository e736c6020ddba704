"""Programs with words and with numbers that may be None, in forms that mix them with what else there is."""

from __future__ import annotations

from typing import Any

from .choosing import right


@right()
def words_set_in_some_passes(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        if k == 0:
            word = "a"
        if k == 2:
            word = "b"
        s += x * x if word == "a" else 3.0 * x
    return s if word == "b" else -s


@right()
def words_that_alternate(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        if k % 2 == 0:
            word = "a"
        else:
            word = "b"
        s += x * x if word == "a" else 3.0 * x
    return s if word == "b" else -s


@right()
def none_or_a_word_set_in_a_while(x: Any) -> Any:
    s, k = 0.0, 0
    while k < 4:
        if k == 0:
            word = None
        if x > k:
            word = "b"
        s += x * x if word is None else 3.0 * x
        k += 1
    return s if word == "b" else -s


@right()
def several_names_at_once(x: Any) -> Any:
    s, k = 0.0, 0
    while k < 4:
        if k == 0:
            w, held = "a", None
        elif k == 1:
            w, held = "b", x
        elif k == 2:
            w = "c"
        else:
            held = None
        s += (x * x if w == "a" else 3.0 * x) + (0.5 if held is None else held)
        k += 1
    return s if w == "c" else -s


@right()
def a_state_in_a_tuple(x: Any) -> Any:
    def step(state: Any) -> Any:
        m, v = state
        if m == "up" and v > 2.0:
            return ("down", 0.5 * v)
        if m == "down":
            return ("flat", v + 0.1)
        return (m, 1.3 * v)

    st = ("up", x)
    for _ in range(7):
        st = step(st)
    return st[1] * (2.0 if st[0] == "flat" else 1.0)


@right()
def a_dict_made_anew(x: Any) -> Any:
    d = {}
    d["m"] = "a"
    d["v"] = None
    for _ in range(int(abs(x)) + 3):
        d = {"m": "b" if d["m"] == "a" else "a", "v": x if d["v"] is None else d["v"] * x}
    return d["v"] if d["m"] == "b" else -d["v"]


@right()
def a_word_of_a_list(x: Any) -> Any:
    words = ["a", "b", "c"]
    w = words[0]
    for k in range(3):
        if x > k:
            w = words[k]
    return {"a": x, "b": x * x, "c": x**3}[w]


@right()
def a_loop_until_a_word_comes(x: Any) -> Any:
    n = 0
    tag = None
    while tag is None or (tag != "stop" and n < 7):
        n += 1
        if x * n > 3.0:
            tag = "stop"
        elif n > 2:
            tag = "go"
    return n * x if tag == "stop" else x


@right()
def a_number_or_none_in_the_condition_of_a_loop(x: Any) -> Any:
    best = None
    while best is None or best < 3.0:
        best = 1.0 + abs(x) if best is None else 1.5 * best
    return best * x


@right()
def smallest_and_largest(x: Any) -> Any:
    lo = None
    hi = None
    for v in (x, x * x - 1.0, 0.3 - x):
        if lo is None:
            lo = hi = v
        elif v < lo:
            lo = v
        elif v > hi:
            hi = v
    return (hi - lo) ** 2


@right()
def none_after_a_number(x: Any) -> Any:
    best = -1
    for k in range(3):
        if x > k:
            best = None
    best = x if best is None else best
    return best * x


@right()
def a_list_with_none(x: Any) -> Any:
    r = [None, None, None]
    for k in range(3):
        if x > k:
            r[k] = x * k
    return x + sum([v for v in r if v is not None])


@right()
def a_loop_over_a_list_with_none(x: Any) -> Any:
    r = [None, None, None]
    for k in range(3):
        if x > k:
            r[k] = x * k
    s = x
    for v in r:
        if v is not None:
            s += v * v
    return s


@right()
def keywords_from_a_dict(x: Any) -> Any:
    opts = {"mode": "fast", "tol": None}
    if x > 1:
        opts["mode"] = "slow"
    if x > 2:
        opts["tol"] = 0.5 * x

    def solve(x: Any, mode: Any = "fast", tol: Any = None) -> Any:
        t = tol if tol is not None else 0.1
        return x * x * t if mode == "slow" else x + t

    return solve(x, **opts)


@right()
def a_word_by_default(x: Any) -> Any:
    w = "a" if x > 1 else None
    v = w or "default"
    return x if v == "default" else x * x


@right()
def words_that_are_looped_over(x: Any) -> Any:
    s = 0.0
    for w in ("a", "b", "a"):
        s += x if w == "a" else x * x
    return s if w == "a" else 0.0


@right()
def a_word_that_is_asserted(x: Any) -> Any:
    kind = None
    if x > 0:
        kind = "pos"
    assert kind in ("pos", None)
    if not (kind is None or x > 1):
        return 5 * x
    return x


@right()
def two_names_in_turn(x: Any) -> Any:
    a = None
    for k in range(3):
        b = a
        if x > k:
            a = x * k if b is None else b + x
    return 0.0 * x if a is None else a


@right()
def a_function_sees_the_word(x: Any) -> Any:
    mode = "a"

    def f(v: Any) -> Any:
        return v * v if mode == "a" else 3.0 * v

    s = f(x)
    for k in range(3):
        if x > k:
            mode = "b"
        s += f(x)
    return s
