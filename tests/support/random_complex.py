"""Random programs with complex numbers: text of a function of (z, x, s, t) with a real result.

Input: a seed. Output: the text. `z` is a complex array, `x` a real one of the same length, `s` a complex and
`t` a real number. Values stay moderate: quotients and logarithms are kept away from zero, and nothing has a
kink.
"""

from __future__ import annotations

import random

COMPLEX_FUNCTIONS = (
    "np.exp({} * 0.3)",
    "np.sin({})",
    "np.cosh({} * 0.5)",
    "np.tanh({} * 0.4)",
    "np.conj({})",
)
GUARDED = (
    "np.log({} * 0.3 + 4.0)",
    "np.sqrt({} * 0.3 + 5.0)",
    "1.0 / ({} * 0.2 + 3.0)",
    "({} * 0.2 + 4.0) ** 1.5",
)
REAL_FUNCTIONS = ("np.sin({})", "np.exp({} * 0.2)", "np.tanh({})")
PARTS = ("{}.real", "{}.imag", "np.abs({} + 3.5)", "np.angle({} * 0.2 + 3.0)", "np.abs({}) ** 2")


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = {("c", 1): ["z"], ("r", 1): ["x"], ("c", 0): ["s"], ("r", 0): ["t"]}
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # -- expressions of kind "c" or "r" and rank 0 or 1
    def expression(self, kind: str, rank: int, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.15:
            return self.leaf(kind, rank)
        if kind == "r":
            way = r.randrange(4)
            if way == 0:
                return self.pick(*PARTS).format(self.wrapped("c", rank, depth - 1))
            if way == 1:
                return self.pick(*REAL_FUNCTIONS).format(self.wrapped("r", rank, depth - 1))
            return self.both("r", "r", rank, depth)
        way = r.randrange(6)
        if way == 0:
            return self.pick(*COMPLEX_FUNCTIONS).format(self.wrapped("c", rank, depth - 1))
        if way == 1:
            return self.pick(*GUARDED).format(
                f"np.tanh({self.wrapped(r.choice('cr'), rank, depth - 1)} * 0.3)"
            )
        if way == 2:
            return f"{self.wrapped('c', rank, depth - 1)} ** {self.pick('2', '3')} * 0.1"
        return self.both("c", r.choice("cr"), rank, depth)

    def wrapped(self, kind: str, rank: int, depth: int) -> str:
        return f"({self.expression(kind, rank, depth)})"

    def both(self, kind: str, other: str, rank: int, depth: int) -> str:
        left = self.wrapped(kind, rank, depth - 1)
        right = self.wrapped(other, self.random.choice((0, rank)), depth - 1)
        if self.random.random() < 0.5:
            left, right = right, left
        return f"{left} {self.pick('+', '-', '*')} {right}"

    def leaf(self, kind: str, rank: int) -> str:
        if rank == 0:
            more = ["z[1]", "z[-1]", "np.sum(z)", "np.mean(z)"] if kind == "c" else ["x[0]", "np.sum(x)"]
            more.append(self.pick("0.5j", "(0.3 - 0.2j)") if kind == "c" else "0.7")
            return self.pick(*self.names[kind, 0], *more)
        more = ["z[::-1]", "1j * x", "np.conj(z)"] if kind == "c" else ["x[::-1]", "z.imag"]
        return self.pick(*self.names[kind, 1], *more)

    # -- statements
    def statement(self, indent: str, depth: int) -> None:
        way = self.random.randrange(7 if depth else 5)
        kind = self.random.choice("ccr")
        if way <= 1:
            rank = self.random.randrange(2)
            self.count += 1
            name = f"v{self.count}"
            self.lines.append(f"{indent}{name} = {self.expression(kind, rank, 2)}")
            if indent == "    ":
                self.names[kind, rank].append(name)
        elif way == 2:
            self.lines.append(f"{indent}w[{self.random.randrange(4)}] = {self.expression(kind, 0, 2)}")
        elif way == 3:
            target = self.pick("w", "w.real", "w.imag")
            value = self.expression("r" if "." in target else kind, 1, 2)
            self.lines.append(f"{indent}{target}[...] {self.pick('=', '+=')} 0.4 * ({value})")
        elif way == 4:
            self.lines.append(f"{indent}w[1:] *= {self.expression(kind, 0, 1)} * 0.3")
        elif way == 5:
            self.lines.append(f"{indent}for k in range(4):")
            self.lines.append(f"{indent}    acc = acc * 0.5 + w[k] * {self.wrapped(kind, 0, 1)}")
            self.statement(indent + "    ", 0)
        else:
            self.lines.append(f"{indent}if x[2] > {self.pick('-9.0', '9.0')}:")
            self.statement(indent + "    ", 0)
            self.lines.append(f"{indent}    acc = acc + {self.expression(kind, 0, 1)}")

    def program(self) -> str:
        self.lines = ["def program(z, x, s, t):", "    w = z * 1.0", "    acc = 0"]
        for _ in range(5):
            self.statement("    ", 1)
        c, r = self.wrapped("c", 1, 2), self.wrapped("r", 0, 2)
        self.lines.append(f"    total = np.sum(w) * 0.3 + np.sum({c}) * 0.1 + acc * 0.2 + {r}")
        self.lines.append("    return total.real + np.sin(total.imag)")
        return "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Writer(seed).program()
