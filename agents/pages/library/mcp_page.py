"""What the page of an MCP server shows: its tools as it lists them, and where each stands in the library."""

from __future__ import annotations

from dataclasses import dataclass

from agents.components import made_tools
from agents.models import McpServer
from library.models import ComponentVersion


@dataclass(frozen=True)
class ListedTool:
    """A tool of a server. `newest` is its last version, `active` the one in use; `fault` says why it has neither."""

    name: str
    component: str
    fault: str
    newest: ComponentVersion | None = None
    active: ComponentVersion | None = None

    @property
    def is_new(self) -> bool:
        """Whether somebody has to review it before it is used."""
        return self.newest is not None and self.newest.status == ComponentVersion.Status.CANDIDATE


def tools_of(server: McpServer) -> list[ListedTool]:
    """Every tool that it listed last, in its order, in two statements."""
    names = [one["component"] for one in server.tools if one["component"]]
    rows = ComponentVersion.objects.filter(component__kind=made_tools.KIND, component__name__in=names)
    rows = rows.select_related("component", "parent").defer("content_embedding", "applicability_embedding")
    newest: dict[str, ComponentVersion] = {}
    active: dict[str, ComponentVersion] = {}
    for version in rows.order_by("pk"):
        newest[version.component.name] = version
        if version.status == ComponentVersion.Status.ACTIVE:
            active[version.component.name] = version
    return [
        ListedTool(
            one["name"], one["component"], one["fault"], newest.get(one["component"]), active.get(one["component"])
        )
        for one in server.tools
    ]
