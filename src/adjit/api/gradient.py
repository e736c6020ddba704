"""`jit`, `grad` and `value_and_grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .. import compiler
from ..compiler.program import Program, Spec
from ..errors import MissingRuleError, SeedError
from ..options import DEFAULT, Options
from ..runtime import buffers, pytree
from ..runtime.typed import compiled_form, known
from .argnums import Argnums, frozen, positions
from .signatures import Graded, Jitted, P, R, ValueAndGrad
from .transform import Transform, decorated, kept

if TYPE_CHECKING:
    from ..compiler.ir.nodes import Function, Operand


class Jit(Transform):
    """The compiled function itself."""

    budgets = rounds = True  # for its gradients
    targets = ("cpu", "cuda")

    guesses = True
    word = "function"

    @property
    def py_func(self) -> Callable[..., Any]:
        """The Python function, uncompiled."""
        return self.base

    def captured(self, arguments: tuple[Spec, ...]) -> Program:
        if isinstance(self.fun, Transform):
            return super().captured(arguments)
        return compiler.pipeline.capture(self.fun, arguments, self.options, plain=True)

    def derive(self, program: Program) -> Program:
        return program

    def saved(self, *args: Any, **kwargs: Any) -> buffers.Saved:
        """What `vjp` of the function in all its arguments keeps, for these arguments."""
        from .vjp import Vjp

        transform: Vjp = kept(Vjp, self.fun, None, (), options={})
        return transform.saved(*args, **kwargs)


class Gradient(Transform):
    """`grad` (without the value) and `value_and_grad`."""

    targets = ("cpu", "cuda")

    guesses = True
    rounds = True

    def __init__(
        self,
        fun: Callable[..., Any],
        value: bool,
        argnums: Argnums = 0,
        has_aux: bool = False,
        intermediates: Sequence[str] = (),
        options: Options = DEFAULT,
    ) -> None:
        self.intermediates = (intermediates,) if isinstance(intermediates, str) else tuple(intermediates)
        super().__init__(fun, options.updated({"intermediates": self.intermediates}))
        self.value, self.argnums, self.has_aux = value, argnums, has_aux
        self.word = "value and gradient" if value else "gradient"
        self.chosen, self.single = positions(self, argnums)

    def recipe(self) -> tuple[Any, ...]:
        return (self.fun, self.value, self.argnums, self.has_aux, self.intermediates, self.options)

    def derive(self, program: Program) -> Program:
        return compiler.derived.gradient(
            program,
            self.chosen,
            single=self.single,
            value=self.value,
            has_aux=self.has_aux,
            marks=self.intermediates,
            whole=self.options.debug_nans,
            saved_as=self.options.saved_as,
        )

    def program(self, arguments: tuple[Spec, ...]) -> Program:
        if self.options.saved_as is not None:
            raise MissingRuleError(
                "a gradient with saved_as cannot be part of another program",
                why="rounding has no derivative",
                hint="leave saved_as out of gradients that are transformed or called in functions",
            )
        return super().program(arguments)

    def adapted(self, program: Program) -> Program:
        """What is differentiated instead of the user's program."""
        return program

    def explained(self, program: Program) -> tuple[Function, list[Operand]]:
        fn, seeded = compiler.derived.scalar_result(program, self.has_aux)
        return fn, [] if seeded is None else [fn.results[seeded]]

    def saved(self, *args: Any, **kwargs: Any) -> buffers.Saved:
        """What the forward sweep leaves for the reverse sweep, for these arguments, which are not written."""
        from ..runtime import tables
        from .vjp import Vjp, forward_only, unshared

        below: Vjp = kept(
            Vjp, self.fun, frozen(self.argnums), (), options={"max_bytes": None, "saved_as": None}
        )
        halves, leaves = below.prepare(below.bound(args, kwargs))
        captured = below.captured(halves.program.arguments)  # what another process kept has no statements
        program = self.adapted(captured)
        sweep, notes = compiler.derived.forward_sweep(
            program, self.chosen, self.has_aux, self.options.saved_as
        )
        arguments = halves.around.with_hidden(unshared(leaves))
        run_as = self.derive(self.guessed(program.arguments)).function
        whole = compiler.pipeline.passes(run_as, compiler.pipeline.BEFORE_TEXT)
        spelled, run = compiler.derived.spelled(program), forward_only(self, sweep, arguments)
        return tables.table(sweep, notes, arguments, spelled, run, whole)

    def accumulate(self, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        """Add the gradient into the arrays of `buffers` (structured as the gradient) and return the value."""
        return self._deliver(buffers, args, kwargs, np.add)

    def into(self, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        """Overwrite the arrays of `buffers` (structured as the gradient) with it and return the value."""
        return self._deliver(buffers, args, kwargs, None)

    def _deliver(self, buffers: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ufunc: Any) -> Any:
        if not self.value:
            raise TypeError("accumulate and into belong to value_and_grad")
        if self.options.target != "cpu":
            raise MissingRuleError(
                "accumulate and into have no form on the GPU",
                why="the buffers are arrays of the host",
                hint="call the function and add its gradient to an array of the device",
            )
        value, found = self(*args, **kwargs)
        gradients = found[0] if self.intermediates else found
        targets: list[tuple[Any, Any]] = []
        if self.single and _is_alone(buffers, gradients):
            (buffers,) = buffers
        _pair(buffers, gradients, "buffers", targets)
        for target, gradient in targets:
            if ufunc is None:
                target[...] = gradient
            else:
                ufunc(target, gradient, out=target)
        return value


def _is_alone(buffers: Any, gradient: Any) -> bool:
    """Whether the buffer of the only gradient is given as a tuple with one for each of `argnums`."""
    return type(buffers) is tuple and len(buffers) == 1 and type(gradient) is not tuple


def _pair(buffer: Any, gradient: Any, where: str, found: list[tuple[Any, Any]]) -> None:
    """Match buffers with gradients, refusing what does not fit before anything is written."""
    node = pytree.children(gradient)
    if node is not None:
        inner = pytree.children(buffer)
        if inner is None or inner[1] != node[1]:
            raise SeedError(
                f"{where} is not structured as the gradient, a {node[0].__name__} of {len(node[2])}",
                hint="make buffers of that structure with adjit.zeros_like",
            )
        for key, b, g in zip(node[1], inner[2], node[2], strict=True):
            _pair(b, g, f"{where}[{key!r}]", found)
        return
    if gradient is None:
        return
    if not isinstance(buffer, np.ndarray):
        remedy = "pass a 0-d array, np.zeros(())" if np.ndim(gradient) == 0 else "pass the array itself"
        raise SeedError(f"{where} is a {type(buffer).__name__}, not an array", hint=remedy)
    if buffer.shape != np.shape(gradient) or buffer.dtype != np.result_type(gradient):
        wanted = f"shape {np.shape(gradient)} and dtype {np.result_type(gradient)}"
        raise SeedError(
            f"{where} has shape {buffer.shape} and dtype {buffer.dtype}, the gradient has {wanted}",
            hint="make buffers with adjit.zeros_like",
        )
    if not buffer.flags.writeable:
        raise SeedError(f"{where} is read-only")
    found.append((buffer, gradient))


def _made(fun: Callable[..., Any], *, options: Options, **settings: Any) -> Gradient:
    if options.max_bytes is None:
        return Gradient(fun, **settings, options=options)
    from .budget import Budgeted  # loaded where a budget is given: it needs the adjoint

    return Budgeted(fun, **settings, options=options)


@overload
def jit(fun: None = None, **options: Any) -> Callable[[Callable[P, R]], Jitted[P, R]]: ...
@overload
def jit(fun: Callable[P, R], **options: Any) -> Jitted[P, R]: ...
def jit(fun: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function with Numba through adjit's own lowering of NumPy.

    >>> import numpy as np
    >>> @jit
    ... def norm2(x):
    ...     return np.sum(x * x)
    >>> norm2(np.array([3.0, 4.0]))
    25.0
    """
    return decorated(Jit, fun, {}, options)


@overload
def grad(
    fun: None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> Callable[[Callable[P, R]], Graded[P, Any]]: ...
@overload
def grad(
    fun: Callable[P, R],
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> Graded[P, Any]: ...
def grad(
    fun: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> Any:
    """The gradient of a function that returns one number.

    `argnums` is a position, a parameter name, or a tuple of them; the gradient has the structure of that
    argument. `max_bytes` is what a call may have at a time beyond its arguments: adjit then chooses loops to
    checkpoint, or refuses with the least number that would do. `saved_as` is "float16" or "bfloat16": loops
    then save in two bytes a number what the reverse sweep reads.

    >>> grad(lambda w, x: (w * x) ** 2 + 3.0 * w * x)(2.0, 4.0)
    76.0
    """
    settings = {"value": False, "argnums": argnums, "has_aux": has_aux, "intermediates": intermediates}
    return decorated(_made, fun, settings, options)


@overload
def value_and_grad(
    fun: None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> Callable[[Callable[P, R]], ValueAndGrad[P, R]]: ...
@overload
def value_and_grad(
    fun: Callable[P, R],
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> ValueAndGrad[P, R]: ...
def value_and_grad(
    fun: Callable[..., Any] | None = None,
    argnums: Argnums = 0,
    has_aux: bool = False,
    intermediates: Sequence[str] = (),
    **options: Any,
) -> Any:
    """Value and gradient, by one compiled function: `(value, gradient)`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    settings = {"value": True, "argnums": argnums, "has_aux": has_aux, "intermediates": intermediates}
    return decorated(_made, fun, settings, options)


@cache
def _known(make: Callable[..., Any], fun: Callable[..., Any], argnums: int | str) -> Any:
    """The transform of a function, made once for all compiled code that makes it."""
    return make(fun, argnums)


@compiled_form(grad)
def _compiled_grad(fun: Any, argnums: Any = 0) -> Any:
    """`grad` in code that Numba compiles."""
    made = _known(grad, known(fun), known(argnums))
    return lambda fun, argnums=0: made


@compiled_form(value_and_grad)
def _compiled_value_and_grad(fun: Any, argnums: Any = 0) -> Any:
    """`value_and_grad` in code that Numba compiles."""
    made = _known(value_and_grad, known(fun), known(argnums))
    return lambda fun, argnums=0: made
