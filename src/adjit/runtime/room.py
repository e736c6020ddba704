"""Workspaces for calls from compiled code: made for one call, as large as the latest one wanted.

`room(wanted)` is a fresh workspace (see `workspace`), `learn(wanted, ws)` remembers after the call what
would have sufficed. Input: a `Wanted`, which all calls of a program share. Invariants: no two calls share
memory, in whatever threads they run; the number is read and written without a lock, since any number is
right: what does not fit is allocated elsewhere. Non-goals: keeping memory, which needs Python's lock
(`workspace`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, models, register_model, type_callable

from .support import empty, jitable, maximum
from .workspace import EMPTY

INT64: Any = ir.IntType(64)


class Wanted:
    """How many words the latest call wanted."""

    def __init__(self) -> None:
        self.cell = np.zeros(1, np.int64)

    @property
    def _numba_type_(self) -> Any:
        return WantedType(self)


class WantedType(types.Opaque):
    """The type of one `Wanted`."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        super().__init__(f"words wanted at {id(wanted):#x}")


register_model(WantedType)(models.OpaqueModel)


def get(wanted: Any) -> Any:
    return wanted.cell[0]


def put(wanted: Any, words: Any) -> None:
    wanted.cell[0] = words


@jitable
def room(wanted: Any) -> Any:
    """A workspace for one call."""
    ws = empty(maximum(get(wanted), EMPTY), np.int64)
    for k in range(EMPTY):
        ws[k] = 0
    return ws


@jitable
def learn(wanted: Any, ws: Any) -> None:
    """Remember what a call wanted."""
    put(wanted, ws[0])


@type_callable(get)  # type: ignore[untyped-decorator]
def _typed_get(_context: Any) -> Any:
    def typer(wanted: Any) -> Any:
        return types.int64

    return typer


@type_callable(put)  # type: ignore[untyped-decorator]
def _typed_put(_context: Any) -> Any:
    def typer(wanted: Any, words: Any) -> Any:
        return types.none

    return typer


def _place(context: Any, builder: Any, wanted: Any) -> Any:
    address = context.add_dynamic_addr(builder, wanted.cell.ctypes.data, info="words wanted")
    return builder.bitcast(address, ir.PointerType(INT64))


def _lower_get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_place(context, builder, sig.args[0].wanted))


def _lower_put(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    words = context.cast(builder, args[1], sig.args[1], types.int64)
    builder.store(words, _place(context, builder, sig.args[0].wanted))
    return context.get_dummy_value()


lower_builtin(get, WantedType)(_lower_get)
lower_builtin(put, WantedType, types.Integer)(_lower_put)

__all__ = ["Wanted", "learn", "room"]
