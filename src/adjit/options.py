"""Options of every transform, and the environment variables that adjit reads.

Input: keyword arguments of a transform. Output: a frozen, hashable `Options`.
Invariants: an unknown or malformed option is refused; the environment is read in this module only.
Non-goals: acting on any of them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is compiled. `fastmath` reassociates sums and takes short forms of formulas (the
    derivative of `arctan2` then holds for arguments between 1e-154 and 1e154); it never assumes that NaN
    and infinity do not occur. `max_bytes` is what one call of a gradient may have at a time beyond its
    arguments, results included. `saved_as` is the format of two bytes in which loops of a gradient save
    floats. `intermediates` are local names whose values a gradient may be asked for. `parallel` divides
    loops among threads: among as many as Numba has (True), or among that many, from 2 on (1 is the same as
    False).
    """

    target: str = "cpu"
    parallel: bool | int = False
    fastmath: bool = False
    boundscheck: bool = True
    precise: bool = False
    cache: bool = True
    max_bytes: int | None = None
    check_inputs: bool = True
    debug_nans: bool = False
    intermediates: tuple[str, ...] = ()
    saved_as: str | None = None

    def updated(self, changes: dict[str, object]) -> Options:
        """These options with `changes`; refuses unknown names and values of the wrong type."""
        known = {f.name for f in fields(self)}
        for name, value in changes.items():
            if name not in known:
                from difflib import get_close_matches

                near = get_close_matches(name, [*known, *OWN], 1)
                raise TypeError(
                    f"{name!r} is not an option of adjit; "
                    + (f"is {near[0]!r} meant? " if near else "")
                    + f"The options are {', '.join(sorted(known))}"
                )
            _check(name, value)
        if isinstance(changes.get("parallel"), int) and changes["parallel"] == 1:
            changes = {**changes, "parallel": changes["parallel"] is True}
        return replace(self, **changes)  # type: ignore[arg-type]


# Parameters that some transforms have besides.
OWN = ("argnums", "has_aux", "in_axes", "out_axes", "outputs", "retain")


def _check(name: str, value: object) -> None:
    if name == "target":
        if value not in ("cpu", "cuda"):
            raise ValueError(f"target must be 'cpu' or 'cuda', not {value!r}")
    elif name == "max_bytes":
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise TypeError(f"max_bytes must be None or a number of bytes, not {value!r}")
    elif name == "saved_as":
        if value not in (None, "float16", "bfloat16"):
            raise ValueError(f"saved_as must be None, 'float16' or 'bfloat16', not {value!r}")
    elif name == "parallel":
        if not isinstance(value, bool) and (not isinstance(value, int) or value < 1):
            raise TypeError(f"parallel must be True, False or a number of threads, not {value!r}")
    elif name == "intermediates":
        if not isinstance(value, tuple) or not all(isinstance(v, str) for v in value):
            raise TypeError(f"intermediates must be names, not {value!r}")
    elif not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {value!r}")


DEFAULT = Options()


def _flag(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


def jit_disabled() -> bool:
    """`ADJIT_DISABLE_JIT`: run generated programs as plain Python."""
    return _flag("ADJIT_DISABLE_JIT") or _flag("NUMBA_DISABLE_JIT")


def libmvec_unwanted() -> bool:
    """`ADJIT_NO_LIBMVEC`: compile as on a machine without glibc's vector functions."""
    return _flag("ADJIT_NO_LIBMVEC")


def cache_folder() -> Path:
    """`ADJIT_CACHE_DIR`, or `adjit` in the user's cache folder."""
    chosen = os.environ.get("ADJIT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path(os.path.expanduser("~")) / ".cache") / "adjit"


def dump_folder() -> Path | None:
    """`ADJIT_DUMP`: a folder that receives the program after each pass."""
    chosen = os.environ.get("ADJIT_DUMP")
    return Path(chosen) if chosen else None


def log_wanted() -> bool:
    """`ADJIT_LOG`: say on standard error what is compiled, why, and how long it took."""
    return _flag("ADJIT_LOG")
