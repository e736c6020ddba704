"""Vectorisable transcendental functions for Numba without SVML.

A Numba intrinsic emits a call of a scalar libm function and attaches LLVM's call-site attribute
"vector-function-abi-variant", which tells the loop vectoriser that libmvec (part of glibc on x86-64 Linux)
has vector versions. The scalar symbol gets a private name, so that LLVM does not recognise it as a libcall
and turn it into an intrinsic without vector version (it does so for log, pow, …). Elsewhere `available` is
False and the functions are the math module's.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir
from numba import njit, types
from numba.extending import intrinsic

LANES = (("b", 2), ("d", 4), ("e", 8))  # letters of the vector ABI for SSE, AVX2 and AVX-512
USED = "llvm.compiler.used"

try:
    _vector = ctypes.CDLL("libmvec.so.1")
    llvm.load_library_permanently("libmvec.so.1")
    _scalar = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    available = True
except OSError:
    available = False


def _keep_alive(module: ir.Module, functions: list[ir.Function]) -> None:
    """List the declarations in `llvm.compiler.used`, so that they live until the vectoriser has run."""
    pointer = ir.IntType(8).as_pointer()
    old = module.globals.pop(USED, None)
    elements = list(old.initializer.constant) if old is not None else []
    known = {str(e) for e in elements}
    elements += [f.bitcast(pointer) for f in functions if str(f.bitcast(pointer)) not in known]
    array = ir.ArrayType(pointer, len(elements))
    if old is not None:
        old.type, old.value_type = ir.PointerType(array), array
        module.globals[USED] = used = old
    else:
        used = ir.GlobalVariable(module, array, USED)
        used.linkage, used.section = "appending", "llvm.metadata"
    used.initializer = ir.Constant(array, elements)


def _emit(module: ir.Module, builder: Any, name: str, symbol: str, args: Any) -> Any:
    """The call of the scalar function with its vector variants attached."""
    double, count = ir.DoubleType(), len(args)
    variants, declared = [], []
    for letter, lanes in LANES:
        vector_name = f"_ZGV{letter}N{lanes}{'v' * count}_{name}"
        if hasattr(_vector, vector_name):
            vector = ir.VectorType(double, lanes)
            kind = ir.FunctionType(vector, [vector] * count)
            declared.append(module.globals.get(vector_name) or ir.Function(module, kind, vector_name))
            variants.append(f"_ZGV_LLVM_N{lanes}{'v' * count}_{symbol}({vector_name})")
    _keep_alive(module, declared)
    kind = ir.FunctionType(double, [double] * count)
    function = module.globals.get(symbol) or ir.Function(module, kind, symbol)
    call = builder.call(function, args, fastmath=["fast"])
    call.attributes.add("nounwind")
    call.attributes.add("readnone")
    set.add(call.attributes, f'"vector-function-abi-variant"="{",".join(variants)}"')
    return call


def _make(name: str, count: int = 1) -> Any:
    if not available or not hasattr(_vector, f"_ZGVdN4{'v' * count}_{name}"):
        return _plain(getattr(math, name), count)
    symbol = f"vfa_{name}"
    llvm.add_symbol(symbol, ctypes.cast(getattr(_scalar, name), ctypes.c_void_p).value)

    def generate(signature: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return _emit(builder.module, builder, name, symbol, args)

        return signature, codegen

    if count == 1:

        @intrinsic
        def call_one(typingctx, x):
            return generate(types.float64(types.float64))

        @njit(fastmath=True, inline="always")
        def one(x):
            return call_one(x)

        return one

    @intrinsic
    def call_two(typingctx, x, y):
        return generate(types.float64(types.float64, types.float64))

    @njit(fastmath=True, inline="always")
    def two(x, y):
        return call_two(x, y)

    return two


def _plain(function: Any, count: int) -> Any:
    if count == 1:
        return njit(fastmath=True, inline="always")(lambda x: function(x))
    return njit(fastmath=True, inline="always")(lambda x, y: function(x, y))


vexp = _make("exp")
vlog = _make("log")
vlog1p = _make("log1p")
vsin = _make("sin")
vcos = _make("cos")
vtanh = _make("tanh")
vatan2 = _make("atan2", 2)
vpow = _make("pow", 2)
