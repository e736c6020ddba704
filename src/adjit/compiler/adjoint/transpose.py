"""The transpose of a function that is linear in some of its parameters.

    push(x, t) = cos(x) * t         =>      pull(x, ct) = cos(x) * ct

Input: a core function, which of its parameters are linear. Output: the function of cotangents instead of
them. It is the reverse sweep at zero; if that reads the linear parameters' contents, the function was not
seen to be linear, and `NotLinear` is raised. Non-goals: affine functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analyses.alias import roots
from ..analyses.effects import reads
from ..ir.builder import Builder, Names
from ..ir.instantiate import instantiate
from ..ir.nodes import Block, Function, Operand, Var
from ..ir.types import Array, Type, is_float
from ..ir.visitor import block_reads, operands, walk
from ..passes import simplify
from .copying import shape_of
from .reverse import joint


class NotLinear(Exception):
    """A rule whose tangent is no sum of products with one tangent each."""


def transposed(
    fn: Function, own: int, given: Sequence[int | None], types: Sequence[Type], shapes: Sequence[int | None]
) -> Function:
    """The transpose of `fn`, linear in its parameters from number `own` on: a function of the others, of a
    cotangent per entry of `given` (a result of `fn`, or None for zero; its type stands in `types`), and of
    further arrays. `shapes` has, per linear array parameter, the position of a parameter of its shape.
    """
    wanted = [at for at in given if at is not None]
    fn = simplify(replace(fn, results=tuple(fn.results[at] for at in wanted)))
    if not all(is_float(r.type) for r in fn.results):
        raise NotLinear
    made = joint(fn, tuple(range(own, len(fn.params))), seed=None)
    made = simplify(replace(made, results=made.results[len(wanted) :]))
    linear, seeds = made.params[own : len(fn.params)], made.params[len(fn.params) :]
    if _read(made, set(linear)):
        raise NotLinear
    b = Builder(Names(), made.loc)
    fixed = [b.fresh(v.name, v.type) for v in made.params[:own]]
    cts = [b.fresh("ct", type_) for type_ in types]
    params = [*fixed, *cts]
    zeros: list[Operand] = []
    for v, at in zip(linear, shapes, strict=True):
        if at is None:
            zeros.append(b.const(0.0, v.type.dtype))
        else:
            zeros.append(b.alloc(shape_of(b, params[at]), v.type.dtype, v.name, zeroed=True))
    of_results = [ct for ct, at in zip(cts, given, strict=False) if at is not None]
    of_seeds: list[Operand] = [
        ct if isinstance(s.type, Array) else b.cast(ct, s.type.dtype)
        for ct, s in zip(of_results, seeds, strict=True)
    ]
    found = instantiate(b, made, [*fixed, *zeros, *of_seeds])
    return simplify(Function(made.name, tuple(params), Block(tuple(b.stmts)), tuple(found), made.loc))


def _read(fn: Function, wanted: set[Var]) -> bool:
    """Whether the contents of these parameters are read."""
    memory = roots(fn)
    for stmt in walk(fn.body):
        if any(not memory[a].isdisjoint(wanted) for a in reads(stmt)):
            return True
        if any(x in wanted and not isinstance(x.type, Array) for x in (*operands(stmt), *block_reads(stmt))):
            return True
    return any(r in wanted for r in fn.results)
