"""What is worth knowing for a task, within a budget of tokens: messages, experiences and components, each with why and
its cost.

Messages come first, the newest at their head; of the rest the nearest. What does not fit and what is too unlike is
named as well, so that nobody wonders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import ceil
from typing import Any

from library.components import search as components
from library.components.search import Filters
from library.memory import selectors, summaries
from library.memory.selectors import PRECEDENT_FROM
from people.models import User

# On the careful side; prompts are measured by the same figure.
CHARS_PER_TOKEN = 3
# Looked at of each kind: nobody puts the thirtieth precedent into a prompt.
LOOKED_AT = 20
SUMMARY_CHARS = 600
# What people decided says most of what an earlier plan lacked.
DECISIONS, DECISION_CHARS = 4, 200
_KINDS = {
    "goal": "an earlier goal",
    "sub_goal": "an earlier sub-goal",
    "recovery": "a recovery on the way of one",
    "request": "what one asked others for",
}
TOKENS_MAX = 100_000
_FOREIGN = "it is another person's, in another workspace"
# Which of these references of goals are of the same workspace.
Near = Callable[[Sequence[str]], Collection[str]]
# What was said about the goal has at most this part of the budget, so that a long discussion leaves room for the rest.
_SHARE_OF_MESSAGES = 3


@dataclass(frozen=True)
class Item:
    """One thing that is known. `score` is a cosine similarity or the library's sum; None: found by its words."""

    kind: str
    id: str
    text: str
    score: float | None
    why: str
    # The same in parts, for who puts it into a prompt.
    parts: Mapping[str, Any] = field(default_factory=dict)
    # The sentence model that the score is of.
    model: str = ""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return ceil(len(self.text) / CHARS_PER_TOKEN)


@dataclass(frozen=True)
class Context:
    """What was taken, best first, what was not with its reason as `why`, and the tokens of what was taken."""

    items: tuple[Item, ...]
    left_out: tuple[Item, ...]

    @property
    def tokens(self) -> int:
        """About how many tokens all of it takes."""
        return sum(item.tokens for item in self.items)


def build(
    task: str,
    query: str = "",
    *,
    user: User,
    budget_tokens: int,
    with_components: bool = True,
    without_kinds: Collection[str] = (),
    without_goal: str = "",
    messages: Sequence[Item] = (),
    near: Near | None = None,
) -> Context:
    """What this person may know for a task. `query` is what it is searched by in memory; by default the task itself.
    Components `without_kinds` are left out. `without_goal` is the reference of the goal that the task is: what is
    remembered of itself is no news. `messages` are what was said about it, the newest first; whoever gives them has
    checked that this person may read them. `near` is given where the context goes to a program: of an experience that
    is not near it has no text of files and outputs, and of another person's nothing.
    """
    said, unsaid = _fitting(messages, budget_tokens // _SHARE_OF_MESSAGES, " of the share of messages")
    known = [item for item in _experiences(query or task, user, near) if item.parts["goal_ref"] != without_goal]
    remembered = [item for item in known if not item.parts["is_foreign"]]
    foreign = [_without(item, _FOREIGN) for item in known if item.parts["is_foreign"]]
    listed = _components(task, query) if with_components else iter(())
    found = _best_first(remembered, [item for item in listed if item.kind not in without_kinds])
    taken, left_out = _fitting(found, budget_tokens - sum(item.tokens for item in said))
    return Context((*said, *taken), (*unsaid, *foreign, *left_out))


def _fitting(items: Iterable[Item], budget: int, of_what: str = "") -> tuple[list[Item], list[Item]]:
    """What is like enough and has room, in order, and the others, each with the reason as its `why`."""
    taken: list[Item] = []
    left_out: list[Item] = []
    left = budget
    for item in items:
        if item.score is not None and item.score < PRECEDENT_FROM:
            left_out.append(
                _without(item, f"not similar enough: {item.score:.2f}, at least {PRECEDENT_FROM} is needed")
            )
        elif item.tokens > left:
            left_out.append(_without(item, f"takes {item.tokens} tokens, only {left}{of_what} were left"))
        else:
            taken.append(item)
            left -= item.tokens
    return taken, left_out


def _best_first(*rankings: list[Item]) -> list[Item]:
    """All by score; by their place where the scores are of two models, which say nothing beside each other."""
    found = [item for ranking in rankings for item in ranking]
    if len({item.model for item in found if item.score is not None}) > 1:
        return [item for place in zip_longest(*rankings) for item in place if item is not None]
    return sorted(found, key=lambda item: (item.score is not None, item.score or 0.0), reverse=True)


def _without(item: Item, why: str) -> Item:
    return replace(item, why=why)


def _experiences(text: str, user: User, near: Near | None) -> Iterator[Item]:
    found = selectors.search(text, user=user, limit=LOOKED_AT)
    here = near([row.goal_ref for row, _ in found]) if near is not None else None
    summaries.look_up(row for row, _ in found)
    changed = selectors.corrections_of([row.pk for row, _ in found], user=user)
    for row, similarity in found:
        is_here = here is None or row.goal_ref in here
        came = summaries.of(row, SUMMARY_CHARS) if is_here else ""
        said = f"{row.get_final_outcome_display()}: {row.title.strip()}"
        steps = "" if row.kind in ("recovery", "request") else row.sub_task_description.strip()[:SUMMARY_CHARS]
        since = [{"goal": one.goal, "people_said": one.said} for one in changed.get(row.pk, ())]
        parts: dict[str, Any] = {
            "goal_ref": row.goal_ref,
            "is_foreign": not is_here and row.owner_id != user.pk,
            "goal": row.title.strip(),
            "outcome": row.final_outcome,
            "steps": steps,
            "decisions": [one[:DECISION_CHARS] for one in row.key_decisions_made[:DECISIONS]],
            "came_of_it": came,
            "changed_later": since,
        }
        later = [f"A plan that followed it was changed, for “{one['goal']}”. {one['people_said']}" for one in since]
        told = [said, steps if row.kind == "goal" else "", *parts["decisions"], came, *later]
        how = "holds its words" if similarity is None else f"similarity {similarity:.2f}"
        why = f"{how}; {_KINDS[row.kind]}" + ("; a plan that followed it was changed" if later else "")
        yield Item("experience", str(row.pk), "\n".join(filter(None, told)), similarity, why, parts, row.embedded_by)


def _components(task: str, query: str) -> Iterator[Item]:
    found = components.search(query, task, Filters(), limit=LOOKED_AT)
    for one in found.items:
        version, scores = one.version, one.scores
        what = version.applicability_text.strip() or version.component.description.strip()
        said = f"{version.component.kind} {version.component.name} {version.version}"
        total = None if scores.task is None and scores.content is None else scores.total
        how = "holds its words" if total is None else f"score {total:.2f}"
        worked = f"; {version.successes} of {version.uses} worked" if version.uses else ""
        whole = f"{said}: {what}" if what else said
        yield Item(version.component.kind, str(version.pk), whole, total, how + worked, model=version.embedded_by)
