"""A user's function and its gradient, timed against other tools.

Reading order: `peers` (how each tool is asked for a gradient), `measure` (time and memory), `comparison` (the
figures, as a table, as JSON and as a plot), `contest`.
"""

from .comparison import Comparison, Row
from .contest import compare

__all__ = ["Comparison", "Row", "compare"]
