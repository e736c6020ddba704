"""Signatures survive the transforms: what mypy and pyright say about a user's file."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import adjit

ROOT = Path(__file__).parent.parent.parent

PROGRAM = '''
import numpy as np
import numpy.typing as npt

import adjit

Vector = npt.NDArray[np.float64]


@adjit.jit
def loss(w: float, x: float, power: int = 2) -> float:
    """The loss."""
    return (w * x) ** power


@adjit.jit(fastmath=True)
def fast(w: float) -> float:
    return w * w


def plain(w: float) -> float:
    return w * w


def norm(x: Vector, times: int) -> float:
    return float(x[0]) * times


def into(x: Vector, out: Vector) -> None:
    out[0] = x[0]


class Model:
    @adjit.jit
    def energy(self, w: float) -> float:
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
x = np.ones(3)
with adjit.saved_as("float16"), adjit.saved_hooks(lambda a: a, lambda a: a):
    adjit.vjp(plain, 1.0)
rule = adjit.train.adam(1e-2)
rule.update({"w": x}, {"w": x}, rule.init({"w": x}))
adjit.hvp(lambda x: x * x * x, (2.0,), 1.0)
'''
ARRAY = "ndarray[tuple[int], dtype[float64]]"
REVEALED = {
    "ruled(1.0, 2.0)": "float",
    "pushed(1.0, n=2)": "float",
    "again(1.0)": "float",
    "adjit.checkpoint(range(3))": "range",
    "adjit.stop_gradient(x)": ARRAY,
    "loss(1.0, x=2.0)": "float",
    "loss.py_func": "(w: float, x: float, power: int =) -> float",
    "fast(1.0)": "float",
    "Model().energy(2.0)": "float",
    "adjit.value_and_grad(plain)(1.0)": "tuple[float, Any]",
    "adjit.value_and_grad(loss)(1.0, 2.0, power=3)": "tuple[float, Any]",
    "adjit.value_and_grad(argnums='x')(loss)(1.0, x=2.0)": "tuple[float, Any]",
    "adjit.value_and_grad(plain).into(x, 1.0)": "float",
    "adjit.value_and_grad(plain).accumulate(x, 1.0)": "float",
    "adjit.grad(loss).source(1.0, 2.0)": "str",
    "adjit.grad(loss).explain('w', 1.0, 2.0)": "str",
    "adjit.grad(loss).report('page.html', 1.0, 2.0)": "str",
    "adjit.grad(plain).saved(1.0).nbytes": "int",
    "adjit.grad(plain).compiled": "((...) -> Any) | None",
    "adjit.vjp(plain, 1.0)[0]": "float",
    "adjit.vjp(plain, 1.0)[1]()": "tuple[Any, ...]",
    "adjit.vjp(into, x, x, outputs=('out',))[0]": "Any",
    "adjit.jvp(plain, (1.0,), (1.0,))": "tuple[float, float]",
    "adjit.jvp(into, (x, x), (x, None), outputs=('out',))": "tuple[Any, Any]",
    "adjit.hvp(norm, (x, 2), x)": ARRAY,
    "adjit.hvp(adjit.jit(plain), (2.0,), 1.0)": "float",
    "adjit.hvp(norm, (x, 2), [1.0, 0.0, 0.0])": "Any",
    "adjit.hvp(norm, (x, 2), {}, argnums='x')": "Any",
    "adjit.hessian(norm)(x, times=2)": "Any",
    "adjit.jacfwd(norm)(x, times=2)": "Any",
    "adjit.jacrev(norm)(x, times=2)": "Any",
    "adjit.sparse_jacobian(plain)(1.0)": "Any",
    "adjit.vmap(plain).source(1.0)": "str",
    "adjit.train.clip_by_global_norm({}, 1.0)": "float",
    "str(adjit.check_grads(plain, (1.0,)))": "str",
    "adjit.compare(plain, 1.0).json()": "str",
}
WRONG = [
    "ruled(1.0)",
    "again('text')",
    "adjit.grad(loss)(1.0)",
    "adjit.grad(loss)(1.0, 2.0, strength=3)",
    "adjit.value_and_grad(plain)('text')",
    "adjit.value_and_grad(plain).into(x)",
    "adjit.hessian(plain)(1.0, 2.0)",
    "adjit.jacfwd(norm)(x)",
    "adjit.grad(plain).saved('text')",
    "adjit.grad(plain).accumulate(x, 1.0)",
    "Model().energy('text')",
    "loss.no_such_thing",
    "adjit.gard",
    "adjit.grad(3)",
]


def mypy(file: Path, home: Path) -> tuple[list[str], list[tuple[int, str]]]:
    """The types that mypy reveals, and the lines and texts of its errors."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(file)]
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(file.parent / "cache")]
    env = {**os.environ, "MYPYPATH": str(home)}
    said = subprocess.run([*command, *config], capture_output=True, text=True, env=env, check=False).stdout
    errors = re.findall(r"user_program\.py:(\d+): error: (.*)", said)
    return re.findall(r'Revealed type is "(.*)"', said), [(int(n), text) for n, text in errors]


def pyright(file: Path, home: Path) -> tuple[list[str], list[tuple[int, str]]]:
    """The same of pyright."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    settings = {"extraPaths": [str(home)], "typeCheckingMode": "standard"}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*command, str(file)], capture_output=True, text=True, cwd=file.parent, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    said = "\n".join(d["message"] for d in found if d["severity"] == "information")
    errors = [(d["range"]["start"]["line"] + 1, d["message"]) for d in found if d["severity"] == "error"]
    return re.findall(r'^Type of ".*" is "(.*)"$', said, re.M), errors


def spelled(kind: str) -> str:
    """A revealed type as both checkers could write it."""
    kind = re.sub(r"\b(builtins|numpy)\.", "", kind)
    kind = re.sub(r"\bdef (\(.*?\) -> \w+)", r"\1", kind).replace("(*Any, **Any)", "(...)")
    return re.sub(r"= \d+", "=", kind)


@pytest.mark.slow
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_users_file(
    checker: Callable[[Path, Path], tuple[list[str], list[tuple[int, str]]]], tmp_path: Path
) -> None:
    first = len(PROGRAM.splitlines()) + 1
    statements = [*(f"reveal_type({text})" for text in REVEALED), *WRONG]
    file = tmp_path / "user_program.py"
    file.write_text(PROGRAM + "\n".join(statements), encoding="utf-8")
    revealed, errors = checker(file, Path(adjit.__file__).parent.parent)
    assert dict(zip(REVEALED, map(spelled, revealed), strict=True)) == REVEALED
    refused = {statements[n - first] if n >= first else text for n, text in errors}
    assert refused == set(WRONG), errors


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
