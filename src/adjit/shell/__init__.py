"""The shell: `adjit source loss.py:loss --args "w=2.0, x=randn(100, 3)"` and its sisters.

Reading order: `expressions` (the language of `--args`), `target` (what is worked on), `commands`, `main`.
"""

from .main import main

__all__ = ["main"]
