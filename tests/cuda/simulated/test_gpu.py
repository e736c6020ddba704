"""The script for machines with a GPU runs: here in the simulator, on few elements."""

from __future__ import annotations

import pytest

from adjit.testing import gpu, gpu_checks
from adjit.testing.samples import SAMPLES


def test_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_checks, "CHECKS", {"fine": lambda: None, "absent": lambda: "there is none"})
    monkeypatch.setattr(gpu, "median_time", lambda run, wait: (run(), 1.0)[1])
    assert gpu.main(["--elements", "20", "--only", "elementwise", "heat"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("right") == 3
    assert "absent: not looked at, there is none" in printed


def test_what_fails_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise AssertionError("2 is not 3\nat all")

    monkeypatch.setattr(gpu_checks, "CHECKS", {"sums": fails})
    assert gpu.main(["--only"]) == 1
    assert "sums: FAILED: AssertionError: 2 is not 3\n" in capsys.readouterr().out


def test_no_time_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    gpu.main(["--seconds", "0", "--only", "heat"])
    printed = capsys.readouterr().out
    assert printed.count("no time left") == 1 + len(gpu_checks.CHECKS)


@pytest.mark.filterwarnings("ignore:.adjit-cuda-copy")
@pytest.mark.parametrize("name", gpu_checks.CHECKS)
def test_check(name: str) -> None:
    gpu_checks.CHECKS[name]()


def test_a_wrong_gradient_is_found() -> None:
    sample = SAMPLES["elementwise"]

    def wrong(args: gpu.Arguments) -> tuple[float, list[float]]:
        value, gradients = gpu.adjit_result(sample, args)
        return value, [1.01 * g for g in gradients]

    assert gpu.deviation(sample, wrong) > 1e-3
