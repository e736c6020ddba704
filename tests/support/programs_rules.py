"""Sample programs: functions with a tangent rule of their own, random numbers, functions as values."""

from __future__ import annotations

import functools

import numpy as np

import adjit

from .programs import program, vector


@adjit.custom_jvp
def saturating(x, k):
    return np.tanh(k * x) / k


@saturating.defjvp
def saturating_jvp(primals, tangents):
    x, k = primals
    y = saturating(x, k)
    inner = 1.0 - (k * y) ** 2
    return y, inner * tangents[0] + tangents[1] * (x * inner - y) / k


@program(lambda r: (r.uniform(-1, 1, 5), 1.3), wrt=(0, 1))
def ruled_arrays_in_a_loop(x, k):
    s = x
    for _ in range(3):
        s = saturating(s + x, k)
    return np.sum(s * x)


@program(lambda r: (r.uniform(-1, 1, 5), 1.3), wrt=(0, 1))
def ruled_numbers_in_branches(x, k):
    s = 0.1
    for i in range(len(x)):
        if x[i] > 0.0:
            s += saturating(x[i] * s, k)
        else:
            s = s * x[i] + saturating(s, k * k)
    return s


@program(vector(4))
def draws_in_a_loop(x):
    np.random.seed(11)
    s = 0.0
    for i in range(len(x)):
        z = np.random.normal(0.0, 1.0, 3)
        s += np.sum(np.sin(z * x[i])) * np.random.uniform(x[i], 2.0)
    return s


@program(vector(4))
def draws_with_parameters(x):
    np.random.seed(11)
    y = np.random.normal(x, 0.5 + x * x)
    np.random.shuffle(y)
    return np.sum(y * y * np.random.rand(4)) * np.random.exponential(1.0 + x[0] * x[0])


@program(vector(4))
def draws_in_memory_that_is_written(x):
    """The memory of draws holds what depends on the arguments, later or in another pass."""
    np.random.seed(11)
    state = np.random.randn(4)
    for k in range(2):
        state = np.tanh(x * state)
    chain = np.random.gamma(2.0, 1.0, 4)
    chain[0] = x[0]
    for k in range(1, 4):
        chain[k] += x[k] * chain[k - 1]
    if x[0] < 2.0:
        state = state * chain
    shared = np.random.rand(2, 2)
    product = shared
    while np.sum(product * product) > 1e-3:
        product = product @ shared * (0.3 + 0.2 * x[1])
    return np.sum(state * state) + np.sum(product)


@program(lambda r: (r.uniform(0.5, 1.0), r.normal(size=5), 7))
def particle_filter(a, data, n):
    """Resampling by a fixed order, so that the weights have no jump."""
    np.random.seed(11)
    x = np.random.normal(0.0, 1.0, n)
    found = 0.0
    for t in range(5):
        x = a * x + np.random.normal(0.0, 0.3, n)
        w = np.exp(-0.5 * (data[t] - x) ** 2)
        found += np.log(np.mean(w))
        x = x[np.random.permutation(n)]
    return found


def accumulated(f, *parts):
    s = 0.0
    for p in parts:
        s += f(p) * s + np.sum(p)
    return s


@program(vector(4))
def functions_and_parts(x):
    power = functools.partial(scaled_power, 2.0)
    late = [lambda t: t * x[i] for i in range(3)]  # noqa: B023
    return accumulated(lambda p: power(p[0], p), x, x * x) + late[0](x[1])


def scaled_power(k, c, p):
    return k * c * np.sum(p * p)
