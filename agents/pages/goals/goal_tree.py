"""The tree of goals that a goal stands in, as its page draws it and the API says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import connection
from django.urls import reverse

from agents.bdi.outcome.outcome import shown_state
from agents.models import Goal
from agents.record.selectors import goals_visible_to
from people.models import User

# Of a larger tree the first ones are shown.
MOST = 200
_TREE = """
WITH RECURSIVE above(id, parent_id, level) AS (
    SELECT id, parent_id, 1 FROM agents_goal WHERE id = %(goal)s
    UNION ALL SELECT goal.id, goal.parent_id, above.level + 1
    FROM agents_goal goal JOIN above ON goal.id = above.parent_id WHERE above.level < 50
), tree(id, level) AS (
    (SELECT id, 1 FROM above ORDER BY above.level DESC LIMIT 1)
    UNION ALL SELECT goal.id, tree.level + 1 FROM agents_goal goal JOIN tree ON goal.parent_id = tree.id
    WHERE tree.level < 50)
SELECT id FROM tree ORDER BY level, id LIMIT %(most)s
"""


@dataclass(frozen=True)
class Branch:
    """A goal of the tree with its parts. `name`: what the plan that added it calls it. `waits_for`: goals by id."""

    pk: int
    text: str
    state: str
    name: str
    waits_for: tuple[int, ...]
    is_here: bool
    parts: list[Branch] = field(default_factory=list)

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("goal", args=[self.pk])

    def __iter__(self) -> Iterator[Branch]:
        """It and all below it, each after its whole."""
        yield self
        for part in self.parts:
            yield from part


def of(goal: Goal, user: User) -> Branch | None:
    """The whole tree as far as the person may see it, from the first goal down; None for a goal without kin."""
    with connection.cursor() as cursor:
        cursor.execute(_TREE, {"goal": goal.pk, "most": MOST})
        ids = [row[0] for row in cursor.fetchall()]
    if len(ids) < 2:
        return None
    rows = goals_visible_to(user).select_related(None).filter(pk__in=ids).order_by("pk")
    edges: dict[int, list[int]] = {}
    between = Goal.depends_on.through.objects.filter(from_goal_id__in=ids).order_by("to_goal_id")
    for before, after in between.values_list("to_goal_id", "from_goal_id"):
        edges.setdefault(after, []).append(before)
    told = rows.values_list("pk", "parent_id", "text", "state", "outcome", "said_by__name")
    branches: dict[int, Branch] = {}
    roots: list[Branch] = []
    # A part is younger than its whole unless somebody moved it there, so all are made before any is hung up.
    parents: dict[int, int | None] = {}
    for pk, parent, text, state, outcome, name in told:
        waits_for = tuple(edges.get(pk, ()))
        branches[pk] = Branch(pk, text, shown_state(state, outcome), name or "", waits_for, pk == goal.pk)
        parents[pk] = parent
    for pk, branch in branches.items():
        above = branches.get(parents[pk] or 0)
        (above.parts if above is not None else roots).append(branch)
    return next((root for root in roots if any(one.is_here for one in root)), None)
