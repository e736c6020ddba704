"""Long functions are printed in sections. Values, gradients and errors are those of the original."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.compiler.codegen import sections
from adjit.compiler.codegen.statements import Piece

X = np.linspace(0.3, 1.2, 7)

KINDS = (
    """
    for i in range(1, x.shape[0]):
        s += x[i] * x[i - 1] * {a} + s * 0.01
""",
    """
    w = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        w[i] = np.sin(x[i] * {a}) + s * 0.001
    s += w[2] * w[k % 3]
""",
    """
    if s > {a}:
        t = s * 0.5
    else:
        t = x[0] * s
    s = t + x[1]
""",
    """
    j = 0
    while j < x.shape[0] and t < 50.0:
        t += x[j] * x[j] * 0.1
        j += 1
    s += t * 0.25
""",
    """
    for i in range(x.shape[0]):
        u[i] = u[i] * 0.9 + x[i] * {a}
        if u[i] > 1.5:
            s += u[i] * 0.1
            k = i
    s += u[k]
""",
)


def module(folder: Path, length: int, end: str = "") -> ModuleType:
    """A function of many statements of the function's own block."""
    lines = ["import numpy as np", "", "def f(x):", "    s, t, k = 1.0, 0.0, 0", "    u = x.copy()"]
    for n in range(length):
        lines += KINDS[n % len(KINDS)].format(a=f"{1 + n % 7}.5").strip("\n").split("\n")
    path = folder / "long_program.py"
    path.write_text("\n".join([*lines, end, "    return s", ""]), encoding="utf-8")
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location("long_program", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def differences(f: Any, x: Any) -> Any:
    h = 1e-6
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_gradient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    monkeypatch.setenv("ADJIT_DISABLE_JIT", "" if compiled else "1")
    f = module(tmp_path, 45).f
    gradient = adjit.value_and_grad(f)
    assert gradient.source(X).count("_section_") >= 4  # two of them, and their calls
    value, found = gradient(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-5)


@pytest.mark.parametrize("transform", [adjit.jit, adjit.vjp])
def test_other_transforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transform: Any) -> None:
    monkeypatch.setenv("ADJIT_DISABLE_JIT", "1")
    f = module(tmp_path, 120).f
    if transform is adjit.jit:
        assert "_section_" in adjit.jit(f).source(X)
        assert adjit.jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    else:
        _, pullback = adjit.vjp(f, X)
        np.testing.assert_allclose(pullback(1.0)[0], adjit.grad(f)(X), rtol=1e-12)


def test_an_error_in_a_section_is_raised_at_the_users_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJIT_DISABLE_JIT", "1")
    made = module(tmp_path, 45, "    s += x[k + 40]")
    line = next(n for n, text in enumerate(inspect.getsource(made).split("\n"), 1) if "k + 40" in text)
    with pytest.raises(IndexError) as caught:
        adjit.grad(made.f)(X)
    entry = caught.traceback[-1]
    assert (Path(str(entry.path)).name, entry.lineno + 1) == ("long_program.py", line)


def piece(text: str) -> Piece:
    lines = [
        ((len(line) - len(line.lstrip())) // 4 + 1, line.strip(), None, ())
        for line in text.strip().split("\n")
    ]
    return Piece("", "f", ("x", "n"), tuple(lines))  # type: ignore[arg-type]


def branches(name: str) -> str:
    """A section's worth of them, which assign `name` on one side only."""
    return f"if n > 1:\n    {name} = n\n" * sections.TARGET


def test_what_may_have_no_value_is_not_handed_on() -> None:
    long = "if n > 2:\n    a = 1\nelse:\n    a = 2\n" * sections.LONG
    assert len(sections.divided(piece(long + "return a"))) > 1
    (only,) = sections.divided(piece(branches("b") * 3 + "return b"))
    assert only.name == "f"


def test_what_was_assigned_before_is_handed_in() -> None:
    first, *_, last = sections.divided(piece("b = 0\n" + branches("b") * 3 + "return b"))
    assert (first.params, first.lines[-1][1]) == (("n",), "return b")
    assert last.lines[1][1] == "b = f_section_1(n)"
    assert last.lines[3][1] == "b = f_section_2(b, n)"


def test_not_where_too_much_would_be_handed_on() -> None:
    names = [f"v{k}" for k in range(sections.HANDED_ON + 1)]
    many = "".join(f"{v} = n\n" for v in names)
    (only,) = sections.divided(piece(many + branches(names[0]) * 3 + f"return {', '.join(names)}"))
    assert only.name == "f"


def test_short_functions_stay_whole() -> None:
    text = piece("b = 0\n" + "if n > 1:\n    b = n\n" * (sections.LONG - 1) + "return b")
    assert sections.divided(text) == [text]


def test_names_of_sections_are_new() -> None:
    """A variable of the user's may be called like a section."""
    text = "f_section_1 = 0\n" + branches("b") * 3 + "return f_section_1"
    first, *_ = sections.divided(piece("b = 0\n" + text))
    assert first.name == "f_section___1"
