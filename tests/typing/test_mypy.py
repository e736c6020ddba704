"""Signatures survive the transforms: what mypy says about a user's file."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import adjit

ROOT = Path(__file__).parent.parent.parent

PROGRAM = '''
import adjit


@adjit.jit
def loss(w: float, x: float, power: int = 2) -> float:
    """The loss."""
    return (w * x) ** power


@adjit.jit(fastmath=True)
def fast(w: float) -> float:
    return w * w


def plain(w: float) -> float:
    return w * w


@adjit.custom_vjp
def ruled(w: float, x: float) -> float:
    return w * x


@adjit.custom_jvp(nondiff_argnums=1)
def pushed(w: float, n: int) -> float:
    return w * n


@adjit.checkpoint
def again(w: float) -> float:
    return w * w


ruled.defvjp(lambda w, x: (w * x, (w, x)), lambda kept, ct: (ct * kept[1], ct * kept[0]))
reveal_type(ruled(1.0, 2.0))
reveal_type(pushed(1.0, n=2))
reveal_type(again(1.0))
reveal_type(adjit.sparse_jacobian(plain)(1.0))
reveal_type(adjit.vmap(plain).source(1.0))
ruled(1.0)  # wrong
again("text")  # wrong
reveal_type(loss(1.0, x=2.0))
reveal_type(loss.py_func)
reveal_type(fast(1.0))
reveal_type(adjit.value_and_grad(plain)(1.0))
reveal_type(adjit.value_and_grad(loss)(1.0, 2.0, power=3))
reveal_type(adjit.grad(loss).source(1.0, 2.0))
reveal_type(adjit.grad(plain).saved(1.0).nbytes)
reveal_type(adjit.vjp(plain, 1.0)[0])
reveal_type(adjit.jvp(plain, (1.0,), (1.0,)))
adjit.grad(loss)(1.0)  # wrong
adjit.grad(loss)(1.0, 2.0, strength=3)  # wrong
adjit.value_and_grad(plain)("text")  # wrong
adjit.hessian(plain)(1.0, 2.0)  # wrong
adjit.grad(plain).saved("text")  # wrong
loss.no_such_thing  # wrong
adjit.grad(3)  # wrong
'''
REVEALED = [
    "float",
    "float",
    "float",
    "Any",
    "str",
    "float",
    "def (w: float, x: float, power: int =) -> float",
    "float",
    "tuple[float, Any]",
    "tuple[float, Any]",
    "str",
    "int",
    "float",
    "tuple[float, float]",
]


@pytest.mark.slow
def test_a_users_file(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "user_program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    home = Path(adjit.__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(file)]
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    env = {**os.environ, "MYPYPATH": str(home)}
    done = subprocess.run([*command, *config], capture_output=True, text=True, env=env, check=False)
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert [r.replace("builtins.", "").replace("tuple[", "tuple[") for r in revealed] == REVEALED, done.stdout
    wrong = {n for n, line in enumerate(PROGRAM.splitlines(), start=1) if line.endswith("# wrong")}
    assert {int(n) for n in re.findall(r"user_program\.py:(\d+): error", done.stdout)} == wrong, done.stdout


def curve(w, x=2.0, power=3):
    """A curve."""
    return w * x**power


def summed(first, *rest):
    return first + rest[0]


@pytest.mark.parametrize("make", [adjit.jit, adjit.grad, adjit.value_and_grad, adjit.hessian, adjit.jacfwd])
def test_docstrings_and_signatures_survive(make) -> None:
    transform = make(curve)
    assert transform.__doc__ == "A curve." and transform.__name__ == "curve"
    assert inspect.signature(transform) == inspect.signature(curve)


def test_reprs_say_what_a_thing_is() -> None:
    _, pullback = adjit.vjp(curve, 1.5)
    assert repr(adjit.jit(curve)) == "<adjit function of curve>"
    assert repr(adjit.grad(curve, argnums=("w", "x"))) == "<adjit gradient of curve in w, x>"
    assert repr(adjit.value_and_grad(curve)) == "<adjit value and gradient of curve in w>"
    assert re.fullmatch(r"<adjit pullback of curve in w, x, power: \d+ saved values>", repr(pullback))
    assert repr(adjit.grad(summed, argnums=(0, 1))) == "<adjit gradient of summed in first, rest>"
    pullback()
    assert repr(pullback) == "<adjit pullback of curve in w, x, power: released>"
    assert re.fullmatch(
        r"<adjit saved values: \d+, \d+ bytes>", repr(adjit.grad(curve).saved(np.float64(1.5)))
    )
