"""How parameters are settled: switches, the mapping table, rules for single parameters. One row for each saved version.

Nothing is changed or deleted: saving writes a new row, and of those that are about the same the newest counts. They are
read at each decision, so a running worker follows at once, and what counted when a plan was made stays to be seen.
"""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse


class Saved(models.Model):
    """Who saved a version, and when."""

    append_only = True

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    note = models.CharField(max_length=300, blank=True, help_text="Why. It is shown in the history.")

    class Meta:
        abstract = True


class ParameterSettings(Saved):
    """Which stages settle parameters, and how sure they must be."""

    enable_understanding = models.BooleanField(
        "understand commands without a rule",
        default=True,
        help_text="Off: where no rule applies, a model is asked, or a person writes the plan.",
    )
    enable_path_correction = models.BooleanField(
        "correct paths",
        default=True,
        help_text="Placeholders, misspelt and moved paths are matched to existing ones. Off: paths are used as given.",
    )
    fallback_to_defaults = models.BooleanField(
        "use declared defaults",
        default=True,
        help_text="Off: a missing value is asked for, even if there is a default.",
    )
    use_experience = models.BooleanField(
        "predict from earlier runs", default=True, help_text="A missing value is taken from runs that succeeded."
    )
    use_llm_extraction = models.BooleanField(
        "ask a model for missing values", default=True, help_text="Only where a model is set up for the agent."
    )
    least_runs = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="How many earlier runs must agree before a value is predicted from them.",
    )
    least_share = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
        help_text="The share of them that must agree. Newer runs count more.",
    )
    least_confidence = models.FloatField(
        default=0.75,
        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
        help_text="A less certain value is asked about.",
    )

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "parameter settings"
        constraints = [
            models.CheckConstraint(condition=Q(least_runs__range=(1, 1000)), name="parameter_least_runs"),
            models.CheckConstraint(condition=Q(least_share__range=(0.5, 1.0)), name="parameter_least_share"),
            models.CheckConstraint(condition=Q(least_confidence__range=(0.5, 1.0)), name="parameter_least_confidence"),
        ]

    def __str__(self) -> str:
        return f"parameter settings {self.pk}"


class PathMapping(Saved):
    """What a name means as a path, before anything is looked for. The same: rows of one name, tool, parameter."""

    said = models.CharField(max_length=200, help_text="As people say it, such as “summarization”; case does not count.")
    path = models.CharField(max_length=1024, help_text="From the workspace's root.")
    tool = models.CharField(max_length=64, blank=True, help_text="Empty: every tool.")
    parameter = models.CharField(max_length=64, blank=True, help_text="Empty: every parameter.")
    in_use = models.BooleanField(default=True, help_text="Off: this name is looked for like any other.")

    class Meta:
        ordering = ["-pk"]
        constraints = [models.CheckConstraint(condition=~Q(said="") & ~Q(path=""), name="path_mapping_says_something")]

    def __str__(self) -> str:
        return f"“{self.said}” is {self.path}" if self.in_use else f"“{self.said}” is mapped no more"


class ParameterRule(Saved):
    """What holds for one parameter of one command. About the same are rows of one tool, command, parameter."""

    tool = models.CharField(max_length=64)
    command = models.CharField(max_length=64)
    parameter = models.CharField(max_length=64)
    default = models.JSONField(
        null=True,
        blank=True,
        help_text="Used if the goal gives no value, as JSON. Leave it empty for the declared default.",
    )
    may_be_guessed = models.BooleanField(
        default=True, help_text="Off: never guessed from earlier runs or by a model, but asked for."
    )
    in_use = models.BooleanField(default=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(tool="") & ~Q(command="") & ~Q(parameter=""), name="parameter_rule_says_where"
            )
        ]

    def __str__(self) -> str:
        return f"{self.tool}.{self.command}: {self.parameter}"


class Lesson(Saved):
    """What a person taught by an edit: it holds for the goals that this person submits, and for no others.

    One row for each version. About the same are rows of one teacher, kind, name, tool, command and parameter.
    """

    class Kind(models.TextChoices):
        MAPPING = "mapping"
        DEFAULT = "default"

    class State(models.TextChoices):
        IN_FORCE = "in_force"
        TAKEN_BACK = "taken_back"
        # It has become an ordinary version that binds everybody, and counts no more by itself.
        PROMOTED = "promoted"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=12, choices=State.choices, default=State.IN_FORCE)
    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # The revision that the edit made, and the step in it.
    plan = models.ForeignKey("agents.IntentPlan", on_delete=models.PROTECT, related_name="+")
    step = models.PositiveIntegerField()
    # Of a mapping: as of PathMapping.
    said = models.CharField(max_length=200, blank=True)
    path = models.CharField(max_length=1024, blank=True)
    # Of a default: as of ParameterRule. A mapping may hold for one tool and parameter, or for all ("").
    tool = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=64, blank=True)
    parameter = models.CharField(max_length=64, blank=True)
    default = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="mapping", command="", default__isnull=True) & ~Q(said="") & ~Q(path="")
                | Q(kind="default", said="", path="")
                & ~Q(tool="")
                & ~Q(command="")
                & ~Q(parameter="")
                & Q(default__isnull=False),
                name="lesson_says_what_and_where",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["in_force", "taken_back", "promoted"]), name="lesson_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"lesson {self.pk} of {self.teacher}"

    def get_absolute_url(self) -> str:
        """The page that shows everything about the same, whichever version it is asked for."""
        return reverse("taught-one", args=[self.pk])


class EntailmentThresholds(Saved):
    """How sure the models of entailment must be before a rule relies on their yes."""

    entailment = models.FloatField(
        "least probability of entailment",
        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
        help_text="From the calibrated entailment model. It applies wherever nothing else does.",
    )
    contradiction = models.FloatField(
        "greatest probability of contradiction",
        validators=[MinValueValidator(0.0), MaxValueValidator(0.5)],
        help_text="A pair that may be a contradiction never counts as a yes. This applies to both models.",
    )
    environment_entailment = models.FloatField(
        "least probability of entailment in environments",
        db_default=0.973,
        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
        help_text="Of the entailment model, about what an environment of text says.",
    )
    environment_contradiction = models.FloatField(
        "greatest probability of contradiction in environments",
        db_default=0.01,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.5)],
        help_text="As above, about what a text environment says.",
    )
    language_entailment = models.FloatField(
        "least probability by the language model",
        validators=[MinValueValidator(0.5), MaxValueValidator(1.0)],
        help_text="As the model states it. It is asked only with MINDX_ENTAILMENT=language_model.",
    )

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "entailment thresholds"
        constraints = [
            models.CheckConstraint(condition=Q(entailment__range=(0.5, 1.0)), name="thresholds_entailment"),
            models.CheckConstraint(condition=Q(contradiction__range=(0.0, 0.5)), name="thresholds_contradiction"),
            models.CheckConstraint(condition=Q(language_entailment__range=(0.5, 1.0)), name="thresholds_language"),
            models.CheckConstraint(
                condition=Q(environment_entailment__range=(0.5, 1.0), environment_contradiction__range=(0.0, 0.5)),
                name="thresholds_environment",
            ),
        ]

    def __str__(self) -> str:
        return f"entailment from {self.entailment}"
