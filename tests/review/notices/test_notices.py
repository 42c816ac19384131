"""Notices: the right people are told, once, without arguments; what goes out reaches real servers, or says why not."""

from __future__ import annotations

import http.server
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import apprise
import pytest
from aiosmtpd.controller import Controller
from apprise.manager_plugins import NotificationManager
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from agents.plans import renewals
from agents.record import moves
from agents.states import PlanState
from people import sealing
from people.models import User
from review.deciding import decisions
from review.models import AuditEntry, Delivery, Notice, NoticeChoice, ReviewClock, TimeLimit
from review.models.notices import NoticeKind
from review.notices import deliveries, notify, sending
from review.notices.addresses import SCHEMES, is_allowed
from review.policy.verdict import Action
from review.queue import assigning, deadlines
from tests.axe import violations
from tests.browser import arrived, chromium, open_page, sideways  # noqa: F401  # two are fixtures
from tests.forging import forge, sealed
from tests.review.plans import goal_of, proposed, step
from tests.review.some_policies import in_force, tried

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
EVERY = ["awaits", "urgent", "expired", "outcome"]


@pytest.fixture
def sent_now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wake-ups are kept instead of going to a worker; the test delivers."""
    asked: list[int] = []
    monkeypatch.setattr(deliveries, "wake", asked.append)
    return asked


def told(kind: str) -> set[str]:
    return set(Notice.objects.filter(kind=kind).values_list("user__username", flat=True))


def going(user: User, channel: str, address: str = "", kinds: list[str] = EVERY) -> NoticeChoice:
    name = "email_kinds" if channel == "email" else "apprise_kinds"
    return sealed(NoticeChoice.objects.create(user=user, apprise_address=address, **{name: kinds}))


def delivered(plan: IntentPlan) -> Delivery:
    notify.sweep()
    delivery = Delivery.objects.get()
    deliveries.deliver(delivery.pk)
    delivery.refresh_from_db()
    return delivery


# --- who is told what ----------------------------------------------------------------------------------------


def test_who_may_decide_a_plan_is_told_that_it_waits_once(plan: IntentPlan, judge: User, stranger: User) -> None:
    notify.sweep()
    notify.sweep()
    assert list(Notice.objects.values_list("user__username", "kind")) == [(judge.username, "awaits")]


def test_what_asked_for_a_decision_counts_as_read_once_nobody_can_make_it(
    plan: IntentPlan, judge: User, second_judge: User, submitter: User
) -> None:
    rejected, waiting = proposed(goal_of(submitter, "rejected")), proposed(goal_of(submitter, "waits"))
    assigning.assign(plan, second_judge, by=judge)
    notify.sweep()
    assert Notice.objects.filter(read_at=None).count() == 7  # two people of three plans, and the one that was given
    decisions.approve(plan, by=judge, digest=plan.digest)
    decisions.reject(rejected, by=judge, digest=rejected.digest, reason="no")
    notify.sweep()
    unread = set(Notice.objects.filter(read_at=None).values_list("kind", "intent_plan", "user__username"))
    assert unread == {
        ("awaits", waiting.pk, judge.username),
        ("awaits", waiting.pk, second_judge.username),
        ("outcome", rejected.pk, submitter.username),
    }


def test_under_four_eyes_nobody_is_asked_about_their_own(judge: User, second_judge: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    proposed(goal_of(judge))
    notify.sweep()
    assert told("awaits") == {second_judge.username}


def test_when_time_runs_out_operators_are_told_as_well(plan: IntentPlan, judge: User, operator: User) -> None:
    TimeLimit.objects.create(minutes=60)
    deadlines.start()
    notify.sweep()
    ReviewClock.objects.update(escalate_at=timezone.now())
    deadlines.mark_urgent()
    notify.sweep()
    notify.sweep()
    assert told("urgent") == {judge.username, operator.username}
    assert Notice.objects.filter(kind="urgent").count() == 2


@pytest.mark.parametrize(
    ("state", "outcome", "said"),
    [
        ("complete", "achieved", "The plan is complete: "),
        ("complete", "nothing_changed", "The plan ran, but nothing changed: "),
        ("complete", "not_checked", "The plan ran, not checked: "),
        ("complete", "handed_over", "The plan handed its work to people: "),
        ("superseded", "", "The plan was replaced by another one: "),
        ("complete", "", "The plan is complete: "),
        ("failed", "", "The plan has failed: "),
    ],
)
def test_how_a_plan_ended_is_said_in_a_sentence(plan: IntentPlan, state: str, outcome: str, said: str) -> None:
    plan.state = state
    plan.goal.outcome = outcome
    assert notify.text_of(NoticeKind.OUTCOME, plan).startswith(said)


def test_what_expired_is_told_to_those_who_could_decide_and_to_the_submitter(
    plan: IntentPlan, judge: User, submitter: User
) -> None:
    notify.sweep()
    TimeLimit.objects.create(minutes=60)
    deadlines.start()
    ReviewClock.objects.update(due_at=timezone.now())
    deadlines.sweep()
    notify.sweep()
    assert told("expired") == {judge.username, submitter.username}


def test_the_outcome_comes_back_to_who_decided_and_to_the_submitter(
    plan: IntentPlan, judge: User, second_judge: User, submitter: User
) -> None:
    notify.sweep()
    decisions.approve(plan, by=judge, digest=plan.digest)
    notify.sweep()
    assert told("outcome") == set()
    plan.refresh_from_db()
    for state in (PlanState.EXECUTING, PlanState.COMPLETE):
        moves.move_plan(plan, state, by="a test")
    notify.sweep()
    notify.sweep()
    assert told("outcome") == {judge.username, submitter.username}
    assert Notice.objects.filter(kind="outcome").first().text.startswith("The plan is complete")  # type: ignore[union-attr]


def test_who_is_to_decide_the_next_revision_is_told_of_that_only(
    plan: IntentPlan, judge: User, submitter: User, operator: User
) -> None:
    decisions.approve(plan, by=judge, digest=plan.digest)
    notify.sweep()
    plan.refresh_from_db()
    document = documents.read(bytes(plan.document))
    renewals.ask_again(plan.goal, plan, document, by="a test", why="a rule was withdrawn")
    notify.sweep()
    assert judge.username in told("awaits")
    assert told("outcome") == {submitter.username}


def _ended(plan: IntentPlan) -> None:
    plan.refresh_from_db()
    for state in (PlanState.EXECUTING, PlanState.COMPLETE):
        moves.move_plan(plan, state, by="a test")
    notify.sweep()


def test_of_two_people_both_learn_how_it_ended(
    plan: IntentPlan, judge: User, second_judge: User, keeper: User, submitter: User
) -> None:
    in_force(Action.REQUIRE_TWO, keeper, commands=["write"])
    decisions.approve(plan, by=judge, digest=plan.digest)
    decisions.approve(plan, by=second_judge, digest=plan.digest)
    _ended(plan)
    assert told("outcome") == {judge.username, second_judge.username, submitter.username}


@pytest.mark.django_db(transaction=True)
def test_what_a_policy_approved_comes_back_to_its_owner_even_when_nobody_was_told_that_it_waited(
    owner: User, keeper: User, cases: None, propose_plan: Callable[..., IntentPlan]
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir", "write"], risk_at_most="low")
    plan = tried(propose_plan(owner))
    assert plan.state == PlanState.APPROVED
    assert not Notice.objects.exists()
    _ended(plan)
    assert set(plan.notices.values_list("user", "kind")) == {(keeper.pk, "outcome"), (owner.pk, "outcome")}


def test_a_rejection_is_told_to_whoever_asked_and_not_to_who_rejected(
    plan: IntentPlan, judge: User, submitter: User
) -> None:
    decisions.reject(plan, by=judge, digest=plan.digest, reason="Not needed")
    own = proposed(goal_of(judge))
    decisions.reject(own, by=judge, digest=own.digest, reason="Not needed")
    notify.sweep()
    assert list(Notice.objects.filter(kind="outcome").values_list("user__username", "intent_plan")) == [
        (submitter.username, plan.pk)
    ]


def test_a_link_from_a_message_asks_for_the_login_leads_on_and_says_what_happened_when_it_is_too_late(
    plan: IntentPlan, judge: User, submitter: User
) -> None:
    judge.set_password("a password for tests only")
    judge.save()
    TimeLimit.objects.create(minutes=60)
    deadlines.start()
    notify.sweep()
    link = plan.get_absolute_url()
    client = Client()
    asked = client.get(link)
    assert asked.headers["Location"] == f"/login/?next={link}"
    said = {"username": judge.username, "password": "a password for tests only", "next": link}
    assert client.post("/login/", said).headers["Location"] == link
    ReviewClock.objects.update(due_at=timezone.now())
    deadlines.sweep()
    page = " ".join(client.get(link).content.decode().split())
    assert "This plan is expired" in page
    assert "nobody decided within 1 h" in page
    late = client.post(f"{link}decide/", {"digest": plan.digest, "verdict": "approve"})
    assert late.status_code == 409
    assert "already expired by review time limit" in late.content.decode()


def test_a_message_says_what_is_asked_and_no_argument(submitter: User, judge: User) -> None:
    secret = "/home/very/secret/path"
    proposed(goal_of(submitter, "Tidy the garden " * 20), [step("write", path=secret, content="hunter2")])
    notify.sweep()
    text = Notice.objects.get().text
    assert text.startswith("A plan is waiting for your review: “Tidy the garden")
    assert "(1 step)" in text
    assert len(text) < 140
    assert secret not in text
    assert "hunter2" not in text


# --- e-mail --------------------------------------------------------------------------------------------------


class Mailbox:
    """A real SMTP server's hands: keeps what comes, or refuses as long as it is told to."""

    def __init__(self) -> None:
        self.came: list[Any] = []
        self.refuses = False

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refuses:
            return "451 try again later"
        self.came.append(envelope)
        return "250 OK"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    box = Mailbox()
    with socket.create_server(("127.0.0.1", 0)) as found:  # the controller wants to know its port beforehand
        port = found.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.NOTIFY_BY_EMAIL, settings.EMAIL_USE_TLS = True, False
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    yield box
    controller.stop()


