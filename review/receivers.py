"""What review does when agents tell it of a plan. Each is a hint: `review.tasks.sweep` finds what none reached."""

from __future__ import annotations

from typing import Any

from agents import signals
from review.services import auto_approval, carrying


def connect() -> None:
    """Listen. Called once, when Django is ready."""
    signals.plan_proposed.connect(_look, dispatch_uid="review.look_when_proposed")
    signals.plan_proposed.connect(_carry, dispatch_uid="review.carry_comments")
    signals.shadow_ended.connect(_look, dispatch_uid="review.look_after_shadow_run")
    signals.plan_ended.connect(_judge, dispatch_uid="review.judge_policies")


def _look(sender: object, intent_plan_id: int, **_: Any) -> None:
    auto_approval.look(intent_plan_id)


def _carry(sender: object, intent_plan_id: int, **_: Any) -> None:
    carrying.carry_to(intent_plan_id)


def _judge(sender: object, intent_plan_id: int, **_: Any) -> None:
    auto_approval.judge(intent_plan_id)
