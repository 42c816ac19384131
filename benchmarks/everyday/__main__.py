"""`make bench-everyday`: sixty everyday goals in three phrasings each, planned without a model and carried out.

Each phrasing is submitted over a workspace of its own, planned as a worker plans it, approved, run in the jail, and its
files and results are checked. What is asked on the way is answered once, as a sensible user would: by the goal's
`answer`, or by the first choice. The third phrasing is held back: of it only counts are shown.
"""

from __future__ import annotations

import argparse
import io
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from benchmarks.everyday import checks, worlds
from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.models import Goal
    from people.models import User

HELD_OUT = 3
AT_ONCE, ASKED, NOT = "at once", "after one question", "not"
_OUTCOMES = (AT_ONCE, ASKED, NOT)
_TURNS = 6


@dataclass(frozen=True)
class Came:
    """What became of one phrasing of a goal. `why`: what was wrong, or why there was no plan."""

    case: str
    subject: str
    phrasing: int
    said: str
    outcome: str
    why: str = ""


def main() -> None:
    """Run what was asked for and print the tables."""
    asked = _asked()
    data = yaml.safe_load((Path(__file__).parent / "goals.yaml").read_text())
    cases = [case for case in data["goals"] if not asked.goal or case["id"] in asked.goal]
    began = time.monotonic()
    with database():
        logging.disable(logging.ERROR)
        from django.core.management import call_command

        from people.models import User

        call_command("load_starters", stdout=io.StringIO())
        sue = User.objects.create_user("sue", roles=["submitter"])
        rob = User.objects.create_user("rob", roles=["reviewer"])
        came = [
            _came(case, number, data["worlds"][case["world"]], sue, rob, asked)
            for case in cases
            for number in asked.phrasing or (1, 2, HELD_OUT)
        ]
    say("\n".join(table(came)))
    say(f"{len(came)} goals in {time.monotonic() - began:.0f} s")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goal", action="append", help="the id of a goal; several are allowed")
    parser.add_argument("--phrasing", action="append", type=int, choices=(1, 2, HELD_OUT))
    parser.add_argument(
        "--show", action="store_true", help="each goal with what became of it; never held-out phrasings"
    )
    asked = parser.parse_args()
    if asked.show and HELD_OUT in (asked.phrasing or (HELD_OUT,)):
        parser.error("what becomes of held-out phrasings is not shown; add --phrasing 1 --phrasing 2")
    return asked


def _came(case: Mapping[str, Any], number: int, world: worlds.World, sue: User, rob: User, asked: Any) -> Came:
    said = case["said"][number - 1]
    outcome, why = _reached(case, said, worlds.lay(world, f"{case['id']}-{number}", sue), sue, rob)
    if asked.show:
        say(f"{case['id']:<18} {number} {outcome:<18} {said}{f'  ({why[:300]})' if why else ''}")
    return Came(case["id"], case["subject"], number, said, outcome, why)


def _reached(case: Mapping[str, Any], said: str, workspace: Any, sue: User, rob: User) -> tuple[str, str]:
    from agents.cycle import cycle
    from agents.goals import goals
    from agents.planning import answers
    from agents.record.errors import AgentsError

    start = workspace.head
    goal = goals.submit(by=sue, text=said, workspace=workspace)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    outcome = AT_ONCE
    if (questions := answers.open_questions(goal)) is not None:
        outcome = ASKED
        replies = [_reply(case, question) for question in questions.questions]
        try:
            answers.answer(goal, replies, by=sue)
        except AgentsError as error:
            return NOT, f"{goal.reason}: {error}"
        goal.refresh_from_db()
    if (wrong := _carried_out(goal, rob)) or (wrong := "; ".join(_faults(case, goal, start))):
        return NOT, wrong
    return outcome, ""


def _reply(case: Mapping[str, Any], question: Any) -> Any:
    from agents.planning.answers import Reply

    if question.parameter and "answer" in case:
        return Reply(value=case["answer"])
    return Reply(choice=1) if question.choices else Reply(value=case.get("answer", ""))


def _carried_out(goal: Goal, rob: User) -> str:
    """Approve the plan and run it; why it was not achieved, "" where it was."""
    from agents.cycle import cycle
    from agents.record.selectors import current_plan
    from review.deciding import decisions

    for _ in range(_TURNS):
        plan = current_plan(goal)
        if goal.state == "awaiting_review" and plan is not None:
            decisions.approve(plan, by=rob, digest=plan.digest, via="api")
        elif goal.state not in ("pending", "recovering", "executing"):
            break
        type(goal).objects.filter(pk=goal.pk).update(wake_at=None)
        cycle.work(goal.pk)
        goal.refresh_from_db()
    return "" if goal.state == "achieved" else f"{goal.state}: {goal.reason}"


def _faults(case: Mapping[str, Any], goal: Goal, start: str) -> list[str]:
    from agents.models import Attempt
    from agents.toolkit.registry import tools_in_use
    from agents.workspaces.stores import store

    answers = []
    for one in Attempt.objects.filter(intent__intent_plan__goal=goal, outcome="succeeded").select_related("intent"):
        command = tools_in_use().command(one.intent.tool, one.intent.command)
        answers.append({key: (one.result or {}).get(key) for key in command.result_keys})
    goal.workspace.refresh_from_db()
    with tempfile.TemporaryDirectory(prefix="everyday-") as folder:
        root, before = Path(folder) / "now", Path(folder) / "before"
        store().checkout(goal.workspace.head, root)
        store().checkout(start, before)
        return checks.faults(case, root, before, answers)


def table(came: Sequence[Came]) -> Iterator[str]:
    """Reached at once, after one question, not: by phrasing and by subject, the held-out phrasing by itself."""
    yield "| what | n | at once | after one question | not |"
    yield "|---|---|---|---|---|"
    names = {1: "first phrasing", 2: "second phrasing", HELD_OUT: "third phrasing, held out"}
    for number, name in names.items():
        yield from _row(name, [one for one in came if one.phrasing == number])
    for subject in dict.fromkeys(one.subject for one in came):
        seen = [one for one in came if one.subject == subject]
        yield from _row(f"{subject}, phrasings 1 and 2", [one for one in seen if one.phrasing != HELD_OUT])
        yield from _row(f"{subject}, held out", [one for one in seen if one.phrasing == HELD_OUT])


def _row(name: str, rows: Sequence[Came]) -> Iterator[str]:
    if rows:
        counts = Counter(one.outcome for one in rows)
        shares = " | ".join(f"{counts[outcome]} ({counts[outcome] / len(rows):.0%})" for outcome in _OUTCOMES)
        yield f"| {name} | {len(rows)} | {shares} |"


def say(text: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
