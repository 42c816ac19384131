"""The editor of workflows: checked and drawn while they are written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_POST

from agents.bdi.workflows.checking import Checked
from agents.bdi.workflows.reading import MAX_CHARS
from agents.components import workflow_library
from agents.components.workflow_library import KIND, WorkflowInvalid
from agents.evolution.candidates import saving
from agents.pages.library import flow_page
from agents.presentation.flow_graph import Graph
from agents.views.library import candidate_editor, wishes
from agents.views.library.candidate_editor import CandidateEditor
from agents.views.library.versions import version_named_in
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
class Draft(candidate_editor.Draft):
    """A workflow's text, checked and drawn."""

    @cached_property
    def checked(self) -> Checked:
        return workflow_library.check(self.body, instead_of=self.name)

    @property
    def graph(self) -> Graph | None:
        bound = self.checked.bound
        return flow_page.drawn(bound) if bound is not None and bound.steps else None


_EDITOR = CandidateEditor(
    kind=KIND,
    draft=Draft,
    template="agents/workflows/edit.html",
    new_page="workflow-new",
    max_chars=MAX_CHARS,
    save=saving.save_workflow,
    invalid=WorkflowInvalid,
)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a workflow, or have a model write it."""
    if request.method != "POST":
        return _EDITOR.begin(request, EXAMPLE)
    if "stop" in request.POST:
        return _EDITOR.stop(request)
    if request.POST.get("do") != "describe":
        return _EDITOR.keep(request, None)
    draft = Draft(EXAMPLE, wish=wishes.wish_in(request))
    if not draft.wish:
        return _EDITOR.refuse(request, draft, "Say what the workflow should do.")
    return _EDITOR.ask_model(request, draft)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the next version of a workflow."""
    component = get_object_or_404(Component, kind=KIND, pk=pk)
    if request.method == "POST":
        return _EDITOR.keep(request, component)
    versions = list(component.versions.order_by("-pk"))
    start = version_named_in(request, "version", versions) or workflow_library.version_of(component)
    return _EDITOR.show(request, Draft(start.body if start else EXAMPLE), component)


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Check a text while it is written. Anybody may ask; nothing is stored or run."""
    draft = Draft(request.POST.get("body", "")[: MAX_CHARS + 1], request.POST.get("workflow", "")[:120])
    return render(request, "agents/workflows/_checked.html", {"draft": draft})
