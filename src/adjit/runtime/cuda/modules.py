"""Generated modules for the GPU: kernels compiled by `numba.cuda`, the host's program run as Python.

Input: the text of a module. Output: the host's program as a function. Its number literals become NumPy's, so
that arithmetic on the host is the same as in kernels; in the simulator those of kernels do too. Invariants:
loading the same text twice gives the same function. Non-goals: keeping compiled kernels on disk.
"""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable
from typing import Any

from ...compiler.codegen.linemap import Text
from .. import plain
from .simulated import SIMULATED


class _Quiet(ast.NodeTransformer):
    """Kernels of the simulator run in threads, where NumPy's warnings are on: switch them off inside."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.decorator_list:
            quiet = ast.parse("with np.errstate(all='ignore'):\n    pass").body[0]
            assert isinstance(quiet, ast.With)
            quiet.body = node.body
            node.body = [ast.copy_location(quiet, node.body[0])]
        return node


def namespace(text: Text, filename: str) -> dict[str, Any]:
    """Everything that a module defines."""
    lines = text.source.splitlines(keepends=True)
    linecache.cache[filename] = (len(text.source), None, lines, filename)
    tree, names = plain.lifted(text.source, kernels=SIMULATED)
    if SIMULATED:
        tree = ast.fix_missing_locations(_Quiet().visit(tree))
    module = types.ModuleType(filename.strip("<>") + plain.UNCOMPILED)
    module.__dict__.update(names)
    exec(compile(tree, filename, "exec"), module.__dict__)
    return module.__dict__


def load(text: Text, filename: str) -> Callable[..., object]:
    """The host's program."""
    return plain.quiet(namespace(text, filename)[text.name])
