"""Parallel assignment as a sequence of plain ones.

Input: targets and expressions, all of which are read before any target is written. Output: statements in an
order in which no target is written while an expression still waits to read it; a cycle becomes one tuple
assignment.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Move:
    target: str
    value: ast.expr

    @property
    def reads(self) -> set[str]:
        return {n.id for n in ast.walk(self.value) if isinstance(n, ast.Name)}

    @property
    def trivial(self) -> bool:
        return isinstance(self.value, ast.Name) and self.value.id == self.target


def assignment(target: str, value: ast.expr) -> ast.stmt:
    """`target = value`, as `target += x` where that is what it says."""
    name = ast.Name(target, ast.Store())
    if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and value.left.id == target:
        return ast.AugAssign(name, value.op, value.right)
    return ast.Assign([name], value)


def sequence(moves: list[Move]) -> list[ast.stmt]:
    """Statements that carry out all moves at once."""
    waiting = [m for m in moves if not m.trivial]
    out: list[ast.stmt] = []
    while waiting:
        free = next((m for m in waiting if not any(m.target in o.reads for o in waiting if o is not m)), None)
        if free is None:
            names = ast.Tuple([ast.Name(m.target, ast.Store()) for m in waiting], ast.Store())
            out.append(ast.Assign([names], ast.Tuple([m.value for m in waiting], ast.Load())))
            return out
        out.append(assignment(free.target, free.value))
        waiting.remove(free)
    return out
