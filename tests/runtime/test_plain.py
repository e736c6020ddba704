"""Uncompiled programs compute as compiled ones do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjit.compiler.codegen.linemap import Text
from adjit.runtime import modules


def loaded(body: str, params: str = "x, n") -> object:
    source = f"import numpy as np\n\n\ndef f({params}):\n    {body}\n"
    return modules.load(Text(source, "f", (), ()), cache=False).call


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1.0 / (x - x)", math.inf),
        ("s = 0.0\n    return 1.0 / s", math.inf),
        ("s = 0.0\n    s /= 0.0\n    return s", math.nan),
        ("return 0.0 ** -1.0", math.inf),
        ("return (0.0 - 8.0) ** 0.5", math.nan),
        ("return 10.0 ** 400.0", math.inf),
        ("return 7 // (n - n)", 0),
        ("return 7 % (n - n)", 0),
        ("k = 7\n    k //= n - n\n    return k", 0),
        ("return (-7) // 2", -4),
        ("return (-7) % 3", 2),
        ("return 9223372036854775807 + 1", -9223372036854775808),
        ("return np.int32(2147483648 + n - n)", -2147483648),
        ("a = np.zeros(4)\n    a[n] = 2.5\n    return a[3]", 2.5),
    ],
)
def test_arithmetic_is_numpys(body: str, expected: float) -> None:
    got = loaded(body)(np.float64(2.0), np.int64(3))  # type: ignore[operator]
    np.testing.assert_equal(got, expected)


def test_single_precision_stays() -> None:
    got = loaded("return x * np.float32(0.5)")(np.float32(3.0), np.int64(1))  # type: ignore[operator]
    assert type(got) is np.float32


def test_lines_do_not_move() -> None:
    call = loaded("y = x\n    y //= 0.0\n    raise ValueError(y)")
    with pytest.raises(ValueError) as caught:
        call(np.float64(1.0), np.int64(1))  # type: ignore[operator]
    assert caught.tb.tb_next is not None
    deepest = caught.tb
    while deepest.tb_next is not None:
        deepest = deepest.tb_next
    assert deepest.tb_lineno == 7
