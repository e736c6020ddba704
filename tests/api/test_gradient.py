"""`jit`, `grad` and `value_and_grad` as users call them."""

from __future__ import annotations

import dataclasses
import functools
import pickle
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import adjit
from adjit.errors import (
    InferenceError,
    NotDifferentiableError,
    OutOfBoundsError,
    OverwriteError,
    SeedError,
    ShapeError,
    UnsupportedSyntaxError,
)


def cubic(x, c=2.0):
    """A polynomial."""
    return c * x * x * x


def total(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i] * y[i]
    return s


def doubled(x):
    for i in range(x.shape[0]):
        x[i] = 2.0 * x[i]
    return np.sum(x)


def product_in_place(x, y):
    for i in range(x.shape[0]):
        x[i] = x[i] * y[i]
    return np.sum(x)


@adjit.jit
def jitted(x):
    return np.sum(x * x)


@adjit.grad
def slope(x):
    return x * x


def test_scalars() -> None:
    assert adjit.grad(cubic)(3.0) == 54.0
    assert adjit.grad(cubic, argnums="c")(3.0) == 27.0
    assert adjit.grad(cubic, argnums=(0, "c"))(3.0, c=1.0) == (27.0, 27.0)
    assert adjit.value_and_grad(cubic)(3.0, c=1.0) == (27.0, 27.0)


def test_a_jitted_function_keeps_its_name_and_text() -> None:
    assert jitted(np.array([3.0, 4.0])) == 25.0
    assert jitted.__name__ == "jitted"
    assert adjit.jit(cubic).__doc__ == "A polynomial."
    assert jitted.py_func(np.array([3.0, 4.0])) == 25.0
    np.testing.assert_allclose(adjit.grad(jitted)(np.array([3.0, 4.0])), [6.0, 8.0])


def test_decorators_with_and_without_options() -> None:
    @adjit.grad(argnums=1)
    def second(x, y):
        return x * y * y

    @adjit.jit(fastmath=True)
    def fast(x):
        return x + 1.0

    assert slope(3.0) == 6.0
    assert second(2.0, 3.0) == 12.0
    assert fast(1.0) == 2.0
    assert adjit.grad(fast).options.fastmath


def test_unknown_options_are_refused_at_once() -> None:
    with pytest.raises(TypeError, match="'fastmth' is not an option"):
        adjit.jit(cubic, fastmth=True)
    with pytest.raises(TypeError, match="fastmath must be True or False"):
        adjit.grad(fastmath=1)


@pytest.mark.parametrize("argnums", [2, -3, "z", (0, 5)])
def test_argnums_must_exist(argnums: Any) -> None:
    with pytest.raises(ValueError, match="argnums names"):
        adjit.grad(total, argnums=argnums)


def test_argnums_name_an_argument_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        adjit.grad(lambda x, y: x * y, argnums=(0, "x"))


def twice_the_result(fun):  # type: ignore[no-untyped-def]
    @functools.wraps(fun)
    def wrapper(*args):  # type: ignore[no-untyped-def]
        return 2.0 * fun(*args)

    return wrapper


@twice_the_result
def decorated_square(x):  # type: ignore[no-untyped-def]
    return x * x


def test_a_wrapper_is_what_is_differentiated() -> None:
    assert adjit.value_and_grad(decorated_square)(3.0) == (18.0, 12.0)


def added_in_place(x, y):  # type: ignore[no-untyped-def]
    x += y
    return np.sum(x)


def test_more_axes_on_the_right_are_a_shape_error() -> None:
    with pytest.raises(ShapeError, match="non-broadcastable output operand"):
        adjit.grad(added_in_place)(np.ones(3), np.ones((2, 3)))


def held_parameters(p, x):  # type: ignore[no-untyped-def]
    fixed = adjit.stop_gradient(p)
    return np.sum(adjit.stop_gradient(x * x) * x * fixed["w"]) * p["scale"]


def test_stop_gradient_of_arrays_and_structures() -> None:
    x, w = np.array([0.5, -2.0]), np.array([3.0, 0.25])
    d_p, d_x = adjit.grad(held_parameters, argnums=(0, 1))({"w": w, "scale": 2.0}, x)
    np.testing.assert_allclose(d_x, 2.0 * x * x * w)
    np.testing.assert_array_equal(d_p["w"], [0.0, 0.0])
    np.testing.assert_allclose(d_p["scale"], np.sum(x**3 * w))


