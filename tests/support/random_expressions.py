"""Random expressions over the names of a program under construction.

Input: an `Environment` (which scalars, arrays and loop variables are visible, and which features this program
uses). Output: text of a Python expression. Invariants: it is well typed; every index is in range for every
trip count, because loop variables carry their range as offsets from a dimension; most operations are smooth
and bounded, so that finite differences of the program mean something. Non-goals: good coverage of NumPy's
functions (the table in `tests/ops` has that).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

SMALLEST = {"n": 4, "m": 3}  # every argument generator keeps dimensions at least this large

# What a program may contain. A random subset is switched on for each program, so that rare combinations are
# met.
FEATURES = (
    "alias",
    "array_result",
    "conditional_swap",
    "counters",
    "exits",
    "float32",
    "gather",
    "helpers",
    "inner_functions",
    "iterate",
    "kinks",
    "numpy",
    "overwrite_arguments",
    "rebind",
    "slices",
    "swap",
    "triangular",
    "two_dimensions",
    "views",
    "while",
)


@dataclass(frozen=True)
class Dim:
    """The length `base - minus`."""

    base: str
    minus: int = 0

    def __str__(self) -> str:
        return f"{self.base} - {self.minus}" if self.minus else self.base


@dataclass(frozen=True)
class Array:
    """`owns`: the name is bound to a whole array, not to a view of another one's memory."""

    name: str
    shape: tuple[Dim, ...]
    dtype: str = "float64"
    owns: bool = True
    writable: bool = True


@dataclass(frozen=True)
class LoopVariable:
    """Takes values from `lo` to `base - minus - 1` at most."""

    name: str
    base: str
    lo: int = 0
    minus: int = 0


@dataclass
class Environment:
    rng: random.Random
    features: frozenset[str]
    scalars: list[str] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    loops: list[LoopVariable] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)  # non-negative integers that the program changes
    functions: list[str] = field(default_factory=list)  # inner functions of one number
    helpers: set[str] = field(default_factory=set)
    index_array: str = ""  # an integer array with entries in range(n)
    fresh: int = 0

    def has(self, feature: str) -> bool:
        return feature in self.features

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def of_shape(self, shape: tuple[Dim, ...]) -> list[Array]:
        return [a for a in self.arrays if a.shape == shape]

    def one_dimensional(self) -> list[Array]:
        return [a for a in self.arrays if len(a.shape) == 1]

    def two_dimensional(self) -> list[Array]:
        return [a for a in self.arrays if len(a.shape) == 2]


def constant(env: Environment) -> str:
    return repr(round(env.rng.uniform(-1.2, 1.2), 2))


def index(env: Environment, dim: Dim) -> str:
    """An index in range for an axis of length `dim`."""
    rng = env.rng
    exact: list[str] = []
    wrapped: list[str] = []
    for v in env.loops:
        if v.base == dim.base:
            for k in range(-v.lo, v.minus - dim.minus + 1):
                exact += [f"{v.name} {'+' if k > 0 else '-'} {abs(k)}" if k else v.name]
            if v.minus >= dim.minus and dim.minus == 0:
                exact.append(f"{dim} - 1 - {v.name}")
        wrapped.append(f"({v.name} + {rng.randint(1, 2)}) % ({dim})")
    if exact and env.chance(0.7):
        return rng.choice(exact)
    if wrapped and env.chance(0.3):
        return rng.choice(wrapped)
    if env.index_array and dim == Dim("n") and env.has("gather") and env.chance(0.2):
        return f"{env.index_array}[{index(env, Dim('n'))}]"
    if env.counters and env.chance(0.4):
        return f"{rng.choice(env.counters)} % ({dim})"
    top = SMALLEST[dim.base] - dim.minus - 1
    return str(rng.randint(0, top)) if env.chance(0.8) else str(-rng.randint(1, top + 1))


def element(env: Environment, array: Array) -> str:
    return f"{array.name}[{', '.join(index(env, d) for d in array.shape)}]"


def atom(env: Environment) -> str:
    k = env.rng.random()
    if k < 0.5 and env.arrays:
        return element(env, env.rng.choice(env.arrays))
    if k < 0.85 and env.scalars:
        return env.rng.choice(env.scalars)
    if k < 0.9 and env.loops:
        return f"0.1 * {env.rng.choice(env.loops).name}"
    return constant(env)


