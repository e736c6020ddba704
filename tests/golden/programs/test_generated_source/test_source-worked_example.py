"""Value and gradient of `worked_example` (programs_language.py:N)

w: float64
x: float64
returns float64, float64, float64
"""

import numba
import numpy as np


@numba.njit(error_model="numpy", nogil=True, cache=True)
def worked_example_gradient(w, x):
    # u = w * x
    u = w * x

    # return u * u + 3.0 * u
    ct_u = 3.0 + u + u
    return u * u + 3.0 * u, ct_u * x, ct_u * w