def test_integers_have_no_gradient() -> None:
    with pytest.raises(NotDifferentiableError, match="argument 'x' is of type int64"):
        adjit.grad(cubic)(3)
    with pytest.raises(NotDifferentiableError, match="argument 'x' is of type int64"):
        adjit.grad(total)(np.arange(3), np.ones(3))


def test_only_one_number_has_a_gradient() -> None:
    with pytest.raises(NotDifferentiableError, match="returns a vector"):
        adjit.grad(lambda x: x * 2.0)(np.ones(3))
    with pytest.raises(NotDifferentiableError, match="returns nothing"):
        adjit.grad(lambda x: None)(1.0)
    with pytest.raises(NotDifferentiableError, match="no single number") as pair:
        adjit.grad(lambda x: (x, x))(1.0)
    assert "has_aux=True" in pair.value.hint


def penalty(x, kind):
    if kind == "l2":
        return np.sum(x * x)
    raise ValueError(f"unknown penalty {kind}")


def in_a_loop(x, kind):
    total = 0.0
    for i in range(len(x)):
        total += penalty(x, kind) * x[i]
    return total


def on_one_side(x, kind):
    return penalty(x, "l2") if x[0] > 0.0 else penalty(x, "l2") + 1.0


def behind_a_test(x, kind):
    if x[0] > 0.0:
        return penalty(x, kind) * 2.0
    return np.sum(x)


@pytest.mark.parametrize(
    "f", [penalty, lambda x, kind: 2.0 * penalty(x, kind) + 1.0, in_a_loop, behind_a_test]
)
def test_what_the_user_raises_on_every_path_is_raised(f) -> None:
    x = np.array([1.0, 2.0])
    for transform in (adjit.grad, adjit.value_and_grad, adjit.jit, adjit.hessian):
        with pytest.raises(ValueError, match=r"^unknown penalty l3$"):
            transform(f)(x, "l3")
    with pytest.raises(ValueError, match=r"^unknown penalty l3$"):
        adjit.vjp(lambda x: f(x, "l3"), x)


def test_the_other_paths_have_their_gradient() -> None:
    np.testing.assert_array_equal(adjit.grad(behind_a_test)(-np.ones(2), "l3"), np.ones(2))
    np.testing.assert_array_equal(adjit.grad(on_one_side)(np.ones(2), "l3"), 2.0 * np.ones(2))


@pytest.mark.parametrize(("function", "name"), [(np.sin, "np.sin"), (int, "int"), (np.exp, "np.exp")])
def test_functions_without_text_are_named_as_they_are_called(function, name) -> None:
    with pytest.raises(UnsupportedSyntaxError, match=f"{name} is not a Python function") as error:
        adjit.grad(function)(1.0)
    assert error.value.hint == f"wrap it: lambda x: {name}(x)"


def test_the_only_buffer_may_be_in_a_tuple() -> None:
    x, alone, inside = np.array([1.0, 2.0]), np.ones(2), np.ones(2)
    f = adjit.value_and_grad(lambda x: np.sum(x * x))
    assert f.accumulate(alone, x) == f.accumulate((inside,), x) == 5.0
    np.testing.assert_array_equal(alone, [3.0, 5.0])
    np.testing.assert_array_equal(inside, alone)
    assert f.into((inside,), x) == 5.0
    np.testing.assert_array_equal(inside, [2.0, 4.0])
    for wrong in ((inside, inside), ((inside,),), [inside]):
        with pytest.raises(SeedError) as error:
            f.accumulate(wrong, x)
        assert error.value.hint


def test_auxiliary_results() -> None:
    def f(x):
        return np.sum(x * x), x * 2.0

    g, aux = adjit.grad(f, has_aux=True)(np.array([1.0, 2.0]))
    np.testing.assert_allclose(g, [2, 4])
    np.testing.assert_allclose(aux, [2, 4])
    (value, aux), g = adjit.value_and_grad(f, has_aux=True)(np.array([1.0, 2.0]))
    assert value == 5.0
    np.testing.assert_allclose((g, aux), [[2, 4], [2, 4]])


class Layer(NamedTuple):
    w: Any
    b: Any


@dataclass
class Net:
    first: Layer
    scale: float
    steps: int = 2


