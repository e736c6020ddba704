"""The fence: each node class is accepted or refused, refusals name place, reason and remedy, all at once."""

from __future__ import annotations

import ast

import pytest

from adjit.compiler.frontend import fence
from adjit.errors import UnsupportedSyntaxError

ABSTRACT = {"AST", "mod", "stmt", "expr", "expr_context", "boolop", "operator", "unaryop", "cmpop", "pattern"}
ABSTRACT |= {"excepthandler", "slice", "type_ignore", "type_param", "TypeIgnore", "Module", "Interactive"}
ABSTRACT |= {"Expression", "FunctionType", "Suite", "Param", "AugLoad", "AugStore", "Index", "ExtSlice"}
INNER = {"alias", "withitem", "ExceptHandler", "match_case"}  # parts of refused statements
OLD = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis"}


def test_every_node_class_is_decided():
    classes = {n for n, c in vars(ast).items() if isinstance(c, type) and issubclass(c, ast.AST)}
    open_ = classes - fence.ACCEPTED - set(fence.REFUSED) - ABSTRACT - INNER - OLD
    new = ("Match", "TypeVar", "ParamSpec", "TypeAlias", "TemplateStr", "Interpolation")
    later = {n for n in open_ if n.startswith(new)}
    assert open_ - later == set()
    assert not fence.ACCEPTED & set(fence.REFUSED)


def refused(text: str) -> UnsupportedSyntaxError:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    with pytest.raises(UnsupportedSyntaxError) as error:
        fence.check(node, "f.py", "f")
    return error.value


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("try:\n        pass\n    except ValueError:\n        pass", "'try' is not supported"),
        ("with x:\n        pass", "'with' is not supported"),
        ("yield x", "a generator function is not supported"),
        ("import math", "'import' is not supported"),
        ("from math import sin", "'import' is not supported"),
        ("global x", "'global' is not supported"),
        ("nonlocal x", "'nonlocal' is not supported"),
        ("del x", "'del' of a name or a slice is not supported"),
        ("class A:\n        pass", "a class definition is not supported"),
        ("return {v for v in x}", "a set comprehension is not supported"),
        ("match x:\n        case 1:\n            pass", "'match' is not supported"),
        ("async def g():\n        pass", "asynchronous code is not supported"),
        ("@cached\n    def g(y):\n        return y", "a decorator of an inner function is not supported"),
    ],
)
def test_refusals(statement, message):
    error = refused(f"def f(x):\n    {statement}\n")
    assert error.message == message
    assert error.why and error.hint
    assert (error.location.file, error.location.line) == ("f.py", 2)


def test_all_refusals_come_together():
    error = refused("def f(x):\n    del x\n    if x:\n        import math\n    def g():\n        yield 1\n")
    lines = [e.location.line for e in (error, *error.others)]
    assert lines == [2, 4, 6]


def test_annotations_and_own_decorators_are_not_read():
    text = "@a(await_=1)\ndef f(x: {y for y in z}) -> (yield):\n    y: {1 for _ in z} = 1\n    return y"
    fence.check(ast.parse(text).body[0], "f.py", "f")


def test_error_is_a_syntax_error_with_its_fields():
    error = refused("def f(x):\n    del x\n")
    assert isinstance(error, SyntaxError)
    assert (error.filename, error.lineno) == ("f.py", 2)
