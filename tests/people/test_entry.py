"""Entering and leaving: no name is given away, no guess goes on for ever, no way out of the site."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.db.models import F
from django.test import Client
from django.utils import timezone

from people.login_limit import BY_ADDRESS, BY_NAME
from people.models import RateLimit
from people.rate_limits import forget_old
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """A slow hash is right for people and wrong for tests."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def olga(owner: Any) -> Any:
    """The owner, with a password."""
    owner.set_password(PASSWORD)
    owner.save()
    return owner


def enter(client: Client, name: str = "olga", password: str = PASSWORD, **also: str) -> Any:
    return client.post("/login/", {"username": name, "password": password, **also})


def words_of(page: Any) -> str:
    """What a person reads in the notice of the page."""
    found = re.search(r'role="alert">.*?<span>(.*?)</span>', page.content.decode(), re.DOTALL)
    return found.group(1) if found else ""


def test_name_and_password_open_the_page_that_was_asked_for(olga: Any) -> None:
    client = Client()
    asked = client.get("/account/")
    assert asked.headers["Location"] == "/login/?next=/account/"
    page = client.get(asked.headers["Location"])
    assert b'name="next" value="/account/"' in page.content
    assert enter(client, next="/account/").headers["Location"] == "/account/"
    assert client.get("/account/").status_code == 200


def test_who_was_logged_out_meanwhile_comes_back_to_the_page_with_the_form(olga: Any) -> None:
    """The address that a form is sent to takes only forms: there is nothing to show at it after the login."""
    client = Client()
    sent = client.post("/review/7/decide/", {}, headers={"referer": "http://testserver/goals/7/?tab=plan"})
    assert sent.headers["Location"] == "/login/?next=/goals/7/%3Ftab%3Dplan&unsent=1"
    page = client.get(sent.headers["Location"]).content.decode()
    assert 'name="next" value="/goals/7/?tab=plan"' in page
    assert "what you sent was not saved" in page
    assert "what you sent was not saved" not in client.get("/login/?next=/goals/7/").content.decode()


@pytest.mark.parametrize(
    "referer", ["", "https://evil.example/review/", "javascript:alert(1)", "http://testserver@evil/"]
)
def test_a_form_from_nowhere_leads_to_the_overview(db: None, referer: str) -> None:
    sent = Client().post("/review/7/decide/", {}, headers={"referer": referer})
    assert sent.headers["Location"] == "/login/?next=/&unsent=1"


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "https:///evil.example",
        " https://evil.example",
        "/\t/evil.example",
    ],
)
def test_a_login_leads_nowhere_else(olga: Any, elsewhere: str) -> None:
    assert enter(Client(), next=elsewhere).headers["Location"] == "/"


def test_a_wrong_password_and_an_unknown_name_are_answered_alike(olga: Any) -> None:
    wrong, unknown = enter(Client(), password="wrong"), enter(Client(), name="nobody", password="wrong")
    assert wrong.status_code == unknown.status_code == 422
    assert words_of(wrong) == words_of(unknown)
    assert "7 attempts left" in words_of(wrong)


def test_a_disabled_person_is_answered_like_a_wrong_password(olga: Any) -> None:
    wrong = enter(Client(), name="nobody", password="wrong")
    olga.is_active = False
    olga.save()
    assert words_of(enter(Client())) == words_of(wrong)


def fail(client: Client, times: int = BY_NAME.most, name: str = "olga", **meta: Any) -> list[int]:
    return [client.post("/login/", {"username": name, "password": "wrong"}, **meta).status_code for _ in range(times)]


@pytest.mark.parametrize("name", ["olga", "nobody"])
def test_after_too_many_failures_nobody_enters_and_the_page_says_when_to_try_again(olga: Any, name: str) -> None:
    client = Client()
    assert fail(client, name=name) == [422] * BY_NAME.most
    locked = enter(client, name=name)
    assert locked.status_code == 429
    assert 0 < int(locked.headers["Retry-After"]) <= BY_NAME.every_s
    assert "Too many attempts" in locked.content.decode()
    assert re.search(r"Try again in (2 min|1 min|1\d\d s)", locked.content.decode())
    assert client.get("/account/").status_code == 302


def test_the_lock_ends_when_the_page_said(olga: Any) -> None:
    client = Client()
    fail(client)
    used_until = RateLimit.objects.get(kind=BY_NAME.kind).used_until
    assert fail(client, 3) == [429] * 3
    said_s = int(enter(client).headers["Retry-After"])
    assert RateLimit.objects.get(kind=BY_NAME.kind).used_until == used_until, "trying on while locked moves nothing"
    RateLimit.objects.update(used_until=F("used_until") - timedelta(seconds=said_s))
    assert enter(client).status_code == 302


