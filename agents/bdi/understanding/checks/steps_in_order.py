"""What several commands do one after another: what is gone by then, and what would be in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.bdi.understanding import effects
from agents.bdi.understanding.checks.dropped_words import Doubt, with_value
from agents.bdi.understanding.names.paths import FILE, Tree
from agents.bdi.understanding.understood import Meant
from agents.toolkit.registry import Registry


def doubts_of_order(meant: Sequence[Meant], tree: Tree, registry: Registry) -> Iterator[Doubt]:
    """What cannot be done as it stands, with what may be meant instead."""
    now = tree
    for at, one in enumerate(meant):
        command = registry.command(one.tool, one.command)
        said = registry.said(command)
        values = one.values()
        for name, place in said.places.items():
            path = values.get(name)
            if not isinstance(path, str):
                continue
            if not place.makes and tree.kind(path) and not now.kind(path) and now.folder == tree.folder:
                # “Delete archive. Scrap that.”
                yield f"{path} is gone by then.", ()
            if place.goes and f"{now.folder}/".startswith(f"{now.full(path)}/"):
                yield f"{path} is where this is done.", ()
            in_the_way = place.makes and "overwrite" in command.properties and now.kind(path) == FILE
            # What is where it is to be already is in nobody's way.
            if in_the_way and "overwrite" not in values and path != values.get("path"):
                # “Put the plum cake next to the lentil soup”, “copy a over b”.
                yield f"{path} is there already.", with_value(meant, at, "overwrite", True)
        now = effects.after(now, command, said, values)
