"""The process of the OpenAI Agents SDK may do anything: it gets no secret, and what it does ends the run at worst."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.frameworks import of_openai_agents
from agents.frameworks.contract import Brief, Call, Finished, FrameworkFailed, Interrupted, Question, Reply
from agents.frameworks.of_openai_agents import OpenAIAgents

Made = Callable[..., OpenAIAgents]


@pytest.fixture
def doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Made:
    """`doing("program")`: an agent whose process runs this instead of the SDK."""
    settings.OPENAI_AGENTS_PYTHON = sys.executable
    monkeypatch.setattr(of_openai_agents, "is_there", lambda: True)

    def made(program: str, ask: Callable[[Question], Reply] = lambda _: Reply("yes")) -> OpenAIAgents:
        file = tmp_path / "program.py"
        file.write_text(f"import json, os, sys, time\nbrief = json.loads(sys.stdin.readline())\n{program}\n")
        monkeypatch.setattr(of_openai_agents, "_PROGRAM", file)
        return OpenAIAgents.create(Brief("count", (), 9), ask)

    return made


def test_questions_and_the_end_come_over_its_output(doing: Made) -> None:
    asked: list[Question] = []

    def ask(question: Question) -> Reply:
        asked.append(question)
        return Reply("because", Call("1", "files__read", {"path": "a"}))

    agent = doing(
        'print(json.dumps({"ask": {"messages": [{"role": "user", "text": brief["task"]}], "tools": []}}), flush=True)\n'
        'print(json.dumps({"finished": sys.stdin.readline()}), flush=True)',
        ask,
    )
    said = agent.run()
    assert isinstance(said, Finished)
    assert '"name": "files__read"' in said.text
    assert [one.messages[0].text for one in asked] == ["count"]


def test_it_sees_nothing_of_what_mindx_knows(doing: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-may-see")
    said = doing('print(json.dumps({"finished": json.dumps(dict(os.environ))}), flush=True)').run()
    assert isinstance(said, Finished)
    assert "OPENAI_AGENTS_DISABLE_TRACING" in said.text
    assert not [name for name in ("OPENAI_API_KEY", "MINDX_", "DATABASE_URL", "REDIS_URL") if name in said.text]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("", "ended without a word"),
        ("raise SystemExit(3)", "ended without a word"),
        ("print('hello', flush=True)\ntime.sleep(60)", "no JSON"),
        ("print('[]', flush=True)\ntime.sleep(60)", "no object"),
        ('print(json.dumps({"failed": "ValueError: no"}), flush=True)', "raised ValueError: no"),
        ("print('{}', flush=True)", "raised something"),
    ],
)
def test_whatever_it_does_instead_is_a_failure_of_the_framework(doing: Made, program: str, says: str) -> None:
    with pytest.raises(FrameworkFailed, match=says):
        doing(program).run()


def test_one_that_hangs_is_killed_when_nobody_wants_it_any_more(doing: Made) -> None:
    agent = doing("time.sleep(600)")
    threading.Timer(0.3, agent.interrupt).start()
    with pytest.raises(Interrupted):
        agent.run()
    assert agent._process is None
