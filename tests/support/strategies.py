"""Random well-typed programs in the supported subset, as Python source text.

`random_program(seed)` gives a `RandomProgram`: a module's source with one function `program`, the arguments
to call it with, and which of them are differentiated. The same seed gives the same program. Programs that
raise, or whose values are not finite or not small, are passed over, so that what comes out has a value at its
arguments. The feature set of each program is a random subset (see `random_expressions.FEATURES`), so that
rare combinations are met.

`write_module` puts a program into a real file and imports it, since capture reads source.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from .random_expressions import FEATURES, Array, Dim, Environment
from .random_statements import Writer

HELPERS = {
    "mix": "def mix(p, q=0.5):\n    return p * np.sin(q) + 0.3 * q\n",
    "soft": "def soft(p):\n    if p > 0.3:\n        return p * p\n    return 0.09 + 0.6 * (p - 0.3)\n",
    "pair": "def pair(p, q):\n    return np.tanh(p * q), 0.5 * (p - q)\n",
    "first_above": (
        "def first_above(a, level):\n    for i in range(a.shape[0]):\n        if a[i] > level:\n"
        "            return 0.7 * a[i]\n    return 0.1\n"
    ),
    "decayed": (
        "def decayed(a, rate):\n    total = 0.0\n    weight = 1.0\n    k = 0\n"
        "    while k < a.shape[0] and weight > 0.05:\n        total += weight * a[k] * a[-1 - k]\n"
        "        weight *= 0.6 + 0.1 * np.sin(rate)\n        k += 1\n    return 0.3 * total\n"
    ),
    "damp": "def damp(a, k):\n    for i in range(a.shape[0]):\n        a[i] = np.tanh(a[i] * k + 0.1 * i)\n",
    "smoothed": (
        "def smoothed(a):\n    b = a.copy()\n    for i in range(1, a.shape[0]):\n"
        "        b[i] = 0.5 * a[i] + 0.4 * b[i - 1] * a[i - 1]\n    return b\n"
    ),
}
HEADER = "import math\n\nimport numpy as np\n\n\n"


@dataclass(frozen=True)
class RandomProgram:
    """`make_args()` gives fresh arguments each time. `cotangent` is None where the result is a scalar."""

    seed: int
    source: str
    make_args: Callable[[], tuple[object, ...]]
    argnums: tuple[int, ...]
    features: frozenset[str]

    @property
    def float32(self) -> bool:
        return "float32" in self.features


def random_program(seed: int) -> RandomProgram:
    """The first usable program of the sequence that the seed starts."""
    rng = random.Random(seed)
    while True:
        program = _attempt(seed, rng)
        if usable(program.source, program.make_args()):
            return program


def _attempt(seed: int, rng: random.Random) -> RandomProgram:
    share = rng.choice((0.2, 0.35, 0.5, 0.7))
    features = {f for f in FEATURES if rng.random() < share}
    if rng.random() < 0.8:
        features.discard("float32")
    env = Environment(rng, frozenset(features))
    parameters = ["x", "y", "c", "n"]
    if "two_dimensions" in features:
        parameters += ["a", "m"]
    if "gather" in features:
        parameters.append("idx")
        env.index_array = "idx"
    writer = Writer(env)
    _opening(writer)
    for _ in range(rng.randint(2, 7)):
        writer.statement()
    writer.write(_result(env))
    body = f"def program({', '.join(parameters)}):\n" + "\n".join(writer.lines) + "\n"
    helpers = "".join(HELPERS[name] + "\n\n" for name in sorted(env.helpers))
    argnums = tuple(k for k, p in enumerate(parameters) if p in "xyca")
    sizes = (rng.randint(4, 6), rng.randint(3, 4))
    dtype = "float32" if "float32" in features else "float64"

    def make_args() -> tuple[object, ...]:
        return _arguments(seed, parameters, sizes, dtype)

    return RandomProgram(seed, HEADER + helpers + body, make_args, argnums, env.features)


def _opening(writer: Writer) -> None:
    """The first names: parameters as they are or copied, one scalar."""
    env, n, m = writer.env, Dim("n"), Dim("m")
    dtype = "float32" if env.has("float32") else "float64"
    overwrite = env.has("overwrite_arguments")
    env.arrays.append(Array("x", (n,), dtype, writable=overwrite))
    env.arrays.append(Array("y", (n,), dtype, writable=overwrite and env.chance(0.5)))
    if env.has("two_dimensions"):
        env.arrays.append(Array("a", (m, n), dtype, writable=overwrite))
        writer.write("d = np.zeros((m, n))")
        env.arrays.append(Array("d", (m, n)))
    writer.write("u = x * 1.0" if env.chance(0.3) else "u = x.copy()")
    env.arrays.append(Array("u", (n,), dtype))
    writer.write("w = np.zeros(n)")
    env.arrays.append(Array("w", (n,)))
    writer.write("s = 0.3" if env.chance(0.5) else "s = c * x[0]")
    env.scalars += ["c", "s"]
    if env.has("counters"):
        writer.write("count = 0")
        env.counters.append("count")
    if env.scalars and not env.has("array_result"):
        writer.returns = lambda: f"return s * {round(env.rng.uniform(0.2, 1.5), 2)} + {env.arrays[0].name}[1]"


def _result(env: Environment) -> str:
    """Everything that is alive, so that most of the program is active."""
    if env.has("array_result"):
        candidates = [a for a in env.arrays if a.shape == (Dim("n"),)]
        return f"return s * {candidates[-1].name} + " + " + ".join(f"0.5 * {a.name}" for a in candidates[:4])
    terms = [f"{0.3 + 0.1 * k:.1f} * {s}" for k, s in enumerate(env.scalars)]
    for k, a in enumerate(env.arrays):
        if len(a.shape) == 1:
            terms.append(f"np.sum(np.sin({a.name} * {0.5 + 0.2 * k:.1f}))")
        else:
            terms.append(f"0.4 * np.sum({a.name} * {a.name})")
    return "return " + " + ".join(terms)


def _arguments(seed: int, parameters: list[str], sizes: tuple[int, int], dtype: str) -> tuple[object, ...]:
    draw = np.random.default_rng(seed)
    n, m = sizes
    values: dict[str, object] = {
        "x": draw.uniform(-1, 1, n).astype(dtype),
        "y": draw.uniform(-1, 1, n).astype(dtype),
        "c": float(draw.uniform(-1, 1)),
        "n": n,
        "a": draw.uniform(-1, 1, (m, n)).astype(dtype),
        "m": m,
        "idx": draw.integers(0, n, n),
    }
    return tuple(values[p] for p in parameters)


def usable(source: str, args: tuple[object, ...]) -> bool:
    """`program` runs on these arguments, and its value is finite and moderate."""
    namespace: dict[str, object] = {}
    try:
        exec(compile(source, "<random program>", "exec"), namespace)
        function = namespace["program"]
        assert callable(function)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = function(*args)
        return bool(np.all(np.isfinite(value)) and np.all(np.abs(value) < 1e4))
    except Exception:  # whatever the program does wrong, another one is drawn
        return False


def write_module(source: str, name: str, folder: Path) -> ModuleType:
    """The source as a file in `folder`, imported under `name`."""
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
