"""Programs in a real jail, and the hosts that they may and may not reach."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sandbox.contract import SandboxUnavailable, SessionState
from sandbox.gate.hosts import HostRefused
from sandbox.jail import probe
from sandbox.sessions.session import open_session
from tests.sandbox.conftest import Hands
from tests.sandbox.gate.conftest import PUBLIC, Web, hands_with
from tests.waiting import wait_until

_ASK = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers=dict(each.split("=") for each in sys.argv[2:]))
print(urllib.request.urlopen(request, timeout=10).read().decode())
"""


def _ask(hands: Hands, url: str, *headers: str) -> object:
    (hands.root / "ask.py").write_text(_ASK)
    return hands.run(f"python ask.py {url} {' '.join(headers)}")


def test_a_program_reaches_the_approved_host_and_the_traffic_is_told(tmp_path: Path, web: Web) -> None:
    web.page("/", b"hello")
    with hands_with(tmp_path / "w", f"127.0.0.1:{web.port}") as hands:
        result = hands.python(_ASK.replace("sys.argv[1]", repr(web.url)).replace("sys.argv[2:]", "[]"))
    assert result.ok, result
    assert result.data["stdout"] == "hello\n"
    (host,) = result.data["network"]["hosts"]
    assert host["host"] == f"127.0.0.1:{web.port}"
    assert host["connections"] == 1
    assert host["sent_bytes"] > 20
    assert host["received_bytes"] > 5


def test_without_approval_it_is_refused_and_named_and_the_step_lacked_permission(hands: Hands, web: Web) -> None:
    result = hands.python(_ASK.replace("sys.argv[1]", repr(web.url)).replace("sys.argv[2:]", "[]"))
    assert result.error_class == "PERMISSION_ERROR"
    assert f"127.0.0.1:{web.port}, which was not approved" in result.reason
    assert result.data["network"]["refused"] == [{"host": "127.0.0.1", "port": web.port}]
    assert web.asked == []


def test_names_addresses_and_datagrams_that_are_refused_are_named(hands: Hands) -> None:
    result = hands.python(
        """
import socket
for place in (("pypi.org", 443), ("93.184.216.34", 443), ("169.254.169.254", 80)):
    try:
        socket.create_connection(place, 2)
    except OSError:
        pass
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.connect(("8.8.8.8", 53))
    asking.send(b"x")
    try:
        asking.recv(1)
    except OSError:
        pass
"""
    )
    assert result.ok, "a program that does without what it was refused has not failed"
    assert result.data["network"]["refused"] == [
        {"host": "pypi.org", "port": None},
        {"host": "93.184.216.34", "port": 443},
        {"host": "169.254.169.254", "port": 80},
        {"host": "8.8.8.8", "port": 53},
    ]
    assert "network" not in hands.run("true").data


def test_a_programs_own_server_is_nobodys_business_even_when_waited_for(hands: Hands) -> None:
    result = hands.python(
        """
import socket
place = ("127.0.0.1", 8123)
with socket.socket() as early:
    assert early.connect_ex(place)
with socket.create_server(place), socket.create_connection(place):
    raise SystemExit(3)
"""
    )
    assert result.error_class == "TOOL_EXECUTION_ERROR", result
    assert "network" not in result.data


def test_a_name_is_reached_by_its_name(tmp_path: Path, web: Web, world: dict[str, str]) -> None:
    web.page("/", b"hello")
    world["host.example"] = PUBLIC
    with hands_with(tmp_path / "w", f"host.example:{web.port}") as hands:
        result = _ask(hands, f"http://host.example:{web.port}/")
    assert result.data["stdout"] == "hello\n", result  # type: ignore[attr-defined]
    assert web.asked[0][2]["host"] == f"host.example:{web.port}"


