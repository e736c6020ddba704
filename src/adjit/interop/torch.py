"""A function as a differentiable function of torch tensors.

Input: a function of arrays. Output: the same function of tensors, nested in tuples, lists and dicts as its
arguments are. Values and gradients are computed by adjit on the tensors' own memory, without copies.
Invariants:
gradients are those of `adjit.vjp`; a function that writes its arguments is refused, since torch keeps
account of writes. Gradients in complex tensors are in torch's convention. Non-goals: tensors on other
devices, gradients of gradients.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..api.gradient import Jit
from ..api.transform import kept
from ..api.vjp import Vjp
from ..errors import InferenceError, OverwriteError
from ..runtime import pytree


def _array(value: Any) -> Any:
    """A tensor's memory as an array; a tensor without axes as a number."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.device.type != "cpu":
        raise InferenceError(
            f"a tensor is on the device {value.device}", why="adjit works on the CPU", hint="pass x.cpu()"
        )
    array = value.detach().resolve_conj().numpy()
    return array if array.ndim else array[()]


def _tensor(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, np.generic):
        return torch.from_numpy(np.asarray(value))
    if isinstance(value, bool | int):
        return torch.tensor(value)
    if isinstance(value, complex):
        return torch.tensor(value, dtype=torch.complex128)
    return torch.tensor(value, dtype=torch.float64) if isinstance(value, float) else value


def _conjugate(value: Any) -> Any:
    """Between torch's convention for complex gradients and adjit's; real arrays are not copied."""
    return np.conjugate(value) if np.iscomplexobj(value) else value


def _refuse_writes(written: object, name: str) -> None:
    if written:
        raise OverwriteError(
            f"`{name}` writes its arguments, which are tensors here",
            why="torch must know of each write",
            hint="write into a copy: `x = x.copy()` at the start of the function",
        )


class _Call(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """One call. `box` carries what is not a tensor: the arguments on the way in, the structure on the way
    out.
    """

    @staticmethod
    def forward(ctx: Any, box: dict[str, Any], *tensors: Any) -> Any:
        transform: Vjp = box["transform"]
        value, pullback = transform.forward(pytree.mapped(box["args"], _array), {}, True)
        ctx.pullback, ctx.value = pullback, value
        ctx.args = pytree.mapped(box["args"], lambda _: 0)
        ctx.leaves = [k for k, a in enumerate(pytree.flat(box["args"])) if isinstance(a, torch.Tensor)]
        box["value"] = value
        made = tuple(map(_tensor, pytree.flat(value)))
        ctx.mark_non_differentiable(
            *(
                t
                for t in made
                if isinstance(t, torch.Tensor) and not (t.is_floating_point() or t.is_complex())
            )
        )
        return made

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *cotangents: Any) -> Any:
        given = iter(cotangents)

        def seed(leaf: Any) -> Any:
            ct = next(given)
            is_float = np.result_type(leaf).kind in "fc"
            return _conjugate(_array(ct.contiguous())) if is_float and ct is not None else None

        found = pytree.flat(pytree.matched(ctx.args, ctx.pullback(pytree.mapped(ctx.value, seed)), None))
        return (None, *(None if found[k] is None else _tensor(_conjugate(found[k])) for k in ctx.leaves))


def wrap(fun: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """`fun` as a function of tensors on the CPU: `loss = wrap(f)`, then `loss(w, x).backward()`.

    Arguments that are no tensors are passed as they are. The result has the structure of the function's
    own, with tensors for arrays and numbers.
    """
    plain: Jit = kept(Jit, fun, options=options)
    transform: Vjp = kept(Vjp, fun, None, (), options=options)
    plain.needs_plain_parameters("wrap")
    name = getattr(plain.base, "__name__", "function")

    @functools.wraps(plain.base)
    def called(*args: Any, **kwargs: Any) -> Any:
        bound = plain.bound(args, kwargs)
        tensors = [a for a in pytree.flat(bound) if isinstance(a, torch.Tensor)]
        arrays = pytree.mapped(bound, _array)
        if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            entry, _ = transform.prepare(arrays)
            _refuse_writes(entry.around.written, name)
            box = {"transform": transform, "args": bound}
            made = iter(_Call.apply(box, *tensors))
            return pytree.mapped(box["value"], lambda _: next(made))
        entry, _ = plain.prepare(arrays)
        _refuse_writes(entry.around.written, name)
        return pytree.mapped(plain(*arrays), _tensor)

    called.__doc__ = plain.base.__doc__
    return called


__all__ = ["wrap"]
