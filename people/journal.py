"""What people did that others must be able to look up: declared here, kept above (review), wired by composition.

It lies in the lowest app because every app has such events. With nothing wired an event is refused, in production as in
tests: the change it belongs to is in the same transaction and does not happen either. A line in a log instead would be
a hole that nobody sees until the day the audit is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from people.models import User


class Event(StrEnum):
    """What happened; `review.reading.journal_lines` has a sentence for each."""

    DECISION = "decision"
    LEVEL = "level"
    TYPED = "typed"
    POLICY = "policy"
    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOCKED_OUT = "locked_out"
    REFUSED = "refused"
    # A decision that its person took back before it took effect, or that could no longer take effect.
    HELD = "held"
    # A row that a worker should have acted on, and that mindX had not sealed.
    FORGED = "forged"
    PERSON_MADE = "person_made"
    PERSON_CHANGED = "person_changed"
    PERSON_REMOVED = "person_removed"
    PASSWORD = "password"  # noqa: S105  # a name, no secret
    TOKEN_MADE = "token_made"  # noqa: S105
    TOKEN_REVOKED = "token_revoked"  # noqa: S105
    EXTENDED = "extended"
    ASSIGNED = "assigned"
    TIME_LIMIT = "time_limit"
    ROUND_LIMIT = "round_limit"
    BELIEF = "belief"
    GOAL = "goal"
    LIMIT = "limit"
    PARAMETERS = "parameters"
    LESSON = "lesson"
    AGENT = "agent"
    STANDSTILL = "standstill"
    BACKLOG = "backlog"
    WORKSPACE_MADE = "workspace_made"
    WORKSPACE_FILES = "workspace_files"
    WORKSPACE_SETTINGS = "workspace_settings"
    RESTORED = "restored"
    RECOVERY = "recovery"
    COMPONENT = "component"
    # A recorded request to a model was sent again, which costs money.
    ASKED_AGAIN = "asked_again"
    # A call of a tool that another framework asked about was decided.
    INBOX = "inbox"
    # A state of a modular run was edited, or a person answered in it.
    RUN = "run"
    # A learned policy was trained, stopped or made to forget.
    TRAINING = "training"


# What people decided on something that they were shown: these entries are the record of decisions (`decided`).
DECISIONS = frozenset({Event.DECISION, Event.LEVEL, Event.INBOX, Event.COMPONENT, Event.HELD})

Keep = Callable[..., object]


class NotConnected(RuntimeError):
    """No audit is connected, so nothing that must be audited may happen."""


_keep: Keep | None = None


def register(keep: Keep) -> None:
    """Wire the implementation: `keep(event, by=…, subject=…, data=…)`. Called once, by composition."""
    global _keep
    _keep = keep


def record(event: Event, *, by: User | None, subject: str, data: Mapping[str, Any] | None = None) -> None:
    """Keep the event exactly when the caller's transaction is kept.

    `by` None: nobody who is logged in, or a command on the server. `subject` is a kind and an id, as in "goal:12".
    `data` is JSON and never holds a secret; `before` and `after` in it are what a change changed.

    Call it last in the transaction, after the rows it locks: the chain's lock is held from here to the end.
    """
    if _keep is None:
        raise NotConnected("no audit is connected, so nothing that must be audited may happen")
    _keep(event, by=by, subject=subject, data=dict(data or {}))


def decided(
    event: Event,
    *,
    by: User | None,
    subject: str,
    verdict: str,
    digest: str,
    comment: str = "",
    shown: Mapping[str, Any] | None = None,
    **more: Any,
) -> None:
    """Keep a person's decision: the verdict on what has this digest, and what else was `shown` beside it.

    People and programs are told a decision as long as its entry holds (`review.audit.decided`). Called as `record` is.
    """
    said = {"verdict": verdict, "digest": digest, "comment": comment, "shown": dict(shown or {}), **more}
    record(event, by=by, subject=subject, data=said)


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`before` and `after`, each with the fields that differ only; empty when none does."""
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if not changed:
        return {}
    return {
        "before": {name: before.get(name) for name in changed},
        "after": {name: after.get(name) for name in changed},
    }
