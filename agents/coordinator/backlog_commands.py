"""The commands of mastermind that are about the backlog."""

from __future__ import annotations

from typing import Any

from agents.coordinator import backlog, backlog_list, backlog_taking
from agents.coordinator.backlog import Wish
from agents.mastermind.answers import Answer, Outcome
from agents.mastermind.components import Component
from agents.mastermind.reading import Reading
from agents.models import BacklogItem
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.states import BacklogState
from people.models import User

_SHOWN = 20
_MOST_AT_ONCE = 50


def improve(reading: Reading, by: User, priority: int) -> Answer:
    """`coord_improve`."""
    if reading.component is None:
        raise GoalRefused("component", "Name the component first.")
    return wished(reading.component, reading.wish, by, priority)


def wished(component: Component, text: str, by: User, priority: int) -> Answer:
    """A wish goes into the backlog."""
    added = backlog.add(Wish(component, text, by=by, priority=priority))
    item = added.item
    return Answer(Outcome.DONE, said=tuple(_said(added)), items=(item.pk,), data={"item": told(item)})


def _said(added: backlog.Added) -> list[str]:
    item = added.item
    what = f"Item {item.pk} of the backlog: {item.target_kind} {item.target_name}: {item.suggestion}"
    if added.is_new:
        return [what, "It waits for somebody to approve or reject it."]
    if added.merged is not None and added.merged.likeness is not None:
        near = f"{round(100 * added.merged.likeness)} % similar"
        return [
            f"Merged into item {item.pk}, which asks for the same ({near}): {item.suggestion}",
            f"It has been requested {item.count} times. Your request is item {added.merged.pk} and can be split off.",
        ]
    if item.state == BacklogState.REJECTED:
        return [
            f"Item {item.pk} asks for the same and was rejected: {item.reason}",
            f"It has been requested {item.count} times.",
        ]
    return [f"{what}. It is {_words(item.state)} and has been requested {item.count} times."]


def show(reading: Reading, by: User) -> Answer:
    """`coord_backlog`: the most urgent, and why it stands still."""
    wanted = reading.text.casefold().replace(" ", "_").replace("-", "_")
    states = [state.value for state in BacklogState]
    if wanted and wanted not in (*states, "open", "all"):
        raise GoalRefused("state", f"There is no state “{reading.text[:40]}”; use open, {', '.join(states)}.")
    found = backlog_list.find(by, backlog_list.ItemFilter(state="" if wanted == "all" else wanted or "open"), _SHOWN)
    stopped = backlog_taking.why_stopped(by)
    said = [
        f"{item.pk:>5}  priority {item.priority}  {_words(item.state)}{'  critical' if item.critical else ''}"
        f"  {item.target_kind} {item.target_name}: {item.suggestion}"
        + (f" (requested {item.count} times)" if item.count > 1 else "")
        + (f" | {item.outcome_words}" if item.outcome_words else "")
        for item in found.items
    ] or ["No items. coord_improve adds an item to the backlog."]
    if found.older is not None:
        said.append(f"There are more. See all on the page: /mastermind/backlog/?after={found.older}")
    if stopped:
        said.append(f"Nothing is started: {stopped}")
    data: dict[str, Any] = {"items": [told(item) for item in found.items], "stopped": stopped or None}
    return Answer(Outcome.DONE, said=tuple(said), items=tuple(item.pk for item in found.items), data=data)


def process(reading: Reading, by: User) -> Answer:
    """`coord_process_backlog`."""
    number = reading.text.strip()
    if number and not (number.isascii() and number.isdigit() and 1 <= int(number[:6]) <= _MOST_AT_ONCE):
        raise GoalRefused("number", f"“{number[:20]}” is not a number from 1 to {_MOST_AT_ONCE}.")
    taken = backlog_taking.process(by=by, most=int(number) if number else backlog_taking.USUAL_NUMBER)
    said = [f"Goal {goal.pk} was started for item {item.pk}: {goal.text}" for item, goal in taken.begun]
    said += [f"Item {item.pk} cannot be started: {why}" for item, why in taken.refused]
    if taken.stopped:
        said.append(taken.stopped)
    if not taken.begun and taken.stopped:
        raise NotPossibleNow(taken.stopped)
    data = {
        "begun": [{"item": str(item.pk), "goal": str(goal.pk)} for item, goal in taken.begun],
        "refused": [{"item": str(item.pk), "why": why} for item, why in taken.refused],
        "stopped": taken.stopped or None,
    }
    return Answer(
        Outcome.DONE,
        said=tuple(said) or ("No item is approved. Approve one with coord_approve.",),
        goals=tuple(goal.pk for _, goal in taken.begun),
        items=tuple(item.pk for item, _ in taken.begun),
        data=data,
    )


def approve(reading: Reading, by: User) -> Answer:
    """`coord_approve`."""
    number, _, reason = reading.text.partition(" ")
    item = backlog.approve(backlog.item_of(number, by=by), by=by, reason=reason)
    return _decided(item, "Start it with coord_process_backlog.")


def reject(reading: Reading, by: User) -> Answer:
    """`coord_reject`."""
    number, _, reason = reading.text.partition(" ")
    item = backlog.reject(backlog.item_of(number, by=by), by=by, reason=reason)
    return _decided(item, "If it is requested again, it stays rejected and the request is counted.")


def _decided(item: BacklogItem, then: str) -> Answer:
    said = f"Item {item.pk} is {_words(item.state)}: {item.target_kind} {item.target_name}: {item.suggestion}"
    return Answer(Outcome.DONE, said=(said, then), items=(item.pk,), data={"item": told(item)})


def told(item: BacklogItem) -> dict[str, Any]:
    """An item as programs get it."""
    return {
        "id": str(item.pk),
        "target": {"kind": item.target_kind, "name": item.target_name},
        "suggestion": item.suggestion,
        "priority": item.priority,
        "critical": item.critical,
        "source": item.source,
        "state": item.state,
        "reason": item.reason,
        "count": item.count,
        "tries": item.tries,
        "failures": item.failures,
        "outcome": item.outcome,
        "outcome_words": item.outcome_words,
        "merged_into": str(item.merged_into_id) if item.merged_into_id else None,
        "likeness": item.likeness,
    }


def _words(state: str) -> str:
    return state.replace("_", " ")
