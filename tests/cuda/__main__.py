"""All programs and cases in the simulator, and through NVIDIA's compiler where it is installed: `python -m tests.cuda`.

The default run of the tests takes those of `selection`; this one takes about ten minutes. Further arguments are
pytest's.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .selection import SWITCH

if __name__ == "__main__":
    os.environ[SWITCH] = "1"
    sys.exit(pytest.main([str(Path(__file__).parent), *sys.argv[1:]]))
