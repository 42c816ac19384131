"""Each entry of the journal as one sentence, with its data below, so the wording loses nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from people.journal import Event

_SHOWN = 120
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)")
_VERDICTS = {
    "approve": "approved",
    "reject": "rejected",
    "request_changes": "requested changes to",
    "edit": "edited",
    "first_approval": "gave the first of two approvals to",
    "second_approval": "gave the second approval to",
    "withdraw": "withdrew the first approval of",
}
_BELIEF = {"denied": "said that this is wrong", "told": "said that this is true", "retracted": "took this back"}
_TYPED = {
    "submitted": "typed",
    "refused": "was not allowed to type",
    "ended": "had this typed command end:",
    "lost": "lost this typed command with its worker:",
    "cancel_asked": "asked to end",
    "cancelled": "cancelled",
}
_LESSON = {"in_force": "taught", "taken_back": "took back", "promoted": "promoted for everybody"}
_FILES = {"write": "wrote", "delete": "deleted", "return": "went back to"}


@dataclass(frozen=True)
class _Entry:
    """What an entry is about: the parts of its subject, and its data."""

    kind: str
    name: str
    data: Mapping[str, Any]

    @property
    def place(self) -> str:
        """The subject in words."""
        return f"{self.kind} {self.name}".strip()

    @property
    def changes(self) -> str:
        """Each field with what it was and what it is; empty when the data names none."""
        return _changes(self.data)

    @property
    def address(self) -> str:
        """The address, if it is stored."""
        return f" from {self.data['address']}" if self.data.get("address") else ""

    @property
    def provider(self) -> str:
        """The provider of a sign-in, if it was not a password here."""
        return f" with {_short(self.data['with'])}" if self.data.get("with") else ""

    @property
    def whom(self) -> str:
        """Who was to be logged in."""
        return self.name if self.kind == "person" else "somebody who does not exist"

    @property
    def because(self) -> str:
        """What the person wrote, after a colon."""
        said = next((self.data[name] for name in ("comment", "why", "note") if self.data.get(name)), "")
        return f": {_short(said)}" if said else ""

    def word(self, name: str, otherwise: str = "") -> str:
        """A word of the code, for people."""
        return _words(self.data.get(name, otherwise))

    def text(self, name: str, otherwise: str = "") -> str:
        """What somebody wrote, cut where it is long."""
        return _short(self.data.get(name, otherwise))


def sentence(event: str, subject: str, data: Mapping[str, Any]) -> str:
    """What was done, in words that follow a person's name; plain text. An unknown event shows its own name."""
    kind, _, name = subject.partition(":")
    entry = _Entry(kind, name, data)
    said = _SAID.get(event)
    return said(entry) if said is not None else f"{_words(event)} {entry.place}"


def _decision(it: _Entry) -> str:
    verdict = str(it.data.get("verdict", ""))
    done = _VERDICTS.get(verdict, f"decided “{verdict}” on")
    return f"{done} {it.place} of goal {it.data.get('goal', '?')}{it.because}"


def _held(it: _Entry) -> str:
    verdict = {"first": "first approval", "approve": "approval", "reject": "rejection"}.get(str(it.data.get("verdict")))
    made = f"the {verdict or 'request for changes'} of {it.place}"
    return f"{it.word('what')} {made}, before it took effect{it.because}"


def _level(it: _Entry) -> str:
    verdict = str(it.data.get("verdict", ""))
    return f"{_VERDICTS.get(verdict, verdict)} the {it.word('what', 'level')} of {it.place}{it.because}"


def _typed(it: _Entry) -> str:
    what = str(it.data.get("what", ""))
    return f"{_TYPED.get(what, what)} “{it.text('text')}” in {it.place}"


def _assigned(it: _Entry) -> str:
    after = it.data.get("after")
    to = after.get("assigned_to") if isinstance(after, Mapping) else None
    return f"assigned {it.place} to {to}" if to else f"unassigned {it.place}"


def _belief(it: _Entry) -> str:
    done = _BELIEF.get(str(it.data.get("what", "")), "put this back")
    instead = f", but: {it.text('instead')}" if it.data.get("instead") else ""
    return f"{done}, in {it.place}: “{it.text('sentence')}”{instead}"


def _lesson(it: _Entry) -> str:
    done = _LESSON.get(str(it.data.get("what", "")), "changed")
    return (
        f"{done} {it.place}, by {it.text('teacher', '?')} from plan {it.data.get('plan', '?')}{it.changes}{it.because}"
    )


def _files(it: _Entry) -> str:
    kind = str(it.data.get("kind", ""))
    return f"{_FILES.get(kind, kind)} {it.text('what')} in {it.place}"


def _forged(it: _Entry) -> str:
    whom = f" in the name of {it.text('in_the_name_of')}" if it.data.get("in_the_name_of") else ""
    return f"found {it.text('what', 'a row')} that mindX did not seal, in {it.place}{whom}, and refused it"


def _token_made(it: _Entry) -> str:
    return f"created the API token “{it.text('called')}” of {it.name} for {_value(it.data.get('scopes'))}"


