"""Value and gradient of `scratch_memory` (programs_parallel.py:N)

x: float64[:,:]
w: float64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:,:], float64[:]
ws[1], ws[2]: the number of threads, and how many may run at a time
scratch_memory_gradient_part_1: line N; each thread writes its own elements of saved_t; a partial sum of s
scratch_memory_gradient_part_2: line N; each thread writes its own elements of ct_x; has a copy of ct_w
"""

import numba
import numpy as np

from adjit.runtime.support import empty, maximum, minimum, outside, own, share, surface, take, take_zeros, uint, zeros
from adjit.runtime.together import in_threads
from adjit.runtime.vector import cos, sin


@numba.njit(error_model="numpy", nogil=True, cache=True)
def scratch_memory_gradient_part_1(thread, threads, lo, passes, n_x, x, w, saved_t, t, partial_s, status):
    first = share(lo, passes, thread, threads, 1)
    end = share(lo, passes, thread + 1, threads, 1)
    row = empty(n_x, np.float64)
    row_t = empty(512, np.float64)

    # for i in numba.prange(x.shape[0]):
    s = 0.0
    for i in range(first, end):
        # for k in range(x.shape[1]):
        for k in range(n_x):
            # row[k] = x[i, k] * w[k]
            row[k] = x[uint(i), k] * w[k]
        # for k in range(x.shape[1]):
        for k in range(0, n_x, 512):
            end_1 = minimum(k + 512, n_x)
            for k_1 in range(k, end_1):
                at = k_1 - k
                # s += np.sin(row[k]) * row[x.shape[1] - 1 - k]
                t_1 = sin(row[uint(k_1)])
                saved_t[uint(i), uint(k_1)] = t_1
                row_t[uint(at)] = t_1 * row[uint(t - k_1)]
            for k_1 in range(k, end_1):
                at = k_1 - k
                s += row_t[uint(at)]
    partial_s[uint(thread)] += s
    status[uint(thread), 0] = 1
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def scratch_memory_gradient_part_2(thread, threads, lo, passes, n_x, x, w, t, saved_t, ct_w, ct_x, copies_ct_w, status):
    first = share(lo, passes, thread, threads, -1)
    end = share(lo, passes, thread + 1, threads, -1)
    private_ct_w = own(ct_w, copies_ct_w, thread)
    ct_row = empty(n_x, np.float64)

    # for i in numba.prange(x.shape[0]):
    for i in range(first, end, -1):
        # for k in range(x.shape[1]):
        for k in range(n_x):
            # s += np.sin(row[k]) * row[x.shape[1] - 1 - k]
            x_1 = x[uint(i), k]
            w_1 = w[k]
            t_1 = t - k
            x_2 = x[uint(i), uint(t_1)]
            w_2 = w[uint(t_1)]
            ct_row[k] = saved_t[uint(i), uint(t_1)]
            ct_row[k] += x_2 * w_2 * cos(x_1 * w_1)
        # for k in range(x.shape[1]):
        for k in range(n_x):
            # row[k] = x[i, k] * w[k]
            w_1 = w[k]
            ct_t = ct_row[k]
            private_ct_w[k] += ct_t * x[uint(i), k]
            ct_x[uint(i), k] = ct_t * w_1
    status[uint(thread), 0] = 1
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def scratch_memory_gradient(x, w, ws):
    threads, workers = ws[1], ws[2]
    ws[0] = 8
    n_x = x.shape[0]
    n_x_1 = x.shape[1]

    # s += np.sin(row[k]) * row[x.shape[1] - 1 - k]
    t = n_x_1 - 1

    # row[k] = x[i, k] * w[k]
    if 0 < n_x_1 and 0 < n_x:
        if 0 >= w.shape[0]:
            outside(0, 0, w.shape[0])
        if not 0 <= t < w.shape[0]:
            outside(1, t, w.shape[0])
    saved_t = take(ws, (n_x, n_x_1), np.float64)

    # for i in numba.prange(x.shape[0]):
    passes = maximum(n_x, 0)
    work = np.float64(maximum(n_x_1, 0))
    threads_1 = maximum(minimum(threads, passes) if (52.0 + 30.0 * work) * np.float64(passes) >= 100000.0 else 1, 1)
    partial_s = take_zeros(ws, (threads_1,), np.float64)
    status = take_zeros(ws, (threads_1, 4), np.int64)
    in_threads(scratch_memory_gradient_part_1, threads_1, workers, (0, passes, n_x_1, x, w, saved_t, t, partial_s, status))
    surface(status)
    s = 0.0
    for t_1 in range(threads_1):
        s += partial_s[t_1]
    ct_x = empty((n_x, n_x_1), np.float64)
    n_w = w.shape[0]
    ct_w = zeros(n_w, np.float64)
    t_2 = n_x - 1
    passes = len(range(t_2, -1, -1))
    work = (52.0 + 38.0 * work) * np.float64(passes)
    threads_1 = maximum(minimum(threads, passes) if work >= 100000.0 and work >= 4.0 * np.float64(n_w) * np.float64(threads) else 1, 1)
    others = threads_1 - 1
    copies_ct_w = take_zeros(ws, (others, n_w), np.float64)
    status = take_zeros(ws, (threads_1, 4), np.int64)
    in_threads(scratch_memory_gradient_part_2, threads_1, workers, (t_2, passes, n_x_1, x, w, t, saved_t, ct_w, ct_x, copies_ct_w, status))
    surface(status)
    for t_1 in range(others):
        for i in range(n_w):
            ct_w[i] += copies_ct_w[t_1, i]
    return s, ct_x, ct_w
