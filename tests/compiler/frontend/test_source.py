"""From functions to their text: positions, lambdas, notebook cells, functions without text."""

from __future__ import annotations

import ast
import functools
import linecache
import subprocess
import sys

import numba
import numpy as np
import pytest

from adjit.compiler.frontend.source import plain_function, source_of
from adjit.errors import UnsupportedSyntaxError
from tests.support.capturing import outcome
from tests.support.sources import function_of


def decorated(f):
    return f


@decorated
@functools.cache
def plain(x):
    return x + 1


first, second = (lambda x: x * 2), (lambda x: x * 3)
nested = lambda x: (lambda y: y + 1)(x)  # noqa: E731
by_name = [lambda x, a=1: x + a, lambda x, b=2: x * b]


def test_positions_are_those_of_the_file():
    function = plain.__wrapped__
    found = source_of(function)
    assert found.file == __file__
    lines = linecache.getlines(__file__)
    assert lines[found.node.lineno - 1].startswith("def plain")
    place = found.location(found.node.body[0].value)
    assert lines[place.line - 1][place.column : place.end_column] == "x + 1"


def test_several_lambdas_on_a_line():
    assert ast.unparse(source_of(first).node.body) == "x * 2"
    assert ast.unparse(source_of(second).node.body) == "x * 3"
    assert ast.unparse(source_of(nested).node.body) == "(lambda y: y + 1)(x)"
    assert [ast.unparse(source_of(f).node.body) for f in by_name] == ["x + a", "x * b"]


def test_lambda_in_a_call_over_several_lines():
    f = functools.partial(
        lambda x: np.sin(x),
    ).func
    assert outcome(f, 0.5) == np.sin(0.5)


def test_notebook_cells_have_text():
    text = "def cell(x):\n    return x * 5\n"
    name = "<ipython-input-1-abc>"
    assert outcome(function_of(text, "cell", name, {}), 2.0) == 10.0


def test_functions_without_text():
    space = {}
    exec("def lost(x):\n    return x", space)
    with pytest.raises(UnsupportedSyntaxError, match="the source of the function 'lost' cannot be read"):
        source_of(space["lost"])


def test_what_compiled_functions_are_made_from():
    compiled = numba.njit(plain.__wrapped__)
    assert plain_function(compiled) is plain.__wrapped__


def test_file_that_has_changed(tmp_path):
    import importlib.util
    import os

    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return x + offset\n\n\noffset = 1.0\n")
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert ast.unparse(source_of(module.f).node.body[0]) == "return x + offset"
    path.write_text("def f(x):\n    return x * 2\n")
    os.utime(path, (1, 1))
    with pytest.raises(UnsupportedSyntaxError, match="cannot be read") as error:
        source_of(module.f)
    assert "has changed" in str(error.value)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the prompt keeps the source")
def test_what_is_typed_at_the_plain_prompt():
    text = "import adjit\ndef f(x):\n    return x * x\n\nadjit.grad(f)(2.0)\n"
    done = subprocess.run([sys.executable], input=text, capture_output=True, text=True, check=False)
    assert "the prompt of IPython, in a notebook cell or in a file" in done.stderr
    assert "During handling" not in done.stderr and "OSError" not in done.stderr
    assert all(line.strip() for line in done.stderr.splitlines())


def test_file_whose_arithmetic_has_changed(tmp_path):
    """The same names on the same lines: only the code tells."""
    import importlib.util

    path = tmp_path / "recomputed.py"
    path.write_text("def f(x):\n    return x * x\n")
    spec = importlib.util.spec_from_file_location("recomputed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert ast.unparse(source_of(module.f).node.body[0]) == "return x * x"
    path.write_text("def f(x):\n    return x * x * x\n")
    with pytest.raises(UnsupportedSyntaxError, match="cannot be read"):
        source_of(module.f)
