"""`einsum`: a sum over the letters that are missing from the result.

Input: subscripts known at compile time, arrays. Output: an array, or a scalar for no letters. The product
of two operands that share summed letters only, each with letters of its own, is a matrix product;
everything else is a loop over the result's letters around one over the summed ones. An ellipsis stands for
letters of its own. Non-goals: lengths of one that stand for any length, the order of contraction of three
operands and more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from .core import Array, Number, Shape, compile_time, defines, wide
from .linear import matrix_matrix, size_of


@compile_time
def letters(subscripts: str, ranks: Shape) -> tuple[tuple[str, ...], str, str]:
    """The letters of each operand, of the result, and those summed over."""
    text = without_ellipsis(subscripts.replace(" ", ""), ranks)
    left, arrow, right = text.partition("->")
    inputs = tuple(left.split(","))
    every = "".join(inputs)
    output = right if arrow else "".join(sorted(c for c in set(every) if every.count(c) == 1))
    if len(inputs) != len(ranks) or any(len(i) != n for i, n in zip(inputs, ranks, strict=True)):
        raise ValueError("einsum: the subscripts do not fit the operands")
    if len(set(output)) < len(output) or not set(output) <= set(every):
        raise ValueError("einsum: the result's subscripts are repeated or unknown")
    return inputs, output, "".join(c for c in dict.fromkeys(every) if c not in output)


def without_ellipsis(text: str, ranks: Shape) -> str:
    """The subscripts with letters of their own for the axes that an ellipsis stands for, the last ones
    first."""
    if "..." not in text:
        return text
    left, arrow, right = text.partition("->")
    words = left.split(",")
    hidden = [n - len(w.replace("...", "")) if "..." in w else 0 for w, n in zip(words, ranks, strict=True)]
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text]
    if min(hidden) < 0 or max(hidden) > len(spare):
        raise ValueError("einsum: the subscripts do not fit the operands")
    names = "".join(spare[: max(hidden)])
    filled = [w.replace("...", names[len(names) - n :]) for w, n in zip(words, hidden, strict=True)]
    if not arrow:
        every = "".join(words).replace(".", "")
        right = "..." + "".join(sorted(c for c in set(every) if every.count(c) == 1))
    return ",".join(filled) + "->" + right.replace("...", names)


@compile_time
def where_found(inputs: tuple[str, ...], wanted: str) -> tuple[tuple[int, int], ...]:
    """For each letter an operand and an axis that have its length."""
    return tuple(next((m, i.index(c)) for m, i in enumerate(inputs) if c in i) for c in wanted)


@compile_time
def spots(word: str, order: str) -> Shape:
    return tuple(order.index(c) for c in word)


@compile_time
def is_product(inputs: tuple[str, ...], output: str, summed: str) -> bool:
    """Whether two operands form a matrix product."""
    if len(inputs) != 2 or any(len(set(i)) < len(i) for i in inputs):
        return False
    both = set(inputs[0]) & set(inputs[1])
    own = [set(i) - both for i in inputs]
    return bool(both) and both == set(summed) and all(own) and own[0] | own[1] == set(output)


@compile_time
def without_letters(word: str, removed: str) -> str:
    return "".join(c for c in word if c not in removed)


@defines(np.einsum)
def einsum(subscripts: str, *operands: Array) -> Number:
    inputs, output, summed = letters(subscripts, tuple(x.ndim for x in operands))
    for m, word in enumerate(inputs):
        for axis, (first, place) in enumerate(where_found(inputs, word)):
            if operands[m].shape[axis] != operands[first].shape[place]:
                raise ShapeError("einsum: operands could not be broadcast together with remapped shapes")
    if is_product(inputs, output, summed):
        return matrix_product(operands[0], operands[1], inputs, output, summed)
    kind = np.result_type(*operands)
    outer = tuple(operands[m].shape[k] for m, k in where_found(inputs, output))
    inner = tuple(operands[m].shape[k] for m, k in where_found(inputs, summed))
    places = tuple(spots(word, output + summed) for word in inputs)
    if len(output) == 0:
        return contracted(operands, (), inner, places, kind)
    out = np.empty(outer, kind)
    for index in np.ndindex(outer):
        out[index] = contracted(operands, index, inner, places, kind)
    return out


def contracted(operands: tuple[Array, ...], index: Shape, inner: Shape, places: Any, kind: Any) -> Number:
    total = wide(kind).type(0)
    for more in np.ndindex(inner):
        both = index + more
        term = kind.type(1)
        for x, spot in zip(operands, places):
            term = term * kind.type(x[tuple(both[p] for p in spot)])
        total = total + term
    return kind.type(total)


def matrix_product(a: Array, b: Array, inputs: tuple[str, ...], output: str, summed: str) -> Array:
    rows = without_letters(inputs[0], summed)
    columns = without_letters(inputs[1], summed)
    left = np.transpose(a, spots(rows + summed, inputs[0]))
    right = np.transpose(b, spots(summed + columns, inputs[1]))
    lengths = left.shape[: len(rows)] + right.shape[len(summed) :]
    inner = size_of(right.shape[: len(summed)])
    flat = matrix_matrix(
        left.reshape(size_of(left.shape[: len(rows)]), inner),
        right.reshape(inner, size_of(right.shape[len(summed) :])),
    )
    return np.transpose(flat.reshape(lengths), spots(output, rows + columns))
