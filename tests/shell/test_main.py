"""The commands, as a person types them: what they print and their exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adjit.shell import main

PROGRAM = """
import adjit
import numpy as np


def loss(w, x):
    u = w * x
    return u * u + 3.0 * u


def fit(w, x, y):
    r = np.tanh(x @ w) - y
    return np.mean(r * r)


def fit_args():
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.normal(size=(7, 3)), rng.normal(size=7)


def walk(x):
    s = 1.0
    for i in range(x.shape[0]):
        s = s * np.sin(x[i]) + x[i]
    return s


@adjit.custom_vjp
def cube(x):
    return x * x * x


def forward(x):
    return cube(x), x


def backward(x, ct):
    return (3.0 * x * x * ct,)


cube.defvjp(forward, backward)


def ruled(x):
    return cube(x) + x


def stepped(x):
    return np.floor(x) + (0.0 if x < 1.0 else 5.0)


def refused(x):
    with open("f") as f:
        pass
    return x


def broken(x):
    raise ZeroDivisionError("mine")


def broken_args():
    raise KeyError("nothing here")
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "shell_programs.py"
    path.write_text(PROGRAM, encoding="utf-8")
    sys.modules.pop("shell_programs", None)
    return str(path)


def test_source(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["source", f"{file}:loss", "--args", "w=2.0, x=4.0"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith('"""Value and gradient of `loss`') and "# u = w * x" in printed
    assert main(["source", f"{file}:loss", "--args", "2.0, 4.0", "--transform", "jit"]) == 0
    assert "Function of `loss`" in capsys.readouterr().out


def test_saved(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["saved", f"{file}:walk", "--args", "x=randn(10)"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == ["saved", "line", "dtype", "shape", "bytes", "formula"]
    sizes = [int(line.split()[-1]) for line in printed if line.startswith(("total", "most at a time"))]
    assert sizes[1] >= sizes[0] >= 80  # s of each of ten passes
    assert any("needed by the adjoint of line" in line for line in printed)


def test_check(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{file}:fit", "--order", "1"]) == 0
    assert "agree" in capsys.readouterr().out
    assert (
        main(["check", f"{file}:stepped", "--args", "x=0.99999", "--order", "1"]) == 1
    )  # a jump in the stencil
    assert "stepped" in capsys.readouterr().out
    assert main(["check", f"{file}:fit", "--modes", "sideways"]) == 2
    capsys.readouterr()
    assert main(["check", f"{file}:ruled", "--args", "x=0.5"]) == 0
    assert "first order by gradient, second order by tangent and gradient" in capsys.readouterr().out


def test_bench(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    options = ["--against", "numpy-fd", "--seconds", "0.02", "--json", str(figures)]
    assert main(["bench", f"{file}:fit", *options]) == 0
    assert "numpy-fd" in capsys.readouterr().out
    rows = json.loads(figures.read_text(encoding="utf-8"))["rows"]
    assert [r["name"] for r in rows] == ["adjit", "numpy-fd"]
    assert main(["bench", f"{file}:fit", "--against", "fortran"]) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["source", "nowhere.py:loss"], 2, "no file"),
        (["source", "loss"], 2, "FILE.py:function"),
        (["source", "{file}:los"], 2, "it has loss"),
        (["source", "{file}:loss"], 2, "loss_args"),
        (["source", "{file}:loss", "--args", "w=open('f'), x=1.0"], 2, "not understood"),
        (["source", "{file}:loss", "--args", "1.0", "--builder", "fit_args"], 2, "not both"),
        (["source", "{file}:loss", "--builder", "none"], 2, "builds arguments"),
        (["source", "{file}:refused", "--args", "1.0"], 3, "UnsupportedSyntaxError"),
        (["check", "{file}:broken"], 4, "KeyError"),
    ],
)
def test_troubles(
    arguments: list[str], status: int, said: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([a.replace("{file}", file) for a in arguments]) == status
    caught = capsys.readouterr()
    assert said in caught.err and not caught.out


@pytest.mark.parametrize("command", ["demo", "source", "explain", "saved", "check", "bench", "report"])
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"])
    assert exit_.value.code == 0
    printed = capsys.readouterr().out
    assert "usage: adjit" in printed
    assert command == "demo" or "example:" in printed


def test_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adjit", "--help"], capture_output=True, text=True, check=True
    )
    assert "exit status" in done.stdout and "bench" in done.stdout
    assert subprocess.run([sys.executable, "-m", "adjit"], capture_output=True, check=False).returncode == 2


def test_explain_of_a_name_that_is_no_argument(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{file}:loss", "nobody", "--args", "w=2.0, x=4.0"]) == 2
    assert "none of the arguments w, x" in capsys.readouterr().err


def test_check_says_what_it_compared(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{file}:loss", "--args", "w=2, x=4.0"]) == 0
    assert "derivatives in x agree" in capsys.readouterr().out
    assert main(["check", f"{file}:loss", "--args", "w=2, x=4"]) == 3
    assert "no argument of `loss` holds floats" in capsys.readouterr().err


def test_parameters_and_places_are_named(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{file}:cube", "--args", "x=[1.0, 2.0]"]) == 3
    assert "argument 'x' is a list" in capsys.readouterr().err
    assert main(["check", f"{file}:cube", "--args", "y=1.0"]) == 2
    assert "got an unexpected keyword argument 'y'" in capsys.readouterr().err
    assert main(["report", f"{file}:cube", "--args", "x=1.0", "-o", "/no/such/folder/a.html"]) == 2
    assert "there is no folder /no/such/folder" in capsys.readouterr().err
