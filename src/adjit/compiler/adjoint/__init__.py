"""Differentiation: core IR to core IR.

`reverse` (joint and split adjoints) and `tangent`.
"""

from .account import Note
from .checkpoints import expanded
from .parts import in_parts
from .pattern import pattern
from .reverse import Change, joint, kept, split
from .rounded import rounding
from .tangent import tangent

__all__ = [
    "Change",
    "Note",
    "expanded",
    "in_parts",
    "joint",
    "kept",
    "pattern",
    "rounding",
    "split",
    "tangent",
]
