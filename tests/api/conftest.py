"""The verifier runs between all passes in these tests."""

from __future__ import annotations

import pytest

from adjit.compiler import pipeline


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "always_verify", True)
