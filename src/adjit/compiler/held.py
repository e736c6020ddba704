"""`stop_gradient`, on its own: users' modules name it, and need nothing of the compiler for that.

Input: a value. Output: the value. In a differentiated function a call is the op of that name, by
`definitions.core`. Non-goals: what the op's derivatives are (`ops.conventions`).
"""

from __future__ import annotations

from typing import TypeVar

Same = TypeVar("Same")


def held(x: Same) -> Same:
    """The value, held constant: no derivative passes through it.

    >>> from adjit import grad
    >>> grad(lambda x: held(x) * x)(3.0)
    3.0
    """
    return x


__all__ = ["held"]
