from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.believing import PRECEDENCE, Held, contradict, revise

NOW = "2026-05-01T12:00:00+00:00"
THERE, GONE = "There is a folder named tides.", "There is no folder named tides."
SENTENCES = (THERE, GONE, "The door is open.", "The door is closed.", "It is raining hard.")

held = st.builds(
    Held,
    st.integers(1, 9999),
    st.sampled_from(SENTENCES),
    st.sampled_from(PRECEDENCE),
    st.sampled_from([0.3, 0.6, 1.0]),
    st.sampled_from(["2026-05-01T10", "2026-05-01T11"]),
    st.sampled_from(["", "2026-04-01", "2026-06-01"]),
)


def one(
    number: int, sentence: str, source: str = "perception", sure: float = 1.0, at: str = "1", ends: str = ""
) -> Held:
    return Held(number, sentence, source, sure, at, ends)


def test_a_persons_word_outweighs_what_was_seen_and_is_not_outweighed_by_it() -> None:
    said = revise([one(1, THERE)], [one(2, GONE, "person", 0.5)], NOW)
    assert [belief.id for belief in said.held] == [2]
    assert [(each.id, each.by) for each in said.given_up] == [(1, 2)]
    assert said.given_up[0].why == f"it is outweighed by “{GONE}” (person, confidence 0.5)"
    seen = revise([one(2, GONE, "person", 0.5)], [one(1, THERE)], NOW)
    assert [belief.id for belief in seen.held] == [2]


def test_of_the_same_source_the_surer_stays_then_the_newer() -> None:
    sure = revise([one(1, THERE, "person", 0.9)], [one(2, GONE, "person", 0.6, "2")], NOW)
    assert [belief.id for belief in sure.held] == [1]
    newer = revise([one(1, THERE, "person", 0.9, "1")], [one(2, GONE, "person", 0.9, "2")], NOW)
    assert [belief.id for belief in newer.held] == [2]


def test_of_two_that_weigh_the_same_the_one_that_was_said_last_stays() -> None:
    against = revise([one(1, THERE)], [one(2, GONE)], NOW)
    assert [belief.id for belief in against.held] == [2]
    again = revise([one(1, THERE)], [one(2, THERE)], NOW)
    assert [(each.id, each.by, each.why) for each in again.given_up] == [(1, 2, "it was stated again")]


def test_who_is_unknown_has_the_least_say() -> None:
    for weakest in PRECEDENCE:
        after = revise([one(1, THERE, weakest, 0.1)], [one(2, GONE, "somebody", 1.0, "2")], NOW)
        assert [belief.id for belief in after.held] == [1]


def test_what_was_said_on_better_authority_is_not_said_anew() -> None:
    after = revise([one(1, THERE, "person")], [one(2, THERE, "perception", at="2")], NOW)
    assert [(each.id, each.by) for each in after.given_up] == [(2, 1)]
    assert after.given_up[0].why == "it is already held from a better source"


def test_a_belief_whose_time_is_over_is_let_go_of() -> None:
    after = revise([one(1, THERE, ends=NOW), one(2, "The door is open.", ends="2027-01-01")], [], NOW)
    assert [belief.id for belief in after.held] == [2]
    assert after.given_up[0].why == f"it expired at {NOW}"


def test_what_is_said_again_is_held_once() -> None:
    again = revise([one(1, THERE, "person")], [one(2, THERE, "person", at="2")], NOW)
    assert [belief.id for belief in again.held] == [2]


@given(st.lists(held, max_size=8, unique_by=lambda each: each.id), st.lists(held, max_size=4))
def test_what_is_held_is_free_of_contradiction_expiry_and_repetition(before: list[Held], news: list[Held]) -> None:
    known = {each.id for each in before}
    news = [each for each in news if each.id not in known]
    news = list({each.id: each for each in news}.values())
    after = revise(before, news, NOW)
    for a in after.held:
        assert not a.has_expired(NOW)
        assert not any(contradict(a, b) for b in after.held if b is not a)
    assert len({each.sentence for each in after.held}) == len(after.held)
    # Nothing is lost without a word: each belief is held, or it is said why not.
    ids = sorted([each.id for each in after.held] + [each.id for each in after.given_up])
    assert ids == sorted(each.id for each in (*before, *news))
    assert revise(after.held, [], NOW).held == after.held


@given(st.lists(held, min_size=1, max_size=6, unique_by=lambda each: each.id))
def test_the_weightiest_belief_that_has_not_expired_is_always_held(beliefs: list[Held]) -> None:
    alive = [each for each in beliefs if not each.has_expired(NOW)]
    if alive:
        best = max(alive, key=lambda each: each.weight)
        held_after = revise(beliefs, [], NOW).held
        assert any(each.weight == best.weight for each in held_after)
