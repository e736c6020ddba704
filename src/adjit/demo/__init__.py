"""Four small programs that need gradients, run from start to end: `python -m adjit demo`.

Each is ordinary NumPy; the gradient comes from `adjit` alone. For each the demo shows where the generated
program lies, compares the gradient with finite differences of the plain function, and says what a gradient
costs in calls of the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import digits, garch, heat, worked

PARTS = {"worked": worked.run, "digits": digits.run, "garch": garch.run, "heat": heat.run}


def run(names: Sequence[str] = ()) -> int:
    """Runs the named parts, or all; returns an exit status."""
    chosen = list(names) or list(PARTS)
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
        return 2
    failed = [name for name in chosen if not PARTS[name]()]
    print()
    print("All parts reached their goals." if not failed else f"Missed its goal: {', '.join(failed)}")
    return int(bool(failed))
