"""`over_squares` becomes a formula that holds for large and small numbers, or a short one."""

from __future__ import annotations

import math

import pytest

from adjit.compiler.ir.visitor import walk
from adjit.compiler.passes.cse import cse
from adjit.compiler.passes.spell_out import scaled, unscaled
from tests.support.interpret import run
from tests.support.little import read

BOTH = read('def f(x: "f8", y: "f8"):\n    return over_squares(x, y), over_squares(y, x)\n')


@pytest.mark.parametrize("x, y", [(3.0, 4.0), (-1e-3, 1e3), (0.0, 2.0), (5.0, 0.0)])
@pytest.mark.parametrize("form", [scaled, unscaled])
def test_it_is_the_formula(form, x, y):
    square = x * x + y * y
    assert run(form(BOTH), x, y) == pytest.approx((x / square, y / square), rel=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_scaled_over_the_range_of_floats(size):
    assert run(scaled(BOTH), 3.0 * size, 4.0 * size) == pytest.approx((0.12 / size, 0.16 / size), rel=1e-14)


def test_both_orders_share_their_divisions():
    divisions = [s for s in walk(cse(scaled(BOTH)).body) if getattr(s, "op", "") == "div"]
    assert len(divisions) == 3
    assert len([s for s in walk(cse(unscaled(BOTH)).body) if getattr(s, "op", "") == "div"]) == 1


def test_zero_over_zero_is_not_a_number():
    assert all(math.isnan(r) for r in run(scaled(BOTH), 0.0, 0.0))
