"""The editor of tools: from a sentence, from a piece of Python, or from an example; checked while it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents.components import made_tools, tool_writing
from agents.components.tool_writing import Checked, ToolInvalid
from agents.evolution.candidates import asking, saving, searches
from agents.pages.evolution.search_page import WriterPage
from agents.presentation import tool_page
from agents.toolkit import made, snippets
from agents.toolkit.made import MadeToolFault
from agents.views.library import wishes
from agents.views.library.versions import version_in_use, version_named_in
from library.components import services
from library.errors import LibraryRefused
from library.models import Component

EXAMPLE = snippets.from_code('''def count_words(path):
    """Count the words of a text file.

    >>> count_words("example.txt")
    3
    """
    with open(path, encoding="utf-8") as file:
        return len(file.read().split())
''')


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Make a tool: say what it should do, paste code, or write it in the editor."""
    if request.method != "POST":
        return _begin(request)
    if "stop" in request.POST:
        wishes.stop(request, made_tools.KIND)
        return redirect("tool-new")
    match request.POST.get("do"):
        case "describe":
            return _described(request)
        case "snippet":
            return _from_code(request)
    return _save(request, None)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, name: str) -> HttpResponse:
    """Write the next version of a tool."""
    component = get_object_or_404(Component, kind=made_tools.KIND, name=name)
    if request.method == "POST":
        return _save(request, component)
    versions = list(component.versions.order_by("-pk"))
    start = version_named_in(request, "version", versions) or version_in_use(versions) or versions[0]
    return _editor(request, component, _Draft(start.body))


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Check a text while it is written. Anybody may ask; nothing is stored or run."""
    name = request.POST.get("tool", "")[:120]
    draft = _Draft(request.POST.get("body", "")[: made.MAX_CHARS + 1], name)
    return render(request, "agents/tools/_checked.html", {"draft": draft})


@dataclass(frozen=True)
class _Draft:
    """A text in the editor, with everything its page says about it."""

    body: str
    name: str = ""
    changes: str = ""
    wish: str = ""
    snippet: str = ""
    refused: str = ""
    remark: str = ""

    @cached_property
    def checked(self) -> Checked:
        return tool_writing.check(self.body, instead_of=self.name)

    @property
    def commands(self) -> list[tool_page.ShownCommand]:
        """What the text reads as."""
        return tool_page.shown(self.checked.made.tool) if self.checked.made else []

    @property
    def rows(self) -> int:
        """How many lines the editor shows: the text, and room to go on."""
        return max(20, self.body.count("\n") + 5)

    @property
    def numbers(self) -> range:
        return range(1, self.rows + 1)


def _begin(request: HttpRequest) -> HttpResponse:
    """Nothing written yet: the ways to begin, or what a model is writing."""
    wished = wishes.shown(request, made_tools.KIND)
    if request.headers.get("HX-Target") == "written":
        return render(request, "agents/evolution/_wish.html", {"wished": wished, "page": reverse("tool-new")})
    draft = _Draft(EXAMPLE if "example" in request.GET else "")
    if wished and wished.search and wished.has_failed:
        draft = replace(draft, wish=wished.search.why, snippet=wished.search.snippet)
    return _editor(request, None, draft, wished=wished)


def _described(request: HttpRequest) -> HttpResponse:
    """From a sentence: a worker has a model write it; without one a person gets a draft to fill in."""
    user: Any = request.user
    wish = wishes.wish_in(request)
    snippet = request.POST.get("code", "").replace("\0", "")[: made.MAX_CHARS]
    if not wish:
        return _editor(request, None, _Draft("", refused="Say what the tool should do."), status=422)
    if why_not := asking.budget().why_not:
        remark = f"{why_not} Here is a draft to fill in: its code is yours to write."
        return _editor(request, None, _Draft(snippets.from_description(wish), remark=remark))
    try:
        search = searches.ask_for_new(made_tools.KIND, wish, by=user, snippet=snippet)
    except wishes.REFUSED as refused:
        return _editor(request, None, _Draft("", wish=wish, snippet=snippet, refused=str(refused)), status=422)
    return redirect(f"{reverse('tool-new')}?search={search.pk}")


def _from_code(request: HttpRequest) -> HttpResponse:
    snippet = request.POST.get("code", "").replace("\0", "")[: made.MAX_CHARS]
    try:
        body = snippets.from_code(snippet)
    except MadeToolFault as fault:
        refused = f"Line {fault.line} of the code: {fault.message}."
        return _editor(request, None, _Draft("", snippet=snippet, refused=refused), status=422)
    remark = "Read off the code. Check effect, phrases and trials: they are guesses, and the trials will be run."
    return _editor(request, None, _Draft(body, remark=remark))


def _save(request: HttpRequest, component: Component | None) -> HttpResponse:
    """Store what was written. On refusal the text stays in the editor, with the reason."""
    user: Any = request.user
    changes = request.POST.get("changes", "").replace("\0", "")[:500]
    body = request.POST.get("body", "")
    draft = _Draft(body[: made.MAX_CHARS + 1], component.name if component else "", changes)
    if request.POST.get("do") == "check":
        return _editor(request, component, draft)
    try:
        saved = saving.save_tool(body, by=user, of=component, changes=changes)
    except (ToolInvalid, LibraryRefused) as refused:
        status = 403 if isinstance(refused, LibraryRefused) and not refused.field else 422
        return _editor(request, component, replace(draft, refused=str(refused)), status=status)
    name = saved.version.component.name
    said = f"Version {saved.version.version} of “{name}” is a candidate. Its trials are being run.{saved.says}"
    messages.success(request, said)
    return redirect(f"{reverse('tool', args=[name])}?version={saved.version.pk}")


def _editor(
    request: HttpRequest,
    component: Component | None,
    draft: _Draft,
    status: int = 200,
    wished: WriterPage | None = None,
) -> HttpResponse:
    context = {
        "wished": wished,
        "page": reverse("tool-new"),
        "component": component,
        "draft": replace(draft, name=component.name) if component is not None else draft,
        "writer": asking.budget(),
        "may_write": services.may_write(request.user),
    }
    return render(request, "agents/tools/edit.html", context, status=status)
