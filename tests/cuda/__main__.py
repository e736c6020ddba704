"""`python -m tests.cuda`: all programs and cases in the simulator, and by NVIDIA's compiler if it is here.

The default run of the tests takes those of `selection`; this one takes about ten minutes. Further arguments
are pytest's.
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
