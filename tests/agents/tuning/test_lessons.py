"""What a person taught binds their own goals, can be ended, and is promoted for everybody; it never widens anything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from agents.bdi.plans import document as documents
from agents.bdi.plans import lessons as notes
from agents.bdi.recovery.failures import Failure, FailureClass
from agents.components import rule_writing
from agents.insights import insight_cases
from agents.models import Goal, IntentPlan, Lesson, ParameterRule, PathMapping
from agents.planning import answers
from agents.record.errors import NotPossibleNow, NotYours, TuningRefused
from agents.record.selectors import goals_visible_to
from agents.tuning import lessons, versions
from agents.tuning.lessons import Taught
from agents.tuning.trials import Clock
from agents.understanding import in_force, re_extraction
from people.models import User
from review.models import AuditEntry

pytestmark = pytest.mark.django_db(transaction=True)
APP = Taught("mapping", "simple_coder", "", "path", "app", "src/util.py")
MESSAGE = Taught("default", "git_tool", "commit", "message", default="As ever")
GoalAbout = Callable[..., Goal]


def path_of(goal: Goal) -> str:
    return str(step(goal).params["path"])


def step(goal: Goal) -> documents.IntentSpec:
    return documents.read(bytes(goal.intent_plans.order_by("-revision")[0].document)).at(1)


@pytest.fixture
def plan(goal_about: GoalAbout) -> IntentPlan:
    """A plan that an edit may have made."""
    return goal_about("show src/util.py").intent_plans.get()


def taught(what: Taught, by: User, plan: IntentPlan, **also: Any) -> Lesson:
    return lessons.teach(what, by=by, plan=plan, step=1, **also)


def test_a_lesson_binds_the_goals_of_its_teacher_and_no_others(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User
) -> None:
    assert path_of(goal_about("show app")) == "src/app.py"
    lesson = taught(APP, owner, plan)
    mine = goal_about("show app")
    assert path_of(mine) == "src/util.py"
    record = next(one for one in step(mine).parameters if one.name == "path")
    assert (record.origin, record.original) == ("mapping", "app")
    assert notes.named_in(record.origin, record.note) == lesson.pk
    assert path_of(goal_about("show app", by=outsider)) == "src/app.py"


RULE = """RULE look closely
IF your task is to look closely at {name}
THEN: read the file {name}
"""


def test_it_holds_wherever_a_path_is_settled_for_ones_goals(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    """What a rule took from the goal, what is answered to a question, what is read again after a failure."""
    rule_writing.save(RULE, by=operator, activate=True)
    papers = Taught("mapping", said="papers.md", path="README.md")
    for what in (papers, APP):
        taught(what, owner, plan)
    assert path_of(goal_about("look closely at papers.md")) == "README.md"
    assert path_of(goal_about("look closely at papers.md", by=outsider)) == "papers.md"
    for by, path in ((owner, "src/util.py"), (outsider, "src/app.py")):
        asking = goal_about("app, perhaps", by=by)
        assert asking.reason.startswith("question_open"), asking.reason
        answer = answers.answer(asking, [answers.Reply(value="show app")], by=by)
        assert documents.read(bytes(answer.document)).at(1).params["path"] == path
        tried = replace(step(goal_about("show README.md", by=by)), params={"path": "gone.py"})
        failed = Failure(FailureClass.INVALID_PARAMETERS, "there is none")
        again = re_extraction.other_values(goal_about("show app", by=by), tried, failed)
        assert again is not None
        assert again.params["path"] == path


def test_taken_back_it_counts_no_more_and_may_be_taught_again(
    goal_about: GoalAbout, plan: IntentPlan, owner: User
) -> None:
    lesson = taught(APP, owner, plan)
    lessons.take_back(lesson, by=owner)
    assert path_of(goal_about("show app")) == "src/app.py"
    with pytest.raises(NotPossibleNow, match="no longer in force"):
        lessons.take_back(lesson, by=owner)
    taught(APP, owner, plan)
    assert path_of(goal_about("show app")) == "src/util.py"
    assert [row.state for row in lessons.about(owner.pk, APP)] == ["in_force", "taken_back", "in_force"]


def test_ones_own_lesson_comes_before_what_is_tuned_for_everybody(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    of = versions.kind_named("path_mapping")
    assert of is not None
    exact = {"said": "app", "path": "README.md", "tool": "simple_coder", "parameter": "path", "in_use": True}
    versions.save(of, exact, by=operator)
    taught(Taught("mapping", said="APP", path="src/util.py"), owner, plan)
    assert path_of(goal_about("show app")) == "src/util.py", "however exactly the other says where it holds"
    assert path_of(goal_about("show app", by=outsider)) == "README.md"


def test_a_taught_default_is_taken_for_its_teacher_and_what_may_be_guessed_stays_the_operators(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    of = versions.kind_named("parameter_rule")
    assert of is not None
    rule = {"tool": "git_tool", "command": "commit", "parameter": "message", "may_be_guessed": False, "in_use": True}
    versions.save(of, rule, by=operator)
    lesson = taught(MESSAGE, owner, plan)
    found = in_force.rules(owner.pk)["git_tool", "commit", "message"]
    assert (found.default, found.may_be_guessed, found.lesson) == ("As ever", False, lesson.pk)
    goal = goal_about("commit everything")
    made = step(goal)
    assert made.params["message"] == "As ever"
    record = next(one for one in made.parameters if one.name == "message")
    assert notes.named_in(record.origin, record.note) == lesson.pk
    assert insight_cases.judge_corrections(goal.pk) == 1, "it is a value that mindX settled, like that of a rule"
    assert goal_about("commit everything", by=outsider).reason.startswith("question_open")
    (switches,) = versions.current(versions.KINDS[0])
    versions.save(switches.kind, {"fallback_to_defaults": False}, by=operator, over=switches)
    assert goal_about("commit everything").reason.startswith("question_open"), "a switch of the operators is one"


def test_the_trial_of_a_lesson_tells_what_then_really_happens(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    mine, others = goal_about("show app"), goal_about("show app", by=outsider)
    readable = goals_visible_to(operator)
    own = lessons.try_for_teacher(APP, owner, readable)
    assert (own.found, own.changed, [case.goal for case in own.cases]) == (2, 1, [mine.pk])
    everybody = lessons.try_for_everybody(APP, owner, readable)
    assert (everybody.found, {case.goal for case in everybody.cases}) == (3, {mine.pk, others.pk})
    assert not Lesson.objects.exists()
    taught(APP, owner, plan)
    assert own.cases[0].then == f"simple_coder.read path {path_of(goal_about('show app'))}"
    later = lessons.try_for_everybody(APP, owner, readable)
    assert {case.goal for case in later.cases} == {others.pk}, "for its teacher it holds already"
    assert lessons.try_for_teacher(APP, owner, Goal.objects.none(), Clock(0.0)).cases == ()


def test_the_trial_for_everybody_tells_what_its_teacher_loses_by_promoting(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, operator: User
) -> None:
    """Promoted it is one of everybody's, and of those the more exact one counts."""
    of = versions.kind_named("path_mapping")
    assert of is not None
    exact = {"said": "app", "path": "README.md", "tool": "simple_coder", "parameter": "path", "in_use": True}
    versions.save(of, exact, by=operator)
    broad = Taught("mapping", said="app", path="src/util.py")
    lesson = taught(broad, owner, plan)
    mine = goal_about("show app")
    (case,) = lessons.try_for_everybody(broad, owner, goals_visible_to(operator)).cases
    assert (case.goal, case.now) == (mine.pk, "simple_coder.read path src/util.py")
    lessons.promote(lesson, by=operator)
    assert (
        case.then == f"simple_coder.read path {path_of(goal_about('show app'))}" == "simple_coder.read path README.md"
    )


