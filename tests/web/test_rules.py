"""The pages of plan rules: read by everybody, tried by everybody, written and activated by those who may."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from django.core.management import call_command
from django.test import Client

from agents.models import Goal, IntentPlan, Workspace
from library.components import services
from library.models import Component, ComponentVersion
from people.models import User
from tests.library.vectors import WordVectors, install

ClientOf = Callable[[User], Client]
Status = ComponentVersion.Status

GREET = """RULE greet somebody
IF your task is to greet {name}
CONSIDERING there is no file or folder named {name}
THEN:
  # A folder is a greeting that lasts.
  create the folder {name}
ON FAILURE: remove the folder {name}
"""
HOSTILE = "<script>alert(1)</script><b>bold</b>\u202e"


@pytest.fixture(autouse=True)
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


@pytest.fixture
def greet(operator: User) -> ComponentVersion:
    return services.publish("rule", "greet somebody", GREET, by=operator, status="active", applicability_text="greet")


def text_of(client: Client, address: str, **headers: str) -> str:
    answer = client.get(address, headers=headers or None)
    assert answer.status_code == 200, answer.content.decode()[:3000]
    return answer.content.decode()


def words_of(page: str) -> str:
    """The page as a reader meets it: without tags, white space made single."""
    parts: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            parts.append(data)

    Reader().feed(page)
    return " ".join(" ".join(parts).split())


def versions() -> list[tuple[str, str]]:
    return [(one.version, one.status) for one in ComponentVersion.objects.order_by("pk")]


# --- the list --------------------------------------------------------------------------------------------------------
def test_an_empty_library_says_what_fills_it(owner: User, client_of: ClientOf) -> None:
    page = text_of(client_of(owner), "/rules/")
    assert "No rule yet" in page
    assert "loaded when it starts" in page


def test_every_starter_rule_is_listed_with_wordings_version_and_nothing_to_mend(
    owner: User, client_of: ClientOf
) -> None:
    call_command("load_starters")
    page = text_of(client_of(owner), "/rules/")
    words = words_of(page)
    for component in Component.objects.filter(kind="rule"):
        assert f'href="/rules/{component.pk}/"' in page
        assert f"{component.name} 1.0.0" in words
    assert "python project (named|called) {name}" in words
    assert "is-bad" not in page


def test_a_rate_is_unknown_below_ten_and_shown_with_its_number_from_there(
    owner: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    for _ in range(9):
        services.record_use(greet.pk, succeeded=True)
    words = words_of(text_of(client_of(owner), "/rules/"))
    assert "? 9 of 9 worked" in words
    assert "100 %" not in words
    services.record_use(greet.pk, succeeded=False)
    assert "90 % worked, n = 10" in words_of(text_of(client_of(owner), "/rules/"))


def test_a_search_finds_names_tasks_and_steps(owner: User, client_of: ClientOf, greet: ComponentVersion) -> None:
    client = client_of(owner)
    for query in ("GREET", "folder lasts", "create the folder"):
        assert "greet somebody" in text_of(client, f"/rules/?q={query}")
    page = text_of(client, "/rules/?q=nothing+like+it", **{"HX-Request": "true", "HX-Target": "found"})
    assert page.lstrip().startswith('<div class="stack" id="found">')
    assert "No matching rules" in page


def test_a_rule_that_cannot_be_read_is_listed_with_its_line(owner: User, operator: User, client_of: ClientOf) -> None:
    services.publish("rule", "broken", "IF your task is to greet {name}\n", by=operator, status="active")
    words = words_of(text_of(client_of(owner), "/rules/"))
    assert "1 error" in words
    assert "line 1: the rule has no body" in words


# --- one rule --------------------------------------------------------------------------------------------------------
def test_a_rule_shows_its_text_its_commands_and_its_conditions(
    owner: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    page = text_of(client_of(owner), f"/rules/{greet.component_id}/")
    words = words_of(page)
    assert 'id="L7"' in page
    assert 'SimpleCoder.mkdir(path="{name}")' in words
    assert "A folder is a greeting that lasts." in words
    assert "Only if there is no file or folder named {name}" in words
    assert "On failure" in words
    assert "SimpleCoder.rm" in words


def test_two_versions_are_compared_deletions_first(
    owner: User, operator: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    body = GREET.replace("CONSIDERING there is no file", "CONSIDERING python is installed AND there is no file")
    newer = services.publish("rule", "greet somebody", body, by=operator)
    address = f"/rules/{greet.component_id}/?version={newer.pk}&against={greet.pk}"
    page = text_of(client_of(owner), address)
    assert "1.0.0 to 1.1.0" in page
    assert page.index('<li class="d">') < page.index('<li class="a">')
    assert "−1" in page
    assert "+1" in page


@pytest.mark.parametrize("address", ["/rules/0/", "/rules/0/edit/", "/rules/{pk}/?version=0", "/rules/{pk}/?against=x"])
def test_what_is_not_there_is_not_found(
    owner: User, client_of: ClientOf, greet: ComponentVersion, address: str
) -> None:
    assert client_of(owner).get(address.format(pk=greet.component_id)).status_code == 404


def test_a_version_of_another_rule_or_kind_is_not_found(
    operator: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    other = services.publish("tool", "hammer", "x", by=operator)
    neighbour = services.publish("rule", "neighbour", GREET.replace("greet", "meet"), by=operator)
    client = client_of(operator)
    assert client.post(f"/rules/{greet.component_id}/versions/{neighbour.pk}/activate/").status_code == 404
    assert client.get(f"/rules/{greet.component_id}/?version={neighbour.pk}").status_code == 404
    assert client.get(f"/rules/{greet.component_id}/?version={other.pk}").status_code == 404
    assert client.get(f"/rules/{other.component_id}/").status_code == 404
    assert client.post(f"/rules/{other.component_id}/versions/{other.pk}/activate/").status_code == 404
    assert client.post(f"/rules/{greet.component_id}/versions/{other.pk}/activate/").status_code == 404
    assert client.post(f"/rules/{greet.component_id}/versions/{greet.pk}/explode/").status_code == 404


# --- trying ----------------------------------------------------------------------------------------------------------
def test_a_trial_shows_the_matrix_and_the_plan(
    owner: User, client_of: ClientOf, greet: ComponentVersion, make_workspace: Callable[..., Workspace]
) -> None:
    workspace = make_workspace(owner)
    address = f"/rules/{greet.component_id}/?goal=Greet+Nora&workspace={workspace.name}"
    page = text_of(client_of(owner), address)
    words = words_of(page)
    assert 'class="matrix"' in page
    assert 'data-e="yes" data-best' in page
    assert "applicable, lowest" in words
    assert "name = Nora" in words
    assert 'SimpleCoder.mkdir(path="Nora")' in words
    assert "After a failure" in words
    fragment = text_of(client_of(owner), address, **{"HX-Request": "true", "HX-Target": "trial"})
    assert fragment.lstrip().startswith('<div class="stack" id="trial">')


def test_a_trial_says_why_a_rule_does_not_apply(
    owner: User, operator: User, client_of: ClientOf, make_workspace: Callable[..., Workspace]
) -> None:
    body = GREET.replace("there is no file or folder named {name}", "there is a folder named {name}")
    rule = services.publish("rule", "greet somebody", body.replace("ON FAILURE: remove the folder {name}\n", ""),
                            by=operator, status="active")  # fmt: skip
    make_workspace(owner)
    words = words_of(text_of(client_of(owner), f"/rules/{rule.component_id}/?goal=Greet+Nora"))
    assert "relevant, not applicable" in words
    assert "does not hold:" in words
    assert "None: no applicable rule" in words or "None: no rule applies" in words


def test_a_goal_that_the_rule_does_not_know_is_called_not_relevant(
    owner: User, client_of: ClientOf, greet: ComponentVersion, make_workspace: Callable[..., Workspace]
) -> None:
    make_workspace(owner)
    words = words_of(text_of(client_of(owner), f"/rules/{greet.component_id}/?goal=Paint+the+house"))
    assert "not relevant" in words
    assert "The goal would wait for a person." in words


def test_a_candidate_is_tried_in_place_of_the_active_version(
    owner: User, operator: User, client_of: ClientOf, greet: ComponentVersion, make_workspace: Callable[..., Workspace]
) -> None:
    make_workspace(owner)
    body = GREET.replace("create the folder {name}", "create the folder hello")
    newer = services.publish("rule", "greet somebody", body, by=operator)
    words = words_of(text_of(client_of(owner), f"/rules/{greet.component_id}/?version={newer.pk}&goal=Greet+Nora"))
    assert 'SimpleCoder.mkdir(path="hello")' in words


def test_nobody_tries_a_rule_on_the_workspace_of_another(
    owner: User, outsider: User, client_of: ClientOf, greet: ComponentVersion, make_workspace: Callable[..., Workspace]
) -> None:
    workspace = make_workspace(owner, "secret-place")
    client = client_of(outsider)
    assert "secret-place" not in text_of(client, f"/rules/{greet.component_id}/")
    address = f"/rules/{greet.component_id}/?goal=Greet+Nora&workspace={workspace.name}"
    assert client.get(address).status_code == 404
    assert "no workspace to try it on" in text_of(client, f"/rules/{greet.component_id}/?goal=Greet+Nora")


# --- writing ---------------------------------------------------------------------------------------------------------
def test_checking_shows_problems_with_their_lines_and_stores_nothing(reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    body = "RULE a\nIF your task is to greet {name}\nTHEN: dance with {nmae}\n"
    fragment = client.post("/rules/check/", {"body": body}, headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div class="stack" id="checked">')
    assert 'id="gutter"' in fragment
    assert 'hx-swap-oob="true"' in fragment
    assert 'data-m="error">3<' in fragment
    assert "line 3" in fragment
    plain = client.post("/rules/new/", {"body": body, "do": "check"})
    assert plain.status_code == 200
    assert "line 3" in plain.content.decode()
    assert "dance with" in plain.content.decode()
    assert not Component.objects.exists()


def test_a_reviewer_saves_a_candidate(reviewer: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    answer = client.post(
        "/rules/new/", {"body": GREET.replace("\n", "\r\n"), "changes": "first", "do": "save"}, follow=True
    )
    assert "is saved as candidate" in answer.content.decode()
    version = ComponentVersion.objects.get()
    assert (version.status, version.changes, version.created_by) == (Status.CANDIDATE, "first", reviewer)
    assert version.body == GREET
    assert version.applicability_text == "greet name. greet somebody"
    assert "greet somebody 1.0.0" in words_of(text_of(client, "/rules/"))
    assert "Activate" not in text_of(client, "/rules/")


def test_an_operator_saves_and_activates(operator: User, client_of: ClientOf, greet: ComponentVersion) -> None:
    body = GREET.replace("lasts", "stays")
    client = client_of(operator)
    assert client.post(f"/rules/{greet.component_id}/edit/", {"body": body, "do": "activate"}).status_code == 302
    assert versions() == [("1.0.0", "retired"), ("1.1.0", "active")]


def test_an_operator_activates_and_retires_a_candidate(
    operator: User, reviewer: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    newer = services.publish("rule", "greet somebody", GREET.replace("lasts", "stays"), by=reviewer)
    client = client_of(operator)
    page = text_of(client, "/rules/")
    assert "Candidates" in page
    address = f"/rules/{greet.component_id}/versions/{newer.pk}"
    assert f'action="{address}/activate/"' in page
    client.post(f"{address}/activate/")
    assert versions() == [("1.0.0", "retired"), ("1.1.0", "active")]
    client.post(f"{address}/retire/")
    assert versions() == [("1.0.0", "retired"), ("1.1.0", "retired")]
    assert "is retired" in client.post(f"{address}/retire/", follow=True).content.decode()


def test_a_candidate_that_no_longer_fits_cannot_be_activated(operator: User, client_of: ClientOf) -> None:
    version = services.publish("rule", "a", "RULE a\nIF your task is to dance\nTHEN: dance\n", by=operator)
    address = f"/rules/{version.component_id}/versions/{version.pk}/activate/"
    assert "No command is said" in client_of(operator).post(address, follow=True).content.decode()
    assert versions() == [("1.0.0", "candidate")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "no rule here"),
        ("x" * 100_001, "at most 100000 characters"),
        ("RULE a\nIF your task is to dance\nTHEN: dance\n", "No command is said"),
        (GREET + "--\n" + GREET.replace("greet", "meet"), "Here are 2 rules"),
        (GREET.replace("lasts", "la\u202ests"), "hidden character U+202E"),
        (GREET.replace("lasts", "la\x07sts"), "control character"),
        (GREET.replace("lasts", "la\0sts"), "control character"),
        (GREET.replace("greet somebody", "n" * 150), "at most 120 characters"),
    ],
)
def test_a_text_that_is_no_rule_is_not_saved_and_stays_in_the_editor(
    operator: User, client_of: ClientOf, body: str, said: str
) -> None:
    answer = client_of(operator).post("/rules/new/", {"body": body, "do": "save"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert said in words_of(page)
    assert "Not saved." in page
    assert not Component.objects.exists()


def test_a_rule_keeps_its_name_and_a_new_one_needs_a_free_name(
    operator: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    client = client_of(operator)
    taken = client.post("/rules/new/", {"body": GREET.replace("lasts", "stays"), "do": "save"})
    assert "There is a rule “greet somebody” already" in taken.content.decode()
    renamed = client.post(
        f"/rules/{greet.component_id}/edit/", {"body": GREET.replace("greet somebody", "meet somebody"), "do": "save"}
    )
    assert "Keep the name" in renamed.content.decode()
    same = client.post(f"/rules/{greet.component_id}/edit/", {"body": GREET, "do": "save"})
    assert "Nothing differs" in same.content.decode()
    assert versions() == [("1.0.0", "active")]


def test_a_submitter_reads_and_checks_but_does_not_write(
    owner: User, client_of: ClientOf, greet: ComponentVersion
) -> None:
    client = client_of(owner)
    for address in ("/rules/", f"/rules/{greet.component_id}/"):
        page = text_of(client, address)
        assert "/edit/" not in page
        assert "/rules/new/" not in page
        assert "/activate/" not in page
    assert "not save" in text_of(client, "/rules/new/")
    for do in ("save", "activate"):
        body = GREET.replace("greet somebody", "meet somebody")
        refused = client.post("/rules/new/", {"body": body, "do": do})
        assert refused.status_code == 403
        assert "roles" in refused.content.decode()
        changed = GREET.replace("lasts", "stays")
        edited = client.post(f"/rules/{greet.component_id}/edit/", {"body": changed, "do": do})
        assert edited.status_code == 403
    for move in ("activate", "retire"):
        client.post(f"/rules/{greet.component_id}/versions/{greet.pk}/{move}/")
    assert versions() == [("1.0.0", "active")]


def test_a_reviewer_does_not_activate(reviewer: User, client_of: ClientOf, greet: ComponentVersion) -> None:
    client = client_of(reviewer)
    body = GREET.replace("lasts", "stays")
    assert client.post(f"/rules/{greet.component_id}/edit/", {"body": body, "do": "activate"}).status_code == 403
    newer = services.publish("rule", "greet somebody", body, by=reviewer)
    answer = client.post(f"/rules/{greet.component_id}/versions/{newer.pk}/activate/", follow=True)
    assert "roles" in answer.content.decode()
    assert versions() == [("1.0.0", "active"), ("1.1.0", "candidate")]


def test_moves_take_post_only_and_nothing_is_seen_without_logging_in(
    operator: User, client_of: ClientOf, client: Client, greet: ComponentVersion
) -> None:
    address = f"/rules/{greet.component_id}/versions/{greet.pk}/retire/"
    assert client_of(operator).get(address).status_code == 405
    assert client_of(operator).get("/rules/check/").status_code == 405
    for path in ("/rules/", f"/rules/{greet.component_id}/", "/rules/new/", f"/rules/{greet.component_id}/edit/"):
        assert client.get(path).headers["Location"].startswith("/login/")
    assert client.post(address).headers["Location"].startswith("/login/")
    assert versions() == [("1.0.0", "active")]


def test_foreign_text_shows_its_characters_and_runs_nothing(
    operator: User, client_of: ClientOf, make_workspace: Callable[..., Workspace]
) -> None:
    body = f'RULE a\nIF your task is to greet {{name}}\nTHEN: write "{HOSTILE}" to the file {{name}}\n'
    version = services.publish(
        "rule", HOSTILE, body, by=operator, status="active", changes=HOSTILE, applicability_text="x"
    )
    changed = services.publish("rule", HOSTILE, body + f"# {HOSTILE}\n", by=operator, changes=HOSTILE)
    make_workspace(operator)
    client = client_of(operator)
    pages = [
        "/rules/",
        "/rules/?q=%3Cscript%3E",
        f"/rules/{version.component_id}/",
        f"/rules/{version.component_id}/?goal=%3Cscript%3Ealert(2)%3C/script%3E",
        f"/rules/{version.component_id}/?version={changed.pk}&against={version.pk}",
        f"/rules/{version.component_id}/edit/",
    ]
    for address in pages:
        page = text_of(client, address)
        assert "<script>alert" not in page, address
        assert "<b>bold" not in page, address
        # Only the editor itself holds the character as it is; what a person reads has it marked.
        assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", page, flags=re.DOTALL), address


# --- from a goal -----------------------------------------------------------------------------------------------------
@pytest.fixture
def worked(owner: User, make_goal: Callable[..., Goal], propose_plan: Callable[..., IntentPlan]) -> Goal:
    """A goal whose hand-written plan ran to its end."""
    goal = make_goal(owner, "Write the line hello into the file notes.txt of the folder garden")
    steps = [
        {"tool": "simple_coder", "command": "mkdir", "params": {"path": "garden"}},
        {"tool": "simple_coder", "command": "write", "params": {"path": "garden/notes.txt", "content": "hello"}},
    ]
    plan = propose_plan(goal, steps)
    Goal.objects.filter(pk=goal.pk).update(state="achieved")
    IntentPlan.objects.filter(pk=plan.pk).update(state="complete", approved_digest=plan.digest)
    goal.refresh_from_db()
    return goal


def test_a_plan_by_hand_that_worked_becomes_a_rule(
    worked: Goal, operator: User, client_of: ClientOf, make_workspace: Callable[..., Workspace]
) -> None:
    client = client_of(operator)
    page = text_of(client, f"/rules/new/?from_goal={worked.pk}")
    words = words_of(page)
    assert "Save as rule" in words
    assert "0 errors" in words
    assert "These are the steps that worked." in words
    assert "= garden" in words
    body = html.unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL).group(1))  # type: ignore[union-attr]
    assert "garden" not in body.split("THEN:")[1]
    saved = client.post("/rules/new/", {"body": body, "do": "activate", "from_goal": worked.pk}, follow=True)
    assert "is saved as active" in saved.content.decode()
    goal = "Write the line bye into the file diary.txt of the folder shed"
    version = ComponentVersion.objects.get()
    make_workspace(operator)
    tried = words_of(text_of(client, f"/rules/{version.component_id}/?goal={goal.replace(' ', '+')}"))
    assert 'path="shed/diary.txt"' in tried


def test_an_edit_that_changes_the_steps_is_seen_before_it_is_saved(
    worked: Goal, operator: User, client_of: ClientOf
) -> None:
    client = client_of(operator)
    different = (
        "RULE other\nIF your task is to write the line {text} into the file {file} of the folder {folder}\n"
        "THEN: create the folder {folder}\n"
    )
    for body, said in ((different, "These are not the steps that worked."), (GREET, "none of its wordings")):
        for address in ("/rules/check/", "/rules/new/"):
            answer = client.post(address, {"body": body, "from_goal": worked.pk, "do": "check"})
            assert said in words_of(answer.content.decode())


def test_a_goal_that_failed_or_was_planned_by_a_rule_proposes_nothing(
    worked: Goal, operator: User, client_of: ClientOf
) -> None:
    Goal.objects.filter(pk=worked.pk).update(state="failed")
    words = words_of(text_of(client_of(operator), f"/rules/new/?from_goal={worked.pk}"))
    assert "No rule can be proposed: only a goal that was achieved" in words


def test_a_goal_that_missed_what_was_asked_for_proposes_nothing(
    worked: Goal, operator: User, client_of: ClientOf
) -> None:
    Goal.objects.filter(pk=worked.pk).update(outcome="nothing_changed")
    words = words_of(text_of(client_of(operator), f"/rules/new/?from_goal={worked.pk}"))
    assert "No rule can be proposed: only a goal that was achieved" in words


def test_nobody_makes_a_rule_of_another_persons_goal(worked: Goal, outsider: User, client_of: ClientOf) -> None:
    client = client_of(outsider)
    assert client.get(f"/rules/new/?from_goal={worked.pk}").status_code == 404
    for address in ("/rules/new/", "/rules/check/"):
        assert client.post(address, {"body": GREET, "from_goal": worked.pk, "do": "check"}).status_code == 404
    for made_up in ("x", "-1", "9" * 40, "²"):
        assert client.get("/rules/new/", {"from_goal": made_up}).status_code == 404
