"""The shell's way in: `python -m adjit demo`."""

from __future__ import annotations

import argparse
import sys


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m adjit", description="Native gradients of Python programs."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser(
        "demo", help="four worked programs, from a one-line formula to a heat equation"
    )
    demo.add_argument("parts", nargs="*", help="worked, digits, garch, heat (all by default)")
    options = parser.parse_args(arguments)
    try:
        import sklearn  # noqa: F401
    except ImportError:
        if not options.parts or "digits" in options.parts:
            print('The demo needs scikit-learn for its data: pip install "adjit[demo]"', file=sys.stderr)
            return 2
    from .demo import run

    return run(options.parts)


if __name__ == "__main__":
    sys.exit(main())
