"""What `print` shows: text with numbers in its places, in the forward sweep.

Input: a call of `print`, whose arguments may be f-strings, `"…".format(…)`, `"…" % …` and sums of texts.
Output: a call of `show`, whose form is that of `str.format`. Invariants: what is known when the program is
compiled is in the text; a format that does not fit a number's kind is an error, as in Python. Non-goals:
texts elsewhere (`texts`), arrays.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ...errors import InferenceError, UnsupportedSyntaxError
from . import arrays, containers
from .arrays import randomness
from .nodes import has_stars
from .texts import Piece, form_of, formatted_by, static, text
from .values import ScalarValue, Sequence_, Static, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

PLACE = re.compile(
    r"%(?P<flags>[-+ 0#]*)(?P<width>\d*)(?:\.(?P<digits>\d+))?(?P<kind>[diueEfFgGxXosra%])|%(?P<other>.?)"
)
SAMPLES = {"f": 1.5, "b": True}  # of other kinds: 1


def call(ctx: Specialiser, node: ast.Call) -> Value:
    """The value of `print(…)` as it is written, without starred arguments."""
    rows = [list(_pieces(ctx, arg)) for arg in node.args]
    options = {str(k.arg): ctx.eval(k.value) for k in node.keywords}
    with ctx.at(node):
        return _show(ctx, rows, options)


def of_values(ctx: Specialiser, values: Sequence[Value], options: dict[str, Value]) -> Value:
    """The value of a call of `print` with values."""
    return _show(ctx, [[_piece(ctx, v)] for v in values], options)


def _show(ctx: Specialiser, rows: Sequence[Sequence[Piece]], options: dict[str, Value]) -> Value:
    between, end = (_option(ctx, options, name, usual) for name, usual in (("sep", " "), ("end", "\n")))
    for name in options:
        remedy = "leave it out" if name == "flush" else "print to standard output, or outside"
        _refuse(ctx, f"the argument {name!r} of print is not supported", remedy)
    pieces: list[Piece] = []
    for k, row in enumerate(rows):
        pieces += [between, *row] if k else row
    form, numbers = form_of([*pieces, end])
    ctx.b.call("show", randomness.stream(ctx), *numbers, attrs=(form,))
    return Static(None)


def _option(ctx: Specialiser, options: dict[str, Value], name: str, usual: str) -> str:
    value = options.pop(name, Static(None))
    if not isinstance(value, Static) or not isinstance(value.value, str | None):
        _refuse(ctx, f"the argument {name!r} of print must be a text that is known", "write the text there")
    return usual if value.value is None else value.value


def _refuse(ctx: Specialiser, what: str, instead: str) -> NoReturn:
    ctx.error(UnsupportedSyntaxError, what, "compiled code prints only numbers and text", instead)


# -- texts as they are written


def _pieces(ctx: Specialiser, node: ast.expr) -> Iterator[Piece]:
    with ctx.at(node):
        match node:
            case ast.JoinedStr(values=values):
                for value in values:
                    yield from _pieces(ctx, value)
            case ast.FormattedValue(value=inner, conversion=code, format_spec=spec):
                conversion = f"!{chr(code)}" if code >= 0 else ""
                yield _piece(ctx, ctx.eval(inner), conversion, text(ctx, spec) if spec else "")
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str() as form), attr="format"), args=args
            ) if not has_stars(node):
                yield from _by_format(ctx, form, args, node.keywords)
            case ast.BinOp(left=ast.Constant(value=str() as form), op=ast.Mod(), right=right):
                yield from _by_percent(ctx, form, right)
            case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_text(left) or _is_text(right):
                yield from _pieces(ctx, left)
                yield from _pieces(ctx, right)
            case ast.Call(func=ast.Name(id="str" | "repr" as name), args=[inner], keywords=[]) if _is_builtin(
                ctx, node.func
            ):
                yield _piece(ctx, ctx.eval(inner), f"!{name[0]}")
            case _:
                yield _piece(ctx, ctx.eval(node))


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return _is_text(left) or _is_text(right)
    return False


def _is_builtin(ctx: Specialiser, node: ast.expr) -> bool:
    found = ctx.eval(node)
    return isinstance(found, Static) and found.value in (str, repr)


def _by_format(
    ctx: Specialiser, form: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
) -> Iterator[Piece]:
    """`form.format(*args, **keywords)`."""
    values: dict[str, Value] = {str(k): ctx.eval(a) for k, a in enumerate(args)}
    values |= {str(k.arg): ctx.eval(k.value) for k in keywords}
    places = static(ctx, lambda: list(string.Formatter().parse(form)))
    assert isinstance(places, list)
    count = 0
    for plain, name, spec, conversion in places:
        yield plain
        if name is None:
            continue
        key, count = (name, count) if name else (str(count), count + 1)
        if "{" in spec or re.search(r"[.\[]", key):
            _refuse(ctx, f"the place {{{key}}} of the text is not supported", "give the number itself there")
        if key not in values:
            ctx.error(InferenceError, f"the text has a place {{{key}}} for which there is no value")
        yield _piece(ctx, values[key], f"!{conversion}" if conversion else "", spec)


def _by_percent(ctx: Specialiser, form: str, right: ast.expr) -> Iterator[Piece]:
    """`form % right`."""
    given = ctx.eval(right)
    values = list(given.items) if isinstance(given, Sequence_) and given.kind is tuple else [given]
    end = 0
    for m in PLACE.finditer(form):
        yield form[end : m.start()]
        end = m.end()
        if m["kind"] == "%":
            yield "%"
            continue
        if m["kind"] is None:
            _refuse(ctx, f"the place %{m['other']} of the text is not supported", "write an f-string")
        if not values:
            ctx.error(InferenceError, "not enough arguments for format string")
        yield _percent(ctx, m, values.pop(0))
    if values:
        ctx.error(InferenceError, "not all arguments converted during string formatting")
    yield form[end:]


def _percent(ctx: Specialiser, m: re.Match[str], value: Value) -> Piece:
    """One place of a `%` text: as it is where the value is known, else as `str.format` writes it."""
    plain = containers.plain_object(value)
    if plain is not None:
        return str(static(ctx, lambda: m[0] % (plain[0],)))
    kind, flags, digits = m["kind"], m["flags"], m["digits"]
    if digits and kind not in "eEfFgG":
        _refuse(ctx, f"the place {m[0]} of the text is not supported", "write an f-string")
    align = "<" if "-" in flags else ">" if m["width"] and "0" not in flags else ""
    if kind in "sra":
        return _piece(ctx, value, f"!{kind}", f"{align or '>'}{m['width']}" if m["width"] else "")
    if kind in "diu":
        kind, value = "d", arrays.convert(ctx, value, "int64")
    sign = next((s for s in "+ " if s in flags), "")
    alternative, zeros = ("#" if "#" in flags else ""), ("0" if "0" in flags and "-" not in flags else "")
    precision = f".{digits}" if digits else ""
    return _piece(ctx, value, "", f"{align}{sign}{alternative}{zeros}{m['width']}{precision}{kind}")


def _piece(ctx: Specialiser, value: Value, conversion: str = "", spec: str = "") -> Piece:
    """A value in a text: itself where it is known, else its place."""
    if isinstance(value, ScalarValue) and not value.dtype.startswith("complex"):
        if not conversion:
            static(ctx, format, SAMPLES.get(np.dtype(value.dtype).kind, 1), spec)
        return value.operand, conversion + (f":{spec}" if spec else "")
    plain = containers.plain_object(value)
    if plain is None:
        _refuse(ctx, "print shows real numbers and text here", "print its elements, or print outside")
    return formatted_by(ctx, plain[0], conversion, spec)


__all__ = ["call", "of_values"]
