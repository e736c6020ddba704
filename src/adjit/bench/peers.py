"""How each tool is asked for a function and its gradient.

Input: the user's function or the version of it for that tool, the arguments, which arguments are
differentiated.
Output: a `Contender`, or `Skipped` with the reason. A tool whose version is not given is tried on the
user's own function with `np` bound to the tool's NumPy, where that can work. Invariants: what a peer
computes is compared with adjit's gradient before it is timed. Non-goals: making a peer fast.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..api.gradient import jit, value_and_grad
from ..api.transform import Transform
from ..runtime import pytree


class Skipped(Exception):
    """This tool takes no part; the message says why."""


@dataclass
class Contender:
    """`function` and `gradient` take nothing; `leaves` are the gradient's arrays, as NumPy, of one call.

    `gradient_calls` is the number of calls of `function` that a gradient is, where it is not run as a whole.
    """

    name: str
    function: Callable[[], Any]
    gradient: Callable[[], Any]
    leaves: Callable[[], list[Any]]
    compile: Callable[[], None] = lambda: None
    gradient_calls: int = 0
    within: Callable[[], AbstractContextManager[Any]] = nullcontext
    note: str = ""


@dataclass(frozen=True)
class Task:
    """What is compared. `positions` are the differentiated arguments."""

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: Any
    positions: tuple[int, ...]
    versions: dict[str, Callable[..., Any]]

    def fresh(self) -> tuple[Any, ...]:
        """Copies of the arguments, since a function may write them."""
        return tuple(copied(a) for a in self.args)


def copied(value: Any) -> Any:
    return pytree.mapped(value, lambda x: x.copy(order="K") if isinstance(x, np.ndarray) else x)


def floats(value: Any) -> list[Any]:
    """The leaves with floats of a value, as arrays."""
    node = pytree.children(value)
    if node is not None:
        return [leaf for c in node[2] for leaf in floats(c)]
    if value is None or isinstance(value, str):
        return []
    array = np.asarray(value)
    return [array] if array.dtype.kind == "f" else []


def plain(fun: Any) -> Callable[..., Any]:
    """The Python function below `jit` or `njit`."""
    if isinstance(fun, Transform):
        return fun.base
    inner: Callable[..., Any] = getattr(fun, "py_func", fun)
    return inner


def installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise Skipped(f"{name.partition('.')[0]} is not installed") from None


# -- adjit and finite differences
def adjit_itself(task: Task) -> Contender:
    function = jit(task.fun, cache=False)
    both = value_and_grad(task.fun, argnums=task.argnums, cache=False)
    args = task.fresh()

    def compile_() -> None:
        both.compile(*args)

    return Contender(
        "adjit",
        lambda: function(*args),
        lambda: both(*args),
        lambda: floats(both(*task.fresh())[1]),
        compile_,
    )


def finite_differences(task: Task) -> Contender:
    """Central differences of the plain function, one pair of calls for each number."""
    fun = task.versions.get("numpy-fd") or plain(task.fun)
    args = task.fresh()
    count = sum(int(np.size(x)) for p in task.positions for x in floats(task.args[p]))
    return Contender(
        "numpy-fd",
        lambda: fun(*args),
        lambda: _differences(fun, task),
        lambda: _differences(fun, task),
        gradient_calls=2 * count,
        note="the plain function, central differences",
    )


def _differences(fun: Callable[..., Any], task: Task) -> list[Any]:
    found = []
    for p in task.positions:
        for k, leaf in enumerate(floats(task.args[p])):
            gradient = np.empty(leaf.size)
            step = 1e-2 if leaf.dtype == np.float32 else 1e-6
            for i in range(leaf.size):
                h = step * max(1.0, abs(float(leaf.reshape(-1)[i])))
                sides = [float(fun(*_moved(task, p, k, i, side * h))) for side in (1.0, -1.0)]
                gradient[i] = (sides[0] - sides[1]) / (2.0 * h)
            found.append(gradient.reshape(leaf.shape))
    return found


def _moved(task: Task, position: int, leaf: int, entry: int, by: float) -> tuple[Any, ...]:
    """Fresh arguments with one number moved."""
    at = -1

    def visit(value: Any) -> Any:
        nonlocal at
        node = pytree.children(value)
        if node is not None:
            return pytree.rebuild(node[0], node[1], [visit(c) for c in node[2]])
        if not floats(value):
            return copied(value)
        at += 1
        if at != leaf:
            return copied(value)
        if not isinstance(value, np.ndarray):
            return type(value)(value + by)
        made = value.copy()
        made[np.unravel_index(entry, made.shape)] += by
        return made

    return tuple(visit(a) if k == position else copied(a) for k, a in enumerate(task.args))


# -- tracing tools
def _own(name: str) -> str:
    return f"its own version of the function: versions={{{name!r}: ...}}, --version {name}=FILE.py:NAME"


def version(task: Task, name: str, namespace: Any, loops: bool) -> tuple[Callable[..., Any], str]:
    """The function for a tool: the user's version of it, else the function itself with `np` bound anew."""
    given = task.versions.get(name)
    if given is not None:
        return given, ""
    fun = plain(task.fun)
    if not isinstance(fun, types.FunctionType):
        raise Skipped(f"needs {_own(name)}")
    if not loops and _has_loops(fun):
        raise Skipped(f"the function has loops; it needs {_own(name)}")
    return _rebound(fun, namespace, {}), f"the same function, np bound to {namespace.__name__}"