def test_an_e_mail_arrives_with_the_question_and_a_link(
    plan: IntentPlan, judge: User, mailbox: Mailbox, sent_now: list[int], settings: Any
) -> None:
    judge.email = "jo@example.org"
    judge.save()
    going(judge, "email")
    delivery = delivered(plan)
    assert (delivery.state, delivery.tries, delivery.reason) == ("sent", 1, "")
    (envelope,) = mailbox.came
    assert envelope.rcpt_tos == ["jo@example.org"]
    body = envelope.content.decode()
    assert f"{settings.PUBLIC_URL}/review/{plan.pk}/" in body
    deliveries.deliver(delivery.pk)
    assert len(mailbox.came) == 1


def test_a_server_that_refuses_is_asked_again_later_and_five_times_at_most(
    plan: IntentPlan, judge: User, mailbox: Mailbox, sent_now: list[int]
) -> None:
    judge.email = "jo@example.org"
    judge.save()
    going(judge, "email")
    mailbox.refuses = True
    delivery = delivered(plan)
    assert (delivery.state, delivery.tries) == ("waiting", 1)
    assert "mail server" in delivery.reason
    deliveries.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert delivery.tries == 1, "before its moment nothing is tried"
    for _ in range(9):
        Delivery.objects.update(next_at=timezone.now())
        deliveries.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == ("failed", deliveries.TRIES)


