"""The analyses of a function, made once while one pass after the other looks at it.

Input: a function. Output: its `Definitions`, `Forms` or `Dependence`. Most passes leave most functions as
they are, so the next one asks about the same function again: each thread keeps what it found for the latest
one. Invariants: analyses describe a function that never changes. The numbers of symbols follow the order of
questions; a pass that chooses by them makes `Forms` of its own. Non-goals: analyses of earlier functions,
whose memory is let go.
"""

from __future__ import annotations

import threading

from ..ir.nodes import Function
from .affine import Forms
from .definitions import Definitions
from .dependence import Dependence


class _Latest(threading.local):
    definitions: Definitions | None = None
    forms: Forms | None = None
    dependence: Dependence | None = None


_latest = _Latest()


def definitions_of(fn: Function) -> Definitions:
    """Where its statements and variables stand."""
    known = _latest.definitions
    if known is None or known.fn is not fn:
        known = _latest.definitions = Definitions(fn)
        _latest.forms = _latest.dependence = None
    return known


def forms_of(fn: Function) -> Forms:
    """The linear expressions of its integers."""
    definitions = definitions_of(fn)
    if _latest.forms is None:
        _latest.forms = Forms(definitions)
    return _latest.forms


def dependence_of(fn: Function) -> Dependence:
    """Which of its accesses to memory can meet."""
    forms = forms_of(fn)
    if _latest.dependence is None:
        _latest.dependence = Dependence(forms)
    return _latest.dependence


__all__ = ["definitions_of", "dependence_of", "forms_of"]
