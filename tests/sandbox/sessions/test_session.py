"""What a session's commands do, and that it remembers."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from sandbox.contract import Limits, Request, SessionState
from sandbox.places import templates_folder
from sandbox.sessions import environments
from sandbox.store.snapshots import SnapshotStore
from tests.sandbox.conftest import Hands, OpenHands


def test_the_example_of_the_reference_works_whole(hands: Hands) -> None:
    assert hands.do("ls").data == {"items": []}
    assert hands.do("mkdir", path="test_project").data["message"] == "Directory created/ensured at ./test_project"
    assert hands.do("cd", path="test_project").data["message"] == "Current directory is now: ./test_project"
    assert hands.do("create_venv", venv_name=".venv").ok
    assert hands.do("activate_venv", venv_name=".venv").ok
    version = hands.run("python --version")
    assert version.ok
    assert version.data["return_code"] == 0
    assert version.data["stdout"].startswith("Python 3.")
    where = hands.run("python -c 'import sys; print(sys.prefix)'")
    assert where.data["stdout"] == "/workspace/test_project/.venv\n"
    pip = hands.run("pip --version")
    assert "/workspace/test_project/.venv/lib" in pip.data["stdout"]
    assert hands.session.state == SessionState(cwd="test_project", venv="test_project/.venv")
    assert hands.do("deactivate_venv").ok
    assert hands.run("python -c 'import sys; print(sys.prefix)'").data["stdout"] != "/workspace/test_project/.venv\n"


def test_every_result_says_its_level_and_how_long_it_took(hands: Hands) -> None:
    answer = hands.do("ls").as_json()
    assert answer["status"] == "SUCCESS"
    assert answer["level"] == "L3"
    assert 0 < answer["duration_s"] < 45


def test_a_session_goes_on_from_the_state_another_one_left(open_hands: OpenHands) -> None:
    first = open_hands()
    first.do("mkdir", path="a/b")
    first.do("cd", path="a/b")
    first.session.close()
    state = SessionState.from_json(first.session.state.to_json())
    second = open_hands(state=state)
    assert second.run("pwd").data["stdout"] == "/workspace/a/b\n"


def test_variables_of_the_state_reach_programs_and_nothing_of_the_worker_does(
    open_hands: OpenHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "marker-9f2")
    hands = open_hands(state=SessionState(env={"GREETING": "hello there"}))
    said = hands.run("env").data["stdout"]
    assert "GREETING=hello there\n" in said
    assert "marker-9f2" not in said


def test_a_failing_program_is_a_result_with_its_output(hands: Hands) -> None:
    result = hands.python("import sys; print('so far'); print('why', file=sys.stderr); sys.exit(3)")
    assert result.status == "ERROR"
    assert result.error_class == "TOOL_EXECUTION_ERROR"
    assert result.reason == "exit status 3"
    assert result.data["return_code"] == 3
    assert (result.data["stdout"], result.data["stderr"]) == ("so far\n", "why\n")


def test_output_arrives_while_the_program_still_runs(hands: Hands) -> None:
    code = "import os\nprint('first')\nwhile not os.path.exists('go'): pass\nprint('second')\n"
    (hands.root / "talk.py").write_text(code)
    heard = b""

    def on_output(stream: str, data: bytes) -> None:
        nonlocal heard
        heard += data
        (hands.root / "go").touch()

    result = hands.session.execute(Request("run", {"command_line": "python talk.py"}), on_output=on_output)
    assert result.ok, result
    assert heard == b"first\nsecond\n"


def test_standard_input_larger_than_a_pipe_reaches_the_program(hands: Hands) -> None:
    result = hands.run("wc -c", stdin="x" * 3_000_000)
    assert result.data["stdout"] == "3000000\n"


def test_a_program_that_does_not_read_its_input_is_no_failure(hands: Hands) -> None:
    assert hands.run("true", stdin="x" * 3_000_000).ok


def test_a_program_that_is_not_on_the_list_is_refused_by_name(hands: Hands) -> None:
    result = hands.run("curl http://example.org")
    assert result.error_class == "PERMISSION_ERROR"
    assert "'curl' is not a program that may be run" in result.reason
    assert "python" in result.reason


def test_a_script_of_the_workspace_runs_by_its_path(hands: Hands) -> None:
    hands.do("write", path="hello", content="#!/bin/sh\necho hello $1\n")
    refused = hands.run("./hello you")
    assert refused.error_class == "INVALID_PARAMETERS"
    (hands.root / "hello").chmod(0o755)
    assert hands.run("./hello you").data["stdout"] == "hello you\n"


def test_a_missing_pip_says_that_it_is_missing(hands: Hands) -> None:
    result = hands.run("git --no-such-option")
    assert result.error_class in ("TOOL_EXECUTION_ERROR", "TOOL_UNAVAILABLE")
    assert not result.ok


def test_creating_a_virtual_environment_where_something_is_already_is_refused(hands: Hands) -> None:
    hands.do("mkdir", path="taken")
    result = hands.do("create_venv", venv_name="taken")
    assert result.error_class == "INVALID_PARAMETERS"
    assert "is there already" in result.reason


def test_a_virtual_environment_keeps_what_was_compiled_for_its_template(hands: Hands) -> None:
    assert hands.do("create_venv", venv_name=".venv").ok
    template = templates_folder() / environments.prepare()
    (source,) = template.glob("lib/*/site-packages/pip/__init__.py")
    copied = hands.root / ".venv" / source.relative_to(template)
    assert copied.stat().st_mtime_ns == source.stat().st_mtime_ns
    assert list(copied.parent.glob("__pycache__/__init__.*.pyc"))


def test_a_folder_that_is_no_virtual_environment_cannot_be_activated(hands: Hands) -> None:
    hands.do("mkdir", path="plain")
    assert hands.do("activate_venv", venv_name="plain").error_class == "INVALID_PARAMETERS"
    assert hands.session.state.venv is None


def test_rm_needs_autonomous_mode(hands: Hands) -> None:
    hands.do("write", path="precious", content="x")
    refused = hands.do("rm", path="precious")
    assert refused.error_class == "PERMISSION_ERROR"
    assert (hands.root / "precious").exists()
    hands.do("toggle_autonomous_mode", on=True)
    assert hands.do("rm", path="precious").ok
    assert not (hands.root / "precious").exists()


def test_with_autonomous_mode_off_a_program_that_deletes_is_undone(open_hands: OpenHands, tmp_path: Path) -> None:
    hands = open_hands(store=SnapshotStore(tmp_path / "store"))
    hands.do("mkdir", path="folder/deep")
    hands.do("write", path="folder/deep/precious", content="x")
    result = hands.python("import shutil; shutil.rmtree('folder'); open('new', 'w').write('n')")
    assert result.error_class == "PERMISSION_ERROR"
    assert "folder" in result.reason
    assert result.data["undone"] is True
    assert (hands.root / "folder/deep/precious").read_text() == "x"
    assert not (hands.root / "new").exists()
    assert hands.run("cat folder/deep/precious").data["stdout"] == "x"


def test_moving_a_file_away_counts_as_deleting_it(hands: Hands) -> None:
    hands.do("write", path="a", content="x")
    result = hands.run("mv a b")
    assert result.error_class == "PERMISSION_ERROR"
    assert result.data["undone"] is False
    assert "not to be kept" in result.reason


def test_a_program_may_delete_what_it_made_itself_and_caches(hands: Hands) -> None:
    hands.do("mkdir", path="__pycache__")
    hands.do("write", path="__pycache__/x.pyc", content="x")
    result = hands.python("import os, shutil; open('t', 'w').close(); os.unlink('t'); shutil.rmtree('__pycache__')")
    assert result.ok, result


def test_in_autonomous_mode_a_program_may_delete(open_hands: OpenHands) -> None:
    hands = open_hands(state=SessionState(autonomous=True))
    hands.do("write", path="a", content="x")
    assert hands.run("rm a").ok


def test_a_program_that_leaves_what_no_snapshot_can_hold_fails_with_the_reason(hands: Hands) -> None:
    result = hands.python("import os; os.mkfifo('pipe')")
    assert result.error_class == "TOOL_EXECUTION_ERROR"
    assert "pipe is a fifo" in result.reason


def test_bad_requests_name_the_argument_and_do_nothing(hands: Hands) -> None:
    requests: list[tuple[str, dict[str, Any], str]] = [
        ("fly", {}, "fly"),
        ("mkdir", {}, "path"),
        ("mkdir", {"path": 3}, "path"),
        ("mkdir", {"path": "a", "colour": "red"}, "colour"),
        ("mkdir", {"path": "a\0b"}, "path"),
        ("mkdir", {"path": "a\udcff"}, "path"),
        ("write", {"path": "a", "content": "x", "mode": "loud"}, "mode"),
        ("write", {"path": "a", "content": "x" * (17 << 20)}, "content"),
        ("run", {"command_line": "true", "timeout_s": 100_000}, "timeout_s"),
        ("run", {"command_line": "true", "timeout_s": float("nan")}, "timeout_s"),
        ("run", {"command_line": ""}, "command_line"),
        ("run", {"command_line": "echo 'open"}, "command_line"),
        ("toggle_autonomous_mode", {"on": "yes"}, "on"),
    ]
    for command, params, word in requests:
        result = hands.session.execute(Request(command, params))
        assert result.error_class == "INVALID_PARAMETERS", (command, result)
        assert word in result.reason
    assert list(hands.root.iterdir()) == []


def test_a_folder_that_has_gone_is_named_when_a_program_should_run_there(open_hands: OpenHands) -> None:
    hands = open_hands(state=SessionState(cwd="gone"))
    result = hands.run("pwd")
    assert result.error_class == "INVALID_PARAMETERS"
    assert "gone" in result.reason
    assert hands.do("cd", path="/workspace").ok


def test_a_cancelled_program_ends_within_a_second(hands: Hands) -> None:
    cancel = threading.Event()
    result = hands.session.execute(
        Request("run", {"command_line": "python -c \"print('up', flush=True); import time; time.sleep(60)\""}),
        # The line and its end may come as two pieces.
        on_output=lambda _, data: cancel.set() if b"\n" in data else None,
        cancel=cancel,
    )
    assert result.limit == "cancel"
    assert result.data["stdout"] == "up\n"
    assert result.duration_s < 45
    assert hands.run("echo still here").ok


def test_files_made_before_by_another_owner_are_the_sessions_to_change(open_hands: OpenHands, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "sub").mkdir(parents=True)
    (tmp_path / "workspace" / "sub" / "old").write_text("before")
    hands = open_hands(limits=Limits())
    assert hands.python("open('sub/old', 'a').write(' and after')").ok
    assert (tmp_path / "workspace" / "sub" / "old").read_text() == "before and after"
    assert (tmp_path / "workspace").stat().st_uid != 0 or os.geteuid() != 0


def test_a_listener_that_fails_ends_the_program_and_leaves_a_session_that_works(hands: Hands) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the listener's own fault")

    (hands.root / "wait.py").write_text("import time; print('up'); time.sleep(600)")
    with pytest.raises(RuntimeError, match="own fault"):
        hands.session.execute(Request("run", {"command_line": "python wait.py"}), on_output=fail)
    assert hands.run("echo again").data["stdout"] == "again\n"


def test_git_works_without_being_told_who_somebody_is(open_hands: OpenHands) -> None:
    hands = open_hands(state=SessionState(autonomous=True))
    hands.do("write", path="a", content="x")
    for line in ("git init -q", "git add a", "git commit -q -m first"):
        assert hands.run(line).ok
    assert hands.run("git log --format=%an:%s").data["stdout"] == "mindX:first\n"


def test_a_worker_with_closed_doors_still_has_a_jail_that_can_read(
    open_hands: OpenHands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A umask of 077 is common for services; the helper's code and what programs write must stay readable."""
    monkeypatch.setenv("MINDX_DATA", str(tmp_path / "data"))
    before = os.umask(0o077)
    try:
        hands = open_hands()
        assert hands.run("touch made").ok
    finally:
        os.umask(before)
    assert (hands.root / "made").stat().st_mode & 0o777 == 0o644
