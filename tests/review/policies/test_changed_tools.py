"""A policy approves tools that people made in the bodies that its owner looked at; another one asks again."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from agents.bdi.plans.document import read
from agents.components import made_tools
from agents.foreign_tools import servers
from agents.models import IntentPlan, McpServer
from agents.record.moves import move_plan
from agents.states import PlanState
from agents.toolkit.registry import REGISTRY
from library.components import services as library
from library.models import ComponentVersion
from people import sealing
from people.models import User
from review.deciding import auto_approval, gate
from review.errors import DecisionRefused, NotNow
from review.models import AuditEntry, Decision, PolicyEvaluation, ReviewPolicy
from review.policies import tool_bodies, writing
from review.policy.verdict import Action
from tests.agents.foreign_tools.mcp_programs import COMMAND, HONEST
from tests.agents.toolkit.made_texts import WORD_COUNT
from tests.cast import person
from tests.forging import forge
from tests.review.plans import goal_of, proposed, step
from tests.review.some_policies import draft, in_force, tried

pytestmark = pytest.mark.django_db(transaction=True)
Propose = Callable[..., IntentPlan]
ClientOf = Callable[[User], Client]

MENDED = WORD_COUNT.replace('encoding="utf-8"', 'encoding="utf-8", errors="replace"')
# Other words about the same code: a plan of it runs what it ran before.
REWORDED = WORD_COUNT.replace("Counts the words of text files.", "Counts words.")
WRITE = {"tool": "simple_coder", "command": "write", "params": {"path": "a.txt", "content": "one two\n"}}
COUNT = {"tool": "word_count", "command": "count_words", "params": {"path": "a.txt"}}
NAMED: dict[str, Any] = {"commands": ["write", "word_count.count_words"]}


@pytest.fixture(autouse=True)
def known(submitter: User) -> None:
    """Twelve earlier steps of both commands that ended well: without them the risk is unknown."""
    write = step("write", path="a.txt", content="one two\n")
    count = replace(step("count_words", path="a.txt"), tool="word_count", effect="idempotent")
    earlier = proposed(goal_of(submitter, "earlier"), [write, count] * 12)
    move_plan(earlier, PlanState.REJECTED, by="a test")
    earlier.intents.update(state="succeeded")


@pytest.fixture
def first(operator: User) -> ComponentVersion:
    return use(WORD_COUNT, operator)


def use(text: str, by: User) -> ComponentVersion:
    """Put a text to use as the next version of the tool, without its trials."""
    version = library.publish("tool", "word_count", text, by=by, status="active")
    made_tools.refresh()
    return version


def use_again(version: ComponentVersion, by: User) -> None:
    library.activate(ComponentVersion.objects.get(pk=version.pk), by)
    made_tools.refresh()


def digest(text: str) -> str:
    return tool_bodies.digest_of(text)


def is_approved(plan: IntentPlan) -> bool:
    return tried(plan).state == PlanState.APPROVED


def why_not(plan: IntentPlan) -> str:
    """What the policy says against a plan that waits for a person."""
    assert not is_approved(plan)
    (declined,) = PolicyEvaluation.objects.get(intent_plan=plan).declined
    return str(declined["why"])


def test_the_body_that_was_in_use_is_approved(first: Any, owner: User, propose_plan: Propose, keeper: User) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    assert policy.looked_at == {"word_count": {digest(WORD_COUNT): "1.0.0"}}
    plan = propose_plan(owner, [WRITE, COUNT])
    assert is_approved(plan)
    assert gate.check(IntentPlan.objects.get(pk=plan.pk)).allowed


@pytest.mark.parametrize("text", [MENDED, REWORDED])
def test_a_new_body_asks_a_person_and_the_old_one_does_not(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User, text: str
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(text, operator)
    why = why_not(propose_plan(owner, [WRITE, COUNT]))
    assert why == "the tool word_count was changed since somebody last looked at this policy: version 1.1.0 is new"
    use_again(first, operator)
    assert is_approved(propose_plan(owner, [WRITE, COUNT]))


def test_a_tool_that_was_not_there_asks_a_person_also_where_the_policy_named_it(
    owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    assert policy.looked_at == {}
    use(WORD_COUNT, operator)
    why = why_not(propose_plan(owner, [WRITE, COUNT]))
    assert why == "the tool word_count came into use since somebody last looked at this policy: version 1.0.0 is new"


def test_a_policy_that_names_no_tool_remembers_all_of_which_it_could_approve_a_step(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, submitters=[owner.username])
    assert set(policy.looked_at) == {"word_count"}
    assert is_approved(propose_plan(owner, [WRITE, COUNT]))
    use(MENDED, operator)
    assert "was changed" in why_not(propose_plan(owner, [WRITE, COUNT]))


def test_tools_that_ship_are_no_bodies_so_that_no_release_stops_a_policy(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    """The release of every shipped tool is another one, and the made tool beside them was changed."""
    in_force(Action.AUTO_APPROVE, keeper, commands=["write"])
    use(MENDED, operator)
    assert tool_bodies.of_plan(read(bytes(propose_plan(owner, [WRITE]).document))) == ()
    shipped = {tool.name for tool in REGISTRY.tools}
    assert not shipped & set(ReviewPolicy.objects.get().looked_at)
    assert is_approved(propose_plan(owner, [WRITE]))


def test_a_plan_of_a_body_that_is_not_in_use_any_more_is_approved_by_nothing(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    """It was made with one version, and the other one, which the policy's owner looked at, is in use now."""
    plan = tried(propose_plan(owner, [WRITE, COUNT]))
    use(MENDED, operator)
    in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    auto_approval.look(plan.pk)
    assert not Decision.objects.exists()
    (declined,) = PolicyEvaluation.objects.get().declined
    assert declined["why"] == "the version of the tool word_count that the plan was made with is not in use"
    assert declined["step"] == 2


