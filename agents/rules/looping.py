"""Steps for each of a set of files: which files these are, and what a step may say of one. Pure.

Of a file {file} a step also knows {file_name} (notes.txt), {file_stem} (drafts/notes), {file_folder} (drafts/) and
{file_ending} (.txt); the folder of a file at the root is empty.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from agents.rules.bodies import slots_in
from agents.rules.facts import is_below
from agents.rules.file_sets import MOST_ITEMS, FileSet, Items, UnreadableSet, items_in, read_set
from agents.rules.grammar import BodyLine, Loop
from agents.rules.selection import SlotValue
from agents.toolkit.types import Belief
from agents.toolkit.wording.words import quote

# What is asked for the items of a set when a plan is made. Raises UnreadableSet where they cannot be told.
Look = Callable[[FileSet], Items]
_ABOUT_ONE = ("name", "stem", "folder", "ending")


class NoItems(ValueError):
    """A step cannot be planned for a set of files; the message says why."""


class NoneOfThem(NoItems):
    """There is nothing in the set, so that a plan would do nothing, or show it."""


class TooManyItems(NoItems):
    """A set has more files than a plan can be for."""


def loop_slots(loop: Loop) -> tuple[str, ...]:
    """The slots that a step of the loop may use beside those of its rule."""
    return (loop.slot,) if loop.at_once else (loop.slot, *(f"{loop.slot}_{part}" for part in _ABOUT_ONE))


def slots_of_line(line: BodyLine) -> tuple[str, ...]:
    """The slots that a line needs from its rule: not those that its own loop fills."""
    if line.loop is None:
        return slots_in(line.text)
    own = loop_slots(line.loop)
    return (*slots_in(line.loop.among), *(slot for slot in slots_in(line.text) if slot not in own))


def set_of(loop: Loop, slots: Mapping[str, str]) -> FileSet:
    """The set with the rule's slots filled. Raises NoItems where the words describe none.

    What stands first are the person's own words for files; every other slot is one value.
    """
    said = loop.among
    for slot in slots_in(said):
        value = slots[slot] if said.startswith(f"{{{slot}}}") else _as_value(slots[slot])
        said = said.replace(f"{{{slot}}}", value)
    try:
        return read_set(said)
    except UnreadableSet as error:
        raise NoItems(str(error)) from error


def _as_value(value: str) -> str:
    return value if len(value.split()) == 1 and '"' not in value else '"' + value.replace('"', "'") + '"'


def belief_about(of: FileSet, beliefs: Sequence[Belief], look: Look | None, at: str) -> Belief:
    """What is believed of the items: as it was found when the plan was first made, else as it is found now.

    `at`: the time. Raises NoItems where nobody looks.
    """
    known = next((one for one in beliefs if items_in(one.sentence, of) is not None), None)
    if known is not None:
        return known
    if look is None:
        raise NoItems(f"which are {of.sentence()} was not looked for when these beliefs were formed")
    try:
        return Belief(look(of).belief(of), "perception", 1.0, at)
    except UnreadableSet as error:
        raise NoItems(str(error)) from error


def values(loop: Loop, of: FileSet, belief: Belief, cwd: str) -> Iterator[dict[str, SlotValue]]:
    """The slots of the loop for each item, or for all at once. Raises NoItems for a set that no step can be for."""
    items = items_in(belief.sentence, of) or Items(())
    if items.more:
        total = len(items.paths) + items.more
        if total > MOST_ITEMS:
            raise TooManyItems(f"{of.sentence()} are {total}, and a plan is for {MOST_ITEMS} at most")
        raise NoItems(f"{items.more} of {of.sentence()} have names that a plan cannot say")
    if outside := next((path for path in items.paths if cwd and not is_below(path, cwd)), None):
        raise NoItems(f"{quote(outside)} is not in the folder {quote(cwd)}, in which the step is done")
    paths = [path[len(cwd) + 1 :] if cwd else path for path in items.paths]
    if not paths:
        raise NoneOfThem(f"there are no {replace(of, order='', most=None).sentence().removeprefix('the ')}")
    if loop.at_once:
        yield {loop.slot: SlotValue("\n".join(paths), "lines", None, belief=belief.sentence)}
        return
    for path in paths:
        folder, name = posixpath.split(path)
        stem, ending = posixpath.splitext(path)
        said = dict(zip(_ABOUT_ONE, (name, stem, f"{folder}/" if folder else "", ending), strict=True))
        named = {loop.slot: path} | {f"{loop.slot}_{part}": value for part, value in said.items()}
        yield {slot: SlotValue(value, "path", None, belief=belief.sentence) for slot, value in named.items()}
