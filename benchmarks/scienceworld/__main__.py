"""`make bench-scienceworld`: play tasks of ScienceWorld by rules, and print their scores.

Rules are written while looking at the official train variations and tuned on dev. Of test variations nothing is shown
but scores: whoever asks to see their actions is refused.

With another entailment or with contexts in other words, Table 2 is printed. With a fallback or with parts of the
library, it is Table 1: what rules and the fallback won, and their actions. A learned policy begins anew for each task
and part, plays train variations with the rules there are, and then learns no more.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.environments.beliefs import PERCEPT
from agents.environments.interpreter import Run
from agents.environments.learned import Learned, PolicyUnusable
from agents.environments.policies import LANGUAGE_MODEL, LEARNED, PERSON, Outcome, Policy, Situation
from agents.rules.grammar import Rule
from agents.simulations.rule_files import part_of
from agents.simulations.scienceworld import SPLITS, ScienceWorldWorld, simulator, variations_of
from benchmarks.scienceworld.entailing import COSINE, OVERLAP, STRUCTURED, WAYS, WITH_MODEL, entailment_by
from benchmarks.scienceworld.playing import (
    Library,
    Played,
    json_line,
    library,
    play,
    table,
    table_1,
    table_2,
    traced,
)
from benchmarks.scienceworld.rewording import BY_HAND, REWORDED, SCRIPT, reworded


def main() -> None:
    """Play what was asked for."""
    asked = _asked()
    rules = _rules(asked)
    tasks = asked.task or sorted(set(rules.own) - {"navigation"})
    if asked.entailment in WITH_MODEL:
        _with_settings()
    entails = entailment_by(asked.entailment, asked.threshold)
    wording = asked.reworded or "as they are"
    played: list[Played] = []
    if missing := ScienceWorldWorld().missing():
        sys.exit(missing)
    with simulator() as running:
        for task in tasks:
            splits = variations_of(running, task)
            for share in asked.library:
                some = part_of(rules.rules, share)
                fallback = _fallback(running, task, splits["train"], some, asked)
                for split, variation in _chosen(splits, asked):
                    done, acted = play(
                        running,
                        task,
                        variation,
                        split,
                        some,
                        fallback=fallback,
                        share=share,
                        entails=entails,
                        entailment=_named(asked),
                        reworded=wording,
                        simplified=asked.simplified,
                    )
                    _tell(done, acted, rules.digest, asked)
                    played.append(done)
    say(_table(played, rules, asked))
    if asked.simplified:
        say("In the simulator's easy mode, in which the published figures were measured.")
    say(f"Rules {rules.digest}: {len(rules.rules)}, of which {rules.own['navigation']} for all tasks.")
    if asked.fallback == LEARNED:
        say(f"The learned policy played {asked.train} train variations for each row, seed {asked.seed}.")


def _rules(asked: argparse.Namespace) -> Library:
    """The library as it is, or with contexts in other words: by the script, or by hand where there is such a file."""
    rules = library(REWORDED) if asked.reworded == BY_HAND else library()
    return replace(rules, rules=reworded(rules.rules)) if asked.reworded == SCRIPT else rules


def _table(played: Sequence[Played], rules: Library, asked: argparse.Namespace) -> str:
    if asked.entailment != STRUCTURED or asked.reworded:
        return table_2(played)
    return table_1(played) if asked.fallback != "none" or asked.library != [100] else table(played, rules.own)


def _named(asked: argparse.Namespace) -> str:
    return asked.entailment if asked.threshold is None else f"{asked.entailment} {asked.threshold:g}"


def _with_settings() -> None:
    """The product's settings, which say where models are kept."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
    os.environ.setdefault("MINDX_SECRET_KEY", "only-for-a-benchmark")


def _fallback(
    simulator: Any, task: str, train: list[int], rules: Sequence[Rule], asked: argparse.Namespace
) -> Policy | None:
    """The policy that was asked for; a learned one has played train variations of the task."""
    if asked.fallback == "none":
        return None
    if asked.fallback == PERSON:
        return _Terminal()
    if asked.fallback == LANGUAGE_MODEL:
        return _language_model()
    policy = _begun(asked)
    policy.start()
    for number in range(asked.train):
        result, _ = play(
            simulator, task, train[number % len(train)], "train", rules, fallback=policy, simplified=asked.simplified
        )
        say(f"train {task} {result.variation}: {result.score:.2f}, {result.actions_by_fallback} actions by the policy")
    policy.stop()
    if asked.policy is not None:
        asked.policy.write_bytes(policy.to_bytes())
    return policy


