"""Playing variations of a task with the whole library of rules, and what is recorded of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.environments.entailing import Entailment, structured
from agents.environments.interpreter import RULE, Limits, Run, run
from agents.environments.policies import Policy
from agents.rules.grammar import Rule, parse
from agents.simulations.rule_files import RuleFile, digest_of, rules_of, shipped
from agents.simulations.scienceworld import STEPS, ScienceWorld
from benchmarks.scienceworld.entailing import STRUCTURED, Counted, overlap_of, words_in

LIMITS = Limits(steps=STEPS)


@dataclass(frozen=True)
class Played:
    """One variation: its score (0 to 1), how the run ended, who chose its actions and won how much, and its seconds.

    `share` is how much of the library was there, in percent; `fallback` the policy beside it; `entailment` and
    `reworded` how contexts were judged and worded. `refused` actions were not accepted. Of `pairs` of a belief and a
    context, each counted once, `entailed` were called entailed, with this mean `overlap` of their words (the share of
    the context's), and beliefs and contexts had so many words; judging took `entailment_s` of processor time.
    """

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
    share: int = 100
    fallback: str = "none"
    score_by_rules: float = 0.0
    score_by_fallback: float = 0.0
    entailment: str = STRUCTURED
    reworded: str = "none"
    refused: int = 0
    pairs: int = 0
    entailed: int = 0
    overlap: float = 0.0
    belief_words: float = 0.0
    context_words: float = 0.0
    entailment_s: float = 0.0


@dataclass(frozen=True)
class Library:
    """The rules of all files; `own` says how many stand in the file of a task, by its name."""

    rules: tuple[Rule, ...]
    own: dict[str, int]
    digest: str


def library(instead: Path | None = None) -> Library:
    """Read all rules; a file of the same name in `instead` takes the place of one. Raises RuleSyntaxError for the
    first fault.
    """
    files = shipped("scienceworld")
    if instead is not None:
        others = {file.stem: file.read_text() for file in instead.glob("*.plan")}
        files = tuple(RuleFile(file.name, others.get(file.name, file.text)) for file in files)
    own = {file.name: len(parse(file.text)) for file in files}
    return Library(rules_of(files), own, digest_of(files))


def play(
    simulator: Any,
    task: str,
    variation: int,
    split: str,
    rules: Sequence[Rule],
    *,
    fallback: Policy | None = None,
    share: int = 100,
    entails: Entailment = structured,
    entailment: str = STRUCTURED,
    reworded: str = "none",
    simplified: bool = False,
) -> tuple[Played, Run]:
    """Play one variation from its beginning to its end by these rules, which are `share` percent of the library;
    `entailment` and `reworded` are the names of `entails` and of the contexts' wording. `simplified`: in easy mode.
    """
    began = time.monotonic()
    world = ScienceWorld(simulator, task, variation, "easy" if simplified else "")
    counted = Counted(entails)
    done = run(world, world.goal, rules, limits=LIMITS, fallback=fallback, entails=counted)
    by_fallback = sum(action.by != RULE for action in done.actions)
    won_by_rules, won_by_fallback = won(done)
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
        share,
        fallback.name if fallback is not None else "none",
        won_by_rules,
        won_by_fallback,
        entailment,
        reworded,
        sum(not action.percept.accepted for action in done.actions),
        len(counted.asked),
        len(counted.entailed),
        _mean([overlap_of(*pair) for pair in counted.entailed]),
        _mean([words_in(premise) for premise, _ in counted.asked]),
        _mean([words_in(hypothesis) for _, hypothesis in counted.asked]),
        round(counted.seconds, 3),
    )
    return played, done


def _mean(figures: Sequence[float]) -> float:
    return round(sum(figures) / len(figures), 4) if figures else 0.0


def won(done: Run) -> tuple[float, float]:
    """How much of the score the actions of rules won, and how much those of the fallback. Some variations begin with a
    score, which nobody won.
    """
    before, by_rules, by_fallback = done.score_before, 0.0, 0.0
    for action in done.actions:
        gain, before = action.score - before, action.score
        if action.by == RULE:
            by_rules += gain
        else:
            by_fallback += gain
    return round(by_rules, 4), round(by_fallback, 4)


def traced(done: Run) -> Iterator[str]:
    """Say what was done and why, line by line, for whoever writes rules."""
    for action in done.actions:
        chosen_by = f"{action.rule}, line {action.line}" if action.by == RULE else action.by
        yield f"{action.number:3} {action.text}   [{chosen_by}]   {action.score:.2f}"
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


def table_1(results: Iterable[Played]) -> str:
    """Return scores by share of the library in Markdown: what rules won and what the fallback, and their actions."""
    rows = [
        "| task | split | library | fallback | n | score | by rules | by fallback | actions by rules | by fallback |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups: dict[tuple[str, str, int, str], list[Played]] = {}
    for result in results:
        groups.setdefault((result.task, result.split, result.share, result.fallback), []).append(result)
    for (task, split, share, fallback), played in groups.items():
        figures = [
            sum(getattr(each, name) for each in played) / len(played)
            for name in ("score", "score_by_rules", "score_by_fallback", "actions_by_rules", "actions_by_fallback")
        ]
        said = [f"{figure:.2f}" for figure in figures[:3]] + [f"{figure:.1f}" for figure in figures[3:]]
        rows.append(f"| {task} | {split} | {share} % | {fallback} | {len(played)} | {' | '.join(said)} |")
    return "\n".join(rows)


def table_2(results: Iterable[Played]) -> str:
    """Return figures by the way in which contexts are judged in Markdown, and by how they are worded."""
    rows = [
        "| task | split | entailment | contexts | n | score | actions | errors | rules used | overlap of entailed pairs"
        " | words of a belief | of a context | pairs | entailed | entailment, s |",
        f"|{' --- |' * 15}",
    ]
    groups: dict[tuple[str, str, str, str], list[Played]] = {}
    for result in results:
        groups.setdefault((result.task, result.split, result.entailment, result.reworded), []).append(result)
    for (task, split, entailment, wording), played in groups.items():
        cells = [
            f"{sum(each.score for each in played) / len(played):.2f}",
            f"{_of_all(played, 'actions_by_rules'):.1f}",
            f"{_of_all(played, 'refused'):.2f}",
            f"{sum(len(each.rules_used) for each in played) / len(played):.1f}",
            *(f"{_of_all(played, name):.2f}" for name in ("overlap", "belief_words", "context_words")),
            *(f"{_of_all(played, name):.0f}" for name in ("pairs", "entailed")),
            f"{_of_all(played, 'entailment_s'):.2f}",
        ]
        rows.append(f"| {task} | {split} | {entailment} | {wording} | {len(played)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _of_all(played: Sequence[Played], name: str) -> float:
    return float(sum(getattr(each, name) for each in played) / len(played))


def json_line(played: Played, digest: str) -> str:
    """Return a result as one line of JSON; `rules` is the digest of all rule files.

    What went wrong in a test variation is left out: rules must not be tuned on it.
    """
    told = {**played.__dict__, "rules": digest}
    if played.split == "test":
        del told["detail"]
    return json.dumps(told, ensure_ascii=False)