def test_another_name_on_the_same_address_is_refused_and_named(tmp_path: Path, web: Web, world: dict[str, str]) -> None:
    web.page("/", b"hello")
    world["host.example"] = PUBLIC
    with hands_with(tmp_path / "w", f"host.example:{web.port}") as hands:
        result = _ask(hands, f"http://host.example:{web.port}/", "Host=other.example")
    assert web.asked == []
    assert result.error_class == "PERMISSION_ERROR"  # type: ignore[attr-defined]
    assert result.data["network"]["refused"] == [  # type: ignore[attr-defined]
        {"host": "other.example", "port": web.port}
    ]


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])
def test_a_name_that_leads_inside_is_refused_with_the_reason(
    tmp_path: Path, web: Web, world: dict[str, str], inside: str
) -> None:
    web.page("/", b"hello")
    world["host.example"] = inside
    with hands_with(tmp_path / "w", f"host.example:{web.port}") as hands:
        result = _ask(hands, f"http://host.example:{web.port}/")
    assert web.asked == []
    (refused,) = result.data["network"]["refused"]  # type: ignore[attr-defined]
    assert refused["host"] == "host.example"
    assert inside in refused["why"]
    assert inside in result.reason  # type: ignore[attr-defined]


def test_connections_beyond_the_most_wait_and_hold_up_nothing_else(tmp_path: Path, web: Web) -> None:
    web.page("/", b"hello")
    with hands_with(tmp_path / "w", f"127.0.0.1:{web.port}") as hands:
        result = hands.python(
            f"""
import socket
held = [socket.create_connection(("127.0.0.1", {web.port})) for _ in range(40)]
try:
    socket.create_connection(("pypi.org", 443))
except OSError as error:
    print("refused")
for each in held[:10]:
    each.close()
held[39].sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
held[39].settimeout(10)
print(held[39].recv(9))
"""
        )
    assert result.data["stdout"] == "refused\nb'HTTP/1.1 '\n", result
    assert result.data["network"]["hosts"][0]["connections"] <= 40


def test_bytes_are_limited_for_the_session(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.gate.gate.MOST_BYTES", 100_000)
    web.page("/", b"x" * 200_000)
    with hands_with(tmp_path / "w", f"127.0.0.1:{web.port}") as hands:
        result = _ask(hands, web.url)
    assert not result.ok  # type: ignore[attr-defined]
    (refused,) = result.data["network"]["refused"]  # type: ignore[attr-defined]
    assert "100,000 bytes, which is the most" in refused["why"]


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_nothing_of_the_gate_outlives_its_session(tmp_path: Path, web: Web) -> None:
    web.page("/", b"hello")
    with hands_with(tmp_path / "first", f"127.0.0.1:{web.port}") as hands:
        assert hands.run("true").ok  # what is kept for all sessions is there by now
    before = _descriptors()
    with hands_with(tmp_path / "w", f"127.0.0.1:{web.port}") as hands:
        hands.python(f"import socket; socket.create_connection(('127.0.0.1', {web.port})).send(b'GET')")
        assert "mindx-gate" in {each.name for each in threading.enumerate()}
    assert "mindx-gate" not in {each.name for each in threading.enumerate()}
    wait_until(lambda: _descriptors() <= before, what="as many descriptors as before")


def test_two_sessions_have_nothing_of_each_others_gate(tmp_path: Path, web: Web) -> None:
    web.page("/", b"hello")
    with hands_with(tmp_path / "a", f"127.0.0.1:{web.port}"), hands_with(tmp_path / "b") as other:
        assert _ask(other, web.url).error_class == "PERMISSION_ERROR"  # type: ignore[attr-defined]


def test_hosts_are_refused_below_level_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "_found", probe.Level("L2"))
    with (
        pytest.raises(SandboxUnavailable, match="level L3 only"),
        open_session(tmp_path, SessionState(), minimum="L2", hosts=["packages"]),
    ):
        pass


def test_a_list_that_names_no_host_opens_no_session(tmp_path: Path) -> None:
    with pytest.raises(HostRefused), open_session(tmp_path, SessionState(), hosts=["https://example.org"]):
        pass
