"""The timeline shows everything that happened, in order, and nothing that did not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agents.presentation import timeline
from agents.presentation.timeline import Mending, Move, Revision, Step, Try

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


FAILED = Try(1, at(10), at(16.2), "failed", "RATE_LIMIT_ERROR", "the index answered 429")
MENDED = replace(FAILED, mending=Mending("retry_with_delay", "it is only busy", 5.0, None))
STEPS = (
    Step(
        1,
        "main",
        "activate_venv",
        "activate the environment",
        "succeeded",
        tries=(Try(1, at(5), at(5.04), "succeeded"),),
    ),
    Step(2, "main", "run", "run pip install httpx", "running", tries=(MENDED, Try(2, at(21)))),
    Step(3, "main", "run", "run python", "pending"),
    Step(4, "cleanup", "rm", "remove the folder", "pending"),
)
MOVES = (
    Move(at(1), "pending", "planning", "bdi_agent"),
    Move(at(2), "planning", "awaiting_review", "bdi_agent"),
    Move(at(4), "awaiting_review", "approved", "nadia", "", 1),
)
REVISION = Revision(1, "executing", "rule", STEPS, at(2), rule="install a package", address="/review/1/")


def built(revision: Revision = REVISION, moves: tuple[Move, ...] = MOVES) -> list[timeline.Node]:
    return timeline.build(START, "Tomas", moves, [revision], beliefs=11)


def test_things_stand_in_the_order_they_happened_and_what_is_to_come_stands_last() -> None:
    titles = [node.who + " " + node.title for node in built()]
    assert titles == [
        "Tomas submitted the goal",
        " Perceived the workspace",
        " Planned by rule",
        "nadia approved all 3 steps",
        " activate the environment",
        " run pip install httpx",
        " run python",
    ]
    assert built()[-1].todo


def test_how_many_beliefs_are_held_now_stands_at_the_last_look_only() -> None:
    again = (*MOVES, Move(at(5), "manual", "planning", "bdi_agent"))
    looks = [node.detail for node in built(moves=again) if node.title == "Perceived the workspace"]
    assert looks == ["", "11 beliefs held now"]


def test_every_try_stands_under_its_intent_with_its_class_and_recovery() -> None:
    node = built()[5]
    assert [(line.title, line.said, line.look) for line in node.tries] == [
        ("Try 1", "failed after 6.2 s", "bad"),
        ("Recovery", "retry with delay, 5 s", "mend"),
        ("Try 2", "runs", "now"),
    ]
    assert node.tries[0].detail == "rate limit error: the index answered 429"
    assert node.tone == "n-clay"


def test_clean_up_that_was_not_needed_is_not_told() -> None:
    assert "remove the folder" not in [node.title for node in built()]
    needed = replace(STEPS[3], state="succeeded", tries=(Try(1, at(30), at(31), "succeeded"),))
    node = built(replace(REVISION, steps=(*STEPS[:3], needed)))[-2]
    assert (node.title, node.marks) == ("remove the folder", ("clean-up",))


def test_a_lost_worker_and_a_failed_sandbox_are_not_failed_steps() -> None:
    said = {outcome: timeline._TRY_LOOKS[outcome][2] for outcome in ("lost", "unavailable")}
    assert "lost with its worker" in said["lost"]
    assert "the sandbox failed, not the step" in said["unavailable"]


def test_what_a_person_said_of_a_step_stands_under_it_and_a_lost_try_is_no_success() -> None:
    lost = Try(1, at(5), at(20.3), "lost", "", "worker w-1 did not come back")
    said = replace(STEPS[0], reason="olga says: it took effect", tries=(lost,))
    skipped = replace(STEPS[1], state="skipped", reason="skipped by rita", tries=(FAILED,))
    failed = replace(STEPS[1], state="failed", reason="rate limit error: the index answered 429", tries=(FAILED,))
    of_said, of_skipped = built(replace(REVISION, steps=(said, skipped)))[4:]
    assert (of_said.detail, of_said.tries[0].said) == (
        "olga says: it took effect",
        "was lost with its worker after 15.3 s",
    )
    assert of_skipped.detail == "skipped by rita"
    assert built(replace(REVISION, steps=(failed,)))[4].detail == "", "its try says so already"


def test_steps_of_an_ended_plan_are_not_announced_as_coming() -> None:
    assert not any(node.todo for node in built(replace(REVISION, state="superseded")))


def test_reasons_that_are_words_of_the_code_are_said_as_words() -> None:
    moves = (Move(at(3), "planning", "manual", "bdi_agent", "no_applicable_rule"),)
    node = built(replace(REVISION, steps=()), moves)[-1]
    assert node.detail == "no applicable rule"


def test_a_question_is_told_by_its_sentence_alone() -> None:
    moves = (Move(at(3), "planning", "manual", "bdi_agent", "question_open: Which folder is meant?"),)
    assert built(replace(REVISION, steps=()), moves)[-1].detail == "Which folder is meant?"


def test_what_the_agent_ends_is_not_told_as_a_persons_deed() -> None:
    claimed = Move(at(5), "approved", "executing", "host-7", "", 1)
    stopped = Move(at(40), "executing", "superseded", "host-8", "step 2 failed: step 2 is left out", 1)
    waited = Move(at(41), "awaiting_review", "superseded", "bdi_agent", "a belief was denied", 1)
    taken_over = replace(STEPS[1], tries=(MENDED, Try(2, at(21), at(22), "failed", worker="host-8")))
    ends = built(replace(REVISION, steps=(taken_over,)), (claimed, stopped, waited))[-2:]
    assert [(node.who, node.title, node.tone, node.detail) for node in ends] == [
        ("", "The agent stopped the plan", "n-mind", "step 2 failed: step 2 is left out"),
        ("", "The agent withdrew the plan", "n-mind", "a belief was denied"),
    ]


def test_a_worker_that_never_claimed_a_plan_is_not_told_as_a_person_who_replaced_it() -> None:
    moved = Move(at(5), "approved", "superseded", "host-9", "the workspace changed after the approval", 1)
    node = next(node for node in built(moves=(moved,)) if node.detail == moved.reason)
    assert (node.who, node.title, node.tone) == ("", "The agent withdrew the plan", "n-mind")
    sent_back = Move(at(5), "awaiting_review", "superseded", "olga", "changes requested: shorter", 1)
    assert "olga" in [node.who for node in built(moves=(sent_back,))]


def test_a_person_who_ends_a_plan_is_named() -> None:
    moves = (
        Move(at(5), "approved", "executing", "host-7", "", 1),
        Move(at(40), "executing", "superseded", "olga", "fixed", 1),
    )
    assert (built(moves=moves)[-2].who, built(moves=moves)[-2].title) == ("olga", "replaced the plan")


def test_the_rest_of_a_persons_plan_that_the_agent_asks_about_is_not_told_as_written_by_somebody() -> None:
    rest = replace(REVISION, number=2, source="person", rule="", is_rest=True, steps=())
    told = [(node.who, node.title) for node in timeline.build(START, "Tomas", (), [rest], beliefs=0)]
    assert told[-1] == ("", "The agent sent the rest of the plan to review")
    fixed = replace(rest, written_by="olga")
    told = [(node.who, node.title) for node in timeline.build(START, "Tomas", (), [fixed], beliefs=0)]
    assert told[-1] == ("olga", "sent the rest of the plan to review")
