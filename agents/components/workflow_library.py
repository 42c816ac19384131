"""Workflows as versions of the library: checked, kept, put to use, and found by those that call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Case, IntegerField, Value, When

from agents.bdi.workflows import checking
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.checking import Checked
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import Workflow
from agents.components import made_tools
from agents.record.errors import AgentsError
from agents.toolkit import strict_yaml
from agents.toolkit.registry import tools_in_use
from agents.toolkit.yaml_nodes import YamlFault
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import sealing
from people.models import User

KIND = Component.Kind.WORKFLOW.value
_Status = ComponentVersion.Status


class WorkflowInvalid(AgentsError):
    """The text cannot become a workflow, or a plan; each fault names its line and the way out."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(" ".join(map(str, faults)))
        self.faults = faults


def check(
    text: str,
    *,
    instead_of: str = "",
    version: str = "",
    given: Mapping[str, Any] | None = None,
    tried: Known | None = None,
) -> Checked:
    """Check a text among the tools and workflows there are, one of which (`instead_of`) it may replace.

    `tried`: a version that is called in place of the one in use.
    """
    made_tools.refresh()
    known = known_workflows() | ({tried.name: tried} if tried is not None else {})
    known.pop(instead_of, None)
    return checking.check(text, tools_in_use(), known, version=version, given=given)


def known_workflows() -> dict[str, Known]:
    """What others may call, by name: the version in use, or the newest candidate where none is."""
    rows = ComponentVersion.objects.filter(component__kind=KIND).exclude(status=_Status.RETIRED)
    # The best version of each comes last, and stays.
    in_use = Case(When(status=_Status.ACTIVE, then=Value(1)), default=Value(0), output_field=IntegerField())
    ordered = sealing.genuine(rows.order_by("component__name", in_use, "pk").select_related("component"))
    return {row.component.name: Known(row.component.name, row.version, row.body) for row in ordered}


def name_of(text: str) -> str | None:
    """The name that a text gives itself; None where it gives none, or cannot be read so far."""
    try:
        data = strict_yaml.load(text).data
    except YamlFault:
        return None
    name = data.get("scenario_name") if isinstance(data, dict) else None
    return " ".join(name.split()) if isinstance(name, str) else None


def version_of(component: Component, version: str = "") -> ComponentVersion | None:
    """A version by its number; without one that in use, else the newest that is not retired, else the newest."""
    rows = component.versions.select_related("component", "created_by", "parent")
    if version:
        return rows.filter(version=version).first()
    order = Case(
        When(status=_Status.ACTIVE, then=Value(2)),
        When(status=_Status.RETIRED, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return rows.order_by(order.desc(), "-pk").first()


def save(
    text: str, *, by: User, of: Component | None = None, changes: str = "", origin: str = services.PERSON
) -> ComponentVersion:
    """Keep the text as a candidate; without `of` it is a new workflow, whose name must be free.

    Raises WorkflowInvalid with what is wrong, LibraryRefused for who may not write and for a name that is taken.
    """
    services.check_rights(by, activate=False)
    text = text.replace("\r\n", "\n").strip() + "\n"
    checked = check(text, instead_of=of.name if of else "")
    if checked.workflow is None or checked.errors:
        raise WorkflowInvalid(checked.errors)
    workflow = checked.workflow
    if of is None and Component.objects.filter(kind=KIND, name=workflow.name).exists():
        raise LibraryRefused(f"There is a workflow “{workflow.name}” already. Edit that one.", "body")
    if of is not None and workflow.name != of.name:
        raise LibraryRefused(f"This is a version of “{of.name}”. Keep its scenario_name.", "body")
    saved = services.publish(
        KIND,
        workflow.name,
        text,
        by=by,
        changes=changes.strip(),
        applicability_text=when_to_use(workflow),
        origin=origin,
    )
    about = {"description": workflow.description, "domain": workflow.domain}
    Component.objects.filter(pk=saved.component_id).update(**about)
    return saved


def when_to_use(workflow: Workflow) -> str:
    """What it is for, in its own words, for the search by meaning."""
    return f"{workflow.name}\n{workflow.description}".strip()[: services.WHEN_MAX_CHARACTERS]
