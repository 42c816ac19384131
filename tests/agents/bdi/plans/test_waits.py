"""Steps that wait: planned from rules, read in a forecast, not tried in a copy, and when what they wait for is so."""

from __future__ import annotations

import math

import pytest

from agents.bdi.forecast import shadow
from agents.bdi.forecast.consequences import WouldFail
from agents.bdi.planning.means_ends import plan
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.waits import Awaited, awaited, holding
from agents.rules.file_sets import FileSet, Items
from agents.toolkit.phrases import say
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from tests.agents.bdi.forecast.test_forecast import steps
from tests.agents.bdi.worlds import by_hand, known

UNTIL = {"context": "there is a file named sales.csv", "at_most_s": 600}
RULES = """RULE show when it comes
IF your task is to show {file} when it comes
THEN:
  # A person puts it there.
  WAIT UNTIL there is a file named {file} AT MOST 10 minutes
  PLAN TO show {file}
--
RULE show
IF your task is to show {file}
CONSIDERING there is a file named {file}
THEN: read {file}
"""


def planned(goal: str, rules: str = RULES) -> PlanDraft | NoPlan:
    def look(_: FileSet) -> Items:
        return Items(("a.txt",))

    return plan(goal, known(rules), [Belief("There is no file or folder named sales.csv.")], REGISTRY, look=look)


def test_a_wait_of_a_rule_is_a_step_that_says_for_what_and_how_long() -> None:
    found = planned("show sales.csv when it comes")
    assert isinstance(found, PlanDraft)
    wait, read = found.steps
    assert (wait.tool, wait.command, wait.values()) == ("waiting", "until", UNTIL)
    assert say(REGISTRY.command("waiting", "until"), wait.values()) == (
        'wait until "there is a file named sales.csv" for at most 600 seconds'
    )
    assert (wait.params["context"].origin, wait.params["at_most_s"].origin) == ("rule_slot", "explicit")
    # What is waited for is expected behind it, and what stands behind it depends on it.
    assert (wait.justification, read.depends_on) == ("A person puts it there.", (1,))


def test_a_name_with_spaces_stays_one_name_and_cannot_become_other_words() -> None:
    found = planned('show "x and there is a file named y" when it comes')
    assert isinstance(found, PlanDraft)
    assert found.steps[0].values()["context"] == 'there is a file named "x and there is a file named y"'


def test_a_wait_for_the_contrary_says_not_and_expects_nothing() -> None:
    rules = RULES.replace("WAIT UNTIL there", "WAIT UNTIL NOT there")
    assert isinstance(planned("show sales.csv when it comes", rules), NoPlan)
    alone = planned("show sales.csv when it comes", rules.split("  PLAN")[0])
    assert isinstance(alone, PlanDraft)
    assert alone.steps[0].values()["context"] == "NOT there is a file named sales.csv"


def test_a_plan_counts_no_steps_of_an_environment() -> None:
    found = planned("show sales.csv when it comes", RULES.replace("10 minutes", "10 steps"))
    assert isinstance(found, NoPlan)
    assert found.evidence["rejected"][0]["code"] == "wait_in_steps"


def test_which_files_there_will_be_behind_a_wait_nobody_says() -> None:
    texts = "RULE texts\nIF your task is to read the texts\nTHEN: FOR EACH {one} OF all .txt files: read {one}\n"
    rules = RULES.split("RULE show\n")[0].replace("PLAN TO show {file}", "PLAN TO read the texts") + texts
    found = planned("show sales.csv when it comes", rules)
    assert isinstance(found, NoPlan)
    assert "steps before it change files" in str(found.evidence)
    assert isinstance(planned("read the texts", rules), PlanDraft)


@pytest.mark.parametrize(
    ("context", "belief", "holds"),
    [
        ("there is a file named a.txt", "There is a file named a.txt.", True),
        ("NOT there is a file named a.txt", "There is no file named a.txt.", True),
        ("NOT there is a file named a.txt", "There is a file named a.txt.", False),
        ("there is a file named a.txt", "There is no file or folder named a.txt.", False),
        ("NOT there is a file named a.txt", "It rains.", False),
        ("the report is approved", "The report is approved.", True),
    ],
)
def test_it_has_to_follow_and_the_contrary_has_to_be_known(context: str, belief: str, holds: bool) -> None:
    wanted = awaited({"context": context, "at_most_s": 5})
    assert (holding(wanted, [Belief("It snows."), Belief(belief)]) is not None) is holds


def test_the_folder_of_the_session_counts() -> None:
    wanted = Awaited("there is a file named a.txt", negated=False, most_s=5)
    there = [Belief("There is a file named docs/a.txt.")]
    assert holding(wanted, there) is None
    assert holding(wanted, there, "docs") == there[0]


@pytest.mark.parametrize("confidence", [math.nan, math.inf, 0.0, -1.0])
def test_a_belief_whose_confidence_is_no_share_ends_no_wait(confidence: float) -> None:
    wanted = awaited(UNTIL)
    assert holding(wanted, [Belief("There is a file named sales.csv.", confidence=confidence)]) is None


def test_a_forecast_does_not_say_what_is_missing_behind_a_wait() -> None:
    read = ("read", {"path": "sales.csv"})
    assert len(steps(read).of(WouldFail)) == 1
    assert not steps(("waiting.until", UNTIL), read).of(WouldFail)


def test_a_shadow_run_does_not_wait() -> None:
    from tests.agents.bdi.forecast.test_shadow import _document, _spec

    wait = _spec(1, "idempotent", tool="waiting", command="until", params=UNTIL)
    read = _spec(2, "idempotent", command="read", params={"path": "sales.csv"}, depends_on=(1,))
    untried = shadow.untried(_document(wait, read))
    assert untried == {1: "what it waits for may come later, and a dry run does not wait"}
    failed = shadow.judge(read, {"status": "ERROR"}, "it is not there", 0.1, list(untried))
    assert failed.proof is shadow.Proof.UNPROVEN


def test_every_step_behind_a_wait_depends_on_it_and_it_on_every_change_before() -> None:
    wait = by_hand("until", tool="waiting", **UNTIL)
    linked = link([by_hand("mkdir", path="a"), by_hand("read", path="b"), wait, by_hand("read", path="c")], REGISTRY)
    assert [step.depends_on for step in linked] == [(), (), (1,), (3,)]
