"""The session as a person meets it: through a real terminal, key by key."""

from __future__ import annotations

import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.console.terminal import MOST_LINE_CHARS
from tests.sandbox.console.screen import Screen, opened

Open = Callable[..., Screen]
TAB, CTRL_C, UP = "\t", "\x03", "\x1b[A"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def open_screen(tmp_path: Path, data: Path) -> Iterator[Open]:
    """`open_screen(*words, **environment)`: a terminal at its first prompt."""
    (tmp_path / "root").mkdir()
    with ExitStack() as stack:

        def made(*words: str, **environment: str) -> Screen:
            screen = stack.enter_context(opened(tmp_path / "root", data, *words, **environment))
            screen.wait_for("./ $ ")
            return screen

        yield made


@pytest.fixture
def root(tmp_path: Path, open_screen: Open) -> Path:
    """The workspace with a few things in it."""
    root = tmp_path / "root"
    for folder in ("my files", "mine", ".hidden", "deep/venv"):
        (root / folder).mkdir(parents=True)
    for name in ("my files/an 'odd' name.txt", "mine/a.py", "deep/venv/pyvenv.cfg", "evil\x1b[2Jname", "other"):
        (root / name).write_text("x")
    return root


@pytest.mark.usefixtures("root")
def test_tab_completes_commands_options_and_paths(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("creat" + TAB)
    screen.wait_for("create_venv ")
    screen.type("\x15find k" + TAB + "d" + TAB)
    screen.wait_for("find kind=dir ")
    screen.type("\x15cd mi" + TAB + "\r")
    screen.wait_for("./mine $ ")
    screen.type("read " + TAB + "\r")
    screen.wait_for("read a.py ")
    screen.wait_for("\nx\n")


@pytest.mark.usefixtures("root")
def test_a_name_with_blanks_and_quotes_is_completed_so_that_the_session_reads_it(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("read my" + TAB)
    screen.wait_for("read my\\ files/")
    screen.type("an" + TAB + "\r")
    screen.wait_for("an\\ \\'odd\\'\\ name.txt ")
    screen.wait_for("\nx\n")
    screen.type('read "my f' + TAB + "an" + TAB + "\r")
    screen.wait_for("read \"my files/an 'odd' name.txt\" ")
    screen.wait_for("\nx\n")


@pytest.mark.usefixtures("root")
def test_several_names_are_listed_and_none_that_would_steer_the_terminal(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("ls " + TAB)
    shown = screen.wait_for("other")
    assert "deep/  mine/  my files/" in shown
    assert "evil" not in shown
    assert ".hidden" not in shown
    screen.type("." + TAB)
    screen.wait_for(".hidden/")


@pytest.mark.usefixtures("root")
def test_virtual_environments_are_found_wherever_they_are(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("activate_venv " + TAB)
    screen.wait_for("activate_venv deep/venv ")
    screen.type("\x15cd mine\r")
    screen.wait_for("./mine $ ")
    screen.type("activate_venv " + TAB)
    screen.wait_for("activate_venv ../deep/venv ")


def test_output_comes_while_the_program_runs_and_ctrl_c_ends_it(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("run python -c 'import time; print(40 + 2); time.sleep(600)'\r")
    screen.wait_for("\n42\n")
    screen.type(CTRL_C)
    screen.wait_for("error: it was cancelled (TOOL_EXECUTION_ERROR)")
    screen.wait_for("./ $ ")
    screen.type("half a line")
    screen.wait_for("half a line")  # the line editor has it, and with it the key that follows
    screen.press_until(CTRL_C, "./ $ ")
    screen.type("exit\r")
    assert screen.end() == 0


def test_what_a_program_writes_cannot_steer_the_terminal(open_screen: Open) -> None:
    screen = open_screen()
    screen.type(r"""run printf 'a\033]0;owned\007\033[2Jb\rc\302\233d\342\200\256e'""" + "\r")
    screen.wait_for("\n" + r"a\x1b]0;owned\x07\x1b[2Jb" + "\n" + r"c\x9bd\u202ee" + "\n./ $ ")
    assert b"\x1b]0;" not in screen.raw
    assert b"\x1b[2J" not in screen.raw


def test_help_tells_of_one_command(open_screen: Open) -> None:
    screen = open_screen()
    screen.type("help fin" + TAB + "\r")
    shown = screen.wait_for("Example: find '*.py' kind=file newest=3")
    assert "find [PATTERN] [PATH] [KIND] [NEWEST]" in shown
    screen.type("help flying\r")
    screen.wait_for("there is no command 'flying'")


def test_history_is_kept_for_its_owner_without_secrets(open_screen: Open, data: Path) -> None:
    history = data / "sandbox" / "history"
    screen = open_screen()
    for line in ("mkdir a", "mkdir a", " mkdir b", "set_env TOKEN hidden", f"mkdir {'c' * MOST_LINE_CHARS}", "env"):
        screen.type(f"{line}\r")
        screen.wait_for("./ $ ")
    screen.type("exit\r")
    assert screen.end() == 0
    assert history.read_text() == "mkdir a\nenv\nexit\n"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    history.write_text("".join(f"mkdir {number}\n" for number in range(3000)))
    screen = open_screen()
    screen.type(UP)
    screen.wait_for("mkdir 2999")
    screen.type("\x15exit\r")
    screen.end()
    assert len(history.read_text().splitlines()) == 1000


def test_below_the_best_level_the_banner_says_why() -> None:
    # Without mounts a jail's uid has to pass every folder above its own, which pytest's are closed for.
    with tempfile.TemporaryDirectory(prefix="mindx-terminal-") as name:
        place = Path(name)
        place.chmod(0o755)
        absent = str(place / "absent")
        with opened(place / "root", place / "data", MINDX_BWRAP=absent, MINDX_SANDBOX_MIN="L1") as screen:
            shown = screen.wait_for("./ $ ")
    assert re.search(r"isolation L[12] ---", shown)
    assert f"No L3: MINDX_BWRAP names {absent}" in shown
