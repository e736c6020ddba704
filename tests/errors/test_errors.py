"""Every refusal: its class, the builtin it is also, and its exact text."""

from __future__ import annotations

import builtins
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import adjit

from . import refused_programs, refused_uses  # noqa: F401 - fill the table
from .refusals import REFUSED, Refusal

HERE = str(Path(__file__).parent)


def text_of(error: BaseException) -> str:
    """The message as a user sees it, without what differs from machine to machine or edit to edit."""
    text = str(error).replace(HERE + "/", "")
    text = re.sub(r"\.py:\d+:\d+", ".py:N:N", re.sub(r"line \d+", "line N", text))
    return re.sub(r"0x[0-9a-f]+", "0x…", text) + "\n"


def raised(refusal: Refusal) -> BaseException:
    with pytest.raises(Exception) as caught:
        refusal.run(refusal.function, *refusal.args)
    return caught.value


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name: str, golden: Callable[[str], None]) -> None:
    refusal = REFUSED[name]
    error = raised(refusal)
    wanted = getattr(adjit, refusal.error, None) or getattr(builtins, refusal.error)
    assert isinstance(error, wanted), repr(error)
    golden(f"{type(error).__name__}: {text_of(error)}")


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_is_worth_reading(name: str) -> None:
    """An error of ours has a place in the user's source, and says why or what instead."""
    error = raised(REFUSED[name])
    if not isinstance(error, adjit.AdjitError):
        return
    if isinstance(error, SyntaxError):
        assert error.filename and error.lineno and error.text
    assert pickle.loads(pickle.dumps(error)).args == error.args
    assert "Var" not in str(error) and "Operand" not in str(error)


def test_all_refused_constructs_are_named() -> None:
    text = str(raised(REFUSED["several_at_once"]))
    assert "with" in text and "del" in text and "import" in text


def test_each_error_is_also_a_builtin() -> None:
    pairs = {
        "UnsupportedSyntaxError": SyntaxError,
        "NameResolutionError": NameError,
        "InferenceError": TypeError,
        "MissingRuleError": NotImplementedError,
        "NotDifferentiableError": ValueError,
        "SeedError": ValueError,
        "OverwriteError": RuntimeError,
        "ShapeError": ValueError,
        "OutOfBoundsError": IndexError,
        "ReleasedError": RuntimeError,
        "InputChangedError": RuntimeError,
        "NonFiniteError": FloatingPointError,
        "GradientCheckError": AssertionError,
        "MemoryBudgetError": MemoryError,
        "BackendError": RuntimeError,
        "InternalError": AssertionError,
    }
    for name, builtin in pairs.items():
        found = getattr(adjit.errors, name)
        assert issubclass(found, adjit.AdjitError) and issubclass(found, builtin)


@pytest.mark.parametrize("name", ["shapes_do_not_broadcast", "impossible_reshape"])
def test_numpys_own_words(name: str) -> None:
    """Shape mismatches begin as NumPy's messages do; the lengths are known at run time only."""
    refusal = REFUSED[name]
    with pytest.raises(ValueError) as numpys:
        refusal.function(*refusal.args)
    first = {"shapes_do_not_broadcast": 5, "impossible_reshape": 2}[name]
    assert str(numpys.value).split()[:first] == str(raised(refusal)).replace(":", " ").split()[:first]
