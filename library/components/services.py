"""Publish, activate and retire versions of components, load those that ship with mindX, count their use."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from library import embedding, prepared
from library.components import canary, versions
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role

STARTER = "starter"
PERSON = "person"
# Written by a language model that this person asked. It is never active at once.
MODEL = "model"
# Written by mindX from what a foreign server lists; a person asked for the list. It is never active at once.
SERVER = "server"
CAME = "came with mindX"
BODY_MAX_CHARACTERS = 100_000
WHEN_MAX_CHARACTERS = 4_000
_WRITERS = (Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER)
_ACTIVATORS = (Role.OPERATOR, Role.DEVELOPER)
_Status = ComponentVersion.Status
# Which status a version may take next. A retired one may come back.
MOVES = {
    _Status.CANDIDATE: frozenset({_Status.CANARY, _Status.ACTIVE, _Status.RETIRED}),
    # A candidate again: the trial that it was a canary for has ended.
    _Status.CANARY: frozenset({_Status.ACTIVE, _Status.RETIRED, _Status.CANDIDATE}),
    _Status.ACTIVE: frozenset({_Status.RETIRED}),
    _Status.RETIRED: frozenset({_Status.ACTIVE}),
}
_IN_USE = (_Status.ACTIVE, _Status.CANARY)
_USED = f"""
UPDATE {ComponentVersion._meta.db_table} SET uses = uses + 1, successes = successes + %(good)s,
    failures = failures + %(bad)s, last_used_at = statement_timestamp()
