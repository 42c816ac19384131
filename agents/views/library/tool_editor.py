"""The editor of tools: from a sentence, from a piece of Python, or from an example; checked while it is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_POST

from agents.components import made_tools, tool_writing
from agents.components.tool_writing import Checked, ToolInvalid
from agents.evolution.candidates import asking, saving
from agents.presentation import tool_page
from agents.toolkit import made, snippets
from agents.toolkit.made import MadeToolFault
from agents.views.library import candidate_editor, wishes
from agents.views.library.candidate_editor import CandidateEditor
from agents.views.library.versions import version_in_use, version_named_in
from library.models import Component

EXAMPLE = snippets.from_code('''def count_words(path):
    """Count the words of a text file.

    >>> count_words("example.txt")
    3
    """
    with open(path, encoding="utf-8") as file:
        return len(file.read().split())
''')


@dataclass(frozen=True)
class Draft(candidate_editor.Draft):
    """A tool's text, and what it reads as."""

    @cached_property
    def checked(self) -> Checked:
        return tool_writing.check(self.body, instead_of=self.name)

    @property
    def commands(self) -> list[tool_page.ShownCommand]:
        """What the text reads as."""
        return tool_page.shown(self.checked.made.tool) if self.checked.made else []


_EDITOR = CandidateEditor(
    kind=made_tools.KIND,
    draft=Draft,
    template="agents/tools/edit.html",
    new_page="tool-new",
    max_chars=made.MAX_CHARS,
    save=saving.save_tool,
    invalid=ToolInvalid,
    saved_remark=" Its trials are being run.",
)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Make a tool: say what it should do, paste code, or write it in the editor."""
    if request.method != "POST":
        return _EDITOR.begin(request, EXAMPLE if "example" in request.GET else "")
    if "stop" in request.POST:
        return _EDITOR.stop(request)
    match request.POST.get("do"):
        case "describe":
            return _described(request)
        case "snippet":
            return _from_code(request)
    return _EDITOR.keep(request, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, name: str) -> HttpResponse:
    """Write the next version of a tool."""
    component = get_object_or_404(Component, kind=made_tools.KIND, name=name)
    if request.method == "POST":
        return _EDITOR.keep(request, component)
    versions = list(component.versions.order_by("-pk"))
    start = version_named_in(request, "version", versions) or version_in_use(versions) or versions[0]
    return _EDITOR.show(request, Draft(start.body), component)


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Check a text while it is written. Anybody may ask; nothing is stored or run."""
    name = request.POST.get("tool", "")[:120]
    draft = Draft(request.POST.get("body", "")[: made.MAX_CHARS + 1], name)
    return render(request, "agents/tools/_checked.html", {"draft": draft})


def _described(request: HttpRequest) -> HttpResponse:
    """From a sentence: a worker has a model write it; without one a person gets a draft to fill in."""
    wish = wishes.wish_in(request)
    if not wish:
        return _EDITOR.refuse(request, Draft(""), "Say what the tool should do.")
    if why_not := asking.budget().why_not:
        remark = f"{why_not} Here is a draft to fill in: its code is yours to write."
        return _EDITOR.show(request, Draft(snippets.from_description(wish), remark=remark))
    return _EDITOR.ask_model(request, Draft("", wish=wish, snippet=_code_in(request)))


def _from_code(request: HttpRequest) -> HttpResponse:
    snippet = _code_in(request)
    try:
        body = snippets.from_code(snippet)
    except MadeToolFault as fault:
        return _EDITOR.refuse(request, Draft("", snippet=snippet), f"Line {fault.line} of the code: {fault.message}.")
    remark = "Read off the code. Check effect, phrases and trials: they are guesses, and the trials will be run."
    return _EDITOR.show(request, Draft(body, remark=remark))


def _code_in(request: HttpRequest) -> str:
    return request.POST.get("code", "").replace("\0", "")[: made.MAX_CHARS]
