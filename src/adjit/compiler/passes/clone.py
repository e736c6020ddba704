"""Copies of statements with fresh variables.

Input: statements and a mapping from variables to operands. Output: copies in which every definition is
fresh; the mapping is extended by them. The copies read what the originals read, mapped. Locations are
kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir.builder import Names
from ..ir.nodes import Block, For, If, Operand, Stmt, Var, While
from ..ir.visitor import block_params, defined, with_operands

Mapping = dict[Var, Operand]


def renamed(v: Var, mapping: Mapping) -> Var:
    found = mapping[v]
    assert isinstance(found, Var)
    return found


def mapped(x: Operand, mapping: Mapping) -> Operand:
    return mapping.get(x, x) if isinstance(x, Var) else x


def clone(stmts: Sequence[Stmt], mapping: Mapping, names: Names) -> list[Stmt]:
    """Copies of the statements, one after the other."""
    return [_one(s, mapping, names) for s in stmts]


def _fresh(v: Var, mapping: Mapping, names: Names) -> Var:
    made = names.fresh(v.name, v.type)
    mapping[v] = made
    return made


def _block(block: Block, mapping: Mapping, names: Names) -> Block:
    stmts = clone(block.stmts, mapping, names)
    return Block(tuple(stmts), tuple(mapped(y, mapping) for y in block.yields))


def _one(stmt: Stmt, mapping: Mapping, names: Names) -> Stmt:
    new = with_operands(stmt, lambda x: mapped(x, mapping))
    for v in block_params(stmt):
        _fresh(v, mapping, names)
    match new:
        case For(iv=iv, args=args, body=body, stop=stop):
            inner = _block(body, mapping, names)
            new = replace(
                new, iv=renamed(iv, mapping), args=tuple(renamed(a, mapping) for a in args), body=inner
            )
            new = new if stop is None else replace(new, stop=mapped(stop, mapping))
        case While(args=args, cond=cond, body=body, stop=stop):
            test, inner = _block(cond, mapping, names), _block(body, mapping, names)
            new = replace(new, args=tuple(renamed(a, mapping) for a in args), cond=test, body=inner)
            new = new if stop is None else replace(new, stop=mapped(stop, mapping))
        case If(then=then, orelse=orelse):
            new = replace(new, then=_block(then, mapping, names), orelse=_block(orelse, mapping, names))
    made = [_fresh(v, mapping, names) for v in defined(stmt)]
    if isinstance(new, For | While | If):
        outs = tuple(made[: len(new.outs)])
        new = replace(new, outs=outs)
        if isinstance(new, For | While) and new.trips is not None:
            new = replace(new, trips=made[-1])
        return new
    return replace(new, out=made[0]) if made else new  # type: ignore[call-arg]
