"""The logarithm of a sum of exponentials, shifted by the largest term."""

from __future__ import annotations

import numpy as np

import adjit

from ..protocol import Served


def logsumexp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def prepare(given):
    return (np.array(given["x"], dtype=np.float64),)


FUNCTIONS = {
    "primal": Served(prepare, adjit.jit(logsumexp)),
    "gradient": Served(prepare, adjit.grad(logsumexp)),
}