def _begun(asked: argparse.Namespace) -> Learned:
    """The policy of the file that was named, or a new one."""
    if asked.policy is not None and asked.policy.exists() and not asked.reset:
        try:
            return Learned.from_bytes(asked.policy.read_bytes())
        except PolicyUnusable as error:
            say(f"The policy begins anew: {error}")
    return Learned(asked.seed)


def _language_model() -> Policy:
    """The model of the default agent of the mindX that runs here, whose database MINDX_DATA names."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
    django.setup()
    from agents.actors.environment_actions import policy_for
    from agents.models import DEFAULT_AGENT, Agent

    agent, _ = Agent.objects.get_or_create(name=DEFAULT_AGENT)
    return policy_for(agent)


class _Terminal:
    """A person at the terminal."""

    name, needs_simulation = PERSON, False

    def choose(self, situation: Situation) -> str | None:
        """Show what is perceived, and read an action; an empty line gives up."""
        say(f"\nGoal: {situation.goal}")
        say("\n".join(held.sentence for held in situation.beliefs if held.source == PERCEPT))
        say(f"{len(situation.actions)} actions are valid here. What is done? (nothing: give up)")
        return sys.stdin.readline().strip() or None

    def learn(self, outcome: Outcome) -> None:
        """People learn by themselves."""


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", action="append", help="a task's name; several are allowed; all that have rules")
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="dev")
    parser.add_argument("--variations", type=_range, metavar="A-B", help="only those of the split in this range")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each variation, before the table")
    parser.add_argument("--trace", action="store_true", help="each action with its reasons; never of test variations")
    parser.add_argument("--fallback", choices=("none", LEARNED, LANGUAGE_MODEL, PERSON), default="none")
    parser.add_argument("--library", type=_shares, default=[100], metavar="0,25,…", help="percent of the rules")
    parser.add_argument("--train", type=int, default=20, help="train variations that a learned policy plays first")
    parser.add_argument("--seed", type=int, default=0, help="of the learned policy")
    parser.add_argument("--policy", type=Path, help="the file that the learned policy is taken from and kept in")
    parser.add_argument("--entailment", choices=WAYS, default=STRUCTURED, help="what judges contexts")
    parser.add_argument("--threshold", type=float, help="from which on it says yes; likeness needs one")
    parser.add_argument("--reworded", choices=(SCRIPT, BY_HAND), help="contexts in other words than the environment's")
    parser.add_argument("--most", type=int, help="at most so many variations of each split, spread evenly over it")
    parser.add_argument("--simplified", action="store_true", help="in the simulator's easy mode, as published figures")
    parser.add_argument("--reset", action="store_true", help="begin anew, whatever the file of the policy holds")
    asked = parser.parse_args()
    if asked.entailment in (COSINE, OVERLAP) and asked.threshold is None:
        parser.error("a likeness needs a threshold")
    if asked.fallback == PERSON and asked.split in ("test", "all"):
        parser.error("test variations are not shown to a person: rules must not be tuned on them")
    if asked.policy is not None and (len(asked.library) > 1 or len(asked.task or ()) != 1):
        parser.error("a file holds the policy of one task and one part of the library")
    if asked.trace and asked.split in ("test", "all"):
        parser.error("the actions in test variations are not shown: rules must not be tuned on them")
    return asked


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _shares(text: str) -> list[int]:
    shares = [int(one) for one in text.split(",")]
    if not all(0 <= share <= 100 for share in shares):
        raise ValueError(text)
    return shares


def _chosen(splits: dict[str, list[int]], asked: argparse.Namespace) -> list[tuple[str, int]]:
    """The variations that were asked for, with their splits."""
    return [
        (split, variation)
        for split, variations in splits.items()
        for variation in _spread(variations, asked.most)
        if asked.split in (split, "all") and (asked.variations is None or variation in asked.variations)
    ]


def _spread(variations: list[int], most: int | None) -> list[int]:
    """At most so many of them, at even distances."""
    if most is None or most >= len(variations):
        return variations
    return [variations[number * len(variations) // most] for number in range(most)]


def _tell(played: Played, done: Run, digest: str, asked: argparse.Namespace) -> None:
    if asked.json:
        say(json_line(played, digest))
    if asked.trace:
        say(f"\n{played.task} {played.variation}: {played.score:.2f}, {played.reason}: {played.detail}")
        say("\n".join(traced(done)))


def say(text: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
