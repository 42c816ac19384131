"""`python -m benchmarks.entailment`: how often each stage of the cascade finds what follows, on 300 pairs by hand.

The pairs are sentences as people write them about folders, services, hosts, git, tests and tables: 100 that follow in
other words, 100 that contradict and 100 that stay open, most of these with a trap in them. Exit code 1 for a single
false yes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from agents.rules.cascade import CONTRADICTION, ENTAILMENT, NEUTRAL, Answer, Judge, answers
from benchmarks.scienceworld.entailing import ShippedJudge

PAIRS = Path(__file__).parent / "pairs.jsonl"
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)


def read() -> list[dict[str, str]]:
    """The pairs: premise, hypothesis, label, and what they are about or which trap they hold."""
    return [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]


def main() -> None:
    """Print the figures of each stage, and each false yes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--structured", action="store_true", help="do not ask the model")
    asked = parser.parse_args()
    pairs = read()
    say("| stage | yes | false yes | recall of yes | no | false no | recall of no | right label | CPU ms a pair |")
    say("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    wrong = _measured("structured alone", pairs, ())
    if not asked.structured:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
        os.environ.setdefault("MINDX_SECRET_KEY", "only-for-a-benchmark")
        judge = ShippedJudge.as_usual()
        judge.judge([("The door is open.", "The door is open.")])
        wrong += _measured("cascade", pairs, (judge,))
    for line in wrong:
        say(line)
    sys.exit(1 if wrong else 0)


def _measured(stage: str, pairs: Sequence[dict[str, str]], judges: Sequence[Judge]) -> list[str]:
    began = time.process_time()
    found = answers([(pair["premise"], pair["hypothesis"]) for pair in pairs], judges)
    took = (time.process_time() - began) / len(pairs) * 1000
    of = Counter(pair["label"] for pair in pairs)
    yes = Counter(pair["label"] for pair, one in zip(pairs, found, strict=True) if one.holds)
    # A proven no; what a model only thinks most probable is counted among the labels.
    no = Counter(pair["label"] for pair, one in zip(pairs, found, strict=True) if _is_no(one))
    right = sum(pair["label"] == one.label for pair, one in zip(pairs, found, strict=True))
    say(
        f"| {stage} | {yes.total()} | {yes.total() - yes[ENTAILMENT]} | {yes[ENTAILMENT] / of[ENTAILMENT]:.2f}"
        f" | {no.total()} | {no.total() - no[CONTRADICTION]} | {no[CONTRADICTION] / of[CONTRADICTION]:.2f}"
        f" | {right / len(pairs):.2f} | {took:.1f} |"
    )
    return [
        f"{stage}: false {'yes' if one.holds else 'no'}: {pair['premise']} ⇒ {pair['hypothesis']} ({one.reason})"
        for pair, one in zip(pairs, found, strict=True)
        if (one.holds and pair["label"] != ENTAILMENT) or (_is_no(one) and pair["label"] != CONTRADICTION)
    ]


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def _is_no(one: Answer) -> bool:
    return one.stage != "model" and one.label == CONTRADICTION


if __name__ == "__main__":
    main()
