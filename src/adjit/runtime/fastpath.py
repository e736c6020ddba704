"""The short way from a Python call to the compiled function, for arguments that are plain arrays and numbers.

Input: a prepared program and the arguments it was prepared for. Output: a function of the argument tuple
that either runs the program or answers `MISS`, when the arguments are of another kind, a constant has
changed or anything is not plain. It is generated, one test after another, since a call on a tiny function
is mostly this. Invariant: whatever it does not answer with `MISS` is what the long way would return.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.program import NodeSpec, ResultLeaf, StaticSpec
from .dispatch import Around, Runner, failure, same_value
from .pytree import WRITEABLE, C, F
from .support import Failure
from .tracebacks import located

MISS = object()
MASK = C | F | WRITEABLE
LARGEST = 2**63
Fast = Callable[[tuple[Any, ...]], Any]


def _test(k: int, a: Any, names: dict[str, Any]) -> str | None:
    """The condition under which argument k is of the kind of `a`; None where there is no short one."""
    kind = type(a)
    if kind is np.ndarray:
        if 1 in a.shape:
            return None
        names[f"d{k}"] = a.dtype
        lengths = f" and 1 not in a{k}.shape" if a.ndim else ""
        flags = f"a{k}.flags.num & {MASK} == {a.flags.num & MASK}"
        return f"type(a{k}) is ndarray and a{k}.dtype is d{k} and a{k}.ndim == {a.ndim} and {flags}{lengths}"
    names[f"t{k}"] = kind
    if kind is int:
        return f"type(a{k}) is int and {-LARGEST} <= a{k} < {LARGEST}"
    if kind in (float, bool, np.float64, np.float32):
        return f"type(a{k}) is t{k}"
    return f"a{k} is None" if a is None else None


def _expression(tree: object, leaf: Callable[[int], str], names: dict[str, Any]) -> str | None:
    if isinstance(tree, ResultLeaf):
        return leaf(tree.index)
    if isinstance(tree, StaticSpec):
        names[f"c{len(names)}"] = tree.value
        return f"c{len(names) - 1}"
    if not isinstance(tree, NodeSpec) or tree.kind is not tuple:
        return None
    parts = [_expression(c, leaf, names) for c in tree.children]
    if any(p is None for p in parts):
        return None
    return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def build(args: Sequence[Any], around: Around, runner: Runner, tree: object) -> Fast | None:
    """The fast function, or None where the program needs the long way."""
    if not runner.loaded.compiled or around.hidden or around.same or around.written or runner.passed:
        return None
    names: dict[str, Any] = {
        "ndarray": np.ndarray,
        "MISS": MISS,
        "Failure": Failure,
        "failure": failure,
        "located": located,
        "same": same_value,
    }
    tests = [_test(k, a, names) for k, a in enumerate(args)]
    if not tests or any(t is None for t in tests):
        return None
    names.update(call=runner.loaded.call, text=runner.text)

    def leaf(index: int) -> str:
        plain = "r" if runner.count == 1 else f"r[{index}]"
        if runner.outs[index] is None:
            return plain
        names[f"f{index}"] = runner.outs[index]
        return f"f{index}({plain})"

    result = _expression(tree, leaf, names)
    if result is None:
        return None
    taken = [f"a{k}" for k, a in enumerate(args)]
    passed = ", ".join(t for t, a in zip(taken, args, strict=True) if a is not None)
    lines = [
        "def fast(args):",
        f"    if len(args) != {len(args)}:",
        "        return MISS",
        f"    {', '.join(taken)}, = args",
        f"    if not ({' and '.join(map(str, tests))}):",
        "        return MISS",
    ]
    for k, (fetch, value) in enumerate(around.guards):
        names[f"g{k}"], names[f"v{k}"] = fetch, value
        test = f"not same(g{k}(), v{k})" if isinstance(value, list | dict | tuple) else f"g{k}() is not v{k}"
        lines += [f"    if {test}:", "        return MISS"]
    if runner.pool is not None:
        names.update(take=runner.pool.take, give=runner.pool.give)
        lines.append("    ws = take()")
        passed = f"{passed}, ws"
    lines += [
        "    try:",
        f"        r = call({passed})",
        "    except Failure as failed:",
        "        raise failure(failed, text) from None",
        "    except Exception as error:",
        "        located(error, text, '')",
        "        raise",
        *(["    finally:", "        give(ws)"] if runner.pool is not None else []),
        f"    return {result}",
    ]
    exec(compile("\n".join(lines), "<adjit call>", "exec"), names)
    made: Fast = names["fast"]
    return made
