"""`manage.py entail`: a line out for each line in, whatever it holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.beliefs import entailment_model
from library.errors import EntailmentUnavailable
from library.language.entailment import judgement, model

PROVEN = {"premise": "The door is not open.", "hypothesis": "The door is closed."}
OPEN = {"premise": "Somebody has just opened the gate.", "hypothesis": "The gate is open."}


def entail(path: Path, *options: str) -> None:
    call_command("entail", str(path), *options)


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_line_gets_its_label_score_and_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, (PROVEN, OPEN, {"premise": "x", "hypothesis": "x", "more": 1}))))
    entail(path)
    first, second, third = printed(capsys)
    assert (first["label"], first["stage"], first["holds"]) == ("entailment", "structured", True)
    assert second["stage"] == "model"
    assert 0 <= second["score"] <= 1
    assert (third["label"], third["stage"], third["score"]) == ("entailment", "same_words", 1.0)


def test_the_matcher_alone_when_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(OPEN))
    entail(path, "--structured")
    assert [(row["label"], row["stage"]) for row in printed(capsys)] == [("neutral", "structured")]


def test_what_an_environment_says_has_thresholds_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sure = entailment_model.Thresholds(0.97, 0.01, 0.8, 0.05, 0.95)
    monkeypatch.setattr(entailment_model, "usual_thresholds", lambda: sure)
    monkeypatch.setattr(model, "judge", lambda pairs: [judgement.Judgement("entailment", 0.9, 0.07, 0.03)] * len(pairs))
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(OPEN))
    entail(path)
    entail(path, "--environment")
    assert [row["holds"] for row in printed(capsys)] == [False, True]


def test_rubbish_is_named_by_its_line_and_the_rest_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    bad = [b"no json", b"[1]", b'{"premise": "x"}', b'{"premise": 3, "hypothesis": "y"}', b"\xff\xfe", b"[" * 100_000]
    path.write_bytes(b"\n".join([*bad, b"", json.dumps(PROVEN).encode(), b'{"premise": " ", "hypothesis": "y"}']))
    with pytest.raises(SystemExit) as ended:
        entail(path, "--structured")
    assert ended.value.code == 1
    rows = printed(capsys)
    assert [row.get("line") for row in rows] == [1, 2, 3, 4, 5, 6, None, 9]
    assert rows[6]["label"] == "entailment"
    assert rows[2]["error"] == "no text as its hypothesis"


def test_a_lone_surrogate_and_a_long_premise_are_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    long = {"premise": "The gate is open and " * 5_000, "hypothesis": "The gate is open."}
    path.write_text("\n".join(['{"premise": "\\ud800 gate", "hypothesis": "A gate"}', json.dumps(long)]))
    entail(path)
    assert [row["holds"] for row in printed(capsys)] == [False, False]


def test_a_missing_file_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        entail(tmp_path / "none.jsonl")


def test_without_a_model_it_says_so_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "why_unavailable", lambda: "It is damaged.")
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(OPEN))
    entail(path)
    out, err = capsys.readouterr()
    assert json.loads(out)["label"] == "neutral"
    assert "The structured matcher decides alone. It is damaged." in err


def test_rules_ask_the_model_only_where_the_setting_says_so(settings: Any) -> None:
    assert entailment_model.in_use() == ()
    settings.ENTAILMENT = "model"
    (judge,) = entailment_model.in_use()
    assert judge.judge([("The gate is open.", "The gate is open.")])


def test_a_model_that_fails_leaves_the_matcher_alone_and_logs_it(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(pairs: Any) -> Any:
        raise EntailmentUnavailable("no numbers")

    settings.ENTAILMENT = "model"
    (judge,) = entailment_model.in_use()
    monkeypatch.setattr(model, "judge", fails)
    assert judge.judge([("a", "b")]) == []
    assert "decides alone: no numbers" in caplog.text
