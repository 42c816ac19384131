"""Every rule that ships has a trial: a goal in words, planned, approved, run in the jail, and its outcome checked.

The trials are in `starter_trials/`, by the name of the rule. What must be so afterwards is said as in
`benchmarks.everyday.checks`, and is not so before, which is looked at too: a check that cannot fail is none.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from agents.cycle import cycle
from agents.goals import goals
from agents.models import Attempt, Goal, IntentPlan, Workspace
from agents.record.selectors import current_plan
from agents.rules.grammar import parse
from agents.rules.starter import starter_files
from agents.toolkit.registry import REGISTRY
from agents.workspaces.stores import store
from benchmarks.everyday import checks, worlds
from people.models import User
from review.deciding import decisions
from sandbox.contract import SessionState
from sandbox.sessions.session import open_session
from tests.loopback import host, index_pages, wheel

TRIALS: dict[str, dict[str, dict[str, Any]]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((Path(__file__).parent / "starter_trials").iterdir())
}
_OF_RULES = {name: trial for file in TRIALS.values() for name, trial in file.items()}
_TURNS = 6
_ROOT = Path(__file__).parents[3]


def test_every_rule_has_a_trial_or_a_reason_why_it_has_none() -> None:
    shipped = {rule.name for _, text in starter_files() for rule in parse(text)}
    assert shipped - _OF_RULES.keys() == set()
    assert _OF_RULES.keys() - shipped == set()
    assert sum(map(len, TRIALS.values())) == len(_OF_RULES)
    for name, trial in _OF_RULES.items():
        assert bool(trial.get("not_run")) != bool(trial.get("say")), name
        assert bool(trial.get("not_run")) == bool(trial.get("tried_by")), name


def test_what_has_no_trial_is_tried_by_a_test_that_is_there() -> None:
    for name, trial in _OF_RULES.items():
        file, _, test = trial.get("tried_by", "").partition("::")
        assert not file or f"def {test}(" in (_ROOT / file).read_text(), name


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a host that has /status; packages come from an index of the test's own, which has httpx."""
    made = wheel(tmp_path)
    with host(index_pages(made)) as index, host({"/status": b"all is well"}) as found:
        monkeypatch.setenv("MINDX_PACKAGE_INDEX", f"{index.address}/simple/")
        yield found.address


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("file", TRIALS)
def test_every_trial_reaches_what_its_rule_is_for(file: str, owner: User, reviewer: User, service: str) -> None:
    call_command("load_starters", verbosity=0)
    wrong = {
        name: fault
        for name, trial in TRIALS[file].items()
        if "say" in trial and (fault := _fault(name, trial, owner, reviewer, service))
    }
    assert wrong == {}


def _fault(name: str, trial: Mapping[str, Any], owner: User, reviewer: User, service: str) -> str:
    workspace = worlds.lay(trial.get("files", {}), "trial", owner)
    _prepare(workspace, trial)
    start = workspace.head
    goal = goals.submit(by=owner, text=trial["say"].replace("{web}", service), workspace=workspace)
    cycle.work(goal.pk)
    goal.refresh_from_db()
    plan = current_plan(goal)
    if plan is None:
        return f"no plan: {goal.state}, {goal.reason}"
    if (used := plan.plan.evidence.get("rule", {}).get("name")) != name:
        return f"planned by {used}"
    if fault := _carried_out(goal, reviewer):
        return fault
    goal.refresh_from_db()
    expected = trial.get("outcome", "achieved")
    if goal.outcome != expected:
        return f"its outcome is {goal.outcome}, and was to be {expected}"
    return "; ".join(_outcome(trial, goal, start))


def _prepare(workspace: Workspace, trial: Mapping[str, Any]) -> None:
    """What is done in the workspace before the goal, each as tool, command and parameters."""
    if not trial.get("before"):
        return
    with _laid(workspace.head) as root:
        with open_session(root, SessionState()) as session:
            for tool, command, params in trial["before"]:
                asked = REGISTRY.command(tool, command)
                for request in asked.requests({**asked.defaults(), **params}):
                    assert session.execute(request).ok, (tool, command)
        Workspace.objects.filter(pk=workspace.pk).update(head=store().take(root).digest)
    workspace.refresh_from_db()


@contextmanager
def _laid(digest: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rule-trial-") as folder:
        root = Path(folder) / "workspace"
        store().checkout(digest, root)
        yield root


def _carried_out(goal: Goal, reviewer: User) -> str:
    """Approve what is planned and run it; why the goal was not reached, "" where it was."""
    for _ in range(_TURNS):
        plan: IntentPlan | None = current_plan(goal)
        if goal.state == "awaiting_review" and plan is not None:
            decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        elif goal.state not in ("pending", "recovering", "executing"):
            break
        Goal.objects.filter(pk=goal.pk).update(wake_at=None)
        cycle.work(goal.pk)
        goal.refresh_from_db()
    return "" if goal.state == "achieved" else f"{goal.state}: {goal.reason}"


def _outcome(trial: Mapping[str, Any], goal: Goal, start: str) -> Iterator[str]:
    done = Attempt.objects.filter(intent__intent_plan__goal=goal, outcome="succeeded")
    answers = [one.result or {} for one in done.order_by("pk")]
    goal.workspace.refresh_from_db()
    with _laid(start) as before, _laid(goal.workspace.head) as now:
        yield from checks.faults(trial, now, before, answers)
        if not checks.faults({**trial, "unchanged": False}, before, before, []):
            yield "its check holds before anything is done, so it cannot fail"
