"""Types of Numba's as specifications, and specifications as text of a function that Numba compiles.

Input: the Numba type of an argument, and the expression that stands for it; the tree of a result. Output:
the specification (`compiler.program`) with the expressions of its leaves, in depth-first order; the
expression that puts a result together. Numba tells no lengths, so each axis may have length one.
Invariants: a number has the dtype that Numba gives it, and widens others as there; what has no form in
compiled code is refused with what to pass instead. Non-goals: calls (`within`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from keyword import iskeyword
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from ..compiler.complexes import (
    ARRAY_KEYS,
    ARRAYS,
    CONJUGATED,
    NUMBER_KEYS,
    PARTS,
    ComplexArray,
    is_complex,
    kind_of_number,
)
from ..compiler.ir.types import DTYPES, WHOLES
from ..compiler.program import ArraySpec, NodeSpec, ResultLeaf, ScalarSpec, Spec, StaticSpec
from ..errors import InferenceError
from .support import jitable

_types: Any = types
Form = TypeVar("Form", bound=Callable[..., Any])


@jitable
def parts_of(a: Any) -> Any:
    """The memory of a contiguous complex array as real numbers, with one more axis."""
    return a.view(a.real.dtype).reshape((*a.shape, 2))


@jitable
def whole_of(memory: Any, dtype: Any) -> Any:
    """The complex array whose parts lie on the last axis."""
    return memory.view(dtype).reshape(memory.shape[:-1])


def precise(t: Any) -> Any:
    """The type that a value has at run time; text that is known is its own type."""
    return t if isinstance(t, _types.StringLiteral) else _types.unliteral(t)


class Names:
    """Objects that a text names, each by a name of its own."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.objects: dict[str, Any] = {}

    def fresh(self, wanted: str) -> str:
        """A name that nothing has, as near to `wanted` as can be (`ARRAYS[0]` is wanted for a hidden
        argument).
        """
        wanted = re.sub(r"\W", "_", wanted)
        while wanted in self.taken or iskeyword(wanted):
            wanted += "_"
        self.taken.add(wanted)
        return wanted

    def of(self, value: Any, wanted: str) -> str:
        """A name for a value."""
        name = self.fresh(wanted)
        self.objects[name] = value
        return name


class Taken:
    """Specifications of arguments, and the expressions of their leaves."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.leaves: list[str] = []

    def spec(self, t: Any, at: str, where: str) -> Spec:
        """The specification of a value of type `t` that the expression `at` stands for."""
        if isinstance(t, _types.BaseTuple):
            return self.node(t, at, where)
        if isinstance(t, _types.Array):
            return self.array(t, at, where)
        if isinstance(t, _types.Complex):
            self.leaves += [f"{at}.real", f"{at}.imag"]
            leaf = ScalarSpec(PARTS[t.name])
            return NodeSpec(kind_of_number(t.name), NUMBER_KEYS, (leaf, leaf))
        if isinstance(t, _types.Number | _types.Boolean) and as_dtype(t).name in DTYPES:
            self.leaves.append(at)
            return ScalarSpec(as_dtype(t).name, weak=isinstance(t, _types.Boolean))
        return StaticSpec(constant(t, where))

    def node(self, t: Any, at: str, where: str) -> Spec:
        kind = getattr(t, "instance_class", tuple)
        keys = tuple(getattr(t, "fields", range(len(t))))
        named = kind is not tuple
        children = [
            self.spec(
                precise(inner),
                f"{at}.{key}" if named else f"{at}[{key}]",
                f"{where}.{key}" if named else f"{where}[{key}]",
            )
            for key, inner in zip(keys, t.types, strict=True)
        ]
        return NodeSpec(kind, keys, tuple(children))

    def array(self, t: Any, at: str, where: str) -> Spec:
        name = as_dtype(t.dtype).name if isinstance(t.dtype, _types.Number | _types.Boolean) else str(t.dtype)
        axes = tuple(range(t.ndim))
        if name in PARTS:
            if t.layout != "C":
                raise InferenceError(
                    f"{where} is a complex array that may not be contiguous",
                    why="its parts are read as an array with one more axis",
                    hint="pass np.ascontiguousarray(...) of it",
                )
            self.leaves.append(f"{self.names.of(parts_of, 'parts_of')}({at})")
            leaf = ArraySpec(PARTS[name], t.ndim + 1, "C", not t.mutable, unsure=axes)
            return NodeSpec(ComplexArray, ARRAY_KEYS, (leaf,))
        if name not in DTYPES:
            raise InferenceError(
                f"{where} is an array of {name}", why=f"adjit works on {', '.join((*DTYPES, *PARTS))}"
            )
        self.leaves.append(at)
        return ArraySpec(name, t.ndim, t.layout, not t.mutable, unsure=axes)


def constant(t: Any, where: str) -> Any:
    """The value of a type that has only one."""
    if isinstance(t, _types.NoneType):
        return None
    if isinstance(t, _types.StringLiteral):
        return t.literal_value
    if isinstance(t, _types.Dispatcher):
        return getattr(t.dispatcher, "differentiated", t.dispatcher)
    if isinstance(t, _types.DTypeSpec):
        return as_dtype(t.dtype)
    if isinstance(t, _types.Function):
        return t.typing_key
    own = getattr(t, "transform", None)
    if own is not None:
        return own
    raise InferenceError(f"{where} is of Numba's type {t}", why=OUTSIDE, hint=_instead(t))


def another(dispatcher: Any) -> Any:
    """A dispatcher of its own for the function of a dispatcher, with the same options."""
    return numba.jit(**dispatcher.targetoptions)(dispatcher.py_func)


def known(t: Any) -> Any:
    """The value of an argument, which Numba must know when it compiles the call."""
    if isinstance(t, _types.Literal):
        return t.literal_value
    if isinstance(t, _types.Omitted):
        return t.value
    if not isinstance(t, _types.Type):
        return t  # a default
    try:
        return constant(t, "")
    except InferenceError:
        message = f"a value of Numba's type {t} is not known when the call is compiled"
        hint = "write a number, a parameter's name or a function that Numba compiles at the call"
        raise TypingError(str(InferenceError(message, hint=hint))) from None


def compiled_form(function: Callable[..., Any]) -> Callable[[Form], Form]:
    """A decorator of Numba's form of a function, as `numba.extending.overload` has it."""

    def register(form: Form) -> Form:
        overload(function, strict=False)(form)  # one of the two has annotations
        if global_compiler_lock.is_locked():  # Numba met the function while it compiles
            cpu_target.typing_context.refresh()
        return form

    return register


