"""Which arguments share memory."""

from __future__ import annotations

import numpy as np
import pytest

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
