"""What people taught by an edit: kept as versions that bind goals of their own, taken back, and promoted for everybody.

Whoever may edit a plan may teach (review finds that out); here it is checked what may be taught, and who may end it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from agents.actors import tuning_rights
from agents.bdi.understanding.drafting import TOGGLE
from agents.bdi.understanding.names.paths import Mapped
from agents.models import Goal, IntentPlan, Lesson
from agents.record.errors import NotPossibleNow, NotYours, TuningRefused
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.toolkit.schemas import ADDRESS_KIND, HOSTS_KIND
from agents.tuning import of_parameters, trying_commands, versions
from agents.tuning.kinds import Checked, Kind, Values
from agents.tuning.trials import SECONDS, Clock, Trial
from agents.tuning.versions import NOTE, Tunable
from agents.understanding.in_force import Rule, Tuning
from people import journal
from people.journal import Event
from people.models import User

_BASE = {Lesson.Kind.MAPPING.value: of_parameters.Mappings.name, Lesson.Kind.DEFAULT.value: of_parameters.Rules.name}
_COLUMNS = ("said", "path", "tool", "command", "parameter", "default")
PAGE = 50
# "mxls": versions of lessons are written one after the other, before those of what they are promoted to.
_LOCK = 0x6D786C73


@dataclass(frozen=True)
class Taught:
    """What is taught: of a mapping the name and the path, of a default the command and the value."""

    kind: str
    tool: str = ""
    command: str = ""
    parameter: str = ""
    said: str = ""
    path: str = ""
    default: Any = None

    @classmethod
    def of(cls, row: Lesson) -> Taught:
        """What a version says."""
        return cls(row.kind, **{name: getattr(row, name) for name in _COLUMNS})

    @property
    def base(self) -> Kind:
        """The kind of tuning that it would be for everybody."""
        return next(kind for kind in versions.KINDS if kind.name == _BASE[self.kind])

    def values(self, tuned: Mapping[str, Any] | None = None) -> Values:
        """Its values as tuning has them; `tuned` is what counts for everybody. It never says what may be guessed."""
        is_default = self.kind == Lesson.Kind.DEFAULT
        also = {"may_be_guessed": True if tuned is None else tuned["may_be_guessed"]} if is_default else {}
        names = [one.name for one in self.base.fields if one.name in _COLUMNS]
        return {**{name: getattr(self, name) for name in names}, **also, "in_use": True}

    @property
    def title(self) -> str:
        """What it is about, for a heading."""
        return self.base.title(self.values())

    @property
    def summary(self) -> str:
        """What it says, in a line."""
        return self.base.summary(self.values())

    def checked(self, tuned: Mapping[str, Any] | None = None) -> Checked:
        """Its values where they can be taught: the checks of what is tuned, and what is never taught. `tuned`: as of
        `values`. Raises TuningRefused.
        """
        if wrong := unteachable(self):
            raise TuningRefused({"default": wrong})
        return self.base.cleaned(self.values(tuned), {})


def unteachable(taught: Taught) -> str:
    """Why this is never taught: a lesson must not open the network or switch autonomous mode, whoever asks for it."""
    if taught.kind != Lesson.Kind.DEFAULT:
        return ""
    if (taught.tool, taught.command) == TOGGLE:
        return "A default cannot switch autonomous mode."
    try:
        command = tools_in_use().command(taught.tool, taught.command)
    except UnknownTool:
        return ""  # its own check says so
    if taught.parameter in command.properties:
        if command.kind(taught.parameter) in (HOSTS_KIND, ADDRESS_KIND):
            return "Hosts cannot be taught as a default. Name them in each goal."
        if taught.parameter == command.autonomous_with:
            return "A value that needs autonomous mode cannot be a default."
    return ""


def visible_to(user: User) -> QuerySet[Lesson]:
    """The versions that this person may read: their own; an operator's: all."""
    rows = Lesson.objects.select_related("teacher", "by", "plan__goal")
    return rows if tuning_rights.may_tune(user) else rows.filter(teacher=user)


def newest(rows: QuerySet[Lesson], *, before: int | None = None, most: int = PAGE) -> tuple[list[Lesson], int | None]:
    """Of everything taught the version that counts, newest first, and the number to ask `before` for the next ones."""
    same = {name: OuterRef(name) for name in ("teacher", "kind", "tool", "command", "parameter")}
    newer = Lesson.objects.filter(**same, said__iexact=OuterRef("said"), pk__gt=OuterRef("pk"))
    part = rows.filter(~Exists(newer)).order_by("-pk")
    part = part if before is None else part.filter(pk__lt=before)
    found = list(part[: most + 1])
    return found[:most], found[most - 1].pk if len(found) > most else None


