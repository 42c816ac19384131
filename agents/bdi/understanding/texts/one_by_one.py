"""The clauses of a text one after another: each is read in the context of those before, and decided or asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.bdi.understanding import effects
from agents.bdi.understanding.asides import moods
from agents.bdi.understanding.effort import Effort
from agents.bdi.understanding.names import paths
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.questions import choice_of, short, unknown
from agents.bdi.understanding.reading.state import Situation
from agents.bdi.understanding.texts import triggers
from agents.bdi.understanding.texts.deciding import decide
from agents.bdi.understanding.texts.plurals import Named, all_of, which_of
from agents.bdi.understanding.texts.referents import spoken_of, things_of
from agents.bdi.understanding.texts.repetition import the_same
from agents.bdi.understanding.texts.rephrasing import readings_of
from agents.bdi.understanding.texts.splitting import Names, Part, parts_of
from agents.bdi.understanding.understood import Meant, Question, Understood
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.naming_words import IT
from agents.bdi.understanding.words.tokens import NUMBER, Token, tokens_of
from agents.toolkit.registry import Registry

# So surely a name that is said ahead is what “it” speaks of.
_NAMED = 0.8


@dataclass(frozen=True)
class Heard:
    """A text that is to be understood, with what of it tells, and how names in running words are taken."""

    text: str
    blank: str
    tokens: tuple[Token, ...]
    told: moods.Told
    tree: Tree
    lexicon: Lexicon
    names: Names = ""
    effort: Effort = field(default_factory=Effort)
    known: dict[tuple[object, ...], object] = field(default_factory=dict)


def read_through(heard: Heard, blank: str, told: moods.Told) -> Understood:
    """What a text means of which `blank` is left; what is `told` beside it says what “it” speaks of."""
    situation = Situation(heard.text, heard.tree, effort=heard.effort, known=heard.known)
    parts = parts_of(blank, situation, heard.lexicon, heard.names)
    turn = _Turn(
        heard,
        heard.tree,
        _said_ahead(parts, heard),
        spoken_of(heard.text, told, heard.tree),
        things_of(heard.text, told, heard.lexicon),
    )
    for part in parts:
        turn.read(part)
    return turn.understood()


def _said_ahead(parts: Sequence[Part], heard: Heard) -> tuple[str, ...]:
    """“Before deleting a.txt, copy it”: what is meant later was spoken of first."""
    at = heard.text.find(parts[0].text) if parts and parts[0].text else 0
    if at <= 0:
        return ()
    ahead = [token for part in parts[1:] for token in part.tokens if token.start < at] or tokens_of(heard.text[:at])
    named = (paths.find(token.value, heard.tree) for token in ahead if token.is_literal and token.kind != NUMBER)
    return tuple(heard.tree.full(one.value) for one in named if one.value is not None and one.confidence >= _NAMED)


_Decided = tuple[list[Meant], Question | None]


@dataclass
class _Turn:
    """What is known when the next part is read."""

    heard: Heard
    now: Tree
    # What was named, newest last, and what clauses that tell will have named by then, with where they do.
    last: tuple[str, ...]
    spoken: list[tuple[int, str]]
    things: tuple[tuple[str, ...], ...]
    before: dict[tuple[str, str], str] = field(default_factory=dict)
    previous: tuple[tuple[Token, ...], tuple[Meant, ...]] = ((), ())
    meant: list[Meant] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    named: list[tuple[Named, ...]] = field(default_factory=list)

    def read(self, part: Part) -> None:
        while self.spoken and part.tokens and self.spoken[0][0] < part.tokens[-1].start:
            self.last = (*self.last, self.spoken.pop(0)[1])
        words = tuple(all_of(the_same(part.tokens, *self.previous, self.heard.lexicon), self.named))
        decided = self._decided(part, words)
        if decided is None:
            self.questions.append(unknown(part.text, len(self.meant) + 1))
            return
        self.previous = (words, tuple(decided[0]))
        commands, question = self._beside_those_before(part, *decided) if self.meant else decided
        if question is None and self.named and words == part.tokens and any(token.text == "it" for token in words):
            question = which_of(part.text, commands, self.named[-1], self._copied(part, commands), len(self.meant) + 1)
            commands = commands if question is None else []
        self.meant += commands
        self.questions += [question] if question is not None else []
        named = tuple(found for one in commands if (found := self._comes_to_pass(one)) is not None)
        self.named += [named] if named else []

    def _decided(self, part: Part, words: tuple[Token, ...]) -> _Decided | None:
        heard, step, now = self.heard, len(self.meant) + 1, self.now
        last = tuple(now.said(path) for path in self.last)
        situation = Situation(heard.text, now, last, self.before, heard.effort, self.things, heard.known)
        decided = decide(part, readings_of(words, situation, heard.lexicon), step, now, heard.lexicon.registry)
        says_it = any(token.text in IT or token.text in ("its", "new") for token in words)
        if self.meant and not says_it and decided is not None and decided[1] is not None and decided[1].parameter:
            # “Before you delete a.txt, copy it to docs”: a name means what had it before there was a copy.
            older = replace(now, index=now.index.changed(now.kinds.keys() - heard.tree.kinds.keys(), {}))
            found = readings_of(words, replace(situation, tree=older), heard.lexicon)
            plain = decide(part, found, step, older, heard.lexicon.registry)
            return plain if plain is not None and plain[1] is None else decided
        return decided

    def _beside_those_before(self, part: Part, commands: list[Meant], question: Question | None) -> _Decided:
        """The commands that are not there already, or the question where they may be about what was named before."""
        lexicon = self.heard.lexicon
        # “Quit it and go back to the normal one”: what may be done again and is said twice in a row is done once.
        says_it = any(token.text in IT for token in part.tokens)
        commands = [
            one
            for one in commands
            if not ((says_it or not one.params) and _is_again(one, self.meant[-1], lexicon.registry))
        ]
        if says_it:
            # “Look inside x and tell me what is there”: there is where was looked already.
            says_there = any(token.text == "there" for token in part.tokens)
            if says_there and _on_the_same(commands, self.meant, lexicon.registry):
                commands = []
        for may_be in (
            _on_the_same(commands, self.meant, lexicon.registry),
            _on_that_code(commands, self.meant, lexicon),
        ):
            if question is None and may_be is not None:
                commands, question = [], _either(part, commands, may_be, len(self.meant) + 1)
        return commands, question

    def _copied(self, part: Part, commands: Sequence[Meant]) -> str:
        """What the command before made a copy of, where this one does away with “it”, and not with “it there”."""
        registry = self.heard.lexicon.registry
        before = self.meant[-1].values() if self.meant and self.meant[-1].command == "cp" else {}
        goes = any(registry.command(one.tool, one.command).destroys(one.values()) for one in commands)
        says_there = any(token.text == "there" for token in part.tokens)
        return str(before["path"]) if "path" in before and goes and not says_there else ""

    def _comes_to_pass(self, one: Meant) -> Named | None:
        """What the next part finds when this was done; what it was about comes back."""
        registry = self.heard.lexicon.registry
        command = registry.command(one.tool, one.command)
        said = registry.said(command)
        spoken = effects.spoken(self.now, said, one.values())
        self.last = (*self.last, *spoken)
        self.things = (effects.called(said, one.values()),) if said.it else self.things if said.places else ()
        self.now = effects.after(self.now, command, said, one.values())
        self.before |= {(one.tool, name): value for name, value in one.values().items() if isinstance(value, str)}
        self.notes += [f"“{extra}” is of no use to {one.command}" for extra in one.superfluous]
        span = next((one.params[name].span for name in said.places if name in one.params), None)
        return Named(one.command, self.now.said(spoken[-1]), span) if spoken else None

    def understood(self) -> Understood:
        beliefs = triggers.beliefs(self.heard.text, self.heard.tree)
        if not self.meant and all(not question.choices for question in self.questions):
            return Understood(questions=tuple(self.questions[:1]), beliefs=beliefs)
        sure = min((one.confidence for one in self.meant), default=0.0)
        notes = tuple(dict.fromkeys(self.notes))
        return Understood(tuple(self.meant), tuple(self.questions), beliefs, notes, 0.0 if self.questions else sure)


def _on_that_code(commands: list[Meant], meant: list[Meant], lexicon: Lexicon) -> list[Meant] | None:
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
    choices = (choice_of(elsewhere), choice_of(commands))
    why = "It does not say whether what was named before is meant, or all of it."
    return Question(step, f"What is meant by “{short(part.text)}”?", why, "", choices)


def _is_again(one: Meant, before: Meant, registry: Registry) -> bool:
    same = (one.tool, one.command, one.values()) == (before.tool, before.command, before.values())
    return same and registry.command(one.tool, one.command).effect == "idempotent"
