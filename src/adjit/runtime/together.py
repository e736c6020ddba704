"""One compiled function run by several threads of Numba's.

`in_threads(part, threads, workers, arguments)` calls `part(thread, threads, *arguments)` for each thread
number; with one worker one after the other in the calling thread. Input: a compiled function without
result, numbers, a tuple. Written out in LLVM: what stands behind `numba.prange` takes Numba seconds to
compile for each loop, and all that is wanted of it is the call that hands numbers to threads. Invariants:
returns when all are done; an error in a part is lost, so parts note their errors. Non-goals: choosing the
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.types.misc import unliteral
from numba.extending import lower_builtin, type_callable
from numba.np.ufunc.parallel import _launch_threads as launch_threads

INTP: Any = ir.IntType(64)
BYTES: Any = ir.PointerType(ir.IntType(8))


def in_threads(part: Callable[..., None], threads: int, workers: int, arguments: tuple[Any, ...]) -> None:
    """Call the part once for each thread."""
    for thread in range(threads):
        part(thread, threads, *arguments)


def _signature(context: Any, part: Any, arguments: Any) -> Any:
    given = tuple(unliteral(t) for t in arguments)
    return part.get_call_type(context, (types.int64, types.int64, *given), {})


@type_callable(in_threads)  # type: ignore[untyped-decorator]
def _typed(context: Any) -> Any:
    def typer(part: Any, threads: Any, workers: Any, arguments: Any) -> Any:
        launch_threads()  # compiled code then finds `numba_parallel_for`
        _signature(context, part, arguments)
        return types.none

    return typer


def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    part, *_, given = sig.args
    called = _signature(context.typing_context, part, given)
    compiled = part.dispatcher.get_compile_result(called)
    context.add_linking_libs([compiled.library])
    threads, workers = (
        context.cast(builder, a, t, types.int64) for a, t in zip(args[1:3], sig.args[1:3], strict=True)
    )
    parts = cgutils.unpack_tuple(builder, args[3], len(given))
    values = [
        context.cast(builder, v, t, unliteral(t)) if isinstance(t, types.Literal) else v
        for v, t in zip(parts, given, strict=True)
    ]
    packed = ir.LiteralStructType([INTP, *(v.type for v in values)])
    memory = cgutils.alloca_once(builder, packed)
    for k, v in enumerate([threads, *values]):
        builder.store(v, cgutils.gep_inbounds(builder, memory, 0, k))
    passes = _passes(context, builder.module, compiled.fndesc, called, packed)
    _start(builder, passes, threads, workers, builder.bitcast(memory, BYTES))
    return context.get_dummy_value()


def _passes(context: Any, module: Any, described: Any, called: Any, packed: Any) -> Any:
    """The function that a thread runs: for some thread numbers, which it gets as an address, a call of the
    part. Its type is that of the loops of ufuncs, which is what Numba's threads run.
    """
    kind = ir.FunctionType(
        ir.VoidType(), [ir.PointerType(BYTES), ir.PointerType(INTP), ir.PointerType(INTP), BYTES]
    )
    name = module.get_unique_name(f"{described.mangled_name}.passes")
    made = ir.Function(module, kind, name)
    made.linkage = "internal"
    builder = ir.IRBuilder(made.append_basic_block("entry"))
    numbers, counts, _, data = made.args
    first = builder.ptrtoint(builder.load(numbers), INTP)
    memory = builder.bitcast(data, ir.PointerType(packed))
    fields = [builder.load(cgutils.gep_inbounds(builder, memory, 0, k)) for k in range(len(packed.elements))]
    function = context.declare_function(module, described)
    with cgutils.for_range(builder, builder.load(counts)) as loop:
        thread = builder.add(first, loop.index)
        context.call_conv.call_function(builder, function, called.return_type, called.args, [thread, *fields])
    builder.ret_void()
    return made


def _start(builder: Any, passes: Any, threads: Any, workers: Any, data: Any) -> None:
    """Hand out the numbers from 0 on: the address of a number is the number."""
    one = INTP(1)
    numbers = cgutils.alloca_once_value(builder, ir.Constant(BYTES, None))
    counts, steps = cgutils.alloca_once(builder, INTP), cgutils.alloca_once(builder, INTP)
    builder.store(ir.Constant(BYTES, None), numbers)
    builder.store(threads, counts)
    builder.store(one, steps)
    fewer = builder.icmp_signed("<", workers, threads)
    running = builder.select(fewer, workers, threads)
    with builder.if_else(builder.icmp_signed(">", running, one)) as (several, alone):
        with several:
            kind = ir.FunctionType(ir.VoidType(), [*[BYTES] * 5, *[INTP] * 3])  # as Numba declares it
            start = cgutils.get_or_insert_function(builder.module, kind, "numba_parallel_for")
            given = [builder.bitcast(x, BYTES) for x in (passes, numbers, counts, steps)]
            builder.call(start, [*given, data, INTP(0), one, running])
        with alone:
            builder.call(passes, [numbers, counts, steps, data])


_TUPLE: Any = types.BaseTuple  # type: ignore[attr-defined]
lower_builtin(in_threads, types.Dispatcher, types.Integer, types.Integer, _TUPLE)(_lower)
