"""Random programs about words and numbers that may be None: text of a function of one float with a float
result.

Input: a seed. Output: the text. `w` and `u` are words or None, `a` and `b` numbers or None, `p` is a pair of
such things, `y` and `s` are numbers that stay moderate. Some programs use a number without asking whether it
is None, and raise for some arguments.
"""

from __future__ import annotations

import random

WORDS = ('"one"', '"two"', '"three"', '""', "None")


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> str:
        """A constant that nothing is equal to."""
        return f"{self.random.uniform(-1.0, 3.0):.5f}"

    # -- expressions
    def condition(self, depth: int = 1) -> str:
        a, b, w = self.pick("a", "b", "p[0]"), self.pick("a", "b"), self.pick("w", "u", "p[1]")
        forms = [
            f"{w} == {self.pick(*WORDS)}",
            f"{w} != {self.pick('w', 'u', *WORDS)}",
            f"{w} is {self.pick('None', 'not None')}",
            f"{w} {self.pick('in', 'not in')} ({self.pick(*WORDS)}, {self.pick('u', *WORDS)})",
            f"{self.pick('not ', '')}{w}",
            f"{a} is {self.pick('None', 'not None')}",
            f"{a} is not None and {a} {self.pick('<', '>')} {self.pick('y', 's', self.number())}",
            f"({a} is None or {self.pick('y', 's')} < {a})",
            f"{self.pick('not ', '')}{a}",
            f"{a} {self.pick('==', '!=')} {b}",
            f"{a} {self.pick('in', 'not in')} ({b}, None)",
            *(f"y {self.pick('<', '>')} {self.number()}" for _ in range(5)),
            *(f"{k} == {self.random.randrange(3)}" for k in self.loops),
        ]
        if depth and self.random.random() < 0.25:
            return (
                f"{self.pick('not ', '')}({self.condition(0)} {self.pick('and', 'or')} {self.condition(0)})"
            )
        return self.random.choice(forms)

    def word(self) -> str:
        forms = [*WORDS, *WORDS, "w", "u", "p[1]", "named(y)", "w or u", "u and w"]
        found = self.random.choice(forms)
        if self.random.random() < 0.3:
            return f"{found} if {self.condition()} else {self.random.choice(forms)}"
        return found

    def optional(self) -> str:
        number = f"{self.pick('y', 'x', 's')} * {self.number()}"
        forms = [
            number,
            number,
            number,
            "None",
            "a",
            "b",
            "p[0]",
            "held(y)",
            "a or b",
            f"b or {self.number()}",
        ]
        found = self.random.choice(forms)
        if self.random.random() < 0.3:
            return f"{found} if {self.condition()} else {self.random.choice(forms)}"
        return found

    def value(self) -> str:
        """A number, mostly without asking something that may be None for more than it is."""
        a, w = self.pick("a", "b"), self.pick("w", "u")
        if self.random.random() < 0.06:
            return self.pick(a, f"abs({a})", f"-{a}", f"max({a}, 0.3)", f"TABLE[{w}]")
        return self.pick(
            "y",
            f"(0.2 if {a} is None else {a})",
            f"({a} * {a} if {a} is not None else x)",
            f"({a} or {self.number()})",
            f"(p[0] if p[0] is not None else {self.number()})",
            f"(TABLE[{w}] if {w} in TABLE else x)",
            f"TABLE.get({w}, y)",
            f"weight({w}, {a})",
            "len(p)",
        )

    # -- statements
    def statement(self, indent: str, depth: int) -> None:
        way = self.random.randrange(14 if depth else 8)
        add = self.lines.append
        if way < 2:
            add(f"{indent}{self.pick('w', 'u')} = {self.word()}")
        elif way < 4:
            add(f"{indent}{self.pick('a', 'b')} = {self.optional()}")
        elif way == 4:
            add(f"{indent}y = 0.6 * y + 0.3 * math.sin({self.value()}) + {self.number()}")
        elif way < 7:
            add(f"{indent}s = 0.5 * s + math.cos({self.value()}) * y")
        elif way == 7:
            add(f"{indent}p = ({self.optional()}, {self.word()})")
        elif way < 11:
            self.branch(indent, depth)
        else:
            self.loop(indent, depth)

    def block(self, indent: str, depth: int, *, exits: bool = False) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth)
        if exits and self.loops and self.random.random() < 0.25:
            self.lines.append(f"{indent}{self.pick('break', 'continue')}")

    def branch(self, indent: str, depth: int) -> None:
        self.lines.append(f"{indent}if {self.condition()}:")
        self.block(indent + "    ", depth - 1, exits=True)
        if self.random.random() < 0.3:
            self.lines.append(f"{indent}elif {self.condition()}:")
            self.block(indent + "    ", depth - 1, exits=True)
        if self.random.random() < 0.4:
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ", depth - 1)

    def loop(self, indent: str, depth: int) -> None:
        self.count += 1
        k, inside = f"k{self.count}", indent + "    "
        way = self.random.randrange(4)
        if way == 0:
            self.lines.append(f"{indent}{k} = 0")
            more = self.pick("", f" and {self.condition(0)}", f" and {self.condition(0)}")
            self.lines.append(f"{indent}while {k} < 4{more}:")
            self.lines.append(f"{inside}{k} += 1")
        elif way == 1:
            self.lines.append(f"{indent}for {k} in (0.4, 1.3, 2.0):")
        else:
            self.lines.append(f"{indent}for {k} in range({self.pick('2', '4', '9', 'int(abs(y)) + 2')}):")
        self.loops.append(k)
        self.block(inside, depth - 1)
        self.statement(inside, depth - 1)
        self.loops.pop()
        if self.random.random() < 0.15:
            self.lines.append(f"{indent}else:")
            self.block(inside, depth - 1)

    def program(self) -> str:
        self.lines = []
        self.loops = []
        for _ in range(4):
            self.statement("    ", 2)
        body = "\n".join(self.lines)
        return HEAD.format(word=self.pick(*WORDS), number=self.pick("None", "None", "x")) + body + TAIL


HEAD = """def program(x):
    TABLE = {{"one": 0.7, "two": x, "": x * x, None: 2.0}}

    def named(v):
        if v < 0.21:
            return "one"
        return "two" if v < 1.13 else None

    def held(v):
        for k in range(3):
            if v < 0.37 * k:
                return v + k
            if v > 2.11:
                break
        else:
            return 0.5 * v
        return None

    def weight(kind, by=None):
        if by is None:
            return 1.0 if kind == "one" else x
        return by if kind in ("one", "two") else by * by

    w, u, a, b, p, y, s = {word}, "one", {number}, None, (None, "two"), x, 0.0
"""
TAIL = """
    s = s + (y if w == "one" else 2.0 * y if w == u else x if p[1] is None else 0.0)
    return s + (0.5 if a is None else math.sin(a)) + (x if p[0] is None else math.cos(p[0]))
"""


def program(seed: int) -> str:
    return Writer(seed).program()