def _component(it: _Entry) -> str:
    if "version" not in it.data:
        return f"{it.text('what', 'changed')}{it.changes}"
    instead = f"; {it.text('to')} is used again" if it.data.get("to") else ""
    which = f"version {it.text('version', '?')} of “{it.text('called')}”"
    return f"{it.text('what', 'changed')} {which}{instead}{it.because}"


def _run(it: _Entry) -> str:
    whose = f"modular run {it.name} of {it.text('of', '?')}"
    if it.data.get("what") == "answered":
        return f"answered as the person in {whose}"
    return f"{it.text('what', 'changed')} {whose}{it.changes}"


def _training(it: _Entry) -> str:
    policy = f"the policy for {it.text('task', '?')} in the environment {it.text('environment', '?')}"
    match it.data.get("what"):
        case "train":
            how_long = f"for {it.text('episodes', '?')} episodes, with {it.text('share', '0')} % of the rules"
            return f"had {policy} trained {how_long}"
        case "stop":
            return f"stopped the training of {policy}"
        case _:
            return f"reset {policy}{it.changes}"


_SAID: Mapping[str, Callable[[_Entry], str]] = {
    Event.DECISION: _decision,
    Event.LEVEL: _level,
    Event.HELD: _held,
    Event.TYPED: _typed,
    Event.POLICY: lambda it: f"changed the policy “{it.text('called', it.name)}” ({it.word('what')}){it.changes}",
    Event.LOGIN: lambda it: f"logged in{it.address}{it.provider}",
    Event.LOGIN_FAILED: lambda it: f"tried to log in as {it.whom}{it.address}{it.provider} and failed{it.because}",
    Event.LOCKED_OUT: lambda it: f"failed to log in as {it.whom}{it.address} too often and is locked out for a while",
    Event.REFUSED: lambda it: f"was refused {it.data.get('method', '')} {it.data.get('path', '')}{it.because}",
    Event.FORGED: _forged,
    Event.PERSON_MADE: lambda it: f"created the login {it.name}{it.changes}",
    Event.PERSON_CHANGED: lambda it: f"changed {it.name}{it.changes}",
    Event.PERSON_REMOVED: lambda it: f"removed the login {it.name}",
    Event.PASSWORD: lambda it: f"changed the password of {it.name}",
    Event.TOKEN_MADE: _token_made,
    Event.TOKEN_REVOKED: lambda it: f"revoked the API token “{it.text('called')}” of {it.name}",
    Event.EXTENDED: lambda it: f"extended the time limit of {it.place}{it.changes}",
    Event.ASSIGNED: _assigned,
    Event.TIME_LIMIT: lambda it: f"changed time limits of review{it.changes}",
    Event.ROUND_LIMIT: lambda it: f"changed how often a plan can be sent back{it.changes}",
    Event.BELIEF: _belief,
    Event.GOAL: lambda it: f"changed the terms of {it.place}{it.changes}",
    Event.LIMIT: lambda it: f"changed limits of steps{it.changes}",
    Event.PARAMETERS: lambda it: f"changed how parameters are resolved{it.changes}{it.because}",
    Event.LESSON: _lesson,
    Event.AGENT: lambda it: f"changed {it.place}{it.changes}{it.because}",
    Event.STANDSTILL: lambda it: f"changed whether everything is paused{it.changes}",
    Event.BACKLOG: lambda it: f"{it.word('what', 'changed')} {it.place} of the backlog{it.changes}{it.because}",
    Event.WORKSPACE_MADE: lambda it: f"created {it.place}",
    Event.WORKSPACE_FILES: _files,
    Event.WORKSPACE_SETTINGS: lambda it: f"changed the settings of {it.place}{it.changes}",
    Event.RECOVERY: lambda it: (
        f"changed how failures are handled: {_words(it.kind)} {_short(it.name)}{it.changes}{it.because}"
    ),
    Event.COMPONENT: _component,
    Event.ASKED_AGAIN: lambda it: (
        f"asked {it.text('model', 'a model')} again what {it.place} asked, with the prompt {it.text('prompt', '?')}"
    ),
    Event.INBOX: lambda it: (
        f"decided the call of {it.text('tool', '?')} that {it.text('source', 'a program')} asked about:"
        f" {it.word('verdict', it.data.get('decision', '?'))}{it.because}"
    ),
    Event.TRAINING: _training,
    Event.RUN: _run,
    Event.RESTORED: lambda it: f"restored mindX from a backup of {it.text('as_of')}",
}


def _changes(data: Mapping[str, Any]) -> str:
    """Each field with what it was and what it is; empty when the data names none."""
    before, after = data.get("before") or {}, data.get("after") or {}
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return ""
    named = [name for name in {**before, **after} if before.get(name) or after.get(name) is not None]
    said = [f"{_words(name)} {_step(name, before.get(name), after.get(name))}" for name in named]
    return f": {', '.join(said)}" if said else ""


def _step(name: str, old: Any, new: Any) -> str:
    told = _words if name == "state" else _value
    return told(new) if old in (None, "", [], {}) else f"{told(old)} → {told(new)}"


def _value(value: Any) -> str:
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return f"{value[:10]} {value[11:16]} UTC"
    return _short(value)


def _words(identifier: object) -> str:
    return str(identifier).replace("_", " ")


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"
