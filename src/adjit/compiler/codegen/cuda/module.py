"""The module that holds the kernels of one function and the host's program.

Input: a finished core function. Output: `Text`. Everything in it is one file of plain Python, kernels in the
order in which they are met. Invariants: the same function gives the same bytes; no path of this machine is
in it. Non-goals: writing files, compiling.
"""

from __future__ import annotations

import ast
import builtins
import os
from dataclasses import replace

from ...ir.nodes import NOWHERE, Function, Location
from ...kernels import Kernel, partition
from ...library import ROUTINES
from ...ops.core import TABLE
from ..linemap import Site, Text
from ..naming import RESERVED, identifier
from ..statements import TAB, Line
from .host import HostStatements
from .kernel import KernelStatements

DRIVER = ("checked", "empty", "gemm", "grown", "launch", "read", "summed", "view", "zeros")
HOSTED = tuple(sorted(ROUTINES.keys() - {"gemm", "show"}))
FAILING = ("failed", "failed_with", "outside")
MODULES = ("special", "support")
THREADS = ("x", "y", "z", "dx", "dy", "dz", "cuda")


def _device_names() -> tuple[str, ...]:
    """What kernels may call: the functions in the spellings of ops, and those that kernels add."""
    found = {"note", "sum_float32", "sum_float64", "sum_int64"}
    for row in TABLE.values():
        tree = ast.parse(row.python.format(*(f"_{k}_" for k in range(row.arity))), mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                f = node.func
                found.add(f.attr if isinstance(f, ast.Attribute) else ast.unparse(f))
    return tuple(sorted(found.difference(dir(builtins))))


def cuda_text(fn: Function, title: str = "") -> Text:
    """The text of the module; the host's program has the name of `fn`."""
    name = identifier(fn.name)
    device = _device_names()
    taken = {*DRIVER, *HOSTED, "show", *FAILING, *MODULES, *device, *THREADS}
    if name in taken or name in RESERVED:
        name += "_"
    plan = partition(fn if fn.name == name else replace(fn, name=name))
    sites: list[Site] = []
    reserved = (name, *taken, *(k.fn.name for k in plan.kernels))
    parts = [_kernel(k, reserved, sites) for k in plan.kernels]
    host = HostStatements(plan.host, {k.fn.name: k for k in plan.kernels}, reserved, sites)
    host.run()
    driver: list[Line] = [
        (0, f"def {name}({', '.join(host.names[v] for v in plan.host.params)}):", NOWHERE, ()),
        *host.lines,
    ]
    head = [*_header(fn, host, title or name), "", *_imports(parts, driver, device)]
    code: list[Line] = [(0, line, NOWHERE, ()) for line in head]
    for part in (*parts, driver):
        code += [(0, "", NOWHERE, ()), (0, "", NOWHERE, ()), *part]
    lines = tuple(loc for _, _, loc, _ in code)
    text = "\n".join((TAB * depth + line) if line else "" for depth, line, _, _ in code) + "\n"
    types = tuple((k.fn.name, tuple(p.type for p in k.fn.params)) for k in plan.kernels)
    return Text(
        text, name, tuple(sites), lines, target="cuda", kernels=types, folded=tuple(f for *_, f in code)
    )


def _kernel(kernel: Kernel, taken: tuple[str, ...], sites: list[Site]) -> list[Line]:
    body = KernelStatements(kernel, taken, sites)
    body.run()
    params = ", ".join(body.names[v] for v in kernel.fn.params)
    nowhere: Location = NOWHERE
    return [(0, "@cuda.jit", nowhere, ()), (0, f"def {kernel.fn.name}({params}):", nowhere, ()), *body.lines]


def _header(fn: Function, host: HostStatements, title: str) -> list[str]:
    origin = f" ({os.path.basename(fn.loc.file)}:{fn.loc.line})" if fn.loc.line > 0 else ""
    lines = [f'"""{title}, on the GPU{origin}', ""]
    lines.extend(f"{host.names[v]}: {v.type}" for v in fn.params)
    results = [f"{x.type}" for x in fn.results]
    lines.append(f"returns {', '.join(results) if results else 'nothing'}")
    lines.extend(fn.notes)
    lines.append('"""')
    return [line.replace("\\", "\\\\") for line in lines]


def _calls(lines: list[Line]) -> tuple[set[str], set[str]]:
    """Names that are called, and modules of which something is called."""
    tree = ast.parse("\n".join(TAB * depth + text for depth, text, _, _ in lines))
    called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
    owners = [f.value for f in called if isinstance(f, ast.Attribute)]
    return {f.id for f in called if isinstance(f, ast.Name)}, {
        o.id for o in owners if isinstance(o, ast.Name)
    }


def _imports(kernels: list[list[Line]], driver: list[Line], device: tuple[str, ...]) -> list[str]:
    inside: set[str] = set()
    for kernel in kernels:
        inside |= _calls(kernel)[0]
    outside, modules = _calls(driver)
    lines = ["import numpy as np", "from numba import cuda", ""]
    wanted = [
        ("adjit.runtime", sorted(modules.intersection(MODULES))),
        ("adjit.runtime.cuda.device", sorted(inside.intersection(device))),
        ("adjit.runtime.cuda.driver", sorted(outside.intersection(DRIVER))),
        ("adjit.runtime.cuda.hosted", sorted(outside.intersection(HOSTED))),
        ("adjit.runtime.showing", sorted(outside.intersection({"show"}))),
        ("adjit.runtime.support", sorted(outside.intersection(FAILING))),
    ]
    lines += [f"from {home} import {', '.join(names)}" for home, names in wanted if names]
    return lines if lines[-1] else lines[:-1]
