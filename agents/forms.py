"""Forms of the pages: untrusted text becomes values here, or an error under its field."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms

from agents.errors import GoalRefused
from agents.goal_list import OPEN, SEARCH_MAX, GoalFilter
from agents.models import Goal, Workspace
from agents.selectors import goals_visible_to, workspaces_writable_by
from agents.services.designs import checked_design
from agents.services.goals import checked_text
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
# The largest id a bigint column can hold.
_BIGGEST = 2**63 - 1


class GoalForm(forms.Form):
    """The composer. What it offers is limited to the newest; what it accepts is everything the person may use."""

    text = forms.CharField(strip=False, required=False)
    workspace = forms.CharField(required=False, max_length=80)
    priority = forms.TypedChoiceField(choices=PRIORITIES, coerce=int, required=False)
    depends_on = forms.TypedMultipleChoiceField(coerce=int, required=False)
    design = forms.CharField(strip=False, required=False)
    key = forms.CharField(required=False, max_length=64)

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._by = by
        self.fresh_key = uuid.uuid4().hex
        # Any number is taken here; clean_depends_on looks which of them are goals the person may see.
        self.fields["depends_on"].valid_value = lambda value: True  # type: ignore[attr-defined]
        self.fields["priority"].error_messages["invalid_choice"] = "Priority is a number from 1 (first) to 5 (last)."

    def offered_workspaces(self) -> list[Workspace]:
        """The workspaces to choose from, latest changed first; one that was asked for is always among them."""
        writable = workspaces_writable_by(self._by).order_by("-changed_at")
        offered = list(writable[:OFFERED_WORKSPACES])
        asked = self["workspace"].value()
        if asked and asked not in {workspace.name for workspace in offered}:
            offered.extend(writable.filter(name=asked))
        return offered

    def offered_goals(self) -> list[Goal]:
        """The newest goals that have not ended: those it makes sense to wait for."""
        going = goals_visible_to(self._by).exclude(state__in=[state.value for state in GOAL_ENDED])
        return list(going.order_by("-pk")[:OFFERED_GOALS])

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

    def clean_workspace(self) -> Workspace | None:
        name = self.cleaned_data["workspace"]
        if not name:
            return None
        workspace = workspaces_writable_by(self._by).filter(name=name).first()
        if workspace is None:
            raise forms.ValidationError("No workspace of yours has this name. Choose one, or a new one.")
        return workspace

    def clean_priority(self) -> int:
        return int(self.cleaned_data["priority"] or DEFAULT_PRIORITY)

    def clean_depends_on(self) -> list[Goal]:
        ids = set(self.cleaned_data["depends_on"])
        found = goals_visible_to(self._by).in_bulk(ids)
        if len(found) < len(ids):
            raise forms.ValidationError("One of these goals does not exist, or is not yours to see.")
        return [found[pk] for pk in sorted(found)]


class GoalFilterForm(forms.Form):
    """The filters above the list of goals."""

    state = forms.ChoiceField(
        required=False,
        choices=[("", "Any state"), (OPEN, "Not ended")]
        + [(state.value, state.value.replace("_", " ")) for state in GoalState],
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
