"""A goal's discussion for its planner: comments, answers, and decisions with their texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agents.planning.messages import LOOKED_AT, MESSAGE_CHARS, Message
from review.models import Answer, Comment, Decision


def messages_of(goals: Collection[int]) -> Iterator[Message]:
    """The newest of each kind. Comments may be by a model, because its remarks are stored as comments."""
    for comment in Comment.objects.filter(goal__in=goals).select_related("by").order_by("-pk")[:LOOKED_AT]:
        what = "asked" if comment.is_question else "commented"
        who = f"{comment.by.username} {what} ({comment.state_words})"
        yield Message(f"comment {comment.pk}", comment.goal_id, comment.at, who, comment.text, comment.about)
    answers = Answer.objects.filter(question__goal__in=goals).select_related("by", "question").order_by("-pk")
    for one in answers[:LOOKED_AT]:
        asked = one.question
        who = f"{one.by.username} answered"
        yield Message(f"answer {one.pk}", asked.goal_id, one.at, who, one.text, f"“{asked.text[:MESSAGE_CHARS]}”")
    decisions = Decision.objects.filter(intent_plan__goal__in=goals, policy=None).exclude(comment="")
    for decision in decisions.select_related("by", "intent_plan").order_by("-pk")[:LOOKED_AT]:
        who = f"{decision.by.username}'s decision ({decision.get_verdict_display().lower()})"
        goal_id, said = decision.intent_plan.goal_id, decision.comment
        yield Message(f"decision {decision.pk}", goal_id, decision.at, who, said, is_persons=True)
