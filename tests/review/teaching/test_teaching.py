"""Teaching by an edit: who may, what it may mean, that nothing is kept which was not tried, and that pages tell no more
than their reader may know.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.components import rule_writing
from agents.cycle import cycle
from agents.models import Goal, IntentPlan, Lesson
from agents.record.errors import NotYours
from agents.toolkit.registry import REGISTRY, UnknownTool
from agents.tuning import lessons
from agents.workspaces import workspaces
from library.components import services as component_services
from people.models import User
from people.roles import Role
from review.deciding import editing
from review.errors import WordsRefused
from review.models import Decision
from review.reading import teachable
from review.reading.teachable import Teachable
from review.teaching import lessons as teaching
from review.teaching import rule_changes
from tests.review import plans

RULE = """RULE look closely
IF your task is to look closely at {name}
CONSIDERING there is a file named README.md
THEN:
  read the file {name}
  read the file src/util.py
  create the file notes/{name} with {name}
  read the file notes/{name}
"""
pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User], Client]


@pytest.fixture(autouse=True)
def _word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.library.vectors import install

    install(monkeypatch)


@pytest.fixture
def planned(make_goal: Callable[..., Goal]) -> Callable[..., IntentPlan]:
    """`planned(user, "text")`: the plan of a goal over a few files, as the worker makes it."""

    def made(by: User, text: str) -> IntentPlan:
        goal = make_goal(by, text)
        for path in ("README.md", "src/app.py", "src/util.py"):
            workspaces.put_file(goal.workspace, by=by, path=path, source=io.BytesIO(b"x = 1\n"))
        cycle.work(goal.pk)
        return goal.intent_plans.get()

    return made


@pytest.fixture
def edited(reviewer: User, planned: Callable[..., IntentPlan]) -> IntentPlan:
    """The reviewer's own goal “show app”, whose path they corrected."""
    plan = planned(reviewer, "show app")
    return editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "src/util.py"})


def address(plan: IntentPlan, position: int = 1, parameter: str = "path") -> str:
    return f"/review/{plan.pk}/teach/{position}/{parameter}/"


