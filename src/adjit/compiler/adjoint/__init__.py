"""Differentiation: core IR to core IR.

`reverse` (joint and split adjoints) and `tangent`.
"""

from .reverse import joint, kept, split
from .tangent import tangent

__all__ = ["joint", "kept", "split", "tangent"]
