"""Tuning how parameters are settled, in the administration. Saving writes a new version; the old ones stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from agents.bdi.understanding.paths import cleaned
from agents.models import ParameterRule, ParameterSettings, PathMapping
from agents.rules.naming import path_problem
from agents.services import settling
from agents.toolkit.registry import REGISTRY, UnknownTool
from agents.toolkit.schemas import problems
from people import journal
from people.journal import Event
from people.told_admin import ToldTable

if TYPE_CHECKING:  # Django's own classes take no type arguments when they run
    AnyForm = forms.ModelForm[Any]
else:
    AnyForm = forms.ModelForm


class _Versions(ToldTable):
    """Rows of saved versions: opening one shows it, saving it makes the next version, and nothing is deleted."""

    event = Event.PARAMETERS
    readonly_fields = ("by", "at")
    show_full_result_count = False
    list_per_page = 50

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        before = self._values(type(obj).objects.get(pk=obj.pk)) if change else {}
        obj.pk, obj.by = None, request.user
        obj._state.adding = True
        obj.save(force_insert=True)
        self._tell(request, obj, journal.difference(before, self._values(obj)))

    @admin.display(description="counts", boolean=True)
    def counts(self, row: Any) -> bool:
        """Whether this version is the newest about the same."""
        same = {name: getattr(row, name) for name in self.same}
        return not type(row).objects.filter(pk__gt=row.pk, **same).exists()

    # The fields by which versions are about the same; none: all of them are.
    same: tuple[str, ...] = ()


@admin.register(ParameterSettings)
class ParameterSettingsAdmin(_Versions):
    told = (
        "enable_understanding",
        "enable_path_correction",
        "fallback_to_defaults",
        "use_experience",
        "use_llm_extraction",
        "least_runs",
        "least_share",
        "least_confidence",
        "note",
    )
    list_display = ("id", "counts", "at", "by", "note", *told[:5])
    list_select_related = ("by",)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        newest = settling.switches()
        return {name: getattr(newest, name) for name in self.told if name != "note"}


class PathMappingForm(AnyForm):
    """A name, and a path inside the workspace; tool and parameter as they are registered."""

    class Meta:
        model = PathMapping
        fields = ("said", "path", "tool", "parameter", "in_use", "note")

    def clean_path(self) -> str:
        path = cleaned(self.cleaned_data["path"])
        if wrong := path_problem(path):
            raise forms.ValidationError(f"This path {wrong[1]}.")
        return path

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        tool, parameter = data.get("tool", ""), data.get("parameter", "")
        names = {tool.name: tool for tool in REGISTRY.tools}
        if tool and tool not in names:
            self.add_error("tool", f"There is no such tool; there are {', '.join(names)}.")
        commands = names[tool].commands if tool in names else tuple(REGISTRY.commands)
        known = {name for command in commands for name in command.properties if command.kind(name) == "path"}
        if parameter and parameter not in known:
            self.add_error("parameter", f"No path is named so there; there are {', '.join(sorted(known))}.")
        return data


@admin.register(PathMapping)
class PathMappingAdmin(_Versions):
    form = PathMappingForm
    told = ("said", "path", "tool", "parameter", "in_use", "note")
    same = ("said", "tool", "parameter")
    list_display = ("said", "path", "tool", "parameter", "in_use", "counts", "at", "by")
    list_select_related = ("by",)
    search_fields = ("said", "path")


class ParameterRuleForm(AnyForm):
    """A parameter of a registered command, and a default that fits its schema."""

    class Meta:
        model = ParameterRule
        fields = ("tool", "command", "parameter", "default", "may_be_guessed", "in_use", "note")

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        try:
            command = REGISTRY.command(data.get("tool", ""), data.get("command", ""))
        except UnknownTool as unknown:
            self.add_error("command", f"{unknown}.")
            return data
        name = data.get("parameter", "")
        if name not in command.properties:
            self.add_error("parameter", f"It takes {', '.join(command.properties) or 'no parameter'}.")
        elif data.get("default") is not None:
            for _, message in problems(command.schema, {name: data["default"]}, partial=True):
                self.add_error("default", f"It {message}.")
        return data


@admin.register(ParameterRule)
class ParameterRuleAdmin(_Versions):
    form = ParameterRuleForm
    told = ("tool", "command", "parameter", "default", "may_be_guessed", "in_use", "note")
    same = ("tool", "command", "parameter")
    list_display = ("tool", "command", "parameter", "default", "may_be_guessed", "in_use", "counts", "at", "by")
    list_select_related = ("by",)
    list_filter = ("tool",)
