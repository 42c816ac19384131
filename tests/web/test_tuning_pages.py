"""The pages of tuning: what counts, who said so, a trial before saving, history, the way back; operators only."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from agents.bdi.recovery import recovery_settings
from agents.coordinator import backlog_taking
from agents.mastermind.stops import Rules
from agents.models import BacklogRules, ParameterSettings, PathMapping, RecoverySetting
from agents.recovery import recovery_learning
from agents.tuning import versions
from agents.understanding import in_force
from people.models import User

pytestmark = pytest.mark.django_db
Clients = Callable[[User], Client]
MAPPING = {"said": "figures", "path": "data/figures.csv", "tool": "", "parameter": "", "in_use": "on"}


def hidden(page: Any, name: str) -> str:
    """What stands in a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page.content.decode())
    assert found is not None
    return found[1]


def tried_and_saved(client: Client, address: str, values: dict[str, Any]) -> Any:
    """As a person does it: try, read, save."""
    shown = client.post(address, {**values, "act": "try", "seen": "0"})
    assert shown.status_code == 200
    sent = {**values, "act": "save", "tried": hidden(shown, "tried"), "seen": hidden(shown, "seen")}
    return client.post(address, sent)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "path_mapping/new",
        "parameter_settings/current/",
        "recovery_setting/jitter/",
        "recovery_policy/new",
        "stop_rules/current/",
    ],
)
def test_the_pages_are_for_operators_only(
    address: str, owner: User, reviewer: User, operator: User, client_of: Clients
) -> None:
    assert client_of(operator).get(f"/tuning/{address}").status_code == 200
    for somebody in (owner, reviewer):
        assert client_of(somebody).get(f"/tuning/{address}").status_code == 403
        assert client_of(somebody).post(f"/tuning/{address}", {"act": "save"}).status_code in (403, 405)
    assert Client().get(f"/tuning/{address}").status_code == 302


def test_a_value_is_tried_saved_shown_and_taken_back_by_one_click(
    operator: User, owner: User, client_of: Clients
) -> None:
    client, address = client_of(operator), "/tuning/recovery_setting/retry_delay_seconds/"
    saved = tried_and_saved(client, address, {"value": "2.5", "note": "Servers <b>answer</b>"})
    assert saved.status_code == 302
    assert recovery_learning.current_settings().retry_delay_seconds == 2.5
    page = client.get(address)
    assert "Servers &lt;b&gt;answer" in page.content.decode()
    assert "Version 1" in page.content.decode()
    assert "<ins>2.5</ins>" in page.content.decode()
    seen = hidden(page, "seen")
    assert client_of(owner).post(f"{address}revert", {"version": "0", "seen": seen}).status_code == 403
    assert client.get(f"{address}revert").status_code == 405
    assert client.post(f"{address}revert", {"version": "0", "seen": seen}).status_code == 302
    assert recovery_learning.current_settings().retry_delay_seconds == 5.0
    assert RecoverySetting.objects.count() == 2, "the way back is a version of its own"


def test_nothing_is_saved_that_was_not_tried(operator: User, client_of: Clients) -> None:
    client, address = client_of(operator), "/tuning/path_mapping/new"
    untried = client.post(address, {**MAPPING, "act": "save", "seen": "0"})
    assert "values changed after the trial" in untried.content.decode()
    shown = client.post(address, {**MAPPING, "act": "try", "seen": "0"})
    other = {**MAPPING, "path": "other.csv", "act": "save", "tried": hidden(shown, "tried"), "seen": "0"}
    assert "values changed after the trial" in client.post(address, other).content.decode()
    assert not PathMapping.objects.exists()
    assert tried_and_saved(client, address, MAPPING).status_code == 302
    assert PathMapping.objects.get().path == "data/figures.csv"


def test_a_number_stands_on_its_page_with_every_digit(operator: User, client_of: Clients) -> None:
    client, address = client_of(operator), "/tuning/recovery_setting/discount/"
    assert tried_and_saved(client, address, {"value": "0.98765432101"}).status_code == 302
    assert 'value="0.98765432101"' in client.get(address).content.decode()
    assert "to 1000000" in client.get("/tuning/").content.decode()


