"""What the caller supplies to a derivative: seeds and tangents, checked and cast.

Input: a value in the user's structure and the leaves it belongs to. Output: one number or fresh array per
leaf, of the leaf's shape and dtype. Invariant: the caller's arrays are never handed on, so nothing that is
returned shares memory with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiler import complexes
from ..compiler.ir.types import WHOLES
from ..compiler.program import NodeSpec, ResultLeaf
from ..errors import SeedError
from . import pytree


def cast(value: Any, like: Any, what: str) -> Any:
    """`value` as a number or array of the shape and dtype of `like`."""
    shape, kind = np.shape(like), np.result_type(like)
    if hasattr(value, "copy_to_host") or hasattr(value, "__cuda_array_interface__"):
        return _on_device(value, shape, kind, what)
    try:
        found = np.asarray(value)
    except ValueError:
        raise SeedError(f"{what} is of type {type(value).__name__}, not an array or a number") from None
    if found.dtype.kind not in "fiub" or found.dtype.itemsize > 8:
        raise SeedError(f"{what} has dtype {found.dtype}", hint=f"pass one of dtype {kind}")
    if found.shape != shape:
        raise SeedError(
            f"{what} has shape {found.shape}, but {shape} is expected", hint=f"pass an array of shape {shape}"
        )
    if isinstance(like, np.ndarray):
        return np.array(found, dtype=kind, order="C", copy=True)
    return kind.type(found[()])


def _on_device(value: Any, shape: tuple[int, ...], kind: Any, what: str) -> Any:
    """A copy of an array of the GPU."""
    from .cuda import arrays

    stood = arrays.stand_in(value)
    if stood.shape != shape or stood.dtype != kind:
        raise SeedError(
            f"{what} has shape {stood.shape} and dtype {stood.dtype}, but {shape} and {kind} are expected",
            hint="arrays of the GPU are not cast: pass one of that shape and dtype",
        )
    return arrays.duplicate(stood.memory)


def complex_parts(
    tree: NodeSpec, value: Any, likes: Sequence[Any], what: str, found: dict[int, Any], dual: bool
) -> None:
    """The parts of a complex number or array, whose leaves `tree` has; real ones are taken too."""
    at = [leaf.index for leaf in tree.children if isinstance(leaf, ResultLeaf)]  # type: ignore[union-attr]
    if not at:
        return
    like = likes[at[0]]
    is_array = tree.kind in complexes.ARRAYS
    shape = np.shape(like)[:-1] if is_array else ()
    kind = np.dtype(WHOLES[np.result_type(like).name])
    given = np.asarray(value)
    if given.dtype.kind not in "fiubc" or given.dtype.itemsize > 16:
        raise SeedError(f"{what} has dtype {given.dtype}", hint=f"pass one of dtype {kind}")
    if given.shape != shape:
        raise SeedError(
            f"{what} has shape {given.shape}, but {shape} is expected", hint=f"pass an array of shape {shape}"
        )
    made = np.array(given, dtype=kind, order="C", copy=True)
    if dual and tree.kind not in complexes.CONJUGATED:
        made = np.conjugate(made)
    if is_array:
        found[at[0]] = complexes.parts(np.asarray(made))
    else:
        found.update(zip(at, (made.real[()], made.imag[()]), strict=True))


def flat(
    tree: object, value: Any, likes: Sequence[Any], what: str, found: dict[int, Any], dual: bool = False
) -> None:
    """Fill `found[index]` for each `ResultLeaf(index)` in `tree` that `value` has something for; None is
    zero. `dual`: the value is a cotangent, of which complex leaves stand for the conjugates of their parts.
    """
    if isinstance(tree, NodeSpec):
        if value is None:
            return
        if complexes.is_complex(tree.kind):
            complex_parts(tree, value, likes, what, found, dual)
            return
        node = pytree.children(value)
        if (
            node is None
            or len(node[2]) != len(tree.children)
            or (tree.kind is dict and set(node[1]) != set(tree.keys))
        ):
            given = type(value).__name__ if node is None else f"{node[0].__name__} of {len(node[2])}"
            wanted = f"a {tree.kind.__name__} of {len(tree.children)}"
            named = f" with the keys {', '.join(map(repr, tree.keys))}" if tree.kind is dict else ""
            remedy = f"pass {wanted}{named}: one for each result, None for zero"
            raise SeedError(f"{what} is a {given}, but {wanted} is expected", hint=remedy)
        keys: Sequence[object] = node[1] if tree.kind is dict else range(len(node[2]))
        parts = dict(zip(keys, node[2], strict=True))
        for k, (key, child) in enumerate(zip(tree.keys, tree.children, strict=True)):
            flat(child, parts[key if tree.kind is dict else k], likes, f"{what}[{key!r}]", found, dual)
        return
    if isinstance(tree, ResultLeaf) and value is not None:
        found[tree.index] = cast(value, likes[tree.index], what)


def zero(like: Any) -> Any:
    """The zero of a leaf, on the GPU where the leaf is."""
    like = getattr(like, "memory", like)
    if hasattr(like, "copy_to_host"):
        from .cuda.driver import zeros

        return zeros(like.shape, like.dtype)
    if isinstance(like, np.ndarray):
        return np.zeros(like.shape, like.dtype)
    return np.result_type(like).type(0)
