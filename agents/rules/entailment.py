"""Does one sentence follow from another? Yes, no, or unknown, with a reason; never by likeness.

A cascade: the same sentence; then the structured matcher over facts (existence, lists, virtual environments, programs,
place, states, having, numbers, plain denial). What neither decides is unknown, and an unknown context never lets a
rule fire, denied or not. So a no needs as much proof as a yes: both sentences have to be read to their last word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from agents.rules.facts import (
    STATES,
    Claim,
    Fact,
    Installed,
    Inventory,
    Listing,
    Measure,
    Owning,
    Place,
    Quality,
    Sight,
    Thing,
    Venv,
    is_below,
    join,
)
from agents.rules.sentences import read_fact, sentences, tidy

SAME, DIRECT, INFERRED = 1.0, 0.98, 0.96
# The stages that prove what they say, by name.
SAME_WORDS, STRUCTURED = "same_words", "structured"
_OPPOSITES = frozenset(
    map(
        frozenset,
        (
            ("open", "closed"),
            ("locked", "unlocked"),
            ("on", "off"),
            ("active", "inactive"),
            ("alive", "dead"),
            ("present", "absent"),
            ("true", "false"),
            ("enabled", "disabled"),
        ),
    )
)
_CONTRARIES = frozenset(map(frozenset, (("full", "empty"), ("wet", "dry"), ("hot", "cold"))))
# What a folder has as files in it.
_CONTENTS = frozenset({"tests", "notes"})
_STARTERS = frozenset({"there", "the", "you", "a", "an", "this", "in", "no", "autonomous", "python"})


@dataclass(frozen=True)
class Verdict:
    """The answer, how firmly it follows (0 to 1, 0 when unknown), why in a few words, and which stage says so."""

    answer: str
    score: float
    reason: str
    stage: str = STRUCTURED

    def negated(self) -> Verdict:
        """The verdict about the denied hypothesis: yes and no change places, unknown stays."""
        flipped = {"yes": "no", "no": "yes"}.get(self.answer, "unknown")
        return replace(self, answer=flipped)


UNKNOWN = Verdict("unknown", 0.0, "says nothing about it")
_THE_SAME = Verdict("yes", SAME, "says the same", SAME_WORDS)


@lru_cache(maxsize=65_536)
def entails(premise: str, hypothesis: str, cwd: str = "") -> Verdict:
    """Say whether the hypothesis follows from the premise.

    The premise speaks from the root of the workspace, the hypothesis from the folder `cwd`. A premise of several
    sentences is taken sentence by sentence; the first that decides counts.
    """
    return entailed([premise], hypothesis, cwd)[0]


def entailed(premises: Sequence[str], hypothesis: str, cwd: str = "") -> list[Verdict]:
    """The same of one hypothesis, which is read once, and many premises."""
    if not premises:
        return []
    wanted = read_fact(hypothesis, cwd)
    # What it says word for word counts only where it means the same as from the root.
    words = plain(hypothesis) if wanted == read_fact(hypothesis) else None
    return [_decided(premise, wanted, words) for premise in premises]


def _decided(premise: str, wanted: Fact, words: str | None) -> Verdict:
    for said, fact in _facts_of(premise):
        if said == words:
            return _THE_SAME
        verdict = _compare(fact, wanted)
        if verdict is not UNKNOWN:
            return verdict
    return UNKNOWN


@lru_cache(maxsize=16_384)
def _facts_of(premise: str) -> tuple[tuple[str, Fact], ...]:
    """Each of its sentences, as it is compared word for word and as what it says."""
    return tuple((plain(sentence), read_fact(sentence)) for sentence in sentences(premise))


def decidable(hypothesis: str) -> bool:
    """Say whether the structured matcher has a pattern for this sentence, so that beliefs can decide it."""
    return not isinstance(read_fact(hypothesis), Claim)


@lru_cache(maxsize=65_536)
def plain(sentence: str) -> str:
    """The sentence as it is compared word for word: tidied, and its first word without a capital."""
    text = tidy(sentence)
    first, space, rest = text.partition(" ")
    return (first.casefold() if first.casefold() in _STARTERS else first) + space + rest


def _answer(holds: bool, score: float, reason: str) -> Verdict:
    return Verdict("yes" if holds else "no", score, reason)


def _compare(premise: Fact, wanted: Fact) -> Verdict:
    for kind, said_by_any, compare in _COMPARED:
        if isinstance(wanted, kind) and (said_by_any or isinstance(premise, kind)):
            return compare(premise, wanted)
    return UNKNOWN


def _inventory(premise: Inventory, wanted: Inventory) -> Verdict:
    if premise.kind != wanted.kind:
        return UNKNOWN
    return _answer(premise.names == wanted.names, DIRECT, "lists all of them")


def _claim(premise: Claim, wanted: Claim) -> Verdict:
    if premise.words == wanted.words:
        return Verdict("yes", DIRECT, "says the same")
    if premise.words == wanted.denies or premise.denies == wanted.words:
        return Verdict("no", INFERRED, "says the opposite")
    return UNKNOWN


def possible_states(premise: Fact, path: str) -> frozenset[str]:
    """Return what a path can be (folder, file, absent) when the premise is true; nothing is known outside the
    workspace.
    """
    if path.startswith(("/", "..")) and path.split("/")[0] in ("", ".."):
        return STATES
    if isinstance(premise, Thing):
        return _states_by_thing(premise, path)
    if isinstance(premise, Listing):
        return _states_by_listing(premise, path)
    if isinstance(premise, Venv) and premise.present:
        folder = premise.folder if premise.name is None else join(premise.folder, premise.name)
        if folder and (path == folder or is_below(folder, path)):
            return frozenset({"folder"})
    return STATES


def _states_by_thing(premise: Thing, path: str) -> frozenset[str]:
    if path == premise.path:
        return premise.states
    if premise.exists and is_below(premise.path, path):
        return frozenset({"folder"})
    if is_below(path, premise.path):
        cannot_hold = premise.kind == "file" if premise.exists else premise.kind != "file"
        return frozenset({"absent"}) if cannot_hold else STATES
    return STATES


def _states_by_listing(premise: Listing, path: str) -> frozenset[str]:
    if premise.folder and (path == premise.folder or is_below(premise.folder, path)):
        return frozenset({"folder"})
    if not is_below(path, premise.folder):
        return STATES
    rest = path[len(premise.folder) + 1 :] if premise.folder else path
    first, deeper, _ = rest.partition("/")
    listed = frozenset({"folder", "file"}) if premise.kind == "entry" else frozenset({premise.kind})
    here = listed if first in premise.names else STATES - listed if premise.complete else STATES
    if not deeper:
        return here
    return STATES if "folder" in here else frozenset({"absent"})


def _thing(premise: Fact, wanted: Thing) -> Verdict:
    possible = possible_states(premise, wanted.path)
    score = DIRECT if isinstance(premise, Thing) and premise.path == wanted.path else INFERRED
    reason = _reason_for_state(premise, possible)
    if possible <= wanted.states:
        return Verdict("yes", score, reason)
    return UNKNOWN if possible & wanted.states else Verdict("no", score, reason)


def _reason_for_state(premise: Fact, possible: frozenset[str]) -> str:
    if isinstance(premise, Listing):
        return "a complete list without it" if "absent" in possible else "lists it"
    if isinstance(premise, Venv):
        return "a virtual environment is a folder"
    return "says that it is not there" if "absent" in possible else "says that it is there"


def _listing(premise: Fact, wanted: Listing) -> Verdict:
    if isinstance(premise, Listing) and premise.folder == wanted.folder:
        return _listing_by_listing(premise, wanted)
    if isinstance(premise, Thing) and wanted.complete and premise.exists and is_below(premise.path, wanted.folder):
        return _listing_by_thing(premise, wanted)
    if possible_states(premise, wanted.folder) == frozenset({"absent"}) and wanted.folder:
        return Verdict("no", INFERRED, "says that the folder is not there")
    return UNKNOWN


def _listing_by_listing(premise: Listing, wanted: Listing) -> Verdict:
    """Both are lists of one folder."""
    if premise.kind == wanted.kind and premise.complete and wanted.complete:
        return _answer(premise.names == wanted.names, DIRECT, "lists all of them")
    if premise.kind == "entry" and premise.complete and not premise.names:
        return _answer(not wanted.names, INFERRED, "an empty folder holds none")
    if premise.names and not wanted.names and wanted.kind in (premise.kind, "entry"):
        return Verdict("no", INFERRED, "lists some")
    return UNKNOWN


def _listing_by_thing(premise: Thing, wanted: Listing) -> Verdict:
    """The list is complete, and the thing lies somewhere below its folder."""
    rest = premise.path[len(wanted.folder) + 1 :] if wanted.folder else premise.path
    first, deeper, _ = rest.partition("/")
    kind = "folder" if deeper else premise.kind
    if first not in wanted.names and wanted.kind in (kind, "entry"):
        return Verdict("no", INFERRED, "says that there is another one")
    return UNKNOWN


def _venv(premise: Fact, wanted: Venv) -> Verdict:
    if isinstance(premise, Venv) and premise.folder == wanted.folder:
        settled = (wanted if premise.present else premise).name is None
        if settled or premise.name == wanted.name:
            return _answer(
                premise.present == wanted.present, DIRECT, "says so" if premise.present else "says that it has none"
            )
        return UNKNOWN
    if wanted.name is not None:
        absent = "folder" not in possible_states(premise, join(wanted.folder, wanted.name))
    else:
        no_folders = isinstance(premise, Listing) and premise.kind != "file" and premise.complete and not premise.names
        absent = no_folders and isinstance(premise, Listing) and premise.folder == wanted.folder
        if wanted.folder:
            absent = absent or "folder" not in possible_states(premise, wanted.folder)
    return _answer(not wanted.present, INFERRED, "no such folder is there") if absent else UNKNOWN


def _installed(premise: Fact, wanted: Installed) -> Verdict:
    if isinstance(premise, Inventory) and wanted.kind in (premise.kind, "") and wanted.folder is None:
        return _installed_by_inventory(premise, wanted)
    if not isinstance(premise, Installed) or premise.name != wanted.name or premise.folder != wanted.folder:
        return UNKNOWN
    if premise.kind != wanted.kind and premise.kind and wanted.kind:
        return UNKNOWN
    if wanted.version and premise.present:
        same = premise.version[: len(wanted.version)] == wanted.version
        return _answer(same == wanted.present, DIRECT, "says which version") if premise.version else UNKNOWN
    if premise.version and not premise.present and not wanted.version:
        return UNKNOWN
    return _answer(premise.present == wanted.present, DIRECT, "says so" if premise.present else "says that it is not")


def _installed_by_inventory(premise: Inventory, wanted: Installed) -> Verdict:
    listed = wanted.name in {name.casefold() for name in premise.names}
    # A list of programs says nothing about what may be no program, such as the network.
    if (listed and wanted.version) or (not listed and not wanted.kind):
        return UNKNOWN
    return _answer(listed == wanted.present, INFERRED, "lists it" if listed else "a complete list without it")


def _measure(premise: Fact, wanted: Measure) -> Verdict:
    known = _measured(premise, wanted)
    if known is None:
        return UNKNOWN
    if _inside(known, wanted):
        return Verdict("yes", DIRECT, "the number fits")
    return Verdict("no", DIRECT, "the number does not fit") if _apart(known, wanted) else UNKNOWN


def _measured(premise: Fact, wanted: Measure) -> Measure | None:
    """Return what the premise says about the number that is wanted."""
    if isinstance(premise, Measure) and (premise.subject, premise.folder) == (wanted.subject, wanted.folder):
        return premise
    if isinstance(premise, Installed) and wanted.folder is None:
        settled = premise.version and premise.present and premise.folder is None
        version = tuple(float(part) for part in premise.version)
        return Measure(wanted.subject, version, version) if settled and _is_version_of(wanted, premise) else None
    if isinstance(premise, Listing) and premise.folder == wanted.folder:
        counted = {"file": "files", "folder": "folders", "entry": "files or folders"}[premise.kind]
        number = (float(len(premise.names) + premise.more),)
        if counted == wanted.subject:
            return Measure(wanted.subject, number, number)
        if wanted.subject == "files or folders":
            return Measure(wanted.subject, number, None)
    return None


def _is_version_of(wanted: Measure, program: Installed) -> bool:
    return wanted.subject == f"{program.name} version"


def _inside(known: Measure, wanted: Measure) -> bool:
    return _low_fits(known, wanted) and _high_fits(known, wanted)


def _padded(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    size = max(len(a), len(b))
    return a + (0.0,) * (size - len(a)), b + (0.0,) * (size - len(b))


def _low_fits(known: Measure, wanted: Measure) -> bool:
    if wanted.low is None:
        return True
    if known.low is None:
        return False
    low, bound = _padded(known.low, wanted.low)
    return low > bound or (low == bound and (known.low_open or not wanted.low_open))


def _high_fits(known: Measure, wanted: Measure) -> bool:
    if wanted.high is None:
        return True
    if known.high is None:
        return False
    high, bound = _padded(known.high, wanted.high)
    return high < bound or (high == bound and (known.high_open or not wanted.high_open))


def _apart(known: Measure, wanted: Measure) -> bool:
    return _before(known, wanted) or _before(wanted, known)


def _before(first: Measure, second: Measure) -> bool:
    if first.high is None or second.low is None:
        return False
    high, low = _padded(first.high, second.low)
    return high < low or (high == low and (first.high_open or second.low_open))


def _place(premise: Place, wanted: Place) -> Verdict:
    if premise.who != wanted.who:
        return UNKNOWN
    same = (premise.preposition, premise.where, premise.is_folder) == (
        wanted.preposition,
        wanted.where,
        wanted.is_folder,
    )
    if same:
        return _answer(
            premise.positive == wanted.positive, DIRECT, "says where" if premise.positive else "says where not"
        )
    # You are in one place only; a thing may be in a box that is in a room, so for things nothing follows.
    elsewhere = premise.who == "you" and premise.positive and premise.preposition == wanted.preposition
    if elsewhere and premise.is_folder == wanted.is_folder and _are_two_places(premise, wanted):
        return _answer(not wanted.positive, INFERRED, "you are in one place only")
    return UNKNOWN


def _are_two_places(one: Place, other: Place) -> bool:
    """Whether both names are read to their end and neither may be the other with something said about it."""
    if one.is_folder:
        return True
    words, others = set(one.where.split()), set(other.where.split())
    return one.is_named and other.is_named and not words <= others and not others <= words


def _sight(premise: Sight, wanted: Sight) -> Verdict:
    if (premise.what, premise.preposition, premise.holder) != (wanted.what, wanted.preposition, wanted.holder):
        return UNKNOWN
    # What is seen is here, and what is not here is not seen; nothing more.
    shown = premise.seen == wanted.seen or premise.seen == premise.positive
    if not shown:
        return UNKNOWN
    return _answer(premise.positive == wanted.positive, DIRECT, "says so" if premise.positive else "says the opposite")


def _quality(premise: Quality, wanted: Quality) -> Verdict:
    if premise.subject != wanted.subject:
        return UNKNOWN
    if premise.definite != wanted.definite:
        # What is so of a known thing is so of one; what is so of one need not be so of the known thing.
        shown = premise.definite and premise.positive and wanted.positive and premise.value == wanted.value
        return Verdict("yes", INFERRED, "says so of one") if shown else UNKNOWN
    if premise.value == wanted.value:
        return _answer(
            premise.positive == wanted.positive, DIRECT, "says so" if premise.positive else "says the opposite"
        )
    if not premise.definite:
        return UNKNOWN
    pair = frozenset({premise.value, wanted.value})
    # Not open is closed. But not full is not empty yet: of contraries only the positive one decides.
    if pair in _OPPOSITES or (pair in _CONTRARIES and premise.positive):
        return _answer(
            premise.positive != wanted.positive, INFERRED, f"{premise.value} and {wanted.value} exclude each other"
        )
    return UNKNOWN


def _owning(premise: Fact, wanted: Owning) -> Verdict:
    if isinstance(premise, Owning):
        if (premise.owner, premise.is_folder, premise.thing) != (wanted.owner, wanted.is_folder, wanted.thing):
            return UNKNOWN
        return _answer(
            premise.positive == wanted.positive, DIRECT, "says so" if premise.positive else "says that it has none"
        )
    # A folder may have more than files, such as a quota, when there are none in it.
    if wanted.is_folder and wanted.thing in _CONTENTS:
        empty = isinstance(premise, Listing) and premise.kind == "entry" and not premise.names and premise.complete
        if empty and isinstance(premise, Listing) and premise.folder == wanted.owner:
            return _answer(not wanted.positive, INFERRED, "an empty folder has nothing")
        if wanted.owner and "folder" not in possible_states(premise, wanted.owner):
            return _answer(not wanted.positive, INFERRED, "no such folder is there")
    return UNKNOWN


# Which kind of fact is compared by what, and whether facts of another kind may say it as well.
_COMPARED: tuple[tuple[type[Fact], bool, Callable[[Any, Any], Verdict]], ...] = (
    (Thing, True, _thing),
    (Listing, True, _listing),
    (Venv, True, _venv),
    (Installed, True, _installed),
    (Measure, True, _measure),
    (Place, False, _place),
    (Quality, False, _quality),
    (Owning, True, _owning),
    (Inventory, False, _inventory),
    (Sight, False, _sight),
    (Claim, False, _claim),
)
