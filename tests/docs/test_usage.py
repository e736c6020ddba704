"""The page on what real code uses says what is so."""

from __future__ import annotations

from .usage import PAGE, ROWS, text, verdict


def test_the_page_is_what_the_programs_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run python -m tests.docs.usage"


def test_nearly_all_is_supported() -> None:
    refused = [ROWS[k][1] for k in range(len(ROWS)) if verdict(k)[0] == "refused"]
    assert set(refused) <= {"append where the length is known at run time (part of these)"}
