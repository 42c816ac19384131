"""Files that are described and not named: “the letter to the supervisor” is `letters/to_supervisor.txt`.

A description fits an entry when each of its words is said by the entry's name, by a folder it lies in or by its
ending, whole, as a usual short form, begun or misspelt. Where several entries fit, the one whose own name the words
say wholly is meant rather than one of which they say a part; else nobody can tell, and the entries are the choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from agents.bdi.understanding.names.entries import Entry
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FILE, FOLDER, Candidate, Found, Tree, fits
from agents.bdi.understanding.names.tree_index import by_whole
from agents.bdi.understanding.names.word_matching import meets
from agents.bdi.understanding.words.morphology import singular

MOST_CHOICES = 6
# How sure it is where one entry fits, and where others fit in part.
_ALONE, _BEST = 0.95, 0.86
# What says of itself what kind of file it is, so that one of it is one of that kind.
_SPEAKING = frozenset("stylesheet notebook bibliography spreadsheet picture photo photograph image drawing".split())
# Where a name is said in more words than it is written in: “bee keeper” for beekeeper.txt.
_MOST_JOINED = 4
# Said of anything, so that it need not be in a name; and in names without saying more.
_GENERAL = frozenset({"file", "document", "folder", "directory", "dir", "thing", "one", "content", "contents", "text"})
_NO_MORE = frozenset({"tool", "agent", "to", "the", "of", "my", "and", "a", "for", "file", "main", "new", "final"})


def described(words: Sequence[str], heads: Sequence[str], tree: Tree, wanted: str) -> Found:
    """The entry that these words (in lower case) describe.

    `heads` are general nouns around them: they speak for an entry that they fit, and against none.
    """
    asked = ("described", wanted, tuple(words), tuple(heads))
    if asked not in tree.found:
        tree.found[asked] = _described(tuple(words), tuple(heads), tree, wanted)
    return cast(Found, tree.found[asked])


def _described(words: tuple[str, ...], heads: tuple[str, ...], tree: Tree, wanted: str) -> Found:
    ours = tuple(part for word in words for part in words_of(word))
    heads = tuple(part for word in heads for part in words_of(word))
    if not ours:
        return Found(None, 0.0, "nothing is described")
    ranked = _fitting(ours, heads, tree, wanted)
    if not ranked and 1 < len(ours) <= _MOST_JOINED:
        tries = ((*ours[:at], ours[at] + ours[at + 1], *ours[at + 2 :]) for at in range(len(ours) - 1))
        ranked = next((found for one in tries if (found := _fitting(one, heads, tree, wanted))), [])
    said = " ".join(words)
    if not ranked:
        return Found(None, 0.0, f"nothing here is “{said}”")
    (share, sure), best = ranked[0]
    if share >= 1.0:
        ranked = [one for one in ranked if one[0][0] >= 0]
    if share < 0 and len(ranked) == 1 and (len(ours) > 1 or ours[0] in _SPEAKING):
        # “The stylesheet”, “the picture in docs”: no name, and only one can be meant.
        return Found(tree.said(best), round(_BEST * sure, 3), "it is the only one of that kind")
    if share < 0:
        choices = tuple(Candidate(tree.said(path), 0.5, "it is of that kind") for _, path in ranked[:MOST_CHOICES])
        return Found(None, 0.3, f"nothing here is named “{said}”", choices)
    choices = tuple(Candidate(tree.said(path), 0.5, "its name says so") for _, path in ranked[:MOST_CHOICES])
    if len(ranked) == 1:
        return Found(tree.said(best), round(_ALONE * sure, 3), f"it is the only “{said}” here", choices)
    if share >= 1.0 and ranked[1][0][0] < 1.0:
        return Found(tree.said(best), round(_BEST * sure, 3), f"its name says “{said}” and no more", choices)
    return Found(None, 0.5, f"“{said}” may be {len(ranked)} of them", choices)


def _fitting(
    ours: tuple[str, ...], heads: tuple[str, ...], tree: Tree, wanted: str
) -> list[tuple[tuple[float, float], str]]:
    """What is there that these words fit, the best first."""
    met = sorted((tree.index.said_with(word) for word in dict.fromkeys(ours)), key=len)
    every = met[0].intersection(*met[1:])
    if len(ours) == 1:
        every = every.union(tree.index.at(by_whole, ours[0]))
    tree.compared(len(every))
    ranked = [
        (fit, entry.path)
        for entry in every
        if fits(entry.kind, wanted) and (fit := _fit(ours, heads, entry)) is not None
    ]
    return sorted(ranked, key=lambda one: (-one[0][0], -one[0][1], one[1].count("/"), one[1]))


def _fit(ours: tuple[str, ...], heads: tuple[str, ...], entry: Entry) -> tuple[float, float] | None:
    """Which part of its own name is said, and how surely each word is said by it; None where one is not."""
    own, around, kind = entry.own, entry.around, entry.kind
    heads_said, heads = heads, tuple(word for word in heads if word not in _GENERAL)
    whole = "".join(own)
    if len(ours) == 1 and kind == FILE and ours[0] in (whole, whole + entry.behind) and len(own) > 0:
        return 1.0, 1.0 if ours[0] == whole else 0.97
    sure, met = 1.0, set()
    is_named = False
    for word in ours:
        by_name = max(((meets(word, theirs), theirs) for theirs in own), default=(0.0, ""))
        by_place = max((meets(word, theirs) for theirs in around), default=0.0)
        if by_name[0] and by_name[0] >= by_place:
            met.add(by_name[1])
            is_named = True
        if not max(by_name[0], by_place):
            return None
        sure = min(sure, max(by_name[0], by_place))
    if not is_named:
        # It fits by where it lies and what it is: no name, and yet as good as a name that says only a part.
        return -1.0, sure
    if kind == FOLDER and own and singular(own[-1]) == ours[-1] != own[-1] and not _FOLDERS & set(heads_said):
        # “The invoice” is none of the folder “invoices”.
        return None
    met |= {theirs for head in heads for theirs in own if meets(head, theirs)}
    counted = [word for word in own if word not in _NO_MORE or word in met]
    share = len(met) / max(1, len(counted))
    fitting = sum(any(meets(head, theirs) for theirs in around) for head in heads)
    return round(min(1.0, share) + 0.001 * fitting, 4), sure


_FOLDERS = frozenset({"folder", "folders", "directory", "dir"})
