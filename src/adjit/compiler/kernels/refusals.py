"""What no kernel can be made of, said at the user's line.

Input: a finished core function. Output: nothing, or `MissingRuleError`. Refused are functions that are called
as they are; library routines run on the host.
"""

from __future__ import annotations

from ...errors import MissingRuleError
from ..ir.nodes import Call, Function
from ..ir.visitor import walk
from ..library.opaque import opaque_of


def refuse(fn: Function) -> None:
    """Raise for the first statement that has no form on the device."""
    for stmt in walk(fn.body):
        opaque = opaque_of(stmt) if isinstance(stmt, Call) else None
        if opaque is not None:
            raise MissingRuleError(
                f"`{opaque.called}` has no form on the GPU",
                stmt.loc,
                "it is called as it is, and was compiled for the host",
                'compile this function with target="cpu", or write the computation as loops',
            )
