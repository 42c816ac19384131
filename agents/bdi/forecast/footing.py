"""Which paths of a workspace a plan stands on: what it reads, lists, changes, makes or runs. Pure.

Only a change there makes an approval void. Of a program nobody knows beforehand what it opens; the dry run saw it.
Where no dry run saw it, the plan stands on everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.forecast.touched_paths import Touched, touched
from agents.bdi.plans.document import Document
from agents.toolkit.registry import Registry

ADDED, DELETED, CHANGED = "added", "deleted", "changed"


@dataclass
class Footing:
    """`exact` paths, `deep` ones with all that is in them, and `listed` folders, of which the names count.

    `whole`: everything. Without any of it nothing makes the plan another one.
    """

    exact: set[str] = field(default_factory=set)
    deep: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    whole: bool = False

    def met_by(self, changes: Mapping[str, str]) -> list[str]:
        """The changed paths that it stands on. `changes` has ADDED, DELETED or CHANGED by path."""
        return sorted(path for path, how in changes.items() if self._is_met(path, how))

    def _is_met(self, path: str, how: str) -> bool:
        if self.whole or path in self.exact or any(_inside(path, one) for one in self.deep):
            return True
        if how == CHANGED:
            return False
        above = path.rpartition("/")[0]
        # What goes takes with it what lies below.
        return above in self.listed or (how == DELETED and any(_inside(one, path) for one in self.exact | self.deep))


def footing_of(
    document: Document,
    registry: Registry,
    findings: Sequence[Mapping[str, Any]],
    changed: Mapping[str, Collection[str]] | None,
) -> Footing:
    """What a plan stands on. `findings` and `changed` (paths by what became of them) are those of its dry run."""
    found = Footing()
    if all(_only_reads(spec.effect, at) for spec, at in _main(document, registry)) and not document.cleanup:
        return found
    saw = {each["position"]: each.get("reads") for each in findings}
    may_remove = False
    for spec, touch in _main(document, registry):
        _stand(found, touch, saw.get(spec.position))
        may_remove |= touch.makes_autonomous
        # Whether a file is there, or how long it is, a program asks without a trace; here it may remove files for it.
        found.whole |= may_remove and touch.is_program
    for _, _, variant in document.variants():
        for touch in touched(variant, registry).values():
            _stand(found, touch, None if touch.is_program else [])
    for position, touch in touched(document, registry).items():
        if position > len(document.intents):
            _stand(found, touch, None)
    for kind, paths in (changed or {}).items():
        found.exact.update(paths)
        if kind == DELETED:
            # What came to a folder since would go with it, and nobody saw that.
            found.deep.update(paths)
    return found


def _main(document: Document, registry: Registry) -> Iterable[tuple[Any, Touched]]:
    named = touched(document, registry)
    return [(spec, named[spec.position]) for spec in document.intents]


def _only_reads(effect: str, touch: Touched) -> bool:
    return effect == "idempotent" and not touch.is_program and not touch.makes_autonomous


def _stand(found: Footing, touch: Touched, saw: Sequence[str] | None) -> None:
    """One step. `saw`: what the dry run saw it open, folders with a slash at their end; None: nobody saw it."""
    if touch.is_unsure or (touch.is_program and saw is None):
        found.whole = True
    # A folder that it makes, or goes to, stands for nothing that lies in it.
    found.exact.update(touch.paths)
    if touch.goes_deep:
        found.deep.update(path for path in touch.paths if path not in touch.makes)
    if touch.lists:
        found.listed.update(touch.paths)
    for path in saw or ():
        if path.endswith("/"):
            found.listed.add(path.rstrip("/"))
        else:
            found.exact.update({path, _source_of(path)})


def _source_of(path: str) -> str:
    """The module of which Python read the compiled form; where that is fresh, it only asks for the module's times."""
    folder, _, name = path.rpartition("/__pycache__/")
    return f"{folder}/{name.partition('.')[0]}.py".lstrip("/") if name.endswith(".pyc") else path


def _inside(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
