"""People and tokens in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import Group
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from people import tokens
from people.forms import RolesForm
from people.models import ApiToken, User
from people.roles import Role

# Roles are what mindX knows; groups beside them would promise rights that nothing asks for.
admin.site.unregister(Group)


@login_not_required
def enter(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """The admin has no login of its own: one page counts failures, and whoever is no admin is told so."""
    if request.user.is_authenticated:
        raise PermissionDenied("The admin pages are for admins.")
    return redirect_to_login(request.GET.get("next") or "/admin/")


admin.site.login = enter  # type: ignore[method-assign]


@admin.register(User)
class PersonAdmin(UserAdmin):
    """People with their roles as boxes to tick; Django's own permission switches follow the role admin."""

    form = RolesForm
    list_display = ["username", "display_name", "spoken_roles", "is_active", "last_login"]
    list_filter = ["is_active"]
    filter_horizontal = []
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Name", {"fields": ["first_name", "last_name", "email"]}),
        ("What they may do", {"fields": ["roles", "is_active"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined"]

    @admin.display(description="roles")
    def spoken_roles(self, user: User) -> str:
        """The roles as words."""
        return ", ".join(user.roles)

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Keep `is_staff` and `is_superuser` equal to the role admin."""
        obj.is_staff = obj.is_superuser = Role.ADMIN in obj.roles
        super().save_model(request, obj, form, change)


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Every token of everybody: to look at and to revoke. Tokens are made by their own people only."""

    list_display = ["name", "user", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["revoked_at", "user"]
    list_select_related = ["user"]
    actions = ["revoke_chosen"]

    @admin.action(description="Revoke the chosen tokens")
    def revoke_chosen(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> None:
        """End them now."""
        for token in chosen.select_related("user"):
            tokens.revoke(token)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody makes a token for somebody else."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        """Read only; the action revokes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        """A revoked token stays on record."""
        return False
