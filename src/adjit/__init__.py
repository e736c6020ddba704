"""adjit: native gradients of ordinary Python/NumPy functions.

    value, gradient = adjit.value_and_grad(loss)(w, x, y)

Only public names are here; `adjit.compiler` maps IR to IR and to text, `adjit.runtime` compiles and calls.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    AdjitError,
    AdjitWarning,
    BackendError,
    GradientCheckError,
    InferenceError,
    InputChangedError,
    InternalError,
    MemoryBudgetError,
    MissingRuleError,
    NameResolutionError,
    NonFiniteError,
    NotDifferentiableError,
    OutOfBoundsError,
    OverwriteError,
    ReleasedError,
    SeedError,
    ShapeError,
    UnsupportedSyntaxError,
)
from .options import Options

if TYPE_CHECKING:
    from . import interop
    from .api import train
    from .api.batch import vmap
    from .api.check import check_grads
    from .api.checkpoint import checkpoint
    from .api.custom import custom_jvp, custom_vjp
    from .api.gradient import grad, jit, value_and_grad
    from .api.hooks import saved_hooks
    from .api.jacobian import hessian, hvp, jacfwd, jacrev
    from .api.mixed import LossScaler, saved_as
    from .api.sparse import sparse_hessian, sparse_jacobian
    from .api.special import stop_gradient
    from .api.structures import zeros_like
    from .api.tangent import jvp
    from .api.vjp import vjp
    from .bench import compare
    from .runtime.workspace import release

__version__ = "0.1.0"

# The transforms are loaded at first use: `import adjit` alone does not load Numba.
_HOMES = {
    "LossScaler": "api.mixed",
    "check_grads": "api.check",
    "checkpoint": "api.checkpoint",
    "compare": "bench",
    "custom_jvp": "api.custom",
    "custom_vjp": "api.custom",
    "grad": "api.gradient",
    "hessian": "api.jacobian",
    "hvp": "api.jacobian",
    "interop": "interop",
    "jacfwd": "api.jacobian",
    "jacrev": "api.jacobian",
    "jit": "api.gradient",
    "jvp": "api.tangent",
    "release": "runtime.workspace",
    "saved_as": "api.mixed",
    "saved_hooks": "api.hooks",
    "sparse_hessian": "api.sparse",
    "sparse_jacobian": "api.sparse",
    "stop_gradient": "api.special",
    "train": "api.train",
    "value_and_grad": "api.gradient",
    "vjp": "api.vjp",
    "vmap": "api.batch",
    "zeros_like": "api.structures",
}
_MODULES = ("interop", "train")


if not TYPE_CHECKING:  # so that a type checker finds a misspelt name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'adjit' has no attribute {name!r}")
        home = import_module(f".{_HOMES[name]}", __name__)
        found = home if name in _MODULES else getattr(home, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "AdjitError",
    "AdjitWarning",
    "BackendError",
    "GradientCheckError",
    "InferenceError",
    "InputChangedError",
    "InternalError",
    "LossScaler",
    "MemoryBudgetError",
    "MissingRuleError",
    "NameResolutionError",
    "NonFiniteError",
    "NotDifferentiableError",
    "Options",
    "OutOfBoundsError",
    "OverwriteError",
    "ReleasedError",
    "SeedError",
    "ShapeError",
    "UnsupportedSyntaxError",
    "check_grads",
    "checkpoint",
    "compare",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "interop",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "release",
    "saved_as",
    "saved_hooks",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "train",
    "value_and_grad",
    "vjp",
    "vmap",
    "zeros_like",
]
