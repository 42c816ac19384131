"""Everything that the plan page shows, read from the document's bytes and related rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents.actors import models_in_use
from agents.bdi.forecast import outcome_checks
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.components import made_tools
from agents.components.made_tools import Behind
from agents.execution import goal_network
from agents.execution.goal_network import StepNetwork
from agents.models import IntentPlan, Transition
from agents.pages.library import flow_page
from agents.plans import footings, outcome_evaluation, renewals
from agents.presentation import hidden, outcome_words
from agents.record import authors
from agents.states import PlanState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable
from people.models import User
from review import rights
from review.deciding import held_decisions, rounds
from review.deciding.history import (
    Familiar,
    Precedent,
    Receipt,
    edits_into,
    familiar,
    helpful,
    precedents,
    readable,
    receipts,
)
from review.deciding.rounds import Rounds
from review.entries import dangers
from review.levels import page
from review.levels.page import BehindPlan
from review.models import Decision, HeldDecision, PlanRisk
from review.plan_page import delta, shadow_run
from review.plan_page.delta import Delta
from review.plan_page.reasons import Reason, TaughtValue, reasons, taught_values
from review.plan_page.rows import Row
from review.plan_page.shadow_run import ShadowView
from review.policies.on_plan_page import Policed, policed
from review.queue import listing
from review.reading import anchors, changes, evidence, likeness, origins, remembered, steps, ticks
from review.reading.changes import Changes
from review.reading.danger import Danger, Told
from review.reading.evidence import Contradicted
from review.reading.filters import EVERYTHING, Filters
from review.reading.limits import Limited, limits_of
from review.reading.origins import Source
from review.reading.remembered import Remembered
from review.reading.steps import ShownText, Step
from review.reading.ticks import Tick
from review.risk.assessment import Level
from review.talk import threads
from review.talk.threads import Talk
from review.teaching import lessons as teaching
from review.teaching.lessons import Edit

SHOWN_REVISIONS = 4
LONGEST_TITLE = 240
# Larger files are only named with their size; nobody reads more than this on one page.
MOST_SHOWN_BYTES = 256 * 1024


@dataclass(frozen=True)
class PlanView:
    """One plan as the page shows it. `document` is None when the stored bytes cannot be read."""

    plan: IntentPlan
    document: Document | None
    digest_now: str
    steps: tuple[Step, ...]
    changes: Changes | None
    shadow: ShadowView | None
    delta: Delta | None
    base_problem: str
    # What of its files is not as it was when it was tried.
    moved: tuple[str, ...]
    reasons: list[Reason]
    precedents: list[Precedent]
    # An approved plan with the same steps; what is the same is then folded.
    familiar: Familiar | None
    # Otherwise a plan with the same steps that met other files.
    same_steps: Familiar | None
    # Whether that met the same contents; it deletes them then.
    same_contents: bool
    talk: Talk
    rounds: Rounds
    # Whether a language model reads requests for changes; rules alone do not.
    reads_comments: bool
    receipts: list[Receipt]
    # Who had a say in what the agent did that asked for it, or wrote the workflow that it is made of.
    with_a_say: list[User]
    revisions: list[IntentPlan]
    refusal: str
    refuses_edit: str
    ended_by: Transition | None
    network: list[StepNetwork]
    previous: int | None
    following: int | None
    # The filter for these two; without one they are among all waiting plans.
    among: Filters
    policed: Policed
    # The checkboxes of the main steps, by position; empty if there is nothing to choose.
    ticks: dict[int, Tick]
    # The edits that made this revision, and what each changed value could teach.
    edits: list[Decision]
    changed: list[Edit]
    # The values that come from somebody's lesson.
    taught: list[TaughtValue]
    # The design and the choice of rules it is based on.
    behind: BehindPlan
    # Somebody else's decision that can still be undone.
    held: HeldDecision | None
    # Its danger, in one sentence.
    told: Told

    @property
    def remembered(self) -> Remembered | None:
        """What its planning got from memory; None if no model planned it."""
        return remembered.read(self.plan.plan.evidence)

    @property
    def risk(self) -> PlanRisk | None:
        """Its risk; None until that has been worked out."""
        return getattr(self.plan, "risk", None)

    @property
    def warns(self) -> bool:
        """Whether the danger is still not known, so that an approval is asked for once more."""
        return self.may_decide and self.told.is_due

    @property
    def standing(self) -> str:
        """What an open page knows about the plan's state."""
        return standing(self.plan, self.held)

    @property
    def is_broken(self) -> bool:
        """True if the stored bytes are not those that were proposed: then the plan may be neither decided nor run."""
        return self.document is None or self.digest_now != self.plan.digest

    @property
    def as_approved(self) -> Collection[int]:
        """Steps that need no second reading: in a plan that went back to review, those approved unchanged."""
        return self.delta.as_approved if self.delta is not None else ()

    @property
    def is_waiting(self) -> bool:
        """True while a decision is possible at all."""
        return self.plan.state == PlanState.AWAITING_REVIEW

    @property
    def may_decide(self) -> bool:
        """True when this person may decide this plan now."""
        return self.is_waiting and not self.is_broken and not self.refusal

    @property
    def may_edit(self) -> bool:
        """True if this person may change its values now, whoever decides about them."""
        return self.is_waiting and not self.is_broken and not self.refuses_edit

    @property
    def main_steps(self) -> list[Step]:
        """The steps that run when all goes well."""
        return [step for step in self.steps if not step.is_cleanup]

    @property
    def main_rows(self) -> list[Row]:
        """The main steps, each with its box while this person may decide."""
        boxes = self.ticks if self.may_decide else {}
        return [self._row(step, boxes.get(step.spec.position)) for step in self.main_steps]

    @property
    def cleanup_rows(self) -> list[Row]:
        """The clean-up steps."""
        return [self._row(step, None) for step in self.cleanup_steps]

    def _row(self, step: Step, tick: Tick | None) -> Row:
        position = step.spec.position
        was = self.familiar.alike.at(position) if self.familiar is not None else None
        of_steps = self.risk.steps if self.risk is not None else []
        found = next((one for one in of_steps if one["position"] == position), None)
        return Row(step, tick, anchors.of_step(position), self.talk.at(position), was, found)

    @property
    def folds_cleanup(self) -> bool:
        """Whether the clean-up is folded: one line names all that it does, and none of it is dangerous or unknown."""
        found = self.risk.after_failure if self.risk is not None else None
        is_calm = found is not None and Level(found["level"]).is_at_most(Level.MEDIUM)
        return is_calm and not any(argument.is_block for step in self.cleanup_steps for argument in step.arguments)

    @property
    def folds_files(self) -> bool:
        """Whether new files are only named: the plan is familiar, and no text of a step differs."""
        return self.familiar is not None and not self.familiar.alike.places

    @property
    def folds_reasons(self) -> bool:
        """Whether precedents, reasons and origins are folded: the plan is familiar and went well each time."""
        return self.familiar is not None and all(one.went_well for one in self.precedents)

    @property
    def limits(self) -> list[Limited]:
        """The limits of each step."""
        return limits_of(self.document) if self.document is not None else []

    @property
    def ticked(self) -> list[Tick]:
        """The selected steps."""
        return [one for one in self.ticks.values() if one.is_on]

    @property
    def part(self) -> str:
        """What an approval would cover, when that is a part of the plan."""
        return ticks.in_words(self.ticks.values())

    @property
    def sources(self) -> list[Source]:
        """Where its values come from."""
        return origins.gathered(self.steps)

    @property
    def teaches(self) -> list[Edit]:
        """What this person may teach from the changes: whoever may edit the plan may, also after its decision."""
        return [] if self.refuses_edit else [one for one in self.changed if one.teachable.is_anything]

    @cached_property
    def checks(self) -> list[outcome_words.Line]:
        """The checks for after it has run."""
        if self.document is None:
            return []
        return outcome_words.before(outcome_evaluation.checks_of(self.plan, self.document))

    @property
    def checked(self) -> list[outcome_words.Line]:
        """The results of the checks; empty before."""
        return outcome_words.after(self.plan.check_results or [])

    @property
    def changes_nothing(self) -> tuple[str, str] | None:
        """The goal's word that asks for a change, and why it is known that the waiting plan makes none."""
        if self.document is None or not self.is_waiting or not (word := outcome_checks.asked_change(self.document)):
            return None
        if not outcome_checks.can_change_files(self.document):
            return word, "No step of it can change a file."
        if self.shadow is not None and self.shadow.changed_nothing:
            return word, "In the dry run every step succeeded and no file changed."
        return None

    @property
    def simplified(self) -> tuple[tuple[str, ...], str]:
        """The parts of the goal or of an earlier draft that could not be planned, and why."""
        return evidence.simplified(self.plan.plan.evidence)

    @property
    def contradicted(self) -> tuple[Contradicted, ...]:
        """The denied beliefs of the revision before, which led to this one."""
        found = evidence.contradicted(self.plan.plan.evidence)
        # Revisions made by hand from this one keep its reasons, but were not planned because of the denial.
        return tuple(one for one in found if one.revision == self.plan.revision - 1)

    @property
    def same_as_before(self) -> bool:
        """True when the steps are those of the revision before."""
        earlier = self.plan.goal.intent_plans.filter(revision=self.plan.revision - 1).first()
        before = readable(bytes(earlier.document)) if earlier is not None else None
        return before is not None and self.document is not None and anchors.same_steps(before, self.document)

    @property
    def renewed(self) -> str:
        """Why the revision before was planned anew before anybody decided it; "" if it was not."""
        before = next((one for one in self.revisions if one.revision == self.plan.revision - 1), None)
        reason = before.reason if before is not None else ""
        return reason.partition(": ")[2] if reason.startswith(renewals.RENEWED) else ""

    @property
    def unproven(self) -> dict[int, str]:
        """Why the dry run proves nothing about a step, by position."""
        return self.shadow.unproven if self.shadow is not None else {}

    @property
    def foretold(self) -> Changes | None:
        """What is predicted from the steps alone: everything, or what a finished dry run leaves open."""
        if self.changes is None or self.shadow is None or self.shadow.reading is None:
            return self.changes
        proved = {step.position for step in self.shadow.steps if step.proof in ("done", "skipped")}
        return self.changes.without(proved)

    @property
    def cleanup_steps(self) -> list[Step]:
        """The steps that run after a failure."""
        return [step for step in self.steps if step.is_cleanup]

    @property
    def title(self) -> str:
        """The goal's first words, for the browser's tab and for places with one line."""
        words = hidden.visible_text(" ".join(self.plan.goal.text.split()))
        return words if len(words) <= LONGEST_TITLE else f"{words[:LONGEST_TITLE].rstrip()}…"

    @property
    def is_long(self) -> bool:
        """True if the goal would push the plan off the screen; it is then shown in full further down."""
        return len(self.plan.goal.text) > LONGEST_TITLE or "\n" in self.plan.goal.text

    @property
    def compared(self) -> tuple[int, int]:
        """The plan and the earlier revision that a click on Compare shows; from the first one, the latest with it."""
        earlier = [one.revision for one in self.revisions if one.revision < self.plan.revision]
        return (self.plan.pk, earlier[-1]) if earlier else (self.newest.pk, self.plan.revision)

    @property
    def shown_revisions(self) -> list[IntentPlan]:
        """The newest revisions and this one; a goal may have more than a header holds."""
        newest = self.revisions[-SHOWN_REVISIONS:]
        return [one for one in self.revisions if one in newest or one.pk == self.plan.pk]

    @property
    def asks_others(self) -> list[str]:
        """Why steps would go back to review before they run: their agent now has other language models."""
        if self.document is None or self.plan.state != PlanState.AWAITING_REVIEW:
            return []
        return models_in_use.changed_since(self.document, self.plan.goal.agent, first=1)

    @property
    def made_tools(self) -> list[Behind]:
        """The tools of its steps that people made, with all of their code: a reviewer approves that too."""
        return made_tools.behind(self.document) if self.document is not None else []

    @property
    def flow(self) -> flow_page.Flow | None:
        """The workflow that the plan came from: its graph, its parameters, and what it returns."""
        return flow_page.of([self.plan])

    @property
    def has_older_revisions(self) -> bool:
        """True if the header does not name all of them."""
        return len(self.shown_revisions) < len(self.revisions)

    @property
    def newest(self) -> IntentPlan:
        """The latest revision of this goal's plan."""
        return self.revisions[-1]


