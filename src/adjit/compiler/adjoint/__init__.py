"""Differentiation: core IR to core IR.

`reverse` (joint and split adjoints) and `tangent`.
"""

from .account import Note
from .checkpoints import expanded
from .pattern import pattern
from .reverse import joint, kept, split
from .tangent import tangent

__all__ = ["Note", "expanded", "joint", "kept", "pattern", "split", "tangent"]
