"""Commands typed by hand with hosts and a time of their own, in the real jail; and who keeps them from running."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.bdi.outcome.network import network_of
from agents.hands import typed
from agents.models import HandCommand, ToolLimit
from agents.record.errors import CommandRefused
from agents.states import HandState
from people.models import User
from review.models import TypedEvent
from review.policy.verdict import Action
from sandbox.jail import probe
from sandbox.jail.probe import Level
from tests.loopback import Host, host, index_pages, wheel
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)

TypeIn = Callable[..., HandCommand]
# What pip asks of an index, without the seconds that pip thinks.
FETCH = """\
import os, re, urllib.parse as parse, urllib.request as request
at = os.environ["PIP_INDEX_URL"].rstrip("/") + "/httpx/"
page = request.urlopen(at).read().decode()
request.urlopen(parse.urljoin(at, re.search("href=.([^# >]*)", page)[1].strip(chr(34)))).read()
"""
ASK = "write ask.py 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=10).status)'"


@pytest.fixture
def service() -> Iterator[Host]:
    with host({"/status": b"well"}) as found:
        yield found


def _result(command: HandCommand) -> dict[str, Any]:
    return command.result or {}


def test_a_command_reaches_the_hosts_of_its_line_and_the_audit_has_them(type_in: TypeIn, service: Host) -> None:
    type_in(ASK)
    line = f"run python ask.py {service.address}/status"
    closed = type_in(line)
    assert _result(closed)["error_class"] == "PERMISSION_ERROR"
    assert network_of(closed.result).refused_names == (service.name,)
    assert service.asked == []
    let_in = type_in(line, hosts=[service.name.upper(), service.name])
    assert (let_in.state, _result(let_in)["stdout"]) == (HandState.DONE, "200\n")
    assert let_in.text == f"run hosts={service.name} python ask.py {service.address}/status"
    assert let_in.params["hosts"] == [service.name]
    (reached,) = network_of(let_in.result).hosts
    assert (reached.host, reached.connections) == (service.name, 1)
    told = TypedEvent.objects.filter(command=let_in).values_list("what", "text")
    assert list(told) == [("submitted", let_in.text), ("ended", let_in.text)]
    # What was let in for one command is closed to the next.
    assert _result(type_in(line))["error_class"] == "PERMISSION_ERROR"
    assert service.asked == ["/status"]


def test_packages_are_fetched_and_told_with_their_hashes(
    type_in: TypeIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = wheel(tmp_path)
    with host(index_pages(made)) as index:
        monkeypatch.setenv("MINDX_PACKAGE_INDEX", f"{index.address}/simple/")
        type_in(f"write fetch.py '{FETCH}'")
        command = type_in("run hosts=packages timeout_s=60 python fetch.py")
    assert (command.state, _result(command)["return_code"]) == (HandState.DONE, 0)
    (download,) = network_of(command.result).downloads
    assert (download.file, download.sha256) == (made.name, hashlib.sha256(made.read_bytes()).hexdigest())


def test_a_command_has_the_time_that_it_asks_for_and_no_more_than_it_may(type_in: TypeIn) -> None:
    ToolLimit.objects.create(tool="simple_coder", hard_s=30)
    command = type_in("run python -c 'import time; time.sleep(60)'", timeout_s=1)
    assert (command.text.split(" ")[:2], command.params["timeout_s"]) == (["run", "timeout_s=1"], 1)
    assert _result(command)["limit"] == "time"
    said = list(command.goal.log_lines.order_by("-number").values_list("text", flat=True)[:1])
    assert "time limit of 1 s" in said[0]
    with pytest.raises(CommandRefused, match="from 1 to the 30 s"):
        type_in("run timeout_s=31 python x.py")


def test_below_the_full_level_hosts_are_refused_with_what_is_missing(
    type_in: TypeIn, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.SANDBOX_MIN = "L2"
    monkeypatch.setattr(probe, "_found", Level("L2", {"L3": "not in this test"}))
    command = type_in("run hosts=a.example python x.py")
    assert command.state == HandState.LOST
    assert "hosts can be let in at level L3 only" in command.reason


def test_a_policy_that_comes_before_it_began_stops_it(type_in: TypeIn, admin: User, service: Host) -> None:
    waiting = type_in(f"run hosts={service.name} python x.py", run=False)
    in_force(Action.FORBID, admin, "nothing leaves", hosts=[service.name])
    typed.work(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == HandState.CANCELLED
    assert "Forbidden by policy “nothing leaves”" in waiting.reason
