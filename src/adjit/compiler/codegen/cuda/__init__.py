"""Plans of kernels to the text of a module: kernels that Numba compiles for the GPU, and the host's program.

`module.cuda_text` is the way in.
"""

from .module import cuda_text

__all__ = ["cuda_text"]
