"""Which Python constructs are read, and for each of the others why not and what to write instead.

Input: the syntax tree of a function. Output: nothing, or errors for all refused constructs at once.
Invariant: each node class of `ast` is accepted or refused by name; one that a later Python adds is refused.
Non-goals: refusals that depend on types or values.
"""

from __future__ import annotations

import ast

from ...errors import UnsupportedSyntaxError
from ..diagnostics import Diagnostics
from .source import FunctionNode, location_of

STATEMENTS = """
FunctionDef Return Assign AugAssign AnnAssign For While If Raise Assert Expr Pass Break Continue
arguments arg keyword
"""
EXPRESSIONS = """
BoolOp BinOp UnaryOp Lambda IfExp Dict ListComp GeneratorExp DictComp Compare Call JoinedStr FormattedValue
Constant Attribute Subscript Starred Name List Tuple Set Slice NamedExpr comprehension Load Store
"""
OPERATORS = """
And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub
Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
"""
ACCEPTED = frozenset(f"{STATEMENTS} {EXPRESSIONS} {OPERATORS}".split())

_GENERATOR = (
    "a generator function",
    "its values are made while it is suspended, which has no reverse",
    "return an array or a tuple, or write the loop where the values are used",
)
_ASYNC = ("asynchronous code", "only ordinary functions are differentiated", "compute in a plain function")
_DELETE = (
    "'del' of a name or a slice",
    "names need no deleting, slices are not taken out",
    "leave the statement out, or make a list of the items that stay",
)
_MATCH = ("'match'", "patterns are not read", "use if and elif")
_TRY = (
    "'try'",
    "an exception can come from any place inside, so the path taken is not known when the reverse runs",
    "test the condition with 'if' before the operation",
)
_STAR = ("'except*'", *_TRY[1:])

REFUSED: dict[str, tuple[str, str, str]] = {
    "Yield": _GENERATOR,
    "YieldFrom": _GENERATOR,
    "AsyncFunctionDef": _ASYNC,
    "AsyncFor": _ASYNC,
    "AsyncWith": _ASYNC,
    "Await": _ASYNC,
    "Try": _TRY,
    "TryStar": _STAR,
    "With": (
        "'with'",
        "what entering and leaving do cannot be differentiated",
        "do it outside, around the call of the function",
    ),
    "Global": (
        "'global'",
        "a function with a derivative cannot rebind the variables of its module",
        "pass the value as an argument and return the new one",
    ),
    "Nonlocal": (
        "'nonlocal'",
        "an inner function cannot rebind the variables of the outer one here",
        "return the new value and assign it where the function is called",
    ),
    "ClassDef": (
        "a class definition",
        "classes are not made inside a differentiated function",
        "define it outside",
    ),
    "Import": (
        "'import'",
        "modules are not imported inside a differentiated function",
        "import at the top of the file",
    ),
    "Delete": _DELETE,
    "Del": _DELETE,
    "SetComp": ("a set comprehension", "sets have no order", "use a list comprehension"),
    "Match": _MATCH,
}
REFUSED["ImportFrom"] = REFUSED["Import"]

_UNKNOWN = ("'{}'", "this construct is not read", "write it with assignments, loops and branches")


def check(node: FunctionNode, file: str, name: str) -> None:
    """Raise one error that lists all refused constructs of a function, inner functions included."""
    found = Diagnostics()
    for part in _parts(node):
        _walk(part, file, name, found)
    found.finish()


def _parts(node: FunctionNode) -> list[ast.AST]:
    """What of a function is evaluated: defaults and body, not annotations and decorators."""
    defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    return [*defaults, *(node.body if isinstance(node, ast.FunctionDef) else [node.body])]


def _walk(node: ast.AST, file: str, name: str, found: Diagnostics) -> None:
    kind = type(node).__name__
    if isinstance(node, ast.Delete) and all(_is_item(t) for t in node.targets):
        for part in (p for t in node.targets for p in (t.value, t.slice)):  # type: ignore[attr-defined]
            _walk(part, file, name, found)
        return
    if kind not in ACCEPTED:
        what, why, instead = REFUSED.get(kind, _UNKNOWN)
        place = location_of(file, name, node)
        found.add(UnsupportedSyntaxError(f"{what.format(kind)} is not supported", place, why, instead))
        return
    if isinstance(node, ast.FunctionDef):
        _decorators(node, file, name, found)
    for child in _parts(node) if isinstance(node, FunctionNode) else ast.iter_child_nodes(node):
        if not (isinstance(node, ast.AnnAssign) and child is node.annotation):
            _walk(child, file, name, found)


def _is_item(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice | ast.Tuple)


def _decorators(node: ast.FunctionDef, file: str, name: str, found: Diagnostics) -> None:
    """An inner function may be compiled by Numba; other decorators would change what it does."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if last not in ("njit", "jit"):
            place = location_of(file, name, decorator)
            what = "a decorator of an inner function is not supported"
            found.add(
                UnsupportedSyntaxError(
                    what, place, "it is not run", "apply it outside, to a function of the module"
                )
            )


__all__ = ["ACCEPTED", "REFUSED", "check"]
