"""`vjp`: values, pullbacks, seeds and the life of saved values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjit
from adjit.errors import InputChangedError, NotDifferentiableError, ReleasedError, SeedError


def scaled(c, x):
    return c * np.exp(x)


def parts(p, k):
    return {"sum": np.sum(p["x"]) * k, "x2": p["x"] * p["x"], "n": k}


def fills(out, x):
    for i in range(x.shape[0]):
        out[i] = x[i] * x[i] + out[i]


def test_one_entry_per_argument() -> None:
    x = np.array([0.0, 1.0])
    value, pullback = adjit.vjp(scaled, 2.0, x)
    np.testing.assert_allclose(value, 2 * np.exp(x))
    of_c, of_x = pullback(np.array([1.0, 10.0]))
    np.testing.assert_allclose(of_c, 1 + 10 * np.e)
    np.testing.assert_allclose(of_x, [2, 20 * np.e])


def test_arguments_without_floats_have_none() -> None:
    value, pullback = adjit.vjp(parts, {"x": np.array([1.0, 2.0]), "name": "n"}, 3)
    assert value["n"] == 3
    found = pullback({"sum": 1.0, "x2": np.ones(2), "n": None})
    assert found[1] is None and found[0]["name"] is None
    np.testing.assert_allclose(found[0]["x"], 3 + 2 * np.array([1.0, 2.0]))
    with pytest.raises(NotDifferentiableError):
        adjit.vjp(parts, {"x": np.ones(2)}, 3, argnums=1)


def test_no_cotangent_is_one() -> None:
    assert adjit.vjp(lambda x: x * x, 3.0)[1]() == (6.0,)
    with pytest.raises(SeedError, match="not a single number"):
        adjit.vjp(scaled, 2.0, np.ones(2))[1]()


@pytest.mark.parametrize("seed", [2, 2.0, np.float32(2), np.array(2.0), np.array(2)])
def test_seeds_are_cast(seed: Any) -> None:
    (g,) = adjit.vjp(lambda x: x * x, np.float32(3.0))[1](seed)
    assert g == 12.0 and type(g) is np.float32


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (np.ones(3), "has shape (3,), but (2,) is expected"),
        (1.0, "has shape (), but (2,) is expected"),
        (np.ones(2, complex), "dtype complex128"),
        ("ab", "dtype <U2"),
        ((1.0, 2.0, 3.0), "has shape (3,)"),
    ],
)
def test_seeds_that_do_not_fit(seed: Any, words: str) -> None:
    with pytest.raises(SeedError) as caught:
        adjit.vjp(scaled, 2.0, np.ones(2))[1](seed)
    assert words in str(caught.value)


def test_structures_of_seeds() -> None:
    _, pullback = adjit.vjp(parts, {"x": np.ones(2)}, 3)
    with pytest.raises(SeedError, match="dict of 2, but a dict of 3"):
        pullback({"sum": 1.0, "x2": np.ones(2)})
    _, pullback = adjit.vjp(parts, {"x": np.ones(2)}, 3)
    (g, _) = pullback({"sum": 1.0, "x2": None, "n": None})
    np.testing.assert_allclose(g["x"], [3, 3])


def test_a_pullback_is_called_once() -> None:
    _, pullback = adjit.vjp(scaled, 2.0, np.ones(2))
    pullback(np.ones(2))
    with pytest.raises(ReleasedError, match="retain=True"):
        pullback(np.ones(2))
    with pytest.raises(ReleasedError):
        _ = pullback.saved


def test_retained_pullbacks_give_the_same_twice() -> None:
    x = np.array([1.0, 2.0])
    _, pullback = adjit.vjp(scaled, 2.0, x, retain=True)
    first, second = pullback(np.ones(2)), pullback(np.ones(2))
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.shares_memory(first[1], second[1])
    assert len(pullback.saved) > 0


def test_inputs_may_not_change_in_between() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    _, pullback = adjit.vjp(lambda x, y: np.sum(x * y), x, y)
    x[0] = 5.0
    with pytest.raises(InputChangedError, match="was written after"):
        pullback()


def test_results_that_are_saved_may_not_change_either() -> None:
    value, pullback = adjit.vjp(exponential, np.linspace(0.1, 1.0, 6))
    value -= value.mean()
    with pytest.raises(InputChangedError):
        pullback(np.ones(6))


def exponential(x: Any) -> Any:
    return np.exp(x)


def test_inputs_that_the_reverse_sweep_does_not_read_may_change() -> None:
    x = np.ones(3)
    _, pullback = adjit.vjp(lambda x: np.sum(3.0 * x), x)
    x[:] = 7.0
    np.testing.assert_array_equal(pullback()[0], [3.0, 3.0, 3.0])


def test_seeds_and_gradients_share_nothing() -> None:
    seed, x = np.ones(2), np.ones(2)
    _, pullback = adjit.vjp(lambda x: x, x)
    (g,) = pullback(seed)
    assert not np.shares_memory(g, seed) and not np.shares_memory(g, x)


def test_outputs_are_results() -> None:
    out, x = np.array([10.0, 20.0]), np.array([1.0, 2.0])
    value, pullback = adjit.vjp(fills, out, x, outputs=("out",))
    assert value is out and out.tolist() == [11, 24]
    of_out, of_x = pullback(np.array([1.0, 10.0]))
    np.testing.assert_allclose(of_out, [1, 10])
    np.testing.assert_allclose(of_x, [2, 40])
    with pytest.raises(SeedError, match="outputs names 'y'"):
        adjit.vjp(fills, out, x, outputs=("y",))


def test_two_elements_that_change_places_are_noticed() -> None:
    """Sums of interleaved words would not tell."""
    x = np.arange(200.0)
    _, pullback = adjit.vjp(lambda x: np.sum(x * x), x)
    x[3], x[64] = x[64], x[3]
    with pytest.raises(InputChangedError, match="check_inputs=False"):
        pullback()


def test_the_check_of_inputs_can_be_turned_off() -> None:
    x = np.array([1.0, 2.0])
    _, pullback = adjit.vjp(lambda x: np.sum(x * x), x, check_inputs=False)
    x[0] = 5.0
    np.testing.assert_array_equal(pullback()[0], [10.0, 4.0])


def test_a_missing_cotangent_is_described() -> None:
    with pytest.raises(SeedError, match=r"the value is an array of shape \(2,\), not a single number"):
        adjit.vjp(scaled, 2.0, np.ones(2))[1]()
    with pytest.raises(SeedError, match=r"a dict of \(a number, an array of shape \(2,\), a number\)"):
        adjit.vjp(parts, {"x": np.ones(2)}, 3)[1]()
