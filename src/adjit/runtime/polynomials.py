"""Vector forms of the commonest functions, for machines whose C library has none: polynomials in LLVM's IR.

Input: an IR builder inside a function of vectors of float64, the vector. Output: its function values, and
which lanes they hold for: the others (large arguments, NaN, subnormal numbers, ...) are for the scalar
function. Reduction of the argument and coefficients are those of fdlibm, or Taylor's. Accuracy: 3 units in
the last place. Invariants: the operations have flags of their own, `contract` only, wherever the calls
stand: `reassoc` would destroy the reductions. Non-goals: float32 (computed in float64), everything else.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

FLAGS = ("contract",)
MAGIC = 1.5 * 2.0**52  # added to a number, it leaves the nearest integer in the low bits
ONE_BITS, FRACTION = 0x3FF << 52, (1 << 52) - 1
ROOT_HALF_BITS = 0x3FE6A09E00000000  # just below the root of 1/2
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
TAYLOR = [1.0 / math.factorial(n) for n in range(13, 1, -1)]
LOG = (
    *(1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01),
    *(2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01),
)
HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
SINE = (
    *(1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06),
    *(-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01),
)
COSINE = (
    *(-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07),
    *(2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02),
)


def bits(x: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


class Lanes:
    """A vector of float64 under construction, with arithmetic operators."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def like(self, x: Lanes | float) -> Any:
        if isinstance(x, Lanes):
            return x.value
        return ir.Constant(self.value.type, [ir.Constant(ir.DoubleType(), x)] * self.value.type.count)

    def integer(self, x: int) -> Any:
        kind = ir.IntType(64)
        return ir.Constant(
            ir.VectorType(kind, self.value.type.count), [ir.Constant(kind, x)] * self.value.type.count
        )

    def made(self, operation: str, a: Any, b: Any) -> Lanes:
        operate = getattr(self.builder, operation)
        return Lanes(self.builder, operate(self.like(a), self.like(b), flags=FLAGS))

    def __add__(self, other: Lanes | float) -> Lanes:
        return self.made("fadd", self, other)

    def __sub__(self, other: Lanes | float) -> Lanes:
        return self.made("fsub", self, other)

    def __rsub__(self, other: float) -> Lanes:
        return self.made("fsub", other, self)

    def __mul__(self, other: Lanes | float) -> Lanes:
        return self.made("fmul", self, other)

    def __truediv__(self, other: Lanes | float) -> Lanes:
        return self.made("fdiv", self, other)

    def compared(self, relation: str, other: Lanes | float) -> Any:
        """An ordered comparison, a vector of bits: false for NaN."""
        return self.builder.fcmp_ordered(relation, self.value, self.like(other))

    def chosen(self, condition: Any, other: Lanes | float) -> Lanes:
        """This where the condition holds, else the other."""
        return Lanes(self.builder, self.builder.select(condition, self.value, self.like(other)))

    def words(self) -> Any:
        return self.builder.bitcast(self.value, self.integer(0).type)

    def of_words(self, words: Any) -> Lanes:
        return Lanes(self.builder, self.builder.bitcast(words, self.value.type))

    def absolute(self) -> Lanes:
        return self.of_words(self.builder.and_(self.words(), self.integer((1 << 63) - 1)))

    def signed_like(self, other: Lanes) -> Lanes:
        """This, which is not negative, with the other's sign."""
        sign = self.builder.and_(other.words(), self.integer(-(1 << 63)))
        return self.of_words(self.builder.or_(self.words(), sign))


def horner(x: Lanes, coefficients: Sequence[float]) -> Lanes:
    """The polynomial whose coefficients are given from the highest down."""
    total = x * coefficients[0] + coefficients[1]
    for c in coefficients[2:]:
        total = total * x + c
    return total


def _power_of_two(shifted: Lanes) -> Lanes:
    """2 to the integer that stands in the low bits of `shifted`."""
    exponent = shifted.builder.shl(shifted.words(), shifted.integer(52))
    return shifted.of_words(shifted.builder.add(exponent, shifted.integer(ONE_BITS)))


