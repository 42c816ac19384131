from __future__ import annotations

import threading
from typing import Any

import pytest

from sandbox.contract import Limits, Request, Result
from tests.sandbox.conftest import Hands, OpenHands


def work(hands: Hands, body: str, params: dict[str, Any] | None = None, **more: Any) -> Result:
    """A tool's work whose function has this body."""
    source = "def work(params):\n" + "\n".join(f"    {line}" for line in body.splitlines())
    asked = {"sources": {"try": source}, "function": "work", "params": params or {}, "paths": {}, **more}
    return hands.session.execute(Request("tool", {"reads_only": True, **asked}))


def test_a_tool_gets_its_parameters_and_its_answer_is_the_result(hands: Hands) -> None:
    result = work(hands, "return {'twice': params['x'] * 2, 'ä': None}", {"x": "Ab"})
    assert result.ok
    assert {name: result.data[name] for name in ("twice", "ä")} == {"twice": "AbAb", "ä": None}


def test_what_a_tool_prints_is_log_and_never_part_of_the_answer(hands: Hands) -> None:
    heard: list[tuple[str, bytes]] = []
    source = "def work(params):\n    print('{}')\n    import subprocess; subprocess.run(['echo', 'started'])\n"
    source += "    return {'a': 1}"
    params = {"sources": {"t": source}, "function": "work", "params": {}, "paths": {}, "reads_only": True}
    result = hands.session.execute(Request("tool", params), on_output=lambda stream, data: heard.append((stream, data)))
    assert result.data["a"] == 1
    assert {stream for stream, _ in heard} == {"stdout"}
    assert b"started" in b"".join(data for _, data in heard)


def test_a_module_may_be_made_of_several_that_import_each_other(hands: Hands) -> None:
    parts = {
        "far.away": "def two() -> Never:\n    return 2",
        "t": "from far.away import two\n\ndef f(p): return {'a': two()}",
    }
    asked = {"sources": parts, "function": "f", "params": {}, "paths": {}, "reads_only": True}
    assert hands.session.execute(Request("tool", asked)).data["a"] == 2


def test_a_refusal_is_the_tools_own_failure_with_its_class_and_reason(hands: Hands) -> None:
    result = work(hands, "return {'error_class': 'INVALID_PARAMETERS', 'reason': 'no such branch'}")
    assert (result.status, result.error_class, result.reason) == ("ERROR", "INVALID_PARAMETERS", "no such branch")
    odd = work(hands, "return {'error_class': 'APPROVED', 'reason': 'x'}")
    assert odd.error_class == "TOOL_EXECUTION_ERROR"


def test_what_a_tool_raises_is_told_in_a_line_and_the_rest_in_the_log(hands: Hands) -> None:
    result = work(hands, "raise KeyError('branch')")
    assert (result.error_class, result.reason) == ("TOOL_EXECUTION_ERROR", "KeyError: 'branch'")
    assert "Traceback" in result.data["stderr"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return {'status': 'SUCCESS', 'network': {}}", "the session's own"),
        ("return ['a']", "ended|no object"),
        ("return {'a': float('nan')}", "NaN"),
        ("return {'a': 1e999}", "not a JSON number|JSON does not have"),
        ("a = {}\nfor _ in range(100): a = {'a': a}\nreturn a", "nested too deeply"),
        ("import os\nos._exit(0)", "cannot be read"),
        ("return {'a': 'x' * 3_000_000}", "longer than"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(hands: Hands, body: str, words: str) -> None:
    result = work(hands, body)
    assert result.status == "ERROR"
    assert any(word in result.reason for word in words.split("|")), result.reason


def test_characters_that_a_database_does_not_take_are_replaced(hands: Hands) -> None:
    result = work(hands, "return {'a\\0b': 'c\\ud800d\\0'}")
    assert result.data["a\ufffdb"] == "c?d\ufffd"


def test_paths_are_translated_to_the_sessions_folder_and_none_leads_outside(hands: Hands) -> None:
    (hands.root / "a" / "b").mkdir(parents=True)
    (hands.root / "c.txt").write_text("seen")
    assert hands.do("cd", path="a/b").ok
    body = "return {'text': open(params['path']).read()}"
    assert work(hands, body, paths={"path": "/workspace/c.txt"}).data["text"] == "seen"
    assert work(hands, body, paths={"path": "../../c.txt"}).data["text"] == "seen"
    assert work(hands, body, paths={"path": "../../../etc/passwd"}).error_class == "PERMISSION_ERROR"


def test_neither_variables_nor_an_environment_of_the_workspace_decide_what_a_tool_runs(hands: Hands) -> None:
    assert hands.do("set_env", name="GIT_DIR", value="/workspace/evil").ok
    (hands.root / ".venv" / "bin").mkdir(parents=True)
    (hands.root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for name in ("python", "python3", "git"):
        (hands.root / ".venv" / "bin" / name).write_text("#!/bin/sh\necho taken over\n")
        (hands.root / ".venv" / "bin" / name).chmod(0o755)
    assert hands.do("activate_venv", venv_name=".venv").ok
    (hands.root / "json.py").write_text("raise SystemExit('taken over')")
    result = work(hands, "import os, shutil\nreturn {'dir': os.environ.get('GIT_DIR'), 'git': shutil.which('python3')}")
    assert result.ok, result
    assert result.data["dir"] is None
    assert not result.data["git"].startswith("/workspace")


def test_a_tool_is_held_to_limits_and_can_be_cancelled(open_hands: OpenHands) -> None:
    hands = open_hands(Limits(soft_s=0.5, hard_s=20))
    assert work(hands, "while True: pass").limit == "time"
    cancel = threading.Event()
    source = "def f(p):\n    print('begun', flush=True)\n    while True: pass"
    params = {"sources": {"t": source}, "function": "f", "params": {}, "paths": {}}
    asked = Request("tool", {**params, "reads_only": True, "timeout_s": 20.0})
    assert hands.session.execute(asked, on_output=lambda *_: cancel.set(), cancel=cancel).limit == "cancel"


def test_a_tool_that_deletes_what_it_did_not_make_needs_autonomous_mode(hands: Hands) -> None:
    (hands.root / "kept.txt").write_text("x")
    result = work(hands, "import os\nos.remove('kept.txt')\nreturn {}", reads_only=False)
    assert result.error_class == "PERMISSION_ERROR"
    assert "kept.txt" in result.reason


def test_a_cancel_that_comes_with_the_request_is_heard_and_the_session_goes_on(hands: Hands) -> None:
    cancel = threading.Event()
    cancel.set()
    for _ in range(5):
        asked = Request("run", {"command_line": "sleep 60", "timeout_s": 60.0})
        assert hands.session.execute(asked, cancel=cancel).limit == "cancel"
    assert hands.run("true").ok