def test_the_sweep_finds_what_no_worker_heard_of(
    plan: IntentPlan, judge: User, mailbox: Mailbox, sent_now: list[int]
) -> None:
    judge.email = "jo@example.org"
    judge.save()
    going(judge, "email")
    notify.sweep()
    sent_now.clear()
    deliveries.sweep()
    assert sent_now == [Delivery.objects.get().pk]


def test_nothing_is_sent_while_no_server_is_configured(plan: IntentPlan, judge: User, sent_now: list[int]) -> None:
    judge.email = "jo@example.org"
    judge.save()
    going(judge, "email")
    notify.sweep()
    assert not Delivery.objects.exists()


def test_nothing_is_sent_for_kinds_that_were_not_chosen(plan: IntentPlan, judge: User, mailbox: Mailbox) -> None:
    judge.email = "jo@example.org"
    judge.save()
    going(judge, "email", kinds=["outcome"])
    notify.sweep()
    assert not Delivery.objects.exists()


# --- apprise -------------------------------------------------------------------------------------------------


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """A real HTTP endpoint: its address for apprise, what came, and how it answers."""
    came: list[dict[str, Any]] = []
    answers: dict[str, Any] = {"status": 200, "location": ""}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(answers["status"])
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"json://user:s3cret@127.0.0.1:{server.server_port}/hook", came, answers
    server.shutdown()
    server.server_close()


def test_an_address_gets_the_message_when_the_operator_allows_internal_ones(
    plan: IntentPlan, judge: User, endpoint: Any, sent_now: list[int], settings: Any, caplog: Any
) -> None:
    settings.NOTIFY_INTERNAL = True
    address, came, answers = endpoint
    going(judge, "apprise", address)
    answers["status"] = 500
    delivery = delivered(plan)
    assert (delivery.state, delivery.reason) == ("waiting", sending.NOT_TAKEN)
    answers["status"] = 200
    Delivery.objects.update(next_at=timezone.now())
    deliveries.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert delivery.state == "sent"
    assert f"/review/{plan.pk}/" in came[-1]["message"]
    assert "s3cret" not in caplog.text + json.dumps([row.data for row in AuditEntry.objects.all()])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
