"""A plan written back as a workflow does the same: branches, retries, results and values."""

from __future__ import annotations

import pytest
import yaml

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import IntentSpec
from agents.components import workflow_library
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.models import IntentPlan
from agents.system import workflow_from_plan
from people.models import User
from tests.agents.bdi.workflows.workflow_texts import execute, parallel, text
from tests.library.vectors import install

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def write(path: str, *more: str, content: str = "x") -> str:
    return execute("simple_coder.write", f'input: {{path: {path}, content: "{content}"}}', *more)


def read(path: str, output: str) -> str:
    return execute("simple_coder.read", f"input: {{path: {path}}}", f"output_var: {output}")


def acts(spec: IntentSpec) -> tuple[object, ...]:
    return (spec.tool, spec.command, dict(spec.params), spec.depends_on, spec.branch, spec.retries)


@pytest.mark.parametrize(
    "steps",
    [
        write("first.txt")
        + parallel(
            read("a.txt", "one") + write("aa.txt", "retries: 2", content="{{one.content}}"),
            read("b.txt", "two") + write("bb.txt", "retries: 0"),
        )
        + write("last.txt", content="{{two.content}}"),
        parallel(parallel(write("a.txt"), write("b.txt")) + write("c.txt"), write("d.txt"))
        + parallel(write("e.txt"), write("f.txt"), write("g.txt")),
    ],
    ids=["one", "nested"],
)
def test_a_plan_with_branches_is_printed_back_exactly(steps: str, reviewer: User, owner: User) -> None:
    plan = workflow_goals.process(workflow_library.save(text(steps), by=reviewer), {}, Terms(owner))
    printed = workflow_from_plan.write("Again", "Printed back.", plan)
    again = workflow_goals.process(workflow_library.save(printed, by=reviewer), {}, Terms(owner))
    before, after = (documents.read(bytes(one.document)).intents for one in (plan, again))
    assert [acts(spec) for spec in after] == [acts(spec) for spec in before]
    assert workflow_from_plan.write("Again", "Printed back.", again) == printed


def test_branches_of_a_called_workflow_are_printed_in_place_and_a_branch_alone_is_steps(
    reviewer: User, owner: User
) -> None:
    workflow_library.save(text(parallel(write("a.txt"), write("b.txt")), name="Inner"), by=reviewer)
    body = text(write("first.txt") + execute("Inner", item="WORKFLOW"))
    plan = workflow_goals.process(workflow_library.save(body, by=reviewer), {}, Terms(owner))
    told = yaml.safe_load(workflow_from_plan.write("Again", "", plan))
    assert [step["type"] for step in told["steps"]] == ["EXECUTE", "PARALLEL"]
    read_back = documents.read(bytes(plan.document))
    only = IntentPlan(
        document=documents.write(documents.Document(**{**vars(read_back), "intents": read_back.intents[:2]}))
    )
    told = yaml.safe_load(workflow_from_plan.write("Again", "", only))
    assert [step["type"] for step in told["steps"]] == ["EXECUTE", "EXECUTE"]
