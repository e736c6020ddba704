"""Python values taken apart into leaves and put together again.

Input: arguments of a user's function; output: a specification per argument (`compiler.program`) and its
leaves, arrays and numbers, in depth-first order. Nodes are tuples, lists, named tuples, dicts and
dataclasses. Invariants: a value that is neither a node nor a leaf that adjit handles is refused with its
place in the argument.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..compiler import complexes
from ..compiler.ir.types import DTYPES
from ..compiler.program import ArraySpec, NodeSpec, ResultLeaf, SameAs, ScalarSpec, Spec, StaticSpec
from ..errors import InferenceError

Leaf = Any
C, F, WRITEABLE = 0x1, 0x2, 0x400  # bits of `ndarray.flags.num`
MOST_NUMBERS = 32  # in a typed list, or in a list inside of another value
LEAST, MOST = -(2**63), 2**63 - 1  # of 64 bits


def children(value: object) -> tuple[type, tuple[object, ...], Sequence[object]] | None:
    """(kind, keys, children) of a node; None for a leaf."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind, tuple(range(len(value))), value  # type: ignore[arg-type,return-value]
    if isinstance(value, dict):
        return dict, tuple(value), list(value.values())
    if kind.__name__ == "List" and kind.__module__ == "numba.typed.typedlist":  # without loading Numba
        items = list(value)  # type: ignore[call-overload]
        return list, tuple(range(len(items))), items
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return kind, tuple(kind._fields), value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        keys = tuple(f.name for f in dataclasses.fields(value))
        return kind, keys, [getattr(value, k) for k in keys]
    return None


def rebuild(kind: type, keys: Sequence[object], values: Sequence[object]) -> object:
    """The node of `kind` with these children."""
    if kind is tuple:
        return tuple(values)
    if kind is list:
        return list(values)
    if kind is dict:
        return dict(zip(keys, values, strict=True))
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, keys, values)
    return kind(*values)


def _dataclass(kind: type, keys: Sequence[object], values: Sequence[object]) -> object:
    made: object = object.__new__(kind)  # fields may have init=False, and __post_init__ may refuse gradients
    for key, value in zip(keys, values, strict=True):
        object.__setattr__(made, str(key), value)
    return made