def plan_view(
    plan: IntentPlan, user: User, chosen: Collection[int] | None = None, *, only: Filters = EVERYTHING
) -> PlanView:
    """Read one plan for one person.

    `chosen` are the selected steps, None means all; `only` filters the plans for next and previous.
    """
    data = bytes(plan.document)
    document = readable(data)
    if document is not None:
        made_tools.refresh_for(document)
    found, problem = _changes(document) if document else (None, "")
    moved = footings.moved_under(plan)
    tried = shadow_run.view(plan, moved) if document else None
    previous, following = listing.around(user, plan, only)
    edited = edits_into(plan)
    shown = steps.steps_of(document, _shown_texts(document, found, tried)) if document else ()
    earlier = precedents(plan, document, user)
    asked_again = delta.since_approval(plan, document)
    said = dangers.current_with(plan, tried.run if tried is not None else None)
    alike = familiar(earlier) if _may_be_familiar(plan, data, asked_again) else None
    same_contents = document is not None and alike is not None and _meets_the_same(plan, document, alike)
    is_same = same_contents and said.danger > Danger.DELETES
    return PlanView(
        plan=plan,
        document=document,
        digest_now=documents.digest_of(data),
        steps=shown,
        changes=found,
        shadow=tried,
        delta=asked_again,
        base_problem=problem,
        moved=moved,
        reasons=reasons(plan, user),
        precedents=helpful(earlier),
        familiar=alike if alike is not None and is_same else None,
        same_steps=None if is_same else alike,
        same_contents=same_contents,
        talk=threads.of(plan, document, user),
        rounds=rounds.of(plan.goal),
        reads_comments=rounds.reads_comments(plan.goal),
        receipts=receipts(plan),
        with_a_say=list(User.objects.filter(pk__in=plan.plan.evidence.get(authors.EVIDENCE) or ()).order_by("pk")),
        revisions=list(plan.goal.intent_plans.defer("document").order_by("revision")),
        refusal=rights.why_not(user, plan),
        refuses_edit=rights.why_not_edit(user, plan),
        ended_by=None if plan.state == PlanState.AWAITING_REVIEW else last_move(plan),
        network=goal_network.of_plan(plan),
        previous=previous,
        following=following,
        among=only,
        policed=policed(plan, user),
        ticks=ticks.ticks_of(document, chosen) if document else {},
        edits=edited,
        changed=teaching.edits(plan, edited),
        taught=taught_values(shown, user),
        behind=page.behind(plan),
        held=held_on(plan),
        told=said,
    )


