"""What people get wrong and what they add: paths misspelt or placed elsewhere, slips, manners, options nobody knows."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.cases import Step

_MANNERS = (
    "please {}",
    "could you {}",
    "can you please {}?",
    "{}, please",
    "I'd like you to {}",
    "would you {} for me",
    "hey, {}",
    "{} thanks",
    "kindly {}",
    "I want you to {}",
    "now {}",
    "{} right away",
    "Could you {}?",
    "would you be so kind and {}",
    "{} when you have a minute",
    "I would like to ask you to {}",
)
# How a command begins (or what it holds) that manners would make a wrong sentence of.
_NO_MANNERS = ("I want", "I need", "what", "which", "where", "let me", "can be", "git ", "rm ", "cat ", "cd ")
_OPTIONS = (
    " with 4 threads",
    " --verbose",
    " with verbosity 3",
    " using 2 workers",
    " --color=always",
    " with priority 5",
    " --yes",
)
# Commands whose own words may hold such options, which are then meant.
_TAKES_OPTIONS = ("run", "start", "write", "set_env")


def beside(step: Step, path: str, said: str) -> Step:
    """Who names a file without its folder, and its copy so too, means the copy beside it: so did all ten strangers."""
    tool, command, params = step
    to = params.get("to", "")
    if command != "cp" or "/" in said or "\\" in said or "/" in to or "/" not in path or params.get("path") != path:
        return step
    return tool, command, {**params, "to": f"{path.rpartition('/')[0]}/{to}"}


def misspelt(rng: random.Random, path: str) -> str:
    """A path with one thing wrong that leaves it recognisable."""
    folder, _, name = path.rpartition("/")
    stem, dot, ending = name.partition(".")
    which = rng.random()
    if which < 0.35 and len(stem) > 4:
        at = rng.randrange(1, len(stem) - 2)
        stem = rng.choice(_mistyped(stem, at))
    elif which < 0.6:
        stem = rng.choice((stem.upper(), stem.capitalize()))
        ending = ending.upper() if rng.random() < 0.3 else ending
    elif which < 0.8 and dot:
        return f"{folder}/{stem}".lstrip("/")
    else:
        stem = stem.replace("_", "-") if "_" in stem else stem.replace("-", "_") if "-" in stem else stem.capitalize()
    return f"{folder}/{stem}{dot}{ending}".lstrip("/")


def elsewhere(rng: random.Random, path: str) -> str:
    """A path as somebody writes it who does not know where it lies."""
    name = path.rsplit("/", 1)[-1]
    return rng.choice(
        (
            f"path/to/{name}",
            f"/path/to/{path}",
            f"<path/to/{name}>",
            f"/home/me/work/{path}",
            f"C:\\work\\{path}".replace("/", "\\"),
            f"./{path}",
            f"your/path/to/{name}",
            name,
            f"wrong/{name}",
        )
    )


def slip(rng: random.Random, text: str, keep: Sequence[str]) -> str:
    """One typing slip in a longer word of the text that is no value."""
    words = text.split(" ")
    fit = [
        at for at, word in enumerate(words) if word.isalpha() and len(word) > 4 and not any(word in one for one in keep)
    ]
    if not fit:
        return text
    at = rng.choice(fit)
    word = words[at]
    place = rng.randrange(1, len(word) - 1)
    swapped, left_out, doubled = _mistyped(word, place)
    words[at] = rng.choice((left_out, swapped, doubled))
    return " ".join(words)


def _mistyped(word: str, at: int) -> tuple[str, str, str]:
    """The word with two letters in the other order, with one left out, and with one twice."""
    before, letter, after = word[:at], word[at], word[at + 1 :]
    return before + after[:1] + letter + after[1:], before + after, before + letter + letter + after


def with_manners(rng: random.Random, text: str) -> str:
    """A command as a polite person says it, where that makes a sentence."""
    if text.startswith(_NO_MANNERS) or "can be" in text:
        return text
    return rng.choice(_MANNERS).format(text)


def with_an_option(rng: random.Random, text: str, step: Step) -> str:
    """A command with an option behind it that it does not have."""
    return text if step[1] in _TAKES_OPTIONS else text + rng.choice(_OPTIONS)
