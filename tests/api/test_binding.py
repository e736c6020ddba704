"""Arguments that do not fit a function's parameters."""

from __future__ import annotations

import re

import numpy as np
import pytest

import adjit


def rate(u, steps, *, scale=1.0):
    return np.sum(u) * steps * scale


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((np.ones(2),), {"step": 3}, "got an unexpected keyword argument 'step'"),
        ((np.ones(2),), {"steps": 3, "scales": 2.0}, "got an unexpected keyword argument 'scales'"),
        ((np.ones(2),), {}, "missing a required argument: 'steps'"),
        ((np.ones(2), 3, 4), {}, "too many positional arguments"),
        ((np.ones(2), 3), {"u": 1.0}, "multiple values for argument 'u'"),
    ],
)
@pytest.mark.parametrize("transform", [adjit.grad, adjit.jit, adjit.value_and_grad])
def test_what_does_not_fit_is_named(transform, args, kwargs, words):
    with pytest.raises(TypeError, match=re.escape("rate(u, steps, *, scale=1.0)") + ".*" + words):
        transform(rate)(*args, **kwargs)


def test_other_keywords_are_taken_where_the_function_takes_them():
    def f(x, **more):
        return x * more["a"]

    assert adjit.grad(f)(2.0, a=3.0) == 3.0
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        adjit.grad(f)(a=3.0)
