"""Objects of the user's in words: the same in another process exactly where the object is the same.

Input: a constant, a function, a class. Output: a text that a hash is made of. Invariant: what cannot be told
for certain raises `Unknown`. Non-goals: what a function calls (see `opaque.whole_text`), arrays.
"""

from __future__ import annotations

import dataclasses
import inspect
import linecache
import types

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes, types.EllipsisType)


class Unknown(Exception):
    """Something whose sameness in another process cannot be told."""


def function_text(fun: types.FunctionType) -> str:
    """The text of a function with its place; errors at run time name the place."""
    code = fun.__code__
    lines = linecache.getlines(code.co_filename, fun.__globals__)
    if not lines:
        raise Unknown(code.co_filename)
    try:
        block = inspect.getblock(lines[code.co_firstlineno - 1 :])
    except (SyntaxError, IndexError) as error:
        raise Unknown(code.co_filename) from error
    defaults = (fun.__defaults__ or (), fun.__kwdefaults__ or {})
    names = f"{fun.__module__} {fun.__qualname__} {code.co_filename}:{code.co_firstlineno}"
    return "\n".join([names, "".join(block), code_text(code), described(defaults)])


def code_text(code: types.CodeType) -> str:
    """The instructions of a code object: two lambdas may share a line."""
    inner = [code_text(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {inner}"


def described(value: object) -> str:
    """Words that are the same in another process exactly where the value is; raises `Unknown`."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.generic | np.dtype | np.ufunc):
        return f"numpy {value!r}"
    if type(value) in (tuple, list):
        return f"{type(value).__name__}[{', '.join(map(described, value))}]"  # type: ignore[call-overload]
    if type(value) is dict:
        return "dict[" + ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items()) + "]"
    own = getattr(value, "__adjit_described__", None)
    if own is not None and not isinstance(value, type):
        return str(own())
    inner = getattr(value, "py_func", value)
    if isinstance(inner, types.FunctionType):
        return function_text(inner)
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType):
        return f"{type(value).__name__} {getattr(value, '__module__', '')} {value.__name__}"
    if isinstance(value, type):
        return class_text(value)
    if type(value).__name__ == "_ArrayFunctionDispatcher":  # NumPy's functions
        return f"numpy {value.__module__}.{value.__qualname__}"  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(value) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        names = value._fields if isinstance(value, tuple) else [f.name for f in dataclasses.fields(value)]
        fields = [f"{n}={described(getattr(value, n))}" for n in names]
        return f"{class_text(type(value))}({', '.join(fields)})"
    raise Unknown(type(value).__name__)


def class_text(kind: type) -> str:
    module = kind.__module__.split(".")[0]
    if module in ("builtins", "numpy", "collections"):
        return f"class {kind.__module__}.{kind.__qualname__} {getattr(kind, '_fields', '')}"
    try:
        return f"class {kind.__module__}.{kind.__qualname__}\n{inspect.getsource(kind)}"
    except (OSError, TypeError) as error:
        raise Unknown(kind.__qualname__) from error
