"""Programs with names that stand for one of several words, in forms that people write."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

import adjit

from .choosing import VECTOR, raises, refused, right


def grade(v: Any) -> Any:
    if v < 0.0:
        return "bad"
    return "good" if v < 1.0 else "best"


@right()
def words_are_passed_on(x: Any) -> Any:
    def weight(kind: Any, v: Any) -> Any:
        if kind == "bad":
            return v * v
        return 3.0 * v if kind != "best" else v**3

    return weight(grade(x), x) + weight(grade(x - 1.0), x)


@right()
def words_in_nested_loops(x: Any) -> Any:
    state, y = "a", x
    for k in range(3):
        for j in range(3):
            if state == "a" and y > k:
                state = "b"
            elif state == "b" and y < j:
                state = "c"
            y = 1.1 * y if state == "a" else 0.8 * y + 0.1 if state == "b" else y * y
            y = min(y, 4.0)
    return y if state != "c" else -y


@right()
def a_word_is_the_condition_of_a_loop(x: Any) -> Any:
    state, y, n = "run", x, 0
    while state == "run":
        y = 0.7 * y + 0.2
        n += 1
        if n > 5:
            state = "late"
        if abs(y) < 0.6:
            state = "done"
    return y * n if state == "done" else 10.0 * y


@right()
def membership(x: Any) -> Any:
    k = grade(x)
    y = x * x if k in ("good", "best") else x
    if k not in ["best"]:
        y = 2.0 * y
    return y + (1.0 * x if k in {"bad", "other"} else 0.0)


@right()
def membership_in_a_dict(x: Any) -> Any:
    table = {"bad": 3.0, "good": 4.0}
    k = grade(x)
    return x * table[k] if k in table else x**2


@right()
def a_dict_with_a_default(x: Any) -> Any:
    return {"bad": x, "good": 2.0 * x}.get(grade(x), x * x)


@right()
def a_dict_of_tuples(x: Any) -> Any:
    a, b = {"bad": (1.0, x), "good": (2.0, x * x), "best": (3.0, 1.0)}[grade(x)]
    return a * x + b


@right(VECTOR, -VECTOR)
def a_dict_of_arrays(x: Any) -> Any:
    w = {"bad": x, "good": 2.0 * x, "best": x[::-1]}[grade(x[0])]
    return np.sum(w * np.arange(5.0))


@right()
def two_words_are_compared(x: Any) -> Any:
    a, b = grade(x), grade(2.0 * x - 1.0)
    return x * x if a == b else 5.0 * x


@right()
def lengths_of_words(x: Any) -> Any:
    return x * len(grade(x))


@right()
def truth_of_a_word(x: Any) -> Any:
    name = "" if x < 1.0 else "named"
    if not name:
        return 2.0 * x
    return x * x


@right()
def none_among_words(x: Any) -> Any:
    mode = None
    for k in range(3):
        if x > k and mode is None:
            mode = "first"
        elif x > k:
            mode = "more"
    if mode is None:
        return x
    return x * x if mode == "first" else 3.0 * x


@right()
def a_flag_among_words(x: Any) -> Any:
    mode: Any = False
    if x > 0.0:
        mode = "soft" if x < 1.0 else True
    if mode is True:
        return 3.0 * x
    return 2.0 * x if mode == "soft" else x if not mode else 0.0


class Phase(Enum):
    UP = 1
    DOWN = 2


@right()
def members_of_an_enumeration(x: Any) -> Any:
    phase, y = Phase.UP, x
    for _ in range(6):
        if phase is Phase.UP:
            y = 1.4 * y + 0.1
            if y > 3.0:
                phase = Phase.DOWN
        else:
            y = 0.5 * y
            if y < 1.0:
                phase = Phase.UP
    return y if phase == Phase.UP else 2.0 * y


@right()
def a_word_set_after_the_first_pass(x: Any) -> Any:
    kind, y = "first", x
    for k in range(4):
        y = y + (0.5 * x * x if kind == "first" else 0.1 * y * k)
        kind = "later"
    return y


@right()
def a_word_bound_in_the_loop(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        word = "over" if x > k else "under"
        s += x * x if word == "over" else k * x
    return s if word == "over" else -s


@right()
def texts_that_grow_in_a_short_loop(x: Any) -> Any:
    msg = ""
    for _ in range(3):
        msg = msg + "a"
    return x * len(msg)


@right()
def a_word_with_continue_and_else(x: Any) -> Any:
    last, s = "none", 0.0
    for k in range(4):
        if x < k:
            last = "below"
            continue
        if last == "below":
            break
        s += k * x
    else:
        s = s + x
    return s if last == "none" else s * x


@dataclass
class Item:
    name: str
    best: Any
    weight: float


@right()
def fields_of_a_dataclass(x: Any) -> Any:
    item = Item("start", None, x)
    for k in range(4):
        if x > k:
            item.best = x * k
            item.name = "found"
    if item.best is None:
        return item.weight
    return item.best * x + (1.0 if item.name == "found" else 100.0)


@right(VECTOR, -VECTOR)
def words_of_the_elements(x: Any) -> Any:
    s, before = 0.0, "neg"
    for v in x:
        sign = "pos" if v > 0.5 else "neg" if v < 0.0 else "mid"
        if sign == before:
            s += v
        elif sign == "mid":
            s -= v * v
        else:
            s += 3.0 * v
        before = sign
    return s


# -- what Python raises, what is refused


@raises(2.7, KeyError, "best")
def a_word_that_is_no_key(x: Any) -> Any:
    return {"bad": 1.0, "good": 2.0}[grade(x)] * x


@refused("does not return the same kind of thing")
def a_word_is_returned(x: Any) -> Any:
    return grade(x)


@refused("is used where one constant is needed")
def words_are_added(x: Any) -> Any:
    return x * len(grade(x) + "!")


@refused("is used where one constant is needed")
def a_method_of_a_word(x: Any) -> Any:
    return x if grade(x).startswith("b") else 2.0 * x


@refused("is used where one constant is needed")
def a_key_that_is_stored(x: Any) -> Any:
    d = {"bad": x}
    d[grade(x)] = 2.0 * x
    return d["bad"]


@refused("cannot be passed to a transformed function")
def a_transform_of_a_word(x: Any) -> Any:
    def f(v: Any, kind: Any) -> Any:
        return v * v if kind == "bad" else v

    return adjit.grad(f)(x, grade(x))


@refused("no single meaning")
def seventeen_words(x: Any) -> Any:
    word = "a0"
    if x > 1.0:
        word = "a1"
    if x > 2.0:
        word = "a2"
    if x > 3.0:
        word = "a3"
    if x > 4.0:
        word = "a4"
    if x > 5.0:
        word = "a5"
    if x > 6.0:
        word = "a6"
    if x > 7.0:
        word = "a7"
    if x > 8.0:
        word = "a8"
    if x > 9.0:
        word = "a9"
    if x > 10.0:
        word = "a10"
    if x > 11.0:
        word = "a11"
    if x > 12.0:
        word = "a12"
    if x > 13.0:
        word = "a13"
    if x > 14.0:
        word = "a14"
    if x > 15.0:
        word = "a15"
    if x > 16.0:
        word = "a16"
    return x if word == "a0" else 2.0 * x


@refused("no single meaning")
def a_word_or_a_number(x: Any) -> Any:
    mode: Any = "a"
    if x > 0.0:
        mode = x
    return x if mode == "a" else 2.0 * x


@right()
def a_table_of_next_states(x: Any) -> Any:
    after = {
        "a": "b",
        "b": "c",
        "c": "d",
        "d": "e",
        "e": "f",
        "f": "g",
        "g": "h",
        "h": "i",
        "i": "j",
        "j": "a",
    }
    gain = {"a": 1.0, "e": 1.3, "j": x}
    state, y = "a", x
    for k in range(12):
        if y < 2.0 + 0.1 * k:
            state = after[state]
        y = 0.7 * y + gain.get(state, 0.2)
    return y * (2.0 if state in ("c", "d", "h") else x)


@right()
def members_as_keys(x: Any) -> Any:
    phase = Phase.UP if x < 1.0 else Phase.DOWN
    return {Phase.UP: x, Phase.DOWN: x * x}[phase]


@right()
def a_name_bound_on_some_paths(x: Any) -> Any:
    for k in range(3):
        if x > k - 2:
            word = "low" if x < k else "high"
    return x * x if word == "low" else 2.0 * x
