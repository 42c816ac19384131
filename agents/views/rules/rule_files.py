"""Rules as files: a download of those in use, and an import that shows what it changes before it saves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from agents.components import rule_files
from agents.components.rule_files import Comparison, Entry
from agents.components.rule_writing import RuleInvalid
from agents.evolution.candidates import rule_import
from agents.presentation.line_diff import LineDiff, compare
from agents.record.errors import NotPossibleNow
from agents.views.streams import as_attachment
from library.components import services
from library.errors import LibraryRefused

# One character has at most four bytes in UTF-8.
_MAX_BYTES = 4 * rule_files.MAX_CHARS


@dataclass(frozen=True)
class _Offered:
    """A text that may be imported, as its page shows it."""

    text: str
    refused: str = ""

    @cached_property
    def found(self) -> Comparison | None:
        return rule_files.compare(self.text) if self.text.strip() and not self.refused else None

    @property
    def changes(self) -> list[tuple[Entry, LineDiff]]:
        """What would be saved, each with its difference."""
        entries = self.found.to_save if self.found else []
        return [(entry, compare(entry.before, entry.after)) for entry in entries]

    @property
    def same(self) -> list[Entry]:
        return [entry for entry in self.found.entries if entry.kind == rule_files.SAME] if self.found else []


@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """The rules in use, as one file."""
    text = rule_files.export()
    return as_attachment(HttpResponse(text, content_type="text/plain; charset=utf-8"), "rules.plan")


@require_http_methods(["GET", "HEAD", "POST"])
def take_in(request: HttpRequest) -> HttpResponse:
    """Show what a file or a text would change; save it when asked to."""
    user: Any = request.user
    if not services.may_write(user):
        raise PermissionDenied("Only a reviewer, operator or developer can import rules.")
    offered = _offered(request)
    do = request.POST.get("do", "")
    if do not in ("save", "activate") or offered.refused:
        return _page(request, offered)
    try:
        imported = rule_import.take_in(offered.text, by=user, activate=do == "activate", changes="imported from a file")
    except RuleInvalid:
        return _page(request, offered)
    except (LibraryRefused, NotPossibleNow) as refused:
        return _page(request, _Offered(offered.text, str(refused)))
    for one in imported:
        if one.saved is not None:
            messages.success(request, one.says)
    if all(one.saved is None for one in imported):
        messages.info(request, "Nothing was saved: the library has all of these rules already.")
    return redirect("rules")


def _offered(request: HttpRequest) -> _Offered:
    """The text of the form; a file that was chosen takes its place."""
    text = request.POST.get("text", "")
    file = request.FILES.get("file")
    if file is None:
        return _Offered(text)
    if (file.size or 0) > _MAX_BYTES:
        return _Offered(text, f"The file has more than {rule_files.MAX_CHARS:,} characters. Split it into several.")
    try:
        # Some editors begin a file with a mark that is no part of its text.
        return _Offered(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _Offered(text, "The file is not UTF-8 text. Save it as UTF-8, then choose it again.")


def _page(request: HttpRequest, offered: _Offered) -> HttpResponse:
    context = {"offered": offered, "may_activate": services.may_activate(request.user)}
    is_wrong = bool(offered.refused or (offered.found and offered.found.errors))
    return render(request, "agents/rules/import.html", context, status=422 if is_wrong else 200)
