"""Choosing a rule: relevant (its trigger matches), applicable (every context is entailed), then the most specific.

Of applicable rules the one with the highest priority is tried first, then the one with the most contexts, then the one
with most words of its own in the goal, then the one whose weakest context is entailed most firmly, then the one with
the better track record; names break what is left, so the order never depends on storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.rules.bodies import fill_context, slot_kinds
from agents.rules.cascade import Likely
from agents.rules.entailment import UNKNOWN, Verdict
from agents.rules.file_sets import speaks_of_files
from agents.rules.grammar import Context, Rule, Rules, Trigger
from agents.rules.naming import path_problem
from agents.rules.sentences import at, tidy
from agents.rules.speaking import Speaking
from agents.rules.wording import best_wording, may_say
from agents.toolkit.hosts import entries_of, host_problem
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import HOSTS_KIND
from agents.toolkit.types import Belief
from agents.toolkit.wording.words import Text, Value, fold, line_breaks, quote, unescape


@dataclass(frozen=True)
class KnownRule:
    """A rule of the library with the version that is active, and its track record (`track_record`)."""

    name: str
    version: str
    version_id: str
    rule: Rule
    record: float = 0.5


def track_record(successes: int, failures: int) -> float:
    """How well a rule's plans ended, 0 to 0.9 in whole tenths; a half of a rule that was never used.

    One of each is added to the counts (Laplace), so that a first success does not outrank a long record. Tenths, so
    that few plans change the order of rules.
    """
    return 10 * (successes + 1) // (successes + failures + 2) / 10


@dataclass(frozen=True)
class SlotValue:
    """What a slot took: the value, its kind, its span in the goal text, and what is wrong with it (empty: nothing).

    `belief` is the sentence that the value is taken from; empty when the goal says it.
    """

    value: str
    kind: str
    span: tuple[int, int] | None
    problem: str = ""
    belief: str = ""


@dataclass(frozen=True)
class Relevant:
    """A rule whose trigger matches the goal."""

    known: KnownRule
    trigger: Trigger
    slots: Mapping[str, SlotValue]
    literal_words: int

    def values(self) -> dict[str, str]:
        return {name: slot.value for name, slot in self.slots.items()}


@dataclass(frozen=True)
class Judged:
    """A context against every one of `beliefs` beliefs; `holds` when one of them entails it.

    `cells` are the verdicts by the number of the belief, ascending; a belief without one says nothing about it, as most
    do. `left_out`: nothing proves or disproves it, and no model was asked, since another context does not hold.
    """

    context: Context
    sentence: str
    cells: Mapping[int, Verdict]
    beliefs: int
    holds: bool
    decided_by: int | None
    score: float
    left_out: bool = False

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict of every belief, in their order."""
        return tuple(self.cells.get(number, UNKNOWN) for number in range(self.beliefs))


@dataclass(frozen=True)
class Judgement:
    """A relevant rule with all its contexts judged."""

    relevant: Relevant
    contexts: tuple[Judged, ...]

    @property
    def applicable(self) -> bool:
        """True when every context holds; one that does not is enough against it."""
        return all(judged.holds for judged in self.contexts)

    @property
    def minimum(self) -> float:
        """The score of the weakest context; 1 without contexts, 0 when one does not hold."""
        return min((judged.score for judged in self.contexts), default=1.0)

    @property
    def order(self) -> tuple[int, int, int, float, float, str, str]:
        """Sorts applicable rules, first choice first."""
        known = self.relevant.known
        return (
            -known.rule.priority,
            -len(self.contexts),
            -self.relevant.literal_words,
            -self.minimum,
            -known.record,
            known.name,
            known.version,
        )


def relevant_rules(text: Text, rules: Sequence[KnownRule], registry: Registry) -> list[Relevant]:
    """Return the rules whose trigger matches the text, most words first."""
    all_rules = Rules(known.rule for known in rules)
    said = [known for known in rules if may_say(known.rule, text)]
    found = [match for known in said if (match := match_rule(known, text, all_rules, registry)) is not None]
    return sorted(found, key=lambda match: (-match.literal_words, match.known.name, match.known.version))


def match_rule(known: KnownRule, text: Text, rules: tuple[Rule, ...], registry: Registry) -> Relevant | None:
    """Return the rule with its slots filled from the text, or None when no wording of it matches."""
    kinds = slot_kinds(known.rule, rules, registry)
    wording = best_wording(known.rule, text, kinds)
    if wording is None:
        return None
    trigger, match = wording
    slots = {}
    for name, value in match.values.items():
        said = _said(value, kinds[name], exact=text.exact)
        slots[name] = SlotValue(said, kinds[name], value.span, value_problem(said, kinds[name]))
    found = Relevant(known, trigger, slots, match.literal_words)
    return found if _speaks_of_files(found) else None


def _speaks_of_files(match: Relevant) -> bool:
    """Whether the goal speaks of files where the rule has steps for each of a set that the goal describes: “what is the
    weather” is no list of files.
    """
    said = [line.loop.among for line in match.known.rule.body if line.loop is not None]
    sets = (slot.value for name, slot in match.slots.items() if any(one.startswith(f"{{{name}}}") for one in said))
    return all(map(speaks_of_files, sets))


