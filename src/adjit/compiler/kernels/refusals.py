"""What no kernel can be made of, said at the user's line.

Input: a finished core function. Output: nothing, or `MissingRuleError`. Refused are library routines other
than matrix products, and values saved in a number that is known only when the loop has ended.
"""

from __future__ import annotations

from ...errors import MissingRuleError
from ..ir.nodes import Alloc, Call, Function
from ..ir.types import grows
from ..ir.visitor import walk

ROUTINES = ("gemm",)


def refuse(fn: Function) -> None:
    """Raise for the first statement that has no form on the device."""
    for stmt in walk(fn.body):
        if isinstance(stmt, Call) and stmt.name not in ROUTINES:
            raise MissingRuleError(
                f"`{stmt.name}` has no form on the GPU",
                stmt.loc,
                'of the library routines only matrix products run with target="cuda"',
                'compile this function with target="cpu", or write the computation as loops',
            )
        if isinstance(stmt, Alloc) and grows(stmt.out.type):
            raise MissingRuleError(
                f"the values {stmt.out.name!r} are saved in a number that only the end of their loop tells",
                stmt.loc,
                'with target="cuda" buffers are sized before the launch',
                "use a `for` loop over a range known before it, without `break`",
            )
