"""A function as a PyTensor op with its gradient, for PyMC models whose likelihood is a loop.

Input: a function of arrays and numbers that returns one number. Output: a function of PyTensor variables.
Value and gradient come from one compiled program. Invariants: gradients are those of
`adjit.value_and_grad`; the variables that are differentiated are floats. Non-goals: results other than one
number; PyTensor's C and JAX backends; the Hessian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from ..api.gradient import jit, value_and_grad


def _host(value: Any) -> Any:
    array = np.asarray(value)
    return array if array.ndim else array[()]


class _Value(Op):  # type: ignore[misc]
    """The function. `floats` are the positions that are differentiated."""

    def __init__(self, fun: Callable[..., Any], options: dict[str, Any]) -> None:
        self.fun, self.options = fun, options
        function: Any = jit(fun, **options)
        self.function = function
        function.needs_plain_parameters("wrap")

    def __str__(self) -> str:
        return f"adjit({getattr(self.function.base, '__name__', 'function')})"

    def make_node(self, *inputs: Any) -> Any:
        variables = [pt.as_tensor_variable(x) for x in inputs]
        return Apply(self, variables, [pt.dscalar()])

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Any) -> None:
        outputs[0][0] = np.asarray(self.function(*map(_host, inputs)), dtype=np.float64)

    def L_op(self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        floats = tuple(k for k, x in enumerate(inputs) if x.dtype.startswith("float"))
        found = _Gradient(self.fun, floats, self.options)(*inputs, return_list=True)
        made = dict(zip(floats, found, strict=True))
        return [
            cotangents[0] * made[k] if k in made else grad_undefined(self, k, x, "it is an integer")
            for k, x in enumerate(inputs)
        ]


class _Gradient(Op):  # type: ignore[misc]
    def __init__(self, fun: Callable[..., Any], floats: tuple[int, ...], options: dict[str, Any]) -> None:
        self.floats = floats
        self.gradient = value_and_grad(fun, argnums=floats, **options)

    def make_node(self, *inputs: Any) -> Any:
        return Apply(self, list(inputs), [inputs[k].type() for k in self.floats])

    def perform(self, node: Any, inputs: Sequence[Any], outputs: Any) -> None:
        _, found = self.gradient(*map(_host, inputs))
        for out, k, g in zip(outputs, self.floats, found, strict=True):
            out[0] = np.asarray(g, dtype=inputs[k].dtype)


def wrap(fun: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """`fun` as a function of PyTensor variables: `pm.Potential("loglike", wrap(f)(theta, data))`."""
    op = _Value(fun, options)

    def called(*args: Any) -> Any:
        return op(*args)

    called.__name__ = getattr(op.function.base, "__name__", "called")
    called.__doc__ = op.function.base.__doc__
    return called


__all__ = ["wrap"]
