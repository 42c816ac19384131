"""What is known: versioned components and experiences, each searchable by meaning."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.text import Truncator
from pgvector.django import HnswIndex, VectorField

from library import both_vectors
from library.both_vectors import BothVectors
from library.language.weights import NAME as SHIPPED

DIMENSIONS = both_vectors.DIMENSIONS


class Component(models.Model):
    """A named thing of the library; what it is stands in its versions."""

    class Kind(models.TextChoices):
        RULE = "rule"
        TOOL = "tool"
        FIRMWARE = "firmware"
        AGENT = "agent"
        PROMPT = "prompt"
        WORKFLOW = "workflow"
        # Which modules a modular agent is made of.
        MODULAR = "modular"

    kind = models.CharField(max_length=16, choices=Kind.choices)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="", db_default="")
    # What it is made for, such as finance; "general" is everything.
    domain = models.CharField(max_length=64, default="general", db_default="general")
    tags = ArrayField(models.TextField(), default=list, blank=True, db_default=[])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="component_name_once_per_kind")]
        # The filters of a search.
        indexes = [
            models.Index(fields=["domain"], name="component_by_domain"),
            GinIndex(fields=["tags"], name="component_by_tags"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class ComponentVersion(models.Model):
    """One version of a component. Its body never changes; a change is a new version with this one as parent.

    It is sealed when it is written and when it is put to use or out of it: what workers use is what a person saw.
    """

    sealed = (
        "component__kind",
        "component__name",
        "version",
        "body",
        "status",
        "canary_percent",
        "origin",
        "created_by_id",
    )

    class Status(models.TextChoices):
        CANDIDATE = "candidate"
        CANARY = "canary"
        ACTIVE = "active"
        RETIRED = "retired"

    acted_on = Q(status__in=("active", "canary"))

    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="versions")
    version = models.CharField(max_length=32)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")
    body = models.TextField()
    changes = models.TextField(blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CANDIDATE)
    # While it is a canary: so many percent of new goals are planned with it instead of the active version.
    canary_percent = models.PositiveSmallIntegerField(default=0, db_default=0)
    applicability_text = models.TextField(blank=True)
    content_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    applicability_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    # The sentence model of its vectors, all of which are of one. It says nothing where there are none.
    embedded_by = models.CharField(max_length=200, default=SHIPPED, db_default=SHIPPED)
    # The sentence model that gave one of its texts no usable vector, and is not asked for it again.
    unread_by = models.CharField(max_length=200, blank=True, default="", db_default="")
    # "person", "model" for what a language model wrote for that person, or "starter" for what ships with mindX.
    origin = models.CharField(max_length=16, default="person")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    uses = models.PositiveIntegerField(default=0)
    successes = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["component", "version"], name="component_version_once"),
            models.UniqueConstraint(
                fields=["component"], condition=Q(status="active"), name="one_active_version_per_component"
            ),
            models.UniqueConstraint(
                fields=["component"], condition=Q(status="canary"), name="one_canary_per_component"
            ),
            models.CheckConstraint(
                condition=~Q(status="canary") | Q(canary_percent__range=(1, 50)), name="canary_takes_1_to_50_percent"
            ),
            # Made from an older one, so whoever follows parents comes to an end.
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | Q(parent__lt=F("pk")), name="version_made_from_an_older_one"
            ),
        ]
        indexes = [
            HnswIndex(
                OpClass(BothVectors("applicability_embedding", "content_embedding"), name="halfvec_ip_ops"),
                condition=Q(applicability_embedding__isnull=False) | Q(content_embedding__isnull=False),
                name="version_vectors_hnsw",
            ),
            # Few wait for their vectors, and each search looks for them by words.
            models.Index(
                fields=["component"],
                condition=Q(applicability_embedding__isnull=True, content_embedding__isnull=True),
                name="version_waits_for_vectors",
            ),
            # Which models made vectors, and what one of them made, the newest first (`library.search`).
            models.Index(
                fields=["embedded_by", "-id"],
                condition=Q(applicability_embedding__isnull=False) | Q(content_embedding__isnull=False),
                name="version_by_sentence_model",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.component.name} {self.version}"


class Experience(models.Model):
    """What a finished goal taught: one row for the goal, and one for each recovery and each request on its way. A goal
    that is a part of another is a sub-goal: its `primary_goal_description` is what the whole was for.

    All of them have the rights of their goal: `owner` may read them, as may reviewers. Four texts are searched, so
    these have embeddings. One is null until it could be computed ("not embedded", retried) and where its text is empty;
    it is never a vector of zeros.
    """

    # How near it was to what was searched for, and what it was ranked by; set by a search.
    similarity: float | None = None
    score: float = 0.0

    class Kind(models.TextChoices):
        GOAL = "goal"
        SUB_GOAL = "sub_goal"
        RECOVERY = "recovery"
        # What an agent asked another one for on the bus.
        REQUEST = "request"

    class Outcome(models.TextChoices):
        SUCCESS = "success"
        FAILURE = "failure"
        PARTIAL_SUCCESS = "partial_success"
        ABANDONED = "abandoned"
        # Its plan ran to its end, and nothing said how to check what was asked for.
        UNCHECKED = "unchecked"

    goal_ref = models.CharField(max_length=64)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.GOAL, db_default=Kind.GOAL)
    # Which part of the goal it tells of, such as "recovery 12"; "" is the goal itself.
    part = models.CharField(max_length=40, blank=True, default="", db_default="")
    # The experience that stands for this one as well, because both tell the same; null: it stands for itself.
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="merged")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    primary_goal_description = models.TextField()
    sub_task_description = models.TextField(blank=True)
    initiating_agent_id = models.CharField(max_length=64)
    involved_components = ArrayField(models.TextField(), default=list, blank=True)
    input_context_summary = models.TextField(blank=True)
    key_decisions_made = ArrayField(models.TextField(), default=list, blank=True)
    final_outcome = models.CharField(max_length=16, choices=Outcome.choices)
    output_summary = models.TextField(blank=True)
    feedback_signals = models.JSONField(default=dict, blank=True)
    timestamp = models.DateTimeField(db_index=True)
    version = models.PositiveIntegerField(default=1)
    workflow_id = models.CharField(max_length=64, blank=True)
    session_id = models.CharField(max_length=64, blank=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    primary_goal_description_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    sub_task_description_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    input_context_summary_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    output_summary_embedding = VectorField(dimensions=DIMENSIONS, null=True, blank=True)
    # The sentence model of its vectors, all of which are of one. It says nothing where there are none.
    embedded_by = models.CharField(max_length=200, default=SHIPPED, db_default=SHIPPED)
    # The sentence model that gave one of its texts no usable vector, and is not asked for it again.
    unread_by = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta:
        ordering = ["-timestamp"]
        constraints = [models.UniqueConstraint(fields=["goal_ref", "part"], name="experience_once_per_part")]
        indexes = [
            models.Index(fields=["owner", "-timestamp"], name="experience_owner_time"),
            models.Index(fields=["final_outcome", "-timestamp"], name="experience_outcome_time"),
            # A search by meaning asks for these beside; they are few, and found without reading all others.
            models.Index(
                fields=["-timestamp"],
                condition=models.Q(primary_goal_description_embedding__isnull=True),
                name="experience_not_embedded",
            ),
            # The sweep, and whoever counts what waits for it, asks in these very words (`library.embedding`).
            models.Index(
                fields=["-id"],
                condition=(
                    models.Q(primary_goal_description_embedding__isnull=True) & ~models.Q(primary_goal_description="")
                    | models.Q(sub_task_description_embedding__isnull=True) & ~models.Q(sub_task_description="")
                    | models.Q(input_context_summary_embedding__isnull=True) & ~models.Q(input_context_summary="")
                    | models.Q(output_summary_embedding__isnull=True) & ~models.Q(output_summary="")
                ),
                name="experience_lacks_vectors",
            ),
            # Which models made vectors, and what one of them made, the newest first (`library.search`).
            models.Index(
                fields=["embedded_by", "-id"],
                condition=Q(primary_goal_description_embedding__isnull=False),
                name="experience_by_sentence_model",
            ),
            HnswIndex(
                name="experience_goal_hnsw",
                fields=["primary_goal_description_embedding"],
                opclasses=["vector_cosine_ops"],
            ),
            HnswIndex(
                name="experience_task_hnsw", fields=["sub_task_description_embedding"], opclasses=["vector_cosine_ops"]
            ),
            HnswIndex(
                name="experience_context_hnsw",
                fields=["input_context_summary_embedding"],
                opclasses=["vector_cosine_ops"],
            ),
            HnswIndex(
                name="experience_output_hnsw", fields=["output_summary_embedding"], opclasses=["vector_cosine_ops"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.final_outcome}: {self.primary_goal_description[:60]}"

    @property
    def result_line(self) -> str:
        """The beginning of the result on one line; the page of the experience has all of it."""
        return Truncator(" ".join(self.output_summary.split())).chars(200)

    @property
    def title(self) -> str:
        """What it is about, for lists: of a sub-goal its own words, which its task begins with."""
        if self.kind == self.Kind.GOAL:
            return self.primary_goal_description
        return self.sub_task_description.partition("\n")[0] or self.primary_goal_description


class ExperienceRating(models.Model):
    """What a person thinks of an experience, 1 (of no use) to 5 (just right). It changes nothing else."""

    experience = models.ForeignKey(Experience, on_delete=models.CASCADE, related_name="ratings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    stars = models.PositiveSmallIntegerField()
    comment = models.TextField(blank=True)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["experience", "by"], name="experience_rated_once_by_a_person"),
            models.CheckConstraint(condition=Q(stars__range=(1, 5)), name="experience_rating_1_to_5"),
        ]

    def __str__(self) -> str:
        return f"{self.stars} of 5"


class ExperienceCorrection(models.Model):
    """A person changed a plan that had followed an experience: told with that experience from then on.

    `by` is the experience of the goal whose plan was changed, whose rights it has. `said`: what the person said; ""
    where a value was edited.
    """

    experience = models.ForeignKey(Experience, on_delete=models.CASCADE, related_name="corrections")
    by = models.ForeignKey(Experience, on_delete=models.CASCADE, related_name="corrects")
    said = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["experience", "by"], name="experience_corrected_once_by_a_goal"),
            models.CheckConstraint(condition=~Q(experience=models.F("by")), name="experience_corrects_another"),
        ]

    def __str__(self) -> str:
        return self.said[:60] or "a value was edited"


class ExperienceSummary(models.Model):
    """A long result as the language model summarised it, or why its summary cannot be used. `call` is its request."""

    experience = models.OneToOneField(
        Experience, primary_key=True, on_delete=models.CASCADE, related_name="model_summary"
    )
    text = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    call = models.BigIntegerField(null=True)
    why_not = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(text="") ^ Q(why_not=""), name="summary_or_why_there_is_none")
        ]

    def __str__(self) -> str:
        return self.text or self.why_not


class EntailmentVerdict(models.Model):
    """What a model made of a pair of sentences, so that no process has to ask it again.

    There are no sentences in it, only keyed digests (`library.language.entailment.verdicts`): a belief may say what
    somebody wrote, and nothing of that may stay here when its goal is erased.
    """

    # The model and its version; of another one's verdicts nothing is read.
    judged_by = models.CharField(max_length=80)
    premise = models.UUIDField()
    pair = models.UUIDField()
    entailment = models.FloatField()
    neutral = models.FloatField()
    contradiction = models.FloatField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judged_by", "pair"], name="entailment_verdict_once"),
            # This keeps NaN out as well, which Postgres takes for the greatest number.
            models.CheckConstraint(
                condition=Q(entailment__range=(0, 1)) & Q(neutral__range=(0, 1)) & Q(contradiction__range=(0, 1)),
                name="entailment_verdict_of_shares",
            ),
        ]
        # Read by all beliefs of a goal at once, the newest first.
        indexes = [models.Index(fields=["judged_by", "premise", "-id"], name="entailment_verdict_premise")]

    def __str__(self) -> str:
        return f"{self.judged_by}: {self.entailment:.2f} / {self.contradiction:.2f}"


class MemoryOff(models.Model):
    """An agent, by its name, that plans without memory; there is no row for the others."""

    agent = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.agent


class ModelCall(models.Model):
    """One request to a language model: the prompt, the result and its cost.

    The row is there before the question leaves, with a guess of what it will use, so that a budget holds however many
    ask at once and whoever dies meanwhile. `agent` and `goal` are opaque. The prompt is stored as it was sent.
    """

    class State(models.TextChoices):
        ASKED = "asked"
        ANSWERED = "answered"
        CACHED = "cached"
        FAILED = "failed"

    purpose = models.CharField(max_length=32)
    state = models.CharField(max_length=16, choices=State.choices, default=State.ASKED)
    agent = models.CharField(max_length=64, blank=True)
    goal = models.CharField(max_length=64, blank=True)
    # The model that was asked for, as LiteLLM spells it, and the one that says it answered.
    model = models.CharField(max_length=200)
    answered_by = models.CharField(max_length=200, blank=True)
    # SHA-256 of everything that makes two requests the same.
    request_digest = models.CharField(max_length=64)
    messages = models.JSONField()
    # What else the request said: {"max_tokens", "schema", "prompts": [{"name", "version", "values", "chars"}]}, where
    # `chars` is how far the first message is the prompt's text. {}: asked before this was kept.
    asked_with = models.JSONField(default=dict, blank=True, db_default={})
    # The kinds of secrets that were taken out of the messages, parted by commas.
    masked = models.CharField(max_length=500, blank=True, default="", db_default="")
    answer = models.TextField(blank=True)
    # One word and a sentence: why it failed.
    failure = models.CharField(max_length=32, blank=True)
    detail = models.TextField(blank=True)
    tries = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tokens_are_guessed = models.BooleanField(default=True)
    # US dollars; null: the model has no known price.
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now())
    # Until when the same request is answered from here; null: never, for nobody could use the answer.
    fresh_until = models.DateTimeField(null=True, blank=True)
    # The row whose answer this one repeats.
    cached_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # The row whose request this one sent again, for people to compare the answers; nothing acted on it.
    replay_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replays", db_index=False
    )

    class Meta:
        ordering = ["-pk"]
        indexes = [
            # Few rows are replays.
            models.Index(
                fields=["replay_of"], condition=Q(replay_of__isnull=False), name="model_call_replays_of_another"
            ),
            models.Index(fields=["request_digest"], condition=Q(state="answered"), name="model_call_by_request"),
            models.Index(fields=["agent", "at"], name="model_call_by_agent_and_time"),
            models.Index(fields=["goal"], name="model_call_by_goal"),
            # Lists of calls, newest first: all, of one model, and of one state.
            models.Index(fields=["at", "id"], name="model_call_by_time"),
            models.Index(fields=["model", "at"], name="model_call_by_model_and_time"),
            models.Index(fields=["state", "at"], name="model_call_by_state_and_time"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}: {self.state}"

    @property
    def latency_s(self) -> float:
        """Seconds from the question to the end of the answer, waiting between tries included."""
        return (self.latency_ms or 0) / 1000

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    @property
    def prompts(self) -> list[str]:
        """The prompts that it held, each with its version."""
        return [f"{one['name']} {one['version']}" for one in self.asked_with.get("prompts", ())]


class ModelDay(models.Model):
    """What one agent asked of one model on one day (UTC), added up as each call ends.

    A page of a year would else read a million calls. The day is that of the question. Tokens and cost are those of the
    answered calls and of what failed ones had used; time is that of the answered ones.
    """

    day = models.DateField()
    agent = models.CharField(max_length=64, blank=True)
    model = models.CharField(max_length=200)
    answered = models.PositiveIntegerField(default=0)
    cached = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    # US dollars of those whose price is known; `unpriced` counts the others.
    cost = models.DecimalField(max_digits=18, decimal_places=8, default=0)
    unpriced = models.PositiveIntegerField(default=0)
    latency_ms = models.PositiveBigIntegerField(default=0)
    # Answers that were to be a plan, and those of them that were a valid one.
    attempts = models.PositiveIntegerField(default=0)
    plans = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "agent", "model"], name="model_day_once")]

    def __str__(self) -> str:
        return f"{self.model} on {self.day}"