def condition(env: Environment) -> str:
    rng = env.rng
    text = f"{scalar(env, 1)} {rng.choice(('>', '<', '>=', '<='))} {constant(env)}"
    if env.loops and env.chance(0.3):
        v = rng.choice(env.loops).name
        text = rng.choice(
            (f"{v} % 2 == 0", f"{v} > 1", f"{v} != 2", f"{text} and {v} < 3", f"{v} == 1 or {text}")
        )
    elif env.counters and env.chance(0.3):
        text = f"{rng.choice(env.counters)} % {rng.choice((2, 3))} == {rng.choice((0, 1))}"
    elif env.chance(0.1):
        text = f"{constant(env)} < {scalar(env, 1)} < {abs(float(constant(env)))}"
    elif env.chance(0.1):
        text = f"not ({text})"
    return text


def scalar(env: Environment, depth: int = 2) -> str:
    """A floating-point scalar."""
    rng = env.rng
    if depth <= 0 or env.chance(0.2):
        return atom(env)

    def sub() -> str:
        return scalar(env, depth - 1)

    k = rng.random()
    if k < 0.5:
        return f"({sub()} {rng.choice('++-**')} {sub()})"
    if k < 0.75:
        form = rng.choice(
            (
                "np.sin({0})",
                "np.cos({0})",
                "np.tanh({0})",
                "math.sin({0})",
                "math.tanh({0})",
                "np.exp(-{0} * {0})",
                "np.sqrt(1.0 + {0} * {0})",
                "np.log(1.5 + np.sin({0}))",
                "({0} / (1.5 + np.cos({1})))",
                "({0}) ** 2",
                "(1.2 + np.sin({0})) ** {2}",
                "np.arctan2({0}, 2.0 + np.cos({1}))",
                "(-{0})",
            )
        )
        return form.format(sub(), sub(), rng.choice(("1.5", "3", "-1", "0.5")))
    if k < 0.82 and env.has("kinks"):
        form = rng.choice(
            ("abs({0})", "max({0}, {1})", "min({0}, {1})", "np.maximum({0}, {1})", "({0} if {2} else {1})")
        )
        return form.format(sub(), sub(), condition(env))
    if k < 0.86 and env.functions:
        return f"{rng.choice(env.functions)}({sub()})"
    if k < 0.9 and env.has("helpers"):
        return helper_call(env, depth)
    if k < 0.97 and env.has("numpy"):
        return reduction(env)
    return atom(env)


def helper_call(env: Environment, depth: int) -> str:
    choices = ["mix", "soft"]
    vectors = env.one_dimensional()
    if vectors:
        choices += ["first_above", "decayed"]
    name = env.rng.choice(choices)
    env.helpers.add(name)
    if name == "mix":
        keyword = "q=" if env.chance(0.2) else ""
        return f"mix({scalar(env, depth - 1)}, {keyword}{scalar(env, depth - 1)})"
    if name == "soft":
        return f"soft({scalar(env, depth - 1)})"
    return f"{name}({env.rng.choice(vectors).name}, {constant(env)})"


def reduction(env: Environment) -> str:
    if not env.arrays:
        return constant(env)
    rng = env.rng
    a = rng.choice(env.arrays)
    peers = env.of_shape(a.shape)
    b = rng.choice(peers)
    forms = ["np.sum({a})", "{a}.sum()", "np.mean({a})", "np.sum({a} * {b})", "np.sum(np.tanh({a}) - {b})"]
    if len(a.shape) == 1:
        forms += ["np.dot({a}, {b})", "({a} @ {b})", "np.sum({a}[1:] * {b}[:-1])", "np.sum({a}[::2])"]
    if env.has("kinks"):
        forms += ["np.max({a})", "{a}.min()", "np.sum(np.abs({a}))"]
    return "(0.2 * " + rng.choice(forms).format(a=a.name, b=b.name) + ")"