WHERE id = %(id)s
"""  # noqa: S608  # the name of our own table


@dataclass(frozen=True)
class Starter:
    """A component that ships with mindX: its name, its body, when it is of use, for the search by meaning, and what it
    is in a sentence.
    """

    name: str
    body: str
    applicability_text: str = ""
    description: str = ""


def may_write(user: object) -> bool:
    """True for people who may propose a version."""
    return isinstance(user, User) and user.has_role(*_WRITERS)


def may_activate(user: object) -> bool:
    """True for people who may say which version is used. An agent is no `User`, so it never may."""
    return isinstance(user, User) and user.has_role(*_ACTIVATORS)


def check_rights(by: object, *, activate: bool) -> None:
    """Raise LibraryRefused when the person may not write a candidate, or an active version."""
    if not may_write(by):
        raise LibraryRefused("Your roles do not let you write this. A reviewer, operator or developer can.")
    if activate and not may_activate(by):
        raise LibraryRefused("Your roles let you write candidates; an operator or developer activates them.")


def publish(
    kind: str,
    name: str,
    body: str,
    *,
    by: User,
    changes: str = "",
    applicability_text: str = "",
    parent: ComponentVersion | None = None,
    status: str = _Status.CANDIDATE,
    origin: str = PERSON,
) -> ComponentVersion:
    """Write a new version of the component `name`, which is made when it is new.

    `parent` is the version this one was made from; without it, the active one. LibraryRefused when the person may not
    write, or may not activate and `status` is active, or when the text is empty, too long or nothing new.
    """
    if status not in (_Status.CANDIDATE, _Status.ACTIVE) or (origin in (MODEL, SERVER) and status == _Status.ACTIVE):
        raise LibraryRefused("A new version is a candidate or active.", "status")
    check_rights(by, activate=status == _Status.ACTIVE)
    check_text(name, body)
    if "\0" in applicability_text or len(applicability_text) > WHEN_MAX_CHARACTERS:
        raise LibraryRefused(f"When to use it takes at most {WHEN_MAX_CHARACTERS:,} characters.", "when")
    with transaction.atomic():
        component = _locked(kind, name)
        if parent is not None and parent.component_id != component.pk:
            raise LibraryRefused(f"“{parent}” is a version of another component.", "parent")
        parent = parent or component.versions.filter(status=_Status.ACTIVE).first()
        if parent is not None and parent.body == body:
            raise LibraryRefused(f"Nothing differs from version {parent.version}.", "body")
        return _add(component, body, status, applicability_text, changes=changes, parent=parent, by=by, origin=origin)


def activate(version: ComponentVersion, by: User, reason: str = "") -> ComponentVersion:
    """Make this the version that is used; the one used so far is retired."""
    if not may_activate(by):
        raise LibraryRefused("Your roles do not let you activate a version. An operator or developer can.")
    return _decided(version, _Status.ACTIVE, by, "activated", reason)


def begin_canary(version: ComponentVersion, by: User, percent: int, what: str, reason: str = "") -> ComponentVersion:
    """Have a candidate used for this share (1 to 50) of `what`, such as "% of new goals", beside the version in use."""
    if not may_activate(by):
        raise LibraryRefused("Your roles do not let you start a canary. An operator or developer can.")
    if not 1 <= percent <= canary.MOST_PERCENT:
        raise LibraryRefused(f"A canary takes 1 to {canary.MOST_PERCENT} percent of new goals.", "percent")
    with transaction.atomic():
        Component.objects.select_for_update().get(pk=version.component_id)
        used = dict(version.component.versions.filter(status__in=_IN_USE).values_list("status", "version"))
        if _Status.ACTIVE not in used:
            raise LibraryRefused("No version is in use, so there is nothing to run it beside. Activate it instead.")
        if _Status.CANARY in used:
            raise LibraryRefused(f"Version {used[_Status.CANARY]} is the canary. Activate or retire that one first.")
        return _decided(version, _Status.CANARY, by, f"made a canary for {percent} {what}", reason, percent)


def withdraw(version: ComponentVersion, to: ComponentVersion, why: str) -> bool:
    """Take a version out of use that has proved worse, and have `to` used again; False if it is no longer in use.

    No person decides this, so it only ever goes back to what was used before.
    """
    with transaction.atomic():
        Component.objects.select_for_update().get(pk=version.component_id)
        held = ComponentVersion.objects.get(pk=version.pk)
        if held.status not in _IN_USE:
            return False
        if held.status == _Status.ACTIVE:
            _move(to, _Status.ACTIVE)
        else:
            _move(held, _Status.RETIRED)
        note(held, why)
        return True


def end_canary(version: ComponentVersion) -> bool:
    """Make a canary the candidate that it was before, for people to decide on; False if it is no canary any more.

    No person need ask for it, since nothing is put to use by it.
    """
    with transaction.atomic():
        Component.objects.select_for_update().get(pk=version.component_id)
        if ComponentVersion.objects.get(pk=version.pk).status != _Status.CANARY:
            return False
        _move(version, _Status.CANDIDATE)
        return True


def stop(version: ComponentVersion, why: str) -> bool:
    """Take a version out of use that is not what was reviewed any more; False if it is no longer in use.

    No person decides this, so nothing is used in its place.
    """
    with transaction.atomic():
        Component.objects.select_for_update().get(pk=version.component_id)
        held = ComponentVersion.objects.get(pk=version.pk)
        if held.status not in _IN_USE:
            return False
        note(_move(held, _Status.RETIRED), why)
        return True


def note(version: ComponentVersion, said: str) -> None:
    """Add to what people read about the version."""
    version.refresh_from_db(fields=["changes"])
    parted = "; " if version.changes else ""
    version.changes = f"{version.changes}{parted}{said}"[:2_000]
    version.save(update_fields=["changes"])


def say_when(version: ComponentVersion, text: str, by: User) -> None:
    """Set the text that says when a version is of use, which a search compares a task with; its body stays as it is.

    The new text is embedded once this transaction has ended. LibraryRefused for who may not write, or for no text.
    """
    if not may_write(by):
        raise LibraryRefused("Your roles do not let you write this. A reviewer, operator or developer can.")
    text = text.replace("\r\n", "\n").strip()
    if not text or "\0" in text or len(text) > WHEN_MAX_CHARACTERS:
        raise LibraryRefused(f"Say when to use it, in at most {WHEN_MAX_CHARACTERS:,} characters.", "when")
    with transaction.atomic():
        changed = ComponentVersion.objects.filter(pk=version.pk).exclude(applicability_text=text)
        if changed.update(applicability_text=text, applicability_embedding=None, unread_by=""):
            before, version.applicability_text = version.applicability_text, text
            version.applicability_embedding = None
            embedding.embed_on_commit(version)
            said = {"what": "changed when to use", "version": version.version, "called": version.component.name}
            data = said | journal.difference({"when": before}, {"when": text})
            journal.record(Event.COMPONENT, by=by, subject=f"component:{version.component_id}", data=data)


def retire(version: ComponentVersion, by: User, what: str = "retired", reason: str = "") -> ComponentVersion:
    """Take a version out of use, or reject a candidate; it stays readable and can be activated again."""
    if not may_activate(by):
        raise LibraryRefused("Your roles do not let you retire a version. An operator or developer can.")
    return _decided(version, _Status.RETIRED, by, what, reason)


def load_starters(starters: Iterable[Starter], kind: str = Component.Kind.RULE) -> list[ComponentVersion]:
    """Bring what ships with mindX into the library and return the versions that are new.

    May run at every start. A changed starter becomes a new version. It is activated where the version in use came from
    a starter too; where a person activated or retired something, it waits as a candidate.
    """
    wanted = list(starters)
    came = ComponentVersion.objects.filter(
        component__kind=kind, component__name__in={starter.name for starter in wanted}, origin=STARTER
    )
    there = dict(came.order_by("pk").values_list("component__name", "body"))
    changed = [starter for starter in wanted if there.get(starter.name) != starter.body]
    if not changed:
        return []
    with transaction.atomic():
        first = _add_first(changed, kind)
        loaded = [first.pop(starter.name, None) or _load(starter, kind) for starter in changed]
    return [version for version in loaded if version is not None]


def record_use(version_id: int, succeeded: bool) -> None:
    """Count one finished use of a version."""
    prepared.run(_USED, {"id": version_id, "good": int(succeeded), "bad": int(not succeeded)})


def check_text(name: str, body: str) -> None:
    """Raise LibraryRefused for a name or a text that no version can have."""
    if not name.strip() or len(name) > 120:
        raise LibraryRefused("A component needs a name of at most 120 characters.", "name")
    if not body.strip():
        raise LibraryRefused("The text is empty.", "body")
    if len(body) > BODY_MAX_CHARACTERS:
        raise LibraryRefused(f"The text is longer than {BODY_MAX_CHARACTERS:,} characters.", "body")
    if "\0" in name or "\0" in body:
        raise LibraryRefused("A text cannot contain a null character.", "body")


def _locked(kind: str, name: str) -> Component:
    """Return the component, made when new, locked: two people who publish at once get two numbers."""
    Component.objects.get_or_create(kind=kind, name=name)
    return Component.objects.select_for_update().get(kind=kind, name=name)


def _add(
    component: Component,
    body: str,
    status: str,
    applicability_text: str,
    *,
    changes: str = "",
    parent: ComponentVersion | None = None,
    by: User | None = None,
    origin: str = PERSON,
) -> ComponentVersion:
    """Insert the next version of a locked component. Its embeddings are computed once this transaction has ended."""
    if status == _Status.ACTIVE:
        _retire_used(component.pk)
    version = ComponentVersion.objects.create(
        component=component,
        version=versions.next_minor(list(component.versions.values_list("version", flat=True))),
        parent=parent,
        body=body,
        changes=changes,
        status=status,
        applicability_text=applicability_text,
        origin=origin,
        created_by=by,
    )
    sealing.seal(version)
    embedding.embed_on_commit(version)
    if status == _Status.ACTIVE and by is not None:
        _record(version, by, "activated")
    return version


def _decided(
    version: ComponentVersion, status: ComponentVersion.Status, by: User, what: str, reason: str, percent: int = 0
) -> ComponentVersion:
    """Move the version, and keep who decided that; callers that change more rows do it before."""
    with transaction.atomic():
        moved = _move(version, status, percent)
        _record(moved, by, what, reason)
        return moved


def _record(version: ComponentVersion, by: User, what: str, reason: str = "") -> None:
    component = version.component
    # What an agent is set to is kept as a change of the agent; a version of it only says the same.
    if component.kind == Component.Kind.AGENT:
        return
    journal.decided(
        Event.COMPONENT,
        by=by,
        subject=f"component:{component.pk}",
        verdict=version.status,
        digest=hashlib.sha256(version.body.encode()).hexdigest(),
        comment=reason.strip(),
        what=what,
        kind=component.kind,
        called=component.name,
        version=version.version,
        row=version.pk,
    )


def _retire_used(component_id: int) -> None:
    """Take the version in use out of use, for another one. The caller holds the component's row."""
    for version in ComponentVersion.objects.filter(component=component_id, status=_Status.ACTIVE):
        _store(*sealing.lock(version), status=_Status.RETIRED)


