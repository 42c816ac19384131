"""A table of the administration whose every change leaves an entry in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from people import journal
from people.journal import Event
from people.models import User

if TYPE_CHECKING:  # Django's own class takes no type arguments when it runs
    AnyTable = admin.ModelAdmin[Any]
else:
    AnyTable = admin.ModelAdmin


class ToldTable(AnyTable):
    """Each change leaves an entry in the journal with the fields that differ, before and after."""

    event: Event
    # Fields that are told of.
    told: tuple[str, ...]

    def told_subject(self, row: Any) -> str:
        """What the entry is about."""
        return f"{row._meta.model_name}:{row.pk}"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        before = self._values(type(obj).objects.get(pk=obj.pk)) if change else {}
        super().save_model(request, obj, form, change)
        self._tell(request, obj, journal.difference(before, self._values(obj)))

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        subject, before = self.told_subject(obj), self._values(obj)
        super().delete_model(request, obj)
        self._tell(request, obj, journal.difference(before, {}), subject)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        """One by one, each with its entry."""
        for row in queryset:
            self.delete_model(request, row)

    def _tell(self, request: HttpRequest, row: Any, changed: dict[str, Any], subject: str = "") -> None:
        if changed:
            by = cast(User, request.user)
            journal.record(self.event, by=by, subject=subject or self.told_subject(row), data=changed)

    def _values(self, row: Any) -> dict[str, Any]:
        found = {name: getattr(row, name) for name in self.told}
        return {name: str(value) if isinstance(value, Model) else value for name, value in found.items()}
