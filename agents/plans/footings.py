"""Whether a plan still stands on the files that it was tried on: a change elsewhere in its workspace is none of its
business.

States are read from the store, which may be far away, so they are weighed before rows are locked, and the answer is
remembered for the transaction that needs it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from agents.bdi.forecast.footing import ADDED, CHANGED, DELETED, Footing, footing_of
from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.beliefs import set_items
from agents.models import IntentPlan, ShadowRun
from agents.plans import shadowing
from agents.rules.file_sets import FileSet, Items, UnreadableSet, told_in
from agents.states import PlanState, ShadowState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import file_paths
from agents.workspaces.stores import store
from people import sealing
from sandbox.contract import SandboxError
from sandbox.store.manifest import Entry

EVERYTHING = "everything: the files it was made on can no longer be read"
_REMEMBERED = 256
_weighed: OrderedDict[tuple[int, str, str], tuple[str, ...]] = OrderedDict()


class NotWeighed(Exception):
    """Nobody has compared the plan's files with those of its workspace as it is now."""


def differing(plan: IntentPlan, document: Document) -> tuple[str, ...]:
    """The paths on which the plan stands and that are not as they were when it was tried, or made if it was not."""
    run = _trial(plan)
    base = run.base if run is not None else document.base
    if base == plan.workspace.head:
        return ()
    try:
        changes = _changes(store().entries(base), store().entries(plan.workspace.head))
    except (KeyError, SandboxError, OSError):
        return (EVERYTHING,)
    return tuple(dict.fromkeys([*of(document, run).met_by(changes), *_grown(plan)]))


def _grown(plan: IntentPlan) -> list[str]:
    """The files that have come to a set for which the plan has steps, or have left it."""
    found: list[str] = []
    look = set_items.look_in(plan.workspace)
    for of, then in sets_of(plan):
        try:
            now = look(of)
        except UnreadableSet:  # it was read when the plan was made
            return [EVERYTHING]
        found += sorted({*now.paths} ^ {*then.paths})
    return found


def sets_of(plan: IntentPlan) -> list[tuple[FileSet, Items]]:
    """The described sets of files that were bound when the plan was made, with their items then."""
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    beliefs = [one for one in evidence.get("beliefs") or [] if isinstance(one, dict)]
    return [told for one in beliefs if (told := told_in(str(one.get("sentence", "")))) is not None]


def moved_under(plan: IntentPlan) -> tuple[str, ...]:
    """`differing` of a plan that waits for review; nothing of another, whose files may move as they like."""
    if plan.state != PlanState.AWAITING_REVIEW:
        return ()
    try:
        return differing(plan, documents.read(bytes(plan.document)))
    except ValueError:
        return ()


def worked_on(plans: Sequence[IntentPlan]) -> list[tuple[Footing, dict[str, str]]]:
    """For each plan: what it stands on, and how its dry run changed each path (everything, if that is unknown)."""
    newest = ShadowRun.objects.filter(intent_plan__in=plans).order_by("intent_plan_id", "-number")
    rows = newest.distinct("intent_plan_id").annotate(seal=sealing.newest(ShadowRun))
    runs = {
        run.intent_plan_id: run for run in rows if run.state == ShadowState.DONE and sealing.fits_row(run, run.seal)
    }
    return [_worked_on(plan, runs.get(plan.pk)) for plan in plans]


def _worked_on(plan: IntentPlan, run: ShadowRun | None) -> tuple[Footing, dict[str, str]]:
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return Footing(whole=True), {EVERYTHING: CHANGED}
    changed = shadowing.changed_paths(run) if run is not None else None
    if changed is None:
        return of(document, run), {EVERYTHING: CHANGED}
    how = {"added": ADDED, "deleted": DELETED}
    return of(document, run), {path: how.get(kind, CHANGED) for kind, paths in changed.items() for path in paths}


def of(document: Document, run: ShadowRun | None) -> Footing:
    """What a plan stands on, by its steps and this dry run."""
    findings, changed = (run.findings, shadowing.changed_paths(run)) if run is not None else ([], None)
    return footing_of(document, tools_in_use(), findings, changed)


def taken_meanwhile(document: Document, position: int, before: str, after: str) -> tuple[str, ...]:
    """The paths that are not as they were in the state `before` and that steps behind this position would remove, move
    or put something else in place of: what came while the plan waited was in no dry run and on no page.
    """
    if before == after:
        return ()
    named = touched(document, tools_in_use())
    taken: set[str] = set()
    for spec in document.intents:
        step = named[spec.position]
        if spec.position > position:
            taken.update(step.removes, step.moves, step.paths if step.overwrites or _writes_over(spec) else ())
    try:
        changes = _changes(store().entries(before), store().entries(after)) if taken else {}
    except (KeyError, SandboxError, OSError):
        return (EVERYTHING,)
    return tuple(sorted(path for path in changes if any(path == one or path.startswith(f"{one}/") for one in taken)))


def _writes_over(spec: IntentSpec) -> bool:
    return spec.command == "write" and spec.params.get("mode") != "append"


def weigh(goal_id: int) -> None:
    """Compare the files of a goal's approved plan with its workspace, for `weighed`."""
    plan = (
        IntentPlan.objects.select_related("workspace", "plan")
        .filter(goal=goal_id, state=PlanState.APPROVED.value)
        .first()
    )
    if plan is None:
        return
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return
    if document.base != plan.workspace.head:
        _weighed[_key(plan)] = differing(plan, document)
        while len(_weighed) > _REMEMBERED:
            _weighed.popitem(last=False)


def weighed(plan: IntentPlan) -> tuple[str, ...] | None:
    """What `weigh` found for the plan and its workspace's head as they are here; None where that was not asked."""
    return _weighed.get(_key(plan))


def _key(plan: IntentPlan) -> tuple[int, str, str]:
    return plan.pk, plan.digest, plan.workspace.head


def _trial(plan: IntentPlan) -> ShadowRun | None:
    """The newest dry run that was done and that mindX sealed: what a forged one saw may have been left out."""
    run = shadowing.latest(plan)
    return run if run is not None and run.state == ShadowState.DONE and sealing.is_genuine(run) else None


def _changes(before: list[Entry], after: list[Entry]) -> dict[str, str]:
    old, new = ({entry.path: entry for entry in entries} for entries in (before, after))
    gone = dict.fromkeys(old.keys() - new.keys(), DELETED)
    come = dict.fromkeys(new.keys() - old.keys(), ADDED)
    other = {path: CHANGED for path in old.keys() & new.keys() if old[path] != new[path]}
    return {file_paths.to_text(path): how for path, how in {**gone, **come, **other}.items()}


def in_words(paths: tuple[str, ...], since: str = "since it was tried") -> str:
    """`a.txt changed since it was tried`, `3 files changed since it was tried: a.txt, b.txt, c.txt`."""
    if len(paths) == 1:
        return f"{paths[0]} changed {since}"
    names = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    return f"{len(paths)} files changed {since}: {names}"