def _move(version: ComponentVersion, status: ComponentVersion.Status, percent: int = 0) -> ComponentVersion:
    with transaction.atomic():
        # The component's row is the lock: two people who activate different versions come one after the other.
        Component.objects.select_for_update().get(pk=version.component_id)
        version, seal = sealing.lock(version)
        if status not in MOVES[_Status(version.status)]:
            raise LibraryRefused(
                f"Version {version.version} is {version.status}; somebody else may have changed it first."
            )
        if status in _IN_USE and seal is None:
            raise LibraryRefused(f"Version {version.version} is not as mindX stored it. Write it anew to use it.")
        if status == _Status.ACTIVE:
            _retire_used(version.component_id)
        return _store(version, seal, status=status, canary_percent=percent)


def _store(held: ComponentVersion, seal: str | None, **values: Any) -> ComponentVersion:
    """Change a locked version and seal it; one that nobody sealed goes out of use, and stays without a seal."""
    if seal is not None:
        sealing.change(held, seal, values)
    else:
        ComponentVersion.objects.filter(pk=held.pk).update(**values)
        held.refresh_from_db()
    return held


def _add_first(starters: Sequence[Starter], kind: str) -> dict[str, ComponentVersion]:
    """Insert those that no version is there of, in a few statements however many they are; by name.

    The first start loads dozens, one by one twelve statements each.
    """
    by_name: dict[str, Starter] = {}
    for starter in starters:
        by_name.setdefault(starter.name, starter)
    made = [Component(kind=kind, name=name, description=one.description) for name, one in by_name.items()]
    Component.objects.bulk_create(made, ignore_conflicts=True)
    # Locked: what a person publishes meanwhile gets the next number.
    locked = Component.objects.select_for_update().filter(kind=kind, name__in=by_name).order_by("pk")
    components = {component.pk: component for component in locked}
    filled = set(ComponentVersion.objects.filter(component__in=components).values_list("component_id", flat=True))
    added = ComponentVersion.objects.bulk_create(
        ComponentVersion(
            component=component,
            version=versions.FIRST,
            body=by_name[component.name].body,
            changes=CAME,
            status=_Status.ACTIVE,
            applicability_text=by_name[component.name].applicability_text,
            origin=STARTER,
        )
        for component in components.values()
        if component.pk not in filled
    )
    sealing.seal_all_new(added)
    embedding.embed_on_commit(*added)
    return {version.component.name: version for version in added}


def _load(starter: Starter, kind: str) -> ComponentVersion | None:
    with transaction.atomic():
        component = _locked(kind, starter.name)
        latest = component.versions.filter(origin=STARTER).order_by("-pk").first()
        if latest is not None and latest.body == starter.body:
            return None
        active = component.versions.filter(status=_Status.ACTIVE).first()
        untouched = not component.versions.exists() or (active is not None and active.origin == STARTER)
        return _add(
            component,
            starter.body,
            _Status.ACTIVE if untouched else _Status.CANDIDATE,
            starter.applicability_text,
            changes=CAME if latest is None else "came with a newer mindX",
            parent=latest,
            origin=STARTER,
        )
