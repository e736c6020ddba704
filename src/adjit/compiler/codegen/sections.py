"""A long function in sections: functions of its own, called one after the other.

    def f(x):                          def f_section_1(x):       def f(x):
        for …: s += x[i]        =>         …                         s = f_section_1(x)
        for …: t += x[i] * s               return s                  return f_section_2(x, s)
        return t

Numba's analyses of a function take longer than in proportion to its loops and branches; sections are compiled
by themselves. Input and output: a printed function, as `Piece`s. A section begins where few values are
handed on, at a statement of the function's own block. Invariants: a value that is handed on is assigned
on every path. Non-goals: functions without loops, which Numba compiles in linear time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..ir.nodes import NOWHERE
from .statements import TAB, Line, Piece

LONG = 120  # loops and branches in a function that is divided
TARGET = 50  # and in a section
HANDED_ON = 60  # values at most, in either direction


@dataclass(frozen=True)
class _Names:
    """`read` before they are assigned, `assigned` on every path, `stored` on some."""

    read: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()

    def then(self, other: _Names) -> _Names:
        return _Names(
            self.read | (other.read - self.assigned),
            self.assigned | other.assigned,
            self.stored | other.stored,
        )

    def maybe(self) -> _Names:
        return replace(self, assigned=frozenset())


@dataclass(frozen=True)
class _Group:
    """A statement of the function's own block, with the comment before it."""

    lines: tuple[Line, ...]
    names: _Names
    weight: int


def divided(piece: Piece) -> list[Piece]:
    """The sections and the function that calls them; the function alone if it is short."""
    headers = sum(text.startswith(("for ", "while ", "if ")) for _, text, *_ in piece.lines)
    if headers < LONG:
        return [piece]
    *groups, last = _groups(piece.lines)
    after = [last.names]  # what the rest reads and assigns, from each group on
    for group in reversed(groups):
        after.insert(0, group.names.then(after[0]))
    base = f"{piece.name}_section"
    while any(name.startswith(base) for name in after[0].stored.union(piece.params)):
        base += "_"
    found: list[Piece] = []
    calls: list[Line] = []
    known = frozenset(piece.params)
    section: list[_Group] = []
    names, weight = _Names(), 0
    for group, rest in zip(groups, after[1:], strict=True):
        section.append(group)
        names, weight = names.then(group.names), weight + group.weight
        handed = _handed_on(names, known, rest.read) if weight >= TARGET else None
        if handed is None:
            continue
        made = _section(f"{base}_{len(found) + 1}", piece, section, *handed)
        found.append(made)
        calls += [(1, "", NOWHERE, ()), (1, _call(made, handed[1]), NOWHERE, ())]
        known |= names.assigned
        section, names, weight = [], _Names(), 0
    if not found:
        return [piece]
    left = [line for group in (*section, last) for line in group.lines]
    return [*found, replace(piece, lines=(*calls, *left))]


def _handed_on(
    names: _Names, known: frozenset[str], wanted: frozenset[str]
) -> tuple[list[str], list[str]] | None:
    """Parameters and results of a section, or None if they are too many or one may have no value."""
    results = names.stored & wanted
    given = (names.read | (results - names.assigned)) & (known | names.stored)
    if not given <= known or max(len(given), len(results)) > HANDED_ON:
        return None
    return sorted(given), sorted(results)


def _section(
    name: str, piece: Piece, groups: Iterable[_Group], given: Sequence[str], results: Sequence[str]
) -> Piece:
    lines = [line for group in groups for line in group.lines]
    end: list[Line] = [(1, f"return {', '.join(results)}", NOWHERE, ())] if results else []
    return Piece(piece.decorator, name, tuple(given), (*lines, *end))


def _call(section: Piece, results: Sequence[str]) -> str:
    call = f"{section.name}({', '.join(section.params)})"
    return f"{', '.join(results)} = {call}" if results else call


# -- what statements read and assign
def _groups(lines: Sequence[Line]) -> list[_Group]:
    found: list[_Group] = []
    waiting: list[Line] = []
    for line, (depth, text, *_) in zip(lines, [*lines[1:], (0, "", NOWHERE, ())], strict=True):
        waiting.append(line)
        ends = depth <= 1 and not text.startswith(("else", "elif"))
        if ends and any(code and not code.startswith("#") for _, code, *_ in waiting):
            found.append(_group(waiting))
            waiting = []
    return found


def _group(lines: Sequence[Line]) -> _Group:
    text = "\n".join(TAB * (depth - 1) + text for depth, text, *_ in lines)
    stmts = ast.parse(text).body
    weight = sum(isinstance(n, ast.For | ast.While | ast.If) for s in stmts for n in ast.walk(s))
    return _Group(tuple(lines), _of_block(stmts), weight)


def _of_block(stmts: Iterable[ast.stmt]) -> _Names:
    found = _Names()
    for s in stmts:
        found = found.then(_of(s))
    return found


def _of(stmt: ast.stmt) -> _Names:
    match stmt:
        case ast.For(target=target, iter=over, body=body):
            return _of_expression(over).then(_of_target(target).then(_of_block(body)).maybe())
        case ast.While(test=test, body=body):
            return _of_expression(test).then(_of_block(body).maybe())
        case ast.If(test=test, body=body, orelse=orelse):
            yes, no = _of_block(body), _of_block(orelse)
            both = _Names(yes.read | no.read, yes.assigned & no.assigned, yes.stored | no.stored)
            return _of_expression(test).then(both)
        case ast.Assign(targets=[target], value=value):
            return _of_expression(value).then(_of_target(target))
        case ast.AugAssign(target=target, value=value):
            before = frozenset((target.id,) if isinstance(target, ast.Name) else ())
            return _of_expression(value).then(_Names(before)).then(_of_target(target))
        case _:
            return _of_expression(stmt)


def _of_target(node: ast.expr) -> _Names:
    stored = frozenset(
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    return _of_expression(node).then(_Names(frozenset(), stored, stored))


def _of_expression(node: ast.AST) -> _Names:
    """Names of functions are among them; they are no values of the function."""
    return _Names(
        frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    )


__all__ = ["divided"]
