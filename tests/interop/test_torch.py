"""adjit's functions among torch's: gradcheck by torch itself, memory shared, structures kept."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import adjit
from adjit.interop.torch import wrap

from . import functions


def tensor(rng: np.random.Generator, *shape: int, grad: bool = True) -> torch.Tensor:
    return torch.tensor(rng.normal(size=shape), dtype=torch.float64, requires_grad=grad)


def test_torchs_own_check(rng: np.random.Generator) -> None:
    rate = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(wrap(functions.recurrence), (tensor(rng, 6), rate))


def test_inside_a_larger_graph(rng: np.random.Generator) -> None:
    x, y = tensor(rng, 7, 3, grad=False), tensor(rng, 7, grad=False)
    weight, bias = tensor(rng, 3), tensor(rng)
    loss = wrap(functions.fit)

    def total(w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.exp(loss({"weight": 2.0 * w, "bias": b}, x, y, power=2))

    assert torch.autograd.gradcheck(total, (weight, bias))
    ours = torch.autograd.grad(total(weight, bias), (weight, bias))
    r = torch.tanh(x @ (2.0 * weight)) + bias - y
    theirs = torch.autograd.grad(torch.exp(torch.mean(r * r)), (weight, bias))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_structures_and_results_without_gradient(rng: np.random.Generator) -> None:
    x = tensor(rng, 4)
    found, at = wrap(functions.several)(x, 3)
    assert not at.requires_grad and int(at) == int(x.argmax())
    (found["square"].sum() + found["sum"]).backward()
    torch.testing.assert_close(x.grad, 2.0 * x.detach() + 3.0)


def test_one_result_alone(rng: np.random.Generator) -> None:
    x = tensor(rng, 4)
    found, _ = wrap(functions.several)(x, 3)
    found["sum"].backward()
    torch.testing.assert_close(x.grad, torch.full((4,), 3.0, dtype=torch.float64))


def test_single_precision_stays(rng: np.random.Generator) -> None:
    x = torch.tensor(rng.normal(size=4), dtype=torch.float32, requires_grad=True)
    rate = torch.tensor(0.8, dtype=torch.float32)
    value = wrap(functions.recurrence)(x, rate)
    value.backward()
    assert x.grad.dtype == torch.float32
    with torch.no_grad():
        plain = wrap(functions.recurrence)(x, rate)
    assert not plain.requires_grad and torch.isclose(plain, value.detach())


def test_gradients_are_not_copied(rng: np.random.Generator) -> None:
    x = tensor(rng, 4, grad=False)
    from adjit.interop import torch as home

    assert home._array(x).__array_interface__["data"][0] == x.data_ptr()
    made = np.ones(3)
    assert home._tensor(made).data_ptr() == made.__array_interface__["data"][0]


def test_writes_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(adjit.OverwriteError, match="copy"):
        wrap(functions.doubled)(tensor(rng, 3))
    with pytest.raises(adjit.OverwriteError):
        wrap(functions.doubled)(tensor(rng, 3, grad=False))


def test_second_derivatives_are_refused(rng: np.random.Generator) -> None:
    x = tensor(rng, 3)
    (first,) = torch.autograd.grad(wrap(functions.recurrence)(x, 0.8), x, create_graph=True)
    with pytest.raises(RuntimeError):
        first.sum().backward()


def test_twice_backward(rng: np.random.Generator) -> None:
    x = tensor(rng, 3)
    value = wrap(functions.recurrence)(x, 0.8)
    (a,) = torch.autograd.grad(value, x, retain_graph=True)
    (b,) = torch.autograd.grad(value, x)
    torch.testing.assert_close(a, b)


def test_complex_tensors_in_torchs_convention(rng: np.random.Generator) -> None:
    def f(z, x):
        return np.sum(np.abs(z * x) ** 2), z * x * 1j

    def same(z, x):
        return (torch.abs(z * x) ** 2).sum(), z * x * 1j

    start = torch.tensor(rng.normal(size=3) + 1j * rng.normal(size=3)), torch.tensor(0.7, dtype=torch.float64)
    found = []
    for function in (wrap(f), same):
        z, x = (t.clone().requires_grad_() for t in start)
        value, w = function(z, x)
        (value + (w * (1 - 2j)).real.sum() + (w.abs() ** 2).sum()).backward()
        found.append((z.grad, x.grad))
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b)
