"""What a dry run may try, what its answers prove, and where reality went another way."""

from __future__ import annotations

from typing import Any

from agents.bdi.forecast import shadow
from agents.bdi.forecast.shadow import Finding, Proof
from agents.bdi.plans.document import Document, IntentSpec
from sandbox.contract import Limits


def _spec(position: int, effect: str = "workspace", **more: Any) -> IntentSpec:
    facts: dict[str, Any] = {
        "phase": "main",
        "tool": "simple_coder",
        "command": "run",
        "params": {},
        "parameters": (),
        "justification": "",
        "limits": {},
        "depends_on": (),
        "condition": None,
        "hosts": (),
        "rule": "",
        "sentence": "",
    }
    return IntentSpec(position=position, effect=effect, **facts | more)


def _document(*specs: IntentSpec) -> Document:
    return Document("1", "a goal", "w", "", 1, "person", specs, ())


def test_the_network_and_effects_beyond_the_copy_are_not_tried() -> None:
    document = _document(_spec(1), _spec(2, hosts=("example.org",)), _spec(3, "once"), _spec(4, "keyed"), _spec(5))
    untried = shadow.untried(document)
    assert sorted(untried) == [2, 3, 4]
    assert "network" in untried[2]
    assert "once" in untried[3]


def test_a_step_that_reads_what_was_not_tried_is_not_tried() -> None:
    reads = _spec(2, params={"content": "{{intents.1.result.stdout}}"})
    decides = _spec(3, condition={"left": "{{intents.1.result.return_code}}", "operator": "equals", "value": 0})
    after = _spec(4, params={"content": "{{intents.2.result.message}}"})
    untried = shadow.untried(_document(_spec(1, hosts=("example.org",)), reads, decides, after))
    assert sorted(untried) == [1, 2, 3, 4]
    assert untried[4] == "it needs step 2, which was not tried"


def test_ten_is_not_one() -> None:
    steps = [_spec(1, hosts=("example.org",)), *(_spec(n) for n in range(2, 11))]
    reads = _spec(11, params={"content": "{{intents.10.result.stdout}}"})
    assert sorted(shadow.untried(_document(*steps, reads))) == [1]


def test_limits_are_halved_but_what_the_workspace_holds_still_fits() -> None:
    whole = Limits()
    half = shadow.halved(whole)
    assert (half.memory_bytes, half.processes, half.soft_s) == (whole.memory_bytes // 2, 64, 15.0)
    assert (half.workspace_bytes, half.workspace_files) == (whole.workspace_bytes, whole.workspace_files)
    assert shadow.halved(Limits(processes=8)).processes == 8
    assert shadow.within({"timeout_s": 400.0, "command_line": "x"}, half) == {"timeout_s": 150.0, "command_line": "x"}
    assert shadow.within({"timeout_s": 10.0}, half) == {"timeout_s": 5.0}


def test_a_failure_proves_something_only_when_nothing_was_taken_from_it() -> None:
    spec = _spec(3, depends_on=(1, 2))
    error = {"status": "ERROR", "return_code": 1}
    assert shadow.judge(spec, {"status": "SUCCESS"}, "", 0.1, []).proof is Proof.DONE
    assert shadow.judge(spec, error, "exit code 1", 0.1, []).proof is Proof.FAILED
    assert shadow.judge(spec, error, "exit code 1", 0.1, [2]).proof is Proof.UNPROVEN
    assert shadow.judge(spec, error, "exit code 1", 0.1, [7]).proof is Proof.FAILED
    assert shadow.judge(spec, {**error, "limit": "memory"}, "too much", 0.1, []).proof is Proof.UNPROVEN


def test_the_end_of_the_output_is_kept_and_the_page_knows_that_it_was_cut() -> None:
    answer = {"status": "SUCCESS", "return_code": 0, "stdout": "a" * 5000 + "end", "stderr": "short"}
    kept = shadow.judge(_spec(1), answer, "", 0.0, []).answer
    assert kept is not None
    assert kept["stdout"].endswith("end")
    assert (len(kept["stdout"]), kept["stdout_is_cut"], kept["stderr_is_cut"]) == (shadow.TAIL_CHARS, True, False)


def test_where_reality_went_another_way_is_said() -> None:
    findings = [
        Finding(1, Proof.DONE, answer={"return_code": 0}).to_json(),
        Finding(2, Proof.DONE, answer={"return_code": 0}).to_json(),
        Finding(3, Proof.UNPROVEN, "not tried").to_json(),
        Finding(4, Proof.SKIPPED, "condition").to_json(),
        Finding(5, Proof.DONE).to_json(),
    ]
    real: dict[int, dict[str, Any]] = {
        1: {"state": "succeeded", "result": {"return_code": 0}},
        2: {"state": "failed", "result": {"return_code": 1}},
        3: {"state": "failed", "result": None},
        4: {"state": "succeeded", "result": None},
        5: {"state": "pending", "result": None},
    }
    assert shadow.surprises(findings, real) == [
        "Step 2 was expected to succeed; it ended as failed.",
        "Step 4 was expected to be skipped; it ended as succeeded.",
    ]


def test_half_of_one_whole_processor_is_half_a_processor() -> None:
    # A canonical document writes 1.0 as 1, so a step's limits come back as whole numbers.
    assert shadow.halved(Limits(cpus=1)).cpus == 0.5
