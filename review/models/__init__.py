"""Decisions and approvals, policies, time limits, what people typed, the journal. Most rows are append-only."""

from __future__ import annotations

from review.models.comments import Answer, Comment, RoundLimit
from review.models.decisions import Approval, Decision, HeldDecision
from review.models.inbox import InboxRequest
from review.models.journal import AuditEntry, TypedEvent
from review.models.levels import LevelTold
from review.models.notices import Delivery, Notice, NoticeChoice, NoticeKind, PlanTold
from review.models.policies import PlanRisk, PolicyChange, PolicyDay, PolicyEvaluation, PolicyVersion, ReviewPolicy
from review.models.queue import PlanNews, QueueEntry, SavedFilter
from review.models.time import ReviewClock, TimeLimit

__all__ = [
    "Answer",
    "Approval",
    "AuditEntry",
    "Comment",
    "Decision",
    "Delivery",
    "HeldDecision",
    "InboxRequest",
    "LevelTold",
    "Notice",
    "NoticeChoice",
    "NoticeKind",
    "PlanNews",
    "PlanRisk",
    "PlanTold",
    "PolicyChange",
    "PolicyDay",
    "PolicyEvaluation",
    "PolicyVersion",
    "QueueEntry",
    "ReviewClock",
    "ReviewPolicy",
    "RoundLimit",
    "SavedFilter",
    "TimeLimit",
    "TypedEvent",
]