def test_a_second_save_over_the_same_version_says_that_somebody_was_first(operator: User, client_of: Clients) -> None:
    client, address = client_of(operator), "/tuning/recovery_setting/jitter/"
    first, second = (client.post(address, {"value": value, "act": "try"}) for value in ("0.5", "0.75"))
    for page, value in ((first, "0.5"), (second, "0.75")):
        sent = {"value": value, "act": "save", "tried": hidden(page, "tried"), "seen": "0"}
        answer = client.post(address, sent)
    assert answer.status_code == 422
    assert "in the meantime" in answer.content.decode()
    assert recovery_learning.current_settings().jitter == 0.5


def test_a_wrong_value_is_said_at_its_field_and_what_was_typed_stays(operator: User, client_of: Clients) -> None:
    client = client_of(operator)
    page = client.post("/tuning/path_mapping/new", {**MAPPING, "path": "../<b>out", "act": "try", "seen": "0"})
    assert page.status_code == 422
    assert "leads out of the workspace" in page.content.decode()
    assert "../&lt;b&gt;out" in page.content.decode()
    for value in ("x", "", "1e999", "-1"):
        answer = client.post("/tuning/recovery_setting/jitter/", {"value": value, "act": "try", "seen": "0"})
        assert answer.status_code == 422, value
    rule = {"tool": "git_tool", "command": "commit", "parameter": "message", "default": "no quotes", "act": "try"}
    assert "Text stands in quotes" in client.post("/tuning/parameter_rule/new", rule).content.decode()
    assert not PathMapping.objects.exists()


def test_a_mapping_onto_what_no_workspace_has_is_saved_with_a_warning(
    operator: User, owner: User, make_workspace: Any, client_of: Clients
) -> None:
    make_workspace(owner)
    page = client_of(operator).post("/tuning/path_mapping/new", {**MAPPING, "act": "try", "seen": "0"})
    assert "None of the 1 workspaces that changed last has data/figures.csv" in page.content.decode()


def test_addresses_of_nothing_are_404(operator: User, client_of: Clients) -> None:
    client = client_of(operator)
    for address in ("nothing/new", "path_mapping/7/", "path_mapping/x/", "recovery_setting/colour/",
                    "parameter_settings/new", "recovery_setting/new", "parameter_settings/7/"):  # fmt: skip
        assert client.get(f"/tuning/{address}").status_code == 404, address
    assert client.post("/tuning/recovery_setting/jitter/revert", {"version": "x"}).status_code == 404


def test_the_list_says_of_each_who_said_so_in_few_queries(
    operator: User, client_of: Clients, django_assert_max_num_queries: Any
) -> None:
    of = versions.kind_named("path_mapping")
    assert of is not None
    for number in range(30):
        versions.save(of, {"said": f"name {number}", "path": f"{number}.csv", "in_use": True}, by=operator)
    ParameterSettings.objects.create(use_experience=False, by=operator)
    client = client_of(operator)
    with django_assert_max_num_queries(11):  # session, person, the frame's two, and one look for each kind
        page = client.get("/tuning/").content.decode()
    assert page.count("default values") == len(recovery_settings.NAMES) + 2, "and the stop rules and thresholds"
    assert "name 29" in page
    assert "off: predict from earlier runs" in page
    assert not in_force.switches().use_experience


def test_stop_rules_keep_what_was_mistyped_beside_why_it_is_refused_and_are_taken_back(
    operator: User, client_of: Clients
) -> None:
    client, address = client_of(operator), "/tuning/stop_rules/current/"
    good = {"failures_of_one": "2", "without_success": "10", "per_day": "20", "near_enough": "0.88"}
    refused = client.post(address, {**good, "per_day": "many", "note": "less at once", "act": "try", "seen": "0"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert all(f'value="{typed}"' in page for typed in ("many", "2", "less at once"))
    assert "It is a whole number." in page
    assert not BacklogRules.objects.exists()
    assert tried_and_saved(client, address, {**good, "note": "less at once"}).status_code == 302
    assert backlog_taking.stop_rules() == Rules(2, 10, 20)
    shown = client.get(address)
    assert "<del>3</del> <ins>2</ins>" in shown.content.decode()
    assert "less at once" in shown.content.decode()
    client.post(f"{address}revert", {"version": "0", "seen": hidden(shown, "seen")})
    assert backlog_taking.stop_rules() == Rules()
    assert BacklogRules.objects.count() == 2, "the way back is a version of its own"
