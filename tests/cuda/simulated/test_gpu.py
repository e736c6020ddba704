"""The script for machines with a GPU runs: here in the simulator, on few elements."""

from __future__ import annotations

import pytest

from adjit.testing import gpu
from adjit.testing.samples import SAMPLES


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main(["--elements", "40", "--only", "elementwise", "heat", "attention"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("right") == 3


def test_a_wrong_gradient_is_found() -> None:
    sample = SAMPLES["elementwise"]

    def wrong(args: gpu.Arguments) -> tuple[float, list[float]]:
        value, gradients = gpu.adjit_result(sample, args)
        return value, [1.01 * g for g in gradients]

    assert gpu.deviation(sample, wrong) > 1e-3
