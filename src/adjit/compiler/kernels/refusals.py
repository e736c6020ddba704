"""What no kernel can be made of, said at the user's line.

Input: a finished core function. Output: nothing, or `MissingRuleError`. Refused are library routines other
than matrix products.
"""

from __future__ import annotations

from ...errors import MissingRuleError
from ..ir.nodes import Call, Function
from ..ir.visitor import walk
from ..library.opaque import opaque_of

ROUTINES = ("gemm",)


def refuse(fn: Function) -> None:
    """Raise for the first statement that has no form on the device."""
    for stmt in walk(fn.body):
        if isinstance(stmt, Call) and stmt.name not in ROUTINES:
            opaque = opaque_of(stmt)
            name = opaque.called if opaque else "print" if stmt.name == "show" else stmt.name
            raise MissingRuleError(
                f"`{name}` has no form on the GPU",
                stmt.loc,
                'of the library routines only matrix products run with target="cuda"',
                'compile this function with target="cpu", or write the computation as loops',
            )
