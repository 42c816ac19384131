"""Forms of people."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UserChangeForm, UsernameField
from django.core.exceptions import ValidationError

from people import scopes
from people.models import User
from people.roles import Role
from people.scopes import MEANINGS


class EntryForm(AuthenticationForm):
    """Name and password. One sentence for every reason of failing, so that nobody learns which names exist."""

    error_messages = {
        "invalid_login": "Wrong name or password.",
        "inactive": "Wrong name or password.",
    }
    # Django only tells the browser how long a name may be; a longer one would not fit into the record of failures.
    username = UsernameField(max_length=150)
    stay = forms.BooleanField(required=False)


class TokenForm(forms.Form):
    """What a new API token is called, what it may do and how long it lives."""

    LIFETIMES = [("30", "30 days"), ("90", "90 days"), ("365", "1 year"), ("", "never")]

    name = forms.CharField(max_length=100, label="Name", help_text="What uses it, for example the build server")
    days = forms.ChoiceField(choices=LIFETIMES, required=False, initial="90", label="Expires after")
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Scopes",
        error_messages={"required": "Choose at least one scope."},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grantable = scopes.grantable_to(user)
        boxes = cast(forms.MultipleChoiceField, self.fields["scopes"])
        boxes.choices = [(scope.value, MEANINGS[scope]) for scope in grantable]
        boxes.initial = [scope.value for scope in grantable]

    def clean_days(self) -> int | None:
        """Days as a number; None without an end."""
        return int(self.cleaned_data["days"]) if self.cleaned_data["days"] else None


ROLE_MEANINGS: dict[Role, str] = {
    Role.SUBMITTER: "submitter: submits goals",
    Role.REVIEWER: "reviewer: sees every goal, approves or rejects plans",
    Role.OPERATOR: "operator: sees every goal, tunes, pauses agents",
    Role.DEVELOPER: "developer: adds tools, rules and components",
    Role.ADMIN: "admin: everything, these pages included",
}


class RolesForm(UserChangeForm):
    """A person's roles as boxes to tick."""

    roles = forms.MultipleChoiceField(
        choices=[(role.value, meaning) for role, meaning in ROLE_MEANINGS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Without a role a person can log in, but cannot see what belongs to others.",
    )

    class Meta(UserChangeForm.Meta):
        model = User
        fields = ["username", "first_name", "last_name", "email", "roles", "is_active"]  # type: ignore[assignment]  # the stubs know a tuple only

    def clean(self) -> dict[str, Any]:
        """Refuse to leave mindX without anybody who could give roles."""
        cleaned = super().clean() or {}
        stays_admin = Role.ADMIN in cleaned.get("roles", []) and cleaned.get("is_active", True)
        others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=self.instance.pk)
        if self.instance.pk and self.instance.is_superuser and not stays_admin and not others.exists():
            raise ValidationError("This is the last active admin. Give another person the admin role first.")
        return cleaned
