"""What an ended goal taught, in the words of an experience. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.outcome.outcome import MISSED, Outcome
from agents.bdi.outcome.worked import goal_worked, plan_worked
from agents.bdi.recovery.strategies import way_named
from agents.states import GoalState

OUTPUT_MAX = 1_500
SAID_MAX = 500
# So many of the last steps that left something are told of.
LAST_STEPS = 3
# So many beliefs are looked at; so many of those that say something about the task are told.
BELIEFS_MAX = 40
_KNOWN_MAX = 12
# So many steps are told in their own words, each cut there.
STEPS_MAX, SENTENCE_MAX = 8, 160
RECOVERIES_MAX = 20
_EDITS_MAX, _VALUE_MAX = 10, 120
# What is so for every goal of a machine, and so tells nothing of this one.
_OF_THE_MACHINE = re.compile(
    r"The (?:programs?|tools?) |The sandbox level|The program |Python |A language model is available"
    r"|Autonomous mode is off|A virtual environment is not active|You are in the (?:workspace's )?root"
)


@dataclass(frozen=True)
class Revision:
    """The newest plan that was proposed for the goal, whatever became of it.

    `rule`: the evidence of the rule it was made by, if it was. `main`: its steps as `tool.command`, in order.
    `tools`: those of its clean-up too. `worked`: any main step succeeded. `printed`: the ends of what its last main
    steps printed, the last one first. `steps`: the sentences of its first main steps. `source`: who made it, a
    `Plan.Source`, and `model` which one where it was a model. `workflow`: the version of one that it was made of.
    """

    id: int
    state: str
    rule: Mapping[str, Any]
    main: Sequence[str]
    tools: Sequence[str]
    worked: bool
    printed: Sequence[str]
    steps: Sequence[str] = ()
    source: str = ""
    model: str = ""
    workflow: int | None = None


@dataclass(frozen=True)
class Recovery:
    """A failure on the way and what was done about it. `overtaken_by`: what was chosen next, when it did not help."""

    id: int
    stage: str
    position: int
    tool: str
    command: str
    failure_class: str
    reason: str
    strategy: str
    variant: str
    why: str
    overtaken_by: str
    succeeded: bool | None

    @property
    def words(self) -> str:
        """The strategy, for people."""
        return _way_words(f"{self.strategy}:{self.variant}" if self.variant else self.strategy)


@dataclass(frozen=True)
class Ended:
    """An ended goal as the tables have it.

    `outcome`: what came of it, where its plan ran to its end. `moves`: who moved its plans to where, and why. `tries`:
    the outcome of every try; `failure`: the class of the last failed one, and `error` what it was, where nothing got
    past it. `asked`: a person was asked to repair a step. `revisions`: how many were proposed; `revision` is the
    newest. `edits`: values that people put in, as `Goal.wishes` has them. `whole`: the text of the goal that this one
    is a part of, "" where it is none's or somebody else's.
    """

    text: str
    state: str
    reason: str
    agent: str
    workspace: str
    beliefs: Sequence[str]
    moves: Sequence[tuple[str, str, str]]
    tries: int
    failure: str
    revisions: int
    revision: Revision | None
    outcome: str = ""
    edits: Sequence[Mapping[str, Any]] = ()
    whole: str = ""
    is_part: bool = False
    error: str = ""
    asked: bool = False
    recoveries: Sequence[Recovery] = ()

    @property
    def was_changed(self) -> bool:
        """Whether more than one plan was proposed for it."""
        return self.revisions > 1


def experience_of(goal: Ended) -> dict[str, Any]:
    """The fields of the experience that are made of what happened."""
    revision = goal.revision
    return {
        "kind": "sub_goal" if goal.is_part else "goal",
        "primary_goal_description": goal.whole or goal.text,
        "sub_task_description": _task(goal),
        "initiating_agent_id": goal.agent,
        "involved_components": _components(revision) if revision else [],
        "input_context_summary": _context(goal),
        "key_decisions_made": [*_choice(revision), *(_move(*move) for move in goal.moves), *_edited(goal.edits)],
        "final_outcome": _outcome(goal),
        "output_summary": _output(goal),
        "feedback_signals": _signals(goal),
        "workflow_id": str(revision.id) if revision else "",
        "tags": [goal.workspace],
    }


def recoveries_of(goal: Ended) -> list[dict[str, Any]]:
    """The fields of one experience for each failure on the way: what failed, what was done, whether it helped."""
    return [_recovery(goal, one) for one in goal.recoveries]


def _recovery(goal: Ended, failed: Recovery) -> dict[str, Any]:
    what = f"step {failed.position} ({failed.tool}.{failed.command})" if failed.tool else "planning"
    outcome, came = _came_of(failed)
    return {
        "kind": "recovery",
        "part": f"recovery {failed.id}",
        "primary_goal_description": goal.whole or goal.text,
        "sub_task_description": f"Recover from a failure of {what}.",
        "initiating_agent_id": goal.agent,
        "involved_components": [f"tool {failed.tool}"] if failed.tool else [],
        "input_context_summary": _sentence(f"It failed with {failed.failure_class}: {failed.reason}"),
        "key_decisions_made": [_sentence(f"Chose {failed.words}" + (f" because {failed.why}" if failed.why else ""))],
        "final_outcome": outcome,
        "output_summary": came,
        "feedback_signals": {"error_type": failed.failure_class, "strategy": failed.strategy},
        "workflow_id": str(goal.revision.id) if goal.revision else "",
        "tags": [goal.workspace],
    }


def _came_of(failed: Recovery) -> tuple[str, str]:
    """How a recovery ended, and in a sentence."""
    if failed.succeeded:
        return "success", f"It helped: the step succeeded after {failed.words}."
    if failed.overtaken_by:
        return "failure", f"{_capital(failed.words)} did not help; {_way_words(failed.overtaken_by)} was tried next."
    if failed.succeeded is None:
        return "unchecked", f"The goal ended before {failed.words} had shown whether it helps."
    return "failure", f"{_capital(failed.words)} did not help."


def _way_words(name: str) -> str:
    way = way_named(name)
    return way.words if way else name.replace("_", " ").replace(":", ", ")


def used_version(goal: Ended) -> tuple[int, bool] | None:
    """The version of the rule or workflow whose record counts the goal's plan, and whether it worked; else None.

    A rejected plan says nothing about whether its rule works. One of which nothing could be checked counts by its
    steps, as it did before there were checks.
    """
    if (revision := goal.revision) is None:
        return None
    asked = goal.asked or _skipped_what_failed(goal)
    worked = plan_worked(revision.state, goal.state, goal.outcome, failed=bool(goal.error), asked=asked)
    version = version_in(revision.rule, revision.workflow)
    return (version, worked) if version is not None and worked is not None else None


def version_in(rule: Mapping[str, Any] | None, workflow: int | str | None) -> int | None:
    """The version of a rule, by its evidence, or of a workflow that a plan was made with."""
    version = (rule or {}).get("component_version_id") or (rule or {}).get("version_id") or workflow
    return int(version) if version else None


def _skipped_what_failed(goal: Ended) -> bool:
    """Whether the goal counts as achieved only because a person skipped what had failed: none of its steps succeeded.

    Where nothing failed, the steps were skipped by their own conditions: there was nothing to do.
    """
    if goal.state != GoalState.ACHIEVED or goal.revision is None:
        return False
    return not goal.revision.worked and bool(goal.failure)


def _task(goal: Ended) -> str:
    """What was to be done: of a sub-goal its own words, then the plan's steps as its reviewer read them."""
    steps = goal.revision.steps if goal.revision else ()
    more = len(goal.revision.main) - len(steps) if goal.revision else 0
    told = " ".join(_sentence(_capital(_line(one))) for one in steps)
    if more > 0:
        told += f" And {more} more step{'s' if more > 1 else ''}."
    return "\n".join(filter(None, [_line(goal.text) if goal.is_part else "", told]))