def vector(env: Environment, shape: tuple[Dim, ...], depth: int = 2) -> str:
    """An array expression of the given shape, or a scalar that broadcasts to it."""
    rng = env.rng
    if depth <= 0 or env.chance(0.2):
        return vector_atom(env, shape)

    def sub() -> str:
        return vector(env, shape, depth - 1)

    k = rng.random()
    if k < 0.5:
        return f"({sub()} {rng.choice('++-**')} {sub()})"
    if k < 0.8:
        form = rng.choice(
            (
                "np.sin({0})",
                "np.tanh({0})",
                "np.cos({0})",
                "({0} / (1.5 + np.cos({1})))",
                "np.exp(-({0}) ** 2)",
                "(-{0})",
            )
        )
        return form.format(sub(), sub())
    if k < 0.85 and env.has("kinks"):
        form = rng.choice(
            (
                "np.where({0} > {2}, {0}, {1})",
                "np.maximum({0}, {1})",
                "np.abs({0})",
                "np.clip({0}, -0.8, 0.7)",
            )
        )
        return form.format(sub(), sub(), constant(env))
    return vector_atom(env, shape)


def vector_atom(env: Environment, shape: tuple[Dim, ...]) -> str:
    candidates = [a.name for a in env.of_shape(shape)] * 2
    if env.has("slices"):
        candidates += sliced(env, shape)
    if env.has("numpy"):
        candidates += computed(env, shape)
    if not candidates or env.chance(0.15):
        return scalar(env, 1)
    return env.rng.choice(candidates)


def sliced(env: Environment, shape: tuple[Dim, ...]) -> list[str]:
    """Parts of visible arrays that have the given shape."""
    out: list[str] = []
    if len(shape) == 1:
        (d,) = shape
        for a in env.one_dimensional():
            have = a.shape[0]
            if have.base == d.base and d.minus == have.minus + 1:
                out += [f"{a.name}[1:]", f"{a.name}[:-1]"]
            elif have.base == d.base and d.minus == have.minus + 2:
                out += [f"{a.name}[1:-1]", f"{a.name}[2:]"]
            elif have == d:
                out.append(f"{a.name}[::-1]")
                if env.index_array and env.has("gather") and d == Dim("n"):
                    out.append(f"{a.name}[{env.index_array}]")
        for a in env.two_dimensional():
            if a.shape[1] == d:
                out.append(f"{a.name}[{index(env, a.shape[0])}]")
            if a.shape[0] == d:
                out.append(f"{a.name}[:, {index(env, a.shape[1])}]")
    elif len(shape) == 2:
        out += [f"{a.name}.T" for a in env.two_dimensional() if a.shape == shape[::-1]]
        out += [f"{a.name}[:, None]" for a in env.one_dimensional() if a.shape[0] == shape[0]]
        out += [f"{a.name}[::-1]" for a in env.two_dimensional() if a.shape == shape]
    return out


def computed(env: Environment, shape: tuple[Dim, ...]) -> list[str]:
    """NumPy calls on visible arrays that give the shape."""
    out: list[str] = []
    if len(shape) == 1:
        (d,) = shape
        same = [a.name for a in env.of_shape(shape)]
        out += [f"np.cumsum({a}) * 0.3" for a in same] + [f"np.concatenate(({a}[1:], {a}[:1]))" for a in same]
        for a in env.two_dimensional():
            if a.shape[1] == d:
                out += [f"{a.name}.sum(axis=0)", f"np.mean({a.name}, axis=0)"]
                out += [f"({v.name} @ {a.name})" for v in env.one_dimensional() if v.shape[0] == a.shape[0]]
            if a.shape[0] == d:
                out.append(f"np.sum({a.name}, axis=1)")
                out += [f"({a.name} @ {v.name})" for v in env.one_dimensional() if v.shape[0] == a.shape[1]]
    elif len(shape) == 2:
        rows = [a.name for a in env.one_dimensional() if a.shape[0] == shape[0]]
        columns = [a.name for a in env.one_dimensional() if a.shape[0] == shape[1]]
        if rows and columns:
            out.append(f"np.outer({env.rng.choice(rows)}, {env.rng.choice(columns)})")
        out += [f"np.sum({a.name}, axis=1, keepdims=True)" for a in env.two_dimensional() if a.shape == shape]
        for a in env.two_dimensional():
            out += [
                f"({a.name} @ {b.name})"
                for b in env.two_dimensional()
                if a.shape[0] == shape[0] and b.shape[1] == shape[1] and a.shape[1] == b.shape[0]
            ]
    return out
