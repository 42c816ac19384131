"""What a plan may reach is said in full wherever it is decided: the queue, the plan, the bar, a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
from django.test import Client

from people.models import User
from review.entries import risks
from tests.review.plans import MKDIR, goal_of, proposed, step

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
MANY = tuple(f"host-{number}.example:80{number:02}" for number in range(16))
ASK = replace(step("run", command_line="python ask.py"), hosts=("127.0.0.1:8123", "packages"))


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_each_step_says_what_it_may_reach_and_the_index_comes_with_its_address(
    judge: User, submitter: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter), [MKDIR, ASK], cleanup=[replace(ASK, hosts=("clean.example",))])
    html = text_of(client_of(judge), f"/review/{plan.pk}/")
    steps = [plain(part) for part in re.split(r'<li class="intent"', html)[1:]]
    assert "May reach" not in steps[0]
    assert re.search(r"May reach: 127\.0\.0\.1:8123 , the package index \( https?://\S+ \)", steps[1])
    assert "May reach: clean.example" in steps[2]
    assert "only steps marked “May reach” have access" in plain(html)
    bar = plain(html[html.index('class="decision"') :])
    assert "May reach: 127.0.0.1:8123 , clean.example , the package index" in bar
    assert "runs python ask.py in the workspace's root, and may reach 127.0.0.1:8123 , the package index" in plain(html)


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("https://reader:word@index.example/simple", "the package index ( https://index.example/simple/ )"),
        (
            "http://index.example/simple/",
            "the package index ( unusable: the package index index.example is not encrypted",
        ),
    ],
)
def test_the_index_is_shown_as_the_operator_set_it_and_without_a_password(
    setting: str, shown: str, judge: User, submitter: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDX_PACKAGE_INDEX", setting)
    html = text_of(client_of(judge), f"/review/{proposed(goal_of(submitter), [ASK]).pk}/")
    assert shown in plain(html)
    assert "reader" not in html


def test_no_network_is_said_once(judge: User, submitter: User, client_of: ClientOf) -> None:
    plan = proposed(goal_of(submitter), [MKDIR, replace(ASK, hosts=())])
    html = text_of(client_of(judge), f"/review/{plan.pk}/")
    assert plain(html).count("No network") == 1
    assert "May reach" not in html


def test_every_host_of_a_long_list_stands_in_the_step_and_in_the_bar(
    judge: User, submitter: User, client_of: ClientOf
) -> None:
    plan = proposed(goal_of(submitter), [replace(ASK, hosts=MANY)])
    html = text_of(client_of(judge), f"/review/{plan.pk}/")
    step_text, bar = html[html.index('id="intent-1"') :], html[html.index("bound-reach") :]
    for host in MANY:
        assert host in step_text
        assert host in bar


def test_the_queue_marks_network_and_names_the_hosts(judge: User, submitter: User, client_of: ClientOf) -> None:
    risks.store(proposed(goal_of(submitter, "Ask"), [MKDIR, ASK]), None)
    html = text_of(client_of(judge), "/review/")
    assert "Reaches 127.0.0.1:8123 and the package index" in plain(html)


def test_a_comparison_shows_a_host_that_came(judge: User, submitter: User, client_of: ClientOf) -> None:
    goal = goal_of(submitter)
    proposed(goal, [replace(ASK, hosts=("a.example",))])
    newer = proposed(goal, [replace(ASK, hosts=("a.example", "b.example"))])
    html = plain(text_of(client_of(judge), f"/review/{newer.pk}/compare/1/"))
    assert "may reach: a.example, b.example" in html


def test_installing_says_where_packages_go(judge: User, submitter: User, client_of: ClientOf) -> None:
    install = replace(step("run", command_line="pip install httpx"), hosts=("packages",))
    blind = replace(install, hosts=())
    active = step("activate_venv", venv_name=".venv")
    plan = proposed(goal_of(submitter), [active, install, blind, step("deactivate_venv"), install])
    shown = plain(text_of(client_of(judge), f"/review/{plan.pk}/"))
    assert "Packages are installed into the environment .venv ; later steps may run their code" in shown
    assert "Step 3 (after a program that may change this) runs pip install httpx" in shown
    assert shown.count("It may not reach the package index") == 1
    assert "Step 5 (after a program that may change this) would fail: no virtual environment is active" in shown