def test_an_internal_machine_is_not_connected_to(
    host: str, plan: IntentPlan, judge: User, endpoint: Any, sent_now: list[int]
) -> None:
    address, came, _ = endpoint
    going(judge, "apprise", address.replace("127.0.0.1", host))
    delivery = delivered(plan)
    assert delivery.state == "waiting"
    assert delivery.reason in (sending.INTERNAL, sending.NO_ADDRESS)
    assert came == []
    if host in ("127.0.0.1", "localhost"):
        assert delivery.reason == sending.INTERNAL


@pytest.mark.parametrize(
    ("host", "internal"),
    [
        ("127.0.0.1", True), ("10.1.2.3", True), ("169.254.169.254", True), ("192.168.0.1", True), ("100.64.0.1", True),
        ("0.0.0.0", True), ("::1", True), ("fe80::1%eth0", True), ("fd00::1", True), ("::ffff:10.0.0.1", True),
        ("224.0.0.1", True), ("a name", True), ("93.184.216.34", False), ("2606:2800:220:1::1", False),
        ("::127.0.0.1", True), ("fec0::1", True), ("64:ff9b::7f00:1", True), ("64:ff9b:1::a00:1", True),
        ("2002:7f00:1::", True), ("2001:0:7f00:1::1", True), ("::ffff:8.8.8.8", True), ("168.63.129.16", True),
    ],
)  # fmt: skip
def test_what_counts_as_internal(host: str, internal: bool) -> None:
    with pytest.raises(PermissionError) if internal else nullcontext():
        sending.guard("socket.connect", (None, (host, 443)))


@pytest.mark.parametrize("address", ["syslog://", "nonsense://", "file:///etc/passwd"])
def test_an_address_that_is_no_service_elsewhere_gets_nothing(
    address: str, plan: IntentPlan, judge: User, sent_now: list[int]
) -> None:
    going(judge, "apprise", address)
    assert delivered(plan).state == "waiting"


@pytest.mark.parametrize(
    "address",
    [
        "workflows://example.org:443/aaaa/bbbb/?template={file}",
        "discord://1234567890/abcdefghijklmnop?template={file}",
        "json://example.org/?Template={file}",
        "json://example.org/?a=1;template={file}",
        "json://example.org/?%74emplate={file}",
        "json://example.org/?+X-Sent=1",
        "json://example.org/ workflows://example.org:443/aaaa/bbbb/?template={file}",
        "json://example.org/,json://example.com/",
        "dbus://", "syslog://", "fcm://project@key/device?keyfile={file}", "vapid://a@example.org/b?keyfile={file}",
        "signals://example.org?attach={file}", "file://{file}", "nonsense", "", "ntfys://example.org/t#x",
    ],
)  # fmt: skip
def test_an_address_with_a_service_or_an_option_that_is_not_listed_is_refused_and_opens_no_file(
    address: str, tmp_path: Path, plan: IntentPlan, judge: User, client_of: ClientOf, sent_now: list[int]
) -> None:
    secret = tmp_path / "secret"
    os.mkfifo(secret)  # whoever opened it would be seen, and would wait
    address = address.format(file=secret)
    assert not is_allowed(address)
    if address:
        form = {"apprise_kinds": ["awaits"], "apprise_address": address}
        assert client_of(judge).post("/review/notices/choice/", form).status_code == 422
    going(judge, "apprise", address or "nonsense")  # as one that was kept before there was a list
    assert delivered(plan).reason == sending.NO_ADDRESS


@pytest.mark.parametrize(
    "address",
    [
        "ntfys://user:p%40ss@ntfy.example.org/topic?priority=high&tags=robot",
        "discord://1234567890/abcdefghijklmnop?avatar=no",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/%23general",
        "tgram://123456789:abcdefghijklmnopqrstuvwxyzABCDEFGHI/12315544",
        "workflows://example.org:443/abcd/efgh/?format=markdown",
        "jsons://example.org/hook?method=PUT",
        "gotifys://example.org/abcdefghijklmno",
    ],
)
def test_an_ordinary_address_is_kept(address: str, judge: User, client_of: ClientOf) -> None:
    form = {"apprise_kinds": ["awaits"], "apprise_address": address}
    assert client_of(judge).post("/review/notices/choice/", form).status_code == 302


def test_every_service_on_the_list_is_one_that_apprise_has() -> None:
    known = set(NotificationManager().schemas())
    assert known >= SCHEMES


