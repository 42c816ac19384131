"""Pages of environments: start, look on, step back and forth, choose, train; refused for who may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.models import EnvironmentEpisode, EnvironmentPolicy, EnvironmentRun
from agents.simulations import scienceworld, training, working
from agents.states import EnvironmentRunState, TrainingState
from people.models import User
from tests.agents.simulations.conftest import world as world
from tests.agents.simulations.some_worlds import LIES, Button, ButtonWorld

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {
    "environment": "house", "task": "tea", "variation": "1", "share": "100", "fallback": "", "step_limit": "50",
}  # fmt: skip


def text_of(client: Client, address: str, status: int = 200, **headers: str) -> str:
    response = client.get(address, headers={name.replace("_", "-"): said for name, said in headers.items()})
    assert response.status_code == status
    return response.content.decode()


def started(client: Client, **form: str) -> EnvironmentRun:
    response = client.post("/environments/", {**FORM, **form})
    assert response.status_code == 302, response.content.decode()[:2000]
    run = EnvironmentRun.objects.latest("pk")
    assert response["Location"] == run.get_absolute_url()
    working.work(run.pk)
    run.refresh_from_db()
    return run


def test_one_watches_the_agent_think(owner: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client)
    page = text_of(client, run.get_absolute_url())
    assert "Action 10 of 10" in page
    assert "pour kettle into cup" in page
    assert "hx-get" not in page.split('id="watch"')[1].split(">")[0], "what has ended does not change any more"
    filling = next(
        number
        for number in range(1, 11)
        if '<h2 id="w-action">fill kettle' in text_of(client, f"{run.get_absolute_url()}?step={number}")
    )
    page = text_of(client, f"{run.get_absolute_url()}?step={filling}")
    assert "follows from “The kettle is empty.” (perceived; same words, 1.00)" in page
    assert "Not chosen: “the water is cold” does not follow from any belief" in page
    assert 'data-e="yes"' in page
    assert "In the hall you saw a door to the study." in page
    assert f"?step={filling - 1}" in page
    assert f"?step={filling + 1}" in page


def test_playing_goes_on_by_itself_and_ends_at_the_newest(owner: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client)
    first = text_of(client, f"{run.get_absolute_url()}?step=1&play=1", hx_target="watch", hx_request="true")
    assert first.startswith('<div id="watch"')
    assert f'hx-get="{run.get_absolute_url()}?step=2&amp;play=1"' in first
    last = text_of(client, f"{run.get_absolute_url()}?step=10&play=1")
    assert 'hx-get="/environments' not in last


def test_a_run_under_way_is_asked_about_again(owner: User, client: Client) -> None:
    client.force_login(owner)
    client.post("/environments/", FORM)
    run = EnvironmentRun.objects.get()
    assert "No action yet" in text_of(client, run.get_absolute_url())
    assert f'hx-get="{run.get_absolute_url()}?"' in text_of(client, run.get_absolute_url())


def test_while_the_environment_starts_the_page_says_so(owner: User, client: Client) -> None:
    client.force_login(owner)
    client.post("/environments/", FORM)
    run = EnvironmentRun.objects.get()
    address = run.get_absolute_url()
    assert "is starting" not in text_of(client, address)
    EnvironmentRun.objects.filter(pk=run.pk).update(state=EnvironmentRunState.RUNNING)
    assert "The environment is starting." in text_of(client, address)
    EnvironmentRun.objects.filter(pk=run.pk).update(first_percept="You are in the hall.")
    assert "is starting" not in text_of(client, address)


def test_the_rules_that_are_followed_are_shown_with_their_lines(owner: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client, share="50")
    page = text_of(client, f"{run.get_absolute_url()}rules/")
    assert 'id="L1"' in page
    assert f"{len(run.rules)} of house" in page
    assert run.rules[0]["digest"][:12] in page
    assert len(run.rules) == 8


def test_a_person_chooses_on_the_page(owner: User, outsider: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client, task="bring", variation="9", share="0", fallback="person")
    page = text_of(client, run.get_absolute_url())
    assert "Action 1 is yours to choose" in page
    assert '<option value="take key">' in page
    wrong = client.post(f"{run.get_absolute_url()}answer/", {"number": "1", "action": "take <b>moon</b>"}, follow=True)
    assert "is none of the actions that are valid here" in wrong.content.decode()
    assert "<b>moon" not in wrong.content.decode()
    client.post(f"{run.get_absolute_url()}answer/", {"number": "1", "action": "take key"})
    working.work(run.pk)
    page = text_of(client, f"{run.get_absolute_url()}?step=1")
    assert "Olga Berg" in page
    client.force_login(outsider)
    assert client.post(f"{run.get_absolute_url()}answer/", {"number": "2", "action": "look"}).status_code == 404


def test_it_is_paused_and_stopped_on_the_page(owner: User, reviewer: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client, paused="on")
    assert run.at_step == 0
    client.post(f"{run.get_absolute_url()}do/", {"do": "step"})
    working.work(run.pk)
    run.refresh_from_db()
    assert (run.at_step, run.state) == (1, EnvironmentRunState.PAUSED)
    client.force_login(reviewer)
    assert "Next action" not in text_of(client, run.get_absolute_url())
    refused = client.post(f"{run.get_absolute_url()}do/", {"do": "stop"}, follow=True)
    assert "Only whoever started a run" in refused.content.decode()
    client.force_login(owner)
    client.post(f"{run.get_absolute_url()}do/", {"do": "stop"})
    run.refresh_from_db()
    assert run.state == EnvironmentRunState.ENDED
    assert client.post(f"{run.get_absolute_url()}do/", {"do": "dance"}).status_code == 404


def test_nobody_else_sees_a_run(owner: User, outsider: User, client: Client) -> None:
    client.force_login(owner)
    run = started(client)
    client.force_login(outsider)
    for address in (run.get_absolute_url(), f"{run.get_absolute_url()}rules/"):
        text_of(client, address, 404)
    assert run.goal not in text_of(client, "/environments/").split("Available environments")[0]


@pytest.mark.parametrize(
    "wrong", [{"variation": "x"}, {"variation": "99"}, {"task": "<b>"}, {"share": "½"}, {"environment": "moon"}]
)
def test_what_cannot_start_says_why(wrong: dict[str, str], owner: User, client: Client) -> None:
    client.force_login(owner)
    response = client.post("/environments/", {**FORM, **wrong})
    assert (response.status_code, 'role="alert"' in response.content.decode()) == (400, True)
    assert "“<b>" not in response.content.decode()


def test_what_an_environment_says_is_shown_as_text(owner: User, client: Client, world: Callable[..., Any]) -> None:
    world(ButtonWorld(lambda: Button(text=LIES)))
    client.force_login(owner)
    run = started(client, environment="button", task="press")
    page = text_of(client, run.get_absolute_url())
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_without_java_the_page_says_how_to_install_it_and_offers_the_house(
    owner: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scienceworld, "is_installed", lambda: False)
    monkeypatch.setattr("shutil.which", lambda _: None)
    client.force_login(owner)
    page = text_of(client, "/environments/?environment=scienceworld")
    assert "Missing: the package scienceworld and Java." in page
    assert "make scienceworld" in page
    assert 'name="task"' not in page
    assert 'name="task"' in text_of(client, "/environments/")


def test_a_policy_is_trained_stopped_and_reset_by_operators(operator: User, client: Client) -> None:
    client.force_login(operator)
    form = {"environment": "house", "task": "bring", "episodes": "4", "share": "0"}
    response = client.post("/environments/policies/", form)
    policy = EnvironmentPolicy.objects.get()
    assert response["Location"] == policy.get_absolute_url()
    assert "hx-get" in text_of(client, policy.get_absolute_url())
    client.post(f"{policy.get_absolute_url()}do/", {"do": "stop"})
    policy.refresh_from_db()
    assert policy.state == TrainingState.STOPPED
    client.post(f"{policy.get_absolute_url()}do/", {"do": "start", "episodes": "3", "share": "0"})
    training.work(policy.pk)
    page = text_of(client, policy.get_absolute_url())
    assert "Score of 3 episodes" in page
    assert "4" not in [str(one.number) for one in EnvironmentEpisode.objects.all()]
    client.post(f"{policy.get_absolute_url()}do/", {"do": "reset"})
    policy.refresh_from_db()
    assert (policy.data, policy.episodes, policy.generation) == (None, 0, 1)
    assert "No episode was played yet" in text_of(client, policy.get_absolute_url())


def test_others_see_policies_and_do_not_train_them(owner: User, operator: User, client: Client) -> None:
    client.force_login(owner)
    form = {"environment": "house", "task": "bring", "episodes": "4", "share": "0"}
    assert client.post("/environments/policies/", form).status_code == 403
    assert not EnvironmentPolicy.objects.exists()
    policy = EnvironmentPolicy.objects.create(environment="house", task="bring")
    page = text_of(client, policy.get_absolute_url())
    assert 'value="start"' not in page
    for do in ("start", "stop", "reset"):
        said = client.post(f"{policy.get_absolute_url()}do/", {"do": do, "episodes": "1", "share": "0"}, follow=True)
        assert "Only operators can train" in said.content.decode()


def test_a_damaged_policy_is_said_to_be_and_only_forgotten(operator: User, client: Client) -> None:
    policy = EnvironmentPolicy.objects.create(environment="house", task="bring", data=b"junk", digest="0" * 64)
    client.force_login(operator)
    page = text_of(client, policy.get_absolute_url())
    assert "The stored policy is damaged" in page
    said = client.post(f"{policy.get_absolute_url()}do/", {"do": "start", "episodes": "1", "share": "0"}, follow=True)
    assert "The stored policy is damaged" in said.content.decode()
    client.post(f"{policy.get_absolute_url()}do/", {"do": "reset"})
    assert "is damaged" not in text_of(client, policy.get_absolute_url())
