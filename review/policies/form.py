"""The form of a policy: fields instead of JSON. The service checks the result again."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

from django import forms

from people.roles import Role
from review.models import PolicyVersion
from review.policies.writing import Draft
from review.policy.conditions import EFFECTS, SOURCES, Conditions, ConditionsRefused
from review.policy.verdict import Action

_LISTS = ("tools", "commands", "agents", "submitters", "paths", "hosts", "workspaces")
_LEVELS = [("", "any"), ("low", "low"), ("medium", "medium"), ("unknown", "unknown"), ("high", "high")]
ACTIONS = [
    (Action.FORBID.value, "Forbid: such a plan is not even proposed"),
    (Action.REQUIRE_TWO.value, "Require two people"),
    (Action.REQUIRE_REVIEW.value, "Require a person, whatever another policy approves"),
    (Action.AUTO_APPROVE.value, "Approve without a person, in your name"),
]


class PolicyForm(forms.Form):
    """Several entries of one field are on separate lines."""

    name = forms.CharField(max_length=120)
    action = forms.ChoiceField(choices=ACTIONS)
    tools = forms.CharField(required=False, max_length=4_000)
    commands = forms.CharField(required=False, max_length=4_000)
    effects = forms.MultipleChoiceField(choices=[(each, each) for each in EFFECTS], required=False)
    risk_at_most = forms.ChoiceField(choices=_LEVELS[:3], required=False)
    risk_at_least = forms.ChoiceField(choices=[_LEVELS[0], *_LEVELS[2:]], required=False)
    agents = forms.CharField(required=False, max_length=4_000)
    submitters = forms.CharField(required=False, max_length=4_000)
    roles = forms.MultipleChoiceField(choices=[(role.value, role.value) for role in Role], required=False)
    paths = forms.CharField(required=False, max_length=4_000)
    hosts = forms.CharField(required=False, max_length=4_000)
    workspaces = forms.CharField(required=False, max_length=4_000)
    sources = forms.MultipleChoiceField(choices=[(each, each) for each in SOURCES], required=False)
    shadow_clean = forms.BooleanField(required=False)
    asks_model = forms.BooleanField(required=False)
    reading_calls = forms.BooleanField(required=False)
    budget = forms.IntegerField(required=False, min_value=1, max_value=1_000)
    expires_on = forms.DateField(required=False)
    sampling_percent = forms.IntegerField(required=False, min_value=0, max_value=100)
    note = forms.CharField(required=False, max_length=4_000)

    def clean(self) -> dict[str, Any]:
        """Read the conditions as the policy will hold them."""
        cleaned: dict[str, Any] = super().clean() or {}
        raw: dict[str, Any] = {name: _lines(cleaned.get(name, "")) for name in _LISTS}
        raw |= {name: cleaned.get(name) or [] for name in ("effects", "roles", "sources")}
        raw |= {name: cleaned.get(name) or "" for name in ("risk_at_most", "risk_at_least")}
        raw |= {name: bool(cleaned.get(name)) for name in ("shadow_clean", "asks_model", "reading_calls")}
        try:
            cleaned["conditions"] = Conditions.read(raw)
        except ConditionsRefused as wrong:
            self.add_error(wrong.field if wrong.field in self.fields else None, str(wrong))
        return cleaned

    def draft(self) -> Draft:
        """What was written. Only of a valid form."""
        said = self.cleaned_data
        action = Action(said["action"])
        approves = action is Action.AUTO_APPROVE
        day = said.get("expires_on")
        return Draft(
            said["name"],
            action,
            said["conditions"],
            budget=(said.get("budget") or 0) if approves else 0,
            expires_at=datetime.combine(day, time.max, UTC) if approves and day else None,
            sampling_percent=(said.get("sampling_percent") or 0) if approves else 0,
            note=said.get("note", ""),
        )


def initial_of(name: str, version: PolicyVersion) -> dict[str, Any]:
    """A version as the form's first values."""
    return {
        "name": name,
        "action": version.action,
        "budget": version.budget or None,
        "expires_on": version.expires_at.date().isoformat() if version.expires_at else "",
        "sampling_percent": version.sampling_percent,
        **initial_conditions(Conditions.read(version.conditions)),
    }


def initial_conditions(conditions: Conditions) -> dict[str, Any]:
    """Conditions as the form's first values."""
    stated = conditions.to_json()
    return {name: "\n".join(value) if name in _LISTS else value for name, value in stated.items()}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
