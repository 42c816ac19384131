"""Imprecise commands of known meaning, drawn by chance: a meaning first, then words for it, then what people get wrong.

The wordings are this file's own. Nothing of the product is read here but which tools there are, and nothing of the
product reads this.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.parameters.cases import Case, Step

KINDS = ("wording", "spelling", "places", "slips", "manners", "superfluous", "several", "missing")
_SHARES = (0.2, 0.17, 0.15, 0.13, 0.12, 0.08, 0.1, 0.05)

_STEMS = (
    "invoice",
    "harbour",
    "ledger",
    "weather",
    "parser",
    "billing",
    "orders",
    "harvest",
    "travel",
    "budget",
    "roster",
    "survey",
    "kitchen",
    "museum",
)
_SECOND = ["report", "loader", "summary", "index", "model", "view", "export", "import", "table", "draft"]
_FOLDERS = ["lib", "docs", "data", "assets", "archive", "reports", "services", "web", "config", "samples"]
_CODE, _PROSE, _DATA = ("py",), ("md", "txt"), ("csv", "json", "ini", "yaml")
_NEW = ["outbox", "spring2025", "zeta", "proofs", "handover", "releases", "scans", "quarterly", "letters", "mockups"]
_TEXTS = (
    "call the plumber",
    "meeting moved to noon",
    "hello from the harbour",
    "needs a second look",
    "version two is out",
    "ask Nadia about the totals",
    "done",
    "remember the milk",
    "prices exclude tax",
    "checked on Friday",
)
_NEEDLES = ("deadline", "VAT", "import csv", "TODO", "last_seen", "raise ValueError", "currency", "api_key")
_BRANCHES = ("fix-rounding", "feature/maps", "spike", "release-2.1", "nightly")
_PACKAGES = ("pandas", "flask", "rich", "pillow", "tomlkit", "markdown-it-py")
_HOSTS = ("https://api.example.org/v1/rates", "https://example.com/export.csv", "https://files.example.net/a/b.json")
_VARIABLES = ("STAGE", "LOG_LEVEL", "TZ", "CACHE_DIR")
_PROGRAMS = ("worker", "webserver", "watcher")


@dataclass(frozen=True)
class World:
    """A drawn workspace: files by kind, and its folders."""

    code: tuple[str, ...]
    prose: tuple[str, ...]
    data: tuple[str, ...]
    folders: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return self.code + self.prose + self.data

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        notes = tuple(f"notes/{name}.md" for name in self.notes)
        return tuple((path, "file") for path in (*self.files, *notes)) + tuple((path, "dir") for path in self.folders)


@dataclass(frozen=True)
class Said:
    """A command and words for it. `paths` are existing paths as they stand in the words; `lacks` what was left out."""

    text: str
    step: Step
    paths: tuple[str, ...] = ()
    lacks: str = ""


def world(rng: random.Random) -> World:
    """Files with names that differ enough for one of them to be meant."""
    stems = rng.sample(_STEMS, 9)
    folders = rng.sample(_FOLDERS, 4)

    def place(stem: str, endings: Sequence[str]) -> str:
        joined = stem if rng.random() < 0.5 else f"{stem}{rng.choice('_-')}{rng.choice(_SECOND)}"
        folder = rng.choice(("", *folders))
        return f"{folder}/{joined}.{rng.choice(endings)}".lstrip("/")

    return World(
        tuple(place(stem, _CODE) for stem in stems[:3]),
        tuple(place(stem, _PROSE) for stem in stems[3:6]),
        tuple(place(stem, _DATA) for stem in stems[6:]),
        tuple(folders),
        tuple(rng.sample(("groceries", "retrospective", "wishes", "phone"), 2)),
    )


_Maker = Callable[[random.Random, World], Said]


def _pick(rng: random.Random, *wordings: str, **values: Any) -> str:
    return rng.choice(wordings).format(**values)


def _step(command: str, **params: Any) -> Step:
    tool, _, name = command.rpartition(".")
    return tool or "simple_coder", name, params


def _quoted(rng: random.Random, text: str) -> str:
    left, right = rng.choice((('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")))
    return f"{left}{text}{right}"


def _read(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    said = _pick(
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
    return Said(said, _step("read", path=p), (p,))


def _read_lines(rng: random.Random, w: World) -> Said:
    p, a = rng.choice(w.files), rng.randint(1, 40)
    b = a + rng.randint(2, 30)
    said = _pick(
        rng,
        "show lines {a} to {b} of {p}",
        "read {p} from line {a} to line {b}",
        "display lines {a}-{b} of the file {p}",
        "give me lines {a} through {b} of {p}",
        p=p,
        a=a,
        b=b,
    )
    return Said(said, _step("read", path=p, from_line=a, to_line=b), (p,))


def _ls(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.folders)
    said = _pick(
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
    return Said(said, _step("ls", path=p), (p,))


def _cd(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.folders)
    said = _pick(
        rng,
        "go to {p}",
        "change into the directory {p}",
        "enter the folder {p}",
        "switch to the {p} folder",
        "cd {p}",
        p=p,
    )
    return Said(said, _step("cd", path=p), (p,))


def _mkdir(rng: random.Random, w: World) -> Said:
    p = rng.choice(_NEW)
    said = _pick(
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
    return Said(said, _step("mkdir", path=p))


def _write(rng: random.Random, w: World) -> Said:
    p, t = f"{rng.choice(_NEW)}.txt", rng.choice(_TEXTS)
    said = _pick(
        rng,
        "write {t} to {p}",
        "save {t} in a file called {p}",
        "create the file {p} with the text {t}",
        "put {t} into {p}",
        "make a file {p} containing {t}",
        "store {t} as {p}",
        t=_quoted(rng, t),
        p=p,
    )
    return Said(said, _step("write", path=p, content=t))


def _append(rng: random.Random, w: World) -> Said:
    p, t = rng.choice(w.prose), rng.choice(_TEXTS)
    said = _pick(
        rng,
        "append {t} to {p}",
        "add the line {t} to the end of {p}",
        "add {t} at the bottom of {p}",
        t=_quoted(rng, t),
        p=p,
    )
    return Said(said, _step("write", path=p, content=t, mode="append"))


def _rm(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    said = _pick(
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
    return Said(said, _step("rm", path=p), (p,))


def _mv(rng: random.Random, w: World) -> Said:
    p, d = rng.choice(w.files), rng.choice(w.folders)
    to = f"{d}/{p.rsplit('/', 1)[-1]}"
    said = _pick(
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
    return Said(said, _step("mv", path=p, to=to), (p,))


def _rename(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.files)
    name = f"{rng.choice(_NEW)}.{p.rsplit('.', 1)[-1]}"
    to = f"{p.rsplit('/', 1)[0]}/{name}" if "/" in p else name
    said = _pick(rng, "rename {p} to {n}", "change the name of {p} to {n}", "give {p} the new name {n}", p=p, n=name)
    return Said(said, _step("mv", path=p, to=to), (p,))


def _cp(rng: random.Random, w: World) -> Said:
    p, n = rng.choice(w.files), rng.choice(_NEW)
    to = f"{n}.{p.rsplit('.', 1)[-1]}"
    said = _pick(
        rng,
        "copy {p} to {to}",
        "duplicate {p} as {to}",
        "make a copy of {p} called {to}",
        "clone {p} to {to}",
        "back up {p} as {to}",
        p=p,
        to=to,
    )
    return Said(said, _step("cp", path=p, to=to), (p,))


def _find(rng: random.Random, w: World) -> Said:
    e, d = rng.choice(("py", "md", "csv")), rng.choice(w.folders)
    said = _pick(
        rng,
        "find *.{e} in {d}",
        "find everything named *.{e} below {d}",
        "look for *.{e} in the folder {d}",
        "locate *.{e} under {d}",
        e=e,
        d=d,
    )
    return Said(said, _step("find", pattern=f"*.{e}", path=d), (d,))


def _grep(rng: random.Random, w: World) -> Said:
    t, d = rng.choice(_NEEDLES), rng.choice(w.folders)
    said = _pick(
        rng,
        "search for {t} in {d}",
        "grep {t} in {d}",
        "look for the text {t} in the folder {d}",
        "where is {t} mentioned in {d}",
        "find the word {t} in {d}",
        "find all occurrences of {t} below {d}",
        t=_quoted(rng, t),
        d=d,
    )
    return Said(said, _step("grep", text=t, path=d), (d,))


def _run(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.code)
    said = _pick(rng, "run {p}", "execute the script {p}", "run python {p}", "launch {p}", "start the script {p}", p=p)
    return Said(said, _step("run", command_line=f"python {p}"), (p,))


def _install(rng: random.Random, w: World) -> Said:
    p = rng.choice(_PACKAGES)
    said = _pick(
        rng,
        "install {p}",
        "pip install {p}",
        "add the package {p}",
        "I need the python package {p}",
        "get {p} installed",
        p=p,
    )
    return Said(said, _step("run", command_line=f"pip install {p}"))


def _venv(rng: random.Random, w: World) -> Said:
    said, command = rng.choice(
        (
            ("create a virtual environment", "create_venv"),
            ("set up a venv", "create_venv"),
            ("make a virtualenv", "create_venv"),
            ("activate the virtual environment", "activate_venv"),
            ("use the venv", "activate_venv"),
            ("switch the venv on", "activate_venv"),
            ("deactivate the virtual environment", "deactivate_venv"),
            ("leave the venv", "deactivate_venv"),
        )
    )
    return Said(said, _step(command))


def _env(rng: random.Random, w: World) -> Said:
    n, v = rng.choice(_VARIABLES), rng.choice(("test", "debug", "UTC", "north"))
    if rng.random() < 0.7:
        said = _pick(
            rng,
            "set the environment variable {n} to {v}",
            "set {n} to {v}",
            "export {n}={v}",
            "define the variable {n} as {v}",
            n=n,
            v=v,
        )
        return Said(said, _step("set_env", name=n, value=v))
    return Said(
        _pick(rng, "unset {n}", "forget the variable {n}", "clear the environment variable {n}", n=n),
        _step("unset_env", name=n),
    )


def _programs(rng: random.Random, w: World) -> Said:
    n, p = rng.choice(_PROGRAMS), rng.choice(w.code)
    which = rng.random()
    if which < 0.4:
        said = _pick(rng, "start `python {p}` as {n}", "start the program 'python {p}' under the name {n}", p=p, n=n)
        return Said(said, _step("start", command_line=f"python {p}", name=n))
    if which < 0.7:
        said = _pick(rng, "stop the program {n}", "kill the program {n}", "shut down {n}", "end the process {n}", n=n)
        return Said(said, _step("stop", name=n))
    said = _pick(
        rng,
        "show the log of the program {n}",
        "show the output of the program {n}",
        "what did the program {n} print",
        n=n,
    )
    return Said(said, _step("process_log", name=n))


def _autonomous(rng: random.Random, w: World) -> Said:
    on = rng.random() < 0.5
    word = "on" if on else "off"
    said = _pick(
        rng,
        "turn autonomous mode {o}",
        "switch autonomous mode {o}",
        "{e} autonomous mode",
        "switch {o} the autonomous mode",
        o=word,
        e="enable" if on else "disable",
    )
    return Said(said, _step("toggle_autonomous_mode", on=on))


def _git(rng: random.Random, w: World) -> Said:
    b, t, n = rng.choice(_BRANCHES), rng.choice(_TEXTS), rng.randint(2, 30)
    options: Sequence[tuple[str, Step]] = (
        (
            _pick(rng, "git status", "show the git status", "what is the status of the repository"),
            _step("git_tool.status"),
        ),
        (_pick(rng, "git diff", "show the git changes", "show me the git diff"), _step("git_tool.diff")),
        (
            _pick(
                rng, "show the last {n} commits", "git log with at most {n} commits", "list the newest {n} commits", n=n
            ),
            _step("git_tool.log", most=n),
        ),
        (_pick(rng, "list the branches", "which branches are there", "show all branches"), _step("git_tool.branches")),
        (
            _pick(
                rng,
                "commit everything with the message {t}",
                "commit all changes saying {t}",
                "git commit -m {t}",
                "make a commit with the message {t}",
                t=_quoted(rng, t),
            ),
            _step("git_tool.commit", message=t),
        ),
        (
            _pick(rng, "create a branch called {b}", "make a new branch {b}", "start the branch {b}", b=b),
            _step("git_tool.create_branch", name=b),
        ),
        (
            _pick(rng, "switch to the branch {b}", "check out the branch {b}", "go to branch {b}", b=b),
            _step("git_tool.switch_branch", name=b),
        ),
    )
    return Said(*rng.choice(options))


def _web(rng: random.Random, w: World) -> Said:
    u, t = rng.choice(_HOSTS), rng.choice(_TEXTS)
    ending = u.rsplit(".", 1)[-1]
    f = f"{rng.choice(_NEW)}.{ending if ending in ('csv', 'json') else 'txt'}"
    options: Sequence[tuple[str, Step]] = (
        (
            _pick(rng, "fetch {u}", "get {u}", "request the address {u}", "what does {u} answer", u=u),
            _step("http_request.get", url=u),
        ),
        (
            _pick(rng, "download {u} to {f}", "download {u} and save it as {f}", "save {u} as {f}", u=u, f=f),
            _step("http_request.download", url=u, file=f),
        ),
        (
            _pick(rng, "post {t} to {u}", "send {t} to {u}", t=_quoted(rng, t), u=u),
            _step("http_request.post", url=u, content=t),
        ),
        (_pick(rng, "show the headers of {u}", "get the headers of {u}", u=u), _step("http_request.head", url=u)),
    )
    return Said(*rng.choice(options))


def _notes(rng: random.Random, w: World) -> Said:
    n, old, t = rng.choice(_STEMS), rng.choice(w.notes), rng.choice(_TEXTS)
    options: Sequence[tuple[str, Step]] = (
        (
            _pick(
                rng,
                "write a note {n} saying {t}",
                "take a note called {n} with the text {t}",
                "make a note named {n} that says {t}",
                n=n,
                t=_quoted(rng, t),
            ),
            _step("note_taking.write_note", name=n, text=t),
        ),
        (
            _pick(rng, "add {t} to the note {n}", "append {t} to my note {n}", n=old, t=_quoted(rng, t)),
            _step("note_taking.append_note", name=old, text=t),
        ),
        (
            _pick(rng, "show the note {n}", "read my note {n}", "what does the note {n} say", n=old),
            _step("note_taking.show_note", name=old),
        ),
        (_pick(rng, "list my notes", "show all notes", "which notes are there"), _step("note_taking.list_notes")),
    )
    return Said(*rng.choice(options))


def _summary(rng: random.Random, w: World) -> Said:
    p, n = rng.choice(w.prose), rng.randint(2, 9)
    if rng.random() < 0.5:
        said = _pick(
            rng,
            "summarize {p}",
            "give me a summary of {p}",
            "sum up {p}",
            "condense {p}",
            "summarise the file {p}",
            p=p,
        )
        return Said(said, _step("summarization.key_sentences", path=p), (p,))
    said = _pick(
        rng,
        "summarize {p} in {n} sentences",
        "sum up {p} in at most {n} sentences",
        "give me a summary of {p} with {n} sentences",
        p=p,
        n=n,
    )
    return Said(said, _step("summarization.key_sentences", path=p, sentences=n), (p,))


def _code_tools(rng: random.Random, w: World) -> Said:
    p, to = rng.choice(w.code), rng.choice(_NEW)
    options: Sequence[tuple[str, Step]] = (
        (
            _pick(rng, "analyze {p}", "review the code in {p}", "assess {p}", "run an analysis on {p}", p=p),
            _step("system_analyzer.analyze", path=p),
        ),
        (
            _pick(rng, "audit {p}", "look for problems in {p}", "audit the code in {p}", p=p),
            _step("audit_and_improve.audit", path=p),
        ),
        (
            _pick(
                rng,
                "suggest fixes for {p}",
                "propose safe fixes for {p}",
                "improve {p}",
                "optimize {p}",
                "enhance the code in {p}",
                p=p,
            ),
            _step("audit_and_improve.propose_fixes", path=p),
        ),
        (
            _pick(rng, "apply the safe fixes to {p}", "make the safe fixes in {p}", p=p),
            _step("audit_and_improve.apply_fixes", path=p),
        ),
        (
            _pick(
                rng,
                "document {p} in the folder {to}",
                "write documentation for {p} into {to}",
                "generate docs for {p} in {to}",
                p=p,
                to=to,
            ),
            _step("base_gen_agent.document", path=p, to=to),
        ),
        (
            _pick(rng, "write a report about {p} to {to}.md", "make a report on {p} in the file {to}.md", p=p, to=to),
            _step("system_analyzer.write_report", path=p, to=f"{to}.md"),
        ),
    )
    said, step = rng.choice(options)
    return Said(said, step, (p,))


_MAKERS: Sequence[_Maker] = (
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
    _run,
    _install,
    _venv,
    _env,
    _programs,
    _autonomous,
    _git,
    _git,
    _web,
    _notes,
    _notes,
    _summary,
    _code_tools,
    _code_tools,
)
_WITH_PATH: Sequence[_Maker] = (_read, _read_lines, _ls, _rm, _mv, _rename, _cp, _grep, _run, _summary, _code_tools)

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
_NO_MANNERS = ("I want", "I need", "what", "which", "where", "let me", "can be", "git ", "rm ", "cat ", "cd ")
_EXTRA = (
    " with 4 threads",
    " --verbose",
    " with verbosity 3",
    " using 2 workers",
    " --color=always",
    " with priority 5",
    " --yes",
)


def _beside(step: Step, path: str, said: str) -> Step:
    """Who names a file without its folder, and its copy so too, means the copy beside it: so did all ten strangers."""
    tool, command, params = step
    to = params.get("to", "")
    if command != "cp" or "/" in said or "\\" in said or "/" in to or "/" not in path or params.get("path") != path:
        return step
    return tool, command, {**params, "to": f"{path.rpartition('/')[0]}/{to}"}


def _misspelt(rng: random.Random, path: str) -> str:
    """A path with one thing wrong that leaves it recognisable."""
    folder, _, name = path.rpartition("/")
    stem, dot, ending = name.partition(".")
    which = rng.random()
    if which < 0.35 and len(stem) > 4:
        at = rng.randrange(1, len(stem) - 2)
        stem = rng.choice(
            (
                stem[:at] + stem[at + 1] + stem[at] + stem[at + 2 :],
                stem[:at] + stem[at + 1 :],
                stem[:at] + stem[at] + stem[at:],
            )
        )
    elif which < 0.6:
        stem = rng.choice((stem.upper(), stem.capitalize()))
        ending = ending.upper() if rng.random() < 0.3 else ending
    elif which < 0.8 and dot:
        return f"{folder}/{stem}".lstrip("/")
    else:
        stem = stem.replace("_", "-") if "_" in stem else stem.replace("-", "_") if "-" in stem else stem.capitalize()
    return f"{folder}/{stem}{dot}{ending}".lstrip("/")


def _elsewhere(rng: random.Random, path: str) -> str:
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


def _slip(rng: random.Random, text: str, keep: Sequence[str]) -> str:
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
    words[at] = rng.choice(
        (
            word[:place] + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + word[place] + word[place:],
        )
    )
    return " ".join(words)


def _values(step: Step) -> list[str]:
    return [str(value) for value in step[2].values()]


_LACKING: Sequence[tuple[str, str]] = (
    ("rename {p}", "to"),
    ("copy {p}", "to"),
    ("move {p}", "to"),
    ("commit everything", "message"),
    ("write {t}", "path"),
    ("create a new branch", "name"),
    ("add {t} to the note", "name"),
    ("make a new folder", "path"),
    ("delete the file", "path"),
)
_LACKING_STEPS = (
    "mv",
    "cp",
    "mv",
    "git_tool.commit",
    "write",
    "git_tool.create_branch",
    "note_taking.append_note",
    "mkdir",
    "rm",
)


def _missing(rng: random.Random, w: World) -> Said:
    number = rng.randrange(len(_LACKING))
    wording, lacks = _LACKING[number]
    p, t = rng.choice(w.files), rng.choice(_TEXTS)
    values = {"{p}": ("path", p), "{t}": ("content" if "note" not in wording else "text", t)}
    params = {name: value for mark, (name, value) in values.items() if mark in wording}
    return Said(wording.format(p=p, t=_quoted(rng, t)), _step(_LACKING_STEPS[number], **params), lacks=lacks)


def cases(count: int, seed: int) -> list[tuple[Case, str]]:
    """So many cases, each with the parameter that it lacks ("" where nothing is missing)."""
    rng = random.Random(seed)  # noqa: S311  # the same cases for the same seed
    found: list[tuple[Case, str]] = []
    seen: set[str] = set()
    while len(found) < count:
        kind = rng.choices(KINDS, _SHARES)[0]
        w = world(rng)
        said, steps, lacks = _one(rng, w, kind)
        if said in seen:
            continue
        seen.add(said)
        found.append((Case(said, kind, w.entries, (steps,)), lacks))
    return found


def _one(rng: random.Random, w: World, kind: str) -> tuple[str, tuple[Step, ...], str]:
    if kind == "missing":
        lacking = _missing(rng, w)
        return lacking.text, (lacking.step,), lacking.lacks
    if kind == "several":
        parts = [rng.choice(_MAKERS)(rng, w) for _ in range(rng.choice((2, 2, 3)))]
        parts = [part for part in parts if part.step[1] not in ("cd", "rm", "mv")] or parts[:1]
        joint = rng.choice((" and then ", ", then ", "; ", ". ", "\n", " and "))
        return joint.join(part.text for part in parts), tuple(part.step for part in parts), ""
    made = rng.choice(_WITH_PATH if kind in ("spelling", "places") else _MAKERS)(rng, w)
    text = made.text
    if kind in ("spelling", "places") and made.paths:
        path = rng.choice(made.paths)
        said = _misspelt(rng, path) if kind == "spelling" else _elsewhere(rng, path)
        text = text.replace(path, said, 1)
        return text, (_beside(made.step, path, said),), ""
    if kind == "slips":
        text = _slip(rng, text, _values(made.step))
    elif kind == "manners" and not text.startswith(_NO_MANNERS) and "can be" not in text:
        text = rng.choice(_MANNERS).format(text)
    elif kind == "superfluous" and made.step[1] not in ("run", "start", "write", "set_env"):
        text += rng.choice(_EXTRA)
    return text, (made.step,), ""