def about(teacher_id: int, taught: Taught) -> list[Lesson]:
    """Every version about the same, newest first. Case and spaces of a name do not count."""
    near = Lesson.objects.select_related("teacher", "by", "plan__goal").filter(
        teacher=teacher_id, kind=taught.kind, tool=taught.tool, command=taught.command, parameter=taught.parameter
    )
    return [row for row in near.order_by("-pk") if _plain(row.said) == _plain(taught.said)]


def for_everybody(taught: Taught) -> Tunable | None:
    """What operators have saved about the same, in use or not; None where nobody saved anything."""
    return versions.about(taught.base, taught.values())


def all_beside(rows: Sequence[Lesson]) -> dict[int, Tunable]:
    """What holds for everybody about the same as these versions, by their numbers; one look for each kind."""
    said = {row.pk: Taught.of(row) for row in rows}
    tuned: dict[tuple[Any, ...], Tunable] = {}
    for base in {one.kind: one.base for one in said.values()}.values():
        in_use = (one for one in versions.current(base) if one.values["in_use"])
        tuned |= {(base.name, *base.identity(one.values)): one for one in in_use}
    keys = {pk: (one.base.name, *one.base.identity(one.values())) for pk, one in said.items()}
    return {pk: tuned[key] for pk, key in keys.items() if key in tuned}


def beside_tuned(kind: Kind, values: Mapping[str, Any]) -> list[Lesson]:
    """Lessons in force about the same as what is tuned for everybody: for their teachers' goals they come first."""
    of = next((name for name, base in _BASE.items() if base == kind.name), None)
    if of is None:
        return []
    near = {"said__iexact" if name == "said" else name: values[name] for name in kind.key}
    rows = newest(Lesson.objects.select_related("teacher").filter(kind=of, **near))[0]
    return [row for row in rows if row.state == Lesson.State.IN_FORCE]


def teach(taught: Taught, *, by: User, plan: IntentPlan, step: int, note: str = "", seen: int | None = None) -> Lesson:
    """Keep what a person taught; it holds for the goals that they submit, from the next planning on.

    `seen` is the number of their own version that this one is written over (0: there was none). Raises NotYours,
    TuningRefused, NotPossibleNow.
    """
    if not by.is_active:
        raise NotYours("Only people who can log in can teach.")
    _check_note(note)
    taught = _of_values(taught, taught.checked().values)
    with transaction.atomic():
        _alone()
        before = _latest(by.pk, taught)
        _check_seen(before, seen)
        if before is not None and before.state == Lesson.State.IN_FORCE and _says_same(Taught.of(before), taught):
            raise NotPossibleNow("You have taught this already; nothing was changed.")
        return _kept(taught, Lesson.State.IN_FORCE, teacher=by, plan=plan, step=step, by=by, note=note, before=before)


def take_back(lesson: Lesson, *, by: User, note: str = "", seen: int | None = None) -> Lesson:
    """End it; its teacher and operators may. Nothing of it is checked: a tool that it names may be gone.

    Raises NotYours, TuningRefused, NotPossibleNow.
    """
    check_may_end(lesson, by)
    _check_note(note)
    with transaction.atomic():
        _alone()
        return _ended(_in_force(lesson, seen), Lesson.State.TAKEN_BACK, by=by, note=note)


def promote(lesson: Lesson, *, by: User, note: str = "", seen: int | None = None, over: int | None = None) -> Tunable:
    """Make it an ordinary version that binds everybody, in the name of teacher and operator; the lesson ends by it.

    `over` is the number of the tuned version about the same that was read (0: there was none). Raises NotYours,
    TuningRefused, NotPossibleNow; then nothing is changed.
    """
    tuning_rights.check_operator(by)
    _check_note(note)
    with transaction.atomic():
        _alone()
        before = _in_force(lesson, seen)
        taught = Taught.of(before)
        beside = for_everybody(taught)
        values = taught.checked(_in_use(beside)).values
        said = f"taught by {before.teacher.username} in plan {before.plan_id}, promoted by {by.username}"
        said = f"{said}: {note.strip()}" if note.strip() else said
        # Before the lesson's own entry: the journal's lock is the last that a transaction takes.
        saved = versions.save(taught.base, values, by=by, note=said[:300], over=beside, seen=over)
        _ended(before, Lesson.State.PROMOTED, by=by, note=note)
        return saved


def check_may_end(lesson: Lesson, by: User) -> None:
    """Raise NotYours unless this person may take it back."""
    if not by.is_active or (lesson.teacher_id != by.pk and not tuning_rights.may_tune(by)):
        raise NotYours("What was taught is taken back by its teacher or an operator.")


def try_for_teacher(taught: Taught, teacher: User, readable: QuerySet[Goal], clock: Clock | None = None) -> Trial:
    """What the last commands of the teacher's own goals would come to: the cases that it would bind."""
    taught = _of_values(taught, taught.checked().values)

    def change(_: int, now: Tuning) -> Tuning:
        return with_lesson(now, taught)

    return trying_commands.try_change(change, readable, clock or Clock(SECONDS / 2), of=teacher.pk)