def test_a_trial_of_tuning_counts_what_people_have_taught(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    from agents.tuning import trying

    goal_about("show app")
    others = goal_about("show app", by=outsider)
    taught(APP, owner, plan)
    of = versions.kind_named("path_mapping")
    assert of is not None
    values = of.cleaned({"said": "app", "path": "README.md", "in_use": True}, {}).values
    trial = trying.try_out(of, values, by=operator)
    assert {case.goal for case in trial.cases} == {others.pk}


def test_promoted_it_binds_everybody_in_the_name_of_teacher_and_operator(
    goal_about: GoalAbout, plan: IntentPlan, owner: User, outsider: User, operator: User
) -> None:
    lesson = taught(APP, owner, plan)
    tuned = lessons.promote(lesson, by=operator, note="All say so")
    assert tuned.note == f"taught by olga in plan {plan.pk}, promoted by opal: All say so"
    assert tuned.by == operator
    assert path_of(goal_about("show app", by=outsider)) == "src/util.py"
    assert [row.lesson for row in in_force.mapped(owner.pk)] == [0], "what holds for everybody holds for its teacher"
    with pytest.raises(NotPossibleNow):
        lessons.take_back(lesson, by=owner)
    entry = AuditEntry.objects.filter(event="lesson").order_by("-pk")[0]
    assert (entry.by, entry.data["what"], entry.data["teacher"]) == (operator, "promoted", "olga")
    assert AuditEntry.objects.filter(event="parameters").count() == 1


def test_promoting_a_default_leaves_what_may_be_guessed(plan: IntentPlan, owner: User, operator: User) -> None:
    of = versions.kind_named("parameter_rule")
    assert of is not None
    rule = {"tool": "git_tool", "command": "commit", "parameter": "message", "may_be_guessed": False, "in_use": True}
    before = versions.save(of, {**rule, "default": "Once"}, by=operator)
    lesson = taught(MESSAGE, owner, plan)
    with pytest.raises(NotPossibleNow, match="in the meantime"):
        lessons.promote(lesson, by=operator, over=0)
    assert lessons.about(owner.pk, MESSAGE)[0].state == "in_force", "what is refused changes nothing"
    lessons.promote(lesson, by=operator, over=before.version)
    row = ParameterRule.objects.order_by("-pk")[0]
    assert (row.default, row.may_be_guessed, row.in_use) == ("As ever", False, True)
    counts = versions.about(of, rule)
    versions.save(of, {"in_use": False}, by=operator, over=counts)
    lessons.promote(taught(replace(MESSAGE, default="Anew"), owner, plan), by=operator)
    row = ParameterRule.objects.order_by("-pk")[0]
    assert (row.default, row.may_be_guessed) == ("Anew", True), "what is out of use says nothing"


def test_who_may_end_and_who_may_promote(
    plan: IntentPlan, owner: User, outsider: User, reviewer: User, operator: User
) -> None:
    lesson = taught(APP, owner, plan)
    for somebody in (outsider, reviewer):
        with pytest.raises(NotYours):
            lessons.take_back(lesson, by=somebody)
    for somebody in (owner, reviewer):
        with pytest.raises(NotYours):
            lessons.promote(lesson, by=somebody)
    owner.is_active = False
    with pytest.raises(NotYours):
        lessons.take_back(lesson, by=owner)
    with pytest.raises(NotYours):
        taught(MESSAGE, owner, plan)
    assert [row.state for row in Lesson.objects.all()] == ["in_force"]
    lessons.take_back(lesson, by=operator)
    with pytest.raises(NotYours):
        lessons.promote(lesson, by=reviewer)
    assert [row.by for row in Lesson.objects.all()] == [operator, owner]
    assert set(lessons.visible_to(outsider)) == set()
    assert lessons.visible_to(owner).count() == lessons.visible_to(operator).count() == 2


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (Taught("mapping", said="a\u202eb", path="x.py"), r"hidden character U\+202E"),
        (Taught("mapping", said="app", path="../x.py"), "leads out of the workspace"),
        (Taught("mapping", said="app", path="/etc/passwd"), "not inside the workspace"),
        (Taught("mapping", said="", path="x.py"), "cannot be empty"),
        (Taught("mapping", "nothing", "", "path", "app", "x.py"), "There is no nothing"),
        (Taught("mapping", "simple_coder", "", "content", "app", "x.py"), "It has no such path parameter"),
        (Taught("default", "gone_tool", "commit", "message", default="x"), "There is no gone_tool"),
        (Taught("default", "git_tool", "commit", "colour", default="x"), "takes"),
        (Taught("default", "git_tool", "commit", "message", default=7), "It "),
        (Taught("default", "simple_coder", "read", "path", default="../x"), "leads out of the workspace"),
        (Taught("default", "simple_coder", "run", "hosts", default=["example.org"]), "Hosts cannot be taught"),
        (Taught("default", "simple_coder", "toggle_autonomous_mode", "on", default=True), "autonomous mode"),
    ],
)
def test_what_cannot_be_taught_is_refused_with_its_reason(
    what: Taught, why: str, plan: IntentPlan, owner: User
) -> None:
    with pytest.raises(TuningRefused, match=why):
        taught(what, owner, plan)
    assert not Lesson.objects.exists()


