"""What each transform makes of a program: programs to programs, so that transforms compose.

Input: a `Program` and which of its arguments are differentiated. Output: a `Program` whose core function
also computes gradients or tangents, with the tree of its results. Invariants: the caller's writes stay as
they were; each differentiated leaf has one gradient, of its own shape and dtype. Non-goals: values, calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..errors import AdjitError, MissingRuleError, NotDifferentiableError, SeedError
from . import pipeline
from .adjoint import Note
from .adjoint.checkpointed_loops import saving
from .analyses.alias import roots
from .analyses.effects import reads, writes
from .complexes import CONJUGATE, ComplexArray, is_complex
from .ir.builder import Builder, Names
from .ir.nodes import Block, Check, Const, Function, If, Operand, Stmt, Var, While
from .ir.types import Array, is_float
from .ir.visitor import walk
from .program import (
    ArraySpec,
    Leaves,
    NodeSpec,
    Position,
    Program,
    ResultLeaf,
    SameAs,
    ScalarSpec,
    Spec,
    Starred,
    StaticSpec,
    tuple_tree,
)

FLOATS = ("float32", "float64")


class _Numbering:
    """Parameters of the core function, in the order of the leaves."""

    def __init__(self, program: Program) -> None:
        self.arrays: list[int | None] = []
        self.next = 0
        self.trees = [self.number(a) for a in program.arguments]

    def number(self, spec: Spec) -> object:
        """The tree with a parameter's number at each leaf, None at a leaf without floats."""
        if isinstance(spec, NodeSpec):
            return NodeSpec(spec.kind, spec.keys, tuple(self.number(c) for c in spec.children))  # type: ignore[misc]
        if isinstance(spec, StaticSpec):
            return None
        if isinstance(spec, SameAs):
            self.arrays.append(self.arrays[spec.leaf])
            return self.arrays[-1]
        at = self.next
        self.next += 1
        found = at if spec.dtype in FLOATS else None
        if isinstance(spec, ArraySpec):
            self.arrays.append(found)
        return found


def choose(program: Program, argnums: Sequence[Position], lenient: bool = False) -> Leaves:
    """The differentiated leaves of the arguments `argnums`. `lenient`: an argument without floats is None,
    not an error.
    """
    numbered = _Numbering(program).trees
    wrt: list[int] = []
    zeros: list[int] = []
    places: list[tuple[str, int]] = []

    def visit(tree: object) -> object:
        if isinstance(tree, NodeSpec):
            kind = CONJUGATE.get(tree.kind, tree.kind)
            return NodeSpec(kind, tree.keys, tuple(visit(c) for c in tree.children))  # type: ignore[misc]
        if tree is None:
            return StaticSpec(None)
        assert isinstance(tree, int)
        found, group = ("zero", zeros) if tree in wrt else ("wrt", wrt)
        group.append(tree)
        places.append((found, len(group) - 1))
        return ResultLeaf(len(places) - 1)

    trees: list[object] = []
    for p in argnums:
        for k, item in p.numbers(program) if isinstance(p, Starred) else [(p, None)]:
            tree = numbered[k]
            before = len(places)
            trees.append(
                visit(tree.children[item] if isinstance(tree, NodeSpec) and item is not None else tree)
            )
            if len(places) == before and not lenient:
                raise no_floats(program, k, item)
    order = [at if kind == "wrt" else len(wrt) + at for kind, at in places]
    final = tuple(_renumbered(t, order) for t in trees)
    return Leaves(tuple(wrt), final, tuple(zeros))


def _renumbered(tree: object, order: Sequence[int]) -> object:
    if isinstance(tree, NodeSpec):
        return NodeSpec(tree.kind, tree.keys, tuple(_renumbered(c, order) for c in tree.children))  # type: ignore[misc]
    return ResultLeaf(order[tree.index]) if isinstance(tree, ResultLeaf) else tree


def shifted(tree: object, by: int) -> object:
    """The tree with `by` added to the number of each result."""
    if isinstance(tree, NodeSpec):
        return NodeSpec(tree.kind, tree.keys, tuple(shifted(c, by) for c in tree.children))  # type: ignore[misc]
    return ResultLeaf(tree.index + by) if isinstance(tree, ResultLeaf) else tree


