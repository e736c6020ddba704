"""The smallest example, step by step: L = (w x)^2 + 3 w x at w = 2, x = 4."""

from __future__ import annotations

import adjit

from . import show


def loss(w: float, x: float) -> float:
    u = w * x
    a = u * u
    b = 3.0 * u
    return a + b


def run() -> bool:
    show.heading("1. A formula, step by step: L = (w x)^2 + 3 w x at w = 2, x = 4")
    w, x = 2.0, 4.0
    u, value = w * x, loss(w, x)
    values = {"w": w, "x": x, "u": u, "a": u * u, "b": 3.0 * u, "L": value}
    (dw, dx), inner = adjit.grad(loss, argnums=(0, 1), intermediates=("u", "a", "b"))(w, x)
    found = {"w": dw, "x": dx, **inner, "L": 1.0}

    print("  forward:")
    for name, formula in (("u", "w x"), ("a", "u u"), ("b", "3 u"), ("L", "a + b")):
        print(f"    {name} = {formula:6} = {float(values[name]):6.1f}")
    print("  backward:")
    rules = (
        ("L", "1"),
        ("b", "dL"),
        ("a", "dL"),
        ("u", "2 u da + 3 db"),
        ("x", "w du"),
        ("w", "x du"),
    )
    for name, rule in rules:
        print(f"    d{name} = {rule:14} = {float(found[name]):6.1f}")
    print(f"  dL/dw = {float(dw):g}")
    deviation = show.differences(lambda p: loss(p, x), w, dw)
    show.facts(adjit.jit(loss), adjit.value_and_grad(loss, argnums=(0, 1)), (w, x), deviation)
    return bool(value == 88.0 and dw == 76.0 and dx == 38.0)