def _said(value: Value, kind: str, *, exact: bool) -> str:
    if value.quoted and exact:
        return unescape(value.raw)
    return line_breaks(value.raw) if value.quoted and kind == "lines" else value.raw


def value_problem(value: str, kind: str) -> str:
    """Say what is wrong with a value of this kind; empty: nothing."""
    if kind in ("path", "name"):
        found = path_problem(value, single=kind == "name")
        return f"{quote(value)} {found[1]}" if found else ""
    if kind == "address":
        return host_problem(entries_of(f"the host of {value}")) or ""
    return (host_problem(entries_of(value)) or "") if kind == HOSTS_KIND else ""


def judge(
    relevant: Relevant,
    beliefs: Sequence[Belief],
    cwd: str = "",
    speaking: Speaking | None = None,
    likely: Likely | None = None,
    *,
    judge_all: bool = False,
) -> Judgement:
    """Judge every context of a rule against every belief. A context whose slot has no value holds for nobody.

    `speaking` files the sentences of the same beliefs, for callers that judge many rules. `likely` holds them too, and
    is asked about contexts of which no belief says yes or no: in their order, as long as all others may hold, unless
    `judge_all` says that somebody wants to see the rest.
    """
    filed = speaking or Speaking([belief.sentence for belief in beliefs])
    proven = [_proven(context, relevant, beliefs, cwd, filed) for context in relevant.known.rule.contexts]
    if likely is None:
        return Judgement(relevant, tuple(judged for judged, _ in proven))
    return Judgement(relevant, tuple(_with_models(proven, beliefs, likely, judge_all=judge_all)))


def _with_models(
    proven: Sequence[tuple[Judged, bool]], beliefs: Sequence[Belief], likely: Likely, *, judge_all: bool
) -> Iterator[Judged]:
    """Ask about what is open. One context that does not hold is enough against a rule, wherever it stands."""
    is_lost = any(not judged.holds and not is_open for judged, is_open in proven)
    for judged, is_open in proven:
        if not is_open:
            yield judged
        elif is_lost and not judge_all:
            yield replace(judged, left_out=True)
        else:
            asked = _judged(judged.context, judged.sentence, likely.yes(judged.sentence), beliefs)
            is_lost = is_lost or not asked.holds
            yield asked


def _proven(
    context: Context, relevant: Relevant, beliefs: Sequence[Belief], cwd: str, filed: Speaking
) -> tuple[Judged, bool]:
    """A context by what is proven, and whether a model may be asked about it.

    One proven no is a veto, and a denied context needs a proven no: a model never says that.
    """
    try:
        said = fill_context(context.text, relevant.values(), {name: slot.kind for name, slot in relevant.slots.items()})
    except KeyError:
        nothing = Verdict("unknown", 0.0, "a slot of it is open: neither the goal nor a belief says it")
        cells = dict.fromkeys(range(len(beliefs)), nothing)
        return Judged(context, context.text, cells, len(beliefs), False, None, 0.0), False
    proven = filed.decide(said, cwd)
    return _judged(context, at(said, cwd), proven, beliefs), not proven and not context.negated


def _judged(context: Context, said: str, decisions: Mapping[int, Verdict], beliefs: Sequence[Belief]) -> Judged:
    cells: dict[int, Verdict] = {}
    best: int | None = None
    for number, decided in decisions.items():
        confidence = beliefs[number].confidence
        if not 0.0 <= confidence <= 1.0:  # nor NaN, with which no order of rules is sound
            continue
        verdict = _weighed(decided, context.negated, confidence) if context.negated or confidence != 1.0 else decided
        cells[number] = verdict
        if verdict.answer == "yes" and (best is None or verdict.score > cells[best].score):
            best = number
    sentence = f"NOT {said}" if context.negated else said
    score = cells[best].score if best is not None else 0.0
    return Judged(context, sentence, cells, len(beliefs), best is not None, best, score)


@lru_cache(maxsize=4_096)
def _weighed(verdict: Verdict, negated: bool, confidence: float) -> Verdict:
    verdict = verdict.negated() if negated else verdict
    return replace(verdict, score=round(verdict.score * confidence, 4))


def nearest_belief(judged: Judged, beliefs: Sequence[Belief]) -> int | None:
    """Return the belief that speaks against a context, else the one with most of its words; for reading only."""
    against = [number for number, verdict in judged.cells.items() if verdict.answer == "no"]
    if against:
        return max(against, key=lambda number: (judged.cells[number].score, -number))
    wanted = _content_words(judged.sentence)
    shared = [len(wanted & _content_words(belief.sentence)) for belief in beliefs]
    return shared.index(max(shared)) if shared and max(shared) > 0 else None


@lru_cache(maxsize=16_384)
def _content_words(sentence: str) -> frozenset[str]:
    little = {"there", "is", "are", "no", "not", "the", "a", "an", "in", "of", "named", "you"}
    return frozenset(fold(word.strip('.,:;"')) for word in tidy(sentence).split()) - little
