"""`make bench-parameters`: the table by kind and the coverage-risk curve. No model is asked.

`--count`, `--seed` for what is drawn; `--file FILE --workspace FILE` tries commands that others wrote (see cases.py);
`--hand` those of this folder, written by hand in twelve voices; `--show` prints what was not right.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.understood import Meant, Understood
from agents.toolkit.registry import REGISTRY
from benchmarks.parameters.cases import Case, entries_of, plain, read_file
from benchmarks.parameters.drawn.drawing import cases

HAND = Path(__file__).parent / "hand"
RIGHT, ASKED, USELESS, WRONG = "right", "asked", "useless", "wrong"
# What the issue asks for: at least, at most, below.
LEAST_RIGHT, MOST_ASKED, WRONG_BELOW = 0.85, 0.12, 0.005


@dataclass(frozen=True)
class Outcome:
    """What became of one case. `confidence` is the product's own, 0 where it asks."""

    case: Case
    verdict: str
    confidence: float
    said: str
    seconds: float


def judged(case: Case, lacks: str = "") -> Outcome:
    """Understand one command and compare with what is meant."""
    tree = Tree.of(case.entries)
    before = time.perf_counter()
    found = understand(case.text, tree, REGISTRY)
    took = time.perf_counter() - before
    meanings = [[plain(step) for step in meaning] for meaning in case.meanings]
    got = [plain((tool, command, dict(values))) for tool, command, values in by_name(found)]
    if found.is_sure:
        verdict = RIGHT if got in meanings and not lacks else WRONG
    elif not case.meanings or _settles(found, meanings, lacks):
        verdict = ASKED
    else:
        verdict = USELESS
    questions = "; ".join(f"{one.text} {one.why}" for one in found.questions)
    said = questions or "; ".join(f"{tool}.{command} {values}" for tool, command, values in got)
    return Outcome(case, verdict, found.confidence, said, took)


def _settles(found: Understood, meanings: Sequence[Sequence[tuple[str, str, str]]], lacks: str) -> bool:
    """Whether a truthful answer to what is asked leads to what is meant."""
    if not found.questions:
        return False
    if lacks:
        (meant,) = meanings[0]
        return any(
            one.parameter == lacks and found.meant[one.step - 1].command == meant[1]
            for one in found.questions
            if one.parameter
        )
    return any(_answered(found, meaning) for meaning in meanings)


def _answered(found: Understood, meaning: Sequence[tuple[str, str, str]]) -> bool:
    """Answer each question truthfully, as far as its choices or a value can, and compare."""
    steps: list[Meant | None] = list(found.meant)
    open_at: set[int] = set()
    shift = 0
    for question in found.questions:
        at = question.step - 1 + shift
        if question.parameter:
            open_at.add(at)
            continue
        fit = next((one for one in question.choices if _fits(one.meant, meaning[at : at + len(one.meant)])), None)
        if fit is None:
            return False
        steps[at:at] = list(fit.meant)
        shift += len(fit.meant)
    if len(steps) != len(meaning):
        return False
    return all(
        step is not None and (_said(step) == wanted or (at in open_at and _said(step)[:2] == wanted[:2]))
        for at, (step, wanted) in enumerate(zip(steps, meaning, strict=True))
    )


def _fits(meant: Sequence[Meant], wanted: Sequence[tuple[str, str, str]]) -> bool:
    return bool(meant) and [_said(one) for one in meant] == list(wanted)


def _said(one: Meant) -> tuple[str, str, str]:
    return plain((one.tool, one.command, one.values()))


def table(outcomes: Sequence[Outcome]) -> str:
    """Verdicts by kind, in parts of all."""
    rows = [f"{'kind':<14}{'cases':>7}{'right':>9}{'asked':>9}{'useless':>9}{'wrong':>9}"]
    kinds = list(dict.fromkeys(one.case.kind for one in outcomes))
    for kind in (*sorted(kinds), "all"):
        own = [one for one in outcomes if kind in (one.case.kind, "all")]
        counts = Counter(one.verdict for one in own)
        parts = "".join(f"{counts[verdict] / len(own):>9.1%}" for verdict in (RIGHT, ASKED, USELESS, WRONG))
        rows.append(f"{kind:<14}{len(own):>7}{parts}")
    return "\n".join(rows)


def curve(outcomes: Sequence[Outcome]) -> str:
    """What is silently wrong among those taken, when only those at least so sure are taken."""
    rows = [f"{'at least so sure':<18}{'taken':>9}{'wrong among them':>20}"]
    for least in (0.0, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99):
        taken = [one for one in outcomes if one.verdict in (RIGHT, WRONG) and one.confidence >= least]
        wrong = sum(one.verdict == WRONG for one in taken)
        rows.append(f"{least:<18}{len(taken) / len(outcomes):>9.1%}{wrong / max(1, len(taken)):>20.2%}")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and say by the exit code whether the figures asked for are reached (for what is drawn)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--hand", action="store_true")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.file or asked.hand:
        entries = entries_of(asked.workspace or HAND / "workspace.txt")
        files = [asked.file] if asked.file else sorted(one for one in HAND.glob("*.txt") if one.name != "workspace.txt")
        drawn = [(case, "") for path in files for case in read_file(path, entries)]
    else:
        drawn = cases(asked.count, asked.seed)
    outcomes = [judged(case, lacks) for case, lacks in drawn]
    if asked.show:
        for one in outcomes:
            if one.verdict != RIGHT:
                sys.stdout.write(f"{one.verdict}\t{one.case.kind}\t{one.case.text!r}\t{one.said}\n")
    seconds = sorted(one.seconds for one in outcomes)
    sys.stdout.write(f"{table(outcomes)}\n\n{curve(outcomes)}\n\n")
    sys.stdout.write(
        f"median {1000 * seconds[len(seconds) // 2]:.1f} ms, 95 % {1000 * seconds[int(0.95 * len(seconds))]:.1f} ms\n"
    )
    counts = Counter(one.verdict for one in outcomes)
    reached = (
        counts[RIGHT] >= LEAST_RIGHT * len(outcomes)
        and counts[ASKED] + counts[USELESS] <= MOST_ASKED * len(outcomes)
        and counts[WRONG] < WRONG_BELOW * len(outcomes)
    )
    sys.stdout.write(f"at least 85 % right, at most 12 % asked, under 0.5 % wrong: {'yes' if reached else 'NO'}\n")
    return 0 if reached or asked.file or asked.hand else 1


if __name__ == "__main__":
    sys.exit(main())
