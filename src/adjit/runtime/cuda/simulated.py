"""Whether Numba's CUDA simulator runs the kernels (`NUMBA_ENABLE_CUDASIM=1`), as plain Python on the CPU."""

from __future__ import annotations

from numba.core import config

SIMULATED = bool(config.ENABLE_CUDASIM)
