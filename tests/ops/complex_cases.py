"""Rows of functions that make or take apart complex numbers; of NumPy's other functions on complex arrays see
`tests/compiler/frontend/arrays/test_complex_functions.py`.
"""

from __future__ import annotations

import cmath

import numpy as np

from .rows import nonzero, normal, row

row(np.angle, "return np.angle(a + 1j * a[::-1])", "return np.angle(1j * a + 2, deg=True)", a=normal(3))
row(np.iscomplexobj, "return a * a if np.iscomplexobj(a * 1j) else a", a=normal(3))
row(np.isrealobj, "return a if np.isrealobj(a * 1j) else a * a", a=normal(3))
row(np.iscomplex, "return np.where(np.iscomplex(a * 1j), a * a, a)", a=nonzero(3))
row(np.isreal, "return np.where(np.isreal(a * 1j), a, a * a)", a=nonzero(3))
for _name in ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"):
    row(
        getattr(cmath, _name),
        f"z = cmath.{_name}(complex(a[0], a[1])); return z.real + 2.0 * z.imag",
        a=nonzero(2),
        single=False,
    )
for _name in ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"):
    row(
        getattr(cmath, _name),
        f"z = cmath.{_name}(a[0] + 1j * a[1]); return z.real + 2.0 * z.imag",
        a=nonzero(2),
        single=False,
    )
row(cmath.phase, "return cmath.phase(complex(a[0], a[1]))", a=nonzero(2), single=False)
row(
    cmath.polar,
    "r, phi = cmath.polar(complex(a[0], a[1])); return r * phi",
    a=nonzero(2),
    single=False,
)
row(cmath.rect, "return abs(cmath.rect(a[0], a[1]) + 1.0)", a=nonzero(2), single=False)
for _name in ("isnan", "isinf", "isfinite"):
    row(
        getattr(cmath, _name),
        f"return a[0] * a[1] if cmath.{_name}(complex(a[0], a[1])) else a[0] + a[1]",
        a=normal(2),
        single=False,
    )
