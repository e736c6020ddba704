"""The tool's side of GradBench's protocol: messages on one stream, one response on another for each.

Input: lines, each a JSON object with an `id` and a `kind` (`start`, `define`, `evaluate`, `analysis`).
Output:
a line for each with the same `id`. A function's first run compiles; its time is reported as `compile`, and
the runs that the evaluation asked for, `min_runs` of them and at least `min_seconds` long, as `evaluate`.
What goes wrong in an evaluation is the `error` of its response, and the tool goes on.
"""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TextIO

import numpy as np

NAMES = (
    "hello",
    "ba",
    "det",
    "gmm",
    "ht",
    "kmeans",
    "llsq",
    "lse",
    "lstm",
    "ode",
    "particle",
    "saddle",
)


@dataclass(frozen=True)
class Served:
    """One function of an evaluation.

    `prepare` turns the message's input into arguments, `run` is what is timed, `report` turns its value into
    what JSON has.
    """

    prepare: Callable[[Any], tuple[Any, ...]]
    run: Callable[..., Any]
    report: Callable[[Any], Any] = lambda value: plain(value)


def plain(value: Any) -> Any:
    """Arrays as nested lists, NumPy's numbers as Python's."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def functions(module: str) -> dict[str, Served]:
    """The functions of an evaluation by name."""
    if module not in NAMES:
        raise LookupError(f"the module {module!r} is not served; there are {', '.join(NAMES)}")
    found: dict[str, Served] = import_module(f"{__package__}.evaluations.{module}").FUNCTIONS
    return found


def repeated(call: Callable[[], Any], runs: int, seconds: float) -> tuple[Any, list[dict[str, Any]]]:
    """The value, and the times: of the first call, which compiles, and of the runs that count."""
    start = time.perf_counter_ns()
    value = call()
    timings = [{"name": "compile", "nanoseconds": time.perf_counter_ns() - start}]
    total, done = 0, 0
    while done < runs or total < seconds * 1e9:
        start = time.perf_counter_ns()
        value = call()
        took = time.perf_counter_ns() - start
        timings.append({"name": "evaluate", "nanoseconds": took})
        total, done = total + took, done + 1
    return value, timings


def evaluate(message: dict[str, Any]) -> dict[str, Any]:
    module, name, given = message["module"], message["function"], message["input"]
    served = functions(module).get(name)
    if served is None:
        raise LookupError(f"the module {module!r} has no function {name!r}")
    runs = given if isinstance(given, dict) else {}
    arguments = served.prepare(given)
    value, timings = repeated(
        lambda: served.run(*arguments), runs.get("min_runs", 1), runs.get("min_seconds", 0.0)
    )
    return {"success": True, "output": served.report(value), "timings": timings}


def respond(message: dict[str, Any]) -> dict[str, Any]:
    """The response to one message."""
    answer: dict[str, Any] = {"id": message["id"]}
    try:
        match message.get("kind"):
            case "start":
                return answer | {"tool": "adjit"}
            case "define":
                functions(message["module"])
                return answer | {"success": True}
            case "evaluate":
                return answer | evaluate(message)
    except Exception as error:  # the evaluation reads of it, and sends its next message
        return answer | {"success": False, "error": "".join(traceback.format_exception(error))}
    return answer


def serve(lines: Iterable[str], out: TextIO) -> None:
    """Answer until the input ends."""
    for line in lines:
        if line.strip():
            print(json.dumps(respond(json.loads(line))), file=out, flush=True)