def words_of(response: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def hidden(page: Any, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.content.decode())
    assert found is not None
    return found[1]


def tried(client: Client, plan: IntentPlan, **values: str) -> Any:
    return client.post(address(plan), {"as": "mapping", "said": "app", "where": "here", **values, "act": "try"})


def taught(client: Client, plan: IntentPlan, **values: str) -> Any:
    """As a person does it: try, read, teach."""
    page = tried(client, plan, **values)
    assert page.status_code == 200, words_of(page)
    sent = {"as": "mapping", "said": "app", "where": "here", **values, "act": "teach"}
    return client.post(address(plan), sent | {name: hidden(page, name) for name in ("tried", "seen")})


def path_of(plan: IntentPlan) -> str:
    return str(documents.read(bytes(plan.document)).at(1).params["path"])


def test_an_edit_is_offered_tried_taught_and_holds_for_ones_next_goal(
    edited: IntentPlan, reviewer: User, owner: User, client_of: ClientOf, planned: Callable[..., IntentPlan]
) -> None:
    client = client_of(reviewer)
    assert address(edited) in client.get(edited.get_absolute_url()).content.decode()
    form = words_of(client.get(address(edited)))
    assert "was planned src/app.py should be src/util.py" in form
    page = tried(client, edited)
    assert "Your goals: 1 of 1 would end differently" in words_of(page), "what a person wrote was not planned"
    assert "would not change how goal" not in words_of(page)
    assert not Lesson.objects.exists(), "a trial keeps nothing"
    assert taught(client, edited).status_code == 302
    lesson = Lesson.objects.get()
    assert (lesson.said, lesson.path, lesson.tool, lesson.parameter) == ("app", "src/util.py", "simple_coder", "path")
    assert (lesson.teacher, lesson.plan, lesson.step) == (reviewer, edited, 1)
    mine = planned(reviewer, "show app")
    assert path_of(mine) == "src/util.py"
    assert path_of(planned(owner, "show app")) == "src/app.py"


def test_nothing_is_taught_that_was_not_tried(edited: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    sent = {"as": "mapping", "said": "app", "where": "here", "act": "teach", "seen": "0"}
    assert "values changed after the trial" in words_of(client.post(address(edited), sent))
    page = tried(client, edited)
    other = {**sent, "where": "everywhere", "tried": hidden(page, "tried")}
    assert "values changed after the trial" in words_of(client.post(address(edited), other))
    assert not Lesson.objects.exists()


def test_who_may_not_edit_the_plan_may_not_teach_by_it(
    owner: User, reviewer: User, outsider: User, operator: User, client_of: ClientOf, settings: Any,
    planned: Callable[..., IntentPlan],
) -> None:  # fmt: skip
    plan = planned(owner, "show app")
    made = editing.edit(plan, by=reviewer, digest=plan.digest, position=1, params={"path": "src/util.py"})
    for somebody, status in ((owner, 403), (operator, 403), (outsider, 404)):
        client = client_of(somebody)
        assert client.get(address(made)).status_code == status
        assert client.post(address(made), {"as": "mapping", "act": "try"}).status_code == status
    for somebody in (owner, operator):
        assert "Teach this" not in words_of(client_of(somebody).get(made.get_absolute_url()))
    edit = teaching.edit_of(made, 1, "path")
    assert edit is not None
    what = teaching.taught_by(edit, "mapping")
    with pytest.raises(NotYours):
        teaching.teach(edit, what, by=owner)
    with pytest.raises(NotYours):
        teaching.attempt(edit, what, by=owner, readable_goals=Goal.objects.none())
    settings.FOUR_EYES = True
    mine = planned(reviewer, "show app")
    by_other = plans.person("rob", Role.REVIEWER)
    own = editing.edit(mine, by=by_other, digest=mine.digest, position=1, params={"path": "src/util.py"})
    assert client_of(reviewer).get(address(own)).status_code == 403, "who may not edit a plan of their own"
    assert not Lesson.objects.exists()


def test_addresses_of_what_nobody_edited_are_404(
    edited: IntentPlan, reviewer: User, client_of: ClientOf, planned: Callable[..., IntentPlan]
) -> None:
    """The agent never teaches: a revision that planning made has nothing to teach, whatever it says."""
    client = client_of(reviewer)
    for wrong in (address(edited, 2), address(edited, 1, "content"), address(edited, 0), address(edited, 1, "x" * 300)):
        assert client.get(wrong).status_code == 404, wrong
    assert client.get(address(planned(reviewer, "show app"))).status_code == 404
    first = edited.goal.intent_plans.get(revision=1)
    assert client.get(address(first)).status_code == 404, "the edit is of the revision that it made"


def test_what_was_not_said_or_not_edited_is_not_taught(edited: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    for wrong in ({"said": "README"}, {"as": "rule"}, {"where": "there"}, {"as": ""}):
        page = tried(client, edited, **wrong)
        assert page.status_code == 422, wrong
        assert "Nothing was taught." in words_of(page)
    assert "The goal did not use this name for the value" in words_of(tried(client, edited, said="README"))
    sent = tried(client, edited, path="README.md", default="x", tool="git_tool")
    assert "src/util.py" in words_of(sent)
    assert taught(client, edited, path="README.md").status_code == 302
    assert Lesson.objects.get().path == "src/util.py", "the path is what the edit put there"


def test_a_second_version_says_what_it_replaces_and_what_holds_for_everybody(
    edited: IntentPlan, reviewer: User, operator: User, client_of: ClientOf
) -> None:
    from agents.tuning import versions

    of = versions.kind_named("path_mapping")
    assert of is not None
    tuned = {"said": "app", "path": "README.md", "tool": "simple_coder", "parameter": "path", "in_use": True}
    versions.save(of, tuned, by=operator)
    client = client_of(reviewer)
    assert "For your own goals, your lesson comes first" in words_of(tried(client, edited))
    taught(client, edited)
    for page in (client.get(address(edited)), tried(client, edited)):
        assert "You already taught something for this: means src/util.py" in words_of(page)
    again = taught(client, edited)
    assert again.status_code == 409
    assert "taught this already" in words_of(again)


@pytest.fixture
def ruled(reviewer: User, developer: User, planned: Callable[..., IntentPlan]) -> Callable[..., IntentPlan]:
    """`ruled("README.md", "b.md")`: the reviewer's goal as a rule plans it, with another path in its first step."""
    rule_writing.save(RULE, by=developer, activate=True)

    def made(said: str, instead: str, position: int = 1) -> IntentPlan:
        plan = planned(reviewer, f"look closely at {said}")
        spec = documents.read(bytes(plan.document)).at(position)
        return editing.edit(
            plan, by=reviewer, digest=plan.digest, position=position, params={**spec.params, "path": instead}
        )

    return made


@pytest.fixture
def developer(db: None) -> User:
    """Writes rules and activates them."""
    return plans.person("dev", Role.DEVELOPER, Role.OPERATOR)


def test_a_lesson_that_changes_nothing_of_its_own_case_says_so(
    reviewer: User, client_of: ClientOf, ruled: Callable[..., IntentPlan], propose_plan: Callable[..., IntentPlan]
) -> None:
    made = ruled("README.md", "src/app.py")
    page = tried(client_of(reviewer), made, said="README.md")
    assert "It would not change how goal" in words_of(page), "a path of a rule's slot that is there stands"
    by_hand = propose_plan(reviewer)
    other = editing.edit(by_hand, by=reviewer, digest=by_hand.digest, position=1, params={"path": "papers"})
    said = words_of(tried(client_of(reviewer), other, said="notes"))
    assert f"Goal {other.goal_id} itself is not among the cases" in said
    assert "It would not change how goal" not in said


def test_where_what_the_rule_named_was_not_there_a_condition_is_prepared(
    reviewer: User, client_of: ClientOf, ruled: Callable[..., IntentPlan]
) -> None:
    made = ruled("papers.md", "README.md")
    edit = teaching.edit_of(made, 1, "path")
    assert edit is not None
    change = rule_changes.of_edit(edit)
    assert change is not None
    assert "AND there is a file named {name}" in change.body
    client = client_of(reviewer)
    page = client.get(address(made))
    assert "“papers.md” was not there" in words_of(page)
    fields = {name: unescape(hidden(page, name)) for name in ("body", "changes", "from_goal", "do")}
    assert fields["do"] == "check"
    editor = client.post(f"/rules/{change.component.pk}/edit/", fields)
    assert editor.status_code == 200
    assert "there is a file named {name}" in words_of(editor)
    assert change.component.versions.count() == 1, "nothing is saved before somebody saves it"


@pytest.mark.parametrize(
    ("said", "instead", "position", "prepared", "why"),
    [
        ("README.md", "src/app.py", 1, "", "existed, so a condition"),
        ("README.md", "src/app.py", 2, "read the file src/app.py", "prepared text says “src/app.py”"),
        ("README.md", "notes/b.md", 3, "", "does not have to exist"),
        ("README.md", "src/app.py", 4, "", "more than what the goal said for {name}"),
    ],
)
def test_what_the_rule_would_say_otherwise_is_prepared_only_where_it_is_so(
    said: str, instead: str, position: int, prepared: str, why: str, ruled: Callable[..., IntentPlan]
) -> None:
    edit = teaching.edit_of(ruled(said, instead, position), position, "path")
    assert edit is not None
    change = rule_changes.of_edit(edit)
    assert change is not None
    assert why in change.why
    assert bool(change.body) == bool(prepared)
    assert prepared in change.body


def test_of_a_tool_that_is_gone_nothing_is_taught_and_the_pages_say_so(
    ruled: Callable[..., IntentPlan], reviewer: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ruled("papers.md", "README.md")
    known = type(REGISTRY).command

    def without(registry: Any, tool: str, command: str) -> Any:
        if command == "read":
            raise UnknownTool("there is no simple_coder.read")
        return known(registry, tool, command)

    monkeypatch.setattr(type(REGISTRY), "command", without)
    client = client_of(reviewer)
    assert "Teach this" not in words_of(client.get(made.get_absolute_url()))
    page = client.get(address(made))
    assert page.status_code == 200
    assert "There is no simple_coder.read with path any more." in words_of(page)
    for kind in ("mapping", "default"):
        assert client.post(address(made), {"as": kind, "act": "try"}).status_code == 422
    assert not Lesson.objects.exists()


def test_without_a_rule_that_is_in_use_none_is_offered(
    edited: IntentPlan, ruled: Callable[..., IntentPlan], developer: User
) -> None:
    understood = teaching.edit_of(edited, 1, "path")
    made = teaching.edit_of(ruled("papers.md", "README.md"), 1, "path")
    assert understood is not None
    assert made is not None
    assert rule_changes.of_edit(understood) is None
    change = rule_changes.of_edit(made)
    assert change is not None
    component_services.retire(change.component.versions.get(), developer)
    assert rule_changes.of_edit(made) is None


def test_hidden_characters_of_a_goal_are_shown_and_not_taught(
    reviewer: User, client_of: ClientOf, edited: IntentPlan
) -> None:
    first = edited.goal.intent_plans.get(revision=1)
    spec = documents.read(bytes(first.document)).at(1)
    said = replace(spec.parameters[0], original="a\u202epp")
    goal = plans.goal_of(reviewer, "show a\u202epp")
    before = plans.proposed(goal, (replace(spec, parameters=(said, *spec.parameters[1:])),))
    made = editing.edit(before, by=reviewer, digest=before.digest, position=1, params={"path": "src/util.py"})
    page = tried(client_of(reviewer), made, said="a\u202epp")
    assert page.status_code == 422
    assert "hidden character U+202E" in words_of(page)
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", page.content.decode())


@pytest.mark.parametrize("act", ["take-back", "promote"])
def test_lessons_of_others_are_not_there(
    act: str, edited: IntentPlan, reviewer: User, outsider: User, owner: User, client_of: ClientOf
) -> None:
    taught(client_of(reviewer), edited)
    lesson = Lesson.objects.get()
    for somebody in (outsider, owner):
        client = client_of(somebody)
        assert client.get(f"/tuning/taught/{lesson.pk}/").status_code == 404
        assert client.post(f"/tuning/taught/{lesson.pk}/{act}").status_code == 404
        assert "app" not in words_of(client.get("/tuning/taught/")).split()
    if act == "promote":
        assert client_of(reviewer).post(f"/tuning/taught/{lesson.pk}/promote", {"act": "try"}).status_code == 404
    assert [row.state for row in Lesson.objects.all()] == ["in_force"]


def test_its_teacher_takes_it_back_by_one_click(edited: IntentPlan, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    taught(client, edited)
    lesson = Lesson.objects.get()
    page = client.get(f"/tuning/taught/{lesson.pk}/")
    assert "Promote" not in words_of(page)
    assert client.get(f"/tuning/taught/{lesson.pk}/take-back").status_code == 405
    answer = client.post(f"/tuning/taught/{lesson.pk}/take-back", {"seen": hidden(page, "seen"), "note": "was wrong"})
    assert answer.status_code == 302
    ended = lessons.about(reviewer.pk, lessons.Taught.of(lesson))[0]
    assert (ended.state, ended.by, ended.note) == ("taken_back", reviewer, "was wrong")
    assert "taken back" in words_of(client.get("/tuning/taught/"))
    late = client.post(f"/tuning/taught/{lesson.pk}/take-back", {"seen": str(lesson.pk)}, follow=True)
    assert "Nothing was changed." in words_of(late)


def test_an_operator_tries_it_for_everybody_and_promotes_exactly_that(
    edited: IntentPlan, reviewer: User, owner: User, operator: User, client_of: ClientOf,
    planned: Callable[..., IntentPlan],
) -> None:  # fmt: skip
    other = planned(owner, "show app")
    taught(client_of(reviewer), edited)
    lesson = Lesson.objects.get()
    client = client_of(operator)
    assert f"/tuning/taught/{lesson.pk}/" in client.get("/tuning/taught/").content.decode()
    here = f"/tuning/taught/{lesson.pk}/promote"
    untried = client.post(here, {"act": "promote", "seen": str(lesson.pk), "over": "0"})
    assert f"Goal {other.goal_id}" in words_of(untried), "it is tried first"
    assert lessons.about(reviewer.pk, lessons.Taught.of(lesson))[0].state == "in_force"
    sent = {name: hidden(untried, name) for name in ("tried", "seen", "over")}
    done = client.post(here, {"act": "promote", **sent})
    assert done.status_code == 302
    assert done.headers["Location"].startswith("/tuning/path_mapping/")
    assert path_of(planned(owner, "show app")) == "src/util.py"
    assert "promoted by opal" in words_of(client.get(done.headers["Location"]))


def test_the_page_says_who_taught_a_value_only_to_who_may_read_that_plan(
    owner: User, reviewer: User, client_of: ClientOf, planned: Callable[..., IntentPlan]
) -> None:
    foreign = planned(owner, "show app")
    made = editing.edit(foreign, by=reviewer, digest=foreign.digest, position=1, params={"path": "src/util.py"})
    taught(client_of(reviewer), made)
    mine = planned(reviewer, "show app")
    assert path_of(mine) == "src/util.py"
    page = client_of(reviewer).get(mine.get_absolute_url())
    assert f"taught by Rita Holm from plan {made.pk}" in words_of(page)
    # Whoever taught by somebody else's plan may lose the right to read it.
    reviewer.roles = ["submitter"]
    reviewer.save()
    page = client_of(reviewer).get(mine.get_absolute_url())
    assert "taught by Rita Holm" not in words_of(page)
    assert f"/review/{made.pk}/" not in page.content.decode()
    assert f"plan {made.pk}" not in words_of(client_of(reviewer).get(f"/tuning/taught/{Lesson.objects.get().pk}/"))


def _of(command: str, name: str, after: Any, **params: Any) -> Teachable:
    spec = replace(plans.step(command, **params), position=1)
    document = documents.Document("1", "say it", "w", "b", 1, "rule", (spec,), ())
    found = teachable.of_edit(document, 1, name, after, REGISTRY)
    assert found is not None
    return found


def _cases() -> Iterator[tuple[Teachable, str, str]]:
    yield _of("read", "path", "b.py", path="a.py"), "", ""
    yield _of("write", "content", "b", path="a.py", content="a"), "This is not a path", ""
    yield _of("read", "path", None, path="a.py"), "was removed", "was removed"
    result = "{{intents.1.result.path}}"
    yield _of("read", "path", result, path="a.py"), "result of another step", "result of another step"
    yield _of("read", "colour", "b", colour="a"), "no simple_coder.read with colour", "no simple_coder.read with colour"
    yield _of("fly", "path", "b", path="a"), "no simple_coder.fly", "no simple_coder.fly"
    yield _of("ls", "path", "b"), "The goal did not use a name", ""


@pytest.mark.parametrize("case", list(_cases()), ids=lambda case: f"{case[0].command}-{case[0].parameter}")
def test_what_an_edit_may_teach(case: tuple[Teachable, str, str]) -> None:
    found, no_mapping, no_default = case
    assert no_mapping in found.why_no_mapping
    assert no_default in found.why_no_default
    assert bool(found.why_no_mapping) == bool(no_mapping)
    assert bool(found.why_no_default) == bool(no_default)


def test_a_path_counts_from_the_root_whatever_folder_the_step_begins_in() -> None:
    specs = [plans.step("cd", path="src"), plans.step("read", path="app")]
    numbered = tuple(replace(spec, position=at) for at, spec in enumerate(specs, 1))
    document = documents.Document("1", "say it", "w", "b", 1, "rule", numbered, ())
    found = teachable.of_edit(document, 2, "path", "util.py", REGISTRY)
    assert found is not None
    assert (found.path, found.said) == ("src/util.py", ("app",))
    assert "begins in src" in found.why_no_default


def test_an_edit_that_cannot_teach_is_refused_however_it_is_asked(edited: IntentPlan, reviewer: User) -> None:
    edit = teaching.edit_of(edited, 1, "path")
    assert edit is not None
    barred = replace(edit, teachable=replace(edit.teachable, why_no_mapping="no", why_no_default="no"))
    for kind in ("mapping", "default", "rule"):
        with pytest.raises(WordsRefused):
            teaching.taught_by(barred, kind)
    assert Decision.objects.filter(verdict="edit").count() == 1
