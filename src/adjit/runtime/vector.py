"""Elementary functions that LLVM vectorises, as generated programs call them.

In plain Python each is NumPy's or SciPy's function of the same name. In compiled code a call is one of the
C library's function, marked with the vector forms that a loop may use in its place (`libmvec`); where there
are none, of Numba's code with a polynomial as its vector form (`polynomials`), or without one. Input:
float32 or float64. Output: the same dtype, within 4 units in the last place.
Invariants: NaN, infinities, signed zeros and subnormal numbers are as in the C library in every lane. Equal
arguments need not give equal bits in a vector and outside one. Non-goals: `precise=True`, which calls
NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, overload, register_jitable, type_callable

from . import libmvec, polynomials


def _of_scipy(name: str) -> Callable[[Any], Any]:
    """Imported when called: compiled code does without SciPy, whose import takes a while."""
    from scipy import special

    function: Callable[[Any], Any] = getattr(special, name)
    return function


def exp(x: Any) -> Any:
    return np.exp(x)


def exp2(x: Any) -> Any:
    return np.exp2(x)


def expm1(x: Any) -> Any:
    return np.expm1(x)


def log(x: Any) -> Any:
    return np.log(x)


def log2(x: Any) -> Any:
    return np.log2(x)


def log10(x: Any) -> Any:
    return np.log10(x)


def log1p(x: Any) -> Any:
    return np.log1p(x)


def cbrt(x: Any) -> Any:
    return np.cbrt(x)


def sin(x: Any) -> Any:
    return np.sin(x)


def cos(x: Any) -> Any:
    return np.cos(x)


def tan(x: Any) -> Any:
    return np.tan(x)


def arcsin(x: Any) -> Any:
    return np.arcsin(x)


def arccos(x: Any) -> Any:
    return np.arccos(x)


def arctan(x: Any) -> Any:
    return np.arctan(x)


def sinh(x: Any) -> Any:
    return np.sinh(x)


def cosh(x: Any) -> Any:
    return np.cosh(x)


def tanh(x: Any) -> Any:
    return np.tanh(x)


def arcsinh(x: Any) -> Any:
    return np.arcsinh(x)


def arccosh(x: Any) -> Any:
    return np.arccosh(x)


def arctanh(x: Any) -> Any:
    return np.arctanh(x)


def erf(x: Any) -> Any:
    return _of_scipy("erf")(x)


def erfc(x: Any) -> Any:
    return _of_scipy("erfc")(x)


def expit(x: Any) -> Any:
    return _of_scipy("expit")(x)


def log_expit(x: Any) -> Any:
    return _of_scipy("log_expit")(x)


def logit(x: Any) -> Any:
    return _of_scipy("logit")(x)


def ndtr(x: Any) -> Any:
    return _of_scipy("ndtr")(x)


def power(x: Any, y: Any) -> Any:
    return np.power(x, y)


def arctan2(y: Any, x: Any) -> Any:
    return np.arctan2(y, x)


def hypot(x: Any, y: Any) -> Any:
    return np.hypot(x, y)


# The C library's name of each function whose name is another.
C_NAMES: dict[Callable[..., Any], str] = {
    arcsin: "asin",
    arccos: "acos",
    arctan: "atan",
    arcsinh: "asinh",
    arccosh: "acosh",
    arctanh: "atanh",
    power: "pow",
    arctan2: "atan2",
}
UNARY = (
    *(exp, exp2, expm1, log, log2, log10, log1p, cbrt, sin, cos, tan, arcsin, arccos, arctan),
    *(sinh, cosh, tanh, arcsinh, arccosh, arctanh, erf, erfc),
)
BINARY = (power, arctan2, hypot)
ROOT_HALF = math.sqrt(0.5)


def _pure(function: Any) -> None:
    """Without effects and sure to return: LLVM may call it where the source would not."""
    for attribute in ("nounwind", "readnone", "willreturn", "speculatable"):
        set.add(function.attributes, attribute)  # llvmlite's own `add` knows the older ones only


def _declared(module: Any, symbol: str, type_: Any, arity: int) -> Any:
    """A function of operands of one type."""
    found = module.globals.get(symbol)
    if found is None:
        found = ir.Function(module, ir.FunctionType(type_, [type_] * arity), symbol)
        _pure(found)
    return found


def _kept(module: Any, functions: list[Any]) -> None:
    """Keep declarations that nothing calls yet, until loops have been vectorised."""
    pointer = ir.IntType(8).as_pointer()
    name = "llvm.compiler.used"
    before = module.globals.pop(name, None)
    kept = list(before.initializer.constant) if before is not None else []
    known = {str(k) for k in kept}
    kept += [c for c in (f.bitcast(pointer) for f in functions) if str(c) not in known]
    array = ir.ArrayType(pointer, len(kept))
    if before is None:
        before = ir.GlobalVariable(module, array, name)
        before.linkage = "appending"
        before.section = "llvm.metadata"
    else:
        before.value_type, before.type = array, array.as_pointer()
        module.globals[name] = before
    before.initializer = ir.Constant(array, kept)


def _features(context: Any) -> set[str]:
    words = str(getattr(context.codegen(), "_tm_features", "")).split(",")
    return {"sse2", *(w[1:] for w in words if w.startswith("+"))}


def _marked(builder: Any, function: Any, args: Any, vectors: dict[int, Any]) -> Any:
    """A call for which a vectorised loop takes one of the vector functions, given by number of lanes."""
    _kept(builder.module, list(vectors.values()))
    made = builder.call(function, args)
    of = "v" * len(args)
    forms = [f"_ZGV_LLVM_N{lanes}{of}_{function.name}({f.name})" for lanes, f in vectors.items()]
    set.add(made.attributes, f'"vector-function-abi-variant"="{",".join(forms)}"')
    return made


def _call_of_libmvec(context: Any, builder: Any, name: str, args: Any) -> Any:
    module, type_, features = builder.module, args[0].type, _features(context)
    vectors = {
        v.lanes: _declared(module, v.symbol, ir.VectorType(type_, v.lanes), len(args))
        for v in libmvec.VARIANTS[name]
        if v.feature in features
    }
    function = _declared(module, libmvec.scalar_symbol(name), type_, len(args))
    return _marked(builder, function, args, vectors)


def _call_of_polynomial(context: Any, builder: Any, function: Any, signature: Any, args: Any) -> Any:
    """A call of Numba's code as a function apart, with a polynomial as its vector form."""
    module, type_, name = builder.module, args[0].type, function.__name__
    symbol = f"adjit_own_{name}{'f' if type_ == ir.FloatType() else ''}"
    lanes = (32 if "avx2" in _features(context) else 16) // (4 if type_ == ir.FloatType() else 8)
    scalar = module.globals.get(symbol)
    if scalar is None:
        scalar = _declared(module, symbol, type_, 1)
        set.add(scalar.attributes, "noinline")
        scalar.linkage = "linkonce_odr"
        inside = ir.IRBuilder(scalar.append_basic_block("entry"))
        inside.ret(_plain(context, inside, function, signature, scalar.args))
        _pure(polynomials.define(module, f"{symbol}_{lanes}", name, scalar, lanes))
    return _marked(builder, scalar, args, {lanes: module.globals[f"{symbol}_{lanes}"]})


