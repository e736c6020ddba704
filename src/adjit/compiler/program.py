"""What capture hands to the transforms: a core function and how it meets Python values.

A *specification* describes one argument or result: a tree whose leaves are `ArraySpec`, `ScalarSpec`,
`StaticSpec` or `SameAs`. The parameters of a program's core function are the array and scalar leaves of its
arguments in depth-first order (`SameAs` and `StaticSpec` leaves take no parameter), then its hidden
arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import NotDifferentiableError

if TYPE_CHECKING:
    from .ir.nodes import Function


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """`layout` as in `ir.types.Array`; `readonly` memory must not be written.

    `ones` are the axes whose length is 1 at the call: they broadcast, so that length is compiled in. Other
    lengths are not 1, but for those of the axes `unsure`, which are known at run time only.
    """

    dtype: str
    ndim: int
    layout: str = "C"
    readonly: bool = False
    ones: tuple[int, ...] = ()
    unsure: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """`weak`: a Python number, which does not widen a NumPy dtype in arithmetic."""

    dtype: str
    weak: bool = False


@dataclass(frozen=True, slots=True)
class StaticSpec:
    """A compile-time constant: None, a string, a function, a dtype, a module. Hashable."""

    value: object


@dataclass(frozen=True, slots=True)
class SameAs:
    """The very array that an earlier leaf (its index among the array leaves) is."""

    leaf: int


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """An inner node. `kind` is tuple, list, dict, the class of a named tuple or dataclass, or one of
    `complexes`; `keys` are a dict's keys or the field names."""

    kind: type
    keys: tuple[object, ...]
    children: tuple[Spec, ...]


Spec = ArraySpec | ScalarSpec | StaticSpec | SameAs | NodeSpec


@dataclass(frozen=True, slots=True)
class ResultLeaf:
    """Result number `index` of the core function."""

    index: int


ResultTree = ResultLeaf | StaticSpec | NodeSpec  # NodeSpec children are ResultTrees here


def tuple_tree(trees: Sequence[Any]) -> NodeSpec:
    return NodeSpec(tuple, tuple(range(len(trees))), tuple(trees))


@dataclass(frozen=True)
class Leaves:
    """Where the differentiated leaves are: `wrt` are parameters of the core function; `trees` has a tree
    per chosen argument whose leaves are `ResultLeaf(k)` for the k-th differentiated leaf, counted
    through `owners`, or None.
    """

    wrt: tuple[int, ...]
    trees: tuple[object, ...]
    zeros: tuple[int, ...]  # parameters whose shape further, zero gradients have (numbered after `wrt`)


@dataclass(frozen=True, slots=True)
class Hidden:
    """An array that the function reads from a global or closure variable: `fetch()` gives it at each call."""

    name: str
    fetch: Callable[[], object]
    spec: ArraySpec | ScalarSpec


@dataclass(frozen=True, slots=True)
class Guard:
    """A global or closure constant that was compiled in: `fetch()` must still be `value` at each call."""

    name: str
    fetch: Callable[[], object]
    value: object


@dataclass(frozen=True)
class Program:
    """`arguments` follow the parameters of the Python function by position (defaults and keywords bound)."""

    function: Function
    arguments: tuple[Spec, ...]
    argument_names: tuple[str, ...]
    result: object  # ResultTree
    hidden: tuple[Hidden, ...] = ()
    guards: tuple[Guard, ...] = ()
    written: frozenset[int] = field(default_factory=frozenset)  # parameters whose memory the function writes


@dataclass(frozen=True)
class Starred:
    """A position that may lie in `*args`, which are the argument number `argument`: an item of these; counted
    from the end of all positions if negative; all of them if None.
    """

    argument: int
    item: int | None

    def numbers(self, program: Program) -> list[tuple[int, int | None]]:
        """(argument, item), the item None for an argument before `*args`."""
        spec, first = program.arguments[self.argument], self.argument
        assert isinstance(spec, NodeSpec)
        count = len(spec.children)
        if self.item is None:
            return [(first, k) for k in range(count)]
        item = self.item if self.item >= 0 else self.item + count
        if not -first <= item < count:
            at = self.item if self.item < 0 else first + self.item
            raise NotDifferentiableError(
                f"argnums names position {at}, but `{program.function.name}` is called with {first + count}",
                program.function.loc,
                hint="count from 0",
            )
        return [(first, item) if item >= 0 else (first + item, None)]


Position = int | Starred
