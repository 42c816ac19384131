"""The rows of a plan that is proposed are those that their models would make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import models
from django.db.models.signals import post_save

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from people.models import User
from review.entries import places
from review.models import PlanNews, QueueEntry

pytestmark = pytest.mark.django_db


def left_to_defaults(row: models.Model, *given: str) -> dict[str, Any]:
    """What stands in the columns that nothing was given for."""
    fields = [field for field in row._meta.concrete_fields if field.name not in ("id", *given)]
    return {field.name: getattr(row, field.attname) for field in fields}


def defaults(row: models.Model, *given: str) -> dict[str, Any]:
    """What its model would write there."""
    fields = [field for field in row._meta.concrete_fields if field.name not in ("id", *given)]
    in_database = {field.name: getattr(field.db_default, "value", None) for field in fields if field.has_db_default()}
    return {field.name: field.get_default() for field in fields} | in_database


def test_what_is_not_said_is_what_the_models_say(owner: User, propose_plan: Callable[..., IntentPlan]) -> None:
    plan = IntentPlan.objects.get(pk=propose_plan(owner).pk)
    of_steps = ("intent_plan", "position", "phase", "tool", "command", "effect")
    rows: list[tuple[models.Model, tuple[str, ...]]] = [
        (plan.plan, ("goal", "number", "source", "by", "steps", "evidence", "created_at")),
        (plan, ("goal", "plan", "workspace", "revision", "document", "digest", "created_at", "queued_at")),
        *((step, of_steps) for step in plan.intents.all()),
        (plan.session, ("intent_plan",)),
        (plan.shadow_runs.get(), ("intent_plan", "number", "created_at")),
        (plan.goal.transitions.latest("pk"), ("goal", "old", "new", "by", "at")),
    ]
    assert len(rows) > 4
    for row, given in rows:
        assert left_to_defaults(row, *given) == defaults(row, *given), row


def test_every_row_says_what_the_document_says(owner: User, propose_plan: Callable[..., IntentPlan]) -> None:
    made = propose_plan(owner)
    plan = IntentPlan.objects.get(pk=made.pk)
    document = documents.read(bytes(plan.document))
    assert (plan.digest, plan.revision) == (documents.digest_of(bytes(plan.document)), document.revision)
    assert [(one.position, one.phase, one.tool, one.command, one.effect) for one in plan.intents.all()] == [
        (one.position, one.phase, one.tool, one.command, one.effect) for one in document.all_intents
    ]
    assert (plan.plan.number, plan.plan.by, len(plan.plan.steps)) == (1, owner, len(document.all_intents))
    assert plan.shadow_runs.get().number == 1
    assert (made.created_at, made.queued_at) == (plan.created_at, plan.queued_at)
    assert plan.queue_entry.queued_at == plan.queued_at


def test_its_place_in_the_queue_is_as_its_model_has_it_and_who_looks_is_told(
    owner: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    plan = IntentPlan.objects.get(pk=propose_plan(owner).pk)
    plan.queue_entry.delete()
    PlanNews.objects.all().delete()
    places.enter(plan)
    stored, made = QueueEntry.objects.get(pk=plan.pk), places.entry_of(plan)
    columns = [field.attname for field in stored._meta.concrete_fields if not field.generated]
    assert {name: getattr(stored, name) for name in columns} == {name: getattr(made, name) for name in columns}
    assert stored.does
    assert stored.rung
    assert PlanNews.objects.get().intent_plan == plan


def test_who_listens_for_new_revisions_hears_of_it(owner: User, propose_plan: Callable[..., IntentPlan]) -> None:
    heard: list[tuple[int, bool]] = []

    def listen(sender: object, instance: IntentPlan, created: bool, **_: object) -> None:
        heard.append((instance.pk, created))

    post_save.connect(listen, sender=IntentPlan)
    try:
        plan = propose_plan(owner)
    finally:
        post_save.disconnect(listen, sender=IntentPlan)
    assert heard == [(plan.pk, True)]
