"""Drives the tool as GradBench does and checks its answers: `python -m benchmarks.gradbench.drive [NAME
...]`.

The tool runs as a child process. Each evaluation is defined, its functions are sent small inputs, each
output is compared with what is known from elsewhere (`checks`), and the verdict goes back to the tool as
GradBench's own evaluations do. The exit status is 1 unless all is right.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from .checks import Case, cases
from .protocol import NAMES


class Tool:
    """A tool process; `send` returns the response to a message."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0

    def send(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"id": self.count} | message) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the tool ended")
        response: dict[str, Any] = json.loads(line)
        if response.get("id") != self.count:
            raise ValueError(f"expected a response to {self.count}, got {line[:200]}")
        self.count += 1
        return response

    def close(self) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def message(case: Case, runs: int) -> dict[str, Any]:
    given = case.input
    if isinstance(given, dict):
        given = given | {"min_runs": runs, "min_seconds": 0.0}
    return {"kind": "evaluate", "module": case.module, "function": case.function, "input": given}


def judged(case: Case, response: dict[str, Any]) -> str:
    """What is wrong with a response, or nothing."""
    if not response.get("success"):
        return str(response.get("error", "no error is given")).strip()
    return case.trouble(response["output"])


def line(case: Case, response: dict[str, Any], trouble: str) -> str:
    timings = response.get("timings", [])
    compiling = sum(t["nanoseconds"] for t in timings if t["name"] == "compile") / 1e9
    times = [t["nanoseconds"] for t in timings if t["name"] == "evaluate"]
    best = f"{min(times) / 1e6:.3f} ms" if times else "-"
    return f"{case.name:20} {'right' if not trouble else 'WRONG':6} first {compiling:6.2f} s, then {best}"


def drive(names: list[str], runs: int = 1) -> int:
    """How many outputs were wrong."""
    tool = Tool([sys.executable, "-m", __package__ or "benchmarks.gradbench"])
    wrong = 0
    tool.send({"kind": "start"})
    for name in names:
        defined = tool.send({"kind": "define", "module": name})
        if not defined["success"]:
            print(f"{name}: {defined.get('error')}")
            wrong += 1
            continue
        for case in [c for c in cases() if c.module == name]:
            at = tool.count
            response = tool.send(message(case, runs))
            trouble = judged(case, response)
            print(line(case, response, trouble), flush=True)
            if trouble:
                wrong += 1
                print(f"    {trouble}")
            tool.send({"kind": "analysis", "of": at, "valid": not trouble})
    tool.close()
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradbench.drive")
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="evaluations, all if none is given")
    parser.add_argument("--runs", type=int, default=1, help="times each function runs")
    options = parser.parse_args()
    wrong = drive(options.names or list(NAMES), options.runs)
    print("all is right" if not wrong else f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
