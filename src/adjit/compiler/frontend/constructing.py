"""Named tuples and dataclasses that are made in a differentiated function.

Input: the class and the values of a call. Output: a `Record` of its fields. Non-goals: classes that do more
than keep their fields, which are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import InferenceError, UnsupportedSyntaxError
from . import arrays, resolve
from .structure import field_names, is_record
from .values import Record, Value

if TYPE_CHECKING:
    from .specialise import Specialiser


def call(ctx: Specialiser, cls: type, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """A named tuple or dataclass from its fields."""
    if not is_record(cls):
        ctx.error(
            UnsupportedSyntaxError,
            f"objects of the class {cls.__name__!r} cannot be made in a differentiated function",
            "only tuples, lists, dicts, named tuples and dataclasses can",
            arrays.known_remedy(arrays.name_of(cls)) or "make it outside and pass its numbers",
        )
    names = field_names(cls)
    if "__post_init__" in vars(cls) or (
        hasattr(cls, "__dataclass_fields__") and "__init__" in vars(cls) and not _own_init(cls)
    ):
        ctx.error(UnsupportedSyntaxError, f"the class {cls.__name__!r} does more than keep its fields")
    found: dict[str, Value] = dict(zip(names, args, strict=False))
    if len(args) > len(names) or set(kwargs) & set(found) or not set(kwargs) <= set(names):
        ctx.error(InferenceError, f"the arguments do not fit the fields {', '.join(names)} of {cls.__name__}")
    found.update(kwargs)
    for name in names:
        if name not in found:
            found[name] = _default(ctx, cls, name)
    return Record(cls, {name: found[name] for name in names})


def _own_init(cls: type) -> bool:
    return bool(cls.__dataclass_params__.init)  # type: ignore[attr-defined]


def _default(ctx: Specialiser, cls: type, name: str) -> Value:
    defaults = getattr(cls, "_field_defaults", None)
    if defaults is not None and name in defaults:
        return resolve.constant(defaults[name])
    if defaults is None and hasattr(cls, name):
        return resolve.constant(getattr(cls, name))
    return ctx.error(InferenceError, f"the field {name!r} of {cls.__name__} is missing")


__all__ = ["call"]