def test_the_sender_opens_only_what_python_itself_needs(tmp_path: Path) -> None:
    assert not sending.may_open(str(tmp_path / "x"))
    assert not sending.may_open("/etc/passwd")
    assert not sending.may_open(f"{sys.prefix}/../../etc/passwd")
    assert sending.may_open(json.__file__)
    assert sending.may_open(apprise.__file__)
    assert sending.may_open(3)


# --- pages ---------------------------------------------------------------------------------------------------


def test_the_address_is_kept_and_never_shown(judge: User, client_of: ClientOf, caplog: Any) -> None:
    client = client_of(judge)
    form = {"apprise_kinds": ["awaits"], "email_kinds": ["outcome"], "apprise_address": "json://u:s3cret@example.org/x"}
    assert client.post("/review/notices/choice/", form).status_code == 302
    choice = NoticeChoice.objects.get()
    assert (choice.apprise_kinds, choice.email_kinds) == (["awaits"], ["outcome"])
    assert choice.apprise_address.endswith("s3cret@example.org/x")
    assert "s3cret" not in client.get("/review/notices/").content.decode()
    client.post("/review/notices/choice/", form | {"apprise_address": ""})
    choice.refresh_from_db()
    assert choice.apprise_address
    refused = client.post("/review/notices/choice/", form | {"apprise_address": "nothing://s3cret"})
    assert refused.status_code == 422
    assert "s3cret" not in refused.content.decode()
    client.post("/review/notices/choice/", form | {"apprise_address": "", "forget": "on"})
    choice.refresh_from_db()
    assert choice.apprise_address == ""
    assert "s3cret" not in caplog.text


def test_notices_are_ones_own_and_lead_to_their_plan_only(
    plan: IntentPlan, judge: User, stranger: User, client_of: ClientOf
) -> None:
    notify.sweep()
    notice = Notice.objects.get()
    address = f"/review/notices/{notice.pk}/"
    assert Client().get(address).headers["Location"] == f"/login/?next={address}"
    assert client_of(stranger).get(address).status_code == 404
    client = client_of(judge)
    assert client.get("/review/notices/").context["shell"].unread == "1"
    answer = client.get(f"{address}?next=https://evil.example/")
    assert answer.headers["Location"] == plan.get_absolute_url()
    assert client.get("/review/notices/").context["shell"].unread == ""


def test_all_are_marked_as_read_at_once(submitter: User, judge: User, client_of: ClientOf) -> None:
    for number in range(3):
        proposed(goal_of(submitter, f"goal {number}"))
    notify.sweep()
    client = client_of(judge)
    client.post("/review/notices/read/")
    assert not Notice.objects.filter(read_at__isnull=True).exists()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_notices_are_read_and_followed_in_a_browser(
    width: int,
    plan: IntentPlan,
    judge: User,
    open_page: Callable[..., Page],  # noqa: F811
) -> None:
    import os

    notify.sweep()
    page = open_page(judge, "/account/", width=width)
    page.get_by_role("link", name="Choose your notices").click()
    arrived(page, "Notices")
    assert (sideways(page), violations(page)) == (0, [])
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/notices-{width}.png", full_page=True)
    page.get_by_role("link", name="A plan is waiting for your review").click()
    expect(page.locator("h1")).to_have_text("Write a note")


# --- rows that mindX did not write -------------------------------------------------------------------------------


def test_nothing_is_sent_to_an_address_that_its_person_did_not_save(
    plan: IntentPlan, judge: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "wake", lambda key: None)
    going(judge, "apprise", "json://one.example", ["awaits"])
    forge("UPDATE review_noticechoice SET apprise_address = 'json://two.example'")
    notify.sweep()
    assert not Delivery.objects.exists(), "of a changed choice nothing is sent"
    client_of(judge).post(reverse("review-notices-choice"), {"apprise_kinds": ["awaits"]})
    choice = NoticeChoice.objects.get()
    assert choice.apprise_address == "", "an address that somebody else wrote is not kept"
    assert sealing.is_genuine(choice)


def test_a_text_that_mindx_did_not_write_is_not_sent(
    plan: IntentPlan, judge: User, mailoutbox: list[Any], settings: Any, sent_now: list[int]
) -> None:
    settings.NOTIFY_BY_EMAIL = True
    User.objects.filter(pk=judge.pk).update(email="jo@example.org")
    going(judge, "email", kinds=["awaits"])
    notify.sweep()
    forge("UPDATE review_notice SET text = 'Your account is locked: http://evil.example'")
    deliveries.deliver(Delivery.objects.get().pk)
    assert (mailoutbox, Delivery.objects.get().state) == ([], "failed")
