"""What each command of the shell does with its target.

Input: parsed options. Output: text on standard output, an exit status. Invariants: nothing but the result
goes to standard output, so that it can be piped. Non-goals: reading the command line (`main`).
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import console
from ..api.check import check_grads
from ..api.gradient import grad, jit, value_and_grad
from ..bench import compare
from ..errors import GradientCheckError
from ..runtime.buffers import COLUMNS
from .target import Target, UsageError, function_of, target

FINE, FAILED, USAGE, REFUSED, RAISED = range(5)
Options = argparse.Namespace


def argnums_of(options: Options) -> Any:
    """Positions and names, one alone or several."""
    parts: list[Any] = []
    for part in str(options.argnums).split(","):
        part = part.strip()
        parts.append(int(part) if part.lstrip("-").isdigit() else part)
    return parts[0] if len(parts) == 1 else tuple(parts)


def chosen(options: Options) -> Target:
    return target(options.function, options.args, options.builder, options.seed)


def writable(path: str) -> str:
    """The path of a file that is to be written, before anything is computed for it."""
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: the folder {folder} is read-only")
    return path


def transformed(options: Options, function: Callable[..., Any]) -> Any:
    if options.transform == "jit":
        return jit(function)
    make = grad if options.transform == "grad" else value_and_grad
    return make(function, argnums=argnums_of(options))


def source(options: Options) -> int:
    found = chosen(options)
    made = transformed(options, found.function)
    with console.steps(1, f"compiling {found.name}"):
        text = made.source(*found.arguments)
        path = made.path(*found.arguments)
    console.code(text.rstrip("\n"))
    if not path.startswith("<"):
        print(f"file: {path}", file=sys.stderr)
    return FINE


def explain(options: Options) -> int:
    found = chosen(options)
    made = grad(found.function, argnums=argnums_of(options))
    names = inspect.signature(found.function).parameters
    if re.split(r"[.\[]", options.name)[0] not in names:
        raise UsageError(f"{options.name!r} is none of the arguments {', '.join(names)}")
    with console.steps(1, f"following {options.name}"):
        told = made.explain(options.name, *found.arguments)
    print(told)
    return FINE


def saved(options: Options) -> int:
    found = chosen(options)
    with console.steps(1, f"compiling {found.name}"):
        table = grad(found.function, argnums=argnums_of(options)).saved(*found.arguments)
    title = f"what the forward sweep of {found.name} keeps for the reverse sweep"
    if not console.decorated():
        print(f"{title}\n{table}")
        return FINE
    rows = tuple(r.cells for r in table.rows)
    notes = [f"total: {table.nbytes:,} bytes"]
    if table.peak is not None:
        notes.append(f"most at a time, results included: {table.peak:,} bytes")
    console.show(console.Table(title, COLUMNS, rows, frozenset({1, 4}), tuple(notes)))
    return FINE


def check(options: Options) -> int:
    found = chosen(options)
    modes = tuple(options.modes.split(",")) if options.modes else None
    try:
        with console.steps(1, f"checking {found.name}"):
            agreed = check_grads(found.function, found.arguments, order=options.order, modes=modes)
    except GradientCheckError as error:
        print(error)
        return FAILED
    except ValueError as error:
        if not str(error).startswith("modes are"):
            raise
        raise UsageError(str(error)) from error
    print(agreed)
    return FINE


def _versions(pairs: list[str]) -> dict[str, Any]:
    made = {}
    for pair in pairs:
        peer, separator, place = pair.partition("=")
        if not separator:
            raise UsageError(f"--version {pair!r}: write PEER=FILE.py:function")
        made[peer] = function_of(place)[0]
    return made


def bench(options: Options) -> int:
    for path in (options.json, options.plot):
        if path and path != "-":
            writable(path)
    if options.plot:
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            raise UsageError('--plot needs matplotlib: pip install "adjit[plot]"') from error
    found = chosen(options)
    against = tuple(p.strip() for p in options.against.split(",") if p.strip())
    try:
        result = compare(
            found.function,
            *found.arguments,
            against=against,
            argnums=argnums_of(options),
            versions=_versions(options.version),
            seconds=options.seconds,
        )
    except ValueError as error:
        if "no peer" not in str(error):
            raise
        raise UsageError(str(error)) from error
    if options.json:
        written = json.dumps(result.as_dict(), indent=2) + "\n"
        if options.json == "-":
            print(written, end="")
            return FINE
        Path(options.json).write_text(written, encoding="utf-8")
    console.show(result.printable())
    if options.plot:
        result.plot(options.plot)
        print(f"plot: {options.plot}", file=sys.stderr)
    return FINE


def report(options: Options) -> int:
    found = chosen(options)
    path = writable(options.output or f"{found.name.replace('.', '_')}.html")
    made = value_and_grad(found.function, argnums=argnums_of(options))
    with console.steps(1, f"drawing {found.name}"):
        written = made.report(path, *found.arguments)
    print(written)
    return FINE


def demo(options: Options) -> int:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        if not options.parts or "digits" in options.parts:
            print('The demo needs scikit-learn for its data: pip install "adjit[demo]"', file=sys.stderr)
            return USAGE
    from ..demo import run

    return run(options.parts)
