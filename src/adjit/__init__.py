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
    from .api.check import check_grads
    from .api.custom import custom_jvp, custom_vjp
    from .api.gradient import grad, jit, value_and_grad
    from .api.jacobian import hessian, hvp, jacfwd, jacrev
    from .api.special import stop_gradient
    from .api.tangent import jvp
    from .api.vjp import vjp

__version__ = "0.1.0"

# The transforms are loaded at first use: `import adjit` alone does not load Numba.
_HOMES = {
    "check_grads": "check",
    "custom_jvp": "custom",
    "custom_vjp": "custom",
    "grad": "gradient",
    "hessian": "jacobian",
    "hvp": "jacobian",
    "jacfwd": "jacobian",
    "jacrev": "jacobian",
    "jit": "gradient",
    "jvp": "tangent",
    "stop_gradient": "special",
    "value_and_grad": "gradient",
    "vjp": "vjp",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'adjit' has no attribute {name!r}")
    found = getattr(import_module(f".api.{_HOMES[name]}", __name__), name)
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
    "MemoryBudgetError",
    "MissingRuleError",
    "NameResolutionError",
    "NotDifferentiableError",
    "Options",
    "OutOfBoundsError",
    "OverwriteError",
    "ReleasedError",
    "SeedError",
    "ShapeError",
    "UnsupportedSyntaxError",
    "check_grads",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
