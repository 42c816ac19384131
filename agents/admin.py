"""The mind's rows in the administration. What was decided or what happened is for looking at, never for changing.

Changeable is only what stands for nothing that has happened: which tools an agent may use and whether it is paused, the
ceilings of plans yet to be proposed, a workspace's owner and quota.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html

from agents.actors import budgets, pauses
from agents.bdi.recovery.recovery import FailureClass
from agents.forms.limits import ToolLimitForm
from agents.models import (
    Agent,
    Attempt,
    Belief,
    Goal,
    Intent,
    IntentPlan,
    Lesson,
    LogExpiry,
    Plan,
    Standstill,
    ToolLimit,
    Transition,
    Workspace,
)
from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.limits import BOUNDS, in_words
from agents.tuning.admin import (
    BacklogRulesAdmin,
    EntailmentThresholdsAdmin,
    FailureRuleAdmin,
    ParameterRuleAdmin,
    ParameterSettingsAdmin,
    PathMappingAdmin,
    RecoveryPolicyAdmin,
    RecoverySettingAdmin,
)
from agents.tuning.lessons import Taught
from people.journal import Event
from people.told_admin import ToldTable

__all__ = [
    "BacklogRulesAdmin",
    "EntailmentThresholdsAdmin",
    "FailureRuleAdmin",
    "ParameterRuleAdmin",
    "ParameterSettingsAdmin",
    "PathMappingAdmin",
    "RecoveryPolicyAdmin",
    "RecoverySettingAdmin",
]

_PER_PAGE = 50
_MOST_PAGES = 200
_WAITING_COUNTED = 100
_OUTCOMES = ("succeeded", "failed", "cancelled", "lost", "unavailable", "refused", "interrupted", "waiting")
_BELIEVED_FROM = ("perception", "person", "inference", "experience", "default")

if TYPE_CHECKING:  # Django's own classes take no type arguments when they run
    AnyTable = admin.ModelAdmin[Any]
    Pages = Paginator[Any]
    IntentTable = admin.TabularInline[Intent, IntentPlan]
else:
    AnyTable = admin.ModelAdmin
    Pages = Paginator
    IntentTable = admin.TabularInline


class _NothingVanishes:
    """Rows are neither made nor deleted here: goals refer to them, and services make them with their checks."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _LookOnly(_NothingVanishes):
    """A change here would pass by `move`, the gate and the log, and say something that never was."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _FewPages(Pages):
    """Counts no further than anybody turns pages: an exact count reads the whole table for each of them."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # the stubs know no table
        return rows.order_by()[: _PER_PAGE * _MOST_PAGES].count()


class _LookOnlyTable(_LookOnly, AnyTable):
    show_full_result_count = False
    list_per_page = _PER_PAGE
    paginator = _FewPages


def _one_of(field: str, known: Iterable[str]) -> type[admin.SimpleListFilter]:
    """A filter by what can stand in a column. By default Django asks the whole table what does."""
    values = [str(one) for one in known]

    class OneOf(admin.SimpleListFilter):
        title = parameter_name = field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return [(value, value.replace("_", " ")) for value in values]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            return queryset.filter(**{field: self.value()}) if self.value() in values else queryset

    return OneOf


@admin.register(Agent)
class AgentAdmin(_NothingVanishes, ToldTable):
    event, told = (
        Event.AGENT,
        (
            "tools",
            "paused",
            "review_design",
            "review_selection",
            "people_only",
            "framework",
            "uses_model",
            "model",
            "firmware_domain",
            "max_repair_attempts",
            "tokens_per_day",
            "cost_per_day",
        ),
    )
    list_display = ("name", "paused", "review_design", "review_selection", "people_only", "uses_model", "used_today")
    readonly_fields = ("name", "created_at", "used_today")

    def told_subject(self, row: Agent) -> str:
        return f"agent:{row.name}"

    @admin.display(description="used by its models today (UTC)")
    def used_today(self, row: Agent) -> str:
        (budget,) = budgets.today([row])
        waiting = budgets.waiting(row)[:_WAITING_COUNTED].count()
        more = "+" if waiting == _WAITING_COUNTED else ""
        paused = f"; {waiting}{more} goal{'s' * (waiting != 1)} put off to tomorrow: raise it, and plan them now"
        return budget.words + (paused if waiting else "")


@admin.register(Standstill)
class StandstillAdmin(ToldTable):
    """Adding the row lets nothing begin anywhere; deleting it lets everything go on."""

    event, told = Event.STANDSTILL, ("reason",)
    list_display = ("reason", "by", "since")
    list_select_related = ("by",)
    readonly_fields = ("by", "since")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and pauses.standstill() is None

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.by = request.user
        super().save_model(request, obj, form, change)

    def told_subject(self, row: Standstill) -> str:
        return "mindx:all"


