"""A plan like one that was approved before: its page says what differs, and folds what is the same."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.bdi.plans.document import IntentSpec, Parameter
from agents.models import Goal, IntentPlan, ShadowRun
from agents.rules.trigger_words import Said, in_words
from agents.workspaces import workspaces
from library import embedding
from library.memory import services as memory
from people.models import User
from review.deciding import decisions
from review.entries import risks
from review.models import Approval, Decision
from review.policy.verdict import Action
from sandbox.store.snapshots import EMPTY
from tests.library.vectors import install
from tests.review.plans import goal_of, proposed, step, tried
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
MOST_WORDS = 300
_UNREAD = {"select", "script", "dialog"}
# For screen readers; on a phone; while a step is left out.
_UNSEEN = {"vh", "show-s", "only-s", "when-part", "when-off"}
_VOID = {"br", "hr", "img", "input", "link", "meta", "path", "source", "use"}


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@dataclass(frozen=True)
class _Element:
    tag: str
    is_hidden: bool
    is_closed: bool


class _Visible(HTMLParser):
    """The words of <main> that stand on the page before anything is opened; of a closed fold those of its summary."""

    def __init__(self) -> None:
        super().__init__()
        self._around: list[_Element] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        given = dict(attrs)
        around = self._around[-1] if self._around else _Element("", False, False)
        is_hidden = around.is_hidden or (around.is_closed and tag != "summary")
        is_hidden |= tag in _UNREAD or "hidden" in given or not _UNSEEN.isdisjoint((given.get("class") or "").split())
        self._around.append(_Element(tag, is_hidden, tag == "details" and "open" not in given))

    def handle_endtag(self, tag: str) -> None:
        while tag not in _VOID and self._around and self._around.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        if any(one.tag == "main" for one in self._around) and not self._around[-1].is_hidden:
            self.words += data.split()


def visible(page: str) -> str:
    read = _Visible()
    read.feed(page)
    return " ".join(read.words)


def plain(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def steps_for(name: str, *, script: str = "print('here')\n") -> list[IntentSpec]:
    """What the rule for projects comes to."""
    in_rule = Parameter("venv_name", ".venv", "explicit", note="written in the rule “set up a virtual environment”")
    return [
        step("mkdir", path=name),
        step("cd", path=name),
        replace(step("create_venv", venv_name=".venv"), parameters=(in_rule,)),
        step("activate_venv", venv_name=".venv"),
        step("write", path="main.py", content=script, mode="overwrite"),
        step("run", command_line="python main.py"),
    ]


def cleanup_for(name: str) -> list[IntentSpec]:
    return [step("toggle_autonomous_mode", on=True), step("rm", path=f"{name}/.venv"), step("rm", path=name)]


def project(owner: User, name: str, **also: Any) -> IntentPlan:
    steps = steps_for(name, **also)
    evidence = {
        "rule": {"name": "start a project", "version": "1.0.0"},
        "trigger": "(create|start) a [new] project named {name}",
    }
    goal = goal_of(owner, f"Create a Python project named {name}")
    plan = proposed(goal, steps, cleanup=cleanup_for(name), evidence=evidence)
    tried(plan)
    return plan


def ended_well(plan: IntentPlan, by: User) -> IntentPlan:
    """As a plan stands after a person approved it and it was done."""
    decisions.approve(plan, by=by, digest=plan.digest)
    IntentPlan.objects.filter(pk=plan.pk).update(state="complete", approved_digest=plan.digest)
    memory.record(
        goal_ref=str(plan.goal_id),
        owner=plan.goal.submitted_by,
        primary_goal_description=plan.goal.text,
        final_outcome="success",
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
        workflow_id=str(plan.pk),
    )
    embedding.embed_missing()
    return plan


@pytest.fixture
def weather(submitter: User, judge: User) -> IntentPlan:
    """A project that was approved and made."""
    return ended_well(project(submitter, "weather"), judge)


def page_of(client: Client, plan: IntentPlan) -> str:
    response = client.get(plan.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


def test_the_first_line_says_what_is_the_same_and_which_values_differ(
    weather: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    seen = visible(page_of(client, project(submitter, "tides")))
    approved = f"{weather.approval.at.day} {weather.approval.at:%B %Y}"
    assert f"Same as plan {weather.pk} , approved on {approved} by Jo Lindt, but weather → tides" in seen
    same = visible(page_of(client, project(submitter, "weather")))
    assert f"Same as plan {weather.pk} , approved on {approved} by Jo Lindt. Compare" in same


def test_a_familiar_plan_takes_few_words_and_hides_nothing_that_cannot_be_opened(
    weather: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = project(submitter, "tides")
    tried(plan)
    page = page_of(client_of(judge), plan)
    seen, whole = visible(page), plain(page)
    assert len(seen.split()) <= MOST_WORDS, len(seen.split())
    # Each command with its values, what differs, and what is risky.
    for words in (
        "mkdir tides",
        "path weather tides",
        "run python main.py",
        "path main.py",
        "rm tides/.venv, rm tides",
    ):
        assert words in seen, words
    assert "a program may change any file of the workspace" in seen
    # Everything else is there, one fold further.
    for argument in ("print('here')", "overwrite", "venv_name", "because the rule says so", "start a project"):
        assert argument in whole, argument
    assert seen.count("fewer than 10 cases so far") == 1
    assert "too few to know" not in seen.replace("cases so far, too few to know how often that fails", "")


def test_a_plan_that_is_not_familiar_is_shown_whole(submitter: User, judge: User, client_of: ClientOf) -> None:
    plan = project(submitter, "tides")
    seen = visible(page_of(client_of(judge), plan))
    assert "Same as" not in seen
    for words in ("because the rule says so", "venv_name .venv", "Why this plan"):
        assert words in seen, words


def test_a_long_text_that_differs_is_not_folded(
    weather: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = project(submitter, "tides", script="import os\nos.listdir()\n")
    seen = visible(page_of(client_of(judge), plan))
    assert "but weather → tides , another content of step 5" in seen
    assert "os.listdir()" in seen
    assert f"Differs from plan {weather.pk}: content" in seen


@pytest.mark.parametrize("why", ["forged", "a policy", "failed", "other bytes"])
def test_only_what_a_person_approved_and_what_ended_well_makes_a_plan_familiar(
    why: str,
    weather: IntentPlan,
    submitter: User,
    judge: User,
    keeper: User,
    client_of: ClientOf,
    without_guard: Callable[[str, str], AbstractContextManager[None]],
) -> None:
    of_weather = IntentPlan.objects.filter(pk=weather.pk)
    if why == "failed":
        of_weather.update(state="failed")
    elif why == "other bytes":
        with without_guard("agents_intentplan", "intent_plan_immutable"):
            of_weather.update(document=bytes(weather.document) + b" ")
    elif why == "forged":
        with without_guard("review_approval", "review_approval_is_append_only"):
            Approval.objects.update(mac="0" * 64)
    else:
        version = in_force(Action.REQUIRE_TWO, keeper, commands=["rm"]).versions.get()
        with without_guard("review_decision", "review_decision_is_append_only"):
            Decision.objects.update(policy=version)
    assert "Same as" not in visible(page_of(client_of(judge), project(submitter, "tides")))


def test_what_failed_in_the_copy_is_not_folded(
    weather: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    plan = project(submitter, "tides")
    tried(plan, failed_at=6)
    assert ShadowRun.objects.filter(intent_plan=plan).latest("number").state == "done"
    seen = visible(page_of(client_of(judge), plan))
    assert "Step 6 would fail: exit code 1" in seen
    assert "It failed in its dry run." in seen


def test_a_clean_up_that_is_dangerous_is_not_folded(submitter: User, judge: User, client_of: ClientOf) -> None:
    harmless = project(submitter, "tides")
    tried(harmless)
    client = client_of(judge)
    assert "because the rule says so" not in visible(page_of(client, harmless)).split("Only after a failure")[1]
    plan = proposed(goal_of(submitter), steps_for("tides"), cleanup=cleanup_for("theirs"))
    tried(plan)
    assert "because the rule says so" in visible(page_of(client, plan)).split("Only after a failure")[1]


def test_precedents_that_are_too_far_are_not_shown(
    weather: IntentPlan, submitter: User, judge: User, client_of: ClientOf
) -> None:
    client = client_of(judge)
    near = proposed(goal_of(submitter, "Create a Python script named tides"))
    assert "project named weather" in page_of(client, near)
    far = proposed(goal_of(submitter, "Look for a Python in Asia"))
    assert "No similar earlier goal that you can see" in page_of(client, far)


def test_a_value_of_a_rule_has_the_rules_colour(submitter: User, judge: User, client_of: ClientOf) -> None:
    page = page_of(client_of(judge), project(submitter, "tides"))
    badges = re.findall(r'<span class="origin" data-o="(\w+)">(?:(?!</span></span>).)*?written in the rule', page)
    assert badges
    assert set(badges) == {"rule"}


def test_the_trigger_of_a_rule_is_a_sentence_with_its_choices(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    page = plain(page_of(client_of(judge), project(submitter, "tides")))
    assert "for goals to create or start a project named {name}" in page
    assert "Such a goal can also include: new" in page


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("greet {name}", Said("greet {name}")),
        ("(create|make|set up) {name}", Said("create, make or set up {name}")),
        ("create a [new] {name} [(in|with) a venv]", Said("create a {name}", ("new", "in or with a venv"))),
        ("a ([old] b|c (d|e))", Said("a (old) b, or c d or e")),
        ("a (b", Said("a (b")),
        ("a ] b", Said("a ] b")),
        ("[" * 50 + "a" + "]" * 50, Said("[" * 50 + "a" + "]" * 50)),
    ],
)
def test_a_pattern_is_said_in_words(pattern: str, said: Said) -> None:
    assert in_words(pattern) == said


def test_the_limits_of_every_step_are_on_the_page_and_folded(submitter: User, judge: User, client_of: ClientOf) -> None:
    usual = step("mkdir", path="notes")
    other = replace(step("run", command_line="ls"), limits={"memory_bytes": 2 << 30}, hosts=("example.org",))
    page = page_of(client_of(judge), proposed(goal_of(submitter), [usual, other, usual]))
    limits = page[page.index('<details class="part" id="limits">') :].split("</details>")[0]
    first, second = plain(limits).split("Step 2")
    assert "Steps 1, 3 memory 1 GiB" in first
    for words in ("time unless the step says otherwise 30 s", "output in all", "may reach no other machine"):
        assert words in first, words
    assert "memory 2 GiB usually 1 GiB" in second
    assert "may reach example.org" in second
    alike = plain(page_of(client_of(judge), proposed(goal_of(submitter), [usual, usual])))
    assert "Every step memory 1 GiB" in alike


# --- what a plan with the same steps meets -------------------------------------------------------------------


def over(owner: User, held: str, *, deletes: bool = False, program: str = "") -> IntentPlan:
    """A plan that meets a file with this content: it runs it, overwrites it, or deletes it."""
    goal = goal_of(owner, "Renew the report")
    workspaces.put_file(goal.workspace, by=owner, path="job.py", source=io.BytesIO(held.encode()))
    steps = [step("write", path="job.py", content="print(2)", mode="overwrite")]
    if program:
        steps = [step("run", command_line=program)]
    if deletes:
        steps = [step("toggle_autonomous_mode", on=True), step("rm", path="job.py")]
    plan = proposed(Goal.objects.get(pk=goal.pk), steps)
    run = tried(plan)
    if deletes:
        run.after = EMPTY
        run.save()
        risks.store(plan, run)
    return plan


@pytest.mark.parametrize("program", ["", "python job.py", "pytest"])
def test_the_same_steps_on_other_contents_are_not_familiar(
    program: str, submitter: User, judge: User, client_of: ClientOf
) -> None:
    earlier = ended_well(over(submitter, "print(1)", program=program), judge)
    client = client_of(judge)
    same = visible(page_of(client, over(submitter, "print(1)", program=program)))
    assert f"Same as plan {earlier.pk}" in same
    other = visible(page_of(client, over(submitter, "steal()", program=program)))
    assert "Same as plan" not in other
    assert f"Same steps as plan {earlier.pk}" in other
    assert "but with other files" in other


def test_what_deletes_is_never_familiar(submitter: User, judge: User, client_of: ClientOf) -> None:
    ended_well(over(submitter, "print(1)", deletes=True), judge)
    seen = visible(page_of(client_of(judge), over(submitter, "print(1)", deletes=True)))
    assert "Same as plan" not in seen
    assert "Deletes job.py, which exists nowhere else" in seen


def test_the_same_contents_under_other_names_are_not_familiar(
    submitter: User, judge: User, client_of: ClientOf
) -> None:
    def job(first: str, second: str) -> IntentPlan:
        goal = goal_of(submitter, "Renew the report")
        held = {"job.py": "exec(open('a.py').read()); len(open('b.py').read())", "a.py": first, "b.py": second}
        for path, content in held.items():
            workspaces.put_file(goal.workspace, by=submitter, path=path, source=io.BytesIO(content.encode()))
        plan = proposed(Goal.objects.get(pk=goal.pk), [step("run", command_line="python job.py")])
        run = tried(plan)
        run.findings = [{**one, "reads": sorted(held)} for one in run.findings]
        run.save()
        risks.store(plan, run)
        return plan

    earlier = ended_well(job("print(1)", "steal()"), judge)
    client = client_of(judge)
    assert f"Same as plan {earlier.pk}" in visible(page_of(client, job("print(1)", "steal()")))
    assert "Same as plan" not in visible(page_of(client, job("steal()", "print(1)")))
