"""What the editors of tools and workflows share: a text with its remarks, a wish that a model writes, and saving."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from agents.evolution.candidates import asking, searches
from agents.evolution.candidates.saving import Saved
from agents.pages.evolution.search_page import WriterPage
from agents.pages.library.component_page import page_of
from agents.views.library import wishes
from library.components import services
from library.errors import LibraryRefused
from library.models import Component


@dataclass(frozen=True)
class Draft:
    """A text in the editor, with everything its page says about it."""

    body: str
    name: str = ""
    changes: str = ""
    wish: str = ""
    snippet: str = ""
    refused: str = ""
    remark: str = ""

    @property
    def rows(self) -> int:
        """How many lines the editor shows: the text, and room to go on."""
        return max(20, self.body.count("\n") + 5)

    @property
    def numbers(self) -> range:
        return range(1, self.rows + 1)


_Draft = TypeVar("_Draft", bound=Draft)


@dataclass(frozen=True)
class CandidateEditor(Generic[_Draft]):
    """The editor of one kind of component.

    `new_page` is the name of the address where a new one is begun; `save` raises `invalid` with what is wrong with a
    text, and `saved_remark` is told of one that was kept.
    """

    kind: str
    draft: Callable[..., _Draft]
    template: str
    new_page: str
    max_chars: int
    save: Callable[..., Saved]
    invalid: type[Exception]
    saved_remark: str = ""

    def show(
        self,
        request: HttpRequest,
        draft: _Draft,
        component: Component | None = None,
        *,
        status: int = 200,
        wished: WriterPage | None = None,
    ) -> HttpResponse:
        """The page with this draft; without `component` it is of a new one."""
        context = {
            "wished": wished,
            "page": reverse(self.new_page),
            "component": component,
            "draft": replace(draft, name=component.name) if component is not None else draft,
            "max_chars": self.max_chars,
            "writer": asking.budget(),
            "may_write": services.may_write(request.user),
        }
        return render(request, self.template, context, status=status)

    def begin(self, request: HttpRequest, body: str) -> HttpResponse:
        """Nothing written yet: a text to start from, and what a model is writing. A wish that failed stays typed."""
        wished = wishes.shown(request, self.kind)
        if request.headers.get("HX-Target") == "written":
            return render(request, "agents/evolution/_wish.html", {"wished": wished, "page": reverse(self.new_page)})
        draft = self.draft(body)
        if wished and wished.search and wished.has_failed:
            draft = replace(draft, wish=wished.search.why, snippet=wished.search.snippet)
        return self.show(request, draft, wished=wished)

    def stop(self, request: HttpRequest) -> HttpResponse:
        """Stop what a model writes for this person."""
        wishes.stop(request, self.kind)
        return redirect(self.new_page)

    def ask_model(self, request: HttpRequest, draft: _Draft) -> HttpResponse:
        """Have a worker ask a model for what the draft wishes."""
        user: Any = request.user
        try:
            search = searches.ask_for_new(self.kind, draft.wish, by=user, snippet=draft.snippet)
        except wishes.REFUSED as refused:
            return self.refuse(request, draft, str(refused))
        return redirect(f"{reverse(self.new_page)}?search={search.pk}")

    def keep(self, request: HttpRequest, component: Component | None) -> HttpResponse:
        """Store what was written, or only check it. On refusal the text stays in the editor, with the reason."""
        user: Any = request.user
        changes = request.POST.get("changes", "").replace("\0", "")[:500]
        # Kept whole: browsers send two characters for the end of a line, of which one counts.
        body = request.POST.get("body", "")
        draft = self.draft(body[: self.max_chars + 1], component.name if component else "", changes)
        if request.POST.get("do") == "check":
            return self.show(request, draft, component)
        try:
            saved = self.save(body, by=user, of=component, changes=changes)
        except self.invalid as invalid:
            return self.refuse(request, draft, str(invalid), component)
        except LibraryRefused as refused:
            return self.refuse(request, draft, str(refused), component, status=422 if refused.field else 403)
        version = saved.version
        said = f"Version {version.version} of “{version.component.name}” is a candidate.{self.saved_remark}{saved.says}"
        messages.success(request, said)
        return redirect(f"{page_of(version.component)}?version={version.pk}")

    def refuse(
        self, request: HttpRequest, draft: _Draft, why: str, component: Component | None = None, *, status: int = 422
    ) -> HttpResponse:
        """The page again, with the reason."""
        return self.show(request, replace(draft, refused=why), component, status=status)
