"""Text of rules to be filled in, for messages.

Input: the name and signature of a function. Output: the definition of a `custom_vjp` as a user would write
it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence


def vjp_skeleton(
    name: str, signature: inspect.Signature | None, nondiff: Sequence[int] = (), *, decorate: bool = True
) -> str:
    """Text of a custom_vjp for a function, to be filled in."""
    names = ["*args"] if signature is None else list(signature.parameters)
    args = ", ".join(names)
    held = "".join(f"{names[k]}, " for k in nondiff if -len(names) <= k < len(names))
    moving = [n for k, n in enumerate(names) if k not in {h % len(names) for h in nondiff}]
    cts = ", ".join("ct_" + n.lstrip("*") for n in moving)
    plain = name.rpartition(".")[2]
    own = plain if not decorate else f"{plain}_with_rule"
    head = f"@adjit.custom_vjp\ndef {own}({args}):\n    ...  # {name} in code that adjit reads\n\n"
    head = head if decorate else ""
    return (
        f"{head}def {own}_fwd({args}):\n"
        f"    return {own}({args}), ({args},)  # the result, and what bwd needs\n\n"
        f"def {own}_bwd({held}residuals, ct):\n"
        f"    return ({cts},)  # a cotangent, or None, each\n\n"
        f"{own}.defvjp({own}_fwd, {own}_bwd)"
    )
