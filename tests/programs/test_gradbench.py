"""The GradBench tool: every function of every evaluation is answered rightly, and the protocol is kept."""

from __future__ import annotations

import io
import json

import pytest

from benchmarks.gradbench import checks, drive, protocol
from benchmarks.gradbench.checks import Case

CASES = checks.cases()
# The driver tries all four ways of nesting the modes; here one of the particle's and two of the saddle's.
SKIPPED = {"particle::rr", "particle::ff", "particle::rf", "saddle::rr", "saddle::ff"}
SAMPLE = [c for c in CASES if c.name not in SKIPPED]


def judge(case: Case, runs: int = 0) -> str:
    return drive.judged(case, protocol.respond({"id": 1} | drive.message(case, runs)))


@pytest.mark.parametrize("case", SAMPLE, ids=lambda c: c.name)
def test_answers(case: Case) -> None:
    assert judge(case) == ""


@pytest.mark.compiled
@pytest.mark.parametrize("case", [c for c in CASES if c.module in ("llsq", "kmeans")], ids=lambda c: c.name)
def test_answers_compiled(case: Case, compiled: None) -> None:
    assert judge(case) == ""


def test_every_evaluation_is_checked() -> None:
    checked = {(c.module, c.function) for c in CASES}
    assert checked == {(name, f) for name in protocol.NAMES for f in protocol.functions(name)}


def test_a_wrong_answer_is_seen() -> None:
    case = next(c for c in CASES if c.name == "kmeans::dir")
    answer = protocol.respond({"id": 1} | drive.message(case, 1))
    answer["output"][0][1] += 1e-6
    assert "off by" in drive.judged(case, answer)
    assert "shape" in drive.judged(case, answer | {"output": [1.0]})
    assert "no error" in drive.judged(case, {"id": 1, "success": False})


def conversation(*messages: dict[str, object]) -> list[dict[str, object]]:
    out = io.StringIO()
    protocol.serve([json.dumps({"id": k} | m) + "\n" for k, m in enumerate(messages)], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_protocol() -> None:
    point = {"x": [1.0, 2.0], "min_runs": 3, "min_seconds": 0}
    start, known, unknown, value, failed, missing, verdict = conversation(
        {"kind": "start", "eval": "lse"},
        {"kind": "define", "module": "lse"},
        {"kind": "define", "module": "no_such"},
        {"kind": "evaluate", "module": "lse", "function": "primal", "input": point},
        {"kind": "evaluate", "module": "lse", "function": "primal", "input": {"y": 1}},
        {"kind": "evaluate", "module": "lse", "function": "no_such", "input": point},
        {"kind": "analysis", "of": 3, "valid": True},
    )
    assert start == {"id": 0, "tool": "adjit"}
    assert known == {"id": 1, "success": True}
    assert unknown["success"] is False and "no_such" in str(unknown["error"])
    timings = value.pop("timings")
    assert value == {"id": 3, "success": True, "output": pytest.approx(2.3132616875182228)}
    assert [t["name"] for t in timings] == ["compile", *["evaluate"] * 3]  # type: ignore[attr-defined]
    assert failed["success"] is False and "KeyError" in str(failed["error"])
    assert missing["success"] is False and "no function 'no_such'" in str(missing["error"])
    assert verdict == {"id": 6}


def test_the_tool_as_a_process(capfd: pytest.CaptureFixture[str]) -> None:
    assert drive.drive(["hello"]) == 0
    assert capfd.readouterr().out.count("right") == 2