OUTSIDE = (
    "adjit takes arrays, numbers, tuples and named tuples of these from compiled code, "
    "and None, functions and text that is known when it is compiled"
)


def _instead(t: Any) -> str:
    if isinstance(t, _types.UnicodeType):
        return "write the text at the call, or choose between functions instead"
    if isinstance(t, _types.Optional):
        return "give it a value on each path, so that it cannot be None"
    return "pass an array or a tuple"


class Put:
    """The expression of a result, and the objects that it names."""

    def __init__(self, flat: Sequence[str], dtypes: Sequence[str], names: Names) -> None:
        self.flat, self.dtypes, self.names = flat, dtypes, names

    def text(self, tree: object) -> str:
        if isinstance(tree, ResultLeaf):
            return self.flat[tree.index]
        if isinstance(tree, StaticSpec):
            return self.static(tree.value)
        assert isinstance(tree, NodeSpec)
        if is_complex(tree.kind):
            return self.complex(tree)
        named = issubclass(tree.kind, tuple) and tree.kind is not tuple
        if tree.kind is not tuple and not named:
            raise InferenceError(
                f"the result holds a {tree.kind.__name__}, which compiled code cannot receive",
                why="Numba has tuples and named tuples of arrays and numbers",
                hint="use a named tuple for the parameters, or call it from Python",
            )
        inner = [self.text(c) for c in tree.children]
        if named:
            return f"{self.names.of(tree.kind, tree.kind.__name__)}({', '.join(inner)})"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"

    def static(self, value: Any) -> str:
        exact = value is None or isinstance(value, bool | int)
        return repr(value) if exact else self.names.of(value, "constant")

    def complex(self, tree: NodeSpec) -> str:
        first, *rest = [self.text(c) for c in tree.children]
        conjugate = f"{self.names.of(np.conjugate, 'conjugate')}" if tree.kind in CONJUGATED else ""
        if tree.kind not in ARRAYS:
            return f"{conjugate}(complex({first}, {rest[0]}))"
        assert isinstance(tree.children[0], ResultLeaf)
        dtype = np.dtype(WHOLES[self.dtypes[tree.children[0].index]]).type
        return f"{conjugate}({self.names.of(whole_of, 'whole_of')}({first}, {self.names.of(dtype, 'dtype')}))"


__all__ = ["Names", "Put", "Taken", "another", "compiled_form", "known", "precise"]
