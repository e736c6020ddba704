"""The settings are accepted, and a loop over rows of one array is vectorised under them."""

from __future__ import annotations

import numba
import numpy as np

from adjit.runtime import llvm


def test_rows_of_one_array_vectorise() -> None:
    @numba.njit(error_model="numpy")
    def scatter(a: np.ndarray, b: np.ndarray) -> None:
        for i in range(1, a.shape[0] - 1):
            for j in range(a.shape[1]):
                g = 0.5 * b[i, j]
                a[i - 1, j] += g
                a[i + 1, j] += g

    assert llvm.SETTINGS
    a, b = np.zeros((5, 7)), np.ones((5, 7))
    scatter(a, b)
    assert a.sum() == 21.0
