"""What review does on signals from agents. Each is a hint: `review.upkeep.sweep` finds plans whose hint was lost."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_save

from agents.models import IntentPlan, Lesson
from agents.record import signals
from review.deciding import auto_approval
from review.entries import places
from review.notices import lessons
from review.talk import carrying


def connect() -> None:
    """Listen. Called once, when Django is ready."""
    post_save.connect(_enter, sender=IntentPlan, dispatch_uid="review.enter_the_queue")
    post_save.connect(_tell, sender=Lesson, dispatch_uid="review.tell_its_teacher")
    signals.plan_proposed.connect(_look, dispatch_uid="review.look_when_proposed")
    signals.plan_proposed.connect(_carry, dispatch_uid="review.carry_comments")
    signals.shadow_ended.connect(_look, dispatch_uid="review.look_after_shadow_run")
    signals.plan_ended.connect(_judge, dispatch_uid="review.judge_policies")


def _enter(sender: object, instance: IntentPlan, created: bool, **_: Any) -> None:
    # Not a hint: it runs in the plan's own transaction, so every waiting plan is in the queue.
    if created:
        places.enter(instance)


def _tell(sender: object, instance: Lesson, created: bool, **_: Any) -> None:
    # Not a hint either, so that every teacher is told when a lesson ends.
    if created:
        lessons.tell_end(instance)


def _look(sender: object, intent_plan_id: int, **_: Any) -> None:
    auto_approval.look(intent_plan_id)


def _carry(sender: object, intent_plan_id: int, **_: Any) -> None:
    carrying.carry_to(intent_plan_id)


def _judge(sender: object, intent_plan_id: int, **_: Any) -> None:
    auto_approval.judge(intent_plan_id)
