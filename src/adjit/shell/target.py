"""What a command works on: a function of a file, and its arguments.

Input: `FILE.py:function`, and the text of `--args` or the name of a builder. Output: the function and the
values for its parameters. A builder is a function of the same file that returns the arguments as a tuple;
for `loss`, `loss_args` is found by itself. Invariants: the file is imported once, with its own folder on
the path as Python itself does for a script.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..api.binding import bound
from .expressions import arguments


class UsageError(Exception):
    """The command line does not say what to do; the message says what is missing."""


@dataclass(frozen=True)
class Target:
    """`arguments` has one value per parameter."""

    function: Callable[..., Any]
    name: str
    module: ModuleType
    arguments: tuple[Any, ...]


def module_of(file: str) -> ModuleType:
    """The module in a file."""
    path = Path(file).resolve()
    if not path.is_file():
        raise UsageError(f"there is no file {file!r}")
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    name = path.stem if known is None else f"adjit_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def function_of(text: str) -> tuple[Callable[..., Any], str, ModuleType]:
    """The function that `FILE.py:function` names."""
    file, separator, name = text.rpartition(":")
    if not separator or not file or not name:
        raise UsageError(f"{text!r} does not name a function: write FILE.py:function")
    module = module_of(file)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None or not callable(found):
        own = [
            k
            for k, v in vars(module).items()
            if callable(v) and getattr(v, "__module__", "") == module.__name__
        ]
        raise UsageError(f"{file} has no function {name!r}; it has {', '.join(own) or 'none'}")
    return found, name, module


def _bound(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    try:
        return bound(inspect.signature(function), name, args, kwargs)
    except TypeError as error:
        raise UsageError(
            f'{error}; give its arguments by --args "..." or by a function {name}_args() in the file'
        ) from error


def target(text: str, given: str | None, builder: str | None, seed: int) -> Target:
    """The function and its arguments."""
    function, name, module = function_of(text)
    if given is not None and builder is not None:
        raise UsageError("give --args or --builder, not both")
    if given is not None:
        args, kwargs = arguments(given, seed)
    else:
        wanted = builder or f"{name.replace('.', '_')}_args"
        make = getattr(module, wanted, None)
        if make is None and builder is not None:
            raise UsageError(f"the file has no function {builder!r} that builds arguments")
        args, kwargs = (make() if make is not None else ()), {}
        args = args if isinstance(args, tuple) else (args,)
    return Target(function, name, module, _bound(function, name, args, kwargs))
