"""How parameters are settled, as operators tune it: settings, the mapping table, rules for one parameter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from agents.bdi.understanding.words.written_paths import cleaned as cleaned_path
from agents.models import ParameterRule, ParameterSettings, PathMapping, Workspace
from agents.record.errors import TuningRefused
from agents.rules.naming import path_problem
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.schemas import problems
from agents.tuning.kinds import MOST_JSON, TOOLS, Checked, Field, Kind, OneRow, Values
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable
from people import journal
from people.journal import Event
from people.models import User

# Before a mapping is saved its path is looked for in so many workspaces, those that changed last.
LOOKED_THROUGH = 20
_SWITCHES = (
    "enable_understanding",
    "enable_path_correction",
    "fallback_to_defaults",
    "use_experience",
    "use_llm_extraction",
)


class Journalled(Kind):
    """A kind whose versions are rows and nothing else; each is told in the journal."""

    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        row = self.model._default_manager.create(**values, by=by, note=note)
        changed = journal.difference(before or {}, values)
        subject = f"{self.model._meta.model_name}:{row.pk}"
        journal.record(Event.PARAMETERS, by=by, subject=subject, data={**changed, "note": note} if note else changed)
        return row


def _fields_of_settings() -> tuple[Field, ...]:
    """The model's own words and bounds, so that the administration, pages and the API say the same."""
    found = []
    for name in (*_SWITCHES, "least_runs", "least_share", "least_confidence"):
        column: Any = ParameterSettings._meta.get_field(name)
        label, hint = str(column.verbose_name).capitalize(), str(column.help_text)
        if name in _SWITCHES:
            found.append(Field(name, label, "switch", hint))
            continue
        least, most = (float(one.limit_value) for one in column.validators[:2])
        found.append(Field(name, label, "whole" if name == "least_runs" else "number", hint, least, most))
    return tuple(found)


class Settings(OneRow, Journalled):
    """Which stages settle parameters, and how sure they must be: one row for all of it."""

    name, words = "parameter_settings", "Parameter settings"
    about = "Which stages fill in missing values, and how sure they must be."
    model = ParameterSettings
    fields = _fields_of_settings()

    def summary(self, values: Mapping[str, Any]) -> str:
        off = [one.label for one in self.fields if values[one.name] is False]
        runs = f"{values['least_runs']} runs, of which {values['least_share'] * 100:.0f} % agree"
        sure = f"certain from {values['least_confidence']:g}, or by {runs}"
        return f"{'off: ' + ', '.join(off).lower() if off else 'every stage is on'}; {sure}"


