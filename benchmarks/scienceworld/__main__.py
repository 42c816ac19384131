"""`make bench-scienceworld`: play tasks of ScienceWorld by rules, and print their scores.

Rules are written while looking at the official train variations and tuned on dev. Of test variations nothing is shown
but scores: whoever asks to see their actions is refused.
"""

from __future__ import annotations

import argparse
import contextlib
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.scienceworld.adapter import SPLITS, STEPS, variations_of
from benchmarks.scienceworld.playing import Library, Played, json_line, library, play, table, traced

_ENVIRONMENT = Path(__file__).parents[2] / ".venv-scienceworld"


def main() -> None:
    """Play what was asked for."""
    asked = _asked()
    rules = library()
    tasks = asked.task or sorted(set(rules.own) - {"navigation"})
    played: list[Played] = []
    with _simulator() as simulator:
        for task in tasks:
            splits = variations_of(simulator, task)
            for split, variation in _chosen(splits, asked):
                played.append(_one(simulator, task, variation, split, rules, asked))
    say(table(played, rules.own))
    say(f"Rules {rules.digest}: {len(rules.rules)}, of which {rules.own['navigation']} for all tasks.")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", action="append", help="a task's name; several are allowed; all that have rules")
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="dev")
    parser.add_argument("--variations", type=_range, metavar="A-B", help="only those of the split in this range")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each variation, before the table")
    parser.add_argument("--trace", action="store_true", help="each action with its reasons; never of test variations")
    asked = parser.parse_args()
    if asked.trace and asked.split in ("test", "all"):
        parser.error("the actions in test variations are not shown: rules must not be tuned on them")
    return asked


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _chosen(splits: dict[str, list[int]], asked: argparse.Namespace) -> list[tuple[str, int]]:
    """The variations that were asked for, with their splits."""
    return [
        (split, variation)
        for split, variations in splits.items()
        for variation in variations
        if asked.split in (split, "all") and (asked.variations is None or variation in asked.variations)
    ]


def _one(simulator: Any, task: str, variation: int, split: str, rules: Library, asked: argparse.Namespace) -> Played:
    played, done = play(simulator, task, variation, split, rules.rules)
    if asked.json:
        say(json_line(played, rules.digest))
    if asked.trace:
        say(f"\n{task} {variation}: {played.score:.2f}, {played.reason}: {played.detail}")
        say("\n".join(traced(done)))
    return played


@contextlib.contextmanager
def _simulator() -> Iterator[Any]:
    for packages in sorted(_ENVIRONMENT.glob("lib/python*/site-packages")):
        site.addsitedir(str(packages))
    try:
        from scienceworld import ScienceWorldEnv
    except ImportError:
        sys.exit("ScienceWorld is not installed; run make scienceworld")
    simulator = ScienceWorldEnv("", envStepLimit=STEPS)
    try:
        yield simulator
    finally:
        simulator.close()


def say(text: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
