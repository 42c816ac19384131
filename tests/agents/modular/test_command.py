"""`manage.py modular`: a run from its start to its answer, in words and as JSON, with the rights of a person."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.models import ModularRun
from agents.modular import wanting, working
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    call_command("modular", *words, "--json")
    return json.loads(capsys.readouterr().out)


def test_a_run_is_started_stepped_limited_branched_and_replayed(
    owner: User, outsider: User, capsys: pytest.CaptureFixture[str]
) -> None:
    by = ("--by", owner.username)
    hand = ("--prompter", "plain", "--generator", "person", "--toolkit", "notes")
    began = said(capsys, "run", "Keep a note", *hand, "--paused", *by)
    number = str(began["id"])
    assert (began["state"], began["next"], began["node"]) == ("paused", "prompter", 1)

    assert said(capsys, "step", number, *by)["state"] == "ready"
    working.work()
    assert said(capsys, "show", number, *by)["next"] == "generator"
    limited = said(capsys, "limits", number, "--steps", "3", "--cost", "1.25", *by)
    assert limited["state"] == "paused"
    shown = said(capsys, "show", number, "--state", *by)["state"]["limits"]
    assert (shown["steps"], shown["cost"], shown["tokens"]) == (3, "1.25", 200_000)

    said(capsys, "step", number, "--all", *by)
    working.work()
    (want,) = wanting.asked_of_people(ModularRun.objects.get())
    wanting.answer_as_person(want, {"content": "thinking", "function_call": None}, by=owner)
    working.work()
    assert said(capsys, "show", number, *by)["outcome"] == "limit"
    assert said(capsys, "limits", number, "--steps", "30", *by)["state"] == "ready"
    branched = said(capsys, "branch", number, "1", "--content", "Keep two notes", "--paused", *by)
    assert (branched["state"], branched["node"]) == ("paused", 3)
    assert said(capsys, "replay", number, *by)["same"] is True

    call_command("modular", "show", number, *by)
    assert "Keep two notes" in capsys.readouterr().out
    for words in (("show", number), ("limits", number, "--steps", "40"), ("branch", number, "1")):
        with pytest.raises(CommandError, match="no run"):
            call_command("modular", *words, "--by", outsider.username)
    with pytest.raises(CommandError, match="no user"):
        call_command("modular", "show", number, "--by", "nobody")
    with pytest.raises(CommandError, match="no JSON"):
        call_command("modular", "run", "x", "--generator", "model:{", *by)
