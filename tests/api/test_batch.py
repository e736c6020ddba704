"""`vmap`: batches against a Python loop over the examples, with the other transforms below and above it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import adjit
from tests.support import oracles, trees
from tests.support.dividing import eagerly


class Pair(NamedTuple):
    a: Any
    b: Any


def loss(p, x, y):  # type: ignore[no-untyped-def]
    h = np.tanh(x @ p["w"] + p["b"])
    return np.sum((h - y) ** 2)


def per_example_gradients(p, x, y):  # type: ignore[no-untyped-def]
    """By hand."""
    h = np.tanh(x @ p["w"] + p["b"])
    d = 2.0 * (h - y) * (1.0 - h * h)
    return {"w": np.einsum("ni,nj->nij", x, d), "b": d}


def running(x, k):  # type: ignore[no-untyped-def]
    out = np.zeros(x.shape[0])
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            break
        s += x[i] ** k
        out[i] = s
    return out, s


def structured(p, x):  # type: ignore[no-untyped-def]
    return Pair({"sum": p.a + np.sum(x), "x": x * p.b}, 3)


def doubles(x):  # type: ignore[no-untyped-def]
    x *= 2.0
    return np.sum(x)


def data(rng: np.random.Generator) -> tuple[Any, ...]:
    p = {"w": rng.normal(size=(3, 2)), "b": rng.normal(size=2)}
    return p, rng.normal(size=(5, 3)), rng.normal(size=(5, 2))


def test_per_example_gradients(rng: np.random.Generator) -> None:
    p, x, y = data(rng)
    found = adjit.vmap(adjit.grad(loss), in_axes=(None, 0, 0))(p, x, y)
    expected = per_example_gradients(p, x, y)
    np.testing.assert_allclose(found["w"], expected["w"], rtol=1e-12)
    np.testing.assert_allclose(found["b"], expected["b"], rtol=1e-12)


@pytest.mark.compiled
def test_per_example_gradients_compiled(rng: np.random.Generator, compiled: None) -> None:
    p, x, y = data(rng)
    values, found = adjit.vmap(adjit.value_and_grad(loss), in_axes=(None, 0, 0))(p, x, y)
    np.testing.assert_allclose(values, [loss(p, a, b) for a, b in zip(x, y, strict=True)], rtol=1e-12)
    np.testing.assert_allclose(found["w"], per_example_gradients(p, x, y)["w"], rtol=1e-12)


def test_axes_of_arguments_and_results(rng: np.random.Generator) -> None:
    x = rng.normal(size=(4, 3, 6))

    def f(a):  # type: ignore[no-untyped-def]
        return np.sin(a) * a.shape[0]

    for axis in (0, 1, 2, -1):
        for out in (0, 1, 2, -2):
            found = adjit.vmap(f, in_axes=axis, out_axes=out)(x)
            expected = np.stack([np.sin(a) * a.shape[0] for a in np.moveaxis(x, axis, 0)], axis=out)
            np.testing.assert_allclose(found, expected, rtol=1e-14)
    found = adjit.vmap(f, in_axes=2)(np.asfortranarray(x))
    np.testing.assert_allclose(found, np.moveaxis(np.sin(x), 2, 0) * 4, rtol=1e-14)


def test_branches_and_early_exits(rng: np.random.Generator) -> None:
    x = rng.uniform(-0.3, 1.0, size=(6, 5))
    out, s = adjit.vmap(running, in_axes=(0, None))(x, 2.0)
    for k in range(6):
        expected, total = running(x[k], 2.0)
        np.testing.assert_allclose(out[k], expected, rtol=1e-14)
        np.testing.assert_allclose(s[k], total, rtol=1e-14)


def test_structures_and_scalars(rng: np.random.Generator) -> None:
    a, x = rng.normal(size=4), rng.normal(size=(4, 2))
    found = adjit.vmap(structured, in_axes=(Pair(0, None), 0))(Pair(a, 2.0), x)
    assert isinstance(found, Pair) and found.b.tolist() == [3] * 4
    np.testing.assert_allclose(found.a["sum"], a + x.sum(axis=1), rtol=1e-14)
    np.testing.assert_allclose(found.a["x"], 2.0 * x, rtol=1e-14)


def test_an_example_may_be_written() -> None:
    x = np.ones((3, 2))
    np.testing.assert_array_equal(adjit.vmap(doubles)(x), [4.0, 4.0, 4.0])
    np.testing.assert_array_equal(x, np.full((3, 2), 2.0))
    with pytest.raises(adjit.OverwriteError, match="which all examples share"):
        adjit.vmap(lambda k, x: doubles(x) * k, in_axes=(0, None))(np.ones(3), np.ones(2))


def test_a_gradient_through_a_batch(rng: np.random.Generator) -> None:
    p, x, y = data(rng)
    each = adjit.vmap(loss, in_axes=(None, 0, 0))

    def weighted(p, x, y, c):  # type: ignore[no-untyped-def]
        return np.sum(each(p, x, y) * c)

    c = rng.normal(size=5)
    found = adjit.grad(weighted)(p, x, y, c)
    expected = np.einsum("n,nij->ij", c, per_example_gradients(p, x, y)["w"])
    np.testing.assert_allclose(found["w"], expected, rtol=1e-12)
    (of_p, of_x, _) = adjit.vjp(each, p, x, y)[1](c)
    np.testing.assert_allclose(of_p["w"], expected, rtol=1e-12)
    d = 2.0 * (np.tanh(x @ p["w"] + p["b"]) - y) * (1.0 - np.tanh(x @ p["w"] + p["b"]) ** 2)
    np.testing.assert_allclose(of_x, c[:, None] * (d @ p["w"].T), rtol=1e-12)


def test_penalties_of_per_example_gradients(rng: np.random.Generator) -> None:
    """The gradient of a function of per-example gradients, made inside it."""
    p, x, y = data(rng)

    def penalty(p, x, y):  # type: ignore[no-untyped-def]
        g = adjit.vmap(adjit.grad(loss), in_axes=(None, 0, 0))(p, x, y)
        return np.sum(g["w"] ** 2)

    def by_hand(w):  # type: ignore[no-untyped-def]
        return np.sum(per_example_gradients({**p, "w": w}, x, y)["w"] ** 2)

    gradient = adjit.grad(penalty)(p, x, y)["w"]
    direction = rng.normal(size=(3, 2))
    estimate = oracles.directional(by_hand, (p["w"],), 0, direction)
    assert abs(np.sum(gradient * direction) - estimate.value) < 1e-6 * max(1.0, abs(estimate.value))


def test_batches_of_batches_and_second_order(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3))
    found = adjit.vmap(adjit.vmap(adjit.grad(lambda t: np.sin(t) * t)))(x)
    np.testing.assert_allclose(found, np.cos(x) * x + np.sin(x), rtol=1e-13)
    second = adjit.vmap(adjit.grad(adjit.grad(lambda t: np.sin(t) * t)))(x[0])
    np.testing.assert_allclose(second, 2.0 * np.cos(x[0]) - x[0] * np.sin(x[0]), rtol=1e-12)
    _, tangent = adjit.jvp(adjit.vmap(np_cube), (x[0],), (np.ones(3),))
    np.testing.assert_allclose(tangent, 3.0 * x[0] ** 2, rtol=1e-13)


def np_cube(t):  # type: ignore[no-untyped-def]
    return t * t * t


def test_no_examples() -> None:
    found = adjit.vmap(lambda x: np.exp(x))(np.ones((0, 4)))
    assert found.shape == (0, 4)


def test_hidden_arrays(rng: np.random.Generator) -> None:
    k, x = rng.normal(size=3), rng.normal(size=(4, 3))
    np.testing.assert_allclose(adjit.vmap(lambda x: x @ k)(x), x @ k, rtol=1e-13)


def counted(x):  # type: ignore[no-untyped-def]
    n = int(x[0])
    return np.zeros(n)


def test_refusals() -> None:
    with pytest.raises(adjit.ShapeError, match="different numbers of examples in 'x' and 'y'"):
        adjit.vmap(lambda x, y: x * y)(np.ones(3), np.ones(4))
    with pytest.raises(adjit.ShapeError, match="axis 0 of argument 'k', which is a number"):
        adjit.vmap(lambda x, k: x * k)(np.ones(3), 2.0)
    with pytest.raises(adjit.ShapeError, match="axis of examples"):
        adjit.vmap(lambda x: x, in_axes=None)(np.ones(3))
    with pytest.raises(adjit.NotDifferentiableError, match="differs from example to example"):
        adjit.vmap(counted)(np.ones((3, 2)))
    with pytest.raises(adjit.InferenceError, match="not structured as the argument"):
        adjit.vmap(lambda p: p["a"], in_axes=({"b": 0},))({"a": np.ones(3)})
    with pytest.raises(adjit.ShapeError, match="no axis of a result"):
        adjit.vmap(lambda x: x, out_axes=1)(np.ones(3))


def scaled(x, y, k=2.0):  # type: ignore[no-untyped-def]
    return x * y * k


def test_each_argument_has_an_axis_or_none() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    with pytest.raises(adjit.ShapeError, match=r"no entry for argument 'y'") as found:
        adjit.vmap(scaled, in_axes=(0,))(x, 3.0)
    assert "in_axes=(0, None, None)" in found.value.hint
    with pytest.raises(adjit.ShapeError, match="4 entries for 3 arguments"):
        adjit.vmap(scaled, in_axes=(0, 0, None, 0))(x, y, 2.0)
    with pytest.raises(adjit.ShapeError, match="no entry for argument 'k'"):
        adjit.vmap(scaled, in_axes=(0, 0))(x, y, x)
    np.testing.assert_array_equal(adjit.vmap(scaled, in_axes=(0, 0))(x, y), 2.0 * x * y)
    np.testing.assert_array_equal(adjit.vmap(scaled, in_axes=(0, 0, 0))(x, y, x), x * y * x)


@pytest.mark.parametrize("kind", [adjit.hessian, adjit.jacfwd, adjit.jacrev])
@pytest.mark.parametrize("over", [adjit.vmap, adjit.jacfwd, adjit.jacrev, adjit.jit])
def test_matrices_are_not_transformed_further(kind: Any, over: Any) -> None:
    with pytest.raises(adjit.MissingRuleError, match=f"the {kind.__name__} of `.*` cannot be transformed"):
        over(kind(lambda x: np.sum(x**3)))(np.ones((2, 2)))


def test_a_matrix_made_outside_is_refused_at_its_place() -> None:
    made = adjit.hessian(lambda x: np.sum(x**3))
    with pytest.raises(adjit.MissingRuleError, match="the hessian of") as found:
        adjit.grad(lambda x: np.sum(made(x)))(np.ones(2))
    assert found.value.location is not None


def root(a, x):  # type: ignore[no-untyped-def]
    """As many steps as the example needs, each of them saved."""
    y, k = x, 0
    while abs(y * y - a) > 1e-12 and k < 50:
        y = 0.5 * (y + a / y)
        k += 1
    return y


def until(w, x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += np.sin(w[i] * x[i])
        if s > 1.0:
            break
    return s * s


def positive(w, x):  # type: ignore[no-untyped-def]
    kept = []
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            kept.append(w[i] * x[i])
    return np.sum(np.array(kept) ** 2)


DIVIDED = {
    "network": (loss, data, (None, 0, 0)),
    "saved_without_end": (root, lambda r: (r.uniform(1.0, 9.0, 7), np.ones(7)), 0),
    "break": (until, lambda r: (r.normal(size=5), r.normal(size=(7, 5))), (None, 0)),
    "list": (positive, lambda r: (r.normal(size=5), r.normal(size=(7, 5))), (None, 0)),
    "factorisation": (
        lambda a, x: np.sum(np.linalg.solve(a, x) ** 2),
        lambda r: (r.normal(size=(4, 4)) + 4.0 * np.eye(4), r.normal(size=(7, 4))),
        (None, 0),
    ),
}


@pytest.mark.parametrize("name", DIVIDED)
def test_examples_divided_among_threads(name: str) -> None:
    """`parallel` on `vmap`, or on what it maps: the loop over examples is divided whatever an example
    does.
    """
    function, make, axes = DIVIDED[name]
    args = make(np.random.default_rng(3))
    n = args[-1].shape[0]
    axis_of = axes if isinstance(axes, tuple) else (axes,) * len(args)
    with eagerly():
        for each in (
            adjit.vmap(adjit.grad(function), in_axes=axes, parallel=3, cache=False),
            adjit.vmap(adjit.grad(function, parallel=3, cache=False), in_axes=axes),
        ):
            assert "each_part_1(" in each.source(*args)
            found = each(*args)
            for k in range(n):
                one = tuple(a if x is None else a[k] for a, x in zip(args, axis_of, strict=True))
                for path, position, wanted in oracles.entries(function, one, 0):
                    got = trees.get(found, path)[(k, *position)]
                    assert abs(got - wanted.value) <= 1e-6 * max(1.0, abs(wanted.value))
