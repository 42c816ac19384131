"""Each entry of the journal as one sentence. Its data stands below it; nothing of it is lost in the wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from people.journal import Event

_SHOWN = 120
_VERDICTS = {
    "approve": "approved",
    "reject": "rejected",
    "request_changes": "asked for changes of",
    "edit": "edited",
    "first_approval": "gave the first of two approvals to",
    "second_approval": "gave the second approval to",
    "withdraw": "took back the first approval of",
}
_BELIEF = {"denied": "said that this is not so", "told": "said that this is so", "retracted": "took this back"}
_TYPED = {
    "submitted": "typed",
    "refused": "was not allowed to type",
    "ended": "had this typed command end:",
    "lost": "lost this typed command with its worker:",
    "cancel_asked": "asked to end",
    "cancelled": "cancelled",
}
_FILES = {"write": "wrote", "delete": "deleted", "return": "went back to"}


def sentence(event: str, subject: str, data: Mapping[str, Any]) -> str:
    """What was done, to follow a person's name; plain text. An event of a later version says its own name."""
    kind, _, name = subject.partition(":")
    place = f"{kind} {name}".strip()
    match event:
        case Event.DECISION:
            verdict = str(data.get("verdict", ""))
            comment = data.get("comment")
            done = _VERDICTS.get(verdict, f"decided “{verdict}” on")
            return f"{done} {place} of goal {data.get('goal', '?')}" + (f": {_short(comment)}" if comment else "")
        case Event.LEVEL:
            verdict, what = str(data.get("verdict", "")), _words(data.get("what", "level"))
            comment = data.get("comment")
            done = f"{_VERDICTS.get(verdict, verdict)} the {what} of {place}"
            return done + (f": {_short(comment)}" if comment else "")
        case Event.TYPED:
            what = str(data.get("what", ""))
            return f"{_TYPED.get(what, what)} “{_short(data.get('text', ''))}” in {place}"
        case Event.POLICY:
            called, what = _short(data.get("called", name)), _words(data.get("what", ""))
            return f"changed the policy “{called}” ({what}){_changes(data)}"
        case Event.LOGIN:
            return f"logged in{_from(data)}"
        case Event.LOGIN_FAILED:
            return f"tried to log in as {_whom(kind, name)}{_from(data)} and failed"
        case Event.LOCKED_OUT:
            return f"failed to log in as {_whom(kind, name)}{_from(data)} too often and is locked out for a while"
        case Event.REFUSED:
            why = data.get("why")
            return f"was refused {data.get('method', '')} {data.get('path', '')}" + (f": {_short(why)}" if why else "")
        case Event.PERSON_MADE:
            return f"made the login {name}{_changes(data)}"
        case Event.PERSON_CHANGED:
            return f"changed {name}{_changes(data)}"
        case Event.PERSON_REMOVED:
            return f"removed the login {name}"
        case Event.PASSWORD:
            return f"changed the password of {name}"
        case Event.TOKEN_MADE:
            return f"made the API token “{_short(data.get('called', ''))}” of {name} for {_value(data.get('scopes'))}"
        case Event.TOKEN_REVOKED:
            return f"revoked the API token “{_short(data.get('called', ''))}” of {name}"
        case Event.EXTENDED:
            return f"let {place} wait longer{_changes(data)}"
        case Event.ASSIGNED:
            after = data.get("after")
            to = after.get("assigned_to") if isinstance(after, Mapping) else None
            return f"gave {place} to {to}" if to else f"gave {place} to nobody"
        case Event.TIME_LIMIT:
            return f"changed time limits of review{_changes(data)}"
        case Event.ROUND_LIMIT:
            return f"changed how often plans may be sent back{_changes(data)}"
        case Event.BELIEF:
            what = str(data.get("what", ""))
            done = _BELIEF.get(what, "put this back")
            instead = f", but: {_short(data['instead'])}" if data.get("instead") else ""
            return f"{done}, in {place}: “{_short(data.get('sentence', ''))}”{instead}"
        case Event.GOAL:
            return f"changed the terms of {place}{_changes(data)}"
        case Event.LIMIT:
            return f"changed limits of steps{_changes(data)}"
        case Event.PARAMETERS:
            return f"saved how parameters are settled{_changes(data)}"
        case Event.AGENT:
            why = data.get("why")
            return f"changed {place}{_changes(data)}" + (f": {_short(why)}" if why else "")
        case Event.STANDSTILL:
            return f"changed whether everything stands still{_changes(data)}"
        case Event.BACKLOG:
            what, why = _words(data.get("what", "changed")), data.get("why")
            return f"{what} {place} of the backlog{_changes(data)}" + (f": {_short(why)}" if why else "")
        case Event.WORKSPACE_MADE:
            return f"made {place}"
        case Event.WORKSPACE_FILES:
            what = str(data.get("kind", ""))
            return f"{_FILES.get(what, what)} {_short(data.get('what', ''))} in {place}"
        case Event.RECOVERY:
            return f"set how failures are mended: {kind.replace('_', ' ')} {_short(name)}{_changes(data)}"
        case Event.RESTORED:
            return f"restored mindX from a backup of {_short(data.get('as_of', ''))}"
        case Event.WORKSPACE_SETTINGS:
            return f"changed the settings of {place}{_changes(data)}"
    return f"{_words(event)} {place}"


def _changes(data: Mapping[str, Any]) -> str:
    """Each field with what it was and what it is; empty when the data names none."""
    before, after = data.get("before") or {}, data.get("after") or {}
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return ""
    named = [name for name in {**before, **after} if before.get(name) or after.get(name) is not None]
    said = [f"{_words(name)} {_step(before.get(name), after.get(name))}" for name in named]
    return f": {', '.join(said)}" if said else ""


def _step(old: Any, new: Any) -> str:
    return _value(new) if old in (None, "", [], {}) else f"{_value(old)} → {_value(new)}"


def _value(value: Any) -> str:
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return _short(value)


def _words(identifier: object) -> str:
    return str(identifier).replace("_", " ")


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def _whom(kind: str, name: str) -> str:
    return name if kind == "person" else "somebody who does not exist"


def _from(data: Mapping[str, Any]) -> str:
    return f" from {data['address']}" if data.get("address") else ""
