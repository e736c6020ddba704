"""Random programs of the little language, for checking that passes keep their meaning.

Input: a `random.Random`. Output: source text of a function of (x: 8 floats, y: 8 floats, a: 6 x 6 floats, n:
4..6, s: a float). Indices stay in range by construction; loops nest up to three deep and may be triangular,
strided, descending; there are branches, swaps, while loops, exits, row views, local arrays and arithmetic
that repeats itself.
"""

from __future__ import annotations

from random import Random


class Generator:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.count = 0

    def source(self) -> str:
        self.lines = ['def f(x: "f8[:]", y: "f8[:]", a: "f8[:,:]", n: "i8", s: "f8"):']
        self.put(1, "u = alloc(8)")
        self.put(1, "w = zeros(dim(x, 0))")
        self.put(1, "for q in range(8):")
        self.put(2, "u[q] = y[7 - q]")
        self.put(1, "m = n - 1")
        self.put(1, "k = 0")
        floats = ["s"]
        self.body(1, [], floats, self.rng.randint(3, 6))
        self.put(1, f"return {', '.join(['k', 's', 'w' if self.rng.random() < 0.5 else 'x', *floats[-1:]])}")
        return "\n".join(self.lines) + "\n"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # -- statements
    def body(self, depth: int, ivs: list[str], floats: list[str], count: int) -> None:
        for _ in range(count):
            self.statement(depth, ivs, floats)

    def statement(self, depth: int, ivs: list[str], floats: list[str]) -> None:
        choice = self.rng.random()
        if choice < 0.22 and len(ivs) < 3:
            self.loop(depth, ivs, floats)
        elif choice < 0.3:
            self.branch(depth, ivs, floats)
        elif choice < 0.45:
            name = self.fresh("t")
            self.put(depth, f"{name} = {self.value(ivs, floats)}")
            floats.append(name)
        elif choice < 0.5:
            self.put(depth, f"s = s * 0.5 + {self.value(ivs, floats)}")
        elif choice < 0.55:
            self.put(depth, f"k = k + {self.rng.choice(['1', '2', 'n', '1', '0'])}")
        elif choice < 0.6 and ivs:
            name = self.fresh("r")
            self.put(depth, f"{name} = row(a, {self.index(ivs, 6)})")
            self.put(depth, f"{name}[{self.index(ivs, 6)}] = {self.value(ivs, floats)}")
        elif choice < 0.63:
            name = self.fresh("v")
            if self.rng.random() < 0.5:
                self.put(depth, f"{name} = zeros(8)")
            else:
                q = self.fresh("q")
                self.put(depth, f"{name} = alloc(8)")
                self.put(depth, f"for {q} in range(8):")
                self.put(depth + 1, f"{name}[{q}] = {self.value([*ivs], floats)}")
            self.put(depth, f"{name}[{self.index(ivs, 8)}] += {self.value(ivs, floats)}")
            self.put(depth, f"s = s + {name}[{self.index(ivs, 8)}] * {name}[2]")
        elif choice < 0.69:
            beyond = [f"{i} + 4" for i in ivs] + [f"{i} - 1" for i in ivs] + ["n + 1"]
            self.put(
                depth,
                f"bounds(x, 0, {self.index(ivs, 8) if self.rng.random() < 0.8 else self.rng.choice(beyond)})",
            )
        else:
            sign = self.rng.choice(["=", "=", "+="])
            self.put(depth, f"{self.place(ivs)} {sign} {self.value(ivs, floats)}")

    def loop(self, depth: int, ivs: list[str], floats: list[str]) -> None:
        i = self.fresh("i")
        inner = list(floats)
        kind = self.rng.random()
        if kind < 0.1:
            self.put(depth, f"{i} = 0")
            self.put(depth, f"while {i} < {self.rng.choice(['n', 'm', '3'])}:")
            self.body(depth + 1, ivs, inner, self.rng.randint(1, 3))
            self.put(depth + 1, f"{i} = {i} + 1")
            return
        spans = [
            "0, n",
            "0, m",
            "1, n",
            "0, 5",
            "1, 6",
            "0, 1",
            "2, 2",
            "5, -1, -1",
            "0, 6, 2",
            "n - 1, 0, -1",
            "4, -1, -2",
        ]
        if ivs:
            spans += [f"0, {ivs[-1]}", f"{ivs[-1]}, n", f"{ivs[-1]}, -1, -1"] * 2
        span = self.rng.choice(spans)
        while self.rng.random() < 0.3:  # a neighbour with the same bounds
            j = self.fresh("i")
            self.put(depth, f"for {j} in range({span}):")
            self.put(depth + 1, f"{self.rng.choice('uwxy')}[{j}] = {self.value([*ivs, j], floats)}")
            self.body(depth + 1, [*ivs, j], list(floats), self.rng.randint(0, 2))
        self.put(depth, f"for {i} in range({span}):")
        self.body(depth + 1, [*ivs, i], inner, self.rng.randint(1, 4))
        if self.rng.random() < 0.2:
            self.put(depth + 1, "u, w = w, u")
        if self.rng.random() < 0.1:
            self.put(depth + 1, f"stop({self.value(ivs, inner)} > 1.5)")

    def branch(self, depth: int, ivs: list[str], floats: list[str]) -> None:
        conds = [f"{self.value(ivs, floats)} > 0.3", "k > 2"]
        conds += [f"{i} < 3" for i in ivs] + [f"{i} > {j}" for i in ivs for j in ivs if i != j]
        self.put(depth, f"if {self.rng.choice(conds)}:")
        self.body(depth + 1, ivs, list(floats), self.rng.randint(1, 2))
        if self.rng.random() < 0.5:
            self.put(depth, "else:")
            self.body(depth + 1, ivs, list(floats), self.rng.randint(1, 2))

    # -- expressions
    def index(self, ivs: list[str], size: int) -> str:
        """Loop variables run over 0..5 at most."""
        if not ivs or self.rng.random() < 0.15:
            return self.rng.choice(["0", "1", "n - 1", "m - 1", f"{size - 1}"])
        i = self.rng.choice(ivs)
        forms = [i, i, f"5 - {i}", f"mod({i} + 1, n)", f"({i} + 1) // 2"]
        if size == 8:
            forms += [f"{i} + 1", f"{i} + 2", f"({i} + 1) - 1 + 1", f"wrap({i} - 1, 8)", f"wrap({i}, 8)"]
            forms += [f"mod({i} + {j}, 8)" for j in ivs]
        return self.rng.choice(forms)

    def place(self, ivs: list[str]) -> str:
        if self.rng.random() < 0.25:
            return f"a[{self.index(ivs, 6)}, {self.index(ivs, 6)}]"
        return f"{self.rng.choice('xyuuww')}[{self.index(ivs, 8)}]"

    def value(self, ivs: list[str], floats: list[str]) -> str:
        choice = self.rng.random()
        if choice < 0.45:
            return self.place(ivs)
        if choice < 0.6:
            return self.rng.choice(floats[-4:])
        if choice < 0.7:
            return f"sin({self.value(ivs, floats)})"
        if choice < 0.8:
            return f"float({self.rng.choice([*ivs, 'n', 'k'])})"
        op = self.rng.choice(["+", "-", "*"])
        return f"({self.value(ivs, floats)} {op} {self.value(ivs, floats)})"


def program(seed: int) -> str:
    return Generator(Random(seed)).source()
