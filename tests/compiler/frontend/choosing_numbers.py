"""Programs with numbers that may be None, in forms that people write."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import adjit

from .choosing import VECTOR, raises, refused, right


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


@right(1.47, 2.7)
def a_number_or_none_is_returned(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x * x
    return best


@right(VECTOR, -VECTOR)
def the_largest_is_returned(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


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


# -- what is refused


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


@refused("`is` does not compare numbers")
def identity_of_numbers(x: Any) -> Any:
    flag = x > 1.0
    return x if flag is True else 2.0 * x


@refused("None would mean something else")
def it_is_stored_in_an_array(x: Any) -> Any:
    best = None
    if x > 1.0:
        best = x
    a = np.zeros(2)
    a[0] = best
    return a[0]


@refused("None would mean something else")
def it_is_an_index(x: Any) -> Any:
    at = None
    if x > 1.0:
        at = 1
    return np.sum(x * np.ones((2, 2))[at])


@right()
def used_from_the_second_pass_on(x: Any) -> Any:
    before, s = None, 0.0
    for k in range(4):
        y = math.sin(x * k)
        if k > 0:
            s += (y - before) ** 2 + np.exp(before)
        before = y
    return s + x


@right()
def a_way_that_is_never_taken(x: Any) -> Any:
    best = None
    if x < -5.0:
        return best * x
    return x * x if x < 1.0 else x


@raises(-9.0, TypeError, "unsupported operand type\\(s\\) for \\*: 'NoneType' and 'float'")
def a_way_that_raises(x: Any) -> Any:
    best = None
    if x < -5.0:
        return best * x
    return x * x if x < 1.0 else x


@refused("no single meaning")
def an_array_or_none(x: Any) -> Any:
    w = None
    if x > 1.0:
        w = np.ones(3) * x
    return x if w is None else np.sum(w)


@refused("changes its kind in a loop")
def an_array_or_none_in_a_loop(x: Any) -> Any:
    before, s, n = None, 0.0, int(x) + 3
    for k in range(n):
        y = np.sin(x * np.arange(3.0) + k)
        if before is not None:
            s += np.sum((y - before) ** 2)
        before = y
    return s


@right()
def a_complex_number_or_none(x: Any) -> Any:
    root = None
    for k in range(3):
        if x > k:
            root = complex(x, k) * 1j
    if root is None:
        return x
    return (root * root).real + root.imag


@right()
def a_name_that_some_paths_bind(x: Any) -> Any:
    s = 0.0
    for k in range(4):
        if k == 0:
            held = None
        elif x > k:
            held = x * k
        if held is not None:
            s += held * x
    return s + x
