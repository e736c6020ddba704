"""What a name or an attribute that is not local stands for: closure cells, globals, builtins, modules,
objects.

Input: a name in a frame, or a Python object. Output: a frontend value. Constants are compiled in under a
guard that is checked at each call; arrays become hidden arguments, so that a new array is seen. Invariants:
no user code is run (properties are inlined, descriptors not called). Non-goals: local names (`expressions`).
"""

from __future__ import annotations

import builtins
import difflib
import enum
import inspect
import types
from typing import TYPE_CHECKING

import numpy as np

from ...errors import NameResolutionError, UnsupportedSyntaxError
from .. import complexes
from ..fetching import Applied, Attribute, Cell, Default, Fetch, Field, Global, Item
from ..ir.types import DTYPES, Array, Scalar
from ..program import ArraySpec, Guard, Hidden, ScalarSpec
from . import jitclasses
from .arrays import full, parameter
from .structure import field_names, is_record, node, whole_spec
from .values import ScalarValue, Static, Value

if TYPE_CHECKING:
    from .specialise import Frame, Specialiser

OWN = f"{__name__.partition('.')[0]}."
STABLE = (
    "numpy",
    "math",
    "cmath",
    "scipy",
    "numba",
    "builtins",
    "operator",
    "functools",
    "adjit",
    "enum",
    "types",
)


def outer_name(ctx: Specialiser, frame: Frame, name: str) -> Value:
    """A closure variable, a global or a builtin."""
    source = frame.source
    cells = source.cells
    if name in cells:
        cell = cells[name]
        try:
            found = cell.cell_contents
        except ValueError:
            ctx.error(NameResolutionError, f"the closure variable {name!r} has no value yet")
        return lifted(ctx, id(cell), name, found, Cell(cell))
    space = source.globals
    if name in space:
        return lifted(ctx, id(space), name, space[name], Global(space, name))
    if hasattr(builtins, name):
        return Static(getattr(builtins, name))
    return ctx.error(
        NameResolutionError,
        f"the name {name!r} is not defined",
        "it is neither a local variable nor one of the module",
        "define it before the function is called",
    )


def lifted(ctx: Specialiser, space: int, name: str, found: object, fetch: Fetch) -> Value:
    """The value of an object that is found under `name` at each call; the same one each time it is asked
    for.
    """
    key = (space, name)
    if key not in ctx.lifted:
        ctx.lifted[key] = lift(ctx, name, found, fetch)
        ctx.note_foreign(ctx.lifted[key], f"the global {name!r}")
    return ctx.lifted[key]


def lift(ctx: Specialiser, name: str, found: object, fetch: Fetch) -> Value:
    if isinstance(found, types.ModuleType):
        return Static(found)
    if not _open(found):
        guard(ctx, name, fetch, found)  # also a NumPy function: the name may stand for another one later
        return constant(found)
    guard(ctx, f"the structure of {name}", Applied(skeleton, fetch), skeleton(found))
    return _structure(ctx, name, found, fetch)


def guard(ctx: Specialiser, name: str, fetch: Fetch, value: object) -> None:
    if not _own(fetch):
        ctx.guards.append(Guard(name, fetch, value))


def _own(fetch: Fetch) -> bool:
    """Whether a value belongs to adjit's own definitions, which do not change."""
    if isinstance(fetch, Default):
        return fetch.function.__module__.startswith(OWN)
    return isinstance(fetch, Global) and str(fetch.space.get("__name__")).startswith(OWN)


def constant(found: object) -> Value:
    """A constant; structures stay open to subscripts and loops."""
    if type(found) in (tuple, list):
        return node(type(found), (), [constant(v) for v in found])  # type: ignore[attr-defined]
    if type(found) is dict:
        return node(dict, tuple(found), [constant(v) for v in found.values()])
    if is_record(type(found)):
        fields = field_names(type(found))
        return node(type(found), fields, [constant(getattr(found, f)) for f in fields])
    return Static(found)


