"""Playing variations of a task with the whole library of rules, and what is recorded of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.environments.interpreter import FALLBACK, Limits, Run, run
from agents.rules.grammar import Rule, parse
from benchmarks.scienceworld.adapter import STEPS, ScienceWorld

FOLDER = Path(__file__).parent / "rules"
LIMITS = Limits(steps=STEPS)


@dataclass(frozen=True)
class Played:
    """One variation: its score (0 to 1), how the run ended, who chose its actions, and its seconds."""

    task: str
    variation: int
    split: str
    score: float
    reason: str
    detail: str
    actions_by_rules: int
    actions_by_fallback: int
    rules_used: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Library:
    """The rules of all files; `own` says how many stand in the file of a task, by its name."""

    rules: tuple[Rule, ...]
    own: dict[str, int]
    digest: str


def library(folder: Path = FOLDER) -> Library:
    """Read all rules. Raises RuleSyntaxError for the first fault."""
    files = sorted(folder.glob("*.plan"))
    texts = [file.read_text() for file in files]
    parsed = [parse(text) for text in texts]
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    own = {file.stem: len(rules) for file, rules in zip(files, parsed, strict=True)}
    return Library(tuple(rule for rules in parsed for rule in rules), own, digest)


def play(simulator: Any, task: str, variation: int, split: str, rules: Sequence[Rule]) -> tuple[Played, Run]:
    """Play one variation from its beginning to its end."""
    began = time.monotonic()
    world = ScienceWorld(simulator, task, variation)
    done = run(world, world.goal, rules, limits=LIMITS)
    by_fallback = sum(action.rule == FALLBACK for action in done.actions)
    played = Played(
        task,
        variation,
        split,
        done.score,
        done.reason,
        done.detail,
        len(done.actions) - by_fallback,
        by_fallback,
        tuple(sorted(done.rules_used)),
        round(time.monotonic() - began, 3),
    )
    return played, done


def traced(done: Run) -> Iterator[str]:
    """Say what was done and why, line by line, for whoever writes rules."""
    for action in done.actions:
        yield f"{action.number:3} {action.text}   [{action.rule}, line {action.line}]   {action.score:.2f}"
        for support in action.why:
            held = f"{support.belief.source}, {support.belief.age} steps old"
            yield f"      {support.context} ⇐ {support.belief.sentence} ({held}; {support.stage} {support.score})"
        yield f"      → {action.percept.text.partition(chr(10))[0][:160]}"


def table(results: Iterable[Played], own: dict[str, int]) -> str:
    """Return a table in Markdown, a row for each task and split."""
    rows = [
        "| task | split | n | score | full score | rules: own / used | actions by rules | by fallback | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups: dict[tuple[str, str], list[Played]] = {}
    for result in results:
        groups.setdefault((result.task, result.split), []).append(result)
    for (task, split), played in groups.items():
        n = len(played)
        used = {rule for each in played for rule in each.rules_used}
        rows.append(
            f"| {task} | {split} | {n} | {sum(each.score for each in played) / n:.2f}"
            f" | {sum(each.score >= 1 for each in played)} | {own.get(task, 0)} / {len(used)}"
            f" | {sum(each.actions_by_rules for each in played) / n:.1f}"
            f" | {sum(each.actions_by_fallback for each in played) / n:.1f}"
            f" | {sum(each.seconds for each in played):.0f} |"
        )
    return "\n".join(rows)


def json_line(played: Played, digest: str) -> str:
    """Return a result as one line of JSON; `rules` is the digest of all rule files.

    What went wrong in a test variation is left out: rules must not be tuned on it.
    """
    told = {**played.__dict__, "rules": digest}
    if played.split == "test":
        del told["detail"]
    return json.dumps(told, ensure_ascii=False)
