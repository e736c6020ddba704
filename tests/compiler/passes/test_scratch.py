"""Passes that spare scratch arrays: what they change, what they leave alone, and that the meaning stays."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from adjit.compiler.ir.nodes import Function
from adjit.compiler.ir.verify import verify
from adjit.compiler.passes.absorb import absorb
from adjit.compiler.passes.mirror import mirror
from adjit.compiler.passes.reread import reread
from adjit.compiler.passes.zeroed import zeroed
from tests.support.interpret import run
from tests.support.little import read

Pass = Callable[[Function], Function]

HEAD = 'def f(x: "f8[:]", w: "f8[:]", a: "f8[:,:]", n: "i8", m: "i8", s: "f8"):\n'

# what is zeroed and then added to
CLEARED = """
    y = zeros(n)
    for i in range(m):
        y[i] = x[i] * s
    for i in range(m):
        w[i] = y[i]
        y[i] = 0.0
    for i in range(m):
        y[i] += w[m - 1 - i]
    for i in range(n):
        x[i] = y[i]
"""
CLEARED_ROWS = """
    b = zeros(m, m)
    for i in range(m):
        for j in range(m):
            b[i, j] = 0.0
    for i in range(m):
        for j in range(m):
            b[i, j] += a[i, j] * s
            b[i, j] += x[j]
    for i in range(m):
        x[i] = b[i, m - 1]
"""
SCRATCH = """
    z = zeros(n)
    for t in range(1, m):
        for i in range(t):
            z[i] += x[i] * s
        for i in range(t):
            w[i] = w[i] + z[t - 1 - i]
        for i in range(t):
            x[i] = x[i] + z[i]
            z[i] = 0.0
"""
SCRATCH_ROWS = """
    b = zeros(n, n)
    for t in range(3):
        for i in range(m):
            for j in range(1, m):
                b[i, j] += a[i, j] * s
        for j in range(1, m):
            for i in range(m):
                a[i, j] = a[i, j] + b[i, j]
                b[i, j] = 0.0
"""
READ_BETWEEN = CLEARED.replace(
    "    for i in range(m):\n        y[i] += w", "    s = s + y[1]\n    for i in range(m):\n        y[i] += w"
)
SHORTER = CLEARED.replace(
    "    for i in range(m):\n        y[i] += w", "    for i in range(m - 1):\n        y[i] += w"
)
ADDED_TWICE = CLEARED.replace(
    "        y[i] += w[m - 1 - i]", "        y[i] += w[m - 1 - i]\n        y[m - 1 - i] += s"
)
ADDED_IF = CLEARED.replace(
    "        y[i] += w[m - 1 - i]", "        if x[i] > 0.0:\n            y[i] += w[m - 1 - i]"
)
SEEN = CLEARED.replace("y = zeros(n)", "y = x")
READ_OUTSIDE = SCRATCH.replace("z[t - 1 - i]", "z[t - i]")
READ_AFTER = SCRATCH + "    s = s + z[0]\n"
KEPT = SCRATCH.replace("            z[i] = 0.0\n", "            z[i] = 0.5 * z[i]\n")
CLEARED_PARTLY = SCRATCH.replace(
    "        for i in range(t):\n            x[i] = x[i] + z[i]",
    "        for i in range(1, t):\n            x[i] = x[i] + z[i]",
)
READ_EARLY = SCRATCH.replace(
    "    for t in range(1, m):\n", "    for t in range(1, m):\n        s = s + z[0]\n"
)

# what is added in both orders
MIRRORED = """
    y = zeros(n)
    for i in range(n):
        c = x[i] * s
        y[i] += c
        y[n - 1 - i] += c * w[i]
    for i in range(n):
        x[i] = y[i]
"""
BACKWARDS = """
    y = zeros(n)
    for i in range(2, m):
        s = s + w[i]
        y[m + 1 - i] += x[i] * 0.5
    for i in range(n):
        x[i] = y[i] + s