@admin.register(ToolLimit)
class ToolLimitAdmin(ToldTable):
    """Rows that only bound what is proposed from now on, so they may come and go."""

    event, told = Event.LIMIT, ("agent", "tool", *BOUNDS)
    form = ToolLimitForm
    list_display = ("whose", "which", "ceilings_in_words")
    list_display_links = ("whose", "which")
    list_select_related = ("agent",)
    list_filter = ("agent",)
    fieldsets = (
        (
            None,
            {
                "fields": ("agent", "tool"),
                "description": "Field by field the most specific row decides: an agent with a tool, an agent, a tool, "
                "everybody. It holds for plans that are proposed from now on; a plan in review or approved keeps the "
                "limits that stand in it.",
            },
        ),
        ("Limits of a step", {"fields": tuple(BOUNDS)}),
    )

    @admin.display(description="agent", ordering="agent__name")
    def whose(self, row: ToolLimit) -> str:
        return row.agent.name if row.agent else "every agent"

    @admin.display(description="tool", ordering="tool")
    def which(self, row: ToolLimit) -> str:
        return row.tool or "every tool"

    @admin.display(description="limits")
    def ceilings_in_words(self, row: ToolLimit) -> str:
        stated = [
            f"{name.removesuffix('_bytes').removesuffix('_s')} {in_words(name, value)}"
            for name, value in row.ceilings().items()
            if value is not None
        ]
        return ", ".join(stated) or "nothing"


@admin.register(Workspace)
class WorkspaceAdmin(_NothingVanishes, ToldTable):
    event, told = Event.WORKSPACE_SETTINGS, ("owner", "quota_bytes")
    list_display = ("name", "owner", "quota_bytes", "changed_at")
    list_select_related = ("owner",)
    search_fields = ("name",)
    # The head is moved by the services, under the lease of a running plan.
    readonly_fields = ("name", "head", "created_at", "changed_at")
    autocomplete_fields = ("owner",)
    show_full_result_count = False

    def told_subject(self, row: Workspace) -> str:
        return f"workspace:{row.name}"


@admin.register(Goal)
class GoalAdmin(_LookOnlyTable):
    list_display = ("id", "text", "state", "reason", "submitted_by", "priority", "created_at")
    list_filter = (_one_of("state", GoalState),)
    list_select_related = ("submitted_by",)
    search_fields = ("text",)


class _IntentRows(_LookOnly, IntentTable):
    model = Intent
    fields = ("position", "phase", "tool", "command", "effect", "state", "reason")
    show_change_link = True


@admin.register(IntentPlan)
class IntentPlanAdmin(_LookOnlyTable):
    list_display = ("id", "goal_id", "revision", "state", "digest", "queued_at")
    list_filter = (_one_of("state", PlanState),)
    search_fields = ("digest",)
    exclude = ("document",)
    inlines = (_IntentRows,)


@admin.register(Plan)
class PlanAdmin(_LookOnlyTable):
    list_display = ("id", "goal_id", "number", "source", "by", "created_at")
    list_filter = ("source",)
    list_select_related = ("by",)


@admin.register(Intent)
class IntentAdmin(_LookOnlyTable):
    list_display = ("id", "intent_plan_id", "position", "tool", "command", "state")
    list_filter = (_one_of("state", IntentState),)


@admin.register(Attempt)
class AttemptAdmin(_LookOnlyTable):
    list_display = ("id", "intent_id", "number", "worker", "started", "finished", "outcome", "failure_class")
    list_filter = (_one_of("outcome", _OUTCOMES), _one_of("failure_class", FailureClass))


@admin.register(Belief)
class BeliefAdmin(_LookOnlyTable):
    list_display = ("id", "goal_id", "sentence", "source", "confidence", "at")
    list_filter = (_one_of("source", _BELIEVED_FROM),)
    search_fields = ("sentence",)


@admin.register(Transition)
class TransitionAdmin(_LookOnlyTable):
    list_display = ("id", "goal_id", "intent_plan_id", "old", "new", "by", "reason", "at")
    list_filter = (_one_of("new", sorted({*GoalState, *PlanState})),)


@admin.register(Lesson)
class LessonAdmin(_LookOnlyTable):
    """Every version of what people taught. It came of an edit, so none is made here; one is ended on its own page,
    where it is said what holds for everybody beside it.
    """

    list_display = ("id", "state", "kind", "teacher", "says", "at", "by", "note", "page")
    list_filter = (_one_of("state", Lesson.State.values), _one_of("kind", Lesson.Kind.values))
    list_select_related = ("teacher", "by")
    search_fields = ("said", "path", "tool", "command", "parameter", "teacher__username")

    @admin.display(description="what it says")
    def says(self, row: Lesson) -> str:
        taught = Taught.of(row)
        return f"{taught.title} {taught.summary}"

    @admin.display(description="history, end, trial")
    def page(self, row: Lesson) -> str:
        """Where it is taken back, or promoted after a trial."""
        return format_html('<a href="{}">open its page</a>', row.get_absolute_url())


@admin.register(LogExpiry)
class LogExpiryAdmin(_LookOnlyTable):
    list_display = ("first_goal", "last_goal", "keep_days", "at")
    ordering = ("-id",)
