"""From a text to the commands that it means: part it, read the parts one after the other, decide each, or ask.

A part is taken only when one reading explains all of it, nothing is missing and no other reading is about as good.
Everything else is a question that names what is in doubt, with the likely answers. Nothing is passed over in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.types import Param
from agents.bdi.understanding import asides, effects, moods, paths, remarks, reservations, triggers
from agents.bdi.understanding.again import the_same
from agents.bdi.understanding.asking import MAX_CHOICES, in_words, short, too_much, unknown
from agents.bdi.understanding.deciding import decide
from agents.bdi.understanding.dictated import written
from agents.bdi.understanding.done_alike import by_its_own_tool
from agents.bdi.understanding.effort import Effort, TooMuch
from agents.bdi.understanding.filler import ARTICLES, IDLE
from agents.bdi.understanding.lexicon import Lexicon, lexicon_of
from agents.bdi.understanding.morphology import bases
from agents.bdi.understanding.naming_words import IT
from agents.bdi.understanding.parting import MAX_TOKENS, Names, Part, parts_of, spelt
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.referents import spoken_of, things_of
from agents.bdi.understanding.second_look import keeping, looked_at
from agents.bdi.understanding.state import Situation
from agents.bdi.understanding.talk import is_past, names_another, talk_in
from agents.bdi.understanding.time_limits import time_limits
from agents.bdi.understanding.tokens import NUMBER, SIGN, Token, number_of, tokens_of, with_numbers
from agents.bdi.understanding.turning import readings_of
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import JsonError, loads_strict, problems

MAX_CHARS = 8_000
# In so many pieces a text is tried without one of them.
MOST_PIECES = 5
_WAYS: tuple[Names, ...] = ("near", "far", "new", "far new")
_UNCLEAR = "It says something of it that may rule the command or not."


def understand(text: str, tree: Tree, registry: Registry) -> Understood:
    """What a text means in this workspace. Empty when no command is recognised in it at all."""
    if len(text) > MAX_CHARS or not text.strip():
        return Understood()
    if (given := _as_data(text, registry)) is not None:
        return given
    lexicon = lexicon_of(registry)
    blank = asides.blanked(text)
    try:
        tokens = written(tokens_of(blank))
        told = moods.told_in(tokens, tree, lexicon) if len(tokens) <= MAX_TOKENS else moods.Told()
        asked = _Asked(text, blank, tuple(tokens), told, tree, lexicon)
        found = [_understood(asked)]
        seen = [list(tokens)]
        for names in _WAYS if len(tokens) <= MAX_TOKENS else ():
            if names.endswith("new") and any(one.is_sure for one in found):
                break
            if (said := spelt(list(tokens), Situation(text, tree), lexicon, names)) not in seen:
                seen.append(said)
                found.append(_within(asked, names))
                if _is_a_name(said) and found[0].is_sure:
                    return _either_name(found[0], found[-1], text)
        if not any(one.is_sure for one in found):
            found += _beside_talk(asked)
        found = [by_its_own_tool(one, text, registry) for one in found]
        likeliest = _held_back(looked_at(_likeliest(found, text, tree), text, tree), text, tree, registry)
        if not likeliest.is_sure and _openness(likeliest)[0] and not told.only_tells:
            return _without_a_piece(asked) or likeliest
        return likeliest
    except TooMuch:
        return Understood(questions=(too_much(text),))


@dataclass(frozen=True)
class _Asked:
    """A text that is to be understood, with what of it tells, and how names in running words are taken."""

    text: str
    blank: str
    tokens: tuple[Token, ...]
    told: moods.Told
    tree: Tree
    lexicon: Lexicon
    names: Names = ""
    effort: Effort = field(default_factory=Effort)


def _within(asked: _Asked, names: Names) -> Understood:
    """What is understood with names taken in another way; nothing where the text has cost too much by then."""
    try:
        return _understood(replace(asked, names=names))
    except TooMuch:
        return Understood()


def _understood(asked: _Asked) -> Understood:
    text, told = asked.text, asked.told
    found = None
    if told.spans and not told.only_tells:
        found = _with_told(asked, told)
    if found is None:
        found = _read_all(asked, asked.blank, moods.Told())
    if not found.is_sure and asked.tokens and not told.forbids and not told.only_tells:
        found = _beside_remarks(asked) or found
    if told.only_tells and told.spans:
        return _offered(text, found, "It tells, and asks for nothing.")
    return _offered(text, found, _UNCLEAR) if told.is_unclear else found


def _held_back(found: Understood, text: str, tree: Tree, registry: Registry) -> Understood:
    """The same, or the question where it is understood and may not be asked for."""
    if not found.is_sure:
        return found
    why = next(reservations.not_asked_now(found.meant, text, registry), "")
    for piece in () if why else (piece for one in found.meant for piece in one.superfluous):
        # “…, autonomous off” is a command, too.
        if piece != text and understand(piece, tree, registry).is_sure:
            why = f"“{short(piece)}” may be to be done, too."
    between = reservations.left_between(found.meant, text)
    if not why and any(reservations.taken_back(one, found.meant, tree, registry) for one in between):
        why = _UNCLEAR
    return _offered(text, found, why) if why else found


def _likeliest(found: Sequence[Understood], text: str, tree: Tree) -> Understood:
    """Of the ways to take names: what is sure, and where two are and differ, which of them is meant."""
    sure = keeping([one for one in found if one.is_sure], text, tree)
    if not sure:
        return min(found, key=_openness)
    if all(by_name(one) == by_name(sure[0]) for one in sure):
        return sure[0]
    choices = tuple(Choice("; ".join(in_words(step) for step in one.meant), "", None, one.meant) for one in sure)
    why = "It can be read in more than one way."
    return Understood(questions=(Question(1, f"What is meant by “{short(text)}”?", why, "", choices),))


def _is_a_name(tokens: Sequence[Token]) -> bool:
    """Whether a text is nothing but a phrase that names something here."""
    spoken = [token for token in tokens if token.kind != SIGN and token.text not in ARTICLES | {"please", "kindly"}]
    return len(spoken) == 1 and bool(spoken[0].said)


def _either_name(plain: Understood, named: Understood, text: str) -> Understood:
    """What is asked where a whole text is a name here, and a command too: “log of worker”, with a logs/worker.log."""
    label = "; ".join(in_words(one) for one in plain.meant)
    offered = [choice for question in named.questions for choice in question.choices if choice.meant]
    question = Question(
        1,
        f"What is meant by “{short(text)}”?",
        "It is the name of something here, too.",
        "",
        (Choice(label, "", None, plain.meant), *offered[: MAX_CHOICES - 1]),
    )
    return Understood(questions=(question,))


def _without_a_piece(asked: _Asked) -> Understood | None:
    """What a text means without one of its pieces, offered where nothing is known of that piece."""
    pieces = remarks.pieces_of(asked.tokens)
    if not 1 < len(pieces) <= MOST_PIECES:
        return None
    choices: dict[str, Choice] = {}
    left_out = ""
    for piece in pieces:
        if all(token.text in IDLE for token in piece):
            continue
        aside = moods.Told(tuple(sorted((*asked.told.spans, remarks.span_of(piece, asked.text)))))
        for names in ("", "far new"):
            try:
                found = _read_all(replace(asked, names=names), moods.without(asked.blank, aside), aside)
            except TooMuch:
                break
            if found.is_sure:
                label = "; ".join(in_words(one) for one in found.meant)
                left_out = left_out or " ".join(token.value for token in piece)
                choices.setdefault(label, Choice(label, "", None, found.meant))
                break
    if not choices:
        return None
    why = f"It is not clear what “{short(left_out, 60)}” is to say."
    question = Question(1, f"What is meant by “{short(asked.text)}”?", why, "", tuple(choices.values())[:MAX_CHOICES])
    return Understood(questions=(question,))


def _openness(found: Understood) -> tuple[int, int]:
    """How much stays open of what is not sure: questions that nothing is offered for, then questions."""
    return sum(not one.choices and not one.parameter for one in found.questions) or not found.questions, len(
        found.questions
    )


def _with_told(asked: _Asked, told: moods.Told) -> Understood | None:
    """What a text means without what was set aside; None where it does what another part of it forbids."""
    text, lexicon = asked.text, asked.lexicon
    blank = moods.without(asked.blank, told)
    found = _read_all(asked, blank, told)
    if not found.meant and not any(question.choices for question in found.questions):
        return None
    if any(_gives_a_value(text[start:end], found, lexicon) for start, end in told.spans):
        return None
    said = {base for token in tokens_of(blank) for base in bases(token.text)}
    changing = any(lexicon.registry.command(one.tool, one.command).effect != "idempotent" for one in found.meant)
    if told.forbids and (changing or any(verb in said for _, _, verb in told.forbids)):
        return _offered(text, found, "It forbids something, too.") if found.is_sure else None
    if found.is_sure and any(
        reservations.taken_back(text[start:end], found.meant, asked.tree, lexicon.registry) for start, end in told.spans
    ):
        return _offered(text, found, _UNCLEAR)
    aside = [f"“{short(text[start:end])}” was read as told and not as asked" for start, end in told.spans]
    return replace(found, notes=(*found.notes, *aside))


def _gives_a_value(clause: str, found: Understood, lexicon: Lexicon) -> bool:
    """Whether a clause may give a value that one of the commands is open for.

    It begins with the little word of one, “because …”, says a switch, “4xx is fine”, or a limit of time.
    """
    tokens = with_numbers(tokens_of(clause))
    while tokens and (tokens[0].kind == SIGN or tokens[0].text in ("and", "but", "so")):
        if [token.text for token in tokens[:2]] == ["so", "that"]:
            break
        tokens = tokens[1:]
    begins = tuple(token.text for token in tokens[:MOST_PIECES])
    is_wish = tokens and tokens[0].text in ("i", "we", "you", "they", "he", "she")
    if (
        is_wish
        and any(number_of(token) is not None for token in tokens)
        and not remarks.gives_nothing_to(tokens, found.meant, lexicon)
    ):
        # “I only care about the first ten lines.”
        return True
    spoken = f" {' '.join(token.text for token in tokens)} "
    for one in found.meant:
        for sense in lexicon.registry.said(lexicon.registry.command(one.tool, one.command)).senses:
            if any(
                name not in one.params and f" {' '.join(said)} " in spoken for said, (name, _) in sense.flags.items()
            ):
                return True
            for slot in sense.slots:
                if slot.parameter in one.params:
                    continue
                if any(begins[: len(cue)] == cue for cue in slot.cues):
                    return True
                if slot.parameter.endswith("_s") and any(time_limits(tokens)):
                    return True
    return False


def _beside_remarks(asked: _Asked) -> Understood | None:
    """What a text means without the remarks in it; None where it is not sure without them either."""
    text, told, lexicon = asked.text, asked.told, asked.lexicon
    if len(asked.tokens) > MAX_TOKENS:
        return None
    left = written(tokens_of(moods.without(asked.blank, told)))
    spoken = [part for part in remarks.remarks_in(left, asked.tree, lexicon) if part]
    if not spoken:
        return None
    spans = tuple(remarks.span_of(part, text) for part in spoken)
    aside = moods.Told(tuple(sorted((*told.tells, *spans))))
    try:
        found = _with_told(asked, aside)
    except TooMuch:
        return None
    if found is None or not found.is_sure:
        return None
    return found if all(remarks.gives_nothing_to(part, found.meant, lexicon) for part in spoken) else None


def _beside_talk(asked: _Asked) -> list[Understood]:
    """What a text means beside the clauses that only talk, by each way to take names in which that is sure."""
    if not asked.tokens or len(asked.tokens) > MAX_TOKENS:
        return []
    talk = talk_in(asked.tokens, asked.tree, asked.lexicon)
    found: list[Understood] = []
    for names in ("", *_WAYS) if talk else ():
        if not (found and names.endswith("new")):
            one = _without_talk(replace(asked, names=names), talk)
            found += [one] if one is not None else []
    return found


def _without_talk(asked: _Asked, talk: Sequence[tuple[Token, ...]]) -> Understood | None:
    """What a text means without talk; without all of it, or all but one piece that only looks like some."""
    text, told, lexicon = asked.text, asked.told, asked.lexicon
    ways = [[*talk], *([*talk[:at], *talk[at + 1 :]] for at in range(len(talk)) if 1 < len(talk) <= MOST_PIECES)]
    for way in ways:
        spans = tuple(sorted(remarks.span_of(piece, text) for piece in way))
        try:
            found = _with_told(asked, moods.Told(spans, told.forbids))
        except TooMuch:
            return None
        if (
            found is not None
            and found.is_sure
            and all(is_past(one, lexicon) or remarks.gives_nothing_to(one, found.meant, lexicon) for one in way)
            and not any(names_another(piece, found.meant, asked.tree) for piece in way)
        ):
            return found
    return None


def _offered(text: str, found: Understood, why: str) -> Understood:
    """What is understood as the answer that is offered, where it is not sure that anything is asked for."""
    if not found.is_sure:
        return found
    label = "; ".join(in_words(one) for one in found.meant)
    question = Question(1, f"What is meant by “{short(text)}”?", why, "", (Choice(label, "", None, found.meant),))
    return replace(found, meant=(), questions=(question,), confidence=0.0)


def _as_data(text: str, registry: Registry) -> Understood | None:
    """A text that is itself {tool, command, params}, or a list of them."""
    if text.strip()[:1] not in "{[":
        return None
    try:
        raw = loads_strict(text)
    except JsonError:
        return None
    items = raw if isinstance(raw, list) else [raw]
    meant = []
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("params", {}), dict):
            return None
        try:
            command = registry.command(str(item.get("tool", "")), str(item.get("command", "")))
        except UnknownTool:
            return None
        also = registry.said(command).also
        params = {
            also.get(name, name) if name not in command.properties else name: value
            for name, value in item.get("params", {}).items()
        }
        if problems(command.schema, params):
            return None
        meant.append(
            Meant(
                command.tool,
                command.name,
                {name: Param(value, "explicit") for name, value in params.items()},
                text,
                1.0,
            )
        )
    return Understood(tuple(meant), confidence=1.0) if meant else None


def _read_all(asked: _Asked, blank: str, told: moods.Told) -> Understood:
    text, tree, lexicon, effort = asked.text, asked.tree, asked.lexicon, asked.effort
    parts = parts_of(blank, Situation(text, tree, effort=effort), lexicon, asked.names)
    meant: list[Meant] = []
    questions: list[Question] = []
    notes: list[str] = []
    last: tuple[str, ...] = ()
    before: dict[tuple[str, str], str] = {}
    things: tuple[tuple[str, ...], ...] = things_of(text, told, lexicon)
    now = tree
    if parts and parts[0].text and text.find(parts[0].text) > 0:
        # “Before deleting a.txt, copy it”: what is meant later was spoken of first.
        at = text.find(parts[0].text)
        ahead = [token for part in parts[1:] for token in part.tokens if token.start < at] or tokens_of(text[:at])
        named = (paths.find(token.value, tree) for token in ahead if token.is_literal and token.kind != NUMBER)
        last = tuple(tree.full(one.value) for one in named if one.value is not None and one.confidence >= _NAMED)
    spoken = spoken_of(text, told, tree)
    previous: tuple[tuple[Token, ...], tuple[Meant, ...]] = ((), ())
    for part in parts:
        while spoken and part.tokens and spoken[0][0] < part.tokens[-1].start:
            last = (*last, spoken.pop(0)[1])
        situation = Situation(text, now, tuple(now.said(path) for path in last), before, effort, things)
        words = tuple(the_same(part.tokens, previous[0], previous[1], lexicon))
        found = readings_of(words, situation, lexicon)
        decided = decide(part, found, len(meant) + 1, now)
        says_it = any(token.text in IT or token.text in ("its", "new") for token in words)
        if meant and not says_it and decided is not None and decided[1] is not None and decided[1].parameter:
            # “Before you delete a.txt, copy it to docs”: a name means what had it before there was a copy.
            older = replace(now, kinds={path: kind for path, kind in now.kinds.items() if path in tree.kinds})
            plain = decide(part, readings_of(words, replace(situation, tree=older), lexicon), len(meant) + 1, older)
            decided = plain if plain is not None and plain[1] is None else decided
        if decided is None:
            questions.append(unknown(part.text, len(meant) + 1))
            continue
        commands, question = decided
        previous = (words, tuple(commands))
        # “No more of it, turn it off”: what may be done again and is said twice in a row is done once.
        if meant and any(token.text in IT for token in part.tokens):
            commands = [one for one in commands if not _is_again(one, meant[-1], lexicon.registry)]
            # “Look inside x and tell me what is there”: there is where was looked already.
            if any(token.text == "there" for token in part.tokens) and _on_the_same(commands, meant, lexicon.registry):
                commands = []
        if question is None and (elsewhere := _on_the_same(commands, meant, lexicon.registry)) is not None:
            commands, question = [], _either(part, commands, elsewhere, len(meant) + 1)
        if question is None and (elsewhere := _with_the_code_before(commands, meant, lexicon)) is not None:
            commands, question = [], _either(part, commands, elsewhere, len(meant) + 1)
        meant += commands
        if question is not None:
            questions.append(question)
        for one in commands:
            command = lexicon.registry.command(one.tool, one.command)
            said = lexicon.registry.said(command)
            last = (*last, *effects.spoken(now, said, one.values()))
            things = (effects.called(said, one.values()),) if said.it else things if said.places else ()
            now = effects.after(now, command, said, one.values())
            before |= {(one.tool, name): value for name, value in one.values().items() if isinstance(value, str)}
            notes += [f"“{extra}” is of no use to {one.command}" for extra in one.superfluous]
    if not meant and all(not question.choices for question in questions):
        return Understood(questions=tuple(questions[:1]), beliefs=triggers.beliefs(text, tree))
    sure = min((one.confidence for one in meant), default=0.0)
    return Understood(
        tuple(meant),
        tuple(questions),
        triggers.beliefs(text, tree),
        tuple(dict.fromkeys(notes)),
        0.0 if questions else sure,
    )


# So surely a name that is said ahead is what “it” speaks of.
_NAMED = 0.8


def _with_the_code_before(commands: list[Meant], meant: list[Meant], lexicon: Lexicon) -> list[Meant] | None:
    """The same commands on the code that was named before, where they name none: “analyse x, then write a report”."""
    registry = lexicon.registry
    for before in reversed(meant):
        of_code = [
            name
            for name, place in registry.said(registry.command(before.tool, before.command)).places.items()
            if place.code
        ]
        named = next((before.params[name] for name in of_code if name in before.params), None)
        if named is None:
            continue
        changed = []
        for one in commands:
            places = registry.said(registry.command(one.tool, one.command)).places
            slot = next((name for name, place in places.items() if place.code and name not in one.params), None)
            changed.append(one if slot is None else replace(one, params={**one.params, slot: named}))
        return changed if changed != commands else None
    return None


def _on_the_same(commands: list[Meant], meant: list[Meant], registry: Registry) -> list[Meant] | None:
    """The command before again, where one that shows something says nothing more: “diff a.py. Show me the diff”."""
    if len(commands) != 1 or not meant or commands[0].params or not meant[-1].params:
        return None
    same = (commands[0].tool, commands[0].command) == (meant[-1].tool, meant[-1].command)
    is_idempotent = registry.command(commands[0].tool, commands[0].command).effect == "idempotent"
    return [replace(commands[0], params=meant[-1].params)] if same and is_idempotent else None


def _either(part: Part, commands: list[Meant], elsewhere: list[Meant], step: int) -> Question:
    choices = tuple(
        Choice("; ".join(in_words(one) for one in some), "", None, tuple(some)) for some in (elsewhere, commands)
    )
    why = "It does not say whether what was named before is meant, or all of it."
    return Question(step, f"What is meant by “{short(part.text)}”?", why, "", choices)


def _is_again(one: Meant, before: Meant, registry: Registry) -> bool:
    same = (one.tool, one.command, one.values()) == (before.tool, before.command, before.values())
    return same and registry.command(one.tool, one.command).effect == "idempotent"


def by_name(understood: Understood) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Tool, command and values of each command."""
    return [(one.tool, one.command, one.values()) for one in understood.meant]
