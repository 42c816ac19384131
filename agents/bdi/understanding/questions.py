"""The questions that would settle what is meant: which command, or which value, with the likely answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from agents.bdi.understanding.names.paths import ANY, NEW, Candidate, Tree, fits
from agents.bdi.understanding.reading.binding import commands_of
from agents.bdi.understanding.reading.judging import Reading
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.toolkit.command import Command
from agents.toolkit.phrases import say
from agents.toolkit.registry import Registry

MAX_CHOICES = 5
_LEFT_OUT = "does not say it."
_CLAUSE_END = re.compile(r"\s\(|[.,:;](?:\s|$)")


def too_much(text: str) -> Question:
    """What is asked of a text that has more ways of being read than are tried."""
    why = "It is too long, or says too much at once, to be read word by word; give it in several goals."
    return Question(1, f"What is meant by “{short(text)}”?", why)


def unknown(said: str, step: int) -> Question:
    """What is asked where no command is recognised."""
    return Question(step, f"What is meant by “{short(said)}”?", "No command is said like this.")


def short(text: str, most: int = 120) -> str:
    """A text on one line, cut where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def about_values(clause: str, reading: Reading, step: int, tree: Tree, registry: Registry) -> Question:
    """What is asked where the command is clear and a value is not."""
    command = reading.command
    if reading.problems:
        name = reading.problems[0]
        filled = reading.params[name]
        title = str(command.properties[name].get("title", name)).lower()
        said = f"“{filled.original}”" if filled.original else "what is said"
        text = f"Which {title} is meant by {said}, to {gist(command.summary)}?"
        why = f"{filled.problem[:1].upper()}{filled.problem[1:]}."
        return Question(step, text, why, name, _choices(filled.choices), filled.original or "")
    name = reading.missing[0]
    text = of_value(command, name)
    place = registry.said(command).places.get(name)
    choices = _likely(command, name, tree, place.wanted if place is not None else ANY)
    return Question(step, text, f"“{short(clause)}” {_LEFT_OUT}", name, choices)


def of_value(command: Command, name: str) -> str:
    """What is asked where nothing is said of a parameter."""
    title = str(command.properties[name].get("title", name)).lower()
    return f"What is the {title}{'' if title == name else f' ({name})'}, to {gist(command.summary)}?"


def is_left_out(question: Question) -> bool:
    """Whether a value is asked for that nothing was said about: a rule or earlier runs may have it."""
    return bool(question.parameter) and question.why.endswith(_LEFT_OUT)


def gist(summary: str) -> str:
    """What a command does, as it can end a question: without what its summary adds behind the first clause."""
    first = _CLAUSE_END.split(summary, maxsplit=1)[0]
    return first[:1].lower() + first[1:]


def _likely(command: Command, name: str, tree: Tree, wanted: str) -> tuple[Choice, ...]:
    """What could be chosen where nothing is said: the values that a list allows; files are typed or picked, those that
    are there for what is to be there already.
    """
    described = command.properties[name]
    if "enum" in described:
        return tuple(Choice(str(value), value=value) for value in described["enum"])[:MAX_CHOICES]
    if described.get("x-kind") == "path" and wanted != NEW:
        paths = (path for path in tree.visible if not path.startswith(".") and fits(tree.kinds[path], wanted))
        return tuple(Choice(tree.said(path), "it is there", tree.said(path)) for path in islice(paths, MAX_CHOICES))
    return ()


def _choices(candidates: Sequence[Candidate]) -> tuple[Choice, ...]:
    return tuple(Choice(one.path, one.why, one.path) for one in candidates[:MAX_CHOICES])


def which(clause: str, best: Reading, others: Sequence[Reading], step: int) -> Question:
    """What is asked where another command may be meant, or words are left that no command explains."""
    left = [*(token.value for token in best.unexplained), *best.doubts]
    if left:
        said = ", ".join(f"“{short(word, 40)}”" for word in dict.fromkeys(left))
        why = f"“{gist(best.command.summary)}” says nothing of {said}."
    else:
        why = "It can be read in more than one way."
    choices: dict[str, Choice] = {}
    for reading in (best, *others):
        if reading.missing or reading.problems:
            continue
        meant = tuple(commands_of(clause, reading, 0.0))
        choice = choice_of(meant)
        choices.setdefault(choice.label, choice)
    return Question(step, f"What is meant by “{short(clause)}”?", why, "", tuple(choices.values())[:MAX_CHOICES])


def asked_with(text: str, found: Understood, why: str, other: tuple[Meant, ...] = ()) -> Understood:
    """What is understood as an answer that is offered, where it is not sure; `other` is what may be meant rather."""
    if not found.is_sure:
        return found
    choices = tuple(choice_of(one) for one in (other, found.meant) if one)
    question = Question(1, f"What is meant by “{short(text)}”?", why, "", choices)
    return replace(found, meant=(), questions=(question,), confidence=0.0)


def choice_of(meant: Sequence[Meant]) -> Choice:
    """Whole commands as one answer."""
    return Choice("; ".join(in_words(one) for one in meant), "", None, tuple(meant))


def plainly(meant: Sequence[Meant], registry: Registry) -> str:
    """What commands do, for people who choose among them; `choice_of` gives each exactly."""
    return "; then ".join(_plainly(one, registry) for one in meant)


def _plainly(one: Meant, registry: Registry) -> str:
    command = registry.command(one.tool, one.command)
    shown = {name: short(value, 60) if isinstance(value, str) else value for name, value in one.values().items()}
    values = dict.fromkeys(command.required, "…") | shown
    for fixed, sentence in registry.said(command).told:
        if fixed.items() <= values.items():
            return re.sub(r"\{(\w+)\}", lambda slot: str(values[slot[1]]), sentence)
    return say(command, values)


def in_words(meant: Meant) -> str:
    """A command with its values on one line."""
    said = ", ".join(f"{name} = {short(str(param.value), 60)}" for name, param in meant.params.items())
    return f"{meant.tool}.{meant.command}" + (f" with {said}" if said else "")