def _stable(found: object) -> bool:
    module = getattr(found, "__module__", None) or ""
    if isinstance(found, np.ufunc | np.dtype):
        return True
    return callable(found) and str(module).split(".")[0] in STABLE and not hasattr(found, "py_func")


def _open(found: object) -> bool:
    """Whether a value holds arrays, or records, whose fields may be set anew: these are looked at one by
    one.
    """
    if isinstance(found, np.ndarray) or is_record(type(found)):
        return True
    if type(found) in (tuple, list):
        return any(_open(v) for v in found)  # type: ignore[attr-defined]
    return type(found) is dict and any(_open(v) for v in found.values())


def skeleton(found: object) -> object:
    """What of a structure is compiled in: everything but its arrays, of which dtype and rank are."""
    if isinstance(found, np.ndarray):
        return (np.ndarray, found.dtype.name, found.ndim, _layout(found), _ones(found))
    if type(found) in (tuple, list):
        return (type(found), *(skeleton(v) for v in found))  # type: ignore[attr-defined]
    if type(found) is dict:
        return (dict, *((k, skeleton(v)) for k, v in found.items()))
    if is_record(type(found)):
        return (type(found), *(skeleton(getattr(found, f)) for f in field_names(type(found))))
    return found


def _layout(found: np.ndarray) -> str:
    return "C" if found.flags.c_contiguous else "F" if found.flags.f_contiguous else "A"


def _ones(found: np.ndarray) -> tuple[int, ...]:
    return tuple(k for k, n in enumerate(found.shape) if n == 1)


def _structure(ctx: Specialiser, name: str, found: object, fetch: Fetch) -> Value:
    if isinstance(found, np.ndarray):
        return hidden(ctx, name, found, fetch)
    if type(found) in (tuple, list):
        members: list[object] = list(found)  # type: ignore[call-overload]
        items = [_structure(ctx, f"{name}[{k}]", v, Item(fetch, k)) for k, v in enumerate(members)]
        return node(type(found), (), items)
    if type(found) is dict:
        items = [_structure(ctx, f"{name}[{k!r}]", v, Item(fetch, k)) for k, v in found.items()]
        return node(dict, tuple(found), items)
    if is_record(type(found)):
        fields = field_names(type(found))
        items = [_structure(ctx, f"{name}.{f}", getattr(found, f), Field(fetch, f)) for f in fields]
        return node(type(found), fields, items)
    return Static(found)


def hidden(ctx: Specialiser, name: str, found: np.ndarray, fetch: Fetch) -> Value:
    """An array of the module or of a closure: an argument that the caller does not see."""
    if complexes.apart(found) is not None:
        memory = complexes.parts(found)
        own = ArraySpec(memory.dtype.name, memory.ndim, _layout(memory), True, _ones(memory))
        return hidden_argument(ctx, Hidden(name, Applied(complexes.parts, fetch), own), whole=True)
    if found.dtype.name not in DTYPES:
        ctx.error(
            UnsupportedSyntaxError, f"the array {name!r} has dtype {found.dtype}, which is not supported"
        )
    spec = ArraySpec(found.dtype.name, found.ndim, _layout(found), True, _ones(found))
    return hidden_argument(ctx, Hidden(name, fetch, spec))


def hidden_again(ctx: Specialiser, wanted: Hidden) -> Value:
    """A hidden argument of a program that is inlined here."""
    for known, var in ctx.hidden:
        same = known.name == wanted.name and known.spec == wanted.spec
        if same and not isinstance(known.fetch, type(wanted.fetch)):
            continue
        if same and known.fetch() is wanted.fetch():
            return ScalarValue(var) if isinstance(known.spec, ScalarSpec) else full(ctx, var)
    return hidden_argument(ctx, wanted)


