"""Words for what is done with files and folders: read, list, make, write, move, copy, delete, look for."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.drawn.saying import NEW, TEXTS, Maker, Said, pick, quoted, step
from benchmarks.parameters.drawn.workspace import World

_NEEDLES = ("deadline", "VAT", "import csv", "TODO", "last_seen", "raise ValueError", "currency", "api_key")


def _read(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    said = pick(
        rng,
        "show {p}",
        "display the contents of {p}",
        "open the file {p}",
        "what is written in {p}",
        "print {p}",
        "let me see {p}",
        "I want to look into {p}",
        "what does {p} contain",
        "cat {p}",
        "have a look at {p}",
        p=p,
    )
    return Said(said, step("read", path=p), (p,))


def _read_lines(rng: random.Random, w: World) -> Said:
    p, a = rng.choice(w.files), rng.randint(1, 40)
    b = a + rng.randint(2, 30)
    said = pick(
        rng,
        "show lines {a} to {b} of {p}",
        "read {p} from line {a} to line {b}",
        "display lines {a}-{b} of the file {p}",
        "give me lines {a} through {b} of {p}",
        p=p,
        a=a,
        b=b,
    )
    return Said(said, step("read", path=p, from_line=a, to_line=b), (p,))


def _ls(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.folders)
    said = pick(
        rng,
        "list {p}",
        "what files are in {p}",
        "show me what the folder {p} holds",
        "list everything in the {p} folder",
        "which files are in {p}",
        "enumerate the contents of {p}",
        "what is in the directory {p}",
        p=p,
    )
    return Said(said, step("ls", path=p), (p,))


def _cd(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.folders)
    said = pick(
        rng,
        "go to {p}",
        "change into the directory {p}",
        "enter the folder {p}",
        "switch to the {p} folder",
        "cd {p}",
        p=p,
    )
    return Said(said, step("cd", path=p), (p,))


def _mkdir(rng: random.Random, w: World) -> Said:
    p = rng.choice(NEW)
    said = pick(
        rng,
        "create a folder {p}",
        "make a new directory called {p}",
        "set up a folder named {p}",
        "add a directory {p}",
        "I need a new folder with the name {p}",
        "mkdir {p}",
        "build a folder called {p}",
        p=p,
    )
    return Said(said, step("mkdir", path=p))


def _write(rng: random.Random, w: World) -> Said:
    p, t = f"{rng.choice(NEW)}.txt", rng.choice(TEXTS)
    said = pick(
        rng,
        "write {t} to {p}",
        "save {t} in a file called {p}",
        "create the file {p} with the text {t}",
        "put {t} into {p}",
        "make a file {p} containing {t}",
        "store {t} as {p}",
        t=quoted(rng, t),
        p=p,
    )
    return Said(said, step("write", path=p, content=t))


def _append(rng: random.Random, w: World) -> Said:
    p, t = rng.choice(w.prose), rng.choice(TEXTS)
    said = pick(
        rng,
        "append {t} to {p}",
        "add the line {t} to the end of {p}",
        "add {t} at the bottom of {p}",
        t=quoted(rng, t),
        p=p,
    )
    return Said(said, step("write", path=p, content=t, mode="append"))


def _rm(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    said = pick(
        rng,
        "delete {p}",
        "remove the file {p}",
        "get rid of {p}",
        "throw {p} away",
        "erase {p}",
        "{p} can be deleted",
        "trash {p}",
        "rm {p}",
        p=p,
    )
    return Said(said, step("rm", path=p), (p,))


def _mv(rng: random.Random, w: World) -> Said:
    p, d = rng.choice(w.files), rng.choice(w.folders)
    to = f"{d}/{p.rsplit('/', 1)[-1]}"
    said = pick(
        rng,
        "move {p} to the folder {d}",
        "put {p} into the {d} directory",
        "relocate {p} to {to}",
        "shift {p} into the folder {d}",
        "move {p} into {d}",
        p=p,
        d=d,
        to=to,
    )
    return Said(said, step("mv", path=p, to=to), (p,))


def _rename(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    name = f"{rng.choice(NEW)}.{p.rsplit('.', 1)[-1]}"
    to = f"{p.rsplit('/', 1)[0]}/{name}" if "/" in p else name
    said = pick(rng, "rename {p} to {n}", "change the name of {p} to {n}", "give {p} the new name {n}", p=p, n=name)
    return Said(said, step("mv", path=p, to=to), (p,))


def _cp(rng: random.Random, w: World) -> Said:
    p, n = rng.choice(w.files), rng.choice(NEW)
    to = f"{n}.{p.rsplit('.', 1)[-1]}"
    said = pick(
        rng,
        "copy {p} to {to}",
        "duplicate {p} as {to}",
        "make a copy of {p} called {to}",
        "clone {p} to {to}",
        "back up {p} as {to}",
        p=p,
        to=to,
    )
    return Said(said, step("cp", path=p, to=to), (p,))


def _find(rng: random.Random, w: World) -> Said:
    e, d = rng.choice(("py", "md", "csv")), rng.choice(w.folders)
    said = pick(
        rng,
        "find *.{e} in {d}",
        "find everything named *.{e} below {d}",
        "look for *.{e} in the folder {d}",
        "locate *.{e} under {d}",
        e=e,
        d=d,
    )
    return Said(said, step("find", pattern=f"*.{e}", path=d), (d,))


def _grep(rng: random.Random, w: World) -> Said:
    t, d = rng.choice(_NEEDLES), rng.choice(w.folders)
    said = pick(
        rng,
        "search for {t} in {d}",
        "grep {t} in {d}",
        "look for the text {t} in the folder {d}",
        "where is {t} mentioned in {d}",
        "find the word {t} in {d}",
        "find all occurrences of {t} below {d}",
        t=quoted(rng, t),
        d=d,
    )
    return Said(said, step("grep", text=t, path=d), (d,))


# What commands are drawn from: one that stands here twice is drawn twice as often.
MAKERS: Sequence[Maker] = (
    _read,
    _read,
    _read_lines,
    _ls,
    _ls,
    _cd,
    _mkdir,
    _write,
    _append,
    _rm,
    _mv,
    _rename,
    _cp,
    _find,
    _grep,
)
# Those whose words name a file or folder that is there.
OF_A_PATH: Sequence[Maker] = (_read, _read_lines, _ls, _rm, _mv, _rename, _cp, _grep)
