"""What is tuned, in the administration: the versions of each kind, the same checks, and the way back.

The pages at /tuning/ do the same and try a value on past cases first; each row leads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from agents.models import (
    BacklogRules,
    EntailmentThresholds,
    FailureRule,
    ParameterRule,
    ParameterSettings,
    PathMapping,
    RecoveryPolicy,
    RecoverySetting,
)
from agents.record.errors import NotPossibleNow, TuningRefused
from agents.tuning import versions
from agents.tuning.kinds import Field, Kind
from people.models import User

if TYPE_CHECKING:  # Django's own classes take no type arguments when they run
    AnyForm = forms.ModelForm[Any]
    AnyTable = admin.ModelAdmin[Any]
else:
    AnyForm, AnyTable = forms.ModelForm, admin.ModelAdmin


class _Form(AnyForm):
    """The fields of a kind, checked by the kind itself."""

    kind: ClassVar[Kind]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        given = {field.name: data[field.name] for field in self.kind.fields}
        try:
            checked = versions.cleaned(self.kind, given)
        except TuningRefused as refused:
            for name, message in refused.errors.items():
                self.add_error(name or None, message)
            return data
        counting = versions.about(self.kind, checked.values)
        if counting is not None and counting.values == checked.values:
            self.add_error(None, "These values are already in use; there is nothing to save.")
        return {**data, **checked.values}


def _field(field: Field) -> forms.Field | None:
    """A field of the form where the model's own would let in what the kind refuses; None: the model's own."""
    if field.type == "choice":
        choices = ([("", "every one")] if field.blank else []) + list(field.choices)
        return forms.ChoiceField(choices=choices, required=not field.blank, label=field.label, help_text=field.hint)
    if field.type == "choices":
        many = forms.CheckboxSelectMultiple
        return forms.MultipleChoiceField(
            choices=field.choices, required=False, widget=many, label=field.label, help_text=field.hint
        )
    return None


def _form(kind: Kind) -> type[forms.ModelForm[Any]]:
    own = {field.name: made for field in kind.fields if (made := _field(field)) is not None}
    meta = type("Meta", (), {"model": kind.model, "fields": [field.name for field in kind.fields] + ["note"]})
    return cast("type[forms.ModelForm[Any]]", type("Form", (_Form,), {**own, "kind": kind, "Meta": meta}))


class _Versions(AnyTable):
    """Rows of saved versions: opening one shows it, saving it makes the next version, and nothing is deleted."""

    kind: ClassVar[Kind]
    readonly_fields = ("by", "at")
    list_select_related = ("by",)
    show_full_result_count = False
    list_per_page = 50
    actions = ("let_count_again",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Each with the number of the version that counts."""
        same = {f"{name}__iexact" if name == "said" else name: OuterRef(name) for name in self.kind.key}
        newest = self.kind.model._default_manager.filter(**same).order_by("-pk").values("pk")[:1]
        return super().get_queryset(request).annotate(newest=Subquery(newest))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        usual = self.kind.all_usual()
        one = versions.about(self.kind, usual[0]) if usual and not self.kind.key else None
        return dict(one.values) if one is not None else {}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        values = self.kind.of(obj)
        try:
            saved = versions.save(self.kind, values, by=cast(User, request.user), note=obj.note)
            obj.pk = saved.version
        except NotPossibleNow as late:  # somebody saved the same since the form was checked
            self.message_user(request, str(late), messages.WARNING)
            obj.pk = self.kind.rows_about(values)[0].pk
        obj._state.adding = False

    @admin.action(description="Restore this version", permissions=["change"])
    def let_count_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """The way back, for one version at a time."""
        if queryset.count() != 1:
            self.message_user(request, "Choose one version.", messages.WARNING)
            return
        row = queryset[0]
        one = versions.about(self.kind, self.kind.of(row))
        if one is None:
            return
        try:
            versions.revert(one, row.pk, by=cast(User, request.user))
        except (NotPossibleNow, TuningRefused) as error:
            self.message_user(request, f"Nothing was changed. {error}", messages.ERROR)
        else:
            self.message_user(request, "Restored. It is used from the next decision on.", messages.SUCCESS)

    @admin.display(description="counts", boolean=True)
    def counts(self, row: Any) -> bool:
        """Whether this version is the newest about the same."""
        return bool(row.newest == row.pk)

    @admin.display(description="history and trial")
    def tried(self, row: Any) -> str:
        """The page that tries a value on past cases, and shows what was saved before."""
        address = reverse("tuning-one", args=[self.kind.name, self.kind.ref_of(self.kind.of(row), row)])
        return format_html('<a href="{}">try on past cases</a>', address)


def _registered(model: Any, searched: tuple[str, ...] = (), filtered: tuple[str, ...] = ()) -> type[_Versions]:
    kind = next(kind for kind in versions.KINDS if kind.model is model)
    names = tuple(field.name for field in kind.fields)[:6]
    shown = (*(names if kind.key else ("id", *names)), "counts", "at", "by", "note", "tried")
    body = {"kind": kind, "form": _form(kind), "list_display": shown, "search_fields": searched}
    made = cast("type[_Versions]", type(f"{model.__name__}Admin", (_Versions,), {**body, "list_filter": filtered}))
    admin.site.register(model, made)
    return made


ParameterSettingsAdmin = _registered(ParameterSettings)
PathMappingAdmin = _registered(PathMapping, searched=("said", "path"))
ParameterRuleAdmin = _registered(ParameterRule, filtered=("tool",))
RecoverySettingAdmin = _registered(RecoverySetting, searched=("name",))
RecoveryPolicyAdmin = _registered(RecoveryPolicy, filtered=("failure_class",))
FailureRuleAdmin = _registered(FailureRule, searched=("name",))
BacklogRulesAdmin = _registered(BacklogRules)
EntailmentThresholdsAdmin = _registered(EntailmentThresholds)
