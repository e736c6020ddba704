"""The logarithm of a Gaussian mixture's posterior density, with a Wishart prior.

Each component has a weight's logarithm `alpha`, a mean, and a factor of its inverse covariance: the
logarithms `q` of the diagonal and the strictly lower triangle `l`, column after column. `constant` holds
what depends on no parameter. The input names the factor `q` and `l`, or `icf` with both side by side; the
output has the same form: gradients by name, or all in one list.
"""

from __future__ import annotations

import math

import numpy as np

import adjit

from ..protocol import Served, plain


def logsumexp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def log_posterior(alpha, means, q, l, x, gamma, m, constant):
    components, d = means.shape
    scale = np.exp(q)
    sums = np.sum(q, axis=1)
    centred = np.empty(d)
    scaled = np.empty(d)
    terms = np.empty(components)
    total = constant
    for i in range(x.shape[0]):
        for c in range(components):
            for a in range(d):
                centred[a] = x[i, a] - means[c, a]
                scaled[a] = scale[c, a] * centred[a]
            at = 0
            for a in range(d):
                for b in range(a + 1, d):
                    scaled[b] += l[c, at] * centred[a]
                    at += 1
            terms[c] = alpha[c] + sums[c] - 0.5 * np.sum(scaled * scaled)
        total += logsumexp(terms)
    total -= x.shape[0] * logsumexp(alpha)
    squares = np.sum(scale * scale) + np.sum(l * l)
    return total - 0.5 * gamma * gamma * squares + m * np.sum(sums)


def constant(n, d, k, gamma, m):
    """The terms without parameters: of the Gaussian densities and of the Wishart densities."""
    freedom = d + m + 1
    gammas = sum(math.lgamma(0.5 * freedom - 0.5 * j) for j in range(d))
    multivariate = 0.25 * d * (d - 1) * math.log(math.pi) + gammas
    prior = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - multivariate
    return k * prior - 0.5 * n * d * math.log(2.0 * math.pi)


def prepare(given):
    n, d, k, gamma, m = (given[name] for name in ("n", "d", "k", "gamma", "m"))
    if "icf" in given:
        factor = np.array(given["icf"], dtype=np.float64).reshape(k, -1)
        q, l = factor[:, :d].copy(), factor[:, d:].copy()
    else:
        q = np.array(given["q"], dtype=np.float64)
        l = np.array(given["l"], dtype=np.float64).reshape(k, d * (d - 1) // 2)
    means = np.array(given["means"] if "means" in given else given["mu"], dtype=np.float64)
    alpha, x = np.array(given["alpha"], dtype=np.float64), np.array(given["x"], dtype=np.float64)
    return alpha, means, q, l, x, float(gamma), float(m), constant(n, d, k, gamma, m)


GRADIENT = adjit.grad(log_posterior, argnums=(0, 1, 2, 3))


def prepare_gradient(given):
    return (*prepare(given), "icf" in given)


def gradient(*args):
    return GRADIENT(*args[:-1]), args[-1]


def report(value):
    (alpha, means, q, l), together = value
    if together:
        factor = np.concatenate((q, l), axis=1)
        return np.concatenate((alpha, means.ravel(), factor.ravel())).tolist()
    return plain({"alpha": alpha, "mu": means, "q": q, "l": l})


FUNCTIONS = {
    "objective": Served(prepare, adjit.jit(log_posterior)),
    "jacobian": Served(prepare_gradient, gradient, report),
}
