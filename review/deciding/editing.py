"""Decisions other than yes or no: approving a part of a plan, or changing its values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from agents.bdi.plans import document as documents
from agents.bdi.plans import selection
from agents.bdi.plans.document import Document, IntentSpec
from agents.models import Goal, IntentPlan
from agents.plans import revisions
from agents.record.errors import StaleDigest
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft
from people.models import User
from review import words
from review.audit import decision_chain
from review.deciding import decisions, envelope
from review.errors import WordsRefused
from review.models import Decision

PLAN_AGAIN, DROP = "plan_again", "drop"


def closure(plan: IntentPlan, positions: Sequence[int]) -> tuple[int, ...]:
    """The steps that an approval of these would cover. Raises WordsRefused for an unknown position."""
    try:
        return selection.closed(documents.read(bytes(plan.document)), positions)
    except ValueError as error:
        raise WordsRefused("intents", f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def approve_part(
    plan: IntentPlan,
    *,
    by: User,
    digest: str,
    intents: Sequence[int],
    reason: str = "",
    rest: str = PLAN_AGAIN,
    comment: str = "",
    via: str = "browser",
    tries: int = envelope.USUAL_TRIES,
    alternatives: Collection[envelope.Alternative] = (),
) -> IntentPlan:
    """Approve these steps and those they depend on, as a revision with exactly them; returns that revision.

    The other steps get a recorded result. They are planned again with `reason`, or dropped, as `rest` says. All steps
    is the ordinary approval. Raises WordsRefused, PlanInvalid, and as `decisions.approve` does.
    """
    decisions.check_rights(by, plan)
    if digest != plan.digest:
        # A part belongs to the plan that was read, so another digest is refused before anything is checked.
        raise StaleDigest("This is not the digest of the plan that awaits a decision. Read the plan again.")
    approve = partial(decisions.approve, by=by, comment=comment, via=via, tries=tries)
    chosen = closure(plan, intents)
    document = documents.read(bytes(plan.document))
    if not chosen:
        raise WordsRefused("intents", "Choose at least one step, or reject the plan.")
    if len(chosen) == len(document.intents):
        return approve(plan, digest=digest, alternatives=alternatives)
    why = words.taken(reason, "reason", required=True)
    if rest not in (PLAN_AGAIN, DROP):
        raise WordsRefused("rest", "The other steps are planned again (plan_again), or dropped (drop).")
    envelope.granted(tries)  # refused before anything changes
    envelope.check_declared(document, alternatives)
    # Positions change in the revision; alternatives of steps that are left out are dropped.
    moved = [(chosen.index(position) + 1, number) for position, number in alternatives if position in chosen]
    left_out = [_left_out(spec, why, by) for spec in document.intents if spec.position not in chosen]
    made: list[IntentPlan] = []

    def record(old: IntentPlan, revision: IntentPlan) -> None:
        _check_models(document, chosen, revision)
        revisions.leave_out(old, revision, left_out, rest=rest)
        edits = {"from_revision": old.revision, "from_digest": old.digest, "left_out": left_out, "rest": rest}
        made.append(approve(revision, digest=revision.digest, alternatives=moved, edits=edits))

    revisions.revise(
        plan,
        digest=digest,
        by=by,
        make=lambda read: _part(read, chosen),
        why=f"approved in part by {by.username}: steps {', '.join(map(str, chosen))}",
        record=record,
        writes=False,
    )
    return made[0]


def _part(document: Document, chosen: Sequence[int]) -> PlanDraft:
    try:
        return selection.part(document, chosen, tools_in_use())
    except ValueError as error:
        raise WordsRefused("intents", f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def _check_models(document: Document, chosen: Sequence[int], revision: IntentPlan) -> None:
    """Checks that the part asks exactly the language models shown on the page, because it is approved as it is made."""
    made = documents.read(bytes(revision.document)).intents
    for position, spec in zip(chosen, made, strict=True):
        then = document.at(position)
        if [one.asks for one in (then, *then.alternatives)] != [one.asks for one in (spec, *spec.alternatives)]:
            raise WordsRefused(
                "intents",
                f"Step {position} would ask another language model than this page says, because the configuration has "
                "changed. Nothing was approved. Send the plan back: the new revision shows where its text goes.",
            )


def _left_out(spec: IntentSpec, reason: str, by: User) -> dict[str, Any]:
    return {
        "position": spec.position,
        "tool": spec.tool,
        "command": spec.command,
        "params": dict(spec.params),
        "sentence": spec.sentence,
        "reason": reason,
        "by": by.username,
    }


def edit(
    plan: IntentPlan, *, by: User, digest: str, position: int, params: Mapping[str, Any], via: str = "browser"
) -> IntentPlan:
    """Change the values of a step; see `edit_steps`. `params` are all of the step's values."""
    return edit_steps(plan, by=by, digest=digest, params={position: params}, via=via)


