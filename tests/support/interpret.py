"""The machine that runs core IR statement by statement, for tests of passes."""

from adjit.compiler.machine import run

__all__ = ["run"]
