"""`print` in a differentiated function: what Python itself prints, once, in the forward sweep."""

# ruff: noqa: UP030, UP031, UP032, F507, F524 - each way to write a text is what is tested

from __future__ import annotations

import numpy as np
import pytest

import adjit
from adjit.errors import InferenceError, UnsupportedSyntaxError

X = np.array([0.5, 1.25, -2.0])


def plain(x, n):
    print("x", x[0], n, True, 2.0)
    print()
    print("100% {} {{}}", x[1], sep="", end="|\n")


def formatted(x, n):
    print(f"sum = {x.sum():.3f} of {len(x)} {n!r:>4}|{{}}", x[0] > 0.4)
    print("{1} {0:>8.2f}|{k!s}".format(x[1], n, k=x[2]), "{}{}".format(n, 2))
    print("%.3f 100%% %d %5s|%-8.2f|%+d % 6.1e %08.3f %5d" % (x[0], x[1] * 10, n, x[1], n, x[2], x[2], n))
    print("%g" % x[0], "%x" % n, "%.2f %s" % (1.0, "known"))


def joined(x, n):
    print("a " + str(x[0]) + " b " + repr(n) + f"{x[1]:g}")
    for i in range(2):
        print(f"pass {i}:", x[i] * x[i])
    if x[2] > 0.0:
        print("positive")


@pytest.mark.parametrize("shows", [plain, formatted, joined])
def test_print_shows_what_python_prints(shows, capsys):
    def f(x, n):
        shows(x, n)
        return np.sum(x * x)

    shows(X, 3)
    expected = capsys.readouterr().out
    for run in (adjit.jit(f), adjit.grad(f), adjit.value_and_grad(f)):
        run(X, 3)
        assert capsys.readouterr().out == expected
    np.testing.assert_array_equal(adjit.grad(f)(X, 3), 2.0 * X)


def shows_passes(x):
    for i in range(2):
        print("pass", i, "of", 2, x * i)
    if x > 100.0:
        print("large")
    return x * x


def test_print_runs_once(capsys):
    shows_passes(2.0)
    expected = capsys.readouterr().out
    transforms = (adjit.jit, adjit.grad, adjit.hessian, adjit.value_and_grad)
    for run in (t(shows_passes) for t in transforms):
        run(2.0)
        assert capsys.readouterr().out == expected
    value, pullback = adjit.vjp(shows_passes, 2.0)
    assert capsys.readouterr().out == expected
    assert (value, pullback(1.0)) == (4.0, (4.0,))
    assert capsys.readouterr().out == ""


def test_print_as_a_value(capsys):
    def f(x):
        for show in (print, lambda v: print(v + 1.0)):
            show(*(x,))
        return x * x

    assert adjit.grad(f)(2.0) == 4.0
    assert capsys.readouterr().out == "2.0\n3.0\n"


@pytest.mark.parametrize(
    ("prints", "error", "words"),
    [
        (lambda x: print(x), UnsupportedSyntaxError, "numbers and text"),
        (lambda x: print(f"{x}"), UnsupportedSyntaxError, "numbers and text"),
        (lambda x: print(x[0], file=None), UnsupportedSyntaxError, "'file'"),
        (lambda x: print(x[0], sep=x[0]), UnsupportedSyntaxError, "'sep'"),
        (lambda x: print(f"{x[0]:d}"), InferenceError, "Unknown format code 'd'"),
        (lambda x: print("{0.real}".format(x[0])), UnsupportedSyntaxError, "the place {0.real}"),
        (lambda x: print("{} {}".format(x[0])), InferenceError, "a place {1}"),
        (lambda x: print("%s %s" % x[0]), InferenceError, "not enough arguments"),
        (lambda x: print("%s" % (x[0], x[1])), InferenceError, "not all arguments"),
        (lambda x: print("%.3d" % x[0]), UnsupportedSyntaxError, r"%\.3d"),
        (lambda x: print("%*d" % (x[0], x[0])), UnsupportedSyntaxError, r"the place %\*"),
    ],
)
def test_what_print_does_not_show(prints, error, words):
    with pytest.raises(error, match=words):
        adjit.grad(lambda x: [prints(x), np.sum(x)][1])(X)


@pytest.mark.compiled
def test_print_compiled(capfd, compiled):
    def f(x, n):
        formatted(x, n)
        return np.sum(x * x)

    formatted(X, 3)
    expected = capfd.readouterr().out
    adjit.grad(f)(X, 3)
    assert capfd.readouterr().out == expected
