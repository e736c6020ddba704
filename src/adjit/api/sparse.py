"""`sparse_jacobian` and `sparse_hessian`: matrices with few entries, by few directions.

Input: a function and its arguments. Which entries may be different from zero is found at the arguments from
the index expressions of the program; columns without a row in common are computed together. Output:
`scipy.sparse.csr_array`, rows and columns numbered through the elements in C order; in the structure of
results and argument where these have several parts. Invariants: entries equal those of `jacfwd` and
`hessian`; where colouring gains nothing, all columns are computed and a warning says why. Non-goals: the
least number of colours.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from .. import compiler
from ..compiler.program import Program, tuple_tree
from ..errors import AdjitWarning
from ..runtime import coloring
from ..runtime.dispatch import runner
from .argnums import Argnums
from .jacobian import _Directional, blocks_tree, copied, flattened, primal_leaves
from .signatures import P, R, Transformed
from .tangent import Pushed
from .transform import decorated

Array = np.ndarray[Any, Any]


class _Sparse(_Directional):
    """The matrix of a tangent program by coloured columns."""

    def pattern(self, entry: Any) -> Pushed:
        """The program of masks that belongs to a tangent program, made once."""
        if not hasattr(entry, "pattern"):
            program = self.captured(entry.program.arguments[: entry.primals])
            made = compiler.derived.tangent(
                self.below(program), entry.leaves, False, compiler.pipeline.pattern
            )
            title = f"Sparsity of `{program.function.name}`"
            entry.pattern = Pushed(
                made, entry.primals, entry.leaves, runner(made.function, self.options, title)
            )
        found: Pushed = entry.pattern
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        entry, leaves = self.prepare(self.bound(args, kwargs))
        both = (*entry.leaves.trees, entry.program.result)
        compiler.derived.refuse_complex(both, f"the sparse {self.word}", entry.program)
        likes = primal_leaves(entry, leaves)
        active = likes[: entry.count]
        sizes = [int(np.size(x)) for x in active]
        outs: list[Any] = []
        trees: list[Any] = []

        def run(program: Pushed, columns: Array) -> Array:
            """The rows for an array over all columns."""
            fresh = [copied(x) for x in leaves] if program.around.written else leaves
            parts = np.split(columns, np.cumsum(sizes)[:-1])
            given = [_shaped(p, x) for p, x in zip(parts, active, strict=True)]
            flat, tree = flattened(program.run(fresh, given))
            outs[:], trees[:] = flat, [tree]
            return np.concatenate([np.ravel(x) for x in flat]) if flat else np.zeros(0)

        masks = self.pattern(entry)
        total = sum(sizes)
        pairs = coloring.sparsity(lambda m: run(masks, m).astype(np.int64), total) if total else None
        matrix = self.matrix(lambda d: run(entry, d), total, pairs)
        return self.assembled(matrix, outs, trees[0], entry, likes)

    def matrix(self, push: Callable[[Array], Array], total: int, pairs: Any) -> Any:
        """All entries as one `csr_array`."""
        import scipy.sparse

        if not total:
            return scipy.sparse.csr_array((push(np.zeros(0)).size, 0))
        if pairs is None:
            name = getattr(self.base, "__name__", "the function")
            warnings.warn(
                f"the {self.word} of `{name}` is computed column by column: more than half of them have "
                "a row in common, so that colouring gains nothing",
                AdjitWarning,
                stacklevel=3,
            )
            return scipy.sparse.csr_array(np.stack([push(_unit(total, k)) for k in range(total)], axis=1))
        rows, columns = pairs
        count = int(rows.max(initial=-1)) + 1
        colour = coloring.colours(rows, columns, (max(count, 1), total))
        values = np.zeros(rows.size)
        found = np.zeros(0)
        for k in range(int(colour.max(initial=0)) + 1):
            found = push((colour == k).astype(np.float64))
            own = colour[columns] == k
            values[own] = found[rows[own]]
        return scipy.sparse.csr_array((values, (rows, columns)), shape=(found.size, total))

    def assembled(self, matrix: Any, outs: Sequence[Any], tree: Any, entry: Any, likes: Sequence[Any]) -> Any:
        heights = np.cumsum([0, *(int(np.size(x)) for x in outs)])
        widths = np.cumsum([0, *(int(np.size(x)) for x in likes)])

        def block(i: int, j: int) -> Any:
            import scipy.sparse

            rows, columns = slice(heights[i], heights[i + 1]), slice(widths[j], widths[j + 1])
            if j >= entry.count:
                return scipy.sparse.csr_array((rows.stop - rows.start, columns.stop - columns.start))
            return matrix[rows, columns]

        inner = entry.leaves.trees[0] if self.single else tuple_tree(entry.leaves.trees)
        return blocks_tree(tree, inner, block)


def _unit(total: int, k: int) -> Array:
    made = np.zeros(total)
    made[k] = 1.0
    return made


def _shaped(part: Array, like: Any) -> Any:
    """A part of the columns in the form of its leaf: masks stay integers."""
    kind = part.dtype if part.dtype.kind == "i" else np.result_type(like)
    if isinstance(like, np.ndarray):
        return part.reshape(like.shape).astype(kind)
    return kind.type(part[0])


class SparseJacobian(_Sparse):
    word = "Jacobian"


class SparseHessian(_Sparse):
    word = "Hessian"

    def below(self, program: Program) -> Program:
        return compiler.derived.gradient(program, self.chosen, single=self.single, value=False)


@overload
def sparse_jacobian(
    fun: None = None, argnums: Argnums = 0, **options: Any
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
@overload
def sparse_jacobian(fun: Callable[P, R], argnums: Argnums = 0, **options: Any) -> Transformed[P, Any]: ...
def sparse_jacobian(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The Jacobian as a `scipy.sparse.csr_array`, computed from as many directions as its columns need
    colours.

    >>> sparse_jacobian(lambda x: x[1:] * x[:-1])(np.array([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]])
    """
    return decorated(SparseJacobian, fun, {"argnums": argnums}, options)


@overload
def sparse_hessian(
    fun: None = None, argnums: Argnums = 0, **options: Any
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
@overload
def sparse_hessian(fun: Callable[P, R], argnums: Argnums = 0, **options: Any) -> Transformed[P, Any]: ...
def sparse_hessian(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, **options: Any) -> Any:
    """The Hessian of a scalar function as a `scipy.sparse.csr_array`.

    >>> sparse_hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0])).toarray()
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return decorated(SparseHessian, fun, {"argnums": argnums}, options)


__all__ = ["SparseHessian", "SparseJacobian", "sparse_hessian", "sparse_jacobian"]