def _has_loops(fun: Callable[..., Any]) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fun)))
    except (OSError, TypeError, SyntaxError):
        return True
    return any(isinstance(n, ast.For | ast.While | ast.comprehension) for n in ast.walk(tree))


def _rebound(fun: types.FunctionType, namespace: Any, known: dict[Any, Any]) -> types.FunctionType:
    """The function with NumPy replaced in its globals, and in those of the functions that it names."""
    if fun in known:
        found: types.FunctionType = known[fun]
        return found
    globals_ = dict(fun.__globals__)
    made = types.FunctionType(fun.__code__, globals_, fun.__name__, fun.__defaults__, fun.__closure__)
    made.__kwdefaults__ = fun.__kwdefaults__
    known[fun] = made
    for name in fun.__code__.co_names:
        found_there = globals_.get(name)
        if isinstance(found_there, types.ModuleType):
            globals_[name] = namespace if found_there is np else found_there
            continue
        value = plain(found_there)
        if isinstance(value, types.FunctionType) and not value.__module__.startswith("numpy"):
            globals_[name] = _rebound(value, namespace, known)
    return made


def autograd_(task: Task) -> Contender:
    tool, namespace = installed("autograd"), installed("autograd.numpy")
    fun, note = version(task, "autograd", namespace, loops=True)
    argnum: Any = task.positions if len(task.positions) > 1 else task.positions[0]
    both = tool.value_and_grad(fun, argnum)
    args = task.fresh()
    return Contender(
        "autograd", lambda: fun(*args), lambda: both(*args), lambda: floats(both(*args)[1]), note=note
    )


def jax_(task: Task) -> Contender:
    tool, namespace = installed("jax"), installed("jax.numpy")
    home = tool if hasattr(tool, "enable_x64") else import_module("jax.experimental")
    double = home.enable_x64
    fun, note = version(task, "jax", namespace, loops=False)
    argnums: Any = task.positions if len(task.positions) > 1 else task.positions[0]
    fixed = tuple(k for k, a in enumerate(task.args) if isinstance(a, str | int) and k not in task.positions)
    function = tool.jit(fun, static_argnums=fixed)
    both = tool.jit(tool.value_and_grad(fun, argnums), static_argnums=fixed)
    with double(True):
        args = [
            a if k in fixed else tool.tree_util.tree_map(namespace.asarray, a)
            for k, a in enumerate(task.fresh())
        ]

    def ready(call: Callable[..., Any]) -> Any:
        return tool.block_until_ready(call(*args))

    return Contender(
        "jax",
        lambda: ready(function),
        lambda: ready(both),
        lambda: floats(tool.tree_util.tree_map(np.asarray, ready(both)[1])),
        lambda: ready(both),
        within=lambda: double(True),
        note=note,
    )


def torch_(task: Task) -> Contender:
    tool = installed("torch")
    fun = task.versions.get("torch")
    if fun is None:
        raise Skipped(f"needs {_own('torch')}")
    wanted: list[Any] = []

    def converted(value: Any, active: bool) -> Any:
        node = pytree.children(value)
        if node is not None:
            return pytree.rebuild(node[0], node[1], [converted(c, active) for c in node[2]])
        if not isinstance(value, np.ndarray) and not (active and isinstance(value, float)):
            return value
        made = tool.tensor(value, dtype=tool.float64) if isinstance(value, float) else tool.from_numpy(value)
        if active and made.is_floating_point():
            wanted.append(made.requires_grad_())
        return made

    args = [converted(a, k in task.positions) for k, a in enumerate(task.fresh())]

    def function() -> Any:
        with tool.no_grad():
            return fun(*args)

    def gradient() -> Any:
        value = fun(*args)
        return tool.autograd.grad(value, wanted)

    return Contender("torch", function, gradient, lambda: [g.numpy() for g in gradient()])


PEERS: dict[str, Callable[[Task], Contender]] = {
    "numpy-fd": finite_differences,
    "autograd": autograd_,
    "jax": jax_,
    "torch": torch_,
}


def known(names: Sequence[str]) -> None:
    """Refuse what is no peer."""
    for name in names:
        if name not in PEERS:
            raise ValueError(f"there is no peer {name!r}; there are {', '.join(PEERS)}")
