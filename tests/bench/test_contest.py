"""Comparisons: figures that make sense, wrong gradients that show, missing tools that are named."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import adjit
from adjit.bench import contest, measure, peers


def fit(w, x, y):
    r = np.tanh(x @ w["a"]) * w["b"] - y
    return np.mean(r * r)


def recurrence(x):
    s = 1.0
    for i in range(x.shape[0]):
        s = s * np.sin(x[i]) + x[i]
    return s


def fit_arguments(rng: np.random.Generator) -> tuple[object, ...]:
    return {"a": rng.normal(size=4), "b": 0.7}, rng.normal(size=(9, 4)), rng.normal(size=9)


def test_finite_differences_agree(rng: np.random.Generator) -> None:
    args = fit_arguments(rng)
    before = args[0]["a"].copy()
    found = adjit.compare(fit, *args, against=("numpy-fd",), seconds=0.02)
    own, other = found.rows
    assert (own.name, other.name) == ("adjit", "numpy-fd")
    assert found.gradient_size == 5
    assert own.deviation == 0.0 and other.deviation < 1e-6
    assert all(r.function > 0 and r.gradient > 0 for r in found.rows)
    assert other.estimated and np.isclose(other.ratio, 10.0)
    np.testing.assert_array_equal(args[0]["a"], before)


@pytest.mark.parametrize("name", ["autograd", "jax"])
def test_tracing_tools_get_numpy_of_their_own(name: str, rng: np.random.Generator) -> None:
    pytest.importorskip(name)
    found = adjit.compare(fit, *fit_arguments(rng), against=(name,), seconds=0.02)
    assert found.skipped == {}
    assert found.rows[1].deviation < 1e-10
    assert "np bound to" in found.rows[1].note


def test_torch_needs_a_version(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")

    def fit_torch(w, x, y):
        r = torch.tanh(x @ w["a"]) * w["b"] - y
        return torch.mean(r * r)

    args = fit_arguments(rng)
    assert "versions=" in adjit.compare(fit, *args, against=("torch",), seconds=0.02).skipped["torch"]
    found = adjit.compare(fit, *args, against=("torch",), versions={"torch": fit_torch}, seconds=0.02)
    assert found.rows[1].deviation < 1e-10


def test_a_wrong_version_shows(rng: np.random.Generator) -> None:
    wrong = {"numpy-fd": lambda w, x, y: 1.01 * fit(w, x, y)}
    found = adjit.compare(fit, *fit_arguments(rng), against=("numpy-fd",), versions=wrong, seconds=0.02)
    assert 0.009 < found.rows[1].deviation < 0.011


def test_who_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    def gone(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(peers, "import_module", gone)
    found = adjit.compare(recurrence, rng.normal(size=5), against=("autograd", "jax", "torch"), seconds=0.02)
    assert found.skipped == {name: f"{name} is not installed" for name in ("autograd", "jax", "torch")}
    assert "torch skipped: torch is not installed" in found.table()


def test_loops_are_not_handed_to_jax(rng: np.random.Generator) -> None:
    pytest.importorskip("jax")
    found = adjit.compare(recurrence, rng.normal(size=5), against=("jax",), seconds=0.02)
    assert "loops" in found.skipped["jax"]


def test_a_tool_that_fails_is_named(rng: np.random.Generator) -> None:
    def fails(x):
        raise RuntimeError("out of paper")

    found = adjit.compare(
        recurrence, rng.normal(size=5), against=("numpy-fd",), versions={"numpy-fd": fails}, seconds=0.02
    )
    assert found.skipped == {"numpy-fd": "it raised RuntimeError: out of paper"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no peer 'fortran'"):
        adjit.compare(recurrence, np.ones(3), against=("fortran",))


def test_many_numbers_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "DIFFERENCES_AT_MOST", 3)
    found = adjit.compare(recurrence, np.linspace(0.1, 1.0, 8), against=("numpy-fd",), seconds=0.02)
    assert np.isnan(found.rows[1].deviation) and found.rows[1].estimated


def test_json_and_plot(tmp_path: Path, rng: np.random.Generator) -> None:
    found = adjit.compare(recurrence, rng.normal(size=5), against=("numpy-fd",), seconds=0.02)
    read = json.loads(found.json())
    assert read["rows"][0]["name"] == "adjit" and read["gradient_size"] == 5
    assert repr(found) == "<adjit comparison of recurrence: adjit, numpy-fd>"
    if importlib.util.find_spec("matplotlib") is None:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            found.plot()
        return
    path = tmp_path / "plot.png"
    found.plot(str(path))
    assert path.read_bytes().startswith(b"\x89PNG")


def test_peak_memory_is_seen() -> None:
    if measure.peak_growth(lambda: None) is None:
        pytest.skip("this system does not tell the peak of resident memory")
    grown = measure.peak_growth(lambda: np.ones(4_000_000).sum())
    assert grown is not None and 25_000_000 < grown < 60_000_000


def test_medians_are_in_order() -> None:
    fast, slow = measure.medians([lambda: sum(range(100)), lambda: sum(range(10_000))], 0.05)
    assert 5 * fast < slow
