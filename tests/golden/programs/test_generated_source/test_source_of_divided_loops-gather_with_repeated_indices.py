"""Value and gradient of `gather_with_repeated_indices` (programs_parallel.py:N)

x: float64[:]
idx: int64[:]
ws: memory kept from call to call; its first word counts what is in use
returns float64, float64[:]
ws[1], ws[2]: the number of threads, and how many may run at a time
gather_with_repeated_indices_gradient_part_1: line N; has a copy of ct_x; a partial sum of s
"""

import numba
import numpy as np

from adjit.runtime.support import maximum, minimum, note, own, share, surface, take_zeros, uint, zeros
from adjit.runtime.together import in_threads
from adjit.runtime.vector import exp


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gather_with_repeated_indices_gradient_part_1(thread, threads, lo, passes, idx, n_x, x, ct_x, copies_ct_x, partial_s, status):
    first = share(lo, passes, thread, threads, 1)
    end = share(lo, passes, thread + 1, threads, 1)
    private_ct_x = own(ct_x, copies_ct_x, thread)

    # for i in numba.prange(idx.shape[0]):
    s = 0.0
    for i in range(first, end):
        # s += np.exp(x[idx[i]])
        idx_1 = idx[uint(i)]
        t = idx_1 + n_x if idx_1 < 0 else idx_1
        if not 0 <= t < x.shape[0]:
            note(status, thread, 2, 1, t, x.shape[0])
            return
        t_1 = exp(x[uint(t)])
        private_ct_x[uint(t)] += t_1
        s += t_1
    partial_s[uint(thread)] += s
    status[uint(thread), 0] = 1
    return


@numba.njit(error_model="numpy", nogil=True, cache=True)
def gather_with_repeated_indices_gradient(x, idx, ws):
    threads, workers = ws[1], ws[2]
    ws[0] = 8
    n_x = x.shape[0]
    ct_x = zeros(n_x, np.float64)

    # for i in numba.prange(idx.shape[0]):
    passes = maximum(idx.shape[0], 0)
    work = 26.0 * np.float64(passes)
    threads_1 = maximum(minimum(threads, passes) if work >= 100000.0 and work >= 4.0 * np.float64(n_x) * np.float64(threads) else 1, 1)
    others = threads_1 - 1
    copies_ct_x = take_zeros(ws, (others, n_x), np.float64)
    partial_s = take_zeros(ws, (threads_1,), np.float64)
    status = take_zeros(ws, (threads_1, 4), np.int64)
    in_threads(gather_with_repeated_indices_gradient_part_1, threads_1, workers, (0, passes, idx, n_x, x, ct_x, copies_ct_x, partial_s, status))
    surface(status)
    s = 0.0
    for t in range(threads_1):
        s += partial_s[t]
    for t in range(others):
        for i in range(n_x):
            ct_x[i] += copies_ct_x[t, i]
    return s, ct_x