def test_what_requires_a_person_or_forbids_is_as_strict_for_every_body(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.FORBID, keeper, tools=["word_count"])
    assert policy.looked_at == {}
    use(MENDED, operator)
    with pytest.raises(AssertionError, match="forbidden_by_policy"):
        propose_plan(owner, [WRITE, COUNT])


# --- looking at it -------------------------------------------------------------------------------------------


def test_its_owner_confirms_the_new_body_and_both_are_approved_from_then_on(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(MENDED, operator)
    policy = writing.confirm(policy, by=keeper, seen={"word_count": digest(MENDED)})
    assert policy.looked_at == {"word_count": {digest(WORD_COUNT): "1.0.0", digest(MENDED): "1.1.0"}}
    assert sealing.is_genuine(policy)
    assert is_approved(propose_plan(owner, [WRITE, COUNT]))
    use_again(first, operator)
    assert is_approved(propose_plan(owner, [WRITE, COUNT]))
    change = policy.changes.first()
    assert change is not None
    assert (change.event, change.by, change.data["tools"]) == ("confirmed", keeper, ["word_count 1.1.0"])
    told = AuditEntry.objects.filter(event="policy").latest("pk")
    assert (told.data["what"], told.data["tools"]) == ("confirmed", ["word_count 1.1.0"])
    # The same page sent twice is one look.
    writing.confirm(policy, by=keeper, seen={"word_count": digest(WORD_COUNT)})
    assert policy.changes.filter(event="confirmed").count() == 1


def test_what_came_meanwhile_is_not_confirmed_unseen(first: ComponentVersion, operator: User, keeper: User) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(MENDED, operator)
    use(REWORDED, operator)
    for seen in (
        {"word_count": digest(MENDED)},
        {"word_count": ""},
        {"nobody": digest(MENDED)},
        {"word_count": "x" * 64},
    ):
        with pytest.raises(NotNow, match="Look at them again"):
            writing.confirm(policy, by=keeper, seen=seen)
    assert ReviewPolicy.objects.get().looked_at == policy.looked_at


def test_enabling_is_refused_where_other_bodies_are_in_use_than_its_owner_saw(
    first: ComponentVersion, operator: User, keeper: User
) -> None:
    policy = writing.write(draft(Action.AUTO_APPROVE, **NAMED), by=keeper)
    writing.replay(policy, by=keeper)
    use(MENDED, operator)
    for seen in ({"word_count": digest(WORD_COUNT)}, {}):
        with pytest.raises(NotNow, match="word_count"):
            writing.enable(policy, by=keeper, number=1, seen=seen)
    policy = writing.enable(policy, by=keeper, number=1, seen={"word_count": digest(MENDED)})
    assert policy.looked_at == {"word_count": {digest(MENDED): "1.1.0"}}


def test_nobody_but_its_owner_says_what_is_approved_in_their_name(
    first: ComponentVersion, operator: User, judge: User, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(MENDED, operator)
    other = person("oli", "operator", "reviewer")
    for by in (operator, judge, other):
        with pytest.raises(DecisionRefused):
            writing.confirm(policy, by=by, seen={"word_count": digest(MENDED)})
    keeper.roles = ["operator"]
    keeper.save()
    with pytest.raises(DecisionRefused, match="in the name of"):
        writing.confirm(policy, by=keeper, seen={"word_count": digest(MENDED)})
    assert ReviewPolicy.objects.get().looked_at == policy.looked_at


def test_only_an_enabled_policy_that_approves_is_confirmed(first: ComponentVersion, keeper: User) -> None:
    forbids = in_force(Action.FORBID, keeper, "no", tools=["word_count"])
    with pytest.raises(NotNow, match="does not approve"):
        writing.confirm(forbids, by=keeper, seen={"word_count": digest(WORD_COUNT)})
    waits = writing.write(draft(Action.AUTO_APPROVE, **NAMED), by=keeper)
    with pytest.raises(NotNow, match="in the meantime"):
        writing.confirm(waits, by=keeper, seen={"word_count": digest(WORD_COUNT)})


def test_a_new_version_of_the_policy_begins_with_what_is_in_use(
    first: ComponentVersion, operator: User, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    policy = writing.write(draft(Action.AUTO_APPROVE, **NAMED), by=keeper, policy=policy)
    assert policy.looked_at == {}
    use(MENDED, operator)
    writing.replay(policy, by=keeper)
    assert writing.enable(policy, by=keeper, number=2).looked_at == {"word_count": {digest(MENDED): "1.1.0"}}


# --- forged rows ---------------------------------------------------------------------------------------------


def test_a_body_that_was_written_into_the_row_is_not_approved(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(MENDED, operator)
    forged = json.dumps({"word_count": {digest(MENDED): "1.1.0"}})
    assert forge("UPDATE review_reviewpolicy SET looked_at = %s", forged) == 1
    assert not is_approved(propose_plan(owner, [WRITE, COUNT]))
    assert not Decision.objects.filter(policy__isnull=False).exists()
    with pytest.raises(CommandError, match="review policy"):
        call_command("audit", "verify")


@pytest.mark.parametrize("forged", ["[1]", '{"word_count": 1}', "null"])
def test_what_cannot_be_read_approves_nothing_and_breaks_no_page(
    first: ComponentVersion, owner: User, propose_plan: Propose, keeper: User, client_of: ClientOf, forged: str
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    forge("UPDATE review_reviewpolicy SET looked_at = %s", forged)
    assert not is_approved(propose_plan(owner, [WRITE, COUNT]))
    assert client_of(keeper).get(f"/review/policies/{policy.pk}/").status_code == 200
    assert client_of(keeper).get("/review/policies/").status_code == 200
    assert client_of(keeper).get("/tools/word_count/").status_code == 200


def test_confirming_does_not_seal_what_somebody_wrote_into_the_row(
    first: ComponentVersion, owner: User, operator: User, propose_plan: Propose, keeper: User
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    use(MENDED, operator)
    forge("UPDATE review_reviewpolicy SET looked_at = %s", json.dumps({"other": {"0" * 64: "9.0.0"}}))
    with pytest.raises(NotNow, match="not as mindX stored it"):
        writing.confirm(policy, by=keeper, seen={"word_count": digest(MENDED)})
    assert not sealing.is_genuine(ReviewPolicy.objects.get())
    assert not is_approved(propose_plan(owner, [WRITE, COUNT]))


def test_a_version_that_was_set_to_active_in_the_table_is_no_body_in_use(
    first: ComponentVersion, operator: User, keeper: User
) -> None:
    waits = library.publish("tool", "word_count", MENDED, by=operator)
    forge("UPDATE library_componentversion SET status = 'retired' WHERE id = %s", first.pk)
    forge("UPDATE library_componentversion SET status = 'active' WHERE id = %s", waits.pk)
    assert in_force(Action.AUTO_APPROVE, keeper, **NAMED).looked_at == {}


# --- the upgrade ---------------------------------------------------------------------------------------------


def test_an_upgrade_remembers_what_is_in_use_for_policies_in_force_and_seals_no_forged_one(
    first: ComponentVersion, keeper: User
) -> None:
    approves = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    forbids = in_force(Action.FORBID, keeper, "no", commands=["rm"])
    forged = in_force(Action.AUTO_APPROVE, keeper, "forged", commands=["rm"])
    _as_before(approves, forbids, forged)
    forge("UPDATE review_reviewpolicy SET name = 'another' WHERE id = %s", forged.pk)
    moved = importlib.import_module("review.migrations.0011_tools_that_policies_approve")
    with connection.schema_editor() as editor:
        moved.look_at(apps, editor)
    for policy in (approves, forbids, forged):
        policy.refresh_from_db()
    assert approves.looked_at == {"word_count": {digest(WORD_COUNT): "1.0.0"}}
    assert (forbids.looked_at, forged.looked_at) == ({}, {})
    assert [sealing.is_genuine(one) for one in (approves, forbids, forged)] == [True, True, False]
    with connection.schema_editor() as editor:
        moved.forget(apps, editor)
    before = ReviewPolicy.objects.filter(pk=approves.pk).values("name", "state", "number", "enabled_at").get()
    assert sealing.fits(ReviewPolicy, approves.pk, before, sealing.newest_of(approves))


def _as_before(*policies: ReviewPolicy) -> None:
    """As they were sealed before they remembered tools."""
    for policy in policies:
        ReviewPolicy.objects.filter(pk=policy.pk).update(looked_at={})
        columns = ReviewPolicy.objects.filter(pk=policy.pk).values("name", "state", "number", "enabled_at").get()
        sealing.add("review.reviewpolicy", policy.pk, columns)


# --- pages ---------------------------------------------------------------------------------------------------


def test_the_page_of_a_policy_says_what_changed_and_its_owner_confirms_it_there(
    first: ComponentVersion, operator: User, judge: User, keeper: User, client_of: ClientOf
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, **NAMED)
    address = f"/review/policies/{policy.pk}/"
    before = client_of(keeper).get(address).content.decode()
    assert "version 1.0.0" in before
    assert "changed-tools" not in before
    second = use(MENDED, operator)
    page = client_of(keeper).get(address).content.decode()
    assert f"/tools/word_count/?version={second.pk}&amp;against={first.pk}#difference" in page
    assert "I looked at it: approve the new version, too" in page
    assert "word_count 1.1.0 is new" in client_of(keeper).get("/review/policies/").content.decode()
    for other in (operator, judge):
        others = client_of(other).get(address).content.decode()
        assert "Only they can approve the new version" in others
        assert "I looked at it" not in others
    shown = {"tool": f"word_count {digest(MENDED)}"}
    assert client_of(judge).post(f"{address}confirm/", shown).status_code == 403
    assert "in the name of" in client_of(operator).post(f"{address}confirm/", shown, follow=True).content.decode()
    old = client_of(keeper).post(f"{address}confirm/", {"tool": f"word_count {digest(WORD_COUNT)}"}, follow=True)
    assert "Look at them again" in old.content.decode()
    done = client_of(keeper).post(f"{address}confirm/", shown, follow=True).content.decode()
    assert "approves what you looked at, too" in done
    assert "changed-tools" not in done
    assert "word_count 1.1.0" in done[done.index("h-changes") :]


def test_the_page_enables_what_it_shows_and_nothing_else(
    first: ComponentVersion, operator: User, keeper: User, client_of: ClientOf
) -> None:
    policy = writing.write(draft(Action.AUTO_APPROVE, **NAMED), by=keeper)
    writing.replay(policy, by=keeper)
    address = f"/review/policies/{policy.pk}/"
    field = f'<input type="hidden" name="tool" value="word_count {digest(WORD_COUNT)}">'
    assert field in client_of(keeper).get(address).content.decode()
    use(MENDED, operator)
    form = {"version": "1", "tool": f"word_count {digest(WORD_COUNT)}"}
    refused = client_of(keeper).post(f"{address}enable/", form, follow=True).content.decode()
    assert "Tools were changed since you opened this page: word_count" in refused
    form["tool"] = f"word_count {digest(MENDED)}"
    assert "is enabled." in client_of(keeper).post(f"{address}enable/", form, follow=True).content.decode()


def test_whoever_activates_a_version_sees_which_policies_ask_again(
    first: ComponentVersion, operator: User, keeper: User, client_of: ClientOf
) -> None:
    policy = in_force(Action.AUTO_APPROVE, keeper, "counting passes", **NAMED)
    in_force(Action.AUTO_APPROVE, keeper, "others pass", commands=["mkdir"])
    in_force(Action.FORBID, keeper, "no counting", tools=["word_count"], workspaces=["secret"])
    writing.suspend(in_force(Action.AUTO_APPROVE, keeper, "suspended", **NAMED), by=keeper, reason="so")
    asleep = library.publish("tool", "word_count", MENDED, by=operator)
    page = f"/tools/word_count/?version={asleep.pk}"
    shown = client_of(operator).get(page).content.decode()
    notice = shown[shown.index("asked-again") :].partition("</div>")[0]
    assert "1 policy asks" in notice
    assert f'href="/review/policies/{policy.pk}/">counting passes</a>' in notice
    assert not any(name in notice for name in ("others pass", "no counting", "suspended"))
    assert "asked-again" not in client_of(operator).get(f"/tools/word_count/?version={first.pk}").content.decode()
    # A developer activates tools and may not read policies.
    developer = client_of(person("dee", "developer")).get(page).content.decode()
    assert "1 policy asks" in developer
    assert "counting passes" not in developer
    writing.confirm(policy, by=keeper, seen={"word_count": digest(WORD_COUNT)})
    use_again(asleep, operator)
    writing.confirm(policy, by=keeper, seen={"word_count": digest(MENDED)})
    assert "asked-again" not in client_of(operator).get(page).content.decode()


def test_a_listing_that_brings_another_body_of_a_foreign_tool_names_the_policies_that_named_it(
    operator: User, keeper: User, client_of: ClientOf
) -> None:
    developer = person("dee", "developer", "operator")
    server = servers.add(by=developer, name="demo", command=COMMAND, source=HONEST)
    McpServer.objects.update(ended_at=Now())
    listed: dict[str, Any] = {"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}}
    server.tools = servers.take(server, [listed], by=developer)
    server.save()
    library.activate(ComponentVersion.objects.get(component__name="mcp_demo_add"), operator)
    policy = in_force(Action.AUTO_APPROVE, keeper, "adding passes", commands=["mcp_demo_add.add"])
    in_force(Action.AUTO_APPROVE, keeper, "any tool", submitters=["sue"])
    assert set(policy.looked_at) == {"mcp_demo_add"}
    page = client_of(keeper).get(f"/review/policies/{policy.pk}/").content.decode()
    assert "a person decides always" in page
    address = f"/tools/mcp/{server.pk}/"
    assert "adding passes" not in client_of(developer).get(address).content.decode()
    servers.take(server, [listed | {"description": "Adds, and tells everybody."}], by=developer)
    shown = client_of(developer).get(address).content.decode()
    assert "1 policy asks a person again once it is active" in shown
    assert f'href="/review/policies/{policy.pk}/">adding passes</a>' in shown
    assert "any tool" not in shown