class Mappings(Journalled):
    """What a name means as a path."""

    name, words = "path_mapping", "Path mappings"
    one = "path mapping"
    about = "A name that stands for a path. It is used before any search."
    model = PathMapping
    key = ("said", "tool", "parameter")
    fields = (
        Field("said", "As people say it", "text", "Such as “summarization”; case does not count.", most=200),
        Field("path", "Path", "text", "From the workspace's root.", most=1024),
        Field("tool", "Tool", "choice", "Empty: every tool.", blank=True, choices=TOOLS),
        Field("parameter", "Parameter", "text", "Empty: every parameter that is a path.", most=64, blank=True),
        Field("in_use", "In use", "switch", "Off: this name is looked for like any other."),
    )

    def checked(self, values: Values) -> Checked:
        wrong: dict[str, str] = {}
        values = {**values, "said": " ".join(values["said"].split()), "path": cleaned_path(values["path"])}
        if trouble := path_problem(values["path"]):
            wrong["path"] = f"This path {trouble[1]}."
        known = _paths_of(values["tool"])
        if values["parameter"] and values["parameter"] not in known:
            wrong["parameter"] = f"It has no such path parameter; it has {', '.join(sorted(known))}."
        if wrong:
            raise TuningRefused(wrong)
        return Checked(values, _not_there(values["path"]) if values["in_use"] else ())

    def identity(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        return (_plain(values["said"]), values["tool"], values["parameter"])

    def rows_about(self, values: Mapping[str, Any]) -> QuerySet[Any]:
        """Case and spaces do not count, which the database would judge otherwise than the reading does."""
        near = self._rows().filter(tool=values["tool"], parameter=values["parameter"])
        said = _plain(values["said"])
        same = [pk for pk, other in near.values_list("pk", "said") if _plain(other) == said]
        return self._rows().filter(pk__in=same)

    def title(self, values: Mapping[str, Any]) -> str:
        where = ".".join(part for part in (values["tool"], values["parameter"]) if part)
        return f"“{values['said']}”{' for ' + where if where else ''}"

    def summary(self, values: Mapping[str, Any]) -> str:
        return f"means {values['path']}" if values["in_use"] else f"meant {values['path']}; not in use"


class Rules(Journalled):
    """What holds for one parameter of one command."""

    name, words = "parameter_rule", "Parameter rules"
    one = "parameter rule"
    about = "Your own default for one parameter, or a rule that it is never guessed."
    model = ParameterRule
    key = ("tool", "command", "parameter")
    fields = (
        Field("tool", "Tool", "choice", choices=TOOLS),
        Field("command", "Command", "text", most=64),
        Field("parameter", "Parameter", "text", most=64),
        Field("default", "Default", "json", "As JSON: text stands in quotes. Empty: the declared default.", blank=True),
        Field(
            "may_be_guessed",
            "May be guessed",
            "switch",
            "Off: never guessed from earlier runs or by a model, but asked for.",
        ),
        Field("in_use", "In use", "switch"),
    )

    def checked(self, values: Values) -> Checked:
        try:
            command = tools_in_use().command(values["tool"], values["command"])
        except UnknownTool as unknown:
            raise TuningRefused({"command": f"{str(unknown)[:1].upper()}{str(unknown)[1:]}."}) from unknown
        name, default = values["parameter"], values["default"]
        if name not in command.properties:
            there = ", ".join(command.properties) or "no parameter"
            raise TuningRefused({"parameter": f"{command.tool}.{command.name} takes {there}."})
        if default is not None:
            if len(json.dumps(default)) > MOST_JSON:
                raise TuningRefused({"default": f"As JSON it has at most {MOST_JSON:,} characters."})
            for _, message in problems(command.schema, {name: default}, partial=True):
                raise TuningRefused({"default": f"It {message}."})
            if command.kind(name) == "path" and isinstance(default, str) and (trouble := path_problem(default)):
                raise TuningRefused({"default": f"This path {trouble[1]}."})
        return Checked(values)

    def title(self, values: Mapping[str, Any]) -> str:
        return f"{values['tool']}.{values['command']}: {values['parameter']}"

    def summary(self, values: Mapping[str, Any]) -> str:
        default = (
            "the declared default" if values["default"] is None else f"default {json.dumps(values['default'])[:120]}"
        )
        guessed = "" if values["may_be_guessed"] else ", never guessed"
        return f"{default}{guessed}{'' if values['in_use'] else '; not in use'}"


def _plain(said: str) -> str:
    return " ".join(said.casefold().split())


def _paths_of(tool: str) -> set[str]:
    """The parameters that are paths, of one tool or (empty) of all."""
    commands = tools_in_use().tool(tool).commands if tool else tuple(tools_in_use().commands)
    return {name for command in commands for name in command.properties if command.kind(name) == "path"}


def _not_there(path: str) -> tuple[str, ...]:
    """A warning when none of the workspaces that changed last has this path."""
    heads = Workspace.objects.order_by("-changed_at").values_list("head", flat=True)[:LOOKED_THROUGH]
    looked = 0
    for head in dict.fromkeys(heads):
        try:
            entries = base_files.entries_of(head)
        except BaseUnreadable:
            continue
        looked += 1
        wanted = path.strip("/")
        if any(one.path == wanted or one.path.startswith(f"{wanted}/") for one in entries):
            return ()
    if not looked:
        return ()
    return (
        f"None of the {looked} workspaces that changed last has {path}. Where it is missing, a step with it fails.",
    )
