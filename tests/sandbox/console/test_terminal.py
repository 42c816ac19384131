"""`python -m sandbox` as a program: its words, its JSON, its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[3]


def _session(root: Path, *words: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sandbox", "--root", str(root), *words],
        cwd=_REPOSITORY,
        env={**os.environ, **environment},
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_commands_from_a_script_answer_one_line_of_json_each(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", "--json", "-c", "mkdir a", "-c", "cd a", "-c", "run 'python --version'")
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["status"] for each in answers] == ["SUCCESS"] * 3
    assert answers[2]["stdout"].startswith("Python 3.")
    assert answers[2]["level"] == "L3"


def test_a_script_stops_at_the_first_failure(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", "--json", "-c", "read missing", "-c", "mkdir a")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error_class"] == "INVALID_PARAMETERS"
    assert not (tmp_path / "root" / "a").exists()


def test_an_interactive_session_shows_where_it_is_and_ends_on_exit(tmp_path: Path) -> None:
    typed = "help\nmkdir test_project\ncd test_project\nfly\ntoggle_autonomous_mode\nexit\n"
    done = _session(tmp_path / "root", typed=typed)
    assert done.returncode == 0, done.stderr
    assert "isolation L3" in done.stdout
    assert "create_venv VENV_NAME" in done.stdout
    assert "./test_project $ " in done.stdout
    assert done.stderr == "error: there is no command 'fly'; type help for a list (INVALID_PARAMETERS)\n"
    assert "Autonomous mode is now on." in done.stdout
    assert done.stdout.rstrip().endswith("Exiting.")


def test_answers_are_readable_unless_json_is_asked_for(tmp_path: Path) -> None:
    lines = ("mkdir 'a b'", "write n.txt 'one\ntwo'", "ls", "read n.txt", "run python -c 'print(6 * 7)'", "rm n.txt")
    done = _session(tmp_path / "root", *(word for line in lines for word in ("-c", line)))
    assert done.returncode == 1
    assert done.stdout == (
        "Directory created/ensured at ./a b\nWrote 7 bytes to ./n.txt\n   a b/\n7  n.txt\none\ntwo\n42\n"
    )
    assert done.stderr == "error: rm works in autonomous mode only, which is off (PERMISSION_ERROR)\n"


def test_the_word_json_switches_between_the_two(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", typed="json on\nmkdir a\njson off\nmkdir b\njson\nexit\n")
    assert '"message": "Directory created/ensured at ./a"' in done.stdout
    assert "\n./ $ Directory created/ensured at ./b\n" in done.stdout.replace("readable from now on.\n", "\n")
    assert "usage: json on|off" in done.stderr


def test_a_programs_two_streams_stay_two(tmp_path: Path) -> None:
    program = "run python -c 'import sys; print(1); print(2, file=sys.stderr); sys.exit(3)'"
    done = _session(tmp_path / "root", "-c", program)
    assert (done.returncode, done.stdout) == (1, "1\n")
    assert done.stderr == "2\nerror: exit status 3 (TOOL_EXECUTION_ERROR)\n"


def test_a_reader_that_leaves_is_no_fault_of_the_folder(tmp_path: Path) -> None:
    program = "run python -c 'for n in range(200000): print(n)'"
    command = [sys.executable, "-m", "sandbox", "--root", str(tmp_path / "root"), "-c", program]
    with subprocess.Popen(command, cwd=_REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        assert done.stdout.readline() == "0\n"
        done.stdout.close()
        assert done.stderr.read() == ""
        assert done.wait(60) == 1


def test_variables_that_were_set_are_shown(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", "--json", "-c", "set_env A 'b c'", "-c", "env")
    assert json.loads(done.stdout.splitlines()[1])["env"] == {"A": "b c"}


def test_the_end_of_the_input_ends_the_session(tmp_path: Path) -> None:
    assert _session(tmp_path / "root", typed="ls\n").returncode == 0


def test_output_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", "-c", r"run printf '\033]0;title\007\302\233'")
    assert done.returncode == 0, done.stdout
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


def test_without_a_jail_it_says_why_and_does_nothing(tmp_path: Path) -> None:
    done = _session(tmp_path / "root", "-c", "mkdir a", MINDX_BWRAP="/nonexistent/bwrap")
    assert done.returncode == 3
    assert "MINDX_BWRAP names /nonexistent/bwrap" in done.stderr
    assert not (tmp_path / "root" / "a").exists()


def test_a_root_that_is_no_folder_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert _session(tmp_path / "file", "-c", "ls").returncode == 2


def test_it_needs_no_django() -> None:
    code = "import sys, sandbox.__main__, sandbox.jail.probe; print([m for m in sys.modules if 'django' in m])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=_REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_a_program_hears_signals_whatever_the_session_was_told_to_ignore(tmp_path: Path) -> None:
    """As it is told by nohup, and by shells that start it in the background."""
    words = [sys.executable, "-m", "sandbox", "--root", str(tmp_path / "root"), "--json", "-c"]
    done = subprocess.run(
        ["sh", "-c", "trap '' HUP INT QUIT; exec \"$@\"", "sh", *words, "run 'grep SigIgn /proc/self/status'"],
        cwd=_REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    ignored = int(json.loads(done.stdout)["stdout"].split()[1], 16)
    assert ignored & 0b111 == 0
