"""The page: one file without a network, the worked example on it, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjit
from adjit.compiler import pipeline
from adjit.report import facts

from . import programs

VOID = {"meta", "input", "br", "link", "img"}


class Outline(HTMLParser):
    """Tags with their attributes, and the texts of elements that have an id."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, Any]]] = []
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.texts: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        found = (tag, dict(attrs))
        self.tags.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for _, attrs in self.open:
            if "id" in attrs:
                self.texts[attrs["id"]] = self.texts.get(attrs["id"], "") + data


def outline(path: Path) -> Outline:
    made = Outline()
    made.feed(path.read_text(encoding="utf-8"))
    made.close()
    assert made.open == []
    return made


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "worked.html"
    assert adjit.value_and_grad(programs.worked).report(path, 2.0, 4.0) == str(path)
    return path


def test_nothing_is_fetched(worked: Path) -> None:
    text = worked.read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(|<link|<img|src=", text)
    assert str(Path(__file__).parent) not in text


def test_the_worked_example(worked: Path) -> None:
    found = outline(worked)
    assert found.texts["value"] == "88.0" and found.texts["gradient"] == "76.0"
    steps = json.loads(found.texts["steps"])
    forward = [s["text"] for s in steps if s["way"] == "forward"]
    backward = [s["text"] for s in steps if s["way"] == "backward"]
    assert forward == [
        "w = 2",
        "x = 4",
        "u = w * x = 8",
        "a = u * u = 64",
        "b = 3 * u = 24",
        "worked = a + b = 88",
    ]
    assert backward == [
        "dworked/dworked = 1",
        "dworked/db = 1 · 1 = 1",
        "dworked/da = 1 · 1 = 1",
        "dworked/du = 1 · 8 + 1 · 8 + 1 · 3 = 19",
        "dworked/dw = 19 · 4 = 76",
    ]
    assert [s["way"] for s in steps] == ["forward"] * 6 + ["backward"] * 5


def test_lines_of_both_sides_belong_together(worked: Path) -> None:
    lines = [a["data-places"].split() for t, a in outline(worked).tags if t == "li" and "data-places" in a]
    user = {p for places in lines[:5] for p in places}
    made = {p for places in lines[5:] for p in places}
    assert len(user) == 5
    assert len(user & made) == 4  # all but the head: the last line holds what was folded into it


def test_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    x = np.array([0.3, -0.5, 0.8, 1.1])
    gradient = adjit.value_and_grad(programs.in_place)
    gradient.report(path, x)
    found = outline(path)
    np.testing.assert_array_equal(x, [0.3, -0.5, 0.8, 1.1])
    saved = gradient.saved(x)
    assert f"total{saved.nbytes:,}" in found.texts["saved"]
    assert found.texts["saved"].endswith(f"most at a time, results included{saved.peak:,}")
    assert all(text in found.texts["saved"] for r in saved.rows for text in (r.formula, r.needed_by, r.why))
    assert "xfloat64[:]yes" in found.texts["activity"]
    assert "int64no" in found.texts["activity"]
    for part in ("capture", "adjoint", "codegen", "first call in all"):
        assert part in found.texts["making"]
    assert "times the function" in found.texts["running"]


def test_what_is_timed_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first call that compiles would make the blocks too short that the calls are timed in."""

    def medians(calls: list[Any], seconds: float) -> list[float]:
        before = dict(pipeline.seconds)
        assert [call() for call in calls] and dict(pipeline.seconds) == before
        return [1.0, 2.0]

    def halved(x):
        return 0.5 * x * x

    monkeypatch.setattr(facts.measure, "medians", medians)
    gradient = adjit.grad(halved)
    gradient(1.5)
    function, part = facts.running(gradient, (1.5,))
    assert (function.what, part.note) == ("function", "2.0 times the function")


def test_what_has_no_name_is_numbered(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    adjit.value_and_grad(programs.in_place).report(path, np.array([0.3, -0.5]))
    text = path.read_text(encoding="utf-8")
    boxes = dict(re.findall(r"<title>(\S+) = (.*?)</title>", text))
    read = {v for formula in boxes.values() for v in re.findall(r"\bv\d+\b", formula)}
    assert read and read <= set(boxes)


def test_inlined_functions_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    adjit.grad(programs.inlined).report(path, 1.7, 0.6)
    text = path.read_text(encoding="utf-8")
    assert "<figcaption>inlined</figcaption>" in text and "<figcaption>helper</figcaption>" in text
    outline(path)


def test_text_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    adjit.grad(programs.escaping).report(path, 1.5)
    assert "</script><b>" not in path.read_text(encoding="utf-8")
    outline(path)


@pytest.mark.parametrize(
    ("make", "args", "said"),
    [
        (lambda: adjit.value_and_grad(programs.factorised), (np.eye(2) * 2.0, np.ones(2)), "library routine"),
        (lambda: adjit.jit(programs.two), (1.5,), "not about a gradient"),
    ],
)
def test_what_is_not_drawn_says_why(make: Any, args: tuple[Any, ...], said: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    make().report(path, *args)
    assert said in outline(path).texts["graph"]


def test_parameters_by_keyword_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(adjit.InferenceError, match="report"):
        adjit.grad(programs.keyword).report(tmp_path / "page.html", 1.0, k=2.0)


# -- in a browser
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    tool = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with tool.sync_playwright() as p:
        try:
            one = p.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except tool.Error as error:
            pytest.skip(f"there is no Chromium: {str(error).splitlines()[0]}")
        yield one
        one.close()


@pytest.mark.slow
def test_in_a_browser(browser: Any, worked: Path) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda e: troubles.append(str(e)))
    page.on("request", lambda r: troubles.append(r.url) if not r.url.startswith("file:") else None)
    page.goto(worked.as_uri())

    page.hover(".user li:nth-child(3)")  # a = u * u
    lit = page.locator("li.lit").all_inner_texts()
    assert lit[0].strip() == "a = u * u" and lit[-1].strip().startswith("return ")

    assert page.inner_text("#count") == "11 of 11"
    assert page.inner_text("#said") == "backwards: dworked/dw = 19 · 4 = 76"
    assert page.locator("#node-0 .gradient").text_content() == "76"
    page.click("#first")
    assert page.locator(".node.later").count() == 6 and not page.is_visible("#node-0 .gradient")
    for _ in range(3):
        page.click("#next")
    assert page.inner_text("#said").startswith("forwards: u = w * x = 8 (line ")
    assert page.locator(".node.later").count() == 3 and page.locator(".edge.now").count() == 2
    page.click("#back")
    assert page.inner_text("#said") == "forwards: x = 4"
    page.click("#last")
    boxes = page.locator(".node").evaluate_all("ns => ns.map(n => n.getBoundingClientRect().toJSON())")
    assert all(a["width"] > 100 and a["height"] > 40 for a in boxes)
    apart = [
        a["right"] <= b["left"]
        or b["right"] <= a["left"]
        or a["bottom"] <= b["top"]
        or b["bottom"] <= a["top"]
        for k, a in enumerate(boxes)
        for b in boxes[:k]
    ]
    assert all(apart)
    code = page.locator(".user ol").first
    assert code.evaluate("e => e.scrollWidth <= e.clientWidth")  # the user's lines are not cut
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert len(page.screenshot(full_page=True)) > 10_000
    assert troubles == []
