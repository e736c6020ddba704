"""Functions of the standard library, whose text is read like the user's where it can be.

Input: a callable, and the error that came up while it was walked. Output: an error at the user's call,
where the trouble lies in the library's text. Invariant: an error in a function of the user's that the
library calls is left as it is. Non-goals: functions with a meaning of their own (`python_builtins`).
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import AdjitError, MissingRuleError
from . import arrays

if TYPE_CHECKING:
    from .specialise import Specialiser
    from .values import Value

FOLDER = sysconfig.get_path("stdlib") + os.sep
NOT_OF_IT = ("site-packages", "dist-packages")


def holds(function: object) -> bool:
    """Whether a function is of the standard library."""
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.split(".")[0] in sys.stdlib_module_names


def called(ctx: Specialiser, function: object, walk: Callable[[], Value]) -> Value:
    """The value of a call of such a function; what is wrong in its text is told at the call."""
    try:
        return walk()
    except AdjitError as error:
        if error.location is None or not _is_its_own(error.location.file):
            raise
        what, why = (
            f"{arrays.name_of(function)} is not supported",
            "its own code has parts that adjit does not read",
        )
        ctx.error(MissingRuleError, what, why, arrays.instead_of(function))


def _is_its_own(file: str) -> bool:
    return file.startswith(FOLDER) and not any(part in file for part in NOT_OF_IT)


__all__ = ["called", "holds"]
