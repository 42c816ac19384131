"""The forms of goals: what is wanted and on what terms, and the filters above the list."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.db.models import QuerySet

from agents.actors import lifecycle
from agents.goals.goals import checked_text
from agents.models import DEFAULT_AGENT, Agent, Goal, Workspace
from agents.pages.goals.goal_list import APPROVED, OPEN, SEARCH_MAX, GoalFilter
from agents.plans.designs import checked_design
from agents.presentation.outcome_words import STATES
from agents.record.errors import GoalRefused
from agents.record.selectors import (
    agents_usable_by,
    goals_changeable_by,
    goals_visible_to,
    may_change,
    workspaces_writable_by,
)
from agents.states import GOAL_ENDED, GoalState
from people.models import User

PRIORITIES = [
    (1, "Priority 1, first"),
    (2, "Priority 2"),
    (3, "Priority 3"),
    (4, "Priority 4"),
    (5, "Priority 5, last"),
]
DEFAULT_PRIORITY = 3
OFFERED_WORKSPACES = 50
OFFERED_GOALS = 20
OFFERED_AGENTS = 100
# The largest id a bigint column can hold.
_BIGGEST = 2**63 - 1
_ENDED = [state.value for state in GOAL_ENDED]


class TermsForm(forms.Form):
    """What a goal is given beside its text. What is offered is limited to the newest; what is accepted is everything
    the person may use, and what `goal` has already.
    """

    priority = forms.TypedChoiceField(choices=PRIORITIES, coerce=int, required=False)
    deadline = forms.DateTimeField(required=False)
    parent = forms.CharField(required=False, max_length=20)
    depends_on = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, *args: Any, by: User, goal: Goal | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._by = by
        self._goal = goal
        # Any number is taken here; clean_depends_on looks which of them are goals the person may see.
        self.fields["depends_on"].valid_value = lambda value: True  # type: ignore[attr-defined]  # fields are of several classes
        self.fields["priority"].error_messages["invalid_choice"] = "Priority is a number from 1 (first) to 5 (last)."
        self.fields["deadline"].error_messages["invalid"] = "Write a day and a time, such as 2030-01-31 18:00."

    def offered_goals(self) -> list[Goal]:
        """The newest goals that have not ended: those it makes sense to wait for; and those it waits for already."""
        going = self._others(goals_visible_to(self._by)).exclude(state__in=_ENDED)
        offered = list(going[:OFFERED_GOALS])
        if self._goal is not None:
            held = goals_visible_to(self._by).filter(dependants=self._goal).order_by("-pk")
            offered.extend(goal for goal in held if goal not in offered)
        return offered

    def offered_wholes(self) -> list[tuple[int, str]]:
        """The newest open goals that it may be made a part of, by number and text; one that was asked for is always
        among them. What it is a part of already may be a goal that the person does not see: that has no text.
        """
        mine = self._others(goals_changeable_by(self._by)).exclude(state__in=_ENDED)
        offered = [(goal.pk, goal.text) for goal in mine[:OFFERED_GOALS]]
        asked = _number(self["parent"].value())
        if asked is not None and asked not in dict(offered):
            seen = goals_visible_to(self._by).filter(pk=asked).first()
            if (seen is not None and may_change(self._by, seen)) or (self._goal and self._goal.parent_id == asked):
                offered.append((asked, seen.text if seen is not None else ""))
        return offered

    def _others(self, goals: QuerySet[Goal]) -> QuerySet[Goal]:
        return goals.exclude(pk=self._goal.pk if self._goal else 0).order_by("-pk")

    def clean_priority(self) -> int:
        return int(self.cleaned_data["priority"] or DEFAULT_PRIORITY)

    def clean_parent(self) -> Goal | None:
        text = self.cleaned_data["parent"].strip()
        if not text:
            return None
        number = _number(text)
        if self._goal is not None and self._goal.parent_id is not None and number == self._goal.parent_id:
            return self._goal.parent
        goal = goals_changeable_by(self._by).filter(pk=number or 0).first()
        if goal is None:
            raise forms.ValidationError("A goal can only be part of a goal of yours that has not ended.")
        return goal

    def clean_depends_on(self) -> list[Goal]:
        ids = set(self.cleaned_data["depends_on"])
        found = goals_visible_to(self._by).in_bulk(ids)
        if len(found) < len(ids):
            raise forms.ValidationError("One of these goals does not exist, or is not yours to see.")
        return [found[pk] for pk in sorted(found)]


class GoalForm(TermsForm):
    """The composer."""

    text = forms.CharField(strip=False, required=False)
    workspace = forms.CharField(required=False, max_length=80)
    agent = forms.CharField(required=False, max_length=64)
    design = forms.CharField(strip=False, required=False)
    key = forms.CharField(required=False, max_length=64)

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, by=by, **kwargs)
        self.fresh_key = uuid.uuid4().hex

    def offered_workspaces(self) -> list[Workspace]:
        """The workspaces to choose from, latest changed first; one that was asked for is always among them."""
        writable = workspaces_writable_by(self._by).order_by("-changed_at")
        offered = list(writable[:OFFERED_WORKSPACES])
        asked = self["workspace"].value()
        if asked and asked not in {workspace.name for workspace in offered}:
            offered.extend(writable.filter(name=asked))
        return offered

    def offered_agents(self) -> list[str]:
        """The agents to choose from, beside the first one, which has the goals that name none."""
        named = agents_usable_by(self._by).exclude(name=DEFAULT_AGENT).order_by("name")
        offered = list(named.values_list("name", flat=True)[:OFFERED_AGENTS])
        asked = str(self["agent"].value() or "")
        return offered if not asked or asked in offered else [*offered, asked]

    def clean_text(self) -> str:
        try:
            return checked_text(self.cleaned_data["text"])
        except GoalRefused as refused:
            raise forms.ValidationError(refused.message) from refused

    def clean_design(self) -> str:
        try:
            return checked_design(self.cleaned_data["design"])
        except GoalRefused as refused:
            raise forms.ValidationError(refused.message) from refused

    def clean_agent(self) -> Agent | None:
        name = self.cleaned_data["agent"].strip()
        try:
            return lifecycle.usable(name, by=self._by) if name else None
        except GoalRefused as refused:
            raise forms.ValidationError(refused.message) from refused

    def clean_workspace(self) -> Workspace | None:
        name = self.cleaned_data["workspace"]
        if not name:
            return None
        workspace = workspaces_writable_by(self._by).filter(name=name).first()
        if workspace is None:
            raise forms.ValidationError("No workspace of yours has this name. Choose one, or a new one.")
        return workspace


def _number(text: object) -> int | None:
    """The id that was asked for; None for what can be none."""
    said = str(text or "").strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) < 19 else None


class GoalFilterForm(forms.Form):
    """The filters above the list of goals."""

    state = forms.ChoiceField(
        required=False,
        choices=[("", "Any state"), (OPEN, "Not ended"), (APPROVED, "approved, waits")]
        + [(state.value, state.value.replace("_", " ")) for state in GoalState]
        # Goals whose plan finished without achieving them, by their outcome.
        + list(STATES.items()),
        error_messages={"invalid_choice": "There is no such state."},
    )
    q = forms.CharField(
        required=False,
        max_length=SEARCH_MAX,
        error_messages={"max_length": f"Search with at most {SEARCH_MAX} characters."},
    )
    after = forms.IntegerField(
        required=False, min_value=1, max_value=_BIGGEST, error_messages={"invalid": "“after” is the number of a goal."}
    )

    def wanted(self) -> GoalFilter:
        """The filter as far as it could be read; what could not be read narrows nothing and is in `errors`."""
        self.is_valid()
        data = self.cleaned_data
        return GoalFilter(state=data.get("state", ""), text=data.get("q", ""), after=data.get("after"))
