import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import pgvector.django.indexes
import pgvector.django.vector
from django.conf import settings
from django.db import migrations, models

from people.migrations._tables import Tables

from ._replaced import REPLACED


class Migration(Tables):
    initial = True
    replaces = REPLACED

    dependencies = [
        ("library", "0001_tables"),
        ("people", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64, unique=True)),
                (
                    "tools",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list, size=None
                    ),
                ),
                ("paused", models.BooleanField(default=False)),
                (
                    "review_design",
                    models.BooleanField(
                        default=False,
                        help_text="A goal that comes with a design is planned only after a reviewer approved the design.",
                        verbose_name="review written designs",
                    ),
                ),
                (
                    "review_selection",
                    models.BooleanField(
                        default=False,
                        help_text="After a rule was chosen, a reviewer confirms it or chooses another that applies, before the plan.",
                        verbose_name="review the choice of rules",
                    ),
                ),
                (
                    "people_only",
                    models.BooleanField(
                        default=False,
                        help_text="On: no policy approves a plan of this agent. Off: a policy in force may, as far as it reaches; without one a person decides every plan all the same.",
                        verbose_name="plans are decided by people only",
                    ),
                ),
                (
                    "uses_model",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Off: where no rule applies, a person writes the plan, even if a model is set up.",
                        verbose_name="a model plans where no rule does",
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="As LiteLLM spells it, such as anthropic/… or openai/…; empty: the one in MINDX_MODEL.",
                        max_length=200,
                    ),
                ),
                (
                    "firmware_domain",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Its models also get the firmware of this domain, such as finance.",
                        max_length=40,
                    ),
                ),
                (
                    "max_repair_attempts",
                    models.PositiveSmallIntegerField(
                        db_default=2,
                        default=2,
                        help_text="How often a model's plan with problems goes back to it before a person is asked for one.",
                        validators=[django.core.validators.MaxValueValidator(10)],
                    ),
                ),
                (
                    "tokens_per_day",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Tokens that its models may read and write in a day (UTC); empty: no limit.",
                        null=True,
                    ),
                ),
                (
                    "cost_per_day",
                    models.DecimalField(
                        blank=True,
                        decimal_places=4,
                        help_text="US dollars that its models may cost in a day (UTC); empty: no limit.",
                        max_digits=10,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("retired_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("max_repair_attempts__lte", 10)),
                        name="agent_repairs_bounded",
                        violation_error_message="At most 10.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Workspace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=80, unique=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workspaces",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("head", models.CharField(max_length=64)),
                ("quota_bytes", models.BigIntegerField(default=1073741824)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Goal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                (
                    "submitted_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="goals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="goals", to="agents.agent"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="goals", to="agents.workspace"
                    ),
                ),
                ("priority", models.PositiveSmallIntegerField(default=3)),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="agents.goal",
                    ),
                ),
                ("deadline", models.DateTimeField(blank=True, null=True)),
                ("state", models.CharField(default="pending", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("submission_key", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_fence", models.BigIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("lost_workers", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("lost_at", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("wake_at", models.DateTimeField(blank=True, null=True)),
                ("learned_at", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.CharField(blank=True, db_default="", default="", max_length=16)),
                ("wishes", models.JSONField(blank=True, default=list)),
                ("depends_on", models.ManyToManyField(blank=True, related_name="dependants", to="agents.goal")),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["state", "-id"], name="goal_state_newest"),
                    models.Index(fields=["submitted_by", "-id"], name="goal_owner_newest"),
                    models.Index(
                        condition=models.Q(("ended_at__isnull", False)), fields=["-ended_at"], name="goal_ended_newest"
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ["achieved", "dropped", "failed"]), _negated=True),
                        fields=["priority", "id"],
                        name="goal_open_by_priority",
                    ),
                    models.Index(
                        condition=models.Q(("parent__isnull", False)), fields=["parent"], name="goal_children"
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ["achieved", "dropped", "failed"]), _negated=True),
                        fields=["-id"],
                        name="goal_open_newest",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                [
                                    "blocked",
                                    "pending",
                                    "planning",
                                    "awaiting_review",
                                    "executing",
                                    "recovering",
                                    "manual",
                                    "achieved",
                                    "failed",
                                    "dropped",
                                ],
                            )
                        ),
                        name="goal_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("priority__range", (1, 5))), name="goal_priority_1_to_5"
                    ),
                    models.CheckConstraint(condition=models.Q(("text", ""), _negated=True), name="goal_text_not_empty"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("outcome", ""),
                            models.Q(
                                ("outcome__in", ["achieved", "nothing_changed", "check_failed", "not_checked"]),
                                ("state", "achieved"),
                            ),
                            _connector="OR",
                        ),
                        name="goal_outcome_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("submission_key", ""), _negated=True),
                        fields=("submitted_by", "submission_key"),
                        name="goal_submitted_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Plan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plans",
                        to="agents.goal",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("rule", "Rule"),
                            ("model", "Model"),
                            ("person", "Person"),
                            ("recovery", "Recovery"),
                            ("understanding", "Understanding"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("steps", models.JSONField()),
                ("evidence", models.JSONField(default=dict)),
                ("problems", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("goal", "number"), name="plan_number_once_per_goal")],
            },
        ),
        migrations.CreateModel(
            name="IntentPlan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="intent_plans",
                        to="agents.goal",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="intent_plans", to="agents.plan"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="intent_plans", to="agents.workspace"
                    ),
                ),
                ("revision", models.IntegerField()),
                ("document", models.BinaryField()),
                ("digest", models.CharField(max_length=64)),
                ("state", models.CharField(default="awaiting_review", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("position", models.IntegerField(default=1)),
                ("aborting", models.TextField(blank=True)),
                ("replaces", models.JSONField(blank=True, default=list)),
                ("fence", models.BigIntegerField(default=0)),
                ("approved_digest", models.CharField(blank=True, max_length=64)),
                ("cancel_requested", models.BooleanField(default=False)),
                ("left_out", models.JSONField(blank=True, default=list)),
                ("rest", models.CharField(default="drop", max_length=12)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("check_results", models.JSONField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["state", "id"], name="intent_plan_state_oldest")],
                "constraints": [
                    models.UniqueConstraint(fields=("goal", "revision"), name="intent_plan_revision_once_per_goal"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "executing")),
                        fields=("workspace",),
                        name="one_running_plan_per_workspace",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["awaiting_review", "approved", "executing"])),
                        fields=("goal",),
                        name="one_open_intent_plan_per_goal",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Intent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="intents",
                        to="agents.intentplan",
                    ),
                ),
                ("position", models.IntegerField()),
                (
                    "phase",
                    models.CharField(choices=[("main", "Main"), ("cleanup", "Cleanup")], default="main", max_length=8),
                ),
                ("tool", models.CharField(max_length=64)),
                ("command", models.CharField(max_length=64)),
                ("effect", models.CharField(max_length=16)),
                ("state", models.CharField(default="pending", max_length=16)),
                ("result", models.JSONField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["pending", "running", "succeeded", "failed", "skipped", "outcome_unknown"])
                        ),
                        name="intent_state_known",
                    ),
                    models.UniqueConstraint(fields=("intent_plan", "position"), name="intent_position_once_per_plan"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="agents.intent",
                    ),
                ),
                ("number", models.IntegerField()),
                ("fence", models.BigIntegerField()),
                ("worker", models.CharField(max_length=120)),
                ("started", models.DateTimeField()),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.CharField(blank=True, max_length=16)),
                ("result", models.JSONField(blank=True, null=True)),
                ("failure_class", models.CharField(blank=True, max_length=32)),
                ("reason", models.TextField(blank=True)),
                ("alternative", models.SmallIntegerField(db_default=0)),
                ("snapshot_before", models.CharField(max_length=64)),
                ("snapshot_after", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("intent", "number"), name="attempt_number_once_per_intent")
                ],
            },
        ),
        migrations.CreateModel(
            name="BacklogItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("target", models.CharField(max_length=300)),
                ("suggestion", models.TextField()),
                ("text_key", models.CharField(max_length=64)),
                ("embedding", pgvector.django.vector.VectorField(blank=True, dimensions=384, null=True)),
                ("priority", models.PositiveSmallIntegerField(default=3)),
                ("critical", models.BooleanField(default=False)),
                (
                    "source",
                    models.CharField(
                        choices=[("person", "Person"), ("analysis", "Analysis"), ("failures", "Failures")], max_length=8
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="backlog_items",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source_goal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="agents.goal",
                    ),
                ),
                ("state", models.CharField(default="pending", max_length=12)),
                ("reason", models.TextField(blank=True)),
                ("count", models.PositiveIntegerField(default=1)),
                ("last_said_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="agents.backlogitem",
                    ),
                ),
                ("likeness", models.FloatField(blank=True, null=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("outcome", models.CharField(blank=True, max_length=12)),
                ("outcome_words", models.TextField(blank=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["priority", "id"],
                "indexes": [
                    models.Index(fields=["state", "priority", "id"], name="backlog_by_state"),
                    models.Index(
                        condition=models.Q(("state__in", ["pending", "approved", "in_progress", "stopped"])),
                        fields=["priority", "id"],
                        name="backlog_open",
                    ),
                    models.Index(fields=["by", "priority", "id"], name="backlog_of_person"),
                    models.Index(fields=["target", "priority", "id"], name="backlog_by_target"),
                    pgvector.django.indexes.HnswIndex(
                        fields=["embedding"], name="backlog_wish_hnsw", opclasses=["vector_cosine_ops"]
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["pending", "approved", "in_progress", "stopped", "done", "rejected", "merged"],
                            )
                        ),
                        name="backlog_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("priority__range", (1, 5))), name="backlog_priority_1_to_5"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("suggestion", ""), _negated=True), name="backlog_text_not_empty"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("merged_into__isnull", False), ("state", "merged")),
                            models.Q(models.Q(("state", "merged"), _negated=True), ("merged_into__isnull", True)),
                            _connector="OR",
                        ),
                        name="backlog_merged_into_one",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "done"), _negated=True),
                        fields=("text_key",),
                        name="backlog_wish_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="BacklogLift",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("reason", models.CharField(max_length=300)),
                ("stopped_by", models.TextField()),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(models.OrderBy(models.F("at"), descending=True), name="backlog_lift_newest")],
            },
        ),
        migrations.CreateModel(
            name="BacklogRules",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("failures_of_one", models.PositiveIntegerField(default=3)),
                ("without_success", models.PositiveIntegerField(default=10)),
                ("per_day", models.PositiveIntegerField(default=20)),
                (
                    "near_enough",
                    models.FloatField(
                        default=0.88,
                        validators=[
                            django.core.validators.MinValueValidator(0.5),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("note", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "verbose_name": "stop rules of the backlog",
                "verbose_name_plural": "stop rules of the backlog",
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("failures_of_one__range", (1, 20))), name="backlog_rules_failures_of_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("without_success__range", (1, 1000))), name="backlog_rules_without_success"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("per_day__range", (0, 10000))), name="backlog_rules_per_day"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("near_enough__range", (0.5, 1.0))), name="backlog_rules_near_enough"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="BacklogTry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="agents.backlogitem"
                    ),
                ),
                (
                    "goal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="backlog_try", to="agents.goal"
                    ),
                ),
                ("begun_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.CharField(blank=True, max_length=12)),
                ("words", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended_at__isnull", False)), fields=["-ended_at"], name="backlog_try_ended"
                    ),
                    models.Index(fields=["begun_at"], name="backlog_try_begun"),
                    models.Index(
                        condition=models.Q(("ended_at__isnull", True)), fields=["id"], name="backlog_try_open"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("outcome__in", ["", "improved", "unmeasured", "no_better", "worse", "not_achieved"]),
                            models.Q(
                                ("ended_at__isnull", True), models.Q(("outcome", ""), _negated=True), _connector="OR"
                            ),
                        ),
                        name="backlog_try_outcome_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Belief",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="beliefs",
                        to="agents.goal",
                    ),
                ),
                ("sentence", models.TextField()),
                ("source", models.CharField(max_length=16)),
                ("confidence", models.FloatField(default=1.0)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("retracted_by", models.CharField(blank=True, max_length=160)),
                ("about", models.TextField(blank=True)),
                ("denies", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("expires_at__isnull", False), ("retracted_by", "")),
                        fields=["expires_at"],
                        name="belief_that_expires",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("confidence__range", (0.0, 1.0))), name="belief_confidence_0_to_1"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("number", models.PositiveIntegerField()),
                ("stage", models.CharField(blank=True, max_length=16)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("command", models.CharField(blank=True, max_length=64)),
                ("error_class", models.CharField(blank=True, max_length=32)),
                ("exit_code", models.IntegerField(blank=True, null=True)),
                ("limit", models.CharField(blank=True, max_length=32)),
                ("host", models.CharField(blank=True, max_length=260)),
                ("text", models.CharField(blank=True, max_length=200)),
                ("failure_class", models.CharField(max_length=32)),
                ("enabled", models.BooleanField(default=True)),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "failure_class__in",
                                [
                                    "TOOL_UNAVAILABLE",
                                    "TOOL_EXECUTION_ERROR",
                                    "INVALID_PARAMETERS",
                                    "RATE_LIMIT_ERROR",
                                    "PERMISSION_ERROR",
                                    "NETWORK_ERROR",
                                    "PLANNING_ERROR",
                                    "GOAL_PARSE_ERROR",
                                    "UNKNOWN_ERROR",
                                ],
                            )
                        ),
                        name="failure_rule_class_known",
                    ),
                    models.UniqueConstraint(fields=("name", "number"), name="failure_rule_version_once"),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="failure_rule_has_a_name"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FailureRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="failures", to="agents.goal"
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="agents.agent",
                    ),
                ),
                (
                    "attempt",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="failure",
                        to="agents.attempt",
                    ),
                ),
                ("stage", models.CharField(max_length=16)),
                ("position", models.PositiveIntegerField(default=0)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("command", models.CharField(blank=True, max_length=64)),
                ("facts", models.JSONField(default=dict)),
                ("classified_as", models.CharField(max_length=32)),
                ("failure_class", models.CharField(max_length=32)),
                ("reason", models.TextField()),
                (
                    "rule",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="agents.failurerule",
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("strategy", models.CharField(max_length=32)),
                ("variant", models.CharField(blank=True, max_length=32)),
                ("why", models.TextField(blank=True)),
                ("weighed", models.JSONField(default=dict)),
                ("overtaken_by", models.CharField(blank=True, default="", max_length=64)),
                ("succeeded", models.BooleanField(null=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "carried_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="agents.intentplan",
                    ),
                ),
                ("carried_first", models.PositiveIntegerField(default=0)),
                ("carried_last", models.PositiveIntegerField(default=0)),
                ("cools_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["failure_class", "tool", "strategy", "-id"], name="failure_by_cell"),
                    models.Index(condition=models.Q(("settled_at", None)), fields=["id"], name="failure_unsettled"),
                    models.Index(fields=["-at", "-id"], name="failure_newest"),
                    models.Index(
                        condition=models.Q(("cools_until", None), _negated=True),
                        fields=["tool", "cools_until"],
                        name="failure_cooling",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "failure_class__in",
                                [
                                    "TOOL_UNAVAILABLE",
                                    "TOOL_EXECUTION_ERROR",
                                    "INVALID_PARAMETERS",
                                    "RATE_LIMIT_ERROR",
                                    "PERMISSION_ERROR",
                                    "NETWORK_ERROR",
                                    "PLANNING_ERROR",
                                    "GOAL_PARSE_ERROR",
                                    "UNKNOWN_ERROR",
                                ],
                            )
                        ),
                        name="failure_class_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "strategy__in",
                                [
                                    "retry_with_delay",
                                    "alternative_tool",
                                    "simplified_approach",
                                    "escalate_to_agint",
                                    "manual_fallback",
                                    "graceful_abort",
                                ],
                            )
                        ),
                        name="failure_strategy_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClassCorrection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "failure",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="agents.failurerecord",
                    ),
                ),
                ("old", models.CharField(max_length=32)),
                ("new", models.CharField(max_length=32)),
                ("why", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "new__in",
                                [
                                    "TOOL_UNAVAILABLE",
                                    "TOOL_EXECUTION_ERROR",
                                    "INVALID_PARAMETERS",
                                    "RATE_LIMIT_ERROR",
                                    "PERMISSION_ERROR",
                                    "NETWORK_ERROR",
                                    "PLANNING_ERROR",
                                    "GOAL_PARSE_ERROR",
                                    "UNKNOWN_ERROR",
                                ],
                            )
                        ),
                        name="class_correction_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="corrections", to="agents.goal"
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.agent"
                    ),
                ),
                ("tool", models.CharField(max_length=64)),
                ("command", models.CharField(max_length=64)),
                ("parameter", models.CharField(max_length=64)),
                ("origin", models.CharField(max_length=16)),
                ("original", models.JSONField(null=True)),
                ("value", models.JSONField(null=True)),
                ("note", models.TextField(blank=True)),
                ("confidence", models.FloatField(default=1.0)),
                ("came", models.CharField(max_length=12)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="correction_newest"),
                    models.Index(fields=["agent", "-at", "-id"], name="correction_of_agent"),
                    models.Index(fields=["origin", "-at", "-id"], name="correction_of_origin"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("came__in", ["succeeded", "edited", "refused", "failed", "unused"])),
                        name="correction_came_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DaySoFar",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("measure", models.CharField(max_length=12)),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.agent"
                    ),
                ),
                ("what", models.CharField(max_length=16)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("came", models.CharField(blank=True, max_length=12)),
                ("cases", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField(default=0)),
                (
                    "buckets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "counts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), default=list, size=None
                    ),
                ),
                ("until", models.DateTimeField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Deed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64, unique=True)),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="deeds", to="agents.goal"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="deeds", to="agents.agent"
                    ),
                ),
                ("command", models.CharField(max_length=64)),
                ("result", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="EvolvedCopy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="evolved_copy", to="agents.goal"
                    ),
                ),
                ("target_kind", models.CharField(max_length=16)),
                ("target_name", models.CharField(max_length=120)),
                ("wish", models.TextField(blank=True)),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="library.componentversion",
                    ),
                ),
                ("said", models.TextField(blank=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                ("proposed", models.TextField(blank=True, db_default="", default="")),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Generation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="generations", to="agents.goal"
                    ),
                ),
                ("turn", models.PositiveIntegerField()),
                ("attempt", models.PositiveIntegerField()),
                (
                    "call",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="library.modelcall"
                    ),
                ),
                ("problems", models.JSONField(default=list)),
                ("cannot", models.TextField(blank=True)),
                ("firmware", models.CharField(blank=True, db_default="", default="", max_length=200)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("goal", "turn", "attempt"), name="generation_once")],
            },
        ),
        migrations.CreateModel(
            name="GivenCommand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="given_commands",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "via",
                    models.CharField(
                        choices=[("terminal", "Terminal"), ("page", "Page"), ("api", "Api")], max_length=8
                    ),
                ),
                ("line", models.TextField()),
                ("command", models.CharField(blank=True, max_length=32)),
                ("outcome", models.CharField(max_length=16)),
                ("answer", models.JSONField()),
                (
                    "goal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="given_commands",
                        to="agents.goal",
                    ),
                ),
                ("key", models.CharField(blank=True, max_length=200)),
                ("taken_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["by", "-id"], name="command_newest"),
                    models.Index(
                        condition=models.Q(
                            ("command", "coord_analyze"), ("goal__isnull", False), ("taken_at__isnull", True)
                        ),
                        fields=["goal"],
                        name="command_findings_to_take",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("key", ""), _negated=True), fields=("by", "key"), name="command_given_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="HandCommand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="hand_commands", to="agents.workspace"
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="hand_commands", to="agents.goal"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hand_commands",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("text", models.TextField()),
                ("command", models.CharField(max_length=64)),
                ("params", models.JSONField()),
                ("limits", models.JSONField()),
                ("session_before", models.JSONField()),
                ("snapshot_before", models.CharField(max_length=64)),
                ("autonomous_once", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("state", models.CharField(default="waiting", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("cancel_requested", models.BooleanField(default=False)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_fence", models.BigIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("result", models.JSONField(blank=True, null=True)),
                ("session_after", models.JSONField(blank=True, null=True)),
                ("snapshot_after", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["goal", "-id"], name="hand_command_goal_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "done", "lost", "cancelled"])),
                        name="hand_command_state_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("workspace",),
                        name="one_unfinished_hand_command_per_workspace",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="hand_command_text_not_empty"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["waiting", "running"]), ("finished_at__isnull", False), _connector="OR"
                        ),
                        name="hand_command_has_an_end_when_it_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_until__isnull", False),
                            _connector="OR",
                        ),
                        name="hand_command_runs_under_a_lease",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="HandItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="hand_items", to="agents.goal"
                    ),
                ),
                (
                    "intent_plan",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hand_items",
                        to="agents.intentplan",
                    ),
                ),
                (
                    "failure",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="hand_item", to="agents.failurerecord"
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                ("opened_at", models.DateTimeField(auto_now_add=True)),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("fix", "fixed the parameters"),
                            ("done", "did it by hand"),
                            ("again", "let it be tried again"),
                            ("skip", "skipped the step"),
                            ("instead", "put other steps in its place"),
                            ("abort", "gave up the plan"),
                            ("plan", "wrote a plan"),
                        ],
                        max_length=8,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("answered_at", None)), fields=("goal",), name="one_open_hand_item_per_goal"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Lesson",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="Why. It is shown in the history.", max_length=300
                    ),
                ),
                ("kind", models.CharField(choices=[("mapping", "Mapping"), ("default", "Default")], max_length=8)),
                (
                    "state",
                    models.CharField(
                        choices=[("in_force", "In Force"), ("taken_back", "Taken Back"), ("promoted", "Promoted")],
                        default="in_force",
                        max_length=12,
                    ),
                ),
                (
                    "teacher",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="agents.intentplan"
                    ),
                ),
                ("step", models.PositiveIntegerField()),
                ("said", models.CharField(blank=True, max_length=200)),
                ("path", models.CharField(blank=True, max_length=1024)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("command", models.CharField(blank=True, max_length=64)),
                ("parameter", models.CharField(blank=True, max_length=64)),
                ("default", models.JSONField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("command", ""),
                                ("default__isnull", True),
                                ("kind", "mapping"),
                                models.Q(("said", ""), _negated=True),
                                models.Q(("path", ""), _negated=True),
                            ),
                            models.Q(
                                ("kind", "default"),
                                ("path", ""),
                                ("said", ""),
                                models.Q(("tool", ""), _negated=True),
                                models.Q(("command", ""), _negated=True),
                                models.Q(("parameter", ""), _negated=True),
                                ("default__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="lesson_says_what_and_where",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["in_force", "taken_back", "promoted"])),
                        name="lesson_state_is_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LevelDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="level_documents", to="agents.goal"
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("design", "design"), ("selection", "choice of rules")], max_length=12),
                ),
                ("number", models.PositiveIntegerField()),
                ("document", models.BinaryField()),
                ("digest", models.CharField(max_length=64)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("state", models.CharField(default="awaiting_review", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("chosen", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "awaiting_review")), fields=["id"], name="level_waiting_oldest"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                [
                                    "awaiting_review",
                                    "approved",
                                    "sent_back",
                                    "rejected",
                                    "superseded",
                                    "cancelled",
                                    "unreviewed",
                                ],
                            )
                        ),
                        name="level_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["design", "selection"])), name="level_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="level_digest_is_sha256"
                    ),
                    models.UniqueConstraint(fields=("goal", "kind", "number"), name="level_number_once_per_goal"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "awaiting_review")),
                        fields=("goal", "kind"),
                        name="one_waiting_level_per_goal",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogExpiry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_goal", models.BigIntegerField()),
                ("last_goal", models.BigIntegerField()),
                ("keep_days", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "removed log",
                "ordering": ["id"],
            },
        ),
        # Made in partitions by the next migration.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="LogLine",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "goal_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        (
                            "goal",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="log_lines",
                                to="agents.goal",
                            ),
                        ),
                        ("number", models.BigIntegerField()),
                        ("at", models.DateTimeField()),
                        ("source", models.CharField(max_length=64)),
                        ("stage", models.CharField(max_length=16)),
                        ("level", models.CharField(default="info", max_length=8)),
                        ("text", models.TextField()),
                        ("data", models.JSONField(blank=True, default=dict)),
                    ],
                    options={
                        "ordering": ["number"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("level", "error")),
                                fields=["goal", "number"],
                                name="log_line_errors",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("goal", "number"), name="log_line_number_once_per_goal")
                        ],
                    },
                ),
            ]
        ),
        migrations.CreateModel(
            name="MindDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("measure", models.CharField(max_length=12)),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.agent"
                    ),
                ),
                ("what", models.CharField(max_length=16)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("came", models.CharField(blank=True, max_length=12)),
                ("cases", models.PositiveIntegerField()),
                ("amount", models.BigIntegerField(default=0)),
                (
                    "buckets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "counts",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), default=list, size=None
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("day", "measure", "agent", "what", "tool", "came"), name="mind_day_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ParameterRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="Why. It is shown in the history.", max_length=300
                    ),
                ),
                ("tool", models.CharField(max_length=64)),
                ("command", models.CharField(max_length=64)),
                ("parameter", models.CharField(max_length=64)),
                (
                    "default",
                    models.JSONField(
                        blank=True,
                        help_text="Used if the goal gives no value, as JSON. Leave it empty for the declared default.",
                        null=True,
                    ),
                ),
                (
                    "may_be_guessed",
                    models.BooleanField(
                        default=True,
                        help_text="Off: never guessed from earlier runs or by a model, but asked for.",
                    ),
                ),
                ("in_use", models.BooleanField(default=True)),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("tool", ""), _negated=True),
                            models.Q(("command", ""), _negated=True),
                            models.Q(("parameter", ""), _negated=True),
                        ),
                        name="parameter_rule_says_where",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ParameterSettings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="Why. It is shown in the history.", max_length=300
                    ),
                ),
                (
                    "enable_understanding",
                    models.BooleanField(
                        default=True,
                        help_text="Off: where no rule applies, a model is asked, or a person writes the plan.",
                        verbose_name="understand commands without a rule",
                    ),
                ),
                (
                    "enable_path_correction",
                    models.BooleanField(
                        default=True,
                        help_text="Placeholders, misspelt and moved paths are matched to existing ones. Off: paths are used as given.",
                        verbose_name="correct paths",
                    ),
                ),
                (
                    "fallback_to_defaults",
                    models.BooleanField(
                        default=True,
                        help_text="Off: a missing value is asked for, even if there is a default.",
                        verbose_name="use declared defaults",
                    ),
                ),
                (
                    "use_experience",
                    models.BooleanField(
                        default=True,
                        help_text="A missing value is taken from runs that succeeded.",
                        verbose_name="predict from earlier runs",
                    ),
                ),
                (
                    "use_llm_extraction",
                    models.BooleanField(
                        default=True,
                        help_text="Only where a model is set up for the agent.",
                        verbose_name="ask a model for missing values",
                    ),
                ),
                (
                    "least_runs",
                    models.PositiveSmallIntegerField(
                        default=3,
                        help_text="How many earlier runs must agree before a value is predicted from them.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                (
                    "least_share",
                    models.FloatField(
                        default=0.8,
                        help_text="The share of them that must agree. Newer runs count more.",
                        validators=[
                            django.core.validators.MinValueValidator(0.5),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                (
                    "least_confidence",
                    models.FloatField(
                        default=0.75,
                        help_text="A less certain value is asked about.",
                        validators=[
                            django.core.validators.MinValueValidator(0.5),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "parameter settings",
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("least_runs__range", (1, 1000))), name="parameter_least_runs"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("least_share__range", (0.5, 1.0))), name="parameter_least_share"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("least_confidence__range", (0.5, 1.0))), name="parameter_least_confidence"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PathMapping",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "note",
                    models.CharField(
                        blank=True, help_text="Why. It is shown in the history.", max_length=300
                    ),
                ),
                (
                    "said",
                    models.CharField(
                        help_text="As people say it, such as “summarization”; case does not count.", max_length=200
                    ),
                ),
                ("path", models.CharField(help_text="From the workspace's root.", max_length=1024)),
                ("tool", models.CharField(blank=True, help_text="Empty: every tool.", max_length=64)),
                ("parameter", models.CharField(blank=True, help_text="Empty: every parameter.", max_length=64)),
                ("in_use", models.BooleanField(default=True, help_text="Off: this name is looked for like any other.")),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("said", ""), _negated=True), models.Q(("path", ""), _negated=True)
                        ),
                        name="path_mapping_says_something",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Planning",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="planning", to="agents.plan"
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.goal"
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.agent"
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("rule", "Rule"),
                            ("model", "Model"),
                            ("person", "Person"),
                            ("recovery", "Recovery"),
                            ("understanding", "Understanding"),
                        ],
                        max_length=16,
                    ),
                ),
                ("is_valid", models.BooleanField()),
                ("attempts", models.PositiveSmallIntegerField()),
                ("waited_ms", models.PositiveIntegerField(null=True)),
                ("perceive_ms", models.PositiveIntegerField(null=True)),
                ("rules_ms", models.PositiveIntegerField(null=True)),
                ("understand_ms", models.PositiveIntegerField(null=True)),
                ("model_ms", models.PositiveIntegerField(null=True)),
                ("validate_ms", models.PositiveIntegerField(null=True)),
                ("total_ms", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="planning_newest"),
                    models.Index(fields=["agent", "-at", "-id"], name="planning_of_agent"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RecoveryAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="recovery", to="agents.attempt"
                    ),
                ),
                ("failure_class", models.CharField(max_length=32)),
                ("strategy", models.CharField(max_length=32)),
                ("why", models.TextField()),
                ("delay_s", models.FloatField(default=0)),
                ("alternative", models.PositiveSmallIntegerField(default=0)),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("succeeded", models.BooleanField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="RecoveryDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.agent",
                    ),
                ),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("failure_class", models.CharField(max_length=32)),
                ("strategy", models.CharField(max_length=65)),
                ("came", models.CharField(max_length=12)),
                ("cases", models.IntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="recovery_day")],
            },
        ),
        migrations.CreateModel(
            name="RecoveryPolicy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("failure_class", models.CharField(max_length=32)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("number", models.PositiveIntegerField()),
                ("pinned", models.CharField(blank=True, max_length=64)),
                (
                    "banned",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), blank=True, default=list, size=None
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "recovery policies",
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "failure_class__in",
                                [
                                    "TOOL_UNAVAILABLE",
                                    "TOOL_EXECUTION_ERROR",
                                    "INVALID_PARAMETERS",
                                    "RATE_LIMIT_ERROR",
                                    "PERMISSION_ERROR",
                                    "NETWORK_ERROR",
                                    "PLANNING_ERROR",
                                    "GOAL_PARSE_ERROR",
                                    "UNKNOWN_ERROR",
                                ],
                            )
                        ),
                        name="recovery_policy_class_known",
                    ),
                    models.UniqueConstraint(
                        fields=("failure_class", "tool", "number"), name="recovery_policy_version_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RecoveryReset",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("failure_class", models.CharField(blank=True, max_length=32)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("strategy", models.CharField(blank=True, max_length=64)),
                ("up_to", models.BigIntegerField()),
                ("takes_back", models.BigIntegerField(null=True)),
                ("why", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="RecoverySetting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64)),
                ("value", models.FloatField()),
                ("note", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="RecoveryStatistic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("failure_class", models.CharField(max_length=32)),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("strategy", models.CharField(max_length=64)),
                ("cases", models.PositiveIntegerField(default=0)),
                ("successes", models.PositiveIntegerField(default=0)),
                ("average", models.FloatField(default=0.5)),
                ("recent", models.TextField(blank=True)),
                (
                    "ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["failure_class", "tool", "strategy"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("failure_class", "tool", "strategy"), name="recovery_statistic_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ShadowRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shadow_runs", to="agents.intentplan"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("state", models.CharField(default="waiting", max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("base", models.CharField(blank=True, max_length=64)),
                ("after", models.CharField(blank=True, max_length=64)),
                ("findings", models.JSONField(default=list)),
                ("surprises", models.JSONField(blank=True, null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_fence", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["waiting", "running"])), fields=["id"], name="shadow_run_open"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "done", "stopped", "impossible"])),
                        name="shadow_run_state_known",
                    ),
                    models.UniqueConstraint(fields=("intent_plan", "number"), name="shadow_run_number_once_per_plan"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("intent_plan",),
                        name="one_open_shadow_run",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Standstill",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                (
                    "by",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                ("reason", models.CharField(help_text="Everybody reads it at the top of every page.", max_length=300)),
            ],
            options={
                "verbose_name_plural": "standstill",
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_standstill")],
            },
        ),
        migrations.CreateModel(
            name="StepReport",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "intent_plan_id", "position", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "intent_plan",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="step_reports",
                        to="agents.intentplan",
                    ),
                ),
                ("position", models.IntegerField()),
                ("attempt", models.BigIntegerField()),
                ("outcome", models.CharField(max_length=16)),
                ("result", models.JSONField(null=True)),
                ("reason", models.TextField()),
                ("after", models.CharField(max_length=64)),
                ("following", models.BigIntegerField(null=True)),
                ("fence", models.BigIntegerField()),
                ("worker", models.CharField(max_length=120)),
                ("at", models.DateTimeField()),
                ("said", models.TextField()),
                ("begins", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="TerminalSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="session", to="agents.intentplan"
                    ),
                ),
                ("state", models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name="ToolLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="limits",
                        to="agents.agent",
                    ),
                ),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("memory_bytes", models.BigIntegerField(blank=True, null=True)),
                ("processes", models.IntegerField(blank=True, null=True)),
                ("cpus", models.FloatField(blank=True, null=True)),
                ("descriptors", models.IntegerField(blank=True, null=True)),
                ("file_bytes", models.BigIntegerField(blank=True, null=True)),
                ("workspace_bytes", models.BigIntegerField(blank=True, null=True)),
                ("workspace_files", models.IntegerField(blank=True, null=True)),
                ("output_bytes", models.BigIntegerField(blank=True, null=True)),
                ("output_file_bytes", models.BigIntegerField(blank=True, null=True)),
                ("soft_s", models.FloatField(blank=True, null=True)),
                ("hard_s", models.FloatField(blank=True, null=True)),
            ],
            options={
                "ordering": ["agent", "tool"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("memory_bytes__range", (33554432, 68719476736))),
                        name="tool_limit_memory_bytes",
                        violation_error_message="memory_bytes: from 32 MiB to 64 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("processes__range", (8, 4096))),
                        name="tool_limit_processes",
                        violation_error_message="processes: from 8 to 4,096.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cpus__range", (0.1, 64))),
                        name="tool_limit_cpus",
                        violation_error_message="cpus: from 0.1 to 64.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("descriptors__range", (64, 65536))),
                        name="tool_limit_descriptors",
                        violation_error_message="descriptors: from 64 to 65,536.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("file_bytes__range", (65536, 17179869184))),
                        name="tool_limit_file_bytes",
                        violation_error_message="file_bytes: from 64 KiB to 16 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("workspace_bytes__range", (1048576, 68719476736))),
                        name="tool_limit_workspace_bytes",
                        violation_error_message="workspace_bytes: from 1 MiB to 64 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("workspace_files__range", (100, 1000000))),
                        name="tool_limit_workspace_files",
                        violation_error_message="workspace_files: from 100 to 1,000,000.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("output_bytes__range", (1024, 16777216))),
                        name="tool_limit_output_bytes",
                        violation_error_message="output_bytes: from 1 KiB to 16 MiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("output_file_bytes__range", (65536, 1073741824))),
                        name="tool_limit_output_file_bytes",
                        violation_error_message="output_file_bytes: from 64 KiB to 1 GiB.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("soft_s__range", (1, 3600))),
                        name="tool_limit_soft_s",
                        violation_error_message="soft_s: from 1 s to 3600 s.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("hard_s__range", (1, 3600))),
                        name="tool_limit_hard_s",
                        violation_error_message="hard_s: from 1 s to 3600 s.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("soft_s__isnull", True),
                            ("hard_s__isnull", True),
                            ("soft_s__lte", models.F("hard_s")),
                            _connector="OR",
                        ),
                        name="tool_limit_usual_time_within_longest",
                        violation_error_message="The usual time cannot be longer than the longest one.",
                    ),
                    models.UniqueConstraint(
                        fields=("agent", "tool"),
                        name="one_limit_per_agent_and_tool",
                        nulls_distinct=False,
                        violation_error_message="There is a row for this agent and this tool already; change that one.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Transition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transitions",
                        to="agents.goal",
                    ),
                ),
                (
                    "intent_plan",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transitions",
                        to="agents.intentplan",
                    ),
                ),
                ("old", models.CharField(max_length=16)),
                ("new", models.CharField(max_length=16)),
                ("reason", models.TextField(blank=True)),
                ("by", models.CharField(max_length=160)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["goal", "id"], name="transition_goal")],
            },
        ),
        migrations.CreateModel(
            name="TurnFailure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="turn_failures", to="agents.goal"
                    ),
                ),
                ("reference", models.CharField(max_length=8)),
                ("stage", models.CharField(max_length=16)),
                ("fence", models.BigIntegerField()),
                ("worker", models.CharField(max_length=120)),
                ("error", models.CharField(max_length=300)),
                ("traceback", models.TextField()),
                ("gave_up", models.BooleanField()),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(condition=models.Q(("gave_up", True)), fields=["-id"], name="turn_failure_last")
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkspaceChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="agents.workspace"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workspace_changes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("write", "Write"),
                            ("delete", "Delete"),
                            ("return", "Return"),
                            ("command", "Command"),
                        ],
                        max_length=8,
                    ),
                ),
                ("what", models.TextField(blank=True)),
                ("before", models.CharField(max_length=64)),
                ("after", models.CharField(max_length=64)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["workspace", "-at"], name="workspace_change_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["write", "delete", "return", "command"])),
                        name="workspace_change_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("before", models.F("after")), _negated=True),
                        name="workspace_change_moves_the_head",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AgentCommitment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="commitments",
                        to="agents.agent",
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("why", models.CharField(blank=True, max_length=300)),
            ],
            options={
                "indexes": [models.Index(fields=["agent", "-id"], name="agent_commitment_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["blind", "single_minded", "open_minded"])),
                        name="agent_commitment_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LogCounter",
            fields=[
                (
                    "goal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="log_counter",
                        serialize=False,
                        to="agents.goal",
                    ),
                ),
                ("last", models.BigIntegerField(default=0)),
            ],
        ),
    ]