def test_a_lesson_about_a_tool_that_is_gone_does_nothing_and_can_only_be_taken_back(
    plan: IntentPlan, owner: User, operator: User
) -> None:
    gone = {"kind": "default", "tool": "gone_tool", "command": "do", "parameter": "x", "default": 1}
    lesson = Lesson.objects.create(**gone, teacher=owner, by=owner, plan=plan, step=1)
    with pytest.raises(TuningRefused, match="gone_tool"):
        lessons.promote(lesson, by=operator)
    assert not ParameterRule.objects.exists()
    assert lessons.take_back(lesson, by=owner).state == "taken_back"


def test_the_database_keeps_lessons_whole(plan: IntentPlan, owner: User) -> None:
    kept = {"teacher": owner, "by": owner, "plan": plan, "step": 1}
    for wrong in (
        {"kind": "mapping", "said": "", "path": "x"},
        {"kind": "mapping", "said": "x", "path": ""},
        {"kind": "mapping", "said": "x", "path": "y", "default": 1},
        {"kind": "default", "tool": "t", "command": "c", "parameter": "p"},
        {"kind": "default", "tool": "t", "command": "", "parameter": "p", "default": 1},
        {"kind": "mapping", "said": "x", "path": "y", "state": "new"},
        {"kind": "rule", "said": "x", "path": "y"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Lesson.objects.create(**kept, **wrong)
    assert getattr(Lesson, "append_only", False) is True


def test_the_same_again_is_no_version_and_a_second_tab_is_told(plan: IntentPlan, owner: User) -> None:
    first = taught(APP, owner, plan, seen=0)
    with pytest.raises(NotPossibleNow, match="already"):
        taught(APP, owner, plan)
    other = Taught("mapping", "simple_coder", "", "path", "App", "README.md")
    with pytest.raises(NotPossibleNow, match="in the meantime"):
        taught(other, owner, plan, seen=0)
    taught(other, owner, plan, seen=first.pk)
    assert [one.path for one in in_force.mapped(owner.pk)] == ["README.md"]


def _at_once(*acts: Callable[[], object]) -> list[object]:
    """What each came to, done at the same moment on connections of their own."""
    barrier = threading.Barrier(len(acts))
    came: list[object] = [None] * len(acts)

    def run(at: int, act: Callable[[], object]) -> None:
        try:
            barrier.wait(timeout=30)
            came[at] = act()
        except (NotPossibleNow, DatabaseError) as error:
            came[at] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=60)
    return list(came)


def test_of_two_that_teach_the_same_at_once_one_does(plan: IntentPlan, owner: User) -> None:
    came = _at_once(*[lambda: taught(APP, owner, plan, seen=0)] * 2)
    assert sorted(type(one).__name__ for one in came) == ["Lesson", "NotPossibleNow"]
    assert Lesson.objects.count() == 1


def test_promoted_while_it_is_taken_back_it_is_one_of_both(plan: IntentPlan, owner: User, operator: User) -> None:
    for round_ in range(4):
        what = Taught("mapping", said=f"name {round_}", path="src/util.py")
        lesson = taught(what, owner, plan)
        came = _at_once(partial(lessons.promote, lesson, by=operator), partial(lessons.take_back, lesson, by=owner))
        assert sum(isinstance(one, NotPossibleNow) for one in came) == 1, came
        ended = lessons.about(owner.pk, what)[0].state
        assert PathMapping.objects.filter(said=what.said).exists() == (ended == "promoted")


def test_lessons_cost_planning_no_question_of_their_own(plan: IntentPlan, owner: User) -> None:
    def asked(person: int) -> int:
        with CaptureQueriesContext(
            connection,
        ) as told:
            in_force.current(person)
        return len(told)

    without = asked(in_force.NOBODY)
    for number in range(20):
        taught(Taught("mapping", said=f"name {number}", path="src/util.py"), owner, plan)
    taught(MESSAGE, owner, plan)
    assert asked(owner.pk) == without == 3


def test_the_newest_of_each_is_listed_a_page_at_a_time(plan: IntentPlan, owner: User, operator: User) -> None:
    for number in range(5):
        taught(Taught("mapping", said=f"name {number}", path="a.py"), owner, plan)
    again = taught(Taught("mapping", said="NAME 2", path="b.py"), owner, plan)
    first, older = lessons.newest(lessons.visible_to(operator), most=3)
    assert [row.said for row in first] == ["NAME 2", "name 4", "name 3"]
    assert first[0].pk == again.pk
    rest, end = lessons.newest(lessons.visible_to(operator), before=older, most=3)
    assert ([row.said for row in rest], end) == (["name 1", "name 0"], None)