def _may_be_familiar(plan: IntentPlan, data: bytes, asked_again: Delta | None) -> bool:
    """Whether it waits for its first decision, in the bytes that were proposed; only then is it read for a decision."""
    return plan.state == PlanState.AWAITING_REVIEW and asked_again is None and documents.digest_of(data) == plan.digest


def _meets_the_same(plan: IntentPlan, document: Document, alike: Familiar) -> bool:
    """Whether a plan with the same steps also meets the same contents."""
    earlier = readable(bytes(alike.plan.document))
    if earlier is None:
        return False
    ours = dangers.met(plan, document)
    return ours is not None and ours == dangers.met(alike.plan, earlier)


def held_on(plan: IntentPlan) -> HeldDecision | None:
    """The decision on this plan that has not taken effect yet, whoever made it."""
    return held_decisions.open_on(plan) if plan.state == PlanState.AWAITING_REVIEW else None


def standing(plan: IntentPlan, held: HeldDecision | None) -> str:
    """The plan's state, including the latest word of the first of two people, which changes what an approval means,
    and whether a decision is pending.
    """
    said = last_of_first(plan)
    return f"{plan.state}{f' first-{said.pk}' if said else ''}{f' held-{held.pk}' if held else ''}"


def last_of_first(plan: IntentPlan) -> Decision | None:
    """The newest first approval of a waiting plan, or its withdrawal."""
    if plan.state != PlanState.AWAITING_REVIEW:
        return None
    verdicts = (Decision.Verdict.FIRST_APPROVAL, Decision.Verdict.WITHDRAW)
    return Decision.objects.filter(intent_plan=plan, verdict__in=verdicts).select_related("by").order_by("pk").last()


