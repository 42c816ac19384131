"""What is stored: snapshots, chains, and queues that should be short."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from agents.record import log_retention
from agents.record.lease import claimable
from agents.workspaces import snapshot_maintenance, snapshot_references
from agents.workspaces.stores import is_shared, store
from library import embedding, renewal
from library.language import spaces
from library.language.entailment import model as entailment_model
from mindx_web.doctor.finding import Finding, fail, ok, warn
from people import sealing
from review.audit import anchors
from review.models import Delivery, HeldDecision, PlanNews
from sandbox.store import verify as verifying

SAMPLE = 20
SAMPLE_SHARED = 3
LATE = timedelta(minutes=5)
MANY = 200
_NAMED = 10
_REPAIR = "`manage.py snapshots verify` names the files, `… repair` looks for them, docs/operations.md restores them."


def store_sample() -> Iterator[Finding]:
    """Some of the snapshots that something needs now, read from the disk and compared with their digests."""
    needed = sorted(snapshot_references.needed_now())
    # From a bucket all of it comes over the network.
    chosen = random.sample(needed, min(SAMPLE_SHARED if is_shared() else SAMPLE, len(needed)))
    bad = [damage for digest in chosen for damage in verifying.verify(store(), digest)]
    if bad:
        yield fail("store", f"{len(bad)} parts of {len(chosen)} snapshots are missing or damaged", _REPAIR)
    else:
        yield ok("store", f"{len(chosen)} of {len(needed)} snapshots in use were read and are intact")


def whole_store() -> Iterator[Finding]:
    """Every snapshot and every content."""
    found = snapshot_maintenance.verify()
    if found.damages:
        yield fail("store", f"{len(found.damages)} parts are missing or damaged", _REPAIR)
    else:
        yield ok("store", f"all {found.manifests:,} snapshots and {found.contents:,} contents are intact")


def logs() -> Iterator[Finding]:
    """The log's partitions reach beyond the newest goal, and hold every line; what is kept of it."""
    room = log_retention.room()
    do = "Beat makes them every hour: see that it and a worker run. Nothing is lost meanwhile."
    if room.outside:
        yield warn("logs", "lines lie outside of every partition, and slow down making the next one", do)
    elif not room.ahead:
        yield warn("logs", "no partition lies ahead of the newest goal", do)
    else:
        yield ok("logs", f"the partitions have room for {room.ahead:,} more goals")
    yield ok("logs", _what_is_kept())


def _what_is_kept() -> str:
    """How much the logs take, for how long they are kept, and whether any have gone."""
    kept, days = log_retention.kept(), settings.LOG_KEEP_DAYS
    how_long = f"kept for {days:,} days after a goal's end" if days else "kept for ever (MINDX_LOG_KEEP_DAYS is 0)"
    gone = f"; the last that were removed went on {kept.gone_at:%Y-%m-%d %H:%M} UTC" if kept.gone_at else ""
    parts = f"{kept.partitions:,} partition{'s' * (kept.partitions != 1)}"
    return f"{kept.size_bytes / 1e6:,.0f} MB in {parts}, {how_long}{gone}"


def chains() -> Iterator[Finding]:
    """Decisions, typed commands and the journal are what was signed."""
    for name, walk in anchors.walk_all():
        if walk.broken is not None:
            yield fail(
                "chains",
                f"row {walk.broken.row} of the {name} is not valid: {walk.broken.reason}",
                "Somebody changed the database, or the approval key is a different one: compare with your anchors"
                " (`manage.py audit verify --anchors FILE`).",
            )
        else:
            yield ok("chains", f"{walk.rows:,} rows of the {name} are valid")


def seals() -> Iterator[Finding]:
    """Rows that workers act on, and that let people in, are what mindX sealed."""
    found = [f"{model._meta.verbose_name} {row.pk}" for model in sealing.models() for row in sealing.broken(model)]
    if not found:
        yield ok("seals", f"rows of {len(sealing.models())} kinds are what mindX sealed")
        return
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    yield fail(
        "seals",
        f"{', '.join(found[:_NAMED])}{more}: mindX did not seal what stands there, so nothing is made of it",
        "If somebody changed them on purpose, have a person do it again on its page (for a login: `manage.py"
        " accept_person`). Otherwise somebody wrote to the database: see docs/why/security.md.",
    )


def waiting_work() -> Iterator[Finding]:
    """Goals that a worker could take up now, and decisions whose time has come."""
    count = len(claimable(limit=MANY))
    says = f"{count if count < MANY else f'{MANY} or more'} goals are waiting for a worker"
    if count >= MANY:
        yield warn("work", says, "Start more workers; see docs/operations.md.")
    else:
        yield ok("work", says)
    late = HeldDecision.objects.filter(dropped="", due_at__lt=timezone.now() - LATE).count()
    unread = PlanNews.objects.order_by()[:MANY].count()
    if late or unread >= MANY:
        yield warn(
            "work",
            f"{late} decisions are overdue, {unread} plans wait for policies",
            "The sweeps do not run: see `scheduler` and `workers`.",
        )


def notices() -> Iterator[Finding]:
    """Messages to people on their way out."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
    oldest = waiting.aggregate(oldest=Min("notice__at"))["oldest"]
    day = timezone.now() - timedelta(days=1)
    failed = Delivery.objects.filter(state=Delivery.State.FAILED, ended_at__gte=day).count()
    if failed:
        reason = Delivery.objects.filter(state=Delivery.State.FAILED).order_by("-ended_at").values_list("reason")[:1]
        yield warn(
            "notices", f"{failed} could not be sent in the last day, the latest because: {reason[0][0]}", "See `mail`."
        )
    if oldest is not None and oldest < timezone.now() - LATE:
        yield warn("notices", f"{waiting.count()} wait, the oldest since {oldest:%Y-%m-%d %H:%M} UTC", "See `workers`.")
    elif not failed:
        yield ok("notices", f"{waiting.count()} on their way")


def entailment() -> Iterator[Finding]:
    """The model that rules ask whether a context follows, where the settings say that they do."""
    if settings.ENTAILMENT == "structured":
        return
    if reason := entailment_model.why_unavailable():
        yield warn("entailment", f"the structured matcher decides alone: {reason}", "See docs/entailment.md.")
    else:
        yield ok("entailment", "rules ask the entailment model")


def embeddings() -> Iterator[Finding]:
    """The sentence model, rows that search by meaning does not find yet, and rows of another model."""
    if reason := spaces.why_unavailable():
        do = "Run `manage.py build_models`."
        if spaces.current() != spaces.SHIPPED:
            do = "Correct MINDX_EMBEDDING_MODEL, its key or its address; or remove it to use the one in mindX."
        yield warn("embeddings", f"no sentence model: {reason}", do)
    elif missing := embedding.count_missing(MANY):
        yield warn(
            "embeddings",
            f"{missing} rows wait for their embedding",
            "The background pool fills them. If this stays, see `workers`.",
        )
    else:
        yield ok("embeddings", "all stored")
    if renewal.is_under_way():
        said = ", ".join(one.sentence for one in renewal.progress() if one.others)
        do = "Beat does the rest; `manage.py embeddings renew` does it at once. Until then each model ranks its own."
        yield warn("embeddings", said, do)
