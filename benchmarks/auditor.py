"""`make bench-auditor`: does an audit of the past find what was planted in it, and nothing else?

Several hundred goals are planned and run for real. Among ordinary ones, some of which fail for reasons of their own,
there are five gaps (a task in four wordings that no rule knows), five redundancies (two rules that make the same steps
of the same goals) and five risks (one cause that goals of three rules fail on). There are also decoys: thirty tasks
that were asked once, five pairs of rules that apply to the same goals and do different things, and rules that fail by
themselves. There are two sets of texts; the second was not looked at while thresholds were chosen.
"""

from __future__ import annotations

import argparse
import io
import random
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.servers import database

if TYPE_CHECKING:
    from agents.evolution.auditing.facts import Proposal
    from people.models import User

WANTED, MOST_FALSE = 4, 1
_TEXTS = Path(__file__).with_suffix(".toml")
_USUAL = "import sys\ntext = open(sys.argv[1]).read()\nprint(len(text))\n"
_OWN_FAULTS = (
    "raise ValueError('the third column is empty')",
    "raise KeyError('total')",
    "print(1 / 0)",
    "sys.exit('no heading in this file')",
    "raise UnicodeError('strange letters')",
    "assert text.startswith('x'), 'does not begin as it should'",
)


@dataclass(frozen=True)
class Texts:
    """One set: tasks of ordinary rules, gaps in four wordings, tasks asked once, pairs of rules, and causes with the
    tasks of their rules.
    """

    usual: list[str]
    once: list[str]
    gaps: list[list[str]]
    pairs: list[list[str]]
    risks: dict[str, list[str]]


