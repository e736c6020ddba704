"""The page on the GPU target: its examples run, their output and the generated program are what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adjit
from tests.support.strategies import write_module

PAGE = Path(__file__).parents[3] / "docs" / "cuda.md"


def test_the_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    shown = re.findall(r"```text\n(.*?)```", text, re.S)
    (program,) = (t for t in shown if t.startswith("@cuda.jit"))
    module = write_module("\n\n".join(examples), "cuda_example", tmp_path)
    assert capsys.readouterr().out == "".join(t for t in shown if t is not program)
    assert adjit.value_and_grad(module.roughness).source(module.x).endswith(program)
