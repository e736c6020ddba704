"""Random programs with some of their loops under `adjit.checkpoint`.

Input: a random program. Output: the same program, in which the ranges of some `for` loops and the
conditions of some `while` loops are checkpointed: by itself it computes what it did.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

from .strategies import RandomProgram

HEADER = re.compile(r"^( *)(for \w+ in |while )(.+):$")


def with_checkpoints(program: RandomProgram) -> RandomProgram:
    rng = random.Random(program.seed)

    def line(text: str) -> str:
        found = HEADER.match(text)
        if found is None or rng.random() < 0.4:
            return text
        indent, word, header = found.groups()
        if word.startswith("for") and not header.startswith("range("):
            return text
        return f"{indent}{word}checkpoint({header}, snapshots={rng.choice((None, 1, 1, 2, 3))}):"

    lines = [line(text) for text in program.source.splitlines()]
    return replace(program, source="\n".join(["from adjit import checkpoint", *lines, ""]))
