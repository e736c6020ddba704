"""Value and gradient of `stencil` (programs_parallel.py:N)

x: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
ws[1], ws[2]: the number of threads, and how many may run at a time
stencil_gradient_part_1: line N; each thread writes its own elements of y
stencil_gradient_part_2: line N; each thread writes its own elements of ct_y; a partial sum of total
stencil_gradient_part_3: line N; its last 2 passes wait for the others because of ct_x
"""

import numba
import numpy as np

from adjit.runtime.support import maximum, minimum, share, take, take_zeros, uint, zeros
from adjit.runtime.together import in_threads


@numba.njit(error_model="numpy", nogil=True, cache=True)
def stencil_gradient_part_1(thread, threads, lo, passes, x, y):
    first = share(lo, passes, thread, threads, 1)
    end = share(lo, passes, thread + 1, threads, 1)

    # for i in numba.prange(1, x.shape[0] - 1):
    for i in range(first, end):
        # y[i] = x[i - 1] * x[i + 1]
        y[uint(i)] = x[uint(i - 1)] * x[uint(i + 1)]
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def stencil_gradient_part_2(thread, threads, lo, passes, y, ct_y, partial_total):
    first = share(lo, passes, thread, threads, 1)
    end = share(lo, passes, thread + 1, threads, 1)

    # return np.sum(y * y)
    total = 0.0
    for i in range(first, end):
        y_1 = y[uint(i)]
        ct_y[uint(i)] = y_1 + y_1
        total += y_1 * y_1
    partial_total[uint(thread)] += total
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def stencil_gradient_part_3(thread, threads, lo, passes, seam, x, ct_y, ct_x):
    first = share(lo, passes, thread, threads, 1)
    end = share(lo, passes, thread + 1, threads, 1)
    if threads > 1:
        first, end = (end - 2, end) if seam else (first, end - 2)

    # for i in numba.prange(1, x.shape[0] - 1):
    for i in range(first, end, 512):
        end_1 = minimum(i + 512, end)
        # y[i] = x[i - 1] * x[i + 1]
        for i_1 in range(i, end_1):
            ct_x[uint(i_1 - 1)] += ct_y[uint(i_1)] * x[uint(i_1 + 1)]
        # for i in numba.prange(1, x.shape[0] - 1):
        for i_1 in range(i, end_1):
            # y[i] = x[i - 1] * x[i + 1]
            ct_x[uint(i_1 + 1)] += ct_y[uint(i_1)] * x[uint(i_1 - 1)]
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def stencil_gradient(x, ws):
    threads, workers = ws[1], ws[2]
    ws[0] = 8
    n_x = x.shape[0]
    y = take_zeros(ws, (n_x,), np.float64)

    # for i in numba.prange(1, x.shape[0] - 1):
    passes = len(range(1, n_x - 1, 1))
    work = np.float64(passes)
    in_threads(stencil_gradient_part_1, maximum(minimum(threads, passes) if 6.0 * work >= 100000.0 else 1, 1), workers, (1, passes, x, y))
    ct_x = zeros(n_x, np.float64)
    ct_y = take(ws, (n_x,), np.float64)

    # return np.sum(y * y)
    passes_1 = maximum(n_x, 0)
    threads_1 = maximum(minimum(threads, passes_1) if 5.0 * np.float64(passes_1) >= 100000.0 else 1, 1)
    partial_total = take_zeros(ws, (threads_1,), np.float64)
    in_threads(stencil_gradient_part_2, threads_1, workers, (0, passes_1, y, ct_y, partial_total))
    total = 0.0
    for t in range(threads_1):
        total += partial_total[t]

    # for i in numba.prange(1, x.shape[0] - 1):
    threads_1 = maximum(minimum(threads, passes // 4) if 9.0 * work >= 100000.0 else 1, 1)
    in_threads(stencil_gradient_part_3, threads_1, workers, (1, passes, False, x, ct_y, ct_x))
    if threads_1 > 1:
        in_threads(stencil_gradient_part_3, threads_1, workers, (1, passes, True, x, ct_y, ct_x))
    return total, ct_x