def edit_steps(
    plan: IntentPlan, *, by: User, digest: str, params: Mapping[int, Mapping[str, Any]], via: str = "browser"
) -> IntentPlan:
    """Change values of steps: makes a new revision, checked at once, that awaits a decision.

    `params` has all values of each step, by position. The planner keeps them when the goal is planned again.
    Raises WordsRefused when nothing changes, PlanInvalid, StaleDigest, DecisionRefused.
    """
    decisions.check_rights(by, plan, edits=True)
    specs = {spec.position: spec for spec in documents.read(bytes(plan.document)).all_intents}
    if unknown := sorted(params.keys() - specs.keys()):
        raise WordsRefused("intent", f"The plan has no step {unknown[0]}.")
    # As in a plan by hand: missing values are defaults, and the document marks them as such.
    values = {
        at: {**tools_in_use().command(specs[at].tool, specs[at].command).defaults(), **params[at]} for at in params
    }
    changed = {at: found for at in sorted(values) if (found := selection.changes(specs[at], values[at]))}
    if not changed:
        raise WordsRefused("params", "Nothing was changed: the step already has these values.")
    wishes = [wish for at, found in changed.items() for wish in _wishes(specs[at], found, by)]

    def record(old: IntentPlan, revision: IntentPlan) -> None:
        revisions.keep_wishes(Goal.objects.get(pk=old.goal_id), wishes)
        for at, found in changed.items():
            edits = {
                "position": at,
                "to_revision": revision.revision,
                "to_digest": revision.digest,
                "changes": {name: [before, after] for name, (before, after) in found.items()},
            }
            decision_chain.add(old, Decision.Verdict.EDIT, digest=old.digest, by=by, via=via, comment="", edits=edits)

    positions = ", ".join(map(str, changed))
    steps = f"step {positions} was" if len(changed) == 1 else f"steps {positions} were"
    return revisions.revise(
        plan,
        digest=digest,
        by=by,
        make=lambda read: selection.edited(read, {at: values[at] for at in changed}, by.username, tools_in_use()),
        why=f"step {steps} was edited by {by.username}"
        if len(changed) == 1
        else f"edited by {by.username}: steps {steps}",
        record=record,
    )


def _wishes(spec: IntentSpec, changed: Mapping[str, tuple[Any, Any]], by: User) -> list[dict[str, Any]]:
    """What an edit of a step requires of later plans, in the format of `Goal.wishes`."""
    return [
        {
            "tool": spec.tool,
            "command": spec.command,
            "parameter": name,
            "original": _planned(spec, name, before),
            "value": after,
            "by": by.username,
        }
        for name, (before, after) in changed.items()
    ]


def _planned(spec: IntentSpec, name: str, before: Any) -> Any:
    """The planner's original values, if a person has edited them before."""
    held = next((one for one in spec.parameters if one.name == name), None)
    return held.original if held is not None and held.origin == "person" else before
