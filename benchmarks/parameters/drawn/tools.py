"""Words for what the other tools do: git, the web, notes, summaries, and looking at code."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.cases import Step
from benchmarks.parameters.drawn.saying import NEW, TEXTS, Maker, Said, pick, quoted, step
from benchmarks.parameters.drawn.workspace import STEMS, World

_BRANCHES = ("fix-rounding", "feature/maps", "spike", "release-2.1", "nightly")
_HOSTS = ("https://api.example.org/v1/rates", "https://example.com/export.csv", "https://files.example.net/a/b.json")


def _git(rng: random.Random, w: World) -> Said:
    b, t, n = rng.choice(_BRANCHES), rng.choice(TEXTS), rng.randint(2, 30)
    options: Sequence[tuple[str, Step]] = (
        (
            pick(rng, "git status", "show the git status", "what is the status of the repository"),
            step("git_tool.status"),
        ),
        (pick(rng, "git diff", "show the git changes", "show me the git diff"), step("git_tool.diff")),
        (
            pick(
                rng, "show the last {n} commits", "git log with at most {n} commits", "list the newest {n} commits", n=n
            ),
            step("git_tool.log", most=n),
        ),
        (pick(rng, "list the branches", "which branches are there", "show all branches"), step("git_tool.branches")),
        (
            pick(
                rng,
                "commit everything with the message {t}",
                "commit all changes saying {t}",
                "git commit -m {t}",
                "make a commit with the message {t}",
                t=quoted(rng, t),
            ),
            step("git_tool.commit", message=t),
        ),
        (
            pick(rng, "create a branch called {b}", "make a new branch {b}", "start the branch {b}", b=b),
            step("git_tool.create_branch", name=b),
        ),
        (
            pick(rng, "switch to the branch {b}", "check out the branch {b}", "go to branch {b}", b=b),
            step("git_tool.switch_branch", name=b),
        ),
    )
    return Said(*rng.choice(options))


def _web(rng: random.Random, w: World) -> Said:
    u, t = rng.choice(_HOSTS), rng.choice(TEXTS)
    ending = u.rsplit(".", 1)[-1]
    f = f"{rng.choice(NEW)}.{ending if ending in ('csv', 'json') else 'txt'}"
    options: Sequence[tuple[str, Step]] = (
        (
            pick(rng, "fetch {u}", "get {u}", "request the address {u}", "what does {u} answer", u=u),
            step("http_request.get", url=u),
        ),
        (
            pick(rng, "download {u} to {f}", "download {u} and save it as {f}", "save {u} as {f}", u=u, f=f),
            step("http_request.download", url=u, file=f),
        ),
        (
            pick(rng, "post {t} to {u}", "send {t} to {u}", t=quoted(rng, t), u=u),
            step("http_request.post", url=u, content=t),
        ),
        (pick(rng, "show the headers of {u}", "get the headers of {u}", u=u), step("http_request.head", url=u)),
    )
    return Said(*rng.choice(options))


def _notes(rng: random.Random, w: World) -> Said:
    n, old, t = rng.choice(STEMS), rng.choice(w.notes), rng.choice(TEXTS)
    options: Sequence[tuple[str, Step]] = (
        (
            pick(
                rng,
                "write a note {n} saying {t}",
                "take a note called {n} with the text {t}",
                "make a note named {n} that says {t}",
                n=n,
                t=quoted(rng, t),
            ),
            step("note_taking.write_note", name=n, text=t),
        ),
        (
            pick(rng, "add {t} to the note {n}", "append {t} to my note {n}", n=old, t=quoted(rng, t)),
            step("note_taking.append_note", name=old, text=t),
        ),
        (
            pick(rng, "show the note {n}", "read my note {n}", "what does the note {n} say", n=old),
            step("note_taking.show_note", name=old),
        ),
        (pick(rng, "list my notes", "show all notes", "which notes are there"), step("note_taking.list_notes")),
    )
    return Said(*rng.choice(options))


def _summary(rng: random.Random, w: World) -> Said:
    p, n = rng.choice(w.prose), rng.randint(2, 9)
    if rng.random() < 0.5:
        said = pick(
            rng,
            "summarize {p}",
            "give me a summary of {p}",
            "sum up {p}",
            "condense {p}",
            "summarise the file {p}",
            p=p,
        )
        return Said(said, step("summarization.key_sentences", path=p), (p,))
    said = pick(
        rng,
        "summarize {p} in {n} sentences",
        "sum up {p} in at most {n} sentences",
        "give me a summary of {p} with {n} sentences",
        p=p,
        n=n,
    )
    return Said(said, step("summarization.key_sentences", path=p, sentences=n), (p,))


def _code_tools(rng: random.Random, w: World) -> Said:
    p, to = rng.choice(w.code), rng.choice(NEW)
    options: Sequence[tuple[str, Step]] = (
        (
            pick(rng, "analyze {p}", "review the code in {p}", "assess {p}", "run an analysis on {p}", p=p),
            step("system_analyzer.analyze", path=p),
        ),
        (
            pick(rng, "audit {p}", "look for problems in {p}", "audit the code in {p}", p=p),
            step("audit_and_improve.audit", path=p),
        ),
        (
            pick(
                rng,
                "suggest fixes for {p}",
                "propose safe fixes for {p}",
                "improve {p}",
                "optimize {p}",
                "enhance the code in {p}",
                p=p,
            ),
            step("audit_and_improve.propose_fixes", path=p),
        ),
        (
            pick(rng, "apply the safe fixes to {p}", "make the safe fixes in {p}", p=p),
            step("audit_and_improve.apply_fixes", path=p),
        ),
        (
            pick(
                rng,
                "document {p} in the folder {to}",
                "write documentation for {p} into {to}",
                "generate docs for {p} in {to}",
                p=p,
                to=to,
            ),
            step("base_gen_agent.document", path=p, to=to),
        ),
        (
            pick(rng, "write a report about {p} to {to}.md", "make a report on {p} in the file {to}.md", p=p, to=to),
            step("system_analyzer.write_report", path=p, to=f"{to}.md"),
        ),
    )
    return Said(*rng.choice(options), (p,))


# What commands are drawn from: one that stands here twice is drawn twice as often.
MAKERS: Sequence[Maker] = (_git, _git, _web, _notes, _notes, _summary, _code_tools, _code_tools)
OF_A_PATH: Sequence[Maker] = (_summary, _code_tools)