def ones(a: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """The axes of length one: they broadcast, which is compiled in."""
    return tuple(k for k, n in enumerate(a.shape) if n == 1) if 1 in a.shape else ()


def array_spec(a: np.ndarray[Any, Any], where: str) -> ArraySpec:
    kind = a.dtype
    if isinstance(a, np.ma.MaskedArray | np.matrix):
        raise InferenceError(
            f"{where} is a {type(a).__name__}",
            why="its arithmetic is not that of ndarray",
            hint="pass np.asarray(...)",
        )
    if not kind.isnative:
        raise InferenceError(
            f"{where} has dtype {kind.str}, whose byte order is not this machine's",
            hint="pass a.astype(a.dtype.newbyteorder('='))",
        )
    if kind.name not in DTYPES:
        raise InferenceError(
            f"{where} has dtype {kind}",
            why=f"adjit works on {', '.join((*DTYPES, *complexes.PARTS))}",
            hint=_numbers_of(kind),
        )
    num = a.flags.num
    layout = "C" if num & C else "F" if num & F else "A"
    return ArraySpec(kind.name, a.ndim, layout, not num & WRITEABLE, ones(a))


def _numbers_of(kind: np.dtype[Any]) -> str:
    """What to pass instead of an array `x` of a dtype that is none of numbers."""
    if kind.names:
        return f"pass its fields, {' or '.join(f'x[{name!r}]' for name in kind.names)}"
    match kind.kind:
        case "M" | "m":
            return "pass numbers: x.astype('int64'), or a difference divided by np.timedelta64(1, 's')"
        case "S" | "T" | "U":
            return "pass numbers in place of the strings: np.unique(x, return_inverse=True)[1]"
        case "O":
            return "pass np.array(x, dtype=float), if all items are numbers"
    return "convert it with astype"


def _leaf_spec(value: object, where: str) -> Spec:
    if isinstance(value, np.ndarray):
        return array_spec(value, where)
    if isinstance(value, bool):
        return ScalarSpec("bool", weak=True)
    if isinstance(value, int) and not isinstance(value, np.generic):
        if not LEAST <= value <= MOST:
            raise InferenceError(f"{where} is {value}, which does not fit into 64 bits")
        return ScalarSpec("int64", weak=True)
    if isinstance(value, float) and not isinstance(value, np.generic):
        return ScalarSpec("float64", weak=True)
    if isinstance(value, np.generic):
        if value.dtype.name not in DTYPES:
            raise InferenceError(
                f"{where} is of type {value.dtype}",
                why=f"adjit works on {', '.join((*DTYPES, *complexes.PARTS))}",
            )
        return ScalarSpec(value.dtype.name)
    return _static(value, where)


def _plain(value: Leaf) -> Leaf:
    """A leaf as programs take it: an integer of a class of its own, such as a member of an IntEnum, is its
    number.
    """
    own = isinstance(value, int) and type(value) is not int and type(value) is not bool
    return int(value) if own else value


def _static(value: object, where: str) -> Spec:
    allowed = (str, bytes, type, types.ModuleType, np.dtype, types.EllipsisType)
    if value is None or isinstance(value, allowed) or callable(value):
        try:
            hash(value)
        except TypeError:
            raise InferenceError(f"{where} is a {type(value).__name__} that cannot be hashed") from None
        return StaticSpec(value)
    from ..compiler.frontend.arrays.remedies import instead_of_object  # loaded where something is wrong

    raise InferenceError(
        f"{where} is of type {type(value).__name__}",
        why="arguments are arrays, numbers, and tuples, lists, dicts, named tuples and dataclasses of these",
        hint=instead_of_object(type(value)) or _parts_of(value),
    )


def _parts_of(value: object) -> str:
    if hasattr(value, "__array__"):
        return "pass np.asarray(...) of it"
    if isinstance(value, Iterable):
        return "pass np.array([...]) or a tuple of its items"
    return "pass its arrays and numbers, as a dataclass, a named tuple or a dict"


def take_apart(value: object, where: str, leaves: list[Leaf], *, within: bool = False) -> Spec:
    """The specification of a value; its arrays and numbers are appended to `leaves`. `within`: a part of
    another value.
    """
    node = complexes.apart(value) or children(value)
    if node is None:
        spec = _leaf_spec(value, where)
        if not isinstance(spec, StaticSpec):
            leaves.append(_plain(value))
        return spec
    kind, keys, parts = node
    short = (within or type(value) is not list) and len(parts) <= MOST_NUMBERS
    if kind is list and parts and not short and all(isinstance(p, int | float) for p in parts):
        raise InferenceError(
            f"{where} is a list of numbers",
            why="a list would be compiled item by item",
            hint="pass np.array(...) of it",
        )
    inner = []
    for key, part in zip(keys, parts, strict=True):
        at = f"{where}.{key}" if isinstance(key, str) and kind is not dict else f"{where}[{key!r}]"
        at = where if kind is complexes.ComplexArray else at
        inner.append(take_apart(part, at, leaves, within=True))
    return NodeSpec(kind, keys, tuple(inner))


def leaf_specs(specs: Sequence[Spec]) -> list[ArraySpec | ScalarSpec | SameAs]:
    """Leaves of specifications in order, static ones left out."""
    found: list[ArraySpec | ScalarSpec | SameAs] = []
    for spec in specs:
        if isinstance(spec, NodeSpec):
            found.extend(leaf_specs(spec.children))
        elif not isinstance(spec, StaticSpec):
            found.append(spec)
    return found


def map_leaves(spec: Spec, f: Callable[[Spec], Any]) -> Any:
    """The same tree with `f(leaf)` at each leaf (static ones included)."""
    if isinstance(spec, NodeSpec):
        return NodeSpec(spec.kind, spec.keys, tuple(map_leaves(c, f) for c in spec.children))
    return f(spec)


Assemble = Callable[[Sequence[Any]], Any]


def assembler(tree: object) -> Assemble:
    """A function from flat results to the structure that `tree` describes."""
    if isinstance(tree, ResultLeaf):
        index = tree.index
        return lambda flat: flat[index]
    if isinstance(tree, StaticSpec):
        value = tree.value
        return lambda flat: value
    assert isinstance(tree, NodeSpec)
    parts = [assembler(c) for c in tree.children]
    if tree.kind is tuple:
        return lambda flat: tuple([p(flat) for p in parts])
    kind, keys = tree.kind, tree.keys
    return lambda flat: rebuild(kind, keys, [p(flat) for p in parts])


def mapped(value: Any, f: Callable[[Any], Any]) -> Any:
    """The same structure with `f(leaf)` at each leaf.

    >>> mapped({"a": 1.0, "b": (2.0, 3.0)}, lambda x: 10 * x)
    {'a': 10.0, 'b': (20.0, 30.0)}
    """
    node = children(value)
    if node is None:
        return f(value)
    return rebuild(node[0], node[1], [mapped(part, f) for part in node[2]])


def conjugate(value: Any) -> Any:
    """The same structure with the conjugates of complex numbers and arrays."""
    return mapped(value, lambda leaf: leaf if complexes.apart(leaf) is None else np.conjugate(leaf))


def flat(value: Any) -> list[Any]:
    """The leaves of a structure in order."""
    node = children(value)
    return [value] if node is None else [leaf for part in node[2] for leaf in flat(part)]


def matched(value: Any, other: Any, missing: Any) -> Any:
    """The structure of `value` with the leaves of `other`, which may have None for a whole part: then
    `missing` at each leaf of that part.

    >>> matched(({"n": 1, "m": 2}, 3.0), (None, 5.0), 0)
    ({'n': 0, 'm': 0}, 5.0)
    """
    if other is None:
        return mapped(value, lambda leaf: None if leaf is None else missing)
    node, inner = children(value), children(other)
    if node is None or inner is None:
        return other
    return rebuild(node[0], node[1], [matched(a, b, missing) for a, b in zip(node[2], inner[2], strict=True)])
