"""Commands that leave out what nobody can guess: the only right answer is a question."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.drawn.saying import TEXTS, Said, quoted, step
from benchmarks.parameters.drawn.workspace import World

# What is said, the command it means, and the parameter that nothing was said about.
_LACKING: Sequence[tuple[str, str, str]] = (
    ("rename {p}", "mv", "to"),
    ("copy {p}", "cp", "to"),
    ("move {p}", "mv", "to"),
    ("commit everything", "git_tool.commit", "message"),
    ("write {t}", "write", "path"),
    ("create a new branch", "git_tool.create_branch", "name"),
    ("add {t} to the note", "note_taking.append_note", "name"),
    ("make a new folder", "mkdir", "path"),
    ("delete the file", "rm", "path"),
)


def lacking(rng: random.Random, w: World) -> Said:
    """A command without the value that it cannot do without."""
    wording, command, lacks = rng.choice(_LACKING)
    p, t = rng.choice(w.files), rng.choice(TEXTS)
    values = {"{p}": ("path", p), "{t}": ("content" if "note" not in wording else "text", t)}
    params = {name: value for mark, (name, value) in values.items() if mark in wording}
    return Said(wording.format(p=p, t=quoted(rng, t)), step(command, **params), lacks=lacks)
