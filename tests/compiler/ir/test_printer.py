"""The printed form is stable, and says everything that matters."""

from adjit.compiler.ir.builder import Builder, Names, const
from adjit.compiler.ir.compare import canonical, digest, equal
from adjit.compiler.ir.nodes import Block, Function, If
from adjit.compiler.ir.printer import text
from adjit.compiler.ir.types import BOOL, FLOAT64, INT, Array
from adjit.compiler.ir.verify import verify


def sample(skip: int = 0, name: str = "x") -> Function:
    b = Builder(Names(skip))
    x = b.fresh(name, Array("float64", 1))
    n = b.dim(x, 0)
    y = b.alloc((n,), "float64", "y")
    with b.loop(const(0), n) as i:
        v = b.load(x, (i,))
        c = b.op("lt", v, const(0.0))
        with b.block() as then:
            b.store(y, (i,), b.op("neg", v))
        with b.block() as orelse:
            b.accumulate(y, (i,), v)
        b.emit(If(c, Block(tuple(then)), Block(tuple(orelse)), ()))
    return Function("f", (x,), b.finish(), (y,))


EXPECTED = """\
def f(x: float64[:]):
    n_x: int64 = dim x 0
    y: float64[:] = alloc (n_x)
    for i in range(0, n_x):
        x_1: float64 = x[i]
        t: bool = lt x_1, 0.0
        if t:
            t_1: float64 = neg x_1
            y[i] = t_1
        else:
            y[i] += x_1
    return y
"""


def test_text() -> None:
    verify(sample())
    assert text(sample()) == EXPECTED
    assert text(sample(100)) == EXPECTED


def test_equality_is_up_to_renaming() -> None:
    assert equal(sample(), sample(7, "z"))
    assert digest(sample()) == digest(sample(7, "z"))
    assert "z" not in canonical(sample(7, "z"))
    assert BOOL != INT != FLOAT64
