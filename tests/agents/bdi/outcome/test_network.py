from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.outcome.network import MOST_KEPT, Network, Refused, bounded, lacking, network_of, refusal_words
from agents.bdi.recovery.recovery import Envelope, FailureClass, Situation, Strategy, choose, classify

SEEN = {
    "refused": [
        {"host": "pypi.org", "port": 443},
        {"host": "pypi.org", "port": None},
        {"host": "a.example", "port": 81},
    ],
    "downloads": [{"file": "x-1.0-py3-none-any.whl", "sha256": "ab" * 32, "size_bytes": 7, "cached": True}],
    "hosts": [{"host": "127.0.0.1:8123", "connections": 2, "sent_bytes": 10, "received_bytes": 2000}],
}
FAILED = {
    "status": "ERROR",
    "return_code": 1,
    "stderr": "could not resolve host",
    "error_class": "TOOL_EXECUTION_ERROR",
}


def test_everything_that_happened_is_read() -> None:
    network = network_of({"network": SEEN})
    assert network.refused_names == ("pypi.org", "a.example:81")
    assert [(one.file, one.size_bytes, one.cached) for one in network.downloads] == [
        ("x-1.0-py3-none-any.whl", 7, True)
    ]
    assert [(one.host, one.connections, one.received_bytes) for one in network.hosts] == [("127.0.0.1:8123", 2, 2000)]


def test_what_is_kept_reads_back_as_the_same_and_keeps_the_rest_of_the_answer() -> None:
    kept = bounded({"status": "SUCCESS", "network": SEEN})
    assert kept["status"] == "SUCCESS"
    assert network_of(kept) == network_of({"network": SEEN})
    assert bounded({"status": "SUCCESS"}) == {"status": "SUCCESS"}
    assert bounded({"status": "SUCCESS", "network": "nonsense"}) == {"status": "SUCCESS"}


def test_a_program_that_asks_for_thousands_of_names_fills_no_row() -> None:
    many = {"refused": [{"host": f"{number}." + "x" * 9_000, "port": 1} for number in range(MOST_KEPT + 20)]}
    kept = bounded({"network": many})["network"]
    assert len(kept["refused"]) == MOST_KEPT
    assert kept["left_out"] == 20
    assert len(str(kept)) < 300 * MOST_KEPT
    assert network_of(bounded({"network": kept})).left_out == 20


_NAMES = st.sampled_from(["network", *SEEN, "host", "port", "file", "cached"])
_LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
_JSON = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4))


@given(_JSON)
def test_whatever_a_result_holds_is_read_without_a_fault(result: Any) -> None:
    assert isinstance(network_of(result), Network)
    assert isinstance(network_of({"network": result}), Network)


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        ([], ""),
        ([Refused("pypi.org", 443)], "pypi.org was asked for and not approved"),
        ([Refused("a"), Refused("b"), Refused("c", 8)], "a, b and c:8 were asked for and not approved"),
        (
            [Refused("a", 80, "its address is this machine's")],
            "a is approved but was not let in: its address is this machine's",
        ),
    ],
)
def test_refused_hosts_are_said_as_a_clause(refused: list[Refused], said: str) -> None:
    assert refusal_words(Network(tuple(refused))) == said


@pytest.mark.parametrize(
    ("refused", "have", "line", "added"),
    [
        ([Refused("api.example", 443), Refused("api.example")], (), "python x.py", ("api.example",)),
        ([Refused("127.0.0.1", 8123)], ("a.example",), "python x.py", ("127.0.0.1:8123",)),
        ([Refused("pypi.org", 443)], (), "pip install httpx", ("packages",)),
        ([Refused("files.pythonhosted.org")], (), "python -m pip install httpx", ("packages",)),
        ([Refused("pypi.org", 443)], (), "python x.py", ("pypi.org",)),
        ([Refused("pypi.org", 443)], ("packages",), "pip install httpx", ()),
        ([Refused("a_b.example"), Refused("")], (), "python x.py", ()),
        ([Refused("a.example", 443, "its address is private")], (), "python x.py", ()),
        ([Refused("new.example")], tuple(f"h{n}.example" for n in range(16)), "python x.py", ()),
    ],
)
def test_what_was_refused_becomes_what_may_be_approved(
    refused: list[Refused], have: tuple[str, ...], line: str, added: tuple[str, ...]
) -> None:
    assert lacking(Network(tuple(refused)), have, line) == added


def test_a_failed_program_that_asked_for_a_closed_host_lacked_permission_and_is_not_retried() -> None:
    failure = classify({**FAILED, "network": SEEN})
    assert failure.failure_class is FailureClass.PERMISSION_ERROR
    assert "pypi.org and a.example:81 were asked for and not approved" in failure.reason
    choice = choose(failure, Situation(envelope=Envelope(3)))
    assert choice.strategy is Strategy.ESCALATE_TO_AGINT


def test_without_a_refusal_or_at_a_limit_the_class_is_what_it_was() -> None:
    assert classify(FAILED).failure_class is FailureClass.NETWORK_ERROR
    served = {"network": {**SEEN, "refused": []}}
    assert classify({**FAILED, **served}).failure_class is FailureClass.NETWORK_ERROR
    assert classify({**FAILED, "network": SEEN, "limit": "time"}).failure_class is FailureClass.TOOL_EXECUTION_ERROR


def test_the_sandboxs_own_reason_stands() -> None:
    own = {**FAILED, "error_class": "PERMISSION_ERROR", "reason": "asked for pypi.org, which is not approved"}
    assert classify({**own, "network": SEEN}).reason == "asked for pypi.org, which is not approved"
