"""The one record of decisions: each kind leaves an entry with what was decided on, and only what holds is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.actors import firmware
from agents.models import IntentPlan
from library.components import services as library
from library.models import Component, ComponentVersion
from people.journal import Event
from people.models import User
from review.audit import anchors, decided, journal
from review.deciding import decisions, history, holding
from review.deciding.ruling import Ruling
from review.inbox import requests
from review.inbox.requests import Sent, Verdict
from review.models import AuditEntry, InboxRequest, PlanRisk
from tests.forging import forge

pytestmark = pytest.mark.django_db
Propose = Callable[..., IntentPlan]
_ENTRY = (
    "INSERT INTO review_auditentry (at, previous_hash, hash, version, event, by_id, name, subject, data)"
    " VALUES (now(), '', %s, 1, %s, %s, 'rita', %s, %s)"
)


@pytest.fixture
def plan(propose_plan: Propose, owner: User) -> IntentPlan:
    return propose_plan(owner)


def of(event: Event, subject: str) -> list[decided.Decided]:
    return decided.of(event, [subject]).get(subject, [])


def test_a_plan_leaves_what_was_shown_beside_it(plan: IntentPlan, reviewer: User) -> None:
    PlanRisk.objects.create(intent_plan=plan, level="low", rank=3, danger={"sentence": "Changes a.txt"})
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="No")
    [made] = of(Event.DECISION, f"plan:{plan.pk}")
    assert (made.by, made.verdict, made.digest, made.comment) == (reviewer, "reject", plan.digest, "No")
    assert made.data["shown"] == {"risk": "low", "danger": "Changes a.txt", "dry_run": None}


def test_each_version_that_is_put_to_use_or_out_of_it_leaves_the_digest_of_its_body(operator: User) -> None:
    version = firmware.save("finance", "Be careful.", by=operator)
    firmware.activate(version, by=operator, reason="agreed in June")
    firmware.retire(ComponentVersion.objects.get(pk=version.pk), by=operator)
    retired, activated = of(Event.COMPONENT, f"component:{version.component_id}")
    assert (activated.verdict, activated.data["what"], activated.comment) == ("active", "activated", "agreed in June")
    assert (retired.verdict, retired.by) == ("retired", operator)
    assert activated.digest == retired.digest != ""
    assert activated.data["row"] == version.pk


def test_a_version_that_is_written_as_active_is_a_decision_too(operator: User) -> None:
    version = library.publish(Component.Kind.FIRMWARE, "finance", "Be careful.\n", by=operator, status="active")
    [made] = of(Event.COMPONENT, f"component:{version.component_id}")
    assert (made.verdict, made.by) == ("active", operator)


def test_one_that_was_taken_back_before_it_took_effect_is_kept(plan: IntentPlan, reviewer: User, settings: Any) -> None:
    settings.HOLD_S = 600
    holding.decide(plan, Ruling("approve", plan.digest), by=reviewer)
    holding.decide(plan, Ruling("reject", plan.digest, words="No"), by=reviewer)
    [held] = plan.held.all()
    assert holding.undo(held.pk, plan, by=reviewer)
    second, first = of(Event.HELD, f"plan:{plan.pk}")
    assert [(one.verdict, one.data["what"]) for one in (first, second)] == [
        ("approve", "took back"),
        ("reject", "took back"),
    ]
    assert not of(Event.DECISION, f"plan:{plan.pk}")


def test_an_entry_that_has_no_signature_of_mindx_counts_for_nothing(
    owner: User, reviewer: User, api_of: Any, client_of: Callable[[User], Client]
) -> None:
    """With the role alone: the request is set to decided, and an entry is added that says so."""
    row = requests.take_in(Sent("bot", "mail.send", {}), by=owner)
    done = requests.decide(
        requests.take_in(Sent("bot", "mail.read", {}), by=owner), Verdict("approve"), by=reviewer, digest=_digest()
    )
    said = {"verdict": "approve", "digest": row.digest, "answer_digest": "", "tool": "mail.send", "source": "bot"}
    forge(_ENTRY, "0" * 64, "inbox", reviewer.pk, f"inbox:{row.pk}", json.dumps(said))
    assert of(Event.INBOX, f"inbox:{row.pk}") == []
    page = client_of(reviewer).get(reverse("review-audit")).content.decode()
    assert page.count("not signed by mindX") == 1
    told = api_of(owner).get(f"inbox/{done.pk}").json()
    assert (told["state"], told["decided_by"]) == ("decided", reviewer.username)


def _digest() -> str:
    return InboxRequest.objects.latest("pk").digest


def test_a_sealed_row_is_told_with_its_entry_only(owner: User, reviewer: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seal says that mindX stored the row, the record says who decided: each is asked by itself."""
    row = requests.take_in(Sent("bot", "mail.send", {}), by=owner)
    row = requests.decide(row, Verdict("approve"), by=reviewer, digest=row.digest)
    assert requests.as_told([row])[0].state == "decided"
    monkeypatch.setattr(decided, "holds", lambda entry: False)
    [told] = requests.as_told([InboxRequest.objects.get(pk=row.pk)])
    assert (told.state, told.decision, told.decided_by) == ("cancelled", "", None)


def test_a_decision_written_by_somebody_else_is_shown_as_none(
    plan: IntentPlan, reviewer: User, client_of: Callable[[User], Client]
) -> None:
    forge(
        "INSERT INTO review_decision (at, previous_hash, hash, digest, verdict, via, comment, edits, by_id,"
        " intent_plan_id) VALUES (now(), '', %s, %s, 'reject', 'browser', 'No', '{}', %s, %s)",
        "0" * 64,
        plan.digest,
        reviewer.pk,
        plan.pk,
    )
    [receipt] = history.receipts(plan)
    assert not receipt.is_genuine
    assert "Nobody decided this in mindX" in client_of(reviewer).get(plan.get_absolute_url()).content.decode()


def test_a_long_comment_is_kept_whole(plan: IntentPlan, reviewer: User) -> None:
    decisions.reject(plan, by=reviewer, digest=plan.digest, reason="n" * 4_000)
    assert len(of(Event.DECISION, f"plan:{plan.pk}")[0].comment) == 4_000
    row = journal.write(Event.LOGIN, by=reviewer, subject="person:rita", data={"agent": "n" * 4_000})
    assert len(AuditEntry.objects.get(pk=row.pk).data["agent"]) == journal.TEXT_MAX + 1


def test_anchors_of_the_chain_that_ended_are_passed_over(tmp_path: Any) -> None:
    file = tmp_path / "anchors"
    anchors.append(file, [json.dumps({"chain": "level decisions", "rows": 3, "last_hash": "0" * 64}), *anchors.ends()])
    assert anchors.compare(file) == 3
