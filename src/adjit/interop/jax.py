"""A function as a JAX function that `jit`, `grad`, `value_and_grad` and `vmap` accept.

Input: a function of arrays. Output: a function of JAX arrays that calls adjit on the host (`pure_callback`)
and whose derivative is adjit's (`custom_vjp`). JAX must know the shapes of the results before the call:
they are given as `result`, or found by calling the function once, on ones. Invariants: a result of another
shape at run time is an error of JAX, never a wrong number. Non-goals: accelerators; forward mode and
derivatives of derivatives, which `custom_vjp` does not have.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ..api.gradient import Jit
from ..api.transform import kept
from ..api.vjp import Vjp
from ..errors import AdjitError, OverwriteError, ShapeError
from ..runtime import pytree


def _host(value: Any) -> Any:
    """A JAX or NumPy array as adjit takes it: an array, or a number where it has no axes."""
    if value is None or isinstance(value, str):
        return value
    array = np.asarray(value)
    return array if array.ndim else array[()]


def _is_float(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and np.dtype(leaf.dtype).kind in "fc"


def _shape(leaf: Any) -> Any:
    array = np.asarray(leaf)
    return jax.ShapeDtypeStruct(array.shape, jax.dtypes.canonicalize_dtype(array.dtype))


def _ones(leaf: Any) -> Any:
    return _host(np.ones(np.shape(leaf), jax.numpy.result_type(leaf)))


class _Shapes:
    """The shapes of the results, by those of the arguments."""

    def __init__(self, function: Jit, result: Any, name: str) -> None:
        self.function, self.result, self.name = function, result, name
        self.known: dict[Any, Any] = {}

    def of(self, args: tuple[Any, ...]) -> Any:
        if self.result is not None:
            return self.result
        leaves, tree = jax.tree_util.tree_flatten(args)
        key = (tree, tuple((np.shape(x), str(jax.numpy.result_type(x))) for x in leaves))
        if key not in self.known:
            probe = jax.tree_util.tree_map(_ones, args)
            entry, _ = self.function.prepare(probe)
            if entry.around.written:
                raise OverwriteError(
                    f"`{self.name}` writes its arguments, which JAX holds to be constant",
                    hint="write into a copy: `x = x.copy()` at the start of the function",
                )
            try:
                self.known[key] = jax.tree_util.tree_map(_shape, self.function(*probe))
            except AdjitError:
                raise
            except Exception as error:
                raise ShapeError(
                    f"the shape of the result of `{self.name}` is not known: at ones it raises {error!r}",
                    hint="give it: wrap(f, result=jax.ShapeDtypeStruct(shape, dtype))",
                ) from error
        return self.known[key]


def wrap(fun: Callable[..., Any], result: Any = None, **options: Any) -> Callable[..., Any]:
    """`fun` as a JAX function: `loss = wrap(f)`, then `jax.jit(jax.grad(loss))(w)`.

    `result` is a `jax.ShapeDtypeStruct` or a structure of them, for functions whose results' shapes do not
    follow from those of the arguments. Numbers have JAX's precision: float32 unless `jax_enable_x64` is
    set.
    """
    function: Jit = kept(Jit, fun, options=options)
    transform: Vjp = kept(Vjp, fun, None, (), options=options)
    function.needs_plain_parameters("wrap")
    shapes = _Shapes(function, result, getattr(function.base, "__name__", "function"))

    def as_wanted(found: Any, wanted: Any) -> Any:
        return jax.tree_util.tree_map(lambda x, s: np.asarray(x, dtype=s.dtype), found, wanted)

    def primal(args: tuple[Any, ...]) -> Any:
        wanted = shapes.of(args)

        def call(*given: Any) -> Any:
            return as_wanted(function(*jax.tree_util.tree_map(_host, given)), wanted)

        return jax.pure_callback(call, wanted, *args, vmap_method="sequential")

    @jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def called(*args: Any) -> Any:
        return primal(args)

    def forward(*args: Any) -> Any:
        return primal(args), args

    def backward(args: Any, cotangent: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten(args)
        floats = [k for k, leaf in enumerate(leaves) if _is_float(leaf)]
        wanted = [jax.ShapeDtypeStruct(leaves[k].shape, leaves[k].dtype) for k in floats]

        def call(given: Any, ct: Any) -> Any:
            host = jax.tree_util.tree_map(_host, given)
            _, pullback = transform.forward(host, {}, False)
            gradients = pytree.matched(host, pullback(jax.tree_util.tree_map(_host, ct)), 0.0)
            found = jax.tree_util.tree_leaves(gradients)  # in JAX's order, which sorts the keys of dicts
            return [np.asarray(found[k], dtype=s.dtype) for k, s in zip(floats, wanted, strict=True)]

        made = iter(jax.pure_callback(call, wanted, args, cotangent, vmap_method="sequential"))
        zeros = (np.zeros(np.shape(leaf), jax.dtypes.float0) for leaf in leaves)
        gradients = [next(made) if k in floats else z for k, z in enumerate(zeros)]
        return jax.tree_util.tree_unflatten(tree, gradients)

    called.defvjp(forward, backward)

    @functools.wraps(function.base)
    def with_arrays(*args: Any, **kwargs: Any) -> Any:
        bound = function.bound(args, kwargs)
        return called(*jax.tree_util.tree_map(jax.numpy.asarray, bound))

    return with_arrays


__all__ = ["wrap"]
