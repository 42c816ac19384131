"""People and tokens in the admin."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import Group
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from people import journal, tokens
from people.forms import RolesForm
from people.journal import Event
from people.models import ApiToken, User
from people.roles import Role

# Roles are what mindX knows; groups beside them would promise rights that nothing asks for.
admin.site.unregister(Group)
# allauth's accounts are not used either (docs/decisions/0031).
for _unused in (EmailAddress, SocialAccount, SocialApp, SocialToken):
    admin.site.unregister(_unused)


@login_not_required
def enter(request: HttpRequest, extra_context: object = None) -> HttpResponse:
    """The admin has no login of its own: one page counts failures, and whoever is no admin is told so."""
    if request.user.is_authenticated:
        raise PermissionDenied("The admin pages are for admins.")
    return redirect_to_login(request.GET.get("next") or "/admin/")


admin.site.login = enter  # type: ignore[method-assign]  # one way to log in


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
        ("What they may do", {"fields": ["roles", "given_by_groups", "is_active"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    readonly_fields = ["last_login", "date_joined", "given_by_groups"]

    @admin.display(description="roles given by groups")
    def given_by_groups(self, user: User) -> str:
        """What each sign-in with a provider gives and takes; the other roles are given here."""
        found = user.external_logins.order_by("pk") if user.pk else ()
        return "; ".join(f"{', '.join(login.group_roles) or 'none'}, by {login.issuer}" for login in found) or "none"

    @admin.display(description="roles")
    def spoken_roles(self, user: User) -> str:
        """The roles as words."""
        return ", ".join(user.roles)

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm, change: bool) -> None:
        """Keep `is_staff` and `is_superuser` equal to the role admin, and tell the journal who changed what."""
        obj.is_staff = obj.is_superuser = Role.ADMIN in obj.roles
        before = _audited(User.objects.get(pk=obj.pk)) if change else {}
        super().save_model(request, obj, form, change)
        event = Event.PERSON_CHANGED if change else Event.PERSON_MADE
        if changed := journal.difference(before, _audited(obj)):
            journal.record(event, by=_asking(request), subject=f"person:{obj.username}", data=changed)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """Only somebody who never did anything can be removed; who did is switched off instead."""
        told = {"before": _audited(obj), "after": {}}
        super().delete_model(request, obj)
        journal.record(Event.PERSON_REMOVED, by=_asking(request), subject=f"person:{obj.username}", data=told)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """One by one, each with its entry."""
        for person in queryset:
            self.delete_model(request, person)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """As Django does it; a password that was set, or taken away, leaves an entry."""
        with transaction.atomic():
            before = User.objects.filter(pk=id).values_list("password", flat=True).first()
            response: HttpResponse = super().user_change_password(request, id, form_url)
            person = User.objects.filter(pk=id).first()
            if person is not None and person.password != before:
                journal.record(Event.PASSWORD, by=_asking(request), subject=f"person:{person.username}")
        return response


def _audited(user: User) -> dict[str, Any]:
    """What of a person bears on what they may do."""
    return {"username": user.username, "email": user.email, "roles": list(user.roles), "active": user.is_active}


def _asking(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  # tells the type, guards nothing
    return request.user


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
            tokens.revoke(token, by=_asking(request))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody makes a token for somebody else."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        """Read only; the action revokes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        """A revoked token stays on record."""
        return False
