"""`hvp`, `hessian`, `jacfwd` and `jacrev`: products with and rows of whole derivative matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from functools import cache
from typing import Any, Concatenate, overload

import numpy as np

from .. import compiler
from ..compiler import complexes
from ..compiler.program import NodeSpec, Program, ResultLeaf, StaticSpec, tuple_tree
from ..errors import SeedError
from ..options import DEFAULT, Options
from ..runtime import cotangents, pytree
from ..runtime.dispatch import runner
from ..runtime.typed import compiled_form, known
from .argnums import Argnums, frozen, positions
from .gradient import Jit, grad
from .signatures import First, P, R, Transformed
from .tangent import Pushed, jvp, revived, together
from .transform import Transform, decorated, kept
from .vjp import Halves, Vjp


class _OfArgnums(Transform):
    def __init__(self, fun: Callable[..., Any], argnums: Argnums = 0, options: Options = DEFAULT) -> None:
        super().__init__(fun, options)
        self.argnums = argnums
        self.chosen, self.single = positions(self, argnums)

    def recipe(self) -> tuple[Any, ...]:
        return (self.fun, self.argnums, self.options)


class _Directional(_OfArgnums):
    """A tangent program in the leaves of `argnums`; `leaves` of the entry say which they are."""

    def below(self, program: Program) -> Program:
        """What is differentiated in tangent mode."""
        return program

    def make(self, program: Program, extra: Any) -> Any:
        leaves = compiler.derived.choose(program, self.chosen)
        made = compiler.derived.tangent(self.below(program), leaves, value=False)
        return Pushed(made, len(program.arguments), leaves, runner(made.function, self.options, self.title()))

    def revive(self, program: Program, kept: Any, extra: Any) -> Any:
        return revived(program, kept, self.options)


class Hvp(_Directional):
    targets = ("cpu", "cuda")
    word = "Hessian-vector product"

    def below(self, program: Program) -> Program:
        return compiler.derived.gradient(program, self.chosen, single=self.single, value=False)

    def push(self, args: tuple[Any, ...], vector: Any) -> Any:
        entry, leaves = self.prepare(args)
        tree = entry.leaves.trees[0] if self.single else tuple_tree(entry.leaves.trees)
        likes = primal_leaves(entry, leaves)
        found: dict[int, Any] = {}
        cotangents.flat(tree, vector, likes, "the vector", found)
        if len(likes) > entry.count:
            found = together(likes, found, [f"part {k} of the vector" for k in range(len(likes))])
        return entry.run(leaves, [found.get(k, cotangents.zero(likes[k])) for k in range(entry.count)])


def primal_leaves(entry: Any, leaves: Sequence[Any]) -> list[Any]:
    """The values of the differentiated leaves, then of those that have zero derivatives."""
    arguments = entry.around.with_hidden(leaves)
    return [arguments[p] for p in (*entry.leaves.wrt, *entry.leaves.zeros)]


def units(likes: Sequence[Any]) -> Iterator[tuple[int, int, list[Any]]]:
    """(leaf, element, directions) for each element of each leaf: one there, zeros elsewhere."""
    for k, like in enumerate(likes):
        for e in range(int(np.size(like))):
            directions = [cotangents.zero(x) for x in likes]
            if isinstance(like, np.ndarray):
                directions[k].reshape(-1)[e] = 1
            else:
                directions[k] = np.result_type(like).type(1)
            yield k, e, directions


def blocks_tree(outer: object, inner: object, block: Callable[[int, int], Any]) -> Any:
    """The structure of `outer` with that of `inner` at each leaf, and `block(i, j)` at the leaves of both."""

    def below(i: int, tree: object) -> Any:
        if isinstance(tree, NodeSpec):
            return pytree.rebuild(tree.kind, tree.keys, [below(i, c) for c in tree.children])
        return block(i, tree.index) if isinstance(tree, ResultLeaf) else None

    def above(tree: object) -> Any:
        if isinstance(tree, NodeSpec):
            return pytree.rebuild(tree.kind, tree.keys, [above(c) for c in tree.children])
        return below(tree.index, inner) if isinstance(tree, ResultLeaf) else None

    return above(outer)


class _Columns(_Directional):
    """All columns of a derivative matrix, one tangent at a time."""

    targets = ("cpu",)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.bound(args, kwargs)
        entry, leaves = self.prepare(bound)
        compiler.derived.refuse_complex(entry.leaves.trees, f"the {self.word}", entry.program)
        likes = primal_leaves(entry, leaves)
        active = likes[: entry.count]
        written = bool(entry.around.written)
        columns: dict[tuple[int, int], list[np.ndarray[Any, Any]]] = {}
        tree: object = StaticSpec(None)
        outs: list[Any] = []
        for j, _, directions in units(active):
            fresh = [copied(x) for x in leaves] if written else leaves
            flat, tree = flattened(entry.run(fresh, directions))
            outs = flat
            for i, value in enumerate(flat):
                columns.setdefault((i, j), []).append(np.asarray(value))
        if not outs and not columns:
            flat, tree = flattened(entry.run(leaves, [cotangents.zero(x) for x in active]))
            outs = flat

        def block(i: int, j: int) -> Any:
            return stacked(columns.get((i, j), []), np.shape(outs[i]), likes[j], np.result_type(outs[i]))

        inner = entry.leaves.trees[0] if self.single else tuple_tree(entry.leaves.trees)
        return blocks_tree(tree, inner, block)


def copied(x: Any) -> Any:
    return x.copy(order="K") if isinstance(x, np.ndarray) else x


def flattened(value: Any, apart: bool = False) -> tuple[list[Any], object]:
    """The leaves of a result, and its tree; `apart`: complex leaves as their parts."""
    leaves: list[Any] = []

    def visit(v: Any) -> object:
        node = (complexes.apart(v) if apart else None) or pytree.children(v)
        if node is not None:
            return NodeSpec(node[0], node[1], tuple(visit(c) for c in node[2]))  # type: ignore[misc]
        if v is None:
            return StaticSpec(None)
        leaves.append(v)
        return ResultLeaf(len(leaves) - 1)

    return leaves, visit(value)


def stacked(columns: Sequence[Any], out_shape: tuple[int, ...], like: Any, kind: np.dtype[Any]) -> Any:
    """Columns as an array of the result's shape followed by the argument's; a number where both are."""
    shape = (*out_shape, *np.shape(like))
    if not columns:
        made = np.zeros(shape, kind)
    else:
        made = np.stack(columns, axis=-1).reshape(shape)
    return made[()] if made.ndim or isinstance(like, np.ndarray) else made.item()


class Jacfwd(_Columns):
    word = "Jacobian"


class Hessian(_Columns):
    word = "Hessian"

    def below(self, program: Program) -> Program:
        return compiler.derived.gradient(program, self.chosen, single=self.single, value=False)


class Jacrev(_OfArgnums):
    """All rows of a Jacobian, one cotangent at a time."""

    targets = ("cpu",)

    word = "Jacobian"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        transform: Vjp = kept(Vjp, self.fun, frozen(self.argnums), (), options={})
        halves, leaves = transform.prepare(transform.bound(args, kwargs))
        assert isinstance(halves, Halves)
        trees = (*halves.kept.leaves.trees, halves.kept.tree)
        compiler.derived.refuse_complex(trees, "jacrev", halves.program)
        swept = halves.forward(leaves)
        results, saved, arguments = swept.results, swept.saved, swept.arguments
        likes = [results[k] for k in halves.kept.floats]
        wrt = [arguments[p] for p in (*halves.kept.leaves.wrt, *halves.kept.leaves.zeros)]
        rows: dict[tuple[int, int], list[Any]] = {}
        for i, _, seeds in units(likes):
            found = halves.backward(saved, seeds, True)
            for j, value in enumerate(found):
                rows.setdefault((i, j), []).append(np.asarray(value))
        if swept.lent is not None:
            del saved
            swept.lent.back()

        order = {k: i for i, k in enumerate(halves.kept.floats)}

        def block(k: int, j: int) -> Any:
            if k not in order:
                return None
            parts = rows.get((order[k], j), [])
            shape = (*np.shape(results[k]), *np.shape(wrt[j]))
            made = np.stack(parts).reshape(shape) if parts else np.zeros(shape, np.result_type(wrt[j]))
            return made[()] if made.ndim or isinstance(wrt[j], np.ndarray) else made.item()

        inner = halves.kept.leaves.trees[0] if self.single else tuple_tree(halves.kept.leaves.trees)
        return blocks_tree(halves.kept.tree, inner, block)


@overload
def hvp(fun: Callable[Concatenate[First, P], Any], args: Sequence[Any], vector: First) -> First: ...
@overload
def hvp(
    fun: Callable[..., Any], args: Sequence[Any], vector: Any, argnums: Argnums = 0, **options: Any
) -> Any: ...
def hvp(
    fun: Callable[..., Any], args: Sequence[Any], vector: Any, argnums: Argnums = 0, **options: Any
) -> Any:
    """The Hessian of a scalar function times a vector, structured as the argument.

    >>> hvp(lambda x: x * x * x, (2.0,), 1.0)
    12.0
    """
    transform: Hvp = kept(Hvp, fun, frozen(argnums), options=options)
    if not isinstance(args, tuple | list):
        raise SeedError("args is the tuple of the function's arguments", hint="hvp(f, (x,), v)")
    return transform.push(transform.bound(tuple(args), {}), vector)


@compiled_form(hvp)
def _compiled_hvp(fun: Any, args: Any, vector: Any, argnums: Any = 0) -> Any:
    """`hvp` in code that Numba compiles."""
    inner = product(known(fun), known(argnums), len(args) if isinstance(args, Sized) else 0)
    return lambda fun, args, vector, argnums=0: inner(args, vector)


@cache
def product(fun: Callable[..., Any], argnums: int | str, count: int) -> Jit:
    """`hvp` of a function in one of `count` arguments, as a function of these and the vector."""
    gradient: Any = grad(fun, argnums)
    (place,) = gradient.chosen
    before, after = (None,) * place, (None,) * (count - place - 1)

    def multiply(args: Any, vector: Any) -> Any:
        return jvp(gradient, args, before + (vector,) + after)[1]  # noqa: RUF005 - this adjit reads

    return Jit(multiply)


@overload
def hessian(
    fun: None = None, argnums: Argnums = 0, **options: Any
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
@overload
def hessian(fun: Callable[P, R], argnums: Argnums = 0, **options: Any) -> Transformed[P, Any]: ...
def hessian(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The matrix of second derivatives of a scalar function: shape of the argument twice.

    >>> hessian(lambda x: x * x * x)(2.0)
    12.0
    """
    return decorated(Hessian, fun, {"argnums": argnums}, options)


@overload
def jacfwd(
    fun: None = None, argnums: Argnums = 0, **options: Any
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
@overload
def jacfwd(fun: Callable[P, R], argnums: Argnums = 0, **options: Any) -> Transformed[P, Any]: ...
def jacfwd(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The Jacobian, column by column in tangent mode: shape of the result followed by that of the argument.

    >>> jacfwd(lambda x: x * x)(3.0)
    6.0
    """
    return decorated(Jacfwd, fun, {"argnums": argnums}, options)


@overload
def jacrev(
    fun: None = None, argnums: Argnums = 0, **options: Any
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
@overload
def jacrev(fun: Callable[P, R], argnums: Argnums = 0, **options: Any) -> Transformed[P, Any]: ...
def jacrev(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The Jacobian, row by row in reverse mode: shape of the result followed by that of the argument.

    >>> jacrev(lambda x: x * x)(3.0)
    6.0
    """
    return decorated(Jacrev, fun, {"argnums": argnums}, options)
