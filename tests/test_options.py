"""Options: what is unknown, malformed or without effect is refused."""

from __future__ import annotations

import pytest

from adjit.options import DEFAULT


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"speed": True}, TypeError),
        ({"fastmath": 1}, TypeError),
        ({"target": "metal"}, ValueError),
        ({"max_bytes": -1}, TypeError),
        ({"max_bytes": 1.5}, TypeError),
        ({"parallel": 0}, TypeError),
        ({"parallel": -2}, TypeError),
        ({"parallel": 2.0}, TypeError),
        ({"parallel": "yes"}, TypeError),
        ({"intermediates": "h"}, TypeError),
    ],
)
def test_refused(changes: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        DEFAULT.updated(changes)


def test_accepted() -> None:
    changed = DEFAULT.updated({"fastmath": True, "max_bytes": None, "parallel": False})
    assert changed.fastmath
    assert DEFAULT.updated({}) == DEFAULT
