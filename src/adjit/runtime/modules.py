"""Generated modules: written to the cache folder, imported, compiled.

Input: the text of a generated module. Output: `Loaded`, the function to call with its text and failure
sites. Invariants: a module's name is a hash of its content and of the versions it was made for, it is
registered in `sys.modules` before it is compiled (Numba's own cache needs that), and loading the same text
twice gives the same function. Without a usable folder the module lives in memory. Non-goals: choosing what
to compile.
"""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import options
from ..compiler.codegen.linemap import Text
from . import files, llvm, plain

assert llvm.SETTINGS  # made before anything is compiled
_lock = threading.RLock()
_loaded: dict[tuple[str, bool, bool], Loaded] = {}


@dataclass(frozen=True, eq=False)
class Loaded:
    """A generated function: `call` is Numba's dispatcher, or the plain function in uncompiled mode."""

    call: Callable[..., Any]
    text: Text
    filename: str
    compiled: bool


def module_name(text: Text) -> str:
    return f"adjit_{text.name}_{files.digest(text.source, files.versions())}"


def load(text: Text, cache: bool = True, compiled: bool = False) -> Loaded:
    """The function of a generated module, compiled lazily by Numba unless that is switched off; always where
    it is to be `compiled`.
    """
    compiled = compiled or (not options.jit_disabled() and text.target == "cpu")
    name = module_name(text)
    key = (name, compiled, cache)
    with _lock:
        found = _loaded.get(key)
        if found is None:
            found = _load(text, name, compiled, cache)
            _loaded[key] = found
        # The same text may come from several places of the user's source: the failure sites differ.
        return found if found.text is text else Loaded(found.call, text, found.filename, found.compiled)


def _load(text: Text, name: str, compiled: bool, cache: bool) -> Loaded:
    if text.target == "cuda":
        return _for_device(text, name)
    path = options.cache_folder() / f"{name}.py"
    data = text.source.encode()
    on_disk = cache and (files.read(path) == data or files.write(path, data))
    if not compiled:
        return _run_plain(text, name, str(path) if on_disk else f"<{name}>")
    if on_disk:
        try:
            module = _import(name, str(path))
            return Loaded(getattr(module, text.name), text, str(path), True)
        except (OSError, RuntimeError) as error:  # Numba finds no place for its own files
            sys.modules.pop(name, None)
            files.no_cache(str(error).splitlines()[0])
    return in_memory(text)


def _import(name: str, path: str) -> types.ModuleType:
    found = sys.modules.get(name)
    if found is not None:
        return found
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _remember(filename: str, source: str) -> None:
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def in_memory(text: Text) -> Loaded:
    """The module without a file; what Numba compiles of it ends with the process."""
    name = module_name(text)
    filename = f"<{name}>"
    tree = ast.parse(text.source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [k for k in node.keywords if k.arg != "cache"]
    _remember(filename, text.source)
    module = types.ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    exec(compile(tree, filename, "exec"), module.__dict__)
    return Loaded(getattr(module, text.name), text, filename, True)


def _run_plain(text: Text, name: str, filename: str) -> Loaded:
    """Without Numba; a debugger finds the lines in the file, if there is one."""
    tree, names = plain.lifted(text.source)
    _remember(filename, text.source)
    module = types.ModuleType(f"{name}{plain.UNCOMPILED}")
    module.__dict__.update(names)
    exec(compile(tree, filename, "exec"), module.__dict__)
    return Loaded(plain.quiet(getattr(module, text.name)), text, filename, False)


def _for_device(text: Text, name: str) -> Loaded:
    from .cuda import modules as device  # Numba's CUDA half is slow to import

    filename = f"<{name}>"
    return Loaded(device.load(text, filename), text, filename, False)
