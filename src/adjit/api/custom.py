"""`custom_vjp` and `custom_jvp`: functions whose derivative is the user's own, in JAX's form.

Input: a function (plain or compiled by Numba) and its rules, functions in the subset that adjit reads.
Output: an object that is called like the function and that every transform differentiates by the rules.
Invariants: the rules are given once; called by itself, the object is the function. Non-goals: what a rule
means in a program (`compiler.frontend.rules`); rules without Python source.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, overload

from ..compiler.describing import described
from ..compiler.frontend.skeletons import vjp_skeleton
from .signatures import P, R, WithJvp, WithVjp


class Custom:
    """A function with a rule. `nondiff` are the positions that the rule holds constant."""

    word = ""
    reverse = False
    __name__: str

    def __init__(self, fun: Callable[..., Any], nondiff: tuple[int, ...] = ()) -> None:
        self.fun = fun
        self.nondiff = nondiff
        self.rules: tuple[Callable[..., Any], ...] = ()
        python = getattr(fun, "py_func", fun)
        functools.update_wrapper(self, python, updated=())
        del self.__wrapped__  # type: ignore[attr-defined]
        self.signature = self.__signature__ = inspect.signature(python)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def inlined(self, ctx: Any, args: Any, kwargs: Any) -> Any:
        """The value of a call in a differentiated function."""
        from ..compiler.frontend import rules

        return rules.call(ctx, self, args, kwargs)

    def given(self, *functions: Callable[..., Any]) -> None:
        if self.rules:
            raise ValueError(f"{self.__name__!r} has its rule already")
        for f in functions:
            if not callable(f):
                raise TypeError(f"a rule is a function, not {f!r}")
        self.rules = functions

    def skeleton(self) -> str:
        """Text of the rules that are missing."""
        raise NotImplementedError

    def __adjit_described__(self) -> str:
        parts = ", ".join(map(described, (self.fun, *self.rules)))
        return f"{self.word} {self.nondiff} {parts}"

    @functools.cached_property
    def compiled(self) -> Any:
        """The function as Numba compiles it, for calls from compiled code; it tells whose it is."""
        import numba

        from ..runtime.typed import another

        made = another(self.fun) if hasattr(self.fun, "py_func") else numba.njit(self.fun)
        made.differentiated = self
        return made

    @property
    def _numba_type_(self) -> Any:
        """In a function that Numba compiles the object is the compiled function."""
        return self.compiled._numba_type_

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return str(getattr(self, "__qualname__", self.__name__))

    def __repr__(self) -> str:
        return f"<adjit {self.word} {getattr(self, '__qualname__', self.fun)}>"


class CustomVjp(Custom):
    """Made by `custom_vjp`."""

    word = "custom_vjp"
    reverse = True

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """`fwd(*args)` gives `(result, residuals)`; `bwd(*nondiff, residuals, ct)` a tuple with a cotangent
        (or None) for each other argument.
        """
        self.given(fwd, bwd)

    def skeleton(self) -> str:
        return vjp_skeleton(self.__name__, self.signature, self.nondiff, decorate=False)


class CustomJvp(Custom):
    """Made by `custom_jvp`."""

    word = "custom_jvp"

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """`rule(*nondiff, primals, tangents)` gives `(result, tangent of the result)`, linear in
        `tangents`.
        """
        self.given(rule)
        return rule

    def skeleton(self) -> str:
        name = self.__name__
        held = "".join(f"{list(self.signature.parameters)[k]}, " for k in self.nondiff)
        return (
            f"@{name}.defjvp\n"
            f"def {name}_jvp({held}primals, tangents):\n"
            "    return ..., ...  # the result and its tangent, linear in the tangents"
        )


@overload
def custom_vjp(
    fun: None = None, nondiff_argnums: int | tuple[int, ...] = ()
) -> Callable[[Callable[P, R]], WithVjp[P, R]]: ...
@overload
def custom_vjp(fun: Callable[P, R], nondiff_argnums: int | tuple[int, ...] = ()) -> WithVjp[P, R]: ...
def custom_vjp(fun: Callable[..., Any] | None = None, nondiff_argnums: int | tuple[int, ...] = ()) -> Any:
    """A function that is differentiated in reverse mode by rules of its own.

    >>> import adjit
    >>> @adjit.custom_vjp
    ... def half_gradient(x):
    ...     return x
    >>> def fwd(x):
    ...     return x, None
    >>> def bwd(residuals, ct):
    ...     return (0.5 * ct,)
    >>> half_gradient.defvjp(fwd, bwd)
    >>> adjit.grad(lambda x: half_gradient(x) ** 2)(3.0)
    3.0
    """
    return _made(CustomVjp, fun, nondiff_argnums)


@overload
def custom_jvp(
    fun: None = None, nondiff_argnums: int | tuple[int, ...] = ()
) -> Callable[[Callable[P, R]], WithJvp[P, R]]: ...
@overload
def custom_jvp(fun: Callable[P, R], nondiff_argnums: int | tuple[int, ...] = ()) -> WithJvp[P, R]: ...
def custom_jvp(fun: Callable[..., Any] | None = None, nondiff_argnums: int | tuple[int, ...] = ()) -> Any:
    """A function whose tangent is given; reverse mode is the transpose of it.

    >>> import adjit
    >>> import math
    >>> @adjit.custom_jvp
    ... def log1pexp(x):
    ...     return math.log(1.0 + math.exp(x))
    >>> @log1pexp.defjvp
    ... def log1pexp_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), t * (1.0 - 1.0 / (1.0 + math.exp(x)))
    >>> adjit.grad(log1pexp)(100.0)
    1.0
    """
    return _made(CustomJvp, fun, nondiff_argnums)


def _made(kind: type[Custom], fun: Callable[..., Any] | None, nondiff: int | tuple[int, ...]) -> Any:
    positions = (nondiff,) if isinstance(nondiff, int) else tuple(nondiff)
    if not all(isinstance(k, int) for k in positions):
        raise TypeError(f"nondiff_argnums are positions, not {nondiff!r}")
    if fun is None:
        return lambda function: kind(function, positions)
    if not callable(fun):
        raise TypeError(f"{fun!r} is not a function")
    return kind(fun, positions)


__all__ = ["Custom", "CustomJvp", "CustomVjp", "custom_jvp", "custom_vjp"]
