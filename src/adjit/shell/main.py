"""The command line: what can be asked for, and what the exit status says.

Invariants: 0 is success, 1 a check that failed, 2 a command line that says too little, 3 a function that
adjit refuses, 4 an error of the function itself. Nothing heavy is imported before a command is known, so
`--help` is quick.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from ..errors import AdjitError
from .expressions import ArgumentError
from .target import UsageError

STATUS = """\
exit status:
  0  done
  1  a check failed, or a part of the demo missed its goal
  2  the command line says too little or something unknown
  3  adjit refuses the function; the message says where and what to write instead
  4  the function itself, or its file, raised an error
"""
ARGUMENTS = """\
arguments of the function:
  --args "w=2.0, x=randn(100, 3)"   as in a call. There are numbers, strings, tuples, lists, dicts,
                                    + - * / **, pi, e, inf, nan, and randn, rand, randint, zeros, ones,
                                    full, eye, arange,
                                    linspace, array, float32.
  --builder NAME                    a function of the file that returns them as a tuple;
                                    for `loss`, `loss_args` is found by itself.
"""
EXAMPLES = {
    "source": 'adjit source loss.py:loss --args "w=2.0, x=4.0"',
    "explain": 'adjit explain loss.py:loss w --args "w=2.0, x=4.0"',
    "saved": 'adjit saved rod.py:energy --args "u=linspace(0, 1, 50), steps=20, rate=0.2"',
    "check": 'adjit check loss.py:loss --args "w=2.0, x=4.0"',
    "bench": 'adjit bench loss.py:loss --args "randn(1000)" --against numpy-fd,jax --plot loss.png',
    "report": 'adjit report loss.py:loss --args "w=2.0, x=4.0" -o loss.html',
}
WORDS = {
    "source": "print the generated program",
    "explain": "say in words how the gradient of one argument comes about",
    "saved": "what the forward sweep keeps for the reverse sweep, in bytes",
    "check": "compare derivatives with finite differences",
    "bench": "time function and gradient, against other tools too",
    "report": "write an HTML page: source beside adjoint, the graph step by step, what is saved",
}


def _function(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str
) -> argparse.ArgumentParser:
    one = commands.add_parser(
        name,
        help=WORDS[name],
        description=f"{WORDS[name][0].upper()}{WORDS[name][1:]}.",
        epilog=f"{ARGUMENTS}\nexample:\n  {EXAMPLES[name]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("function", metavar="FILE.py:function")
    if name == "explain":
        one.add_argument("name", help="the argument to follow")
    one.add_argument("--args", metavar="TEXT", help="the function's arguments, see below")
    one.add_argument("--builder", metavar="NAME", help="a function of the file that returns the arguments")
    if name != "check":  # compares in all that is a float
        one.add_argument(
            "--argnums", default="0", metavar="N|NAME[,...]", help="what to differentiate in (0)"
        )
    one.add_argument("--seed", type=int, default=0, help="of random numbers in --args (0)")
    return one


def parser() -> argparse.ArgumentParser:
    try:
        number = version("adjit")
    except PackageNotFoundError:
        number = "unknown"
    made = argparse.ArgumentParser(
        prog="adjit",
        description="Native gradients of ordinary Python/NumPy functions: see, check and time them.",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"adjit {number}")
    commands = made.add_subparsers(dest="command", required=True, metavar="command")
    demo = commands.add_parser(
        "demo", help="four worked programs, from a one-line formula to a heat equation"
    )
    demo.add_argument("parts", nargs="*", help="worked, digits, garch, heat (all by default)")
    source = _function(commands, "source")
    source.add_argument(
        "--transform", choices=("value_and_grad", "grad", "jit"), default="value_and_grad", help="of what"
    )
    _function(commands, "explain")
    _function(commands, "saved")
    check = _function(commands, "check")
    check.add_argument("--order", type=int, choices=(1, 2), default=2, help="highest derivative (2)")
    check.add_argument(
        "--modes", metavar="MODE[,...]", help="fwd, rev or both (all that the function has rules for)"
    )
    _bench(_function(commands, "bench"))
    report = _function(commands, "report")
    report.add_argument("-o", "--output", metavar="FILE", help="the page (FUNCTION.html)")
    return made


def _bench(bench: argparse.ArgumentParser) -> None:
    bench.add_argument(
        "--against",
        default="numpy-fd,autograd,jax,torch",
        metavar="PEER,...",
        help="other tools; those not installed are skipped by name",
    )
    bench.add_argument(
        "--version",
        action="append",
        default=[],
        metavar="PEER=FILE.py:function",
        help="the function written for a peer, where it must be written differently",
    )
    bench.add_argument("--seconds", type=float, default=2.0, help="of measuring, for each tool (2)")
    bench.add_argument("--json", metavar="FILE", help="write the figures; - for standard output")
    bench.add_argument("--plot", metavar="FILE", help="draw the times (needs matplotlib)")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    commands = import_module(".commands", __package__)
    try:
        status: int = getattr(commands, options.command)(options)
        return status
    except (UsageError, ArgumentError) as error:
        print(f"adjit {options.command}: {error}", file=sys.stderr)
        return 2
    except AdjitError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception:
        traceback.print_exc()
        return 4