def test_another_address_does_not_give_more_tries_at_a_name(olga: Any, outsider: Any) -> None:
    outsider.set_password(PASSWORD)
    outsider.save()
    for number in range(BY_NAME.most):
        fail(Client(), 1, REMOTE_ADDR=f"10.1.2.{number}")
    assert enter(Client(REMOTE_ADDR="10.9.9.9")).status_code == 429
    assert enter(Client(), name="otto").status_code == 302


def test_one_address_has_so_many_tries_over_all_names(olga: Any) -> None:
    for number in range(BY_ADDRESS.most):
        assert fail(Client(), 1, name=f"name{number}", REMOTE_ADDR=f"2001:db8::{number:x}") == [422]
    assert enter(Client(REMOTE_ADDR="2001:db8::ffff:1")).status_code == 429
    assert enter(Client(REMOTE_ADDR="2001:db8:0:1::1")).status_code == 302


def test_a_stranger_does_not_lock_a_person_out_of_a_browser_they_know(olga: Any) -> None:
    known = Client()
    enter(known)
    known.post("/logout/")
    fail(Client())
    assert enter(Client()).status_code == 429
    assert fail(known, 1) == [422]
    assert enter(known).status_code == 302
    assert enter(Client()).status_code == 429, "it is still the stranger's count elsewhere"


def test_a_known_browser_has_no_more_tries_than_a_strange_one(olga: Any) -> None:
    known = Client()
    enter(known)
    known.post("/logout/")
    assert fail(known, BY_NAME.most + 1) == [422] * BY_NAME.most + [429]


def test_the_cookie_of_a_browser_is_for_its_person_and_cannot_be_made(olga: Any, outsider: Any) -> None:
    fail(Client())
    outsider.set_password(PASSWORD)
    outsider.save()
    others = Client()
    enter(others, name="otto")
    others.post("/logout/")
    assert enter(others).status_code == 429
    forged = Client()
    forged.cookies["mindx_device"] = signing.dumps(["olga", "mine"], salt="mindx.device", key="another")
    assert enter(forged).status_code == 429


def test_a_login_forgets_the_failures_before_it(olga: Any) -> None:
    for _ in range(2):
        fail(Client(), BY_NAME.most - 1)
        assert enter(Client()).status_code == 302
    assert RateLimit.objects.get(kind=BY_ADDRESS.kind).used_until > timezone.now() + timedelta(
        seconds=BY_ADDRESS.every_s * 2 * (BY_NAME.most - 2)
    ), "an account of one's own does not empty the count of the address"


def test_what_holds_nobody_up_is_removed(olga: Any) -> None:
    fail(Client(), 1)
    forget_old()
    assert RateLimit.objects.count() == 2
    RateLimit.objects.update(used_until=timezone.now())
    forget_old()
    assert RateLimit.objects.count() == 0


def test_the_page_never_repeats_what_was_typed_as_markup(olga: Any) -> None:
    page = enter(Client(), name='"><script>alert(1)</script>', password="wrong")
    assert b"<script>alert" not in page.content
    assert b"wrong" not in page.content


@pytest.mark.parametrize("name", ["", "\x00", "a\x00b", "x" * 5000, "\u202eolga"])
def test_a_strange_name_is_refused(olga: Any, name: str) -> None:
    assert enter(Client(), name=name).status_code == 422


def test_the_session_ends_with_the_browser_unless_asked_to_stay(olga: Any) -> None:
    brief, long = Client(), Client()
    enter(brief)
    enter(long, stay="on")
    assert brief.session.get_expire_at_browser_close()
    assert long.cookies["sessionid"]["max-age"] == 14 * 24 * 3600


def test_a_login_changes_the_sessions_key(olga: Any) -> None:
    client = Client()
    client.get("/login/")
    session = client.session
    session["planted"] = "by somebody"
    session.save()
    planted = str(session.session_key)
    client.cookies["sessionid"] = planted
    enter(client)
    assert client.cookies["sessionid"].value != planted


def test_leaving_needs_a_form_with_its_token(olga: Any) -> None:
    client = Client()
    enter(client)
    assert client.get("/logout/").status_code == 405
    assert client.get("/account/").status_code == 200
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post("/logout/").status_code == 403
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert client.get("/account/").status_code == 302


def test_the_login_form_wants_its_token(olga: Any) -> None:
    assert enter(Client(enforce_csrf_checks=True)).status_code == 403


def test_the_admin_has_no_login_of_its_own(olga: Any, client_of: Any) -> None:
    assert Client().get("/admin/").status_code == 302
    there = Client().get("/admin/login/?next=/admin/")
    assert there.headers["Location"].startswith("/login/?next=")
    assert client_of(olga).get("/admin/login/").status_code == 403
    tried = Client().post("/admin/login/", {"username": "olga", "password": PASSWORD})
    assert tried.headers["Location"].startswith("/login/")
