"""`manage.py mastermind` in a real terminal: typed, completed, brought back, ended."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from agents.models import Agent, GivenCommand
from people.models import User
from tests.sandbox.console.screen import REPOSITORY, Screen

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def opened(user: User, data: Path) -> Iterator[Screen]:
    """A terminal in which mastermind runs against the test's own database."""
    base = connection.settings_dict
    place = f"{quote(base['USER'])}:{quote(base['PASSWORD'])}@{quote(base['HOST'], safe='')}"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MINDX_", "DJANGO_", "PYTEST_"))},
        "MINDX_DATA": str(data),
        "MINDX_SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": f"postgres://{place}/{base['NAME']}",
        "TERM": "xterm",
        "MINDX_USER": user.username,
    }
    words = [sys.executable, str(REPOSITORY / "manage.py"), "mastermind"]
    pid, master = pty.fork()
    if pid == 0:
        os.execve(words[0], words, environment)
    screen = Screen(master, pid)
    try:
        yield screen
    finally:
        os.close(master)


def test_a_person_types_completes_and_brings_back_what_was_typed(owner: User, tmp_path: Path) -> None:
    Agent.objects.get_or_create(name="mindx")
    with opened(owner, tmp_path) as screen:
        screen.wait_for("'exit' to quit", within_s=90)
        screen.wait_for("mastermind>")
        screen.type("agent_li\t")
        screen.wait_for("agent_list")
        screen.type("\r")
        screen.wait_for("mindx: at work")
        screen.type("evolve the sumarization tool\r")
        screen.wait_for("did you mean summarization?")
        screen.wait_for("mastermind>")
        screen.type("\x1b[A\x1b[A")  # the arrow up, twice
        screen.wait_for("agent_list")
        screen.type("\r")
        screen.wait_for("mindx: at work")
        screen.wait_for("mastermind>")
        screen.type("exit\r")
        assert screen.end() == 2
    lines = list(GivenCommand.objects.order_by("pk").values_list("line", "by__username"))
    assert lines == [("agent_list", "olga"), ("evolve the sumarization tool", "olga"), ("agent_list", "olga")]
    kept = tmp_path / "mastermind" / f"history-{owner.pk}"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "+agent_list" in kept.read_text()
