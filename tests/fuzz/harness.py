"""Runs random programs and reports those that fail, shrunk.

Input: seeds. Output: counts per verdict, and for each failure the shrunken source with what went wrong. The
command line (`python -m tests.fuzz`) and the tests in this folder share it.
"""

from __future__ import annotations

import collections
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.checkpointing import with_checkpoints
from tests.support.judge import Verdict, check
from tests.support.shrink import shrink
from tests.support.strategies import RandomProgram, random_program, usable, write_module


@dataclass
class Failure:
    seed: int
    verdict: Verdict
    source: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.verdict.kind}: {self.verdict.message}\n\n{self.source}"


@dataclass
class Summary:
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    refusals: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        total = ", ".join(f"{n} {kind}" for kind, n in sorted(self.counts.items()))
        reasons = "".join(f"\n  {n:4} {text}" for text, n in self.refusals.most_common(12))
        return total + reasons


class Harness:
    """`second`: second derivatives too. `checkpoints`: some loops are checkpointed. `shrinks`: how many
    failures are shrunk, the rest are printed as they are. `options` are those of the transforms."""

    def __init__(
        self, *, second: bool = False, checkpoints: bool = False, shrinks: int = 5, **options: Any
    ) -> None:
        self.second, self.checkpoints = second, checkpoints
        self.options = options
        self.shrinks = shrinks
        self.folder = Path(tempfile.mkdtemp(prefix="adjit-fuzz-"))
        self.number = 0

    def judge(self, program: RandomProgram, source: str | None = None) -> Verdict:
        self.number += 1
        name = f"random_program_{self.number}"
        module = write_module(source or program.source, name, self.folder)
        rtol = 2e-3 if program.float32 else 1e-6
        return check(
            module.program,
            program.make_args(),
            program.argnums,
            seed=program.seed,
            rtol=rtol,
            second=self.second and not program.float32,
            **self.options,
        )

    def run(self, seeds: Iterable[int], until: float = float("inf")) -> Summary:
        """Judges the seeds, at most until the time `until`."""
        summary = Summary()
        for seed in seeds:
            if time.monotonic() > until:
                break
            program = random_program(seed)
            if self.checkpoints:
                program = with_checkpoints(program)
            verdict = self.judge(program)
            summary.counts[verdict.kind] += 1
            if verdict.kind == "refused":
                summary.refusals[first_line(verdict.message)] += 1
            if verdict.bad:
                source = (
                    self.shrunk(program, verdict) if len(summary.failures) < self.shrinks else program.source
                )
                summary.failures.append(Failure(seed, verdict, source))
        return summary

    def shrunk(self, program: RandomProgram, verdict: Verdict) -> str:
        def fails(source: str) -> bool:
            if not usable(source, program.make_args()):
                return False
            now = self.judge(program, source)
            return now.kind == verdict.kind and kind_of(now) == kind_of(verdict)

        return shrink(program.source, fails)


def first_line(message: str) -> str:
    lines = [line for line in message.splitlines() if line.strip()]
    return lines[0][:140] if lines else ""


def kind_of(verdict: Verdict) -> str:
    """What went wrong, up to names and numbers."""
    head, _, rest = verdict.message.partition(":")
    if verdict.kind == "wrong":
        return head.split()[0]
    return head + "".join(c for c in first_line(rest)[:40] if not c.isdigit())
