"""Choosing what to do after a failure, without any database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.recovery import recovery
from agents.bdi.recovery.delays import delay, in_seconds
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.bdi.recovery.recovery import Choice, Envelope, Policy, Situation, Standing, choose, closed
from agents.bdi.recovery.recovery_learning import Cell
from agents.bdi.recovery.recovery_settings import USUAL, RecoverySettings
from agents.bdi.recovery.strategies import (
    ABORT,
    AGINT,
    ALTERNATIVE,
    COOLED,
    DEFAULTS,
    MANUAL,
    REEXTRACTED,
    RETRY,
    SIMPLER,
    WAYS,
    Strategy,
    Way,
)

OPEN = Situation(envelope=Envelope(5, 1, frozenset({1})), reextracted="")
CLASSES, EFFECTS = st.sampled_from(list(FailureClass)), st.sampled_from(["idempotent", "workspace", "keyed", "once"])


def failed(failure_class: FailureClass) -> Failure:
    return Failure(failure_class, "x")


def taken(failure_class: FailureClass, situation: Situation) -> Choice:
    return choose(failed(failure_class), situation)


@pytest.mark.parametrize("failure_class", list(FailureClass))
def test_without_experience_the_primary_comes_first_and_the_secondary_after_it(failure_class: FailureClass) -> None:
    primary, secondary = DEFAULTS[failure_class]
    situation = Situation(
        envelope=Envelope(3, int(ALTERNATIVE in (primary, secondary)), frozenset({1})), reextracted=""
    )
    assert taken(failure_class, situation).way == primary
    spent = Envelope(3, situation.envelope.declared, frozenset({1}), after=int(primary == ALTERNATIVE))
    tries = 3 if primary == RETRY and secondary != COOLED else 2
    after = Situation(tries=tries, envelope=spent, chosen=[primary], reextracted="")
    assert taken(failure_class, after).way == secondary


def test_when_neither_is_open_the_plan_is_given_up() -> None:
    assert taken(FailureClass.TOOL_EXECUTION_ERROR, Situation()).way == ABORT
    assert taken(FailureClass.NETWORK_ERROR, Situation()).way == ABORT


def test_what_is_closed_says_why() -> None:
    assert AGINT not in closed(OPEN)
    assert closed(replace(OPEN, escalated=True))[AGINT] == "AGInt has already examined it"
    assert SIMPLER not in closed(OPEN)
    assert closed(replace(OPEN, simpler="it has one step"))[SIMPLER] == "it has one step"
    assert closed(Situation())[REEXTRACTED] == "no other values were found"


def test_beside_a_program_nothing_is_open_that_would_run_without_it() -> None:
    shut = closed(replace(OPEN, living=("server", "idle")))
    assert set(shut) == {RETRY, COOLED, ALTERNATIVE, AGINT, MANUAL}
    assert {"(server, idle)" in why for why in shut.values()} == {True}


def test_when_all_tries_at_a_limited_service_have_failed_the_declared_alternative_is_taken() -> None:
    spent = replace(OPEN, tries=5, chosen=[RETRY, COOLED])
    choice = taken(FailureClass.RATE_LIMIT_ERROR, spent)
    assert choice.way == ALTERNATIVE
    assert choice.why.endswith("it was declared for exactly this step")
    without = Situation(tries=5, envelope=Envelope(5), chosen=[RETRY, COOLED])
    assert taken(FailureClass.RATE_LIMIT_ERROR, without).way == ABORT


def test_retries_double_their_delay_with_jitter_and_end_at_the_envelope() -> None:
    choices = [taken(FailureClass.NETWORK_ERROR, Situation(tries=n, envelope=Envelope(3))) for n in (1, 2, 3)]
    assert [choice.way for choice in choices] == [RETRY, RETRY, ABORT]
    assert 5.0 <= choices[0].delay_s <= 6.25
    assert 10.0 <= choices[1].delay_s <= 12.5


@given(st.integers(1, 60), st.floats(0, 1e9), st.integers(0, 99), st.booleans())
def test_no_delay_is_shorter_than_a_server_asked_for_nor_without_an_end(
    tries: int, asked: float, seed: int, cooling: bool
) -> None:
    wait = delay(tries, USUAL, Random(seed), asked, cooling=cooling).seconds
    assert wait >= min(asked, 86_400.0) - 1e-3
    assert wait <= 86_400.0 * (1 + USUAL.jitter)


@pytest.mark.parametrize(
    ("tries", "asked", "cooling", "why"),
    [
        (1, 0.0, False, "the usual delay of 5 s"),
        (2, 0.0, False, "the usual delay of 5 s, doubled with each failed try"),
        (30, 0.0, False, "the longest delay of 900 s"),
        (1, 30.0, False, "as the server asked for 30 s"),
        (1, 86_401.0, False, "as the server asked for 86401 s, which is more than a day"),
        (1, 3.0, False, "the usual delay of 5 s, more than the 3 s that the server asked for"),
        # What was said before: “in 134 s, as the server asked for 3 s”.
        (2, 3.0, True, "the usual cool-down of 60 s, doubled with each failed try, more than the 3 s that the server"),
    ],
)
def test_a_wait_is_as_long_as_the_server_asked_only_where_that_made_it_so_long(
    tries: int, asked: float, cooling: bool, why: str
) -> None:
    found = delay(tries, replace(USUAL, jitter=0.0), Random(1), asked, cooling=cooling)
    assert found.why.startswith(why)
    assert found.words == f"in {in_seconds(found.seconds)}, {found.why}"
    with_jitter = delay(tries, USUAL, Random(1), asked, cooling=cooling).why
    assert ("some at random" in with_jitter) is not with_jitter.startswith("as the server asked")


def test_what_failed_together_does_not_come_back_together() -> None:
    assert len({delay(1, USUAL, Random(seed)).seconds for seed in range(20)}) == 20


def test_a_cool_down_waits_longer_than_a_retry() -> None:
    assert delay(1, USUAL, Random(1), cooling=True).seconds > 4 * delay(1, USUAL, Random(1)).seconds


@given(CLASSES, EFFECTS, st.integers(1, 9), st.integers(1, 9), st.integers(0, 300), st.integers(0, 99))
def test_a_retry_never_leaves_the_envelope_whatever_was_learned(
    failure: FailureClass, effect: str, tries: int, allowed: int, known: int, seed: int
) -> None:
    cell = Cell()
    for _ in range(min(known, 30)):
        cell.learn(str(RETRY), True)
    situation = Situation(effect=effect, tries=tries, envelope=Envelope(allowed), reextracted="")
    choice = choose(failed(failure), situation, cell=cell, known=known, rng=Random(seed))
    if choice.strategy is Strategy.RETRY_WITH_DELAY:
        assert effect != "once"
        assert tries < allowed


@given(CLASSES, st.sampled_from(WAYS), st.integers(0, 99))
def test_a_step_that_must_run_once_is_never_repeated_by_itself_whatever_is_pinned(
    failure: FailureClass, pinned: Way, seed: int
) -> None:
    situation = Situation(effect="once", envelope=Envelope(5, 2, frozenset({1, 2})), reextracted="")
    choice = choose(failed(failure), situation, policy=Policy(pinned), rng=Random(seed))
    assert choice.way in (MANUAL, ABORT)
    assert not choice.goes_on


@given(CLASSES, EFFECTS, st.integers(0, 3), st.frozensets(st.integers(1, 3)), st.integers(0, 3), st.integers(0, 99))
def test_an_alternative_goes_on_by_itself_only_where_it_was_granted_and_each_only_once(
    failure: FailureClass, effect: str, declared: int, granted: frozenset[int], after: int, seed: int
) -> None:
    situation = Situation(effect=effect, tries=3, envelope=Envelope(3, declared, granted, after))
    choice = choose(failed(failure), situation, policy=Policy(ALTERNATIVE), rng=Random(seed))
    if choice.way == ALTERNATIVE:
        assert after < choice.alternative <= declared
        assert effect != "once"
        assert choice.goes_on == (choice.alternative in granted)
    else:
        assert not choice.alternative


def test_what_was_declared_for_the_step_comes_before_planning_anew_or_a_person() -> None:
    situation = Situation(envelope=Envelope(3, 1, frozenset({1})))
    for failure_class in (FailureClass.INVALID_PARAMETERS, FailureClass.PERMISSION_ERROR):
        assert taken(failure_class, situation).way == ALTERNATIVE


# --- learned --------------------------------------------------------------------------------------------------------
def outcomes(way: Way, *results: bool, into: Cell | None = None) -> Cell:
    cell = into or Cell()
    for one in results:
        cell.learn(str(way), one)
    return cell


def often(cell: Cell, situation: Situation, settings: RecoverySettings = USUAL) -> dict[Way, int]:
    found: dict[Way, int] = {}
    for seed in range(200):
        failure = failed(FailureClass.TOOL_EXECUTION_ERROR)
        way = choose(failure, situation, settings=settings, cell=cell, known=40, rng=Random(seed)).way
        found[way] = found.get(way, 0) + 1
    return found


def test_what_helped_is_chosen_and_what_never_did_is_not() -> None:
    cell = outcomes(RETRY, *[False] * 20, into=outcomes(AGINT, *[True] * 20))
    found = often(cell, OPEN)
    assert found[AGINT] > 100
    assert found.get(RETRY, 0) < 20


def test_trap_greedy_choice_with_manual_and_abort_unreachable_and_no_secondary() -> None:
    """Every strategy is chosen for every class when it is what helps; the secondary is held above."""
    for failure_class in FailureClass:
        for wanted in WAYS:
            # Giving up is worth it where nothing else is: of what is open here nothing ever helped.
            situation = Situation(envelope=Envelope(2), simpler="x", escalated=True) if wanted == ABORT else OPEN
            cell = Cell()
            for _ in range(20):
                for way in sorted(WAYS):
                    outcomes(way, way == wanted, into=cell)
            settings = RecoverySettings(cost_manual=0.3, cost_retry=0.25, cost_cool_down=0.25)
            choices = [
                choose(failed(failure_class), situation, settings=settings, cell=cell, known=160, rng=Random(seed)).way
                for seed in range(20)
            ]
            assert choices.count(wanted) > 10, (failure_class, wanted)


def test_a_strategy_that_once_failed_is_tried_again() -> None:
    assert often(outcomes(COOLED, False), OPEN).get(COOLED, 0) > 0


def test_pins_and_bans_win_over_experience() -> None:
    cell = outcomes(RETRY, *[True] * 30)
    for seed in range(30):
        failure = failed(FailureClass.NETWORK_ERROR)
        pinned = choose(failure, OPEN, policy=Policy(MANUAL), cell=cell, known=30, rng=Random(seed))
        assert pinned.way == MANUAL
        banned = choose(failure, OPEN, policy=Policy(None, frozenset({RETRY})), cell=cell, known=30, rng=Random(seed))
        assert banned.way != RETRY


def test_a_pin_that_is_not_open_gives_way_and_the_reason_is_kept() -> None:
    situation = Situation(effect="once")
    choice = choose(failed(FailureClass.NETWORK_ERROR), situation, policy=Policy(RETRY))
    assert choice.way == ABORT
    assert "never repeated" in choice.weighed["closed"]["retry_with_delay"]


def test_the_same_try_is_decided_the_same_way_again() -> None:
    cell = outcomes(RETRY, True, False, True)
    choices = {
        choose(failed(FailureClass.UNKNOWN_ERROR), OPEN, cell=cell, known=9, rng=Random(7)).way for _ in range(9)
    }
    assert len(choices) == 1


@given(CLASSES, EFFECTS, st.integers(1, 6), st.booleans(), st.lists(st.sampled_from(["server"]), max_size=1))
def test_giving_up_is_open_in_every_situation(
    failure: FailureClass, effect: str, tries: int, over: bool, living: list[str]
) -> None:
    situation = Situation(effect=effect, tries=tries, is_over=over, living=living)
    assert ABORT not in closed(situation)
    choice = choose(failed(failure), situation)
    assert choice.way in {*WAYS} - set(closed(situation))


def test_a_plan_without_time_left_is_given_up() -> None:
    assert taken(FailureClass.PERMISSION_ERROR, Situation(is_over=True)).way == ABORT


def test_the_alternative_is_the_declared_one_and_not_the_first_other_tool() -> None:
    """TRAPS: “alternative tool” = first other tool, same params, written into step 0."""
    assert taken(FailureClass.TOOL_UNAVAILABLE, Situation(envelope=Envelope(3))).way == AGINT
    choice = taken(FailureClass.TOOL_UNAVAILABLE, Situation(envelope=Envelope(3, 3, frozenset({2}))))
    assert (choice.way, choice.alternative) == (ALTERNATIVE, 2)


def test_ways_have_words_and_names() -> None:
    assert len({way.words for way in WAYS}) == len({str(way) for way in WAYS}) == 8
    assert {way.strategy for way in WAYS} == set(Strategy)
    assert {SIMPLER, REEXTRACTED} <= set(WAYS)


def test_a_person_whose_further_try_failed_is_asked_again() -> None:
    failure = Failure(FailureClass.PERMISSION_ERROR, "403")
    choice = choose(failure, Situation(tries=2, chosen=(AGINT, MANUAL), escalated=True))
    assert choice.way == MANUAL


def test_a_pinned_way_that_is_closed_says_what_it_lacks() -> None:
    failure = Failure(FailureClass.NETWORK_ERROR, "refused")
    choice = choose(failure, Situation(envelope=Envelope(tries=3)), policy=Policy(pinned=ALTERNATIVE))
    assert choice.way == RETRY
    assert "alternative tool is pinned and not open (none is declared); primary" in choice.why


@pytest.mark.parametrize("effect", ["idempotent", "workspace", "keyed", "once"])
def test_every_effect_but_once_may_be_tried_again(effect: str) -> None:
    assert (RETRY in closed(replace(OPEN, effect=effect))) is (effect == "once")


def test_after_an_alternative_the_step_itself_is_not_tried_again() -> None:
    shut = closed(replace(OPEN, envelope=Envelope(5, 2, frozenset({1, 2}), after=1)))
    assert (shut[RETRY], shut[COOLED]) == ("an alternative is tried once",) * 2
    assert ALTERNATIVE not in shut


def test_what_is_shut_for_a_reason_of_its_own_says_that_one() -> None:
    assert closed(Situation(shut={SIMPLER: "a policy forbids it"}, simpler="x"))[SIMPLER] == "a policy forbids it"


@pytest.mark.parametrize(
    ("way", "granted", "again", "goes_on"),
    [
        (RETRY, True, False, True),
        (COOLED, True, False, True),
        (ALTERNATIVE, True, False, True),
        (ALTERNATIVE, False, False, False),
        (AGINT, True, False, False),
        (AGINT, True, True, True),
        (SIMPLER, True, False, False),
        (MANUAL, True, False, False),
        (ABORT, True, False, False),
    ],
)
def test_a_plan_goes_on_by_itself_with_what_was_granted_and_nothing_else(
    way: Way, granted: bool, again: bool, goes_on: bool
) -> None:
    assert Choice(way, 0.0, "x", is_granted=granted, tries_again=again).goes_on is goes_on
    assert Choice(RETRY, 0.0, "x").goes_on, "what was chosen is granted unless it says otherwise"


def test_alternatives_come_as_declared_those_that_were_granted_first_and_each_once() -> None:
    assert Envelope().next_alternative == Envelope(declared=2, after=2).next_alternative == (0, False)
    assert Envelope(declared=3, granted=frozenset({2, 3})).next_alternative == (2, True)
    assert Envelope(declared=3, granted=frozenset({1}), after=1).next_alternative == (2, False)


def test_where_a_step_stood_can_be_kept_and_read_again() -> None:
    now = replace(OPEN, tries=2, chosen=[RETRY, AGINT], retry_after_s=7.5)
    kept = Standing.of(now)
    assert (kept.asks, kept.tries, kept.retry_after_s) == (False, 2, 7.5)
    assert Standing.of(replace(now, envelope=Envelope(5, 1))).asks
    raw = json.loads(json.dumps(kept.to_json()))
    assert Standing.from_json(raw) == kept
    raw["shut"]["prayer"], raw["chosen"] = "no", ["prayer", *raw["chosen"]]
    assert Standing.from_json(raw) == kept, "what is no way any more is left out"
    assert choose(failed(FailureClass.NETWORK_ERROR), now).weighed["standing"] == kept.to_json()


def test_every_choice_keeps_what_was_open_with_its_chance_what_was_closed_and_how_much_was_known() -> None:
    cell = outcomes(COOLED, *[True] * 20)
    learned = choose(failed(FailureClass.RATE_LIMIT_ERROR), OPEN, cell=cell, known=20, rng=Random(3)).weighed
    assert (learned["known"], learned["closed"]) == (20, {})
    assert set(learned["open"]) == {str(way) for way in WAYS}
    assert learned["open"]["graceful_abort"] is None
    assert 0.8 < learned["open"]["retry_with_delay:cool_down"] <= 1.0
    usual = choose(failed(FailureClass.UNKNOWN_ERROR), replace(OPEN, escalated=True)).weighed
    assert usual["closed"] == {"escalate_to_agint": "AGInt has already examined it"}
    assert set(usual["open"].values()) == {None}
    for situation in (OPEN, Situation(envelope=Envelope(3, 1)), Situation(is_over=True)):
        for failure_class in FailureClass:
            assert set(taken(failure_class, situation).weighed) == {"open", "closed", "known", "standing"}


def test_what_was_learned_decides_from_so_many_outcomes_on() -> None:
    cell, enough = Cell(), int(USUAL.usual_order_up_to)
    for _ in range(30):
        for way in WAYS:
            outcomes(way, way == MANUAL, into=cell)
    failure = failed(FailureClass.NETWORK_ERROR)
    assert choose(failure, OPEN, cell=cell, known=enough - 1).way == RETRY
    assert choose(failure, OPEN, cell=cell, known=enough).way == MANUAL
    assert choose(failure, OPEN, cell=None, known=99).way == RETRY


def test_what_plans_anew_or_asks_somebody_is_done_once_for_a_step() -> None:
    for way in (SIMPLER, REEXTRACTED, AGINT):
        cell = outcomes(way, *[True] * 30)
        assert often(cell, OPEN).get(way, 0) > 100
        assert way not in often(cell, replace(OPEN, chosen=[way]))
    assert often(outcomes(RETRY, *[True] * 30), replace(OPEN, chosen=[RETRY])).get(RETRY, 0) > 100


def test_what_must_be_reviewed_costs_a_review() -> None:
    settings = RecoverySettings(cost_review=1.0, cost_manual=0.0, cost_retry=1.0, cost_cool_down=1.0, cost_agint=1.0)
    asks = replace(OPEN, envelope=Envelope(5, 1))
    for way, situation, is_taken in (
        (SIMPLER, OPEN, False),
        (REEXTRACTED, OPEN, False),
        (ALTERNATIVE, asks, False),
        (ALTERNATIVE, OPEN, True),
    ):
        cell = outcomes(way, *[True] * 30)
        chosen = choose(failed(FailureClass.NETWORK_ERROR), situation, settings=settings, cell=cell, known=30)
        assert (chosen.way == way) is is_taken


def test_a_choice_says_what_is_done_when_and_by_whose_word() -> None:
    settings = RecoverySettings(jitter=0.0)

    def why(failure_class: FailureClass, situation: Situation) -> str:
        return choose(failed(failure_class), situation, settings=settings).why

    retry = Situation(envelope=Envelope(3))
    assert why(FailureClass.NETWORK_ERROR, retry) == (
        "try 2 of 3 in 5 s, the usual delay of 5 s; primary strategy of NETWORK_ERROR"
    )
    asked = replace(retry, retry_after_s=30.0)
    assert why(FailureClass.NETWORK_ERROR, asked).startswith("try 2 of 3 in 30 s, as the server asked for 30 s; ")
    cooled = replace(retry, chosen=[RETRY], tries=2)
    assert why(FailureClass.RATE_LIMIT_ERROR, cooled).startswith(
        "try 3 of 3 in 120 s, the usual cool-down of 60 s, doubled with each failed try; secondary"
    )
    granted = Situation(envelope=Envelope(3, 1, frozenset({1})))
    said = "it was declared for exactly this step"
    whose = f"declared alternative 1, which was granted with the approval; {said}"
    assert why(FailureClass.TOOL_UNAVAILABLE, granted) == whose
    other = f"declared alternative 1 was not granted, so a person is asked; {said}"
    assert why(FailureClass.TOOL_UNAVAILABLE, Situation(envelope=Envelope(3, 1))) == other
    given_up = why(FailureClass.INVALID_PARAMETERS, Situation(chosen=[SIMPLER]))
    assert given_up == "simplified approach was tried; re-extraction of parameters: no other values were found"


def test_retrying_gives_its_turn_to_the_cool_down_only_where_that_is_the_secondary_and_open() -> None:
    tried = Situation(envelope=Envelope(3), tries=2, chosen=[RETRY])
    assert taken(FailureClass.RATE_LIMIT_ERROR, tried).way == COOLED
    assert taken(FailureClass.NETWORK_ERROR, tried).way == RETRY
    assert taken(FailureClass.RATE_LIMIT_ERROR, replace(tried, chosen=[])).way == RETRY
    assert taken(FailureClass.RATE_LIMIT_ERROR, replace(tried, shut={COOLED: "banned"})).way == RETRY


class _Sure(Cell):
    """Whatever is asked about helps in nine of ten cases: only what a way costs decides."""

    def sample(self, strategies: Sequence[str], rng: Random) -> dict[str, float]:
        return dict.fromkeys(strategies, 0.9)


@pytest.mark.parametrize(
    ("way", "asks", "is_reviewed"),
    [
        (ALTERNATIVE, True, True),
        (ALTERNATIVE, False, False),
        (SIMPLER, False, True),
        (REEXTRACTED, False, True),
        (RETRY, True, False),
        (MANUAL, True, False),
    ],
)
def test_a_review_is_paid_for_exactly_where_people_are_asked(way: Way, asks: bool, is_reviewed: bool) -> None:
    costs = dict.fromkeys([name for name in vars(USUAL) if name.startswith("cost_")], 0.3)
    settings = replace(USUAL, **{**costs, "cost_cool_down": 0.5, "cost_review": 0.4})
    standing = Standing({}, asks=asks)
    # The other way costs more than this one alone and less than this one with a review.
    chosen, _, _ = recovery._learned([way, COOLED], standing, settings, _Sure(), 99, Random(1))
    assert chosen is (COOLED if is_reviewed else way)


@pytest.mark.parametrize(
    ("wait", "said"), [(5.0, "5 s"), (11.429, "11.4 s"), (0.025, "0.025 s"), (86400.04, "86400 s")]
)
def test_a_wait_is_told_without_the_thousandths_of_its_jitter(wait: float, said: str) -> None:
    assert in_seconds(wait) == said


HOPELESS = Situation(envelope=Envelope(3), hopeless="it would fail again", asks_first=True)


@given(CLASSES, st.booleans(), st.booleans(), st.integers(0, 99))
def test_what_would_fail_in_the_same_way_is_not_tried_again_whatever_was_learned(
    failure: FailureClass, asks_first: bool, learned: bool, seed: int
) -> None:
    cell = outcomes(RETRY, *[True] * 20, into=outcomes(COOLED, *[True] * 20)) if learned else None
    situation = replace(HOPELESS, asks_first=asks_first)
    choice = choose(failed(failure), situation, cell=cell, known=40 if learned else 0, rng=Random(seed))
    assert choice.strategy is not Strategy.RETRY_WITH_DELAY
    assert choice.delay_s == 0
    assert choice.weighed["closed"]["retry_with_delay"] == "it would fail again"


@pytest.mark.parametrize("failure_class", [one for one in FailureClass if ABORT not in DEFAULTS[one]])
def test_a_person_is_asked_before_it_is_given_up_unless_something_was_approved_for_a_failure(
    failure_class: FailureClass,
) -> None:
    spent = replace(HOPELESS, simpler="x", escalated=True)
    asked = taken(failure_class, spent)
    assert asked.way == MANUAL
    if MANUAL not in DEFAULTS[failure_class]:
        given_up = taken(failure_class, replace(spent, asks_first=False))
        assert (given_up.way, given_up.why) == (ABORT, asked.why), "that a person is asked is said by the way itself"
    assert taken(failure_class, replace(spent, shut={MANUAL: "nobody is there"})).way == ABORT


def test_the_secondary_comes_at_once_and_a_pin_counts_for_more() -> None:
    declared = replace(HOPELESS, envelope=Envelope(3, 1, frozenset({1})))
    assert taken(FailureClass.TOOL_EXECUTION_ERROR, declared).way == ALTERNATIVE
    failure = failed(FailureClass.TOOL_EXECUTION_ERROR)
    assert choose(failure, HOPELESS, policy=Policy(RETRY)).way == RETRY
    assert choose(failure, HOPELESS, policy=Policy(ABORT)).way == ABORT
    assert choose(failure, HOPELESS, policy=Policy(banned=frozenset({MANUAL}))).way == ABORT


def test_what_is_hopeless_is_kept_with_where_the_step_stood_and_older_rows_have_none() -> None:
    kept = Standing.of(HOPELESS)
    assert Standing.from_json(json.loads(json.dumps(kept.to_json()))) == kept
    old = {name: value for name, value in kept.to_json().items() if name not in ("hopeless", "asks_first")}
    assert Standing.from_json(old).hopeless == ""