"""
ROWS_BACKWARDS = """
    b = zeros(n, n)
    for i in range(m):
        for j in range(m):
            b[i, m - 1 - j] += a[i, j]
    for i in range(m):
        x[i] = b[i, 1]
"""
NOT_THE_END = (
    MIRRORED.replace("y[n - 1 - i]", "y[n - 2 - i]")
    .replace("range(n):\n        c", "range(n - 1):\n        c")
    .replace("n - 2 - i", "n - 1 - i")
)
READS_IT = MIRRORED.replace("y[i] += c\n", "y[i] += c\n        s = s + y[0]\n")
WRITES_SOURCE = MIRRORED.replace("y[i] += c\n", "y[i] += c\n        w[i] = 0.5 * w[i]\n")
CARRIED = MIRRORED.replace("c = x[i] * s", "s = s * 0.5\n        c = x[i] * s")
DEAR = BACKWARDS.replace("x[i] * 0.5", "x[i] * w[i]")

# a copy that is updated into its original
ABSORBED = """
    z = zeros(n)
    y = zeros(n)
    for i in range(n):
        y[i] = x[i]
    for k in range(2, m):
        for i in range(k):
            z[i] = y[i]
        for i in range(k):
            y[i] = z[k - 1 - i] * s
            y[i] += z[i]
        for i in range(k):
            y[i] += w[k - 1 - i]
    for i in range(n):
        x[i] = y[i]
"""
ABSORBED_SUM = ABSORBED.replace(
    "            y[i] = z[k - 1 - i] * s\n            y[i] += z[i]\n",
    "            y[i] += z[k - 1 - i] * s\n",
)
USED_AGAIN = ABSORBED.replace("y[i] += w[k - 1 - i]", "y[i] += w[k - 1 - i] + z[0]")
OTHER_BOX = ABSORBED.replace(
    "        for i in range(k):\n            y[i] += w",
    "        for i in range(k - 1):\n            y[i] += w",
)
STORED = ABSORBED.replace("y[i] += w[k - 1 - i]", "y[i] = w[k - 1 - i]")
READS_ORIGINAL = ABSORBED.replace("y[i] += z[i]", "y[i] += z[i] + y[0]")
BEYOND = ABSORBED.replace("y[i] += z[i]\n", "y[i] += z[i + 1]\n")
SCALED = ABSORBED.replace("z[i] = y[i]\n", "z[i] = y[i] * 2.0\n")

# a copy that can be read
REREAD = """
    z = zeros(n)
    h = zeros(n * n)
    y = zeros(n)
    for i in range(n):
        y[i] = x[i]
    for k in range(2, m):
        p = n * k
        for i in range(k):
            h[p + i] = y[i]
        for i in range(k):
            z[i] = y[i] + s * y[k - 1 - i]
        for i in range(k):
            y[i] = z[i]
    for i in range(n):
        x[i] = y[i] + h[2 * n]
