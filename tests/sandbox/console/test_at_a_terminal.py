"""Programs that insist on a terminal get one, and nothing more than one."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.contract import Limits, Request
from sandbox.jail.inside import programs, terminal
from sandbox.jail.inside.tree import Refused
from tests.sandbox.conftest import Hands, OpenHands

_WHOSE = (
    "import os, sys\n"
    "print([os.isatty(n) for n in (0, 1, 2)], os.ttyname(0), os.get_terminal_size(), os.environ['TERM'])\n"
    "with open('/dev/tty') as own: print(os.tcgetpgrp(own.fileno()) == os.getpgrp(), os.getsid(0) == os.getpid())\n"
)


def test_a_program_has_a_terminal_of_its_own_that_controls_it(hands: Hands) -> None:
    said = hands.python(_WHOSE, terminal=True).data["stdout"]
    size = "os.terminal_size(columns=80, lines=24)"
    assert said == f"[True, True, True] /dev/pts/0 {size} dumb\nTrue True\n"


def test_without_asking_it_has_none(hands: Hands) -> None:
    assert hands.run("python -c 'import sys; print(sys.stdout.isatty())'").data["stdout"] == "False\n"
    assert not hands.run("python -c 'open(\"/dev/tty\")'").ok


def test_what_is_written_comes_as_one_stream_with_its_line_ends_as_they_were(hands: Hands) -> None:
    code = "import os\nos.write(1, b'one\\n')\nos.write(2, b'two\\r\\n')\nos.write(1, b'three')"
    data = hands.python(code, terminal=True).data
    assert (data["stdout"], data["stderr"]) == ("one\ntwo\r\nthree", "")


@pytest.mark.parametrize("typed", ["", "one line\n", "no end", "a line\n" * 3000, "x" * 4000 + "\n"])
def test_input_is_typed_and_ends_and_is_not_echoed(hands: Hands, typed: str) -> None:
    (hands.root / "typed").write_text(typed)
    code = "import sys\nprint(sys.stdin.read() == open('typed').read())"
    assert hands.python(code, terminal=True, stdin=typed).data["stdout"] == "True\n"


def test_a_program_that_throws_away_what_was_typed_before_it_asked_gets_each_answer(hands: Hands) -> None:
    code = "import getpass\nprint([getpass.getpass(), getpass.getpass(), input('and? ')])"
    said = hands.python(code, terminal=True, stdin="first\nsecond\nthird\n").data["stdout"]
    assert said.endswith("['first', 'second', 'third']\n")


def test_an_interactive_python_takes_its_lines(hands: Hands) -> None:
    said = hands.run("python -q", terminal=True, stdin="answer = 6 * 7\nprint(answer)\n").data["stdout"]
    assert ">>> 42\n>>> " in said


def test_control_characters_are_keys(hands: Hands) -> None:
    waits = "import time\ntry:\n    print('waits', flush=True)\n    time.sleep(60)\n"
    code = waits + "except KeyboardInterrupt:\n    print('hit')"
    assert hands.python(code, terminal=True, stdin="\x03").data["stdout"] == "waits\nhit\n"


def test_everything_written_before_the_end_is_there(hands: Hands) -> None:
    code = "import os\nfor number in range(20000): os.write(1, b'%d\\n' % number)"
    assert hands.python(code, terminal=True).data["stdout"].splitlines() == [str(n) for n in range(20000)]


def test_limits_hold_at_a_terminal(open_hands: OpenHands) -> None:
    hands = open_hands(replace(Limits(), memory_bytes=64 << 20, output_file_bytes=1 << 20))
    late = hands.python("import time\nprint('so far', flush=True)\ntime.sleep(60)", terminal=True, timeout_s=6)
    assert (late.limit, late.data["stdout"]) == ("time", "so far\n")
    assert hands.python("import time\nx = bytearray(200 << 20)\ntime.sleep(60)", terminal=True).limit == "memory"
    assert hands.python("while True: print('x' * 99)", terminal=True).limit == "output"


def test_it_is_cancelled_like_any_other(hands: Hands) -> None:
    cancel = threading.Event()
    request = Request("run", {"command_line": "python -c 'input(1)'", "terminal": True, "stdin": "\x16\x04"})
    result = hands.session.execute(request, on_output=lambda *_: cancel.set(), cancel=cancel)
    assert result.limit == "cancel"


def test_nothing_it_leaves_behind_lives_on(hands: Hands) -> None:
    # The program ends, and hangs its terminal up, only when what it leaves behind is a session of its own.
    code = (
        "import os, time\nfound, told = os.pipe()\nif os.fork() == 0:\n"
        "    os.setsid(); os.write(told, b'x'); time.sleep(60)\nos.read(found, 1); print('left')"
    )
    result = hands.python(code, terminal=True)
    assert (result.data["stdout"], result.data["left_running"]) == ("left\n", 1)


def test_a_program_cannot_type_into_its_terminal_itself(hands: Hands) -> None:
    code = (
        "import fcntl, os\nfor number in (0x5412, 0x5423, 0x541D):\n"
        "    try: fcntl.ioctl(0, number, b'\\0\\0\\0\\0'); print('through')\n"
        "    except PermissionError: print('refused')\n"
    )
    assert hands.python(code, terminal=True).data["stdout"] == "refused\n" * 3


@pytest.mark.parametrize("level", ["L2", "L1"])
def test_below_the_full_level_there_is_none(hands: Hands, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands.session._ground, "level", level)
    result = hands.run("python -c 1", terminal=True)
    assert result.error_class == "PERMISSION_ERROR"


_TAKES_IT = (
    "import fcntl, os, sys, time\nterminal = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)\n"
    "fcntl.ioctl(terminal, 0x540E, 0)\nprint('taken', flush=True)\ntime.sleep(60)\n"
)


def test_a_terminal_that_another_session_took_first_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    thieves: list[subprocess.Popen[str]] = []

    class Taken(terminal.Terminal):
        """One that somebody else takes between its making and its program."""

        def __init__(self, stdin: bytes) -> None:
            super().__init__(stdin)
            words = [sys.executable, "-c", _TAKES_IT, self.path]
            thieves.append(subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE, text=True))
            assert thieves[0].stdout is not None
            assert thieves[0].stdout.readline() == "taken\n"

    monkeypatch.setattr(programs, "Terminal", Taken)
    wish = programs.Wish("/bin/sleep", ["sleep", "60"], {}, b"", terminal=True)
    try:
        with pytest.raises(Refused, match="sleep: another program of this session took its terminal"):
            programs.start(wish, select.poll(), 60.0, lambda stream, data: None)
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        assert "sleep" not in {Path(f"/proc/{child}/comm").read_text().strip() for child in children}
    finally:
        for thief in thieves:
            thief.kill()
            thief.communicate()
