"""Programs with names that stand for one of several words, or for a number or None, in forms that people
write.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

import adjit

POINTS = (-0.6, 0.53, 1.47, 2.7)
VECTOR = np.array([0.7, -1.3, 2.1, 0.4, 3.2])
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
RAISING: list[tuple[Callable[..., Any], Any, type[Exception], str]] = []
REFUSED: list[tuple[Callable[..., Any], str]] = []

Program = Callable[..., Any]


def right(*points: Any) -> Callable[[Program], Program]:
    """A program that must be right at these points."""

    def decorate(f: Program) -> Program:
        PROGRAMS.append((f, points or POINTS))
        return f

    return decorate


def raises(x: Any, error: type[Exception], text: str) -> Callable[[Program], Program]:
    """A program that raises at run time what Python raises."""

    def decorate(f: Program) -> Program:
        RAISING.append((f, x, error, text))
        return f

    return decorate


def refused(text: str) -> Callable[[Program], Program]:
    def decorate(f: Program) -> Program:
        REFUSED.append((f, text))
        return f

    return decorate


# -- words


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


# -- numbers or None


@right()
def the_last_below(x: Any) -> Any:
    last = None
    for k in range(5):
        y = x * k
        if y < 2.0:
            last = y
    return 0.0 * x if last is None else last * last


@right()
def none_with_else(x: Any) -> Any:
    found = None
    for k in range(4):
        if x * k > 2.0:
            found = x * k
            break
    else:
        return 7.0 * x
    return found * x


@right()
def none_again(x: Any) -> Any:
    held, s = None, 0.0
    for k in range(6):
        if held is None:
            held = x + k
        else:
            s += held * x
            held = None
    return s + x


@right()
def the_test_is_a_name(x: Any) -> Any:
    best = None
    for k in range(3):
        if x > k:
            best = x * (k + 1)
    known = best is not None
    return best * x if known else x


@right()
def truth_means_not_none_and_not_zero(x: Any) -> Any:
    best = None
    for k in range(3):
        if x > k:
            best = x * k
    if best:
        return best * x
    return 3.0 * x


@right()
def a_default_by_or(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x * x
    return (best or 0.5) * x


@right()
def a_default_by_a_conditional(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x * x
    best = best if best is not None else 4.0
    return best * x


@right()
def a_default_set_in_an_if(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x * x
    if best is None:
        best = 2.0
    return best + x


@right()
def equality_with_none_and_numbers(x: Any) -> Any:
    n = None
    for k in range(4):
        if x > k:
            n = k
    if n == None:  # noqa: E711
        return x
    return x * x if n == 1 else 5.0 * x if n != 2 else 9.0 * x


@right()
def one_of_some_numbers(x: Any) -> Any:
    n = None
    for k in range(4):
        if x > k:
            n = k
    return x * x if n in (0, 2) else 3.0 * x if n in (None, 5) else x


@right()
def two_that_may_be_none(x: Any) -> Any:
    a, b = None, None
    for k in range(4):
        if x > k:
            b = a
            a = x * k
    if a is None or b is None:
        return 2.0 * x if a == b else x
    return a * b if a != b else 0.0


@right()
def or_and_and(x: Any) -> Any:
    low, high = None, None
    for k in range(5):
        y = math.sin(x * k)
        if low is None or y < low:
            low = y
        if (high is not None and y > high) or high is None:
            high = y
    return high - low if low is not None and high is not None else x


@right()
def raised_where_it_is_none(x: Any) -> Any:
    best = None
    for k in range(-1, 3):
        if x > k:
            best = x * (k + 2)
    if best is None:
        raise ValueError("nothing")
    assert best is not None
    return best * best


@right()
def returned_by_a_helper(x: Any) -> Any:
    def root(v: Any) -> Any:
        if v < 0.0:
            return None
        return math.sqrt(v)

    s = 0.0
    for k in range(4):
        r = root(x - k)
        if r is None:
            continue
        s += r
    return s * x


@right()
def passed_to_a_helper(x: Any) -> Any:
    def scaled(v: Any, by: Any = None) -> Any:
        if by is None:
            return v
        return v * by

    factor = None
    if x > 1.0:
        factor = x
    return scaled(x, factor) + scaled(x) + scaled(x, by=2.0)


@right()
def a_while_until_it_is_found(x: Any) -> Any:
    found, k = None, 0
    while found is None and k < 6:
        if x * k > 2.5:
            found = x * k
        k += 1
    return k * x if found is None else found


@right()
def none_in_nested_loops(x: Any) -> Any:
    best = None
    for i in range(3):
        inner = None
        for j in range(3):
            y = math.sin(x * (i + 1) + j)
            if inner is None or y > inner:
                inner = y
        if best is None or inner < best:
            best = inner
    return best * x


@right()
def tuples_with_none(x: Any) -> Any:
    pair = (None, 0)
    for k in range(4):
        if x > k:
            pair = (x * k, k)
    y, n = pair
    return x if y is None else y * n


@right()
def a_dict_with_none(x: Any) -> Any:
    d = {"best": None, "count": 0}
    for k in range(4):
        if x > k:
            d["best"] = x + k
            d["count"] += 1
    return x if d["best"] is None else d["best"] * d["count"]


@right(VECTOR, -np.abs(VECTOR), VECTOR[:1])
def the_largest_element(x: Any) -> Any:
    best, at = None, None
    for k in range(x.shape[0]):
        if x[k] > 0.0 and (best is None or x[k] > best):
            best, at = x[k], k
    if at is None:
        return np.sum(x)
    return best * x[at] * (at + 1)


@right(VECTOR, -np.abs(VECTOR))
def gaps_between_the_positive(x: Any) -> Any:
    before, s = None, 0.0
    for v in x:
        if v <= 0.0:
            continue
        if before is not None:
            s = s + (v - before) ** 2
        before = v
    return s + np.sum(x)


@right()
def used_without_a_test(x: Any) -> Any:
    best = None
    for k in range(-2, 3):
        if x > k:
            best = x * (k + 3)
    return best * x + math.sin(best) + abs(best) + max(best, 1.0) - (-best)


@right()
def a_closure_sees_it(x: Any) -> Any:
    best, mode = None, "a"
    if x > 1.0:
        best, mode = x * x, "b"

    def seen(v: Any) -> Any:
        if best is None:
            return v if mode == "a" else 100.0
        return v * best

    return seen(x) + seen(2.0 * x)


@right()
def a_derivative_inside(x: Any) -> Any:
    best, mode = None, "a"
    if x > 1.0:
        best, mode = x * x, "b"

    def seen(v: Any) -> Any:
        if best is None:
            return v**3 if mode == "a" else 100.0
        return v * v * best

    return adjit.grad(seen)(x)


@right()
def a_checkpointed_loop(x: Any) -> Any:
    state, y, best = "up", x, None
    for k in adjit.checkpoint(range(9), snapshots=3):
        if state == "up":
            y = 1.3 * y + 0.1
            if y > 2.0:
                state = "down"
                best = y if best is None else best * y
        else:
            y = 0.6 * y
            if y < 0.7:
                state = "up"
        y = y + 0.01 * k
    return y if best is None else y + best


@right()
def integers_and_floats(x: Any) -> Any:
    n = None
    for k in range(3):
        if x > k:
            n = k if k < 2 else 0.5 * x
    return x if n is None else n * x


@right()
def a_boolean_or_none(x: Any) -> Any:
    seen = None
    for k in range(3):
        if x > k:
            seen = k > 0
    if seen is None:
        return x
    return x * x if seen else 3.0 * x


# -- what Python raises


@raises(-3.0, TypeError, "unsupported operand type\\(s\\) for \\*: 'NoneType' and 'float'")
def multiplied(x: Any) -> Any:
    best = None
    for k in range(3):
        if x > k:
            best = x
    return best * x


@raises(-3.0, TypeError, "unsupported operand type\\(s\\) for /: 'float' and 'NoneType'")
def divides(x: Any) -> Any:
    best = None
    for k in range(3):
        if x > k:
            best = x
    return x / best


@raises(-3.0, TypeError, "'<' not supported between instances of 'NoneType' and 'float'")
def ordered(x: Any) -> Any:
    best = None
    for k in range(3):
        if x > k:
            best = x
    return x if best < 1.0 else 2.0 * x


@raises(-3.0, TypeError, "bad operand type for unary -: 'NoneType'")
def negated(x: Any) -> Any:
    best = x if x > 0.0 else None
    return -best


@raises(2.7, KeyError, "best")
def a_word_that_is_no_key(x: Any) -> Any:
    return {"bad": 1.0, "good": 2.0}[grade(x)] * x


# -- what is refused


@refused("does not return the same kind of thing")
def a_word_is_returned(x: Any) -> Any:
    return grade(x)


@refused("does not return the same kind of thing")
def a_number_or_none_is_returned(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x
    return best


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


@refused("None would mean something else")
def an_end_of_a_slice(x: Any) -> Any:
    n = None
    if x > 1.0:
        n = 2
    return np.sum(np.ones(3)[:n]) * x


@refused("None would mean something else")
def a_bound_of_clip(x: Any) -> Any:
    low = None
    if x > 1.0:
        low = 2.0
    return np.sum(np.clip(np.ones(3) * x, low, 5.0))


@refused("cannot be passed to a transformed function")
def a_transform_of_a_word(x: Any) -> Any:
    def f(v: Any, kind: Any) -> Any:
        return v * v if kind == "bad" else v

    return adjit.grad(f)(x, grade(x))


@refused("`is` does not compare numbers")
def identity_of_numbers(x: Any) -> Any:
    flag = x > 1.0
    return x if flag is True else 2.0 * x


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