def try_for_everybody(taught: Taught, teacher: User, readable: QuerySet[Goal], clock: Clock | None = None) -> Trial:
    """What the last commands of everybody would come to, were it promoted."""
    beside = for_everybody(taught)
    values = taught.checked(_in_use(beside)).values

    def change(person: int, now: Tuning) -> Tuning:
        mine = without_lesson(now, taught) if person == teacher.pk else now
        return trying_commands.proposed(mine, taught.base, values)

    return trying_commands.try_change(change, readable, clock or Clock(SECONDS / 2))


def with_lesson(now: Tuning, taught: Taught, number: int = 1) -> Tuning:
    """What would count for the teacher's goals, were this taught; any number stands for the one it would get."""
    if taught.kind == Lesson.Kind.MAPPING:
        others = [one for one in now.mapped if not (one.lesson and _same(one, taught))]
        mine = Mapped(taught.said, taught.path, taught.tool, taught.parameter, number)
        return replace(now, mapped=(mine, *others))
    key = (taught.tool, taught.command, taught.parameter)
    may = now.rules.get(key, Rule()).may_be_guessed
    return replace(now, rules={**now.rules, key: Rule(taught.default, True, may, number)})


def without_lesson(now: Tuning, taught: Taught) -> Tuning:
    """What would count for the teacher's goals without it; what is for everybody is put in its place by the caller."""
    if taught.kind == Lesson.Kind.MAPPING:
        return replace(now, mapped=tuple(one for one in now.mapped if not (one.lesson and _same(one, taught))))
    key = (taught.tool, taught.command, taught.parameter)
    return replace(now, rules={where: rule for where, rule in now.rules.items() if where != key})


def _in_use(beside: Tunable | None) -> Values | None:
    """What counts of it: a version that is out of use says nothing."""
    return beside.values if beside is not None and beside.values["in_use"] else None


def _same(one: Mapped, taught: Taught) -> bool:
    return (_plain(one.said), one.tool, one.parameter) == (_plain(taught.said), taught.tool, taught.parameter)


def _of_values(taught: Taught, values: Mapping[str, Any]) -> Taught:
    """The same as its checks have written it."""
    return replace(taught, **{name: values[name] for name in _COLUMNS if name in values})


def _alone() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])


def _latest(teacher_id: int, taught: Taught) -> Lesson | None:
    return next(iter(about(teacher_id, taught)), None)


def _check_seen(before: Lesson | None, seen: int | None) -> None:
    if seen is not None and seen != (before.pk if before else 0):
        raise NotPossibleNow("Another version was saved in the meantime. Read that one first; nothing was changed.")


def _check_note(note: str) -> None:
    if problem := NOTE.problem(note.strip()):
        raise TuningRefused({NOTE.name: problem})


def _in_force(lesson: Lesson, seen: int | None) -> Lesson:
    """The version of it that counts; the caller holds the lock."""
    before = _latest(lesson.teacher_id, Taught.of(lesson))
    _check_seen(before, seen)
    if before is None or before.state != Lesson.State.IN_FORCE:
        raise NotPossibleNow("This lesson is no longer in force; nothing was changed.")
    return before


def _ended(before: Lesson, state: str, *, by: User, note: str) -> Lesson:
    return _kept(
        Taught.of(before), state, teacher=before.teacher, plan=before.plan, step=before.step, by=by, note=note,
        before=before,
    )  # fmt: skip


def _kept(
    taught: Taught,
    state: str,
    *,
    teacher: User,
    plan: IntentPlan,
    step: int,
    by: User,
    note: str,
    before: Lesson | None,
) -> Lesson:
    values = {name: getattr(taught, name) for name in _COLUMNS}
    row = Lesson.objects.create(
        **values, kind=taught.kind, state=state, teacher=teacher, plan=plan, step=step, by=by, note=note.strip()
    )
    old = {} if before is None else {**_as_data(before), "state": before.state}
    changed = journal.difference(old, {**_as_data(row), "state": state})
    also = {"note": note.strip()} if note.strip() else {}
    data = {**changed, **also, "what": state, "teacher": teacher.username, "plan": plan.pk}
    journal.record(Event.LESSON, by=by, subject=f"lesson:{row.pk}", data=data)
    return row


def _as_data(row: Lesson) -> Values:
    said = {name: getattr(row, name) for name in _COLUMNS}
    return {name: value for name, value in said.items() if value not in ("", None)}


def _says_same(one: Taught, other: Taught) -> bool:
    """JSON tells 1, true and "1" apart, which Python does not always."""
    return json.dumps(vars(one), sort_keys=True) == json.dumps(vars(other), sort_keys=True)


def _plain(said: str) -> str:
    return " ".join(said.casefold().split())


def in_order(rows: Sequence[Lesson]) -> list[tuple[int, Lesson]]:
    """The versions about the same with their numbers from 1, newest first."""
    return [(len(rows) - at, row) for at, row in enumerate(rows)]