def _reduced(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """`n` in low bits, `n`, and `exp(r) - 1`, where `x` is `n ln 2 + r` and n is the nearest integer."""
    shifted = x * (1.0 / math.log(2.0)) + MAGIC
    n = shifted - MAGIC
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    return shifted, n, r + r * r * horner(r, TAYLOR)


def exp(x: Lanes) -> tuple[Lanes, Any]:
    shifted, _, part = _reduced(x)
    return (part + 1.0) * _power_of_two(shifted), x.absolute().compared("<", 708.0)


def expm1(x: Lanes) -> tuple[Lanes, Any]:
    shifted, n, part = _reduced(x)
    inverse = _power_of_two(MAGIC - n)
    value = (part + (1.0 - inverse)) * _power_of_two(shifted)
    return x.chosen(x.compared("==", 0.0), value), x.absolute().compared("<", 700.0)


def tanh(x: Lanes) -> tuple[Lanes, Any]:
    size = x.absolute()
    t, _ = expm1(size.chosen(size.compared("<", 22.0), 22.0) * -2.0)
    value = (0.0 - t) / (t + 2.0)
    return value.absolute().signed_like(x), x.compared("==", x)


def _logarithm(x: Lanes, correction: Callable[[Lanes], Lanes] | None = None) -> Lanes:
    """Of a positive normal number, plus what a correction of it amounts to."""
    b = x.builder
    moved = b.add(x.words(), x.integer(ONE_BITS - ROOT_HALF_BITS))
    biased = b.or_(b.lshr(moved, x.integer(52)), x.integer(bits(2.0**52)))
    k = x.of_words(biased) - (2.0**52 + 1023.0)
    f = x.of_words(b.add(b.and_(moved, x.integer(FRACTION)), x.integer(ROOT_HALF_BITS))) - 1.0
    half_square = f * f * 0.5
    s = f / (f + 2.0)
    z = s * s
    low = k * LN2_LOW
    if correction is not None:
        low = low + correction(x)
    rest = s * (half_square + z * horner(z, LOG)) + low
    return k * LN2_HIGH - ((half_square - rest) - f)


def log(x: Lanes) -> tuple[Lanes, Any]:
    regular = x.builder.and_(x.compared(">=", 2.0**-1022), x.compared("<", math.inf))
    return _logarithm(x), regular


def log1p(x: Lanes) -> tuple[Lanes, Any]:
    u = x + 1.0

    def lost(u: Lanes) -> Lanes:
        """What rounding took from `1 + x`, relative to it."""
        return (1.0 - (u - x)).chosen(x.compared(">=", 1.0), x - (u - 1.0)) / u

    value = _logarithm(u, lost)
    regular = x.builder.and_(x.compared(">", -1.0), x.compared("<", 2.0**1000))
    return x.chosen(x.compared("==", 0.0), value), regular


def _circular(x: Lanes, quarter: int) -> tuple[Lanes, Any]:
    """The sine a number of quarter turns further on."""
    b = x.builder
    shifted = x * (2.0 / math.pi) + MAGIC
    n = shifted - MAGIC
    first, second, third = HALF_PI
    high = x - n * first
    w = n * second
    near = high - w
    r = near + (((high - near) - w) - n * third)
    z = r * r
    sine = r + r * z * horner(z, SINE)
    half = z * 0.5
    most = 1.0 - half
    cosine = most + (((1.0 - most) - half) + z * z * horner(z, COSINE))
    turns = b.add(shifted.words(), x.integer(quarter))
    odd = b.icmp_unsigned("!=", b.and_(turns, x.integer(1)), x.integer(0))
    value = cosine.chosen(odd, sine)
    if quarter == 0:  # the sign of zero
        value = x.chosen(x.compared("==", 0.0), value)
    sign = b.shl(b.and_(turns, x.integer(2)), x.integer(62))
    return x.of_words(b.xor(value.words(), sign)), x.absolute().compared("<", 1e5)


def sin(x: Lanes) -> tuple[Lanes, Any]:
    return _circular(x, 0)


def cos(x: Lanes) -> tuple[Lanes, Any]:
    return _circular(x, 1)


FUNCTIONS: dict[str, Callable[[Lanes], tuple[Lanes, Any]]] = {
    f.__name__: f for f in (exp, expm1, tanh, log, log1p, sin, cos)
}


def define(module: Any, symbol: str, name: str, scalar: Any, lanes: int) -> Any:
    """The vector form of `scalar`, a function of one float32 or float64, as a function of the module."""
    single = scalar.function_type.return_type
    kind = ir.VectorType(single, lanes)
    function = ir.Function(module, ir.FunctionType(kind, [kind]), symbol)
    function.linkage = "linkonce_odr"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    x = function.args[0]
    wide = x if single == ir.DoubleType() else builder.fpext(x, ir.VectorType(ir.DoubleType(), lanes))
    made, regular = FUNCTIONS[name](Lanes(builder, wide))
    value = made.value if wide is x else builder.fptrunc(made.value, kind)
    every = builder.bitcast(regular, ir.IntType(lanes))
    done, rest = function.append_basic_block("done"), function.append_basic_block("rest")
    builder.cbranch(builder.icmp_unsigned("==", every, ir.Constant(every.type, -1)), done, rest)
    builder.position_at_end(done)
    builder.ret(value)
    builder.position_at_end(rest)
    for k in range(lanes):
        place = ir.Constant(ir.IntType(32), k)
        alone = builder.call(scalar, [builder.extract_element(x, place)])
        kept = builder.select(
            builder.extract_element(regular, place), builder.extract_element(value, place), alone
        )
        value = builder.insert_element(value, kept, place)
    builder.ret(value)
    return function
