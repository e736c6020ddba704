"""A case: a small program with its gradient known, and the rules by which an answer is judged.

Purpose: one row for each mathematical situation that automatic differentiation is known to get wrong. Input:
`compute(function, args, wrt, seed, order)`, which returns a tuple of gradients or raises. Output: an empty
string, or what is wrong.

A result is judged by these conventions:
- A gradient is the derivative of the returned scalar with respect to the value that the argument had at
  entry, also when
  the function overwrites it; for an array result, the product of the Jacobian with the seed.
- Shape and dtype of a gradient equal those of the argument; for a Python float, anything that `float()`
  takes.
- Arguments that the function does not write come back unchanged. A gradient shares no memory with an argument
  or the seed.
- A second call with equal arguments gives an equal answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support import trees

CASES: dict[str, Case] = {}

GRADIENT, ACCEPT, ERROR, GRADIENT_OR_ERROR, ZERO_OR_ERROR = (
    "grad",  # the gradient must match
    "accept",  # not differentiable there: `accept(grads, args)` decides; `gradient` is the convention
    "error",  # a clear error, never a number
    "grad_or_error",
    "zero_or_error",
)


@dataclass(frozen=True)
class Case:
    """`level`: must, or hard (most tools fail). `order` 2: the Hessian of a scalar function of one array."""

    function: Callable[..., Any]
    kind: str
    source: str  # the public report that the situation comes from
    args: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...]
    gradient: Callable[..., Any] | None = None
    seed: Callable[[np.random.Generator], Any] | None = None
    expect: str = GRADIENT
    accept: Callable[[Any, Any], bool] | None = None
    level: str = "must"
    order: int = 1
    rtol: float = 1e-9
    atol: float = 1e-11
    mutates: tuple[int, ...] = ()
    helpers: tuple[Callable[..., Any], ...] = ()
    njit: bool = True  # the primal compiles under numba.njit
    njit_differs: bool = False  # but Numba's result is not NumPy's
    parallel: bool = False
    fd: object = "central"  # central, right, none, alias, or a dict from argument to one of them
    fd_h: float = 2e-4
    fd_tol: float = 2e-7
    fd_args: Callable[[np.random.Generator], tuple[Any, ...]] | None = None
    convex: bool = False
    error_words: tuple[str, ...] = ()  # one of these should stand in the error's message
    note: str = ""

    @property
    def id(self) -> str:
        return self.function.__name__

    def make_args(self) -> tuple[Any, ...]:
        return tuple(self.args(np.random.default_rng(zlib.crc32(self.id.encode()))))

    def make_seed(self) -> Any:
        if self.seed is None:
            return None
        return np.asarray(self.seed(np.random.default_rng(zlib.crc32(("seed" + self.id).encode()))))


def case(
    function: Callable[..., Any],
    kind: str,
    source: str,
    args: Callable[[np.random.Generator], tuple[Any, ...]],
    wrt: tuple[int, ...],
    gradient: Callable[..., Any] | None = None,
    **more: Any,
) -> None:
    made = Case(function, kind, source, args, wrt, gradient, **more)
    if made.id in CASES:
        raise ValueError(f"case {made.id} stands twice")
    CASES[made.id] = made


def by_id(name: str) -> Case:
    return CASES[name]


Compute = Callable[..., Any]


def judge(case: Case, compute: Compute, error_type: type[Exception] = Exception) -> str:
    """What is wrong with the answer; an empty string where nothing is."""
    try:
        trouble, got = _run(case, compute)
        second_trouble, again = _run(case, compute)
    except Exception as error:
        return _judge_error(case, error, error_type)
    if trouble or second_trouble:
        return trouble or second_trouble
    if case.expect == ERROR:
        return "no error was raised"
    for first, second in zip(got, again, strict=True):
        if not np.allclose(first, second, rtol=1e-12, atol=1e-13, equal_nan=True):
            return "a second call gave another answer"
    return _judge_form(case, got) or _judge_values(case, got)


def _run(case: Case, compute: Compute) -> tuple[str, tuple[Any, ...]]:
    args, seed = trees.fresh(case.make_args()), case.make_seed()
    kept = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    kept_seed = None if seed is None else seed.copy()
    got = compute(case.function, args, case.wrt, seed, case.order)
    got = tuple(got) if isinstance(got, (tuple, list)) else (got,)
    for k, (now, before) in enumerate(zip(args, kept, strict=True)):
        unchanged = not isinstance(now, np.ndarray) or np.array_equal(now, before, equal_nan=True)
        if k not in case.mutates and not unchanged:
            return f"argument {k} was changed", got
    if seed is not None and not np.array_equal(seed, kept_seed):
        return "the seed was changed", got
    inputs = [a for a in (*args, seed) if isinstance(a, np.ndarray)]
    for g in got:
        if isinstance(g, np.ndarray) and g.size and any(np.shares_memory(g, a) for a in inputs):
            return "a gradient shares memory with an input", got
    return "", got


def _judge_error(case: Case, error: Exception, error_type: type[Exception]) -> str:
    text = str(error).lower()
    if case.expect not in (ERROR, GRADIENT_OR_ERROR, ZERO_OR_ERROR):
        return f"{type(error).__name__}: {str(error)[:300]}"
    if not isinstance(error, error_type):
        return f"not one of the library's errors: {type(error).__name__}: {text[:300]}"
    if case.error_words and not any(word in text for word in case.error_words):
        return f"the error does not name the trouble: {text[:300]}"
    return "" if text.strip() else "an error without a message"


def _judge_form(case: Case, got: tuple[Any, ...]) -> str:
    """Number, shapes and dtypes of the gradients."""
    if case.order == 2:
        return ""
    if len(got) != len(case.wrt):
        return f"expected {len(case.wrt)} gradients, got {len(got)}"
    args = case.make_args()
    for gradient, position in zip(got, case.wrt, strict=True):
        argument = args[position]
        if np.shape(gradient) != np.shape(argument):
            return f"gradient {position} has shape {np.shape(gradient)}, not {np.shape(argument)}"
        dtype = np.asarray(gradient).dtype
        if not np.issubdtype(dtype, np.floating):
            return f"gradient {position} has dtype {dtype}"
        if isinstance(argument, np.ndarray) and argument.dtype.kind == "f" and dtype != argument.dtype:
            return f"gradient {position} has dtype {dtype}, not {argument.dtype}"
    return ""


def _judge_values(case: Case, got: tuple[Any, ...]) -> str:
    args = case.make_args()
    if case.accept is not None:
        return "" if case.accept(got, args) else f"not acceptable: {got}"
    if case.expect == ZERO_OR_ERROR:
        return "" if all(np.all(np.asarray(g) == 0) for g in got) else f"not zero: {got}"
    assert case.gradient is not None
    wanted = case.gradient(*args) if case.order == 1 else (case.gradient(*args),)
    for k, (gradient, expected) in enumerate(zip(got, wanted, strict=True)):
        expected = np.asarray(expected, dtype=np.float64)
        have = np.asarray(gradient, dtype=np.float64).reshape(expected.shape)
        if not np.all(np.isfinite(have)):
            return f"gradient {k} is not finite: {np.array2string(have, threshold=8)}"
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        tolerance = max(case.rtol * scale, case.atol)
        argument = args[case.wrt[k] if case.order == 1 else case.wrt[0]]
        if np.asarray(argument).dtype == np.float32:
            tolerance = max(tolerance, 2e-6 * scale)
        worst = float(np.max(np.abs(have - expected), initial=0.0))
        if worst > tolerance:
            return f"gradient {k} differs by {worst:.3g} (tolerance {tolerance:.1g})"
    return ""