def _context(goal: Ended) -> str:
    """What was known when it began, without what is so for every goal of this machine."""
    told = [_line(one) for one in goal.beliefs if not _OF_THE_MACHINE.match(one)]
    return " ".join(_sentence(one) for one in told[:_KNOWN_MAX])


def _choice(revision: Revision | None) -> list[str]:
    """Who made the plan, and why it was this one."""
    if revision is None or not revision.source:
        return []
    if revision.source == "rule":
        name = f"{revision.rule.get('name', '')} {revision.rule.get('version', '')}".strip()
        return [
            f"Planned by the rule {name}, because it applied." if name else "Planned by a rule, because it applied."
        ]
    why = {
        "model": f"Planned by the model {revision.model}, because no rule made a plan.",
        "person": "Planned by a person.",
        "recovery": "Planned again after a failure.",
        "understanding": "Planned from the goal's own words, because no rule made a plan.",
    }
    return [why.get(revision.source, f"Planned by {revision.source}.")]


def _move(new: str, by: str, reason: str) -> str:
    done = {"approved": "approved the plan", "rejected": "rejected the plan", "superseded": "had the plan replaced"}
    return _sentence(f"{by} {done.get(new, new)}" + (f": {_line(reason)}" if reason else ""))


def _edited(edits: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one.get('by', '')} set {one.get('parameter')} of {one.get('tool')}.{one.get('command')}"
        f" to {_line(str(one.get('value')))[:_VALUE_MAX]} in place of {_line(str(one.get('original')))[:_VALUE_MAX]}."
        for one in edits[:_EDITS_MAX]
    ]


def _signals(goal: Ended) -> dict[str, Any]:
    """The last verdict of people, what they changed, and figures. A rating by a person is a row of its own."""
    verdicts = [new for new, _, _ in goal.moves if new in ("approved", "rejected")]
    return {
        "revisions": goal.revisions,
        "tries": goal.tries,
        "error_type": goal.failure,
        "verdict": verdicts[-1] if verdicts else "",
        "edits": len(goal.edits),
        "correction_needed": bool(goal.edits) or "rejected" in verdicts,
    }


def _line(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _components(revision: Revision) -> list[str]:
    rule = revision.rule
    named = [f"rule {rule['name']} {rule.get('version', '')}".strip()] if rule.get("name") else []
    return [*named, *sorted({f"tool {tool}" for tool in revision.tools})]


def _outcome(goal: Ended) -> str:
    if goal.state == GoalState.ACHIEVED:
        if goal.outcome in MISSED:
            return "failure"
        if _skipped_what_failed(goal):
            return "partial_success"
        return "success" if goal.outcome == Outcome.ACHIEVED else "unchecked"
    if goal_worked(goal.state, goal.outcome, failed=bool(goal.error)) is None:
        return "abandoned"
    return "partial_success" if goal.revision is not None and goal.revision.worked else "failure"


def _output(goal: Ended) -> str:
    """How it ended in words: the reason, the error that came before it, then the ends of what the last steps printed.

    Whoever cancels a goal gives another reason than the error for which it was cancelled.
    """
    told = [goal.reason, goal.error if goal.state == GoalState.DROPPED and goal.error not in goal.reason else ""]
    printed = [text.strip()[-SAID_MAX:] for text in (goal.revision.printed if goal.revision else ())]
    return "\n".join([*filter(None, [*told, *printed])])[:OUTPUT_MAX]
