import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from people.migrations._tables import Tables

from ._replaced import REPLACED


class Migration(Tables):
    initial = True
    replaces = REPLACED

    dependencies = [
        ("agents", "0001_tables"),
        ("library", "0001_tables"),
        ("people", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="agents.goal"
                    ),
                ),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="agents.intentplan"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("note", "Note"), ("question", "Question")], default="note", max_length=8
                    ),
                ),
                ("text", models.TextField()),
                ("anchor", models.CharField(blank=True, max_length=300)),
                ("about", models.TextField(blank=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("addressed", "Addressed"),
                            ("stale", "Stale"),
                            ("resolved", "Resolved"),
                        ],
                        default="open",
                        max_length=12,
                    ),
                ),
                ("anchor_now", models.CharField(blank=True, max_length=300)),
                ("revision_now", models.PositiveIntegerField(default=0)),
                ("settled_in", models.PositiveIntegerField(blank=True, null=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("kind", "question"), ("state", "open")),
                        fields=["goal"],
                        name="comment_open_question",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "addressed", "stale", "resolved"])),
                        name="comment_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="comment_text_not_empty"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="review.comment"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="answers", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("text", models.TextField()),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="answer_text_not_empty"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReviewPolicy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120, unique=True)),
                ("state", models.CharField(default="draft", max_length=12)),
                ("reason", models.TextField(blank=True)),
                ("number", models.PositiveIntegerField(default=1)),
                ("replayed", models.PositiveIntegerField(default=0)),
                ("replay", models.JSONField(blank=True, default=dict)),
                ("enabled_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "enabled"), _negated=True),
                            ("replayed", models.F("number")),
                            _connector="OR",
                        ),
                        name="policy_is_replayed_before_it_is_enabled",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "enabled", "suspended", "retired"])),
                        name="policy_state_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "policy",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="review.reviewpolicy"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("forbid", "forbid"),
                            ("require_two", "require_two"),
                            ("require_review", "require_review"),
                            ("auto_approve", "auto_approve"),
                        ],
                        max_length=16,
                    ),
                ),
                ("conditions", models.JSONField(default=dict)),
                ("budget", models.PositiveIntegerField(default=0)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("sampling_percent", models.PositiveSmallIntegerField(default=0)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="policy_versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("policy", "number"), name="policy_version_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("action", "auto_approve"), _negated=True),
                            models.Q(("budget__gte", 1), ("expires_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="approving_policy_has_budget_and_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sampling_percent__range", (0, 100))), name="policy_sampling_in_a_hundred"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="agents.intentplan"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("approve", "Approve"),
                            ("reject", "Reject"),
                            ("request_changes", "Request Changes"),
                            ("edit", "Edit"),
                            ("first_approval", "First Approval"),
                            ("withdraw", "Withdraw"),
                            ("second_approval", "Second Approval"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("via", models.CharField(default="browser", max_length=8)),
                ("comment", models.TextField(blank=True)),
                ("edits", models.JSONField(blank=True, default=dict)),
                (
                    "policy",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="review.policyversion",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="approval", to="agents.intentplan"
                    ),
                ),
                (
                    "decision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="approval", to="review.decision"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("envelope", models.JSONField(default=dict)),
                ("at", models.DateTimeField()),
                ("mac", models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name="HeldDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="held", to="agents.intentplan"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="held_decisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("verdict", models.CharField(max_length=16)),
                ("ruling", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("due_at", models.DateTimeField()),
                ("dropped", models.TextField(blank=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("dropped", "")), fields=["due_at"], name="held_decision_due")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("dropped", "")), fields=("intent_plan",), name="one_held_decision_per_plan"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="LevelDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="agents.leveldocument"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "verdict",
                    models.CharField(
                        choices=[("approve", "Approve"), ("reject", "Reject"), ("request_changes", "Request Changes")],
                        max_length=16,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="level_decisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("via", models.CharField(default="browser", max_length=8)),
                ("comment", models.TextField(blank=True)),
                ("choice", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["id"],
                "abstract": False,
                "constraints": [models.UniqueConstraint(fields=("document",), name="one_decision_per_level_document")],
            },
        ),
        migrations.CreateModel(
            name="LevelTold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="told", to="agents.leveldocument"
                    ),
                ),
                ("end_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("end_at__isnull", True)), fields=["id"], name="level_told_open")
                ],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("awaits", "a plan waits for my decision"),
                            ("assigned", "a plan was assigned to me"),
                            ("urgent", "a plan's time is running out"),
                            ("expired", "nobody decided in time"),
                            ("outcome", "a plan that I decided or asked for has ended"),
                            ("question", "somebody asks me about a plan"),
                            ("answer", "somebody answered what I asked"),
                            ("budget", "a day's budget for language models is used up"),
                            ("error", "a goal failed inside mindX"),
                            ("lesson", "somebody ended or promoted what I taught"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "intent_plan",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="agents.intentplan",
                    ),
                ),
                (
                    "level_document",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="agents.leveldocument",
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="agents.goal"
                    ),
                ),
                (
                    "lesson",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="agents.lesson",
                    ),
                ),
                (
                    "comment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="review.comment",
                    ),
                ),
                ("text", models.TextField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                ("read_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["user", "-id"], name="notice_newest"),
                    models.Index(condition=models.Q(("read_at__isnull", True)), fields=["user"], name="notice_unread"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("comment__isnull", True)),
                        fields=("user", "kind", "intent_plan"),
                        name="notice_once",
                    ),
                    models.UniqueConstraint(fields=("user", "kind", "comment"), name="comment_notice_once"),
                    models.UniqueConstraint(fields=("user", "kind", "level_document"), name="level_notice_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("goal__isnull", True),
                                ("intent_plan__isnull", False),
                                ("lesson__isnull", True),
                                ("level_document__isnull", True),
                            ),
                            models.Q(
                                ("goal__isnull", True),
                                ("intent_plan__isnull", True),
                                ("lesson__isnull", True),
                                ("level_document__isnull", False),
                            ),
                            models.Q(
                                ("goal__isnull", False),
                                ("intent_plan__isnull", True),
                                ("lesson__isnull", True),
                                ("level_document__isnull", True),
                            ),
                            models.Q(
                                ("goal__isnull", True),
                                ("intent_plan__isnull", True),
                                ("lesson__isnull", False),
                                ("level_document__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="notice_leads_to_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="review.notice"
                    ),
                ),
                ("channel", models.CharField(choices=[("email", "Email"), ("apprise", "Apprise")], max_length=8)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("sent", "Sent"), ("failed", "Failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("state", "waiting")), fields=["next_at"], name="delivery_waiting")
                ],
                "constraints": [models.UniqueConstraint(fields=("notice", "channel"), name="delivery_once")],
            },
        ),
        migrations.CreateModel(
            name="NoticeChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notice_choice",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "email_kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=8), blank=True, default=list, size=None
                    ),
                ),
                (
                    "apprise_kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=8), blank=True, default=list, size=None
                    ),
                ),
                ("apprise_address", models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name="PlanNews",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="news", to="agents.intentplan"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlanRisk",
            fields=[
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="risk",
                        serialize=False,
                        to="agents.intentplan",
                    ),
                ),
                ("level", models.CharField(max_length=8)),
                ("rank", models.PositiveSmallIntegerField()),
                ("reasons", models.JSONField(default=list)),
                ("steps", models.JSONField(default=list)),
                ("rule", models.JSONField(blank=True, null=True)),
                ("after_failure", models.JSONField(blank=True, null=True)),
                ("trial", models.JSONField(blank=True, null=True)),
                (
                    "shadow_run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="agents.shadowrun",
                    ),
                ),
                ("at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("level", "high"), ("rank", 0)),
                            models.Q(("level", "unknown"), ("rank", 1)),
                            models.Q(("level", "medium"), ("rank", 2)),
                            models.Q(("level", "low"), ("rank", 3)),
                            _connector="OR",
                        ),
                        name="plan_risk_rank_of_its_level",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanTold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="told", to="agents.intentplan"
                    ),
                ),
                ("urgent_at", models.DateTimeField(null=True)),
                ("end_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("end_at__isnull", True)), fields=["id"], name="plan_told_open")
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyEvaluation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="policy_evaluations",
                        to="agents.intentplan",
                    ),
                ),
                (
                    "moment",
                    models.CharField(
                        choices=[("shadow", "Shadow"), ("approve", "Approve"), ("claim", "Claim")], max_length=8
                    ),
                ),
                ("action", models.CharField(blank=True, max_length=16)),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="review.policyversion",
                    ),
                ),
                ("fired", models.JSONField(default=list)),
                ("declined", models.JSONField(default=list)),
                ("outcome", models.TextField(blank=True)),
                ("is_sample", models.BooleanField(default=False)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="QueueEntry",
            fields=[
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="queue_entry",
                        serialize=False,
                        to="agents.intentplan",
                    ),
                ),
                ("waits", models.BooleanField(default=True)),
                ("rank", models.PositiveSmallIntegerField(default=1)),
                (
                    "harm",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "it deletes"), (1, "it overwrites"), (2, "it cannot be repeated"), (3, "nothing")],
                        default=3,
                    ),
                ),
                ("priority", models.PositiveSmallIntegerField()),
                ("is_urgent", models.BooleanField(default=False)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "rung",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            django.db.models.expressions.CombinedExpression(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("rank"), "*", models.Value(100)
                                ),
                                "+",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("harm"), "*", models.Value(10)
                                ),
                            ),
                            "+",
                            models.Case(
                                models.When(is_urgent=True, then=models.Value(0)),
                                default=models.F("priority"),
                                output_field=models.SmallIntegerField(),
                            ),
                        ),
                        output_field=models.SmallIntegerField(),
                    ),
                ),
                ("shape", models.CharField(blank=True, max_length=32)),
                ("outcome", models.CharField(db_default="untried", default="untried", max_length=10)),
                ("trial", models.CharField(db_default="untried", default="untried", max_length=16)),
                (
                    "targets",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(blank=True), blank=True, null=True, size=None
                    ),
                ),
                (
                    "does",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=130), default=list, size=None
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.agent"
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.workspace",
                    ),
                ),
                (
                    "submitted_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assigned_to",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("has_clock", models.BooleanField(default=False)),
                ("is_told", models.BooleanField(default=False)),
                ("is_urgent_told", models.BooleanField(default=False)),
                ("is_end_told", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("waits", True)),
                        fields=["rung", "queued_at", "intent_plan"],
                        name="queue_order",
                    ),
                    models.Index(
                        condition=models.Q(("waits", True)),
                        fields=["shape", "trial", "rung", "queued_at", "intent_plan"],
                        name="queue_group",
                    ),
                    models.Index(
                        condition=models.Q(("waits", True)),
                        fields=["submitted_by", "rung", "queued_at", "intent_plan"],
                        name="queue_submitter",
                    ),
                    models.Index(
                        condition=models.Q(("assigned_to__isnull", False), ("waits", True)),
                        fields=["assigned_to", "rung", "queued_at", "intent_plan"],
                        name="queue_assigned",
                    ),
                    models.Index(
                        condition=models.Q(("has_clock", False), ("waits", True)),
                        fields=["priority", "intent_plan"],
                        name="queue_no_clock",
                    ),
                    models.Index(
                        condition=models.Q(("is_told", False), ("waits", True)),
                        fields=["intent_plan"],
                        name="queue_not_told",
                    ),
                    models.Index(
                        condition=models.Q(("is_urgent", True), ("is_urgent_told", False), ("waits", True)),
                        fields=["intent_plan"],
                        name="queue_urgent_not_told",
                    ),
                    models.Index(
                        condition=models.Q(("is_end_told", False), ("waits", False)),
                        fields=["intent_plan"],
                        name="queue_end_not_told",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("rank__range", (0, 3))), name="queue_entry_rank_0_to_3"),
                    models.CheckConstraint(condition=models.Q(("harm__range", (0, 3))), name="queue_entry_harm_0_to_3"),
                    models.CheckConstraint(
                        condition=models.Q(("priority__range", (1, 5))), name="queue_entry_priority_1_to_5"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("outcome__in", ["untried", "failed", "unproven", "done"])),
                        name="queue_entry_outcome_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReviewClock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "intent_plan",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="clock", to="agents.intentplan"
                    ),
                ),
                ("minutes", models.PositiveIntegerField()),
                ("extended_min", models.PositiveIntegerField(default=0)),
                ("escalate_at", models.DateTimeField(null=True)),
                ("escalated_at", models.DateTimeField(null=True)),
                ("due_at", models.DateTimeField(null=True)),
                ("to_manual", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="review_clock_due"
                    ),
                    models.Index(
                        condition=models.Q(("escalate_at__isnull", False), ("escalated_at__isnull", True)),
                        fields=["escalate_at"],
                        name="review_clock_escalate",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "policy",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="days", to="review.reviewpolicy"
                    ),
                ),
                ("day", models.DateField()),
                ("used", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("policy", "day"), name="policy_day_once")],
            },
        ),
        migrations.CreateModel(
            name="PolicyChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "policy",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="changes", to="review.reviewpolicy"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("event", models.CharField(max_length=24)),
                ("data", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="RoundLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="round_limits",
                        to="agents.agent",
                    ),
                ),
                ("rounds", models.PositiveSmallIntegerField(help_text="1 to 50 requests for changes of one goal.")),
            ],
            options={
                "ordering": ["agent"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("rounds__range", (1, 50))),
                        name="round_limit_1_to_50",
                        violation_error_message="From 1 to 50 rounds.",
                    ),
                    models.UniqueConstraint(
                        fields=("agent",),
                        name="one_round_limit_per_agent",
                        nulls_distinct=False,
                        violation_error_message="There is a limit for this agent already; change that one.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_filters",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("query", models.TextField()),
            ],
            options={
                "ordering": ["name"],
                "constraints": [models.UniqueConstraint(fields=("owner", "name"), name="saved_filter_once_per_person")],
            },
        ),
        migrations.CreateModel(
            name="TimeLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "priority",
                    models.PositiveSmallIntegerField(blank=True, help_text="1 to 5; empty: every priority", null=True),
                ),
                ("minutes", models.PositiveIntegerField(help_text="From when a plan entered the queue; 1 to 525,600.")),
                (
                    "escalate_percent",
                    models.PositiveSmallIntegerField(
                        default=50, help_text="After this share of the time the plan is marked as urgent; 100: never."
                    ),
                ),
                (
                    "to_manual",
                    models.BooleanField(
                        default=False,
                        help_text="When the time is over, the goal waits for a person. Otherwise it is dropped.",
                    ),
                ),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ["priority"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("priority__isnull", True), ("priority__range", (1, 5)), _connector="OR"),
                        name="time_limit_priority_1_to_5",
                        violation_error_message="A priority is a number from 1 to 5.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("minutes__range", (1, 525600))),
                        name="time_limit_minutes",
                        violation_error_message="From one minute to a year.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("escalate_percent__range", (1, 100))),
                        name="time_limit_share",
                        violation_error_message="A share is 1 to 100 per cent.",
                    ),
                    models.UniqueConstraint(
                        fields=("priority",),
                        name="one_time_limit_per_priority",
                        nulls_distinct=False,
                        violation_error_message="There is a limit for this priority already; change that one.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TypedEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("submitted", "submitted"),
                            ("refused", "refused"),
                            ("ended", "ended"),
                            ("lost", "lost"),
                            ("cancel_asked", "cancel_asked"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="typed_events", to="agents.goal"
                    ),
                ),
                (
                    "command",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="agents.handcommand",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="typed_events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("text", models.TextField()),
                ("before", models.CharField(blank=True, max_length=64)),
                ("after", models.CharField(blank=True, max_length=64)),
                ("why", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["id"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                ("version", models.PositiveSmallIntegerField()),
                ("event", models.CharField(max_length=32)),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=150)),
                ("subject", models.CharField(max_length=200)),
                ("data", models.JSONField(default=dict)),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["id"],
                "abstract": False,
                "indexes": [
                    models.Index(fields=["by", "-id"], name="audit_by_newest"),
                    models.Index(fields=["event", "-id"], name="audit_event_newest"),
                    models.Index(fields=["subject", "-id"], name="audit_subject_newest"),
                    models.Index(fields=["at"], name="audit_at"),
                ],
            },
        ),
    ]
