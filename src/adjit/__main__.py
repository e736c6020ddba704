"""`python -m adjit`: the shell, as the command `adjit` is."""

from __future__ import annotations

import sys

from .shell import main

if __name__ == "__main__":
    sys.exit(main())