def last_move(plan: IntentPlan) -> Transition | None:
    """The transition to the plan's current state."""
    return plan.transitions.order_by("-pk").first()


def _shown_texts(document: Document, found: Changes | None, tried: ShadowView | None) -> list[ShownText]:
    """The texts that are shown in full among the page's files, which are the dry run's once it has finished."""
    if tried is not None and tried.reading is not None:
        return tried.shown_texts(document)
    return found.shown_texts if found is not None else []


def _changes(document: Document) -> tuple[Changes | None, str]:
    try:
        base = base_files.entries_of(document.base)
    except BaseUnreadable as error:
        return None, str(error)

    def today(path: str) -> str | None:
        content = base_files.content_of(document.base, path, MOST_SHOWN_BYTES)
        try:
            text = None if content is None else content.decode()
        except UnicodeDecodeError:
            return None
        return None if text is None or "\x00" in text else text

    return changes.changes(forecast(document, base, tools_in_use()), today), ""


def compared(plan: IntentPlan, other: IntentPlan, *, folds: bool = True) -> dict[str, Any]:
    """The difference from another plan to this one, every argument included; nothing when one cannot be read."""
    before, after = readable(bytes(other.document)), readable(bytes(plan.document))
    if before is None or after is None:
        return {"difference": None}
    return {"difference": steps.compared(before, after, folds=folds), "unlike": likeness.unlike(before, after)}
