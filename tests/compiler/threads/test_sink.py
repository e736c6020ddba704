"""Scratch arrays move into the loops that have them for themselves, and no others do."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjit.compiler import pipeline
from adjit.compiler.ir.nodes import Alloc, For, Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.ir.visitor import walk
from adjit.compiler.threads import sink
from tests.support.capturing import captured
from tests.support.interpret import run

X = np.arange(12.0).reshape(4, 3)


def moved(function: Any) -> tuple[Function, set[str]]:
    before = pipeline.simplify(captured(function, X).function)
    after, names = sink(before)
    verify(after)
    assert run(after, X.copy()) == run(before, X.copy())
    inside = {
        a.out.name
        for s in walk(after.body)
        if isinstance(s, For)
        for a in s.body.stmts
        if isinstance(a, Alloc)
    }
    assert {v.name for v in names} <= inside
    return after, {v.name for v in names}


def scratch(x):
    s = 0.0
    row = np.empty(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            row[k] = np.sin(x[i, k])
        for k in range(x.shape[1]):
            s += row[k] * row[x.shape[1] - 1 - k]
    return s


def test_an_array_that_each_pass_fills_moves() -> None:
    assert moved(scratch)[1] == {"row"}


def handed_on(x):
    s = 0.0
    row = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            row[k] += np.sin(x[i, k])
        for k in range(x.shape[1]):
            s += row[k] * row[x.shape[1] - 1 - k]
    return s


def test_what_a_pass_leaves_for_the_next_stays() -> None:
    assert moved(handed_on)[1] == set()


def cleaned(x):
    s = 0.0
    row = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            row[x.shape[1] - 1 - k] += np.sin(x[i, k])
        for k in range(x.shape[1]):
            s += row[k] * k
            row[k] = 0.0
    return s


def test_zeros_that_each_pass_cleans_move() -> None:
    assert moved(cleaned)[1] == {"row"}


def cleaned_in_part(x):
    s = 0.0
    row = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            row[k] += np.sin(x[i, k])
        for k in range(1, x.shape[1]):
            s += row[k] * row[0]
            row[k] = 0.0
    return s


def test_zeros_that_are_cleaned_in_part_stay() -> None:
    assert moved(cleaned_in_part)[1] == set()


def cleaned_in_later_passes(x):
    s = 0.0
    row = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1] - 1, -1, -1):
            for j in range(k):
                row[j] += x[i, k]
            s += row[k] * x[i, k]
            row[k] = 0.0
    return s


def test_a_later_pass_of_an_inner_loop_may_clean() -> None:
    assert moved(cleaned_in_later_passes)[1] == {"row"}


def cleaned_in_earlier_passes(x):
    s = 0.0
    row = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            for j in range(k):
                row[j] += x[i, k]
            s += row[k] * x[i, k]
            row[k] = 0.0
    return s


def test_an_earlier_pass_of_an_inner_loop_does_not() -> None:
    assert moved(cleaned_in_earlier_passes)[1] == set()
