"""Arrays in the frontend: NumPy's meaning, lowered to loops over elements as the user's function is walked.

The language half calls what is exported here, with itself as the context. Values come in and go out as
`frontend.values`; statements go to the context's builder. Invariants: what NumPy would make wrong is an
error, at compile time if it can be known, else by a check; no store is emitted without `before_write`;
indices emitted are in range or checked. Non-goals: names, scopes and control flow.

A loop that is emitted by hand should be announced with `builder.iterates(iv, lo, hi, step)`, and an array
result of a branch or loop entered in `builder.origins`: proofs about indices and overlaps rest on them.
"""

from __future__ import annotations

from . import builtins, complex_functions, linalg, products, randomness, stacks, ufuncs  # noqa: F401  (they fill the table of NumPy functions)
from .access import iterate, parameter, scalar, truth
from .attributes import attribute, method
from .complexes import make as make_complex
from .elementwise import compare, unary
from .elementwise import number_of as number
from .fill import copy_into, materialise
from .gufuncs import call as gufunc_call
from .gufuncs import is_gufunc
from .indexing import getitem
from .names import name_of
from .numpy_table import convert, knows, numpy_call
from .products import binary
from .remedies import instead_of, known_remedy
from .store import augassign, augitem, setitem
from .view import as_variable, full

__all__ = [
    "as_variable",
    "attribute",
    "augassign",
    "augitem",
    "binary",
    "compare",
    "convert",
    "copy_into",
    "full",
    "getitem",
    "gufunc_call",
    "instead_of",
    "is_gufunc",
    "iterate",
    "known_remedy",
    "knows",
    "make_complex",
    "materialise",
    "method",
    "name_of",
    "number",
    "numpy_call",
    "parameter",
    "scalar",
    "setitem",
    "truth",
    "unary",
]
