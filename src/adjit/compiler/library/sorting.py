"""The permutation that sorts a vector: integers, hence without a derivative; what is gathered through it
has one.
"""

from __future__ import annotations

from .core import Routine, register

register(Routine("argsort", reads=(1,), writes=(0,), zero_derivative=True))
