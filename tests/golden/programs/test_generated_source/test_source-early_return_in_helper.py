"""Value and gradient of `early_return_in_helper` (programs_language.py:N)

x: float64[:]
level: float64
returns float64, float64[:]
"""

import numba
import numpy as np

from adjit.runtime.support import outside, uint, zeros


@numba.njit(error_model="numpy", nogil=True, cache=True)
def early_return_in_helper_gradient(x, level):
    # return first_large(x, level) ** 2 + first_large(x, 10.0) + x[0]
    if 0 >= x.shape[0]:
        outside(0, 0, x.shape[0])
    n_x = x.shape[0]

    # for i in range(x.shape[0]):
    result = 0.0
    returned = False
    trips = 0
    for i in range(n_x):
        # if x[i] > level:
        x_1 = x[i]
        if x_1 > level:
            returned = True
            result = x_1 * np.float64(i)
            t = True
        else:
            t = False
        trips += 1
        if t:
            break
    if not returned:
        result = 0.0 * level
    result_1 = 0.0
    returned_1 = False
    trips_1 = 0
    for i in range(n_x):
        # if x[i] > level:
        x_1 = x[i]
        if x_1 > 10.0:
            returned_1 = True
            result_1 = x_1 * np.float64(i)
            t = True
        else:
            t = False
        trips_1 += 1
        if t:
            break

    # return first_large(x, level) ** 2 + first_large(x, 10.0) + x[0]
    x_1 = x[0]
    ct_x = zeros(n_x, np.float64)
    ct_x[0] += 1.0

    # for i in range(x.shape[0]):
    ct_result = 1.0 if returned_1 else 0.0
    for i in range(trips_1 - 1, -1, -1):
        # if x[i] > level:
        if x[uint(i)] > 10.0:
            ct_x_1 = ct_result * np.float64(i)
            ct_result = 0.0
        else:
            ct_x_1 = 0.0
        ct_x[uint(i)] += ct_x_1

    # return first_large(x, level) ** 2 + first_large(x, 10.0) + x[0]
    ct_result = result + result

    # for i in range(x.shape[0]):
    if not returned:
        ct_result = 0.0
    for i in range(trips - 1, -1, -1):
        # if x[i] > level:
        if x[uint(i)] > level:
            ct_x_1 = ct_result * np.float64(i)
            ct_result = 0.0
        else:
            ct_x_1 = 0.0
        ct_x[uint(i)] += ct_x_1
    return result * result + (result_1 if returned_1 else 0.0) + x_1, ct_x
