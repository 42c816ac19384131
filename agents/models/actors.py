"""Agents, and the limits of their tools."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from agents.bdi.intentions.commitment import Commitment
from agents.models.common import one_of
from agents.toolkit.frameworks import FRAMEWORKS, OWN
from agents.toolkit.limits import BOUNDS, Number, in_words

MOST_REPAIRS = 10
# The agent that has the goals which name none.
DEFAULT_AGENT = "mindx"


class Agent(models.Model):
    """An autonomous agent: which tools it may use and whether it may act at the moment."""

    name = models.CharField(max_length=64, unique=True)
    # Names of the tools it may use; empty means every registered one.
    tools = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    paused = models.BooleanField(default=False)
    # What people review before there is a plan. Plans themselves are always reviewed.
    review_design = models.BooleanField(
        "review written designs",
        default=False,
        help_text="A goal that comes with a design is planned only after a reviewer approved the design.",
    )
    review_selection = models.BooleanField(
        "review the choice of rules",
        default=False,
        help_text="After a rule was chosen, a reviewer confirms it or chooses another that applies, before the plan.",
    )
    people_only = models.BooleanField(
        "plans are decided by people only",
        default=False,
        help_text="On: no policy approves a plan of this agent. Off: a policy in force may, as far as it reaches;"
        " without one a person decides every plan all the same.",
    )
    # Who works on its goals.
    framework = models.CharField(
        max_length=32,
        default=OWN,
        db_default=OWN,
        choices=[(one.name, one.label) for one in FRAMEWORKS.values()],
        help_text="mindX plans its goals, or an agent of this framework works on them. Each of its calls is reviewed.",
    )
    # Which language model plans where no rule does.
    uses_model = models.BooleanField(
        "a model plans where no rule does",
        default=True,
        db_default=True,
        help_text="Off: where no rule applies, a person writes the plan, even if a model is set up.",
    )
    model = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="As LiteLLM spells it, such as anthropic/… or openai/…; empty: the one in MINDX_MODEL.",
    )
    firmware_domain = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="Its models also get the firmware of this domain, such as finance.",
    )
    max_repair_attempts = models.PositiveSmallIntegerField(
        default=2,
        db_default=2,
        validators=[MaxValueValidator(MOST_REPAIRS)],
        help_text="How often a model's plan with problems goes back to it before a person is asked for one.",
    )
    tokens_per_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="Tokens that its models may read and write in a day (UTC); empty: no limit."
    )
    cost_per_day = models.DecimalField(
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="US dollars that its models may cost in a day (UTC); empty: no limit.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # Since then it takes no goals; what it did stays, and so does its name.
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(max_repair_attempts__lte=MOST_REPAIRS),
                name="agent_repairs_bounded",
                violation_error_message=f"At most {MOST_REPAIRS}.",
            ),
            models.CheckConstraint(
                condition=Q(framework__in=list(FRAMEWORKS)),
                name="agent_framework_known",
                violation_error_message=f"A framework is one of {', '.join(FRAMEWORKS)}.",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentCommitment(models.Model):
    """How firmly an agent holds on to its intentions, as somebody set it; the newest row counts, none: single-minded.

    Read at every decision. Setting it back is a row of its own, so that its history can be read.
    """

    append_only = True

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="commitments", db_index=False)
    kind = models.CharField(max_length=16)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [one_of("kind", Commitment, "agent_commitment_known")]
        indexes = [models.Index(fields=["agent", "-id"], name="agent_commitment_newest")]

    def __str__(self) -> str:
        return self.kind


class Deed(models.Model):
    """What a step of an approved plan, or its design, did to mindX itself, written in the transaction that did it.

    The same step tried again has the same key, finds its deed, and does nothing a second time.
    """

    append_only = True

    # SHA-256 over the goal, the command and its parameters; of a design its command and the goal.
    key = models.CharField(max_length=64, unique=True)
    goal = models.ForeignKey("agents.Goal", on_delete=models.PROTECT, related_name="deeds")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    # Whom it was done to; what it is now stands with the agent. None where it was done to none.
    agent = models.ForeignKey(Agent, null=True, on_delete=models.PROTECT, related_name="deeds")
    command = models.CharField(max_length=64)
    result = models.JSONField()

    def __str__(self) -> str:
        return f"{self.command} of goal {self.goal_id}"


class Standstill(models.Model):
    """While its one row is there nothing begins: planning, steps, trials, typed commands. What runs is finished."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, editable=False, related_name="+")
    since = models.DateTimeField(auto_now_add=True)
    reason = models.CharField(max_length=300, help_text="Everybody reads it at the top of every page.")

    class Meta:
        verbose_name_plural = "standstill"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_standstill")]

    def __str__(self) -> str:
        return f"everything stands still: {self.reason}"


def _within(name: str) -> models.BaseConstraint:
    """The database's own check that a ceiling, where it is stated, is neither useless nor none."""
    least, most = BOUNDS[name]
    return models.CheckConstraint(
        condition=Q(**{f"{name}__range": (least, most)}),
        name=f"tool_limit_{name}",
        violation_error_message=f"{name}: from {in_words(name, least)} to {in_words(name, most)}.",
    )


class ToolLimit(models.Model):
    """Ceilings for the steps of an agent with a tool; an empty field leaves it to a less specific row or the default.

    They are written into a plan when it is proposed: a plan that was approved keeps what was approved.
    """

    # Null: every agent.
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="limits")
    # Empty: every tool.
    tool = models.CharField(max_length=64, blank=True)
    memory_bytes = models.BigIntegerField(null=True, blank=True)
    processes = models.IntegerField(null=True, blank=True)
    cpus = models.FloatField(null=True, blank=True)
    descriptors = models.IntegerField(null=True, blank=True)
    file_bytes = models.BigIntegerField(null=True, blank=True)
    workspace_bytes = models.BigIntegerField(null=True, blank=True)
    workspace_files = models.IntegerField(null=True, blank=True)
    output_bytes = models.BigIntegerField(null=True, blank=True)
    output_file_bytes = models.BigIntegerField(null=True, blank=True)
    soft_s = models.FloatField(null=True, blank=True)
    hard_s = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["agent", "tool"]
        constraints = [
            *(_within(name) for name in BOUNDS),
            models.CheckConstraint(
                condition=Q(soft_s__isnull=True) | Q(hard_s__isnull=True) | Q(soft_s__lte=F("hard_s")),
                name="tool_limit_usual_time_within_longest",
                violation_error_message="The usual time cannot be longer than the longest one.",
            ),
            models.UniqueConstraint(
                fields=["agent", "tool"],
                nulls_distinct=False,
                name="one_limit_per_agent_and_tool",
                violation_error_message="There is a row for this agent and this tool already; change that one.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent or 'every agent'}, {self.tool or 'every tool'}"

    def ceilings(self) -> dict[str, Number | None]:
        """Each ceiling by its name; None where this row leaves it open."""
        return {name: getattr(self, name) for name in BOUNDS}
