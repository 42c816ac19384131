"""The library in the administration: to look at. Versions change through their page, where rights and checks hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from library.models import Component, ComponentVersion, Experience

if TYPE_CHECKING:  # Django's own classes take no type arguments when they run
    VersionTable = admin.TabularInline[ComponentVersion, Component]
    ComponentTable = admin.ModelAdmin[Component]
    VersionsTable = admin.ModelAdmin[ComponentVersion]
    ExperienceTable = admin.ModelAdmin[Experience]
else:
    VersionTable = admin.TabularInline
    ComponentTable = VersionsTable = ExperienceTable = admin.ModelAdmin


class _LookOnly:
    """A change here would pass by the services, and say something about the past that never was."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class VersionInline(_LookOnly, VersionTable):
    model = ComponentVersion
    fields = ("version", "status", "origin", "created_by", "created_at", "uses", "successes", "failures")
    show_change_link = True


@admin.register(Component)
class ComponentAdmin(_LookOnly, ComponentTable):
    list_display = ("name", "kind", "created_at")
    list_filter = ("kind",)
    search_fields = ("name",)
    inlines = (VersionInline,)


@admin.register(ComponentVersion)
class ComponentVersionAdmin(_LookOnly, VersionsTable):
    list_display = ("component", "version", "status", "origin", "uses", "successes", "failures", "last_used_at")
    list_filter = ("status", "origin", "component__kind")
    search_fields = ("component__name", "body")
    list_select_related = ("component",)
    exclude = ("content_embedding", "applicability_embedding")


@admin.register(Experience)
class ExperienceAdmin(_LookOnly, ExperienceTable):
    """May be forgotten here too; never rewritten."""

    list_display = ("primary_goal_description", "final_outcome", "owner", "timestamp")
    list_filter = ("final_outcome",)
    search_fields = ("primary_goal_description", "output_summary", "goal_ref")
    list_select_related = ("owner",)
    exclude = tuple(field.name for field in Experience._meta.get_fields() if field.name.endswith("_embedding"))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return ExperienceTable.has_delete_permission(self, request, obj)
