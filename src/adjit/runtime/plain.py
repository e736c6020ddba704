"""A generated module run as plain Python, with the arithmetic that its compiled form has.

Input: the text of a generated module. Output: its syntax tree, ready to run without Numba. Decorators go;
number literals become NumPy scalars, so that division by zero gives infinity, overflow wraps and NaN
spreads; integer division of Python integers goes through NumPy. Literals inside subscripts and `range` stay
as they are. Invariants: line numbers do not change, so a debugger shows the text on disk. Non-goals: speed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

UNCOMPILED = "_plain"  # ends the names of modules that run as plain Python
KEPT = ("range", "outside", "failed", "failed_at", "failed_with", "uint", "stop_of", "len", "note")
DTYPES = (*(f"int{n}" for n in (8, 16, 32, 64)), *(f"uint{n}" for n in (8, 16, 32, 64)))


def _integer_division(a: object, b: object) -> object:
    return np.floor_divide(a, b)  # type: ignore[call-overload]


def _remainder(a: object, b: object) -> object:
    return np.remainder(a, b)  # type: ignore[call-overload]


def _as_integer(kind: str) -> Callable[[object], object]:
    def convert(x: object) -> object:
        if isinstance(x, int):
            x = np.int64(x)
        return np.asarray(x).astype(kind)[()]

    return convert


HELPERS: dict[str, object] = {
    "_integer_division": _integer_division,
    "_remainder": _remainder,
    **{f"_as_{kind}": _as_integer(kind) for kind in DTYPES},
}


class _Lift(ast.NodeTransformer):
    """Rewrites one module; `constants` are the NumPy scalars that its literals became."""

    def __init__(self, kernels: bool = True) -> None:
        self.kernels = kernels
        self.constants: dict[str, object] = {}
        self.seen: dict[tuple[type, str], str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for_device = [d for d in node.decorator_list if ast.unparse(d) == "cuda.jit"]
        if for_device and not self.kernels:
            return node
        node.decorator_list = for_device
        node.body = [self.visit(s) for s in node.body]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return node
        key = (type(node.value), repr(node.value))
        if key not in self.seen:
            name = f"_number_{len(self.seen)}"
            self.seen[key] = name
            self.constants[name] = (
                np.float64(node.value) if isinstance(node.value, float) else np.int64(node.value)
            )
        return ast.copy_location(ast.Name(self.seen[key], ast.Load()), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id in KEPT:
            return node
        node.args = [self.visit(a) for a in node.args]
        if isinstance(function, ast.Attribute) and function.attr in DTYPES:
            node.func = ast.copy_location(ast.Name(f"_as_{function.attr}", ast.Load()), function)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.FloorDiv: "_integer_division", ast.Mod: "_remainder"}.get(type(node.op))
        if name is None:
            return node
        call = ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`a //= b` on a name as `a = a // b`, so that the division is lifted too."""
        if isinstance(node.op, ast.FloorDiv | ast.Mod) and isinstance(node.target, ast.Name):
            left = ast.Name(node.target.id, ast.Load())
            value = ast.BinOp(left, node.op, node.value)
            made = ast.Assign([node.target], ast.copy_location(value, node))
            visited: ast.AST = self.visit(ast.fix_missing_locations(ast.copy_location(made, node)))
            return visited
        self.generic_visit(node)
        return node


def lifted(source: str, kernels: bool = True) -> tuple[ast.Module, dict[str, object]]:
    """The tree to run, and names to define before it runs. Kernels for the GPU keep their decorators and,
    unless `kernels`, are left as they are.
    """
    tree = ast.parse(source)
    lift = _Lift(kernels)
    tree.body = [lift.visit(s) if isinstance(s, ast.FunctionDef) else s for s in tree.body]
    return ast.fix_missing_locations(tree), {**HELPERS, **lift.constants}


def quiet(function: Callable[..., object]) -> Callable[..., object]:
    """The function with NumPy's warnings about division, overflow and invalid values off, as compiled code
    has them.
    """

    def call(*args: object) -> object:
        with np.errstate(all="ignore"):
            return function(*args)

    call.__name__ = getattr(function, "__name__", "call")
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


__all__ = ["UNCOMPILED", "lifted", "quiet"]
