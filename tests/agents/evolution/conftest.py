"""A rule that runs a program over a list of numbers, and goals that it planned."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.execution.conftest import give_up

if TYPE_CHECKING:
    from agents.models import Goal
    from library.models import ComponentVersion
    from people.models import User

RULE = """RULE total a list
IF your task is to total the list {file}
THEN:
  # The program adds the numbers up.
  run python PROGRAM.py {file}
"""
STRICT = "import sys\nprint(sum(int(line) for line in open(sys.argv[1])))\n"
LENIENT = "import sys\nprint(sum(int(line) for line in open(sys.argv[1]) if line.strip()))\n"
PICKY = "import sys\nprint(sum(int(line.strip() or 0) for line in open(sys.argv[1]) if line != '7\\n' or 1 / 0))\n"
Totalled = Callable[..., Any]


def rule(program: str) -> str:
    return RULE.replace("PROGRAM", program)


@pytest.fixture
def strict(operator: User) -> ComponentVersion:
    from library.components import services

    return services.publish("rule", "total a list", rule("strict"), by=operator, status="active")


@pytest.fixture
def totalled(owner: User, reviewer: User, strict: ComponentVersion, make_goal: Callable[..., Goal]) -> Totalled:
    """`totalled("1\n2\n")`: a goal that the rule planned and that ran to its end, well or badly."""
    from agents.cycle import cycle
    from agents.models import HandItem
    from agents.workspaces import workspaces
    from review.deciding import decisions

    def made(numbers: str, *, give_it_up: bool = True) -> Goal:
        goal = make_goal(owner, "total the list numbers.txt")
        programs = {"strict.py": STRICT, "lenient.py": LENIENT, "picky.py": PICKY, "numbers.txt": numbers}
        for path, text in programs.items():
            workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(text.encode()))
        cycle.work(goal.pk)
        plan = goal.intent_plans.get()
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(goal.pk)
        if give_it_up and HandItem.objects.filter(goal=goal, answered_at=None).exists():
            give_up(goal.pk, owner)
        goal.refresh_from_db()
        return goal

    return made


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`repeated(7)`: the newest goal of a component stands for seven cases; each is done anew for itself."""
    from agents.evolution.replays import cases

    real = cases.newest

    def made(times: int) -> None:
        monkeypatch.setattr(cases, "newest", lambda component, most: real(component, 1) * min(most, times))

    return made
