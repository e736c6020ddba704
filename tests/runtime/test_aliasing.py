"""Which arguments share memory."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from adjit.errors import OverwriteError
from adjit.runtime import aliasing


def test_the_same_array_is_seen_through_views() -> None:
    a = np.zeros((3, 4))
    assert aliasing.pattern([a, np.zeros((3, 4)), a[:], a]) == (0, 1, 0, 0)
    assert aliasing.pattern([a, a.T]) == (0, 1)


def test_neighbours_do_not_overlap() -> None:
    a = np.zeros((4, 6))
    assert not aliasing.overlap(a[:, :3], a[:, 3:])
    assert not aliasing.overlap(a[::2], a[1::2])
    assert aliasing.overlap(a[:, :4], a[:, 3:])


def test_only_what_is_written_matters() -> None:
    a = np.zeros(5)
    aliasing.check([a[1:], a[:-1], np.zeros(3)], ["x", "y", "z"], [2], "f")
    with pytest.raises(OverwriteError) as caught:
        aliasing.check([a[1:], a[:-1], np.zeros(3)], ["x", "y", "z"], [1], "f")
    assert "arguments 'x' and 'y' overlap in memory, and `f` writes 'y'" in str(caught.value)


def test_an_array_that_overlaps_itself_is_not_written() -> None:
    a = np.lib.stride_tricks.as_strided(np.zeros(3), (3, 3), (8, 0))
    with pytest.raises(OverwriteError, match="one element at several places"):
        aliasing.check([a], ["x"], [0], "f")


def test_copies_overlap_as_the_arrays_do() -> None:
    base, apart = np.arange(12.0), np.ones(3)
    arrays = [base[2:8:2], apart, base, base[::-1][:4], base[:0]]
    copied = aliasing.copies(arrays)
    for a, c in zip(arrays, copied, strict=True):
        np.testing.assert_array_equal(a, c)
        assert not np.shares_memory(a, c)
    copied[2][4] = -1.0
    copied[3][0] = -2.0
    assert copied[0][1] == -1.0 and copied[2][11] == -2.0 and base[4] == 4.0


def test_an_empty_array_overlaps_nothing() -> None:
    a = np.zeros((0, 5))
    aliasing.check([a], ["a"], [0], "f")


def test_elements_that_share_memory() -> None:
    base = np.arange(12.0)
    overlapping = [((4, 3), (8, 8)), ((2, 2), (8, 4)), ((3,), (0,)), ((2, 3, 2), (16, 8, 8))]
    apart = [
        ((3, 4), (32, 8)),
        ((4, 3), (8, 32)),
        ((3, 2), (16, 8)),
        ((2, 3), (8, 16)),
        ((0, 5), (0, 0)),
        ((1,), (0,)),
    ]
    for shape, strides in overlapping:
        assert aliasing.overlaps_itself(as_strided(base, shape, strides)), (shape, strides)
    for shape, strides in apart:
        assert not aliasing.overlaps_itself(as_strided(base, shape, strides)), (shape, strides)
    assert not aliasing.overlaps_itself(base[::-2])
    assert aliasing.overlaps_itself(as_strided(np.zeros(30_000), (20_000, 2), (8, 8)))
