"""The editor of workflows: checked and drawn while they are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents.bdi.workflows.checking import Checked
from agents.bdi.workflows.reading import MAX_CHARS
from agents.components import workflow_library
from agents.components.workflow_library import KIND, WorkflowInvalid
from agents.evolution.candidates import asking, saving, searches
from agents.pages.evolution.search_page import WriterPage
from agents.pages.library import flow_page
from agents.presentation.flow_graph import Graph
from agents.views.library import wishes
from agents.views.library.versions import version_named_in
from library.components import services
from library.errors import LibraryRefused
from library.models import Component

EXAMPLE = """\
scenario_name: Greet somebody
description: Writes a greeting, counts the lines that name the person, and keeps a copy of it.
params:
  name: world
steps:
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input:
      path: hello.txt
      content: "Hello {{params.name}}"
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.read
    input: {path: hello.txt}
    output_var: greeting
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.run
    input:
      command_line: "grep -c {{params.name}} hello.txt"
    output_var: found
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input:
      path: copy.txt
      content: "{{greeting.content}}"
    condition: "{{found.return_code}} == 0"
  - type: RETURN
    value: "{{greeting.content}}"
"""


@dataclass(frozen=True)
class _Draft:
    """A text in the editor, with everything its page says about it."""

    body: str
    name: str = ""
    changes: str = ""
    refused: str = ""
    wish: str = ""

    @cached_property
    def checked(self) -> Checked:
        return workflow_library.check(self.body, instead_of=self.name)

    @property
    def graph(self) -> Graph | None:
        bound = self.checked.bound
        return flow_page.drawn(bound) if bound is not None and bound.steps else None

    @property
    def rows(self) -> int:
        """How many lines the editor shows: the text, and room to go on."""
        return max(20, self.body.count("\n") + 5)

    @property
    def numbers(self) -> range:
        return range(1, self.rows + 1)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a workflow."""
    if request.method != "POST":
        return _begin(request)
    if "stop" in request.POST:
        wishes.stop(request, KIND)
        return redirect("workflow-new")
    return _described(request) if request.POST.get("do") == "describe" else _save(request, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the next version of a workflow."""
    component = get_object_or_404(Component, kind=KIND, pk=pk)
    if request.method == "POST":
        return _save(request, component)
    versions = list(component.versions.order_by("-pk"))
    start = version_named_in(request, "version", versions) or workflow_library.version_of(component)
    return _editor(request, component, _Draft(start.body if start else EXAMPLE))


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Check a text while it is written. Anybody may ask; nothing is stored or run."""
    draft = _Draft(request.POST.get("body", "")[: MAX_CHARS + 1], request.POST.get("workflow", "")[:120])
    return render(request, "agents/workflows/_checked.html", {"draft": draft})


def _begin(request: HttpRequest) -> HttpResponse:
    """The example to start from, and what a model is writing."""
    wished = wishes.shown(request, KIND)
    if request.headers.get("HX-Target") == "written":
        return render(request, "agents/evolution/_wish.html", {"wished": wished, "page": reverse("workflow-new")})
    wish = wished.search.why if wished and wished.search and wished.has_failed else ""
    return _editor(request, None, _Draft(EXAMPLE, wish=wish), wished=wished)


def _described(request: HttpRequest) -> HttpResponse:
    """From a sentence: a worker has a model write it."""
    user: Any = request.user
    wish = wishes.wish_in(request)
    draft = _Draft(EXAMPLE, wish=wish)
    if not wish:
        return _editor(request, None, replace(draft, refused="Say what the workflow should do."), status=422)
    try:
        search = searches.ask_for_new(KIND, wish, by=user)
    except wishes.REFUSED as refused:
        return _editor(request, None, replace(draft, refused=str(refused)), status=422)
    return redirect(f"{reverse('workflow-new')}?search={search.pk}")


def _save(request: HttpRequest, component: Component | None) -> HttpResponse:
    """Store what was written. On refusal the text stays in the editor, with the reason."""
    user: Any = request.user
    changes = request.POST.get("changes", "").replace("\0", "")[:500]
    body = request.POST.get("body", "")[: MAX_CHARS + 1]
    draft = _Draft(body, component.name if component else "", changes)
    if request.POST.get("do") == "check":
        return _editor(request, component, draft)
    try:
        saved = saving.save_workflow(body, by=user, of=component, changes=changes)
    except (WorkflowInvalid, LibraryRefused) as refused:
        status = 403 if isinstance(refused, LibraryRefused) and not refused.field else 422
        return _editor(request, component, replace(draft, refused=str(refused)), status=status)
    version = saved.version
    messages.success(request, f"Version {version.version} of “{version.component.name}” is a candidate.{saved.says}")
    return redirect(f"{reverse('workflow', args=[version.component_id])}?version={version.pk}")


def _editor(
    request: HttpRequest,
    component: Component | None,
    draft: _Draft,
    status: int = 200,
    wished: WriterPage | None = None,
) -> HttpResponse:
    context = {
        "wished": wished,
        "page": reverse("workflow-new"),
        "component": component,
        "draft": replace(draft, name=component.name) if component is not None else draft,
        "writer": asking.budget(),
        "may_write": services.may_write(request.user),
    }
    return render(request, "agents/workflows/edit.html", context, status=status)
