"""Who stands behind the plans of a goal besides its submitter: whoever wrote or changed one of them, or its design.

Read from rows that are only ever added: `Plan.by` is whoever wrote the plan by hand, edited a step of it, answered what
the agent asked, or put other values or steps in place of a failed one. Of a plan that an agent asked for, the evidence
names in `authors` whoever had a say in what the agent did, and of a workflow's plan whoever wrote the workflow. What a
person changed stays with the goal when it is planned again, so it counts for every later revision.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import Exists, OuterRef, Q

from agents.models import Goal, LevelDocument, Plan
from people.models import User

# The key of a plan's evidence with the ids of its other authors.
EVIDENCE = "authors"
# Of each goal, what each of these people did, to follow "You".
Authors = Mapping[int, Mapping[int, str]]


def of(goal_ids: Collection[int]) -> Authors:
    """The authors of these goals. Two questions, however many goals."""
    found: dict[int, dict[int, str]] = {goal_id: {} for goal_id in goal_ids}
    designs = LevelDocument.objects.filter(goal__in=goal_ids, kind=LevelDocument.Kind.DESIGN, by__isnull=False)
    for goal_id, by in designs.values_list("goal_id", "by_id"):
        found[goal_id][by or 0] = "wrote a design of this goal"
    is_ones = Q(by__isnull=False) | Q(evidence__has_key=EVIDENCE)
    plans = Plan.objects.filter(is_ones, goal__in=goal_ids, intent_plans__isnull=False)
    columns = ("goal_id", "by_id", "intent_plans__revision", f"evidence__{EVIDENCE}", "evidence__workflow__name")
    for goal_id, by, revision, others, workflow in plans.order_by("number").values_list(*columns):
        did = f"wrote a part of the workflow {workflow}" if workflow else "had a say in what this agent did"
        found[goal_id] |= dict.fromkeys(others or (), did)
        if by is not None:
            found[goal_id][by] = f"wrote or changed revision {revision} of this plan"
    return found


def is_one(user: User, goal: Goal) -> bool:
    """Whether this person submitted the goal, or is an author of it."""
    return goal.submitted_by_id == user.pk or user.pk in of([goal.pk])[goal.pk]


def wrote(user: User, goal: str) -> Q:
    """A condition on rows whose goal's key is at `goal`: this person is one of its authors."""
    plans = Plan.objects.filter(Q(by=user) | Q(evidence__contains={EVIDENCE: [user.pk]}), goal=OuterRef(goal))
    designs = LevelDocument.objects.filter(goal=OuterRef(goal), by=user, kind=LevelDocument.Kind.DESIGN)
    return Q(Exists(plans)) | Q(Exists(designs))