def no_floats(program: Program, k: int, item: int | None = None) -> AdjitError:
    name, spec = program.argument_names[k], program.arguments[k]
    if item is not None and isinstance(spec, NodeSpec):
        name, spec = f"{name}[{item}]", spec.children[item]
    if isinstance(spec, ArraySpec | ScalarSpec):
        what = f"argument {name!r} is of type {spec.dtype}"
        hint = f"pass it as a float, or leave {name!r} out of argnums"
    else:
        what = f"argument {name!r} holds no float"
        hint = f"leave {name!r} out of argnums"
    why = "only floats vary continuously"
    if isinstance(spec, StaticSpec) and not isinstance(spec.value, str | bytes | None):
        why = "an object that is no structure is a constant, with all that it holds"
        hint = "hold the parameters in a dataclass, a named tuple or a dict, and pass that"
    return NotDifferentiableError(f"{what}, which has no gradient", program.function.loc, why, hint)


def refuse_complex(trees: Sequence[object], what: str, program: Program) -> None:
    """Refuse trees of arguments or results with complex numbers in them."""
    for tree in trees:
        if not isinstance(tree, NodeSpec):
            continue
        if is_complex(tree.kind):
            raise MissingRuleError(
                f"{what} has no form for complex numbers",
                program.function.loc,
                hint="use vjp or jvp, or a function of real and imaginary parts",
            )
        refuse_complex(tree.children, what, program)


def lendable(backward: Function, count: int, first: int) -> list[int]:
    """Which of `count` saved values, numbered from `first`, the reverse sweep returns nothing of."""
    memory = roots(backward)
    given = set().union(*(memory[r] for r in backward.results if isinstance(r, Var) and r in memory))
    return [first + k for k, v in enumerate(backward.params[:count]) if v not in given]


def touched(fn: Function) -> tuple[frozenset[int], frozenset[int]]:
    """Parameters whose memory a function may read, and those whose memory it may write."""
    memory = roots(fn)

    def parameters_of(effect: Callable[[Stmt], tuple[Var, ...]]) -> frozenset[int]:
        found: set[Var] = set().union(*(memory[a] for stmt in walk(fn.body) for a in effect(stmt)))
        return frozenset(k for k, p in enumerate(fn.params) if p in found)

    return parameters_of(reads), parameters_of(writes)


def scalar_result(program: Program, has_aux: bool = False) -> tuple[Function, int | None]:
    """The core function with a scalar as the result to differentiate, and the number of that result (None
    for a constant).
    """
    tree = program.result
    if has_aux and not _always_raises(program):
        if not (isinstance(tree, NodeSpec) and tree.kind is tuple and len(tree.children) == 2):
            raise NotDifferentiableError(
                "has_aux=True needs a function that returns a pair",
                program.function.loc,
                hint="return value, aux",
            )
        tree = tree.children[0]
    fn = program.function
    if (isinstance(tree, StaticSpec) and isinstance(tree.value, float)) or _always_raises(program):
        return fn, None
    if isinstance(tree, NodeSpec) and is_complex(tree.kind):
        raise NotDifferentiableError(
            f"`{fn.name}` returns a complex {'array' if tree.kind is ComplexArray else 'number'}",
            fn.loc,
            "a gradient is that of one real number",
            "return its .real, .imag or abs(), or use vjp or jvp",
        )
    if not isinstance(tree, ResultLeaf):
        what, remedy = _other_result(tree)
        why = "a gradient is that of one number"
        raise NotDifferentiableError(f"`{fn.name}` returns {what}", fn.loc, why, remedy)
    type_ = fn.results[tree.index].type
    if not is_float(type_):
        raise NotDifferentiableError(
            f"`{fn.name}` returns a value of type {type_.dtype}",
            fn.loc,
            "only floats have a gradient",
            "return a float"
            if any(is_float(p.type) for p in fn.params)
            else "pass floats, such as 3.0 for 3",
        )
    if not isinstance(type_, Array):
        return fn, tree.index
    if type_.ndim > 0:
        raise NotDifferentiableError(
            f"`{fn.name}` returns an array with {type_.ndim} axes"
            if type_.ndim > 1
            else f"`{fn.name}` returns a vector",
            fn.loc,
            "a gradient is that of one number",
            "return its sum, or use vjp or jacrev",
        )
    return _element(fn, tree.index), tree.index


def _always_raises(program: Program) -> bool:
    """Whether the user's own `raise` or `assert` ends every call, so that nothing is returned."""
    tree = program.result
    nothing = isinstance(tree, StaticSpec) and tree.value is None
    return nothing and _raises(program.function.body)


def _raises(block: Block) -> bool:
    """Whether no way leads through a block: a check fails, or a loop has no end."""
    return any(map(_fails, block.stmts))


