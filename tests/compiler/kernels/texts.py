"""Generated text for the GPU, made by the compiler alone: Numba's CUDA half is not imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjit.compiler import derived, pipeline
from adjit.compiler.codegen.linemap import Text
from adjit.options import Options
from adjit.runtime import pytree

OPTIONS = Options(target="cuda")


def primal(function: Callable[..., Any], *args: Any) -> Text:
    specs = tuple(pytree.take_apart(a, "an argument", []) for a in args)
    return pipeline.emit(pipeline.capture(function, specs, OPTIONS).function, OPTIONS)


def gradient(function: Callable[..., Any], *args: Any) -> Text:
    specs = tuple(pytree.take_apart(a, "an argument", []) for a in args)
    program = pipeline.capture(function, specs, OPTIONS)
    made = derived.gradient(program, (0,), single=True, value=True)
    return pipeline.emit(made.function, OPTIONS)


def kernels(text: Text) -> list[str]:
    """The kernels' own lines, one text each."""
    return ["@cuda.jit" + part.split("\n\n\n")[0] for part in text.source.split("@cuda.jit")[1:]]


def host(text: Text) -> str:
    """The host's program."""
    return text.source[text.source.index(f"\ndef {text.name}(") :]
