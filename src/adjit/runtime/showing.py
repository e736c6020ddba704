"""What `print` in a user's function becomes: text with numbers in its places, written to standard output.

Input: a form as `str.format` takes it, known when the program is compiled, and numbers. Output: none; the
text is on `sys.stdout`. In plain Python it is what it says; compiled code holds the interpreter's lock for
the while, and has Python's own `str.format` make the text, so that both show the same. Non-goals: arrays.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked
from numba.core.types.misc import unliteral
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin


def show(form: Any, *values: Any) -> None:
    """Write the form with the numbers in it, as Python's own numbers."""
    sys.stdout.write(form.format(*(v.item() if isinstance(v, np.generic) else v for v in values)))


@infer_global(show)
class _Typed(AbstractTemplate):  # type: ignore[misc]
    """The form as a constant, and numbers of any kinds."""

    def generic(self, args: Any, kws: Any) -> Any:
        form, *values = args
        known = isinstance(form, types.StringLiteral) and not kws  # type: ignore[attr-defined]
        return signature(types.none, form, *map(unliteral, values)) if known else None


@lower_builtin(show, types.StringLiteral, types.VarArg(types.Any))  # type: ignore[attr-defined,untyped-decorator]
def _lowered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    form = python.unserialize(python.serialize_object(sig.args[0].literal_value))
    numbers = [python.from_native_value(t, v) for t, v in zip(sig.args[1:], args[1:], strict=True)]
    system = python.import_module(context.insert_const_string(builder.module, "sys"))
    output = python.object_getattr_string(system, "stdout")
    text = python.call_method(form, "format", numbers)
    done = python.call_method(output, "write", (text,))
    with builder.if_then(cgutils.is_null(builder, done)):
        python.err_write_unraisable(form)
    for made in (form, *numbers, system, output, text, done):
        python.decref(made)
    python.gil_release(lock)
    return impl_ret_untracked(context, builder, sig.return_type, context.get_dummy_value())


__all__ = ["show"]