def _fails(stmt: Stmt) -> bool:
    match stmt:
        case Check(cond=Const(value=holds)):
            return not holds
        case If(then=then, orelse=orelse):
            return _raises(then) and _raises(orelse)
        case While(cond=Block(yields=(Const(value=True),)), body=body, stop=stop):
            return stop is None or _raises(body)
    return False


def _other_result(tree: object) -> tuple[str, str]:
    """What a function returns that returns no number, and what to do."""
    if isinstance(tree, StaticSpec) and tree.value is None:
        return "nothing", "return the number"
    if isinstance(tree, NodeSpec) and tree.kind is tuple and len(tree.children) == 2:
        return "a pair, no single number", "pass has_aux=True if it is (value, aux), or use vjp or jacrev"
    return "no single number", "return it alone, or (value, aux) with has_aux=True, or use vjp or jacrev"


def _element(fn: Function, k: int) -> Function:
    """A 0-d array result as the number in it."""
    b = Builder(Names.above(fn), fn.loc)
    array = fn.results[k]
    assert isinstance(array, Var)
    value = b.load(array, ())
    results = (*fn.results[:k], value, *fn.results[k + 1 :])
    return replace(fn, body=Block((*fn.body.stmts, *b.stmts), fn.body.yields), results=results)


def with_zeros(fn: Function, params: Sequence[Var]) -> Function:
    """The function with zero arrays like `params` as further results."""
    if not params:
        return fn
    b = Builder(Names.above(fn), fn.loc)
    zeros: list[Operand] = []
    for p in params:
        if isinstance(p.type, Array):
            shape = [b.dim(p, axis) for axis in range(p.type.ndim)]
            zeros.append(b.alloc(shape, p.type.dtype, f"ct_{p.name}", zeroed=True))
        else:
            zeros.append(b.const(0.0, p.type.dtype))
    return replace(fn, body=Block((*fn.body.stmts, *b.stmts)), results=(*fn.results, *zeros))


def spelled(program: Program) -> list[str]:
    """The core function's parameters as Python expressions over the arguments."""
    found = spelled_leaves(program.argument_names, program.arguments)
    return [*(text for text, _ in found), *(h.name for h in program.hidden)]


def spelled_leaves(names: Sequence[str], arguments: Sequence[Spec]) -> list[tuple[str, bool]]:
    """The leaves of the arguments as Python expressions, each with whether it is the memory of a complex
    array, which has an axis more.
    """
    found: list[tuple[str, bool]] = []

    def visit(spec: Spec, text: str, pairs: bool = False) -> None:
        if isinstance(spec, NodeSpec):
            if spec.kind is ComplexArray:
                visit(spec.children[0], text, True)
                return
            for key, child in zip(spec.keys, spec.children, strict=True):
                plain = spec.kind in (dict, tuple, list)
                visit(child, f"{text}[{key!r}]" if plain else f"{text}.{key}")
        elif isinstance(spec, ArraySpec | ScalarSpec):
            found.append((text, pairs))

    for name, spec in zip(names, arguments, strict=True):
        visit(spec, name)
    return found


def forward_sweep(
    program: Program,
    argnums: Sequence[Position],
    has_aux: bool = False,
    saved_as: str | None = None,
) -> tuple[Function, tuple[Note, ...]]:
    """The forward sweep of a gradient: the program's results, then what it leaves for the reverse sweep, with
    a note on each such value.
    """
    fn, seeded = scalar_result(program, has_aux)
    seeds = [] if seeded is None else [seeded]
    return pipeline.kept(fn, choose(program, argnums).wrt, seeds, saved_as=saved_as)


def saving_loops(program: Program, argnums: Sequence[Position], has_aux: bool = False) -> list[int]:
    """The loops, by their number in `nesting`, inside which a gradient saves something."""
    fn, seeded = scalar_result(program, has_aux)
    return saving(fn, choose(program, argnums).wrt, [] if seeded is None else [seeded])


