"""LLVM settings under which generated loops vectorise; made for the whole process by the import.

Loops of generated programs touch many arrays and several rows of one array. LLVM vectorises such a loop
with checks at run time that nothing overlaps. Moved out of the enclosing loop these checks cover all
rows at once, and then fail; and eight of them, LLVM's limit, are too few. Invariants: no result depends
on the settings. An LLVM that does not know one of them is left as it is.
"""

from __future__ import annotations

import llvmlite.binding

SETTINGS = ("--hoist-runtime-checks=false", "--runtime-memory-check-threshold=64")

for _setting in SETTINGS:
    llvmlite.binding.set_option("adjit", _setting)
