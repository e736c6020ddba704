"""Random programs by hand: `python -m tests.fuzz --minutes 10`.

Each failure is printed as it is found, shrunk, so that it can become a permanent test. The exit status is 1
where there was one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="this many seeds rather than a time")
    parser.add_argument("--compiled", action="store_true", help="compile with Numba (slow)")
    parser.add_argument("--second", action="store_true", help="second derivatives too")
    parser.add_argument("--checkpoints", action="store_true", help="some loops under adjit.checkpoint")
    parser.add_argument("--keep-going", action="store_true", help="do not stop after twenty failures")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the programs only")
    options = parser.parse_args()
    if not options.compiled:
        os.environ["ADJIT_DISABLE_JIT"] = "1"
    return show(options) if options.show else run(options)


def show(options: argparse.Namespace) -> int:
    from tests.support.strategies import random_program

    for seed in range(options.start, options.start + (options.count or 1)):
        program = random_program(seed)
        print(f"# seed {seed}: {', '.join(sorted(program.features))}\n{program.source}")
    return 0


def run(options: argparse.Namespace) -> int:
    from .harness import Harness, Summary

    harness = Harness(
        second=options.second, checkpoints=options.checkpoints, shrinks=0 if options.no_shrink else 10**9
    )
    total, seed = Summary(), options.start
    until = time.monotonic() + 60.0 * options.minutes
    stop = options.start + options.count if options.count else None
    while (seed < stop) if stop else (time.monotonic() < until):
        part = harness.run([seed])
        seed += 1
        total.counts += part.counts
        total.refusals += part.refusals
        total.failures += part.failures
        for failure in part.failures:
            print(f"{failure}\n{'-' * 70}", flush=True)
        if len(total.failures) >= 20 and not options.keep_going:
            break
    print(f"seeds {options.start} to {seed - 1}: {total}")
    return int(bool(total.failures))


if __name__ == "__main__":
    sys.exit(main())
