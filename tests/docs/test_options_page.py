"""The page of options names what there is, and what it says of transforms of transforms holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.options import OWN, Options, cache_folder

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
X = np.arange(1.0, 4.0)


def test_each_option_has_a_row_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \|", PAGE, re.M)
    assert rows == [(f.name, repr(f.default)) for f in fields(Options)]
    assert all(f"`{name}`" in PAGE for name in OWN)


def test_each_environment_variable_has_a_row() -> None:
    source = (ROOT / "src" / "adjit" / "options.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(ADJIT_\w+)` \|", PAGE, re.M)) == set(re.findall(r"ADJIT_\w+", source))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"ADJIT_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/adjit"),
        ({"HOME": "/c"}, "/c/.cache/adjit"),
    ],
)
def test_where_the_cache_is(variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ADJIT_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder)


def cubes(x: Any) -> Any:
    return np.sum(x**3)


def each(x: Any) -> Any:
    return x**3


def last(f: Callable[..., Any]) -> Callable[..., Any]:
    return adjit.jacrev(lambda x: f(x)[1])


GIVE_FUNCTIONS = {
    "jit": (adjit.jit(each), adjit.jacfwd, np.diag(3.0 * X**2)),
    "grad": (adjit.grad(cubes), adjit.jacrev, np.diag(6.0 * X)),
    "value_and_grad": (adjit.value_and_grad(cubes), last, np.diag(6.0 * X)),
    "vmap": (adjit.vmap(lambda v: v**3), adjit.jacfwd, np.diag(3.0 * X**2)),
    "checkpoint": (adjit.checkpoint(each), adjit.jacrev, np.diag(3.0 * X**2)),
}


@pytest.mark.parametrize("name", GIVE_FUNCTIONS)
def test_transforms_of_these_can_be_transformed(name: str) -> None:
    inner, outer, wanted = GIVE_FUNCTIONS[name]
    np.testing.assert_allclose(outer(inner)(X), wanted)


@pytest.mark.parametrize("outer", [adjit.jit, adjit.vmap, adjit.jacfwd, adjit.jacrev])
@pytest.mark.parametrize(
    "inner",
    [
        adjit.hessian(cubes),
        adjit.sparse_hessian(cubes),
        adjit.jacfwd(each),
        adjit.jacrev(each),
        adjit.sparse_jacobian(each),
    ],
    ids=lambda t: type(t).__name__,
)
def test_these_end_a_chain(inner: Callable[..., Any], outer: Callable[..., Any]) -> None:
    with pytest.raises(adjit.MissingRuleError, match="cannot be transformed further"):
        outer(inner)(np.ones((2, 3)) if outer is adjit.vmap else X)
