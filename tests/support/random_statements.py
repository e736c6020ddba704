"""Random statements, written into a growing list of source lines.

Input: an `Environment`. Output: lines of Python, and an environment with the names they bind. Invariants:
names bound inside a block are forgotten at its end, except where a loop surely runs; values stay bounded
(what is stored goes through `tanh` or small factors); every loop ends. Non-goals: that each program is
accepted by the compiler. Some mixtures of aliases and writes are refused, which is a right answer.
"""

from __future__ import annotations

from collections.abc import Callable

from .random_expressions import (
    SMALLEST,
    Array,
    Dim,
    Environment,
    LoopVariable,
    condition,
    constant,
    element,
    index,
    scalar,
    vector,
)

INDENT = "    "


class Writer:
    """Appends statements to `lines`. `depth` counts enclosing loops, `branches` enclosing ifs."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.lines: list[str] = []
        self.level = 1
        self.depth = 0
        self.branches = 0
        self.in_loop = False  # a break or continue here belongs to a loop
        self.returns: Callable[[], str] | None = None

    def write(self, text: str) -> None:
        self.lines.append(INDENT * self.level + text)

    def block(self, most: int = 4) -> None:
        """An indented run of statements; what it binds is forgotten."""
        env = self.env
        scalars, arrays, loops = list(env.scalars), list(env.arrays), list(env.loops)
        functions = list(env.functions)
        self.level += 1
        written = len(self.lines)
        for _ in range(env.rng.randint(1, most)):
            self.statement()
        if len(self.lines) == written:
            self.write("pass")
        self.level -= 1
        env.scalars, env.arrays, env.loops, env.functions = scalars, arrays, loops, functions

    def statement(self) -> None:
        env = self.env
        weighted: list[tuple[float, Callable[[], None]]] = [
            (2.0, self.assign_scalar),
            (2.5, self.assign_element),
            (2.0, self.augment_element),
            (1.0, self.augment_scalar),
            (0.4, self.several),
            (1.6 if self.branches < 2 else 0.0, self.branch),
            (2.4 if self.depth < 3 else 0.0, self.loop),
            (0.7 if self.depth < 3 and env.has("while") else 0.0, self.while_loop),
            (0.8 if self.in_loop and env.has("exits") else 0.0, self.leave),
            (0.15 if env.has("exits") and self.returns else 0.0, self.early_return),
            (1.0 if env.has("swap") else 0.0, self.swap),
            (1.2 if env.has("slices") else 0.0, self.write_slice),
            (0.8 if env.has("numpy") else 0.0, self.whole_array),
            (0.7, self.new_array),
            (0.6 if env.has("rebind") else 0.0, self.rebind),
            (0.5 if env.has("alias") else 0.0, self.alias),
            (0.8 if env.has("views") else 0.0, self.view),
            (0.7 if env.has("gather") else 0.0, self.scatter),
            (0.6 if env.has("helpers") else 0.0, self.helper_statement),
            (0.8 if env.counters else 0.0, self.count),
            (0.4 if env.has("inner_functions") else 0.0, self.inner_function),
        ]
        choices = [w for w in weighted if w[0] > 0]
        env.rng.choices([c[1] for c in choices], [c[0] for c in choices])[0]()

    def writable(self) -> list[Array]:
        return [a for a in self.env.arrays if a.writable]

    # -- scalars and elements

    def assign_scalar(self) -> None:
        env = self.env
        value = scalar(env, 2)
        if env.scalars and env.chance(0.7):
            self.write(f"{env.rng.choice(env.scalars)} = np.tanh({value})")
        else:
            name = env.name("s")
            self.write(f"{name} = {value}")
            env.scalars.append(name)

    def augment_scalar(self) -> None:
        env = self.env
        if env.scalars:
            op = env.rng.choice(("+= 0.4 *", "-= 0.3 *", "*="))
            value = f"np.cos({scalar(env, 1)})" if op == "*=" else scalar(env, 2)
            self.write(f"{env.rng.choice(env.scalars)} {op} {value}")

    def several(self) -> None:
        """Two names or elements at once."""
        env = self.env
        if len(env.scalars) < 2:
            return self.assign_scalar()
        p, q = env.rng.sample(env.scalars, 2)
        if env.has("helpers") and env.chance(0.4):
            env.helpers.add("pair")
            return self.write(f"{p}, {q} = pair({scalar(env, 1)}, {scalar(env, 1)})")
        targets = self.writable()
        if targets and env.chance(0.5):
            a = env.rng.choice(targets)
            return self.write(f"{element(env, a)}, {q} = {q}, {element(env, a)}")
        return self.write(f"{p}, {q} = {q}, np.sin({scalar(env, 1)})")

    def count(self) -> None:
        """An integer that conditions and indices read."""
        env = self.env
        name = env.rng.choice(env.counters)
        forms = ["{0} += 1", "{0} += 2", "{0} = ({0} * 2 + 1) % 7"]
        if env.loops:
            forms.append(f"{{0}} = {env.rng.choice(env.loops).name}")
        self.write(env.rng.choice(forms).format(name))

    def inner_function(self) -> None:
        """It sees variables of the program, arrays among them, as they are when it is called."""
        env = self.env
        if self.branches:
            return
        name, argument = env.name("f"), env.name("p")
        outer = scalar(env, 1)
        if env.chance(0.5):
            self.write(f"{name} = lambda {argument}: np.tanh({argument} * {outer})")
        else:
            self.write(f"def {name}({argument}):")
            self.write(f"{INDENT}return 0.5 * {argument} + np.sin({argument}) * {outer}")
        env.functions.append(name)

    def assign_element(self) -> None:
        targets = self.writable()
        if targets:
            self.write(f"{element(self.env, self.env.rng.choice(targets))} = np.tanh({scalar(self.env, 2)})")

    def augment_element(self) -> None:
        env = self.env
        targets = self.writable()
        if targets:
            op = env.rng.choice(("+= 0.3 *", "+= 0.3 *", "-= 0.2 *", "*= 0.5 +", "/= 1.5 +"))
            value = scalar(env, 2) if "=" in op and op[0] in "+-" else f"0.4 * np.sin({scalar(env, 1)})"
            self.write(f"{element(env, env.rng.choice(targets))} {op} {value}")

    # -- control flow

    def branch(self) -> None:
        env = self.env
        self.branches += 1
        self.write(f"if {condition(env)}:")
        self.block(3)
        if env.chance(0.2):
            self.write(f"elif {condition(env)}:")
            self.block(2)
        if env.chance(0.5):
            self.write("else:")
            self.block(3)
        self.branches -= 1

    def loop(self) -> None:
        env = self.env
        if env.has("iterate") and env.arrays and env.chance(0.3):
            return self.loop_over_array()
        variable, text = self.range_of(env.name("i"))
        self.write(f"for {variable.name} in {text}:")
        return self.loop_body(variable)

    def loop_body(self, *variables: LoopVariable, scalars: tuple[str, ...] = ()) -> None:
        env = self.env
        outer, self.in_loop = self.in_loop, True
        self.depth += 1
        before, names = list(env.loops), list(env.scalars)
        env.loops += variables
        env.scalars += scalars
        self.block(4 if self.depth < 3 else 3)
        env.loops, env.scalars = before, names
        self.depth -= 1
        self.in_loop = outer
        if env.has("exits") and env.chance(0.08):
            self.write("else:")
            self.block(1)

    def range_of(self, name: str) -> tuple[LoopVariable, str]:
        env = self.env
        base = "m" if env.has("two_dimensions") and env.chance(0.4) else "n"
        if env.has("triangular") and env.loops and env.chance(0.5):
            outer = env.rng.choice(env.loops)
            kind = env.rng.randrange(4)
            if kind == 0:
                return LoopVariable(name, outer.base, 0, outer.minus + 1), f"range({outer.name})"
            if kind == 1:
                return LoopVariable(name, outer.base, 0, outer.minus), f"range({outer.name} + 1)"
            if kind == 2:
                return LoopVariable(
                    name, outer.base, outer.lo + 1, 0
                ), f"range({outer.name} + 1, {outer.base})"
            text = f"range({outer.base} - 1, {outer.name} - 1, -1)"
            return LoopVariable(name, outer.base, outer.lo, 0), text
        lo, hi = env.rng.choice(((0, 0), (0, 0), (1, 0), (0, 1), (1, 1)))
        dim = str(Dim(base, hi))
        if env.chance(0.2):
            return LoopVariable(name, base, lo, hi), f"range({base} - {1 + hi}, {lo - 1}, -1)"
        if env.chance(0.15):
            return LoopVariable(name, base, lo, hi), f"range({lo}, {dim}, 2)"
        if env.chance(0.1):
            return LoopVariable(name, base, 0, SMALLEST[base] - 2), f"range({env.rng.randint(0, 2)})"
        return LoopVariable(name, base, lo, hi), f"range({lo}, {dim})" if lo else f"range({dim})"

    def loop_over_array(self) -> None:
        env = self.env
        vectors = env.one_dimensional()
        if not vectors:
            return
        a, value = env.rng.choice(vectors), env.name("e")
        d = a.shape[0]
        counter = LoopVariable(env.name("i"), d.base, 0, d.minus)
        kind = env.rng.randrange(4)
        if kind == 0:
            self.write(f"for {value} in {a.name}:")
            self.loop_body(scalars=(value,))
        elif kind == 1:
            self.write(f"for {counter.name}, {value} in enumerate({a.name}):")
            self.loop_body(counter, scalars=(value,))
        elif kind == 2:
            b, other = env.rng.choice(vectors), env.name("e")
            self.write(f"for {value}, {other} in zip({a.name}, {b.name}):")
            self.loop_body(scalars=(value, other))
        else:
            self.write(f"for {value} in reversed({a.name}):")
            self.loop_body(scalars=(value,))

    def while_loop(self) -> None:
        env = self.env
        counter = env.name("k")
        self.write(f"{counter} = 0")
        guard = f" and {scalar(env, 1)} < {round(env.rng.uniform(0.0, 1.5), 2)}" if env.chance(0.6) else ""
        self.write(f"while {counter} < {env.rng.randint(1, 3)}{guard}:")
        self.write(f"{INDENT}{counter} += 1")
        self.loop_body(LoopVariable(counter, "n", 0, 0))

    def leave(self) -> None:
        self.write(f"if {condition(self.env)}:")
        self.write(INDENT + self.env.rng.choice(("break", "continue")))

    def early_return(self) -> None:
        assert self.returns is not None
        self.write(f"if {scalar(self.env, 1)} > {round(self.env.rng.uniform(0.7, 1.4), 2)}:")
        self.write(INDENT + self.returns())

    # -- whole arrays

    def swap(self) -> None:
        env = self.env
        if self.branches and not env.has("conditional_swap"):
            return
        whole = [a for a in env.arrays if a.owns and a.writable and a.dtype == "float64"]
        groups = [
            g
            for g in (env.rng.sample(whole, k) for k in (2, 3) if len(whole) >= k)
            if len({a.shape for a in g}) == 1
        ]
        if groups:
            names = [a.name for a in env.rng.choice(groups)]
            self.write(f"{', '.join(names)} = {', '.join(names[1:] + names[:1])}")

    def write_slice(self) -> None:
        env = self.env
        targets = self.writable()
        if not targets:
            return
        a = env.rng.choice(targets)
        d = a.shape[-1]
        options = [("[:]", a.shape)] if len(a.shape) == 1 else [("[:, :]", a.shape), ("[...]", a.shape)]
        if len(a.shape) == 1 and d.minus < SMALLEST[d.base] - 2:
            less = Dim(d.base, d.minus + 1)
            options += [("[1:]", (less,)), ("[:-1]", (less,)), ("[::-1]", a.shape)]
        elif len(a.shape) == 2:
            options += [
                (f"[{index(env, a.shape[0])}]", (a.shape[1],)),
                (f"[:, {index(env, a.shape[1])}]", (a.shape[0],)),
            ]
        part, shape = env.rng.choice(options)
        op = env.rng.choice(("=", "=", "+= 0.3 *", "-= 0.2 *", "*="))
        self.write(f"{a.name}{part} {op} np.tanh({vector(env, shape, 1)})")

    def whole_array(self) -> None:
        env = self.env
        targets = self.writable()
        if targets:
            a = env.rng.choice(targets)
            op = env.rng.choice(("+= 0.3 *", "*=", "-= 0.2 *"))
            self.write(f"{a.name} {op} np.tanh({vector(env, a.shape, 1)})")

    def anchored(self, shape: tuple[Dim, ...]) -> str:
        """An expression that surely has this shape, whatever broadcasts into it."""
        same = self.env.of_shape(shape)
        anchor = self.env.rng.choice(same).name if same else f"np.ones({shape_text(shape)})"
        return f"np.tanh({anchor} + 0.5 * {vector(self.env, shape, 2)})"

    def new_array(self) -> None:
        env = self.env
        shapes = [a.shape for a in env.arrays] or [(Dim("n"),)]
        shape = env.rng.choice(shapes)
        name = env.name("t")
        form = env.rng.randrange(4)
        if form == 0:
            self.write(f"{name} = np.zeros({shape_text(shape)})")
        elif form == 1 and env.of_shape(shape):
            self.write(f"{name} = {env.rng.choice(env.of_shape(shape)).name}.copy()")
        elif form == 2 and env.of_shape(shape):
            source = env.rng.choice(env.of_shape(shape)).name
            self.write(f"{name} = np.empty_like({source})")
            self.write(f"{name}[:] = {constant(env)} * {source}")
        else:
            self.write(f"{name} = {self.anchored(shape)}")
        env.arrays.append(Array(name, shape))

    def rebind(self) -> None:
        """A name bound to a fresh array: inside loops this becomes a copy into fixed storage."""
        env = self.env
        whole = [a for a in env.arrays if a.owns and a.dtype == "float64"]
        if whole:
            a = env.rng.choice(whole)
            self.write(f"{a.name} = {self.anchored(a.shape)}")

    def alias(self) -> None:
        env = self.env
        if env.arrays:
            a = env.rng.choice(env.arrays)
            name = env.name("b")
            self.write(f"{name} = {a.name}")
            env.arrays.append(Array(name, a.shape, a.dtype, owns=False, writable=a.writable))

    def view(self) -> None:
        env = self.env
        if not env.arrays:
            return
        a = env.rng.choice(env.arrays)
        name = env.name("v")
        if len(a.shape) == 1:
            d = a.shape[0]
            if d.minus >= SMALLEST[d.base] - 2:
                return
            part, shape = env.rng.choice(
                (("[1:]", (Dim(d.base, d.minus + 1),)), ("[::-1]", a.shape), ("[:]", a.shape))
            )
        else:
            rows, columns = a.shape
            part, shape = env.rng.choice(
                (
                    (".T", (columns, rows)),
                    (f"[{index(env, rows)}]", (columns,)),
                    (f"[:, {index(env, columns)}]", (rows,)),
                )
            )
        self.write(f"{name} = {a.name}{part}")
        env.arrays.append(Array(name, shape, a.dtype, owns=False, writable=a.writable))

    def scatter(self) -> None:
        env = self.env
        targets = [a for a in self.writable() if a.shape == (Dim("n"),)]
        if not targets:
            return
        a = env.rng.choice(targets)
        kind = env.rng.randrange(4)
        if kind == 0 and env.index_array:
            self.write(f"{a.name}[{env.index_array}] = np.tanh({vector(env, a.shape, 1)})")
        elif kind == 1 and env.index_array:
            self.write(f"{a.name}[{env.index_array}] += 0.3 * np.tanh({vector(env, a.shape, 1)})")
        elif kind == 2:
            self.write(f"{a.name}[{a.name} > {constant(env)}] *= {constant(env)}")
        else:
            self.write(f"{a.name}[{a.name} < {constant(env)}] = np.sin({scalar(env, 1)})")

    def helper_statement(self) -> None:
        env = self.env
        vectors = [a for a in self.writable() if len(a.shape) == 1]
        if not vectors:
            return
        a = env.rng.choice(vectors)
        name = env.rng.choice(("damp", "damp", "smoothed"))
        env.helpers.add(name)
        if name == "damp":
            self.write(f"damp({a.name}, {scalar(env, 1)})")
        elif a.owns and a.dtype == "float64" and env.has("rebind"):
            self.write(f"{a.name} = smoothed({a.name})")
        else:
            fresh = env.name("t")
            self.write(f"{fresh} = smoothed({a.name})")
            env.arrays.append(Array(fresh, a.shape))


def shape_text(shape: tuple[Dim, ...]) -> str:
    return str(shape[0]) if len(shape) == 1 else f"({', '.join(map(str, shape))})"
