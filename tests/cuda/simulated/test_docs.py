"""The page on the GPU target: its example runs, its output and its generated program are what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adjit
from tests.support.strategies import write_module

PAGE = Path(__file__).parents[3] / "docs" / "cuda.md"


def test_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
    printed, program = re.findall(r"```text\n(.*?)```", text, re.S)
    module = write_module(example, "cuda_example", tmp_path)
    assert capsys.readouterr().out == printed
    assert adjit.value_and_grad(module.roughness).source(module.x).endswith(program)
