"""The facts behind a plan's danger sentence: from its steps, its dry run, and the states that are kept of its files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from agents.bdi.forecast.consequences import (
    Consequence,
    Environment,
    Forecast,
    NewFolder,
    Overwriting,
    Program,
    Removal,
    ToolWork,
    Transfer,
    Unread,
    WouldFail,
    Writing,
)
from agents.bdi.forecast.forecasting import forecast
from agents.bdi.forecast.program_runs import INDEX, ProgramRun, cleanup_runs, program_runs
from agents.bdi.forecast.requests import cannot_be_undone
from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.plans.waits import is_wait
from agents.models import IntentPlan, ShadowRun
from agents.plans import footings, shadowing
from agents.states import ShadowState
from agents.toolkit.registry import tools_in_use
from agents.workspaces.base_files import BaseUnreadable, content_of
from agents.workspaces.environments import made_again
from agents.workspaces.kept_contents import Held, held_in, kept_elsewhere
from review.models import PlanRisk
from review.reading import danger
from review.reading.danger import Clause, Danger, Facts, File, Told

_UNSHOWN = ("unproven", "not_reached")
_SHOWN = ("done", "skipped")
# So much of so many changed files is compared with what they held; of the others it is not known that anything stays.
_COMPARED, _COMPARED_BYTES = 200, 1 << 20
# What git itself keeps in its folder beside objects; each commit changes some of it.
_OF_GIT = re.compile(
    r"(?:\A|/)\.git/(?:index|[A-Z_]*HEAD|packed-refs|COMMIT_EDITMSG|(?:refs|logs|info|objects)/.*)\Z", re.DOTALL
)
_WORD = re.compile(rb"\w+")
AFTER = "after a failure"
# The states of a dry run that say all that it will say.
ENDED = (ShadowState.DONE.value, ShadowState.IMPOSSIBLE.value)


def told(plan: IntentPlan, document: Document, run: ShadowRun | None) -> Told:
    """The danger sentence of a plan, with what this dry run showed."""
    try:
        return danger.tell(_facts(plan, document, run))
    except BaseUnreadable:
        return Told(Danger.UNKNOWN, "Not known: the files it was made on can no longer be read")


def current(plan: IntentPlan) -> Told:
    """The danger as it is stored; worked out here when the newest dry run is not in it yet."""
    return current_with(plan, shadowing.latest(plan))


def current_with(plan: IntentPlan, run: ShadowRun | None) -> Told:
    """The same with its newest dry run, which was read already."""
    risk: PlanRisk | None = getattr(plan, "risk", None)
    ended = run.pk if run is not None and run.state in ENDED else None
    if risk is not None and risk.danger is not None and risk.shadow_run_id == ended:
        return risk.told
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return PlanRisk().told
    return told(plan, document, run)


def for_people(plan: IntentPlan, document: Document, run: ShadowRun | None) -> str:
    """What of a plan no policy may approve, whatever it covers; "" if there is nothing of that.

    A policy names the hosts that it lets a plan reach. Only for the package index that also means to run what comes.
    """
    try:
        facts = _facts(plan, document, run)
    except BaseUnreadable:
        return "the files it was made on can no longer be read"
    grave = any(kind <= Danger.RUNS_FOREIGN for kind, _ in facts.others)
    if facts.deleted or facts.overwritten or grave or any(set(one.hosts) - {INDEX} for one in facts.programs):
        sentence = danger.tell(facts).sentence
        return sentence[:1].lower() + sentence[1:]
    return ""


def met(plan: IntentPlan, document: Document) -> dict[int, tuple[str, ...]] | None:
    """What each main step overwrites, changes or runs, by position: paths with their contents; and at 0 what the plan
    stands on or its dry run saw changed; None if they cannot be read. A program that names none of the files may meet
    any.
    """
    run = shadowing.latest(plan)
    try:
        before = held_in(document.base)
        changed = shadowing.changed_paths(run) if run is not None and run.base == document.base else None
    except BaseUnreadable:
        return None
    if changed is None:
        return None
    stands = footings.of(document, run)
    paths: dict[int, set[str]] = {0: {*changed["deleted"], *changed["changed"], *stands.exact}}
    paths[0].update(path for path in before if any(path.startswith(f"{one}/") for one in stands.deep))
    whole: set[int] = {0} if stands.whole else set()
    for ran in program_runs(document, tools_in_use(), before):
        named = {path for path in before if any(path == given or path.startswith(f"{given}/") for given in ran.paths)}
        paths.setdefault(ran.position, set()).update(named)
        whole |= set() if named or ran.is_written else {ran.position}
    for one in forecast(document, _entries(before), tools_in_use()).consequences:
        if isinstance(one, Writing) and one.before == "base":
            paths.setdefault(one.position, set()).add(one.origin or one.path)
        elif isinstance(one, Overwriting) and one.lost.origin:
            paths.setdefault(one.position, set()).add(one.lost.origin)
        elif isinstance(one, Unread) or (isinstance(one, ToolWork) and one.changes_files):
            whole.add(one.position)
    found = {
        at: tuple(f"{path}: {before[path].meets}" for path in sorted(names) if path in before)
        for at, names in paths.items()
    }
    return found | dict.fromkeys(whole, (document.base,))


def _facts(plan: IntentPlan, document: Document, run: ShadowRun | None) -> Facts:
    base = run.base if run is not None and run.state == ShadowState.DONE else document.base
    before = held_in(base)
    read = forecast(document, _entries(before), tools_in_use())
    programs = program_runs(document, tools_in_use(), before)
    is_shown = run is not None and run.state == ShadowState.DONE
    if is_shown and run:
        files = _shown(plan, before, read, run).with_more(_read(plan, base, before, _of_unshown(read, run)))
    else:
        files = _read(plan, base, before, read.consequences, plan.replaces)
    waits = run is None or run.state in (ShadowState.WAITING, ShadowState.RUNNING)
    return Facts(
        deleted=files.deleted,
        overwritten=files.overwritten,
        changed=files.changed,
        added=files.added,
        moved=files.moved,
        folders=files.folders,
        programs=programs,
        others=[*_outside(document, programs), *_perhaps(document, before, read, run if is_shown else None)],
        unknown=list(_unknown(document, run)),
        is_due=waits and not _is_certain(document, read),
    )


@dataclass(frozen=True)
class _Files:
    """What becomes of the files of a workspace."""

    deleted: Sequence[File] = ()
    overwritten: Sequence[File] = ()
    changed: Sequence[str] = ()
    added: Sequence[str] = ()
    moved: Sequence[str] = ()
    folders: Sequence[str] = ()

    def with_more(self, more: _Files) -> _Files:
        """These, and those of the other that are not among them."""
        gone, over = {one.path for one in self.deleted}, {one.path for one in self.overwritten}
        return _Files(
            [*self.deleted, *(one for one in more.deleted if one.path not in gone)],
            [*self.overwritten, *(one for one in more.overwritten if one.path not in over)],
            *(
                list(dict.fromkeys([*ours, *theirs]))
                for ours, theirs in (
                    (self.changed, more.changed),
                    (self.added, more.added),
                    (self.moved, more.moved),
                    (self.folders, more.folders),
                )
            ),
        )


def _of_unshown(read: Forecast, run: ShadowRun) -> list[Consequence]:
    """What the steps say themselves that the dry run did not get to: the real run may."""
    unshown = {one["position"] for one in run.findings if one["proof"] not in _SHOWN}
    return [one for one in read.consequences if one.position in unshown]


def _shown(plan: IntentPlan, before: Mapping[str, Held], read: Forecast, run: ShadowRun) -> _Files:
    """As the dry run showed it."""
    found, after = shadowing.changed_paths(run), held_in(run.after)
    if found is None:
        raise BaseUnreadable("the files of its dry run are no longer stored")
    found, environments = _without_environments(found, run, before, after)
    replaced = [path for path in found["changed"] if path in plan.replaces or _is_another(path, before, after, read)]
    others = [path for path in found["changed"] if path not in replaced and not _OF_GIT.search(path)]
    replaced += [
        path for at, path in enumerate(others) if at >= _COMPARED or _nothing_remains(path, before, after, run)
    ]
    emptied = [path for path in found["changed"] if _is_nothing(path, before, after)]
    stays = {held.sha256 for held in after.values()}
    # What takes the place of another file has moved, too.
    gone = [path for path in found["deleted"] if path in before]
    come = {after[path].sha256 for path in found["changed"] if path in after}
    moved = [
        path for path in gone if before[path].sha256 in stays and (_is_moved(path, read) or before[path].sha256 in come)
    ]
    folders = [path for path in found["added"] if path in after and after[path].kind == "dir"]
    files = _Files(
        _lost(plan, before, run.base, [*(path for path in gone if path not in moved), *emptied], stays),
        _sizes(before, [path for path in replaced if path not in emptied]),
        [path for path in found["changed"] if path not in replaced and path not in emptied],
        [path for path in found["added"] if path not in folders],
        [*found["moved"], *moved],
        [path for path in folders if not _holds(path, found["moved"])],
    )
    return files.with_more(environments)


def _without_environments(
    found: Mapping[str, Sequence[str]], run: ShadowRun, before: Mapping[str, Held], after: Mapping[str, Held]
) -> tuple[dict[str, list[str]], _Files]:
    """The changed paths without what pip and venv write in virtual environments, and what to say of that instead."""
    old, new = made_again(run.base), made_again(run.after)
    made = {environment for environment in new.values() if environment not in before}
    rest: dict[str, list[str]] = {}
    of: set[str] = set()
    for kind, paths in found.items():
        rest[kind] = []
        for path in paths:
            environment = new.get(path) if kind in ("added", "moved") else old.get(path)
            environment = environment or next((one for one in made if f"{path}/".startswith(f"{one}/")), None)
            if environment is None:
                rest[kind].append(path)
            else:
                of.add(environment)
    gone = [one for one in of if f"{one}/pyvenv.cfg" not in after]
    return rest, _Files(
        deleted=[File(one, is_made_again=True) for one in sorted(gone)],
        changed=sorted(of - made - set(gone)),
        folders=sorted(made),
    )


def _holds(folder: str, paths: Sequence[str]) -> bool:
    return any(path.startswith(f"{folder}/") for path in paths)


def _is_nothing(path: str, before: Mapping[str, Held], after: Mapping[str, Held]) -> bool:
    """Whether a file that held something is empty afterwards, or no file any more."""
    old, new = before.get(path), after.get(path)
    return old is not None and new is not None and bool(old.size_bytes) and (new.kind != "file" or not new.size_bytes)


def _nothing_remains(path: str, before: Mapping[str, Held], after: Mapping[str, Held], run: ShadowRun) -> bool:
    """Whether a file has no line and no word left of what it held, or nobody can tell: then it is no edit of it."""
    held = before.get(path)
    if held is None or held.kind != "file" or not held.size_bytes or held.sha256 == after[path].sha256:
        return False
    old, new = (content_of(state, path, _COMPARED_BYTES) for state in (run.base, run.after))
    if old is None or new is None or b"\0" in old:
        return True
    lines = [{line.strip() for line in text.splitlines() if _WORD.search(line)} for text in (old, new)]
    words = [set(_WORD.findall(text)) for text in (old, new)]
    return (len(lines[0]) > 1 and lines[0].isdisjoint(lines[1])) or (bool(words[0]) and words[0].isdisjoint(words[1]))


def _is_another(path: str, before: Mapping[str, Held], after: Mapping[str, Held], read: Forecast) -> bool:
    """Whether another file took the place of this one, or it was removed and made again: that is no edit of it."""
    if path not in before or path not in after:
        return False
    others = {held.sha256 for one, held in before.items() if one != path and held.sha256}
    removed = any(path == one.path or path.startswith(f"{one.path}/") for one in read.of(Removal) if not one.cleanup)
    away = any(one.source == path for one in read.of(Transfer) if one.moves and not one.cleanup)
    return removed or away or (after[path].sha256 in others and after[path].sha256 != before[path].sha256)


def _is_moved(path: str, read: Forecast) -> bool:
    return any(path == one.source or path.startswith(f"{one.source}/") for one in read.of(Transfer) if one.moves)


def _read(
    plan: IntentPlan,
    base: str,
    before: Mapping[str, Held],
    consequences: Sequence[Consequence],
    replaces: Collection[str] | None = None,
) -> _Files:
    """As the steps say it. `base` is the state that `before` is of; `replaces` are the paths that get other content,
    where that is known of all of these steps.
    """
    main = [one for one in consequences if not one.cleanup]
    deleted, over = _taken(main, before)
    stays = {held.sha256 for path, held in before.items() if path not in deleted}
    writings = [one for one in main if isinstance(one, Writing)]
    transfers = [one for one in main if isinstance(one, Transfer)]
    over = [path for path in over if path in plan.replaces] if replaces is None else list(replaces)
    return _Files(
        _lost(plan, before, base, _without_folders(before, deleted), stays),
        _sizes(before, over),
        [one.path for one in writings if one.before == "base" and one.path not in over],
        [one.path for one in writings if not one.before] + [one.path for one in transfers if not one.moves],
        [one.source for one in transfers if one.moves],
        [one.path for one in main if isinstance(one, NewFolder | Environment)],
    )


def _taken(consequences: Sequence[Consequence], before: Mapping[str, Held]) -> tuple[list[str], list[str]]:
    """The files of today that these take away, and those in whose place they put something else."""
    gone, over = [], []
    for one in consequences:
        if isinstance(one, Removal):
            gone.append(one.origin or one.path)
        elif _puts_over(one):
            over.append(one.path)
    deleted = [path for path in before if any(path == one or path.startswith(f"{one}/") for one in gone)]
    return deleted, [path for path in dict.fromkeys(over) if path in before]


def _puts_over(one: Consequence) -> TypeGuard[Writing | Overwriting | Transfer]:
    if isinstance(one, Writing):
        return one.before == "base" and not (one.appends or one.patches)
    return isinstance(one, Overwriting) or (isinstance(one, Transfer) and one.may_replace)


def _without_folders(before: Mapping[str, Held], paths: Collection[str]) -> list[str]:
    """The paths, and a folder only when nothing of it is among them."""
    above = {path[:at] for path in paths for at in range(len(path)) if path[at] == "/"}
    return [path for path in paths if before[path].kind != "dir" or path not in above]


def _lost(
    plan: IntentPlan, before: Mapping[str, Held], base: str, paths: Sequence[str], stays: Collection[str]
) -> list[File]:
    """The files that go, each with whether its content `stays` or an earlier state of the workspace has it, and what
    of environments is made again.
    """
    again = made_again(base)
    environments = dict.fromkeys(again[path] for path in paths if path in again)
    paths = [path for path in paths if path not in again]
    wanted = {held.sha256 for path in paths if (held := before.get(path)) and held.sha256}
    kept = {sha256 for sha256 in wanted if sha256 in stays}
    kept |= kept_elsewhere(plan.workspace_id, base, wanted - kept)
    found = [(path, before.get(path)) for path in paths]
    lost = [
        File(
            path, held.size_bytes if held else 0, held is not None and held.sha256 in kept, holds=_holds_something(held)
        )
        for path, held in found
    ]
    return [*lost, *(File(one, is_made_again=True) for one in environments)]


def _holds_something(held: Held | None) -> bool:
    """Folders, links and empty files hold nothing that could be lost."""
    return held is not None and held.kind == "file" and bool(held.size_bytes)


def _sizes(before: Mapping[str, Held], paths: Sequence[str]) -> list[File]:
    return [File(path, before[path].size_bytes if path in before else 0) for path in paths]


def _outside(document: Document, programs: Sequence[ProgramRun]) -> Iterator[Clause]:
    """What reaches beyond the workspace, declared alternatives and the clean-up included."""
    met = {host for one in programs for host in one.hosts}
    for step in document.all_intents:
        for spec in (step, *step.alternatives):
            if words := _beyond(spec, met):
                yield Danger.REACHES_OUT, f"{words} {AFTER}" if step.phase == "cleanup" else words


def _beyond(spec: IntentSpec, met: Collection[str]) -> str:
    hosts = danger.hosts_in_words([host for host in spec.hosts if host not in met])
    if spec.asks is not None and spec.asks.models:
        return f"sends text to {' or '.join(danger.named(model.name) for model in spec.asks.models)}"
    if spec.effect in ("once", "keyed") and spec.hosts:
        verb = "sends to" if spec.effect == "once" else "changes something at"
        return f"{verb} {danger.hosts_in_words(spec.hosts)}, which mindX cannot take back"
    if cannot_be_undone(spec, tools_in_use()):
        return f"changes mindX itself for good ({spec.command.replace('_', ' ')})"
    if spec.effect == "keyed":
        return f"changes something outside of the workspace ({spec.command.replace('_', ' ')})"
    # What a program does there nobody knows: it may send as well.
    reaches = "command_line" in spec.params and set(spec.hosts) != {INDEX}
    return f"{'reaches' if reaches else 'fetches from'} {hosts}" if hosts else ""


def _perhaps(document: Document, before: Mapping[str, Held], read: Forecast, run: ShadowRun | None) -> Iterator[Clause]:
    """What no dry run tries, or this one left out: declared alternatives, the clean-up, steps under a condition."""
    entries, registry = _entries(before), tools_in_use()
    instead: list[Consequence] = []
    ran: list[ProgramRun] = []
    for position, _, variant in document.variants():
        foreseen = forecast(variant, entries, registry).consequences
        instead += [one for one in foreseen if one.position == position and not one.cleanup]
        ran += [one for one in program_runs(variant, registry, before) if one.position == position]
    steps = sorted({position for position, _, _ in document.variants()})
    if steps:
        yield from _may(instead, before, ran, f"if step {_listed(steps)} fails", "may ")
    undo = [one for one in read.consequences if one.cleanup]
    yield from _may(undo, before, cleanup_runs(document, registry, before), AFTER)
    skipped = {one["position"] for one in run.findings if one["proof"] == "skipped"} if run is not None else set()
    left = [one for one in read.consequences if one.position in skipped]
    yield from _may(left, before, (), f"if step {_listed(sorted(skipped))} runs", "may ")


def _may(
    consequences: Sequence[Consequence],
    before: Mapping[str, Held],
    programs: Sequence[ProgramRun],
    when: str,
    may: str = "",
) -> Iterator[Clause]:
    """A clause for each kind. With “may” a verb stands as it is, without it as what happens then."""
    deleted, over = _taken(consequences, before)
    ends = "" if may else "s"
    if deleted:
        yield Danger.DELETES, f"{may}delete{ends} {danger.names(_without_folders(before, deleted))} {when}"
    if over:
        yield Danger.OVERWRITES, f"{may}overwrite{ends} {danger.names(over)} {when}"
    foreign, own = [[one for one in programs if bool(one.hosts) is is_foreign] for is_foreign in (True, False)]
    if foreign:
        hosts = danger.hosts_in_words([host for one in foreign for host in one.hosts])
        lines = danger.lines([one.command_line for one in foreign])
        yield Danger.RUNS_FOREIGN, f"{may}run{ends} {lines} {when}, after files came from {hosts}"
    if own:
        yield Danger.CHANGES, f"{may}run{ends} {danger.lines([one.command_line for one in own])} {when}"


def _listed(steps: Sequence[int]) -> str:
    return " or ".join(map(str, steps))


def _unknown(document: Document, run: ShadowRun | None) -> Iterator[str]:
    """What the dry run left open, but for what the step says itself."""
    if run is None:
        return
    if run.state in (ShadowState.IMPOSSIBLE, ShadowState.STOPPED):
        yield f"not tested: {run.reason}"
        return
    for one in run.findings:
        if one["proof"] == "failed":
            # What a program wrote may be many lines, and is no part of the sentence.
            why = danger.named(one["why"].strip().partition("\n")[0])
            yield f"step {one['position']} failed in the dry run{f': {why}' if why else ''}"
    unshown = [one["position"] for one in run.findings if one["proof"] in _UNSHOWN]
    if steps := [str(at) for at in unshown if not _speaks_for_itself(document.at(at))]:
        yield f"step{'s' if len(steps) > 1 else ''} {', '.join(steps)} could not be tested"


def _speaks_for_itself(spec: IntentSpec) -> bool:
    """Whether its effect is said without a run: it waits, or sends and changes no file."""
    return is_wait(spec.tool, spec.command) or (
        spec.effect in ("once", "keyed") and spec.command not in ("start", "stop")
    )


def _is_certain(document: Document, read: Forecast) -> bool:
    """Whether the steps alone say everything: nothing runs, and nothing depends on what does."""
    return not any(map(_leaves_open, read.consequences)) and not any(
        "{{" in f"{spec.params}{spec.condition}" for spec in document.intents
    )


def _leaves_open(one: Consequence) -> bool:
    if one.cleanup:
        return False
    is_program = isinstance(one, Program | Unread | WouldFail) or (isinstance(one, ToolWork) and one.changes_files)
    return is_program or one.unsure or one.conditional


def _entries(before: Mapping[str, Held]) -> list[BaseEntry]:
    return [BaseEntry(path, held.kind, held.size_bytes) for path, held in before.items()]


def as_json(found: Told) -> dict[str, Any]:
    """The form that is stored with the plan's risk."""
    return {"kind": int(found.danger), "sentence": found.sentence, "is_due": found.is_due}
