"""The tool program: reads messages from standard input, answers on standard output."""

from __future__ import annotations

import sys

from .protocol import serve


def main() -> int:
    answers = sys.stdout
    sys.stdout = sys.stderr  # nothing else may come between the responses
    serve(sys.stdin, answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
