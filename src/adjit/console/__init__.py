"""What is printed for people: tables and progress, with `rich` where it is installed and without it
elsewhere."""

from .progress import Steps, steps
from .tables import Table, code, decorated, render, show

__all__ = ["Steps", "Table", "code", "decorated", "render", "show", "steps"]
