"""Differentiation: core IR to core IR.

`reverse` (joint and split adjoints) and `tangent`.
"""

from .account import Note
from .pattern import pattern
from .reverse import joint, kept, split
from .tangent import tangent

__all__ = ["Note", "joint", "kept", "pattern", "split", "tangent"]