def hidden_argument(ctx: Specialiser, wanted: Hidden, whole: bool = False) -> Value:
    """A parameter after those that the caller passes; `whole`: the complex array of these parts."""
    name, spec = wanted.name, wanted.spec
    if whole:
        assert isinstance(spec, ArraySpec)
        spec = whole_spec(spec)
    hint = "".join(c if c.isalnum() else "_" for c in name).strip("_")
    if isinstance(spec, ScalarSpec):
        number = ctx.b.fresh(hint, Scalar(spec.dtype))
        ctx.hidden.append((wanted, number))
        return ScalarValue(number, spec.weak)
    var = ctx.b.fresh(hint, Array(spec.dtype, spec.ndim, spec.layout))
    ctx.hidden.append((wanted, var))
    ctx.parameters.add(var)
    ctx.globals[var] = name
    scopes = ctx.b.scopes
    ctx.b.scopes = scopes[:1]
    try:
        return parameter(ctx, var, spec)
    finally:
        ctx.b.scopes = scopes


def attribute(ctx: Specialiser, owner: object, name: str) -> Value:
    """`owner.name` for a module, a class or another object that is known at compile time."""
    if isinstance(owner, types.ModuleType):
        return _module_attribute(ctx, owner, name)
    try:
        static = inspect.getattr_static(owner, name)
    except AttributeError:
        ctx.error(
            NameResolutionError,
            f"{getattr(owner, '__name__', type(owner).__name__)!r} has no attribute {name!r}",
        )
    if jitclasses.is_object(owner):
        return _of_jitclass(ctx, owner, name)
    if isinstance(static, property) and static.fget is not None and not isinstance(owner, type):
        if _stable(type(owner)):
            return constant(getattr(owner, name))
        return ctx.call(static.fget, [Static(owner)])
    own = getattr(owner, "__dict__", {}).get(name) is static  # not of the class, hence not bound
    if isinstance(static, types.FunctionType) and not isinstance(owner, type) and not own:
        return Static(types.MethodType(static, owner))
    found = getattr(owner, name)
    if _fixed(owner):
        return constant(found)
    return lifted(ctx, id(owner), name, found, Attribute(owner, name))


def _of_jitclass(ctx: Specialiser, owner: object, name: str) -> Value:
    method, getter = jitclasses.method(owner, name), jitclasses.getter(owner, name)
    if method is not None:
        return Static(method)
    if getter is not None:
        return ctx.call(getter, [Static(owner)])
    found = getattr(owner, name)
    if jitclasses.is_object(found):
        ctx.error(
            UnsupportedSyntaxError,
            f"the field {name!r} holds an object of a jitclass",
            why="Numba makes another Python object of it each time, so that a change of it is not seen",
            instead="keep it in a variable outside and use that",
        )
    return lifted(ctx, id(owner), name, found, Attribute(owner, name))


def _fixed(owner: object) -> bool:
    """Whether the attributes of an object stay as they are."""
    if isinstance(owner, type):
        return _stable(owner) or isinstance(owner, enum.EnumMeta)
    if isinstance(owner, types.SimpleNamespace):
        return False
    return isinstance(owner, np.generic | np.dtype | np.finfo | np.iinfo) or _stable(type(owner))


def _module_attribute(ctx: Specialiser, module: types.ModuleType, name: str) -> Value:
    if module.__name__ == "numba.cuda":
        ctx.error(
            UnsupportedSyntaxError,
            f"`cuda.{name}` is for kernels written by hand",
            why="a thread's index, shared memory and barriers say how a program runs, not what it computes",
            instead='write the loop over all indices: with target="cuda" it becomes the grid of a kernel',
        )
    if not hasattr(module, name):
        close = difflib.get_close_matches(name, dir(module), 1)
        ctx.error(
            NameResolutionError,
            f"the module {module.__name__!r} has no attribute {name!r}",
            instead=f"did you mean {close[0]!r}?" if close else "",
        )
    found = getattr(module, name)
    if module.__name__.split(".")[0] in STABLE and not isinstance(found, np.ndarray):
        return constant(found)
    return lifted(ctx, id(module), name, found, Attribute(module, name))


__all__ = ["attribute", "constant", "guard", "lift", "lifted", "outer_name", "skeleton"]