def gradient(
    program: Program,
    argnums: Sequence[Position],
    *,
    single: bool,
    value: bool,
    has_aux: bool = False,
    marks: Sequence[str] = (),
    whole: bool = False,
    saved_as: str | None = None,
) -> Program:
    """`grad` and `value_and_grad`. `single`: one argument was named alone: its gradient is not in a tuple.
    `whole`: the value is computed though nobody is given it. `saved_as`: the format of saved floats.
    """
    fn, seeded = scalar_result(program, has_aux)
    leaves = choose(program, argnums)
    own = len(fn.results)
    made = pipeline.joint(fn, leaves.wrt, [] if seeded is None else [seeded], marks, saved_as)
    count = len(leaves.wrt)
    marked = made.results[own + count :]
    made = replace(made, results=made.results[: own + count])
    made = with_zeros(made, [fn.params[p] for p in leaves.zeros])
    made = replace(made, results=(*made.results, *marked))
    trees = [shifted(t, own) for t in leaves.trees]
    grads: object = trees[0] if single else tuple_tree(trees)
    if marks:
        first = len(made.results) - len(marks)
        named = NodeSpec(dict, tuple(marks), tuple(ResultLeaf(first + k) for k in range(len(marks))))  # type: ignore[misc]
        grads = tuple_tree([grads, named])
    result = grads
    if value:
        result = tuple_tree([program.result, grads])
    elif has_aux:
        aux = program.result.children[1] if isinstance(program.result, NodeSpec) else program.result
        result = tuple_tree([grads, aux])
    found = replace(program, function=made, result=result)
    return found if whole else pruned(found)


def pruned(program: Program) -> Program:
    """Only the results that the tree mentions."""
    used: dict[int, int] = {}

    def visit(tree: object) -> object:
        if isinstance(tree, NodeSpec):
            return NodeSpec(tree.kind, tree.keys, tuple(visit(c) for c in tree.children))  # type: ignore[misc]
        if isinstance(tree, ResultLeaf):
            return ResultLeaf(used.setdefault(tree.index, len(used)))
        return tree

    result = visit(program.result)
    results = tuple(program.function.results[k] for k in used)
    return replace(program, function=replace(program.function, results=results), result=result)


def tangent(
    program: Program,
    leaves: Leaves,
    value: bool = True,
    mode: Callable[[Function, Sequence[int]], Function] = pipeline.tangent,
) -> Program:
    """`jvp`: further parameters, one tangent per differentiated leaf, stand before the hidden ones. The
    result is (value, tangent), or the tangent alone. `mode` may be `pipeline.pattern`.
    """
    fn = program.function
    made = mode(fn, leaves.wrt)
    count, hidden = len(leaves.wrt), len(program.hidden)
    own = len(fn.params) - hidden
    params = (*made.params[:own], *made.params[len(fn.params) :], *made.params[own : len(fn.params)])
    specs = tuple(_spec_of(v) for v in made.params[len(fn.params) :])
    floats = [k for k, r in enumerate(fn.results) if is_float(r.type)]
    tree = _tangent_tree(program.result, {k: len(fn.results) + at for at, k in enumerate(floats)})
    result = tuple_tree([program.result, tree]) if value else tree
    names = (*program.argument_names, *(v.name for v in made.params[len(fn.params) :]))
    made = replace(made, params=params)
    assert len(specs) == count
    return pruned(
        replace(
            program,
            function=made,
            arguments=(*program.arguments, *specs),
            argument_names=names,
            result=result,
        )
    )


def _spec_of(v: Var) -> Spec:
    if isinstance(v.type, Array):
        return ArraySpec(v.type.dtype, v.type.ndim, v.type.layout)
    return ScalarSpec(v.type.dtype)


def _tangent_tree(tree: object, of: dict[int, int]) -> object:
    if isinstance(tree, NodeSpec):
        return NodeSpec(tree.kind, tree.keys, tuple(_tangent_tree(c, of) for c in tree.children))  # type: ignore[misc]
    if isinstance(tree, ResultLeaf) and tree.index in of:
        return ResultLeaf(of[tree.index])
    return StaticSpec(0.0 if isinstance(tree, StaticSpec) and isinstance(tree.value, float) else None)


def parameters(program: Program) -> list[object]:
    """For each argument the tree of the parameters' numbers: None at a leaf without floats."""
    return _Numbering(program).trees


def with_outputs(program: Program, names: Sequence[str]) -> Program:
    """The final contents of the named arguments as results after the returned value, which is left out if
    it is None.
    """
    fn = program.function
    numbers = parameters(program)
    params: list[Var] = []
    for name in names:
        at = numbers[program.argument_names.index(name)] if name in program.argument_names else None
        if not isinstance(at, int) or not isinstance(fn.params[at].type, Array):
            raise SeedError(f"outputs names {name!r}, which is not a parameter that holds an array of floats")
        params.append(fn.params[at])
    own = len(fn.results)
    trees: list[object] = [ResultLeaf(own + k) for k in range(len(params))]
    nothing = isinstance(program.result, StaticSpec) and program.result.value is None
    parts = trees if nothing else [program.result, *trees]
    result = parts[0] if len(parts) == 1 else tuple_tree(parts)
    return replace(program, function=replace(fn, results=(*fn.results, *params)), result=result)