def main() -> None:
    """Plant, run and audit each set, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=["first", "second"], default=None)
    asked = parser.parse_args()
    if asked.set is None:
        # Each in a process and a database of its own.
        ends = [
            subprocess.run([sys.executable, "-m", "benchmarks.auditor", "--set", name], check=False).returncode
            for name in ("first", "second")
        ]
        sys.exit(max(ends))
    say(f"--- {asked.set} set")
    with database():
        is_enough = _one(Texts(**tomllib.loads(_TEXTS.read_text())[asked.set]))
    sys.exit(not is_enough)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _one(texts: Texts) -> bool:
    from people.models import User

    submitter = User.objects.create_user("sue", roles=["submitter"])
    reviewer = User.objects.create_user("rob", roles=["reviewer", "developer", "operator"])
    world = _World(submitter, reviewer, random.Random(31))  # noqa: S311  # the same draw each time
    began = time.monotonic()
    world.plant(texts)
    ran = time.monotonic() - began
    from agents.evolution.auditing import proposing, reading

    began = time.monotonic()
    found = proposing.find(reading.facts())
    say(f"{world.goals} goals in {ran:.0f} s, audited in {time.monotonic() - began:.1f} s")
    return all(
        [
            _count("gaps", "gap", found, [{world.asked[wording] for wording in gap} for gap in texts.gaps]),
            _count("redundancies", "redundancy", found, [" / ".join(sorted(pair)) for pair in texts.pairs]),
            _count("risks", "risk", found, [world.about(tasks) for tasks in texts.risks.values()]),
        ]
    )


def _count(name: str, kind: str, found: Sequence[Proposal], planted: Sequence[str | set[int]]) -> bool:
    """Print how many of the planted ones were found, and what else was; whether that is enough."""
    mine = [one for one in found if one.kind == kind]
    left = list(planted)
    false = []
    for one in mine:
        hit = next((each for each in left if _is(each, one)), None)
        if hit is None:
            false.append(one.says)
        else:
            left.remove(hit)
    hits = len(planted) - len(left)
    say(f"{name:<13} {hits} of {len(planted)} found (asked {WANTED}), {len(false)} false (asked at most {MOST_FALSE})")
    for said in false:
        say(f"    false: {said}")
    for each in left:
        say(f"    missed: {each}")
    return hits >= WANTED and len(false) <= MOST_FALSE


def _is(planted: str | set[int], one: Proposal) -> bool:
    if isinstance(planted, set):
        # Most of the proposal's goals are the gap's, and most of the gap's are in it.
        shared = len(planted & set(one.goals))
        return shared > len(one.goals) / 2 and shared > len(planted) / 2
    return planted.casefold() in one.subject.casefold()


@dataclass
class _World:
    submitter: User
    reviewer: User
    draw: random.Random
    goals: int = 0

    def __post_init__(self) -> None:
        self.asked: dict[str, int] = {}

    def about(self, tasks: Sequence[str]) -> set[int]:
        """The goals that asked for one of these tasks."""
        return {goal for text, goal in self.asked.items() if any(text.startswith(f"{task} of") for task in tasks)}

    def plant(self, texts: Texts) -> None:
        """Make rules and goals, in an order that is drawn."""
        jobs: list[tuple[str, Mapping[str, str]]] = []
        for number, task in enumerate(texts.usual):
            self.rule(task, [task])
            fault = _OWN_FAULTS[number % len(_OWN_FAULTS)]
            for at in range(12):
                # Some rules fail now and then, one of them mostly.
                fails = self.draw.random() < (0.8 if number == 0 else 0.1)
                jobs.append(self.job(task, _USUAL + (fault if fails else ""), at))
        for one, other in texts.pairs:
            self.rule(one, [one])
            self.rule(other, [one, other], program=one)
            jobs += [self.job(one, _USUAL, at) for at in range(4)]
            # A decoy: both apply to the same goals, and make other steps of them.
            decoy = f"{one} twice"
            self.rule(decoy, [decoy])
            self.rule(f"{other} anew", [decoy], program=f"{one} again")
            jobs += [self.job(decoy, _USUAL, at, also={_file(f"{one} again", "py"): _USUAL}) for at in range(4)]
        for cause, tasks in texts.risks.items():
            for task in tasks:
                jobs += self.risky(cause, task)
        jobs += [(wording, {}) for gap in texts.gaps for wording in gap]
        jobs += [(wording, {}) for wording in texts.once]
        self.draw.shuffle(jobs)
        for text, files in jobs:
            self.run(text, files)

    def risky(self, cause: str, task: str) -> list[tuple[str, Mapping[str, str]]]:
        """A rule that touches the cause, and three goals that fail on it."""
        if cause.startswith("program "):
            self.rule(task, [task], line=f"run {cause.removeprefix('program ')} {_file(task, 'js')} {{file}}")
            return [self.job(task, _USUAL, at) for at in range(3)]
        if cause == "no module named":
            self.rule(task, [task])
            return [self.job(task, f"import polars_{_file(task, 'x')[:3]}\n{_USUAL}", at) for at in range(3)]
        self.rule(task, [task], line=f"run python {_file(task, 'py')} {{file}} {cause}")
        program = f"{_USUAL}print(float(open(sys.argv[2]).read()))\n"
        return [self.job(task, program, at, also={cause: "n/a"}) for at in range(3)]

    def rule(self, name: str, tasks: Sequence[str], program: str = "", line: str = "") -> None:
        from library.components import services

        says = "\n".join(
            f"{'IF' if not at else 'OR'} your task is to {task} of {{file}}" for at, task in enumerate(tasks)
        )
        line = line or f"run python {_file(program or name, 'py')} {{file}}"
        body = f"RULE {name}\n{says}\nTHEN:\n  # A program does it.\n  {line}\n"
        services.publish("rule", name, body, by=self.reviewer, status="active")

    def job(
        self, task: str, program: str, number: int, also: Mapping[str, str] | None = None
    ) -> tuple[str, Mapping[str, str]]:
        name = f"{_file(task, '')}{number}{self.draw.randrange(1000)}.txt"
        return f"{task} of {name}", {_file(task, "py"): program, name: "1\n2\n", **(also or {})}

    def run(self, text: str, files: Mapping[str, str]) -> None:
        """Submit, plan, approve and run a goal; what fails is left where a person would find it."""
        from agents.cycle import cycle
        from agents.goals import goals
        from agents.workspaces import workspaces
        from review.deciding import decisions

        goal = goals.submit(by=self.submitter, text=text)
        for path, content in files.items():
            workspaces.put_file(goal.workspace, by=self.submitter, path=path, source=io.BytesIO(content.encode()))
        cycle.work(goal.pk)
        if (plan := goal.intent_plans.first()) is not None:
            decisions.approve(plan, by=self.reviewer, digest=plan.digest, via="api")
            cycle.work(goal.pk)
        goal.refresh_from_db()
        while goal.state == "recovering":
            type(goal).objects.filter(pk=goal.pk).update(wake_at=None)
            cycle.work(goal.pk)
            goal.refresh_from_db()
        self.asked[text] = goal.pk
        self.goals += 1


def _file(task: str, ending: str) -> str:
    name = task.replace(" ", "_")
    return f"{name}.{ending}" if ending else name


if __name__ == "__main__":
    main()
