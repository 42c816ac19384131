"""Where in the jail each approved host is met."""

from __future__ import annotations

from sandbox.gate.hosts import canonical
from sandbox.gate.plan import plan


def test_an_address_is_met_at_itself_and_a_name_at_one_of_ours() -> None:
    made = plan(canonical(["127.0.0.1:8123", "10.9.8.7", "example.org", "example.org:8080", "localhost:9"]))
    places = {(each.address, each.port) for each in made.entrances}
    own = made.names["example.org"]
    assert own.startswith("127.77.")
    assert places == {
        *(("127.0.0.1", 8123), ("10.9.8.7", 80), ("10.9.8.7", 443), ("127.0.0.1", 9)),
        *((own, 80), (own, 443), (own, 8080)),
    }
    assert list(made.names) == ["example.org"]
    assert made.environment == {}


def test_an_approved_address_is_never_used_for_anything_else() -> None:
    first = plan(["example.org"]).names["example.org"]
    made = plan(canonical(["example.org", "packages", first]))
    assert made.names["example.org"] != first
    assert f"http://{first}/" not in made.environment["PIP_INDEX_URL"]
    assert len(set(made.places)) == len(made.places) == 5


def test_the_index_is_told_only_to_programs_that_may_use_it() -> None:
    made = plan(["packages"])
    ((address, port),) = made.places
    assert made.environment["PIP_INDEX_URL"] == f"http://{address}/simple/"
    assert port == 80
    assert made.names == {}
    assert plan([]).places == []