def _plain(context: Any, builder: Any, function: Any, signature: Any, args: Any) -> Any:
    """Numba's own code for a function of NumPy's or `math`."""
    typing = context.typing_context
    known = typing.resolve_value_type(function)
    found = known.get_call_type(typing, signature.args, {})
    made = context.get_function(known, found)(builder, args)
    return context.cast(builder, made, found.return_type, signature.return_type)


def _lowered(function: Callable[..., Any]) -> Any:
    own = function.__name__
    c_name = C_NAMES.get(function, own)
    scalar = getattr(math if function in (erf, erfc) else np, own)

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name = c_name + ("f" if signature.return_type == types.float32 else "")
        if name in libmvec.VARIANTS:
            return _call_of_libmvec(context, builder, name, args)
        if own in polynomials.FUNCTIONS:
            return _call_of_polynomial(context, builder, scalar, signature, args)
        return _plain(context, builder, scalar, signature, args)

    return lower


def _typer_of_one(_context: Any) -> Any:
    def typer(x: Any) -> Any:
        return x if x in (types.float32, types.float64) else None

    return typer


def _typer_of_two(_context: Any) -> Any:
    def typer(x: Any, y: Any) -> Any:
        return x if x == y and x in (types.float32, types.float64) else None

    return typer


for _functions, _arity, _typer in ((UNARY, 1, _typer_of_one), (BINARY, 2, _typer_of_two)):
    for _function in _functions:
        type_callable(_function)(_typer)
        lower_builtin(_function, *([types.Float] * _arity))(_lowered(_function))


# What other functions are in terms of these, without branches: conditions that loops turn into selections.


def _in_double(function: Callable[..., Any], expression: Callable[[float], float]) -> None:
    """In compiled code, `function` is the expression in float64."""
    compute = register_jitable(expression)

    def typed(x):  # type: ignore[no-untyped-def]  # Numba compares signatures, annotations included
        if x == types.float32:
            return lambda x: np.float32(compute(np.float64(x)))
        return (lambda x: compute(x)) if x == types.float64 else None

    overload(function)(typed)


def _expit(x: float) -> float:
    e = exp(-abs(x))
    r = 1.0 / (1.0 + e)
    value: float = r if x >= 0.0 else e * r
    return value


def _log_expit(x: float) -> float:
    value: float = (0.0 if x >= 0.0 else x) - log1p(exp(-abs(x)))
    return value


def _logit(x: float) -> float:
    value: float = log1p((2.0 * x - 1.0) / (1.0 - x)) if 0.3 < x < 0.65 else log(x / (1.0 - x))
    return value


def _ndtr(x: float) -> float:
    value: float = 0.5 * erfc(-x * ROOT_HALF)
    return value


COMPOSED = {expit: _expit, log_expit: _log_expit, logit: _logit, ndtr: _ndtr}
for _function, _expression in COMPOSED.items():
    _in_double(_function, _expression)
