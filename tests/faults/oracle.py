"""What must hold after every fault, whatever it was. Reads the tables and the outside world, never the pages."""

from __future__ import annotations

from itertools import pairwise

from tests.faults.ledger import Ledger
from tests.faults.system import Written, rows
from tests.whole.started import Whole

PLAN_ENDED = "('complete','failed','rejected','superseded','expired','cancelled')"


def everything_holds(whole: Whole, done: Written, book: Ledger) -> None:
    """The plan is complete, and each of its steps counted once: in the tables, in the files and outside."""
    at_most_once(whole, done.goal)
    intents = rows(
        whole,
        "SELECT intent.position, intent.state FROM agents_intent intent"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id WHERE plan.goal_id = %s ORDER BY 1",
        int(done.goal),
    )
    assert intents == [(number, "succeeded") for number in range(1, len(done.letters) + 1)], whole.log(done.goal)
    assert whole.goal(done.goal)["state"] == "achieved"
    assert whole.file(done.goal, "bytes") == done.letters.encode(), "each step appends exactly one byte"
    assert book.effects(f"{done.prefix}.") == {done.key(number) for number, _ in intents}


def at_most_once(whole: Whole, *goals: str) -> None:
    """For any goals that have ended: one end for each plan, one counted try for each step, and none by an old fence."""
    numbers = [int(goal) for goal in goals]
    ends = rows(
        whole,
        "SELECT plan.id, plan.state, (SELECT count(*) FROM agents_transition moved"
        f"   WHERE moved.intent_plan_id = plan.id AND moved.new IN {PLAN_ENDED})"
        " FROM agents_intentplan plan WHERE plan.goal_id = ANY(%s)",
        numbers,
    )
    assert [one for one in ends if one[2] != 1] == [], "one terminal state for each plan"
    tries = rows(
        whole,
        "SELECT plan.id, intent.position, intent.state, attempt.number, attempt.fence, attempt.outcome,"
        " attempt.finished FROM agents_attempt attempt JOIN agents_intent intent ON intent.id = attempt.intent_id"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id WHERE plan.goal_id = ANY(%s)"
        " ORDER BY plan.id, intent.position, attempt.number",
        numbers,
    )
    assert all(one[6] is not None for one in tries), f"no try is left open: {tries}"
    counted = [one[:2] for one in tries if one[5] in ("succeeded", "skipped")]
    assert len(counted) == len(set(counted)), f"finished intents are distinct intents: {tries}"
    for before, after in pairwise(tries):
        if before[0] != after[0]:
            continue
        assert before[4] <= after[4], f"fences only rise: {tries}"
        if before[1] == after[1]:
            assert before[5] not in ("succeeded", "skipped"), f"nothing runs again once it counted: {tries}"
            if before[5] == "lost":
                assert before[4] < after[4], f"what follows a lost try has a newer fence: {tries}"
    gaps = rows(
        whole,
        "SELECT goal_id, count(*), max(number) FROM agents_logline WHERE goal_id = ANY(%s)"
        " GROUP BY 1 HAVING count(*) <> max(number)",
        numbers,
    )
    assert gaps == [], "no log has a gap"