"""
REREAD_SUM = REREAD.replace("y[i] = z[i]", "y[i] += z[i]")
REREAD_ROWS = (
    REREAD.replace("zeros(n * n)", "zeros(n, n)")
    .replace("h[p + i]", "h[k, i]")
    .replace("h[2 * n]", "h[2, 0]")
)
ONE_PLACE = REREAD.replace("h[p + i]", "h[p]")
CHANGED = REREAD.replace(
    "        for i in range(k):\n            z[i]",
    "        y[0] = s\n        for i in range(k):\n            z[i]",
)
COPY_CHANGED = REREAD.replace(
    "        for i in range(k):\n            z[i]",
    "        h[p] = s\n        for i in range(k):\n            z[i]",
)
READS_BEYOND = REREAD.replace("y[k - 1 - i]", "y[k - i]")
NOT_OVERWRITTEN = REREAD.replace("y[i] = z[i]\n", "w[i] = z[i]\n")

CHANGED_BY: dict[Pass, tuple[str, ...]] = {
    zeroed: (CLEARED, CLEARED_ROWS, SCRATCH, SCRATCH_ROWS),
    mirror: (MIRRORED, BACKWARDS, ROWS_BACKWARDS),
    absorb: (ABSORBED, ABSORBED_SUM),
    reread: (REREAD, REREAD_SUM, REREAD_ROWS),
}
LEFT_BY: dict[Pass, tuple[str, ...]] = {
    zeroed: (
        READ_BETWEEN,
        SHORTER,
        ADDED_TWICE,
        ADDED_IF,
        SEEN,
        READ_OUTSIDE,
        READ_AFTER,
        KEPT,
        CLEARED_PARTLY,
        READ_EARLY,
    ),
    mirror: (NOT_THE_END, READS_IT, WRITES_SOURCE, CARRIED, DEAR),
    absorb: (USED_AGAIN, OTHER_BOX, STORED, READS_ORIGINAL, BEYOND, SCALED),
    reread: (ONE_PLACE, CHANGED, COPY_CHANGED, READS_BEYOND, NOT_OVERWRITTEN),
}


def outcome(fn: Function) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    x, w, a = rng.normal(size=13), rng.normal(size=13), rng.normal(size=(13, 13))
    (s,) = run(fn, x, w, a, 12, 7, 0.7)
    return [np.array(s), x, w, a]


def check(p: Pass, source: str) -> bool:
    """Whether a pass changes a program; raises if the meaning changed."""
    fn = read(HEAD + source.lstrip("\n") + "    return s\n")
    made = p(fn)
    verify(made)
    for u, v in zip(outcome(fn), outcome(made), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-12, atol=1e-12, err_msg=source)
    return made is not fn


@pytest.mark.parametrize(("p", "source"), [(p, s) for p, found in CHANGED_BY.items() for s in found])
def test_changed(p: Pass, source: str) -> None:
    assert check(p, source)


@pytest.mark.parametrize(("p", "source"), [(p, s) for p, found in LEFT_BY.items() for s in found])
def test_left_as_it_was(p: Pass, source: str) -> None:
    assert not check(p, source)


PATTERNS = (
    ("z[i] = y[i]", "y[i] = z[k - 1 - i] * s; y[i] += z[i]", "y[i] += w[i]"),
    ("z[i] = y[i]", "y[i] += z[k - 1 - i] * s", "y[i] += w[i]"),
    ("h[i] = y[i]", "z[i] = y[k - 1 - i] + y[i]", "y[i] = z[i]"),
    ("w[i] = y[i]; y[i] = 0.0", "y[i] += w[k - 1 - i]; y[k - 1 - i] += s"),
    ("z[i] += x[i] * s", "w[i] = z[k - 1 - i]", "x[i] = z[i]; z[i] = 0.0"),
)


def program(seed: int) -> str:
    """A loop that does what one of the passes looks for, or nearly that."""
    rng = Random(seed)
    lines = ["    y = zeros(n)", "    z = zeros(n)", "    h = zeros(n)"]
    if rng.random() < 0.7:
        lines += ["    for i in range(n):", "        y[i] = x[i]"]
    lines.append("    for k in range(2, m):")
    nests = [nest.split("; ") for nest in rng.choice(PATTERNS)]
    if rng.random() < 0.4:
        one, two = rng.choice("yzhxw"), rng.choice("yzhxw")
        at = rng.choice(["i", "k - 1 - i", "0"])
        added = f"{one}[{at}] {rng.choice(['=', '+='])} {two}[i] * 0.5"
        if rng.random() < 0.5:
            nests.insert(rng.randint(0, len(nests)), [added])
        else:
            rng.choice(nests).append(added)
    for nest in nests:
        bounds = rng.choice(["k"] * 12 + ["k - 1", "1, k"])
        lines.append(f"        for i in range({bounds}):")
        lines += [f"            {s}" for s in nest]
    seen = rng.choice(["", " + z[i]", " + h[i]"])
    lines += ["    for i in range(n):", f"        x[i] = x[i] + y[i]{seen}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("p", CHANGED_BY)
def test_random_loops(p: Pass) -> None:
    assert sum(check(p, program(seed)) for seed in range(300)) > 15