def test_gradients_have_the_structure_of_the_argument() -> None:
    def f(net, x):
        h = net["layers"][0].first.w @ x + net["layers"][0].first.b
        return net["layers"][0].scale * np.sum(h)

    net = {"layers": [Net(Layer(np.ones((2, 3)), np.zeros(2)), 3.0)], "name": "n"}
    g = adjit.grad(f)(net, np.arange(3.0))
    inner = g["layers"][0]
    assert g["name"] is None and type(inner) is Net and type(inner.first) is Layer
    np.testing.assert_allclose(inner.first.w, np.tile(3 * np.arange(3.0), (2, 1)))
    np.testing.assert_allclose(inner.first.b, [3, 3])
    assert inner.scale == 6.0 and inner.steps is None


def test_lists_of_numbers_are_refused() -> None:
    with pytest.raises(InferenceError, match="argument 'x' is a list of numbers"):
        adjit.grad(total)([1.0, 2.0], np.ones(2))


def test_single_precision_stays() -> None:
    x = np.array([1, 2], np.float32)
    value, g = adjit.value_and_grad(jitted)(x)
    assert type(value) is np.float32 and g.dtype == np.float32
    assert type(adjit.grad(cubic)(np.float32(1.0))) is np.float32


@pytest.mark.parametrize(
    "x",
    [
        np.arange(10.0)[::2],
        np.arange(10.0)[::-2],
        np.asfortranarray(np.arange(20.0).reshape(5, 4))[:, 1],
        np.broadcast_to(2.0, (5,)),
        np.zeros(0),
    ],
)
def test_layouts(x: np.ndarray) -> None:
    np.testing.assert_allclose(adjit.grad(jitted)(x), 2 * x)


def test_the_function_writes_as_it_always_does() -> None:
    x = np.array([1.0, 2.0])
    value, g = adjit.value_and_grad(doubled)(x)
    assert value == 6.0 and x.tolist() == [2, 4] and g.tolist() == [2, 2]


def test_the_same_array_twice() -> None:
    x = np.array([1.0, 2.0])
    both = adjit.grad(total, argnums=(0, 1))(x, x)
    np.testing.assert_allclose(both, [x**2, 2 * x * x])
    first, second = adjit.grad(product_in_place, argnums=(0, 1))(x, x)
    np.testing.assert_allclose(first, 2 * np.array([1.0, 2.0]))
    np.testing.assert_allclose(second, 0)


def test_overlaps_are_refused_only_where_written() -> None:
    a = np.arange(4.0)
    adjit.grad(total)(a[1:], a[:-1])
    with pytest.raises(OverwriteError, match="overlap in memory"):
        adjit.grad(product_in_place)(a[1:], a[:-1])


def test_read_only_arrays_are_not_written() -> None:
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(adjit.AdjitError, match="read-only"):
        adjit.grad(doubled)(x)


def test_failures_name_the_users_line() -> None:
    def f(x, k):
        return x[k] * 2.0

    with pytest.raises(OutOfBoundsError) as caught:
        adjit.grad(f)(np.ones(3), 5)
    assert "index 5 is out of bounds for axis 0 of 'x' with size 3" in str(caught.value)
    assert "x[k]" in str(caught.value)


def test_buffers() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    g = adjit.value_and_grad(total, argnums=(0, 1))
    buffers = (np.ones(2), np.zeros(2))
    assert g.accumulate(buffers, x, y) == total(x, y)
    np.testing.assert_allclose(buffers, [y * y + 1, 2 * x * y])
    g.into(buffers, x, y)
    np.testing.assert_allclose(buffers, [y * y, 2 * x * y])
    with pytest.raises(SeedError, match="has shape"):
        g.into((np.ones(3), np.zeros(2)), x, y)
    with pytest.raises(TypeError, match="value_and_grad"):
        adjit.grad(total).into(np.zeros(2), x, y)


def test_transforms_compose() -> None:
    assert adjit.grad(adjit.grad(cubic))(3.0) == 36.0
    assert adjit.grad(adjit.jit(cubic))(3.0) == 54.0
    assert adjit.jvp(adjit.grad(cubic), (3.0,), (1.0,)) == (54.0, 36.0)

    def outer(x):
        return slope(x) * x

    assert adjit.grad(outer)(3.0) == 12.0


SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0])


def with_globals(x):
    return SCALE * np.sum(WEIGHTS * x)


def test_globals_are_looked_at_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    g = adjit.grad(with_globals)
    np.testing.assert_allclose(g(np.ones(2)), [2, 4])
    entries = sum(map(len, g.entries.values()))
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([5.0, 6.0]))
    np.testing.assert_allclose(g(np.ones(2)), [10, 12])
    assert sum(map(len, g.entries.values())) == entries
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    np.testing.assert_allclose(g(np.ones(2)), [15, 18])


def test_pickling() -> None:
    again = pickle.loads(pickle.dumps(adjit.grad(cubic, argnums=(0, 1))))
    assert again(3.0, 2.0) == (54.0, 27.0)
    assert pickle.loads(pickle.dumps(jitted)) is jitted
    assert pickle.loads(pickle.dumps(adjit.value_and_grad(jitted)))(np.ones(2))[0] == 2.0


def test_several_threads_compile_once() -> None:
    g = adjit.value_and_grad(total)
    x = np.linspace(0, 1, 50)
    found: list[Any] = []

    def work() -> None:
        found.append(g(x, x))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 6 and sum(map(len, g.entries.values())) == 1
    assert all(np.array_equal(f[1], found[0][1]) for f in found)


def test_looking_inside() -> None:
    g = adjit.value_and_grad(total)
    x = np.ones(3)
    assert g.compiled is None
    g.compile(x, x)
    assert "def total_gradient(x, y" in g.source(x, x)
    assert "# s += x[i] * y[i] * y[i]" in g.source(x, x)
    assert g.saved(x, x).nbytes == 0  # each pass of the loop is reversed at once
    assert callable(g.compiled)


def powers(x):  # type: ignore[no-untyped-def]
    s = 1.0
    for i in range(x.shape[0]):
        s = s * x[i] + np.sin(s)
    return s


def test_saved_values_of_a_recurrence() -> None:
    saved = adjit.grad(powers).saved(np.ones(5))
    rows = {row.name: row.shape for row in saved.rows}
    assert rows["saved_s"] == (5,)
    assert "argument" in str(saved)


def test_a_constant_function_has_zero_gradient() -> None:
    assert adjit.grad(lambda x: 3.0)(2.0) == 0.0
    np.testing.assert_array_equal(adjit.grad(lambda x, y: y)(np.ones((2, 3)), 2.0), np.zeros((2, 3)))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "test",
    [
        test_scalars,
        test_single_precision_stays,
        test_the_same_array_twice,
        test_failures_name_the_users_line,
        test_several_threads_compile_once,
        test_gradients_have_the_structure_of_the_argument,
    ],
)
def test_the_same_compiled(test: Callable[[], None], compiled: None) -> None:
    test()


@dataclasses.dataclass
class Settings:
    rate: float = 1.0


class Holder:
    rate = 1.0


settings, space, holder = Settings(), types.SimpleNamespace(rate=1.0), [Settings()]


def by_record(x: Any) -> Any:
    return x * settings.rate


def by_namespace(x: Any) -> Any:
    return x * space.rate


def by_class(x: Any) -> Any:
    return x * Holder.rate


def by_item(x: Any) -> Any:
    return x * holder[0].rate


def by_default(x: Any, chosen: Settings = settings) -> Any:
    return x * chosen.rate


@pytest.mark.parametrize("function", [np.sum, np.linalg.norm, np.sin])
def test_functions_of_numpy_are_to_be_wrapped(function: Any) -> None:
    """What they are written in is not a user's program."""
    with pytest.raises(UnsupportedSyntaxError, match=r"wrap it: lambda x: np\.(linalg\.)?\w+\(x\)"):
        adjit.grad(function)(np.ones(3))
    np.testing.assert_array_equal(adjit.grad(lambda x: np.sum(x))(np.ones(3)), np.ones(3))


@pytest.mark.parametrize("fun", [by_record, by_namespace, by_class, by_item, by_default])
def test_settings_changed_in_place_are_noticed(fun: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = adjit.grad(fun)
    assert gradient(2.0) == 1.0
    for owner in (settings, space, Holder, holder[0]):
        monkeypatch.setattr(owner, "rate", 5.0)
    assert gradient(2.0) == 5.0
    assert gradient(2.0) == 5.0
