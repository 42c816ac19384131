"""Which combination of modules did best on tasks like one: counted in the library, and told before a run is started.

A combination is a component, with how often it was used and how often that ended with an answer. What is told of it for
a task comes from remembered runs that the person may read: those on similar tasks, with an interval.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from django.db.models import F

from agents.bdi.modular.modules import UnknownModule, module
from agents.bdi.modular.state import MODULE_TYPES, Chosen
from agents.models import ModularStep
from agents.presentation.rates import interval
from library.components import services as components
from library.components.selectors import active_versions
from library.components.services import Starter
from library.memory import selectors
from library.models import Component
from people.models import User

KIND = Component.Kind.MODULAR.value
# What the experience of a run is found by.
TAG = "modular"
# Below this two tasks are not of one kind (`library.memory.nearness`).
SIMILAR_FROM = 0.4
_LOOKED_AT, _TOLD = 100, 5
# Of fewer runs nothing is recommended.
RUNS_LEAST = 3


@dataclass(frozen=True)
class Did:
    """How the runs of one combination on similar tasks ended: `low` to `high` is Wilson's 95 % interval of the share.

    Steps, tokens and US dollars are means of these runs.
    """

    modules: Mapping[str, str]
    runs: int
    achieved: int
    steps: float
    tokens: float
    cost: float

    @property
    def name(self) -> str:
        """Its modules in the order of the loop."""
        return name_of(self.modules)

    @property
    def low(self) -> float:
        """The least share that is likely, 0 to 1; combinations are ranked by it."""
        return interval(self.achieved, self.runs)[0]

    @property
    def high(self) -> float:
        """The greatest share that is likely, 0 to 1."""
        return interval(self.achieved, self.runs)[1]

    @property
    def low_percent(self) -> int:
        """The same in percent."""
        return round(100 * self.low)

    @property
    def high_percent(self) -> int:
        """The same in percent."""
        return round(100 * self.high)

    @property
    def is_enough(self) -> bool:
        """Whether there are so many runs that it may be recommended."""
        return self.runs >= RUNS_LEAST


def name_of(modules: Mapping[str, str]) -> str:
    """A combination's name."""
    return " · ".join(modules[kind] for kind in MODULE_TYPES)


def count(settings: Mapping[str, Chosen], *, has_achieved: bool) -> None:
    """Count a run that has ended, in the transaction that ends it; the first one makes the component."""
    names = {kind: settings[kind].name for kind in MODULE_TYPES}
    body = json.dumps(names, indent=2) + "\n"
    components.load_starters([Starter(name_of(names), body, _of_use(names), "modules of a modular agent")], KIND)
    version = active_versions(KIND).filter(component__name=name_of(names)).first()
    # Somebody may have retired it: then nothing is counted.
    if version is not None:
        components.record_use(version.pk, has_achieved)


def for_task(task: str, *, user: User) -> list[Did]:
    """The combinations of runs on similar tasks that this person may read, the best first.

    Compares sentences, so never inside a transaction. Empty where sentences cannot be compared.
    """
    found = selectors.search(task, user=user, limit=_LOOKED_AT, tag=TAG, goals_only=True)
    alike = [row for row, similarity in found if similarity is not None and similarity >= SIMILAR_FROM]
    ended = {row.goal_ref: row for row in alike}
    used = _used(ended)
    groups = defaultdict(list)
    for ref, row in ended.items():
        if ref in used:
            groups[tuple(row.involved_components)].append((row.final_outcome == "success", *used[ref]))
    told = []
    for names, runs in groups.items():
        modules = dict(one.split(":", 1) for one in names)
        if set(modules) == set(MODULE_TYPES):
            means = [fmean(one[at] for one in runs) for at in (1, 2, 3)]
            told.append(Did(modules, len(runs), sum(one[0] for one in runs), *means))
    return sorted(told, key=lambda one: (-one.low, one.cost, one.name))[:_TOLD]


def _used(refs: Mapping[str, object]) -> dict[str, tuple[float, float, float]]:
    """Steps, tokens and US dollars of runs, by the references of their experiences."""
    ids = [int(ref.removeprefix("modular-")) for ref in refs]
    rows = ModularStep.objects.filter(run__in=ids, number=F("run__at_step")).values_list("run_id", "head")
    found = {}
    for pk, head in rows:
        usage = head.get("usage", {})
        found[f"modular-{pk}"] = (
            float(head.get("steps", 0)),
            float(usage.get("tokens", 0)),
            float(usage.get("cost", 0)),
        )
    return found


def _of_use(names: Mapping[str, str]) -> str:
    """When the combination is of use, out of what its modules say of themselves."""
    said = []
    for kind in MODULE_TYPES:
        try:
            said.append(f"{kind}: {module(kind, names[kind]).summary}")
        except UnknownModule:
            said.append(f"{kind}: {names[kind]}")
    return "Runs of modular agents. " + " ".join(said)
