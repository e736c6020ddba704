"""The short way from a Python call to the compiled function, for arguments that are plain arrays and numbers
and structures of these.

Input: a prepared program and the arguments it was prepared for. Output: a function of the argument tuple
that either runs the program or answers `MISS`, when the arguments are of another kind, a constant has
changed or anything is not plain. It is generated, one test after another, since a call on a tiny function
is mostly this; dtype, rank and layout are left to Numba's own dispatch, which compiles nothing new
(`Runner`). Invariant: whatever it does not answer with `MISS` is what the long way would return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any, Protocol

import numpy as np

from ..compiler import complexes
from ..compiler.program import NodeSpec, ResultLeaf, StaticSpec
from . import pytree
from .dispatch import Around, Runner, failure, same_value, unequal
from .failure import Failure
from .tracebacks import located

MISS = object()
LARGEST = 2**63


class Fast(Protocol):
    def __call__(self, args: tuple[Any, ...]) -> Any: ...


class _Writer:
    """The text of the function, and the objects that it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "ndarray": np.ndarray,
            "MISS": MISS,
            "Failure": Failure,
            "failure": failure,
            "located": located,
            "same": same_value,
            "make": pytree.rebuild,
            "parts": complexes.parts,
        }
        self.leaves: list[str] = []

    def name(self, value: object) -> str:
        found = f"c{len(self.names)}"
        self.names[found] = value
        return found

    def unless(self, *tests: str) -> None:
        self.lines += [f"    if not ({' and '.join(tests)}):", "        return MISS"]

    def group(self, kind: str, members: Sequence[str]) -> str:
        inner = ", ".join(members)
        return f"[{inner}]" if kind == "list" else f"({inner}{',' if len(members) == 1 else ''})"

    # -- arguments
    def take(self, at: str, value: Any) -> bool:
        """Tests that the argument called `at` is of the kind of `value`; False where there are no short
        ones.
        """
        node = pytree.children(value)
        if node is not None:
            return self.take_node(at, value, *node)
        kind = type(value)
        if value is None:
            self.unless(f"{at} is None")
            return True
        if kind is str:
            self.unless(f"type({at}) is str", f"{at} == {value!r}")
            return True
        if kind is np.ndarray:
            if 1 in value.shape:
                return False
            self.unless(f"type({at}) is ndarray", *([f"1 not in {at}.shape"] if value.ndim else []))
            if value.dtype.kind == "c":
                self.unless(f"{at}.dtype is {self.name(value.dtype)}")
                self.leaves.append(f"parts({at})")
                return True
        elif kind is int:
            self.unless(f"type({at}) is int", f"{-LARGEST} <= {at} < {LARGEST}")
        elif kind in (complex, np.complex128, np.complex64):
            self.unless(f"type({at}) is {self.name(kind)}")
            self.leaves += [f"{at}.real", f"{at}.imag"]
            return True
        elif kind in (float, bool, np.float64, np.float32):
            self.unless(f"type({at}) is {self.name(kind)}")
        else:
            return False
        self.leaves.append(at)
        return True

    def take_node(self, at: str, value: Any, kind: type, keys: Sequence[Any], parts: Sequence[Any]) -> bool:
        if type(value) is not kind or not keys:  # a dict of a class of its own, or nothing to unpack
            return False
        members = [f"{at}_{k}" for k in range(len(keys))]
        tests = [f"type({at}) is {self.name(kind)}"]
        if kind is dict:
            tests.append(f"(*{at},) == {self.name(tuple(keys))}")
        elif kind is tuple or kind is list:
            tests.append(f"len({at}) == {len(keys)}")
        self.unless(*tests)
        if is_dataclass(kind):
            source = self.group("tuple", [f"{at}.{k}" for k in keys])
        else:
            source = f"{at}.values()" if kind is dict else at
        self.lines.append(f"    {self.group('tuple', members)} = {source}")
        return all(self.take(m, p) for m, p in zip(members, parts, strict=True))

    # -- results
    def result(self, tree: object, runner: Runner) -> str:
        if isinstance(tree, ResultLeaf):
            plain = "r" if runner.count == 1 else f"r[{tree.index}]"
            convert = runner.outs[tree.index]
            return plain if convert is None else f"{self.name(convert)}({plain})"
        if isinstance(tree, StaticSpec):
            return self.name(tree.value)
        assert isinstance(tree, NodeSpec)
        parts = [self.result(c, runner) for c in tree.children]
        if tree.kind is tuple or tree.kind is list:
            return self.group(tree.kind.__name__, parts)
        if tree.kind is dict:
            return f"{{{', '.join(f'{self.name(k)}: {p}' for k, p in zip(tree.keys, parts, strict=True))}}}"
        if is_dataclass(tree.kind):
            return f"make({self.name(tree.kind)}, {self.name(tree.keys)}, {self.group('tuple', parts)})"
        return f"{self.name(tree.kind)}({', '.join(parts)})"


def build(args: Sequence[Any], around: Around, runner: Runner, tree: object) -> Fast | None:
    """The fast function, or None where the program needs the long way."""
    if not runner.loaded.compiled or around.hidden or around.same or around.written or runner.passed:
        return None
    w = _Writer()
    taken = [f"a{k}" for k in range(len(args))]
    w.lines = ["def fast(args):", f"    if len(args) != {len(args)}:", "        return MISS"]
    if not args:
        return None
    w.lines.append(f"    {', '.join(taken)}, = args")
    if not all(w.take(at, a) for at, a in zip(taken, args, strict=True)):
        return None
    for fetch, value in around.guards:
        here, known = w.name(fetch), w.name(value)
        w.unless(
            f"same({here}(), {known})" if isinstance(value, list | dict | tuple) else f"{here}() is {known}"
        )
    w.names.update(call=runner.enter, text=runner.text)
    passed = list(w.leaves)
    if runner.pool is not None:
        w.names.update(take=runner.pool.take, give=runner.pool.give)
        w.lines.append("    ws = take()")
        passed.append("ws")
    if runner.guessed:
        w.names.update(runner=runner, unequal=unequal)
        w.unless("runner.replaced is None")
    w.lines += [
        "    try:",
        f"        r = call({', '.join(passed)})",
        "    except Failure as failed:",
        *(["        if unequal(failed, text):", "            return MISS"] if runner.guessed else []),
        "        raise failure(failed, text) from None",
        "    except TypeError:  # not compiled for these",
        "        return MISS",
        "    except Exception as error:",
        "        located(error, text)",
        "        raise",
        *(["    finally:", "        give(ws)"] if runner.pool is not None else []),
        f"    return {w.result(tree, runner)}",
    ]
    exec(compile("\n".join(w.lines), "<adjit call>", "exec"), w.names)
    made: Fast = w.names["fast"]
    return made
