"""Signing in with OpenID Connect against a provider on loopback: who comes in, with which roles, and who not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from people import sealing
from people.login_limit import BY_ADDRESS
from people.models import ExternalLogin, User
from people.oidc import exchanges
from people.oidc.configuration import Configuration, configuration, parse_roles
from people.roles import Role
from review.models import AuditEntry
from tests.cast import PASSWORD, person
from tests.dripping import MOST_S, dripping
from tests.forging import forge
from tests.people import openid
from tests.people.openid import CLIENT, OTHER_KEY, SECRET, Provider

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
ROLES = "/mindx/reviewers=reviewer submitter; cn=ops,ou=groups=operator; boss=admin"


def known(issuer: str, **also: str) -> Configuration:
    told = {
        "client_id": CLIENT,
        "client_secret": SECRET,
        "name": "Example",
        "scopes": "openid profile email",
        "groups_claim": "groups",
        "roles": ROLES,
    }
    return configuration(issuer=issuer, **(told | also))


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    """A provider at which Nina is logged in, and a mindX that knows it."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with openid.provider() as found:
        settings.OIDC = known(found.issuer)
        found.person = {
            "sub": "1f0c",
            "preferred_username": "nina",
            "email": "nina@example.org",
            "email_verified": True,
            "given_name": "Nina",
            "family_name": "Lund",
            "groups": ["/mindx/reviewers", "staff"],
        }
        yield found


def sign_in(provider: Provider, client: Client, start: str = "/login/oidc/") -> Any:
    """Go the whole way: what the page after the provider answers."""
    there = client.get(start)
    assert there.status_code == 302, there.content
    return client.get(local(provider.authorize(there.headers["Location"])))


def local(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def reasons() -> list[str]:
    """Why sign-ins failed, as the journal has it."""
    return [entry.data.get("why", "") for entry in AuditEntry.objects.filter(event="login_failed").order_by("pk")]


# --- who comes in --------------------------------------------------------------------------------------------


def test_without_a_provider_the_login_is_as_it_was(client: Client) -> None:
    assert b"Log in with" not in client.get("/login/").content
    for page in ("/login/oidc/", "/login/oidc/return/?code=1&state=2"):
        assert client.get(page).status_code == 404
    assert not AuditEntry.objects.exists()


def test_somebody_new_comes_in_with_the_roles_of_their_groups(provider: Provider, client: Client) -> None:
    page = client.get("/login/?next=/account/").content.decode()
    assert 'href="/login/oidc/?next=/account/">Log in with Example' in page
    assert sign_in(provider, client, "/login/oidc/?next=/account/").headers["Location"] == "/account/"
    nina = User.objects.get(username="nina")
    assert (nina.roles, nina.email, nina.first_name) == (["submitter", "reviewer"], "nina@example.org", "Nina")
    assert not nina.has_usable_password()
    assert not nina.is_superuser
    page = client.get("/account/").content.decode()
    assert "Your groups there give you: submitter, reviewer." in page
    assert "Change password" not in page
    assert client.session.get_expire_at_browser_close()


def test_the_journal_has_the_person_and_the_login(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    made, entered = AuditEntry.objects.order_by("pk")
    assert (made.event, made.by, made.subject) == ("person_made", None, "person:nina")
    assert made.data["after"]["roles"] == ["submitter", "reviewer"]
    assert (entered.event, entered.by) == ("login", User.objects.get())
    assert entered.data == {"address": "127.0.0.1", "with": provider.issuer}


def test_the_same_person_comes_back_as_the_same_person(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    provider.person |= {"preferred_username": "renamed", "email": "other@example.org"}
    assert is_in(client)
    again = Client()
    sign_in(provider, again)
    assert is_in(again)
    assert User.objects.get().username == "nina"


def test_an_address_that_the_provider_has_not_verified_is_not_kept(provider: Provider, client: Client) -> None:
    provider.person["email_verified"] = "true"
    sign_in(provider, client)
    assert User.objects.get().email == ""


def test_groups_may_come_from_userinfo_or_out_of_an_object(provider: Provider, client: Client, settings: Any) -> None:
    provider.in_userinfo = ("groups",)
    sign_in(provider, client)
    assert is_in(client)
    provider.in_userinfo = ()
    provider.person |= {"sub": "2", "preferred_username": "karl", "email": "", "realm": {"roles": "boss"}}
    settings.OIDC = known(provider.issuer, groups_claim="realm.roles")
    sign_in(provider, Client())
    assert User.objects.get(username="karl").is_superuser


def test_what_is_sent_to_the_provider_leads_back_to_our_own_address(
    provider: Provider, client: Client, settings: Any
) -> None:
    client.get("/login/oidc/?scope=everything&auth_params=prompt%3Dnone", headers={"host": "localhost"})
    there = client.get("/login/oidc/?scope=everything&auth_params=prompt%3Dnone&next=//evil.example/")
    provider.authorize(there.headers["Location"])
    asked = provider.asked[0]
    assert asked["redirect_uri"] == f"{settings.PUBLIC_URL}/login/oidc/return/"
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    assert "prompt" not in asked
    assert len(asked["nonce"]) > 30


def test_nobody_is_led_out_of_this_site_afterwards(provider: Provider, client: Client) -> None:
    assert sign_in(provider, client, "/login/oidc/?next=https://evil.example/").headers["Location"] == "/"


# --- roles ---------------------------------------------------------------------------------------------------


def test_roles_follow_the_groups_and_what_was_given_by_hand_stays(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    nina = User.objects.get()
    nina.roles = [*nina.roles, "developer"]
    nina.save()
    provider.person["groups"] = ["cn=ops,ou=groups", "boss", "unknown"]
    sign_in(provider, Client())
    nina.refresh_from_db()
    assert nina.roles == ["operator", "developer", "admin"]
    assert nina.is_superuser
    assert nina.is_staff
    provider.person["groups"] = []
    sign_in(provider, Client())
    nina.refresh_from_db()
    assert (nina.roles, nina.is_superuser, nina.is_staff) == (["developer"], False, False)
    changed = AuditEntry.objects.filter(event="person_changed").order_by("pk")
    assert [entry.data["after"]["roles"] for entry in changed] == [["operator", "developer", "admin"], ["developer"]]
    assert sealing.is_genuine(nina)


def test_a_role_that_was_given_by_hand_first_outlives_the_group(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    nina, login = User.objects.get(), ExternalLogin.objects.get()
    assert login.group_roles == ["submitter", "reviewer"]
    nina.roles = [*nina.roles, "operator"]
    nina.save()
    provider.person["groups"].append("cn=ops,ou=groups")
    sign_in(provider, Client())
    provider.person["groups"] = ["/mindx/reviewers"]
    sign_in(provider, Client())
    nina.refresh_from_db()
    assert nina.roles == ["submitter", "reviewer", "operator"]


def test_who_lost_their_last_role_is_not_let_in_and_has_lost_it(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    provider.person["groups"] = ["unknown"]
    again = Client()
    assert sign_in(provider, again).status_code == 403
    assert not is_in(again)
    assert User.objects.get().roles == []


@pytest.mark.parametrize("groups", [["unknown"], [], None, "unknown", {"boss": True}, [["boss"]], 7])
def test_no_group_of_ours_no_person(provider: Provider, client: Client, groups: Any) -> None:
    provider.person["groups"] = groups
    answer = sign_in(provider, client)
    assert answer.status_code == 403
    assert b"None of your groups may use mindX" in answer.content
    assert not User.objects.exists()
    assert reasons() == ["no role"]


# --- people who exist ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theirs", [{"preferred_username": "OLGA"}, {"preferred_username": "x", "email": "Olga@example.org"}]
)
def test_nobody_who_exists_is_taken_over(provider: Provider, client: Client, owner: User, theirs: Any) -> None:
    owner.email = "olga@example.org"
    owner.save()
    provider.person |= theirs
    answer = sign_in(provider, client)
    assert answer.status_code == 403
    assert b"There is an account with your name or e-mail address already" in answer.content
    assert not is_in(client)
    assert not ExternalLogin.objects.exists()


def test_who_has_typed_their_password_connects_and_keeps_their_roles(
    provider: Provider, owner: User, client_of: ClientOf
) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    client = client_of(owner)
    assert client.get("/login/oidc/?connect").headers["Location"] == "/account/"
    assert client.post("/account/sign-in/connect/", {"own_password": "wrong"}).status_code == 422
    assert client.get("/login/oidc/?connect").headers["Location"] == "/account/"
    page = client.post("/account/sign-in/connect/", {"own_password": PASSWORD})
    assert b'href="/login/oidc/?connect"' in page.content
    assert sign_in(provider, client, "/login/oidc/?connect").headers["Location"] == "/account/"
    other = Client()
    provider.person["groups"] = ["cn=ops,ou=groups"]
    sign_in(provider, other)
    owner.refresh_from_db()
    assert owner.roles == ["submitter", "operator"]
    assert b"Disconnect" in other.get("/account/").content
    other.post("/account/sign-in/disconnect/")
    owner.refresh_from_db()
    assert owner.roles == ["submitter"]
    assert sign_in(provider, Client()).status_code == 302
    assert set(User.objects.values_list("username", flat=True)) == {"olga", "nina"}


def test_one_person_of_the_provider_is_one_person_here(
    provider: Provider, client: Client, owner: User, client_of: ClientOf
) -> None:
    sign_in(provider, client)
    owner.set_password(PASSWORD)
    owner.save()
    olga = client_of(owner)
    olga.post("/account/sign-in/connect/", {"own_password": PASSWORD})
    answer = sign_in(provider, olga, "/login/oidc/?connect")
    assert b"connected with another one already" in answer.content
    assert ExternalLogin.objects.get().user.username == "nina"


def test_who_has_no_password_cannot_disconnect(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    client.post("/account/sign-in/disconnect/")
    assert ExternalLogin.objects.exists()


def test_a_disabled_person_stays_out(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    nina = User.objects.get()
    nina.is_active = False
    nina.save()
    provider.person["groups"] = ["boss"]
    again = Client()
    assert b"Your account is disabled" in sign_in(provider, again).content
    assert not is_in(again)
    assert not is_in(client)
    nina.refresh_from_db()
    assert nina.roles == ["submitter", "reviewer"]


def test_a_link_that_was_written_into_the_table_lets_nobody_in(
    provider: Provider, client: Client, reviewer: User
) -> None:
    forge(
        "INSERT INTO people_externallogin (user_id, issuer, subject, group_roles, created_at)"
        " VALUES (%s, %s, '1f0c', '{}', now())",
        reviewer.pk,
        provider.issuer,
    )
    assert sign_in(provider, client).status_code == 403
    assert not is_in(client)
    assert reasons() == ["not sealed"]


def test_rows_of_allauths_own_tables_mean_nothing(provider: Provider, client: Client, reviewer: User) -> None:
    forge(
        "INSERT INTO socialaccount_socialaccount (user_id, provider, uid, last_login, date_joined, extra_data)"
        " VALUES (%s, 'oidc', '1f0c', now(), now(), '{}')",
        reviewer.pk,
    )
    forge(
        "INSERT INTO socialaccount_socialapp (provider, provider_id, name, client_id, secret, key, settings)"
        " VALUES ('openid_connect', 'oidc', 'eve', 'eve', '', '', '{\"server_url\": \"https://evil.example\"}')"
    )
    sign_in(provider, client)
    assert client.get("/account/").wsgi_request.user.username == "nina"


@pytest.mark.parametrize(
    "theirs",
    [
        {"preferred_username": "\u0430dmin"},
        {"preferred_username": "\uff41dmin"},
        {"preferred_username": "ad\u202emin"},
        {"preferred_username": "ad\0min"},
        {"preferred_username": "ad\ud800min"},
        {"preferred_username": "", "email": "\u0430dmin@example.org"},
        {"preferred_username": "", "email": "", "sub": "\u0430dmin"},
        {"email": "a\0@example.org"},
        {"given_name": "N\u0456na"},
        {"family_name": "Lund\u200b"},
    ],
)
def test_a_name_that_could_be_taken_for_another_persons_makes_and_links_nobody(
    provider: Provider, client: Client, owner: User, client_of: ClientOf, theirs: dict[str, str]
) -> None:
    provider.person |= theirs
    answer = sign_in(provider, client)
    assert answer.status_code == 403
    assert b"could be taken for others" in answer.content
    owner.set_password(PASSWORD)
    owner.save()
    olga = client_of(owner)
    olga.post("/account/sign-in/connect/", {"own_password": PASSWORD})
    assert sign_in(provider, olga, "/login/oidc/?connect").status_code == 403
    assert not ExternalLogin.objects.exists()
    assert reasons() == ["misleading name"] * 2


# --- proofs that are none ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lies", "reason"),
    [
        ({"nonce": "another"}, "wrong nonce"),
        ({"nonce": None}, "wrong nonce"),
        ({"iss": "https://evil.example"}, "wrong issuer"),
        ({"aud": "another client"}, "wrong audience"),
        ({"aud": [CLIENT, "another client"], "azp": "another client"}, "wrong audience"),
        ({"exp": int(time.time()) - 3600}, "expired"),
        ({"sub": None}, "unreadable token"),
        ({"sub": "9" * 256}, "no subject"),
        ({"sub": "1\0f"}, "no subject"),
        ({"sub": "1\ud800f"}, "no subject"),
        ({"nonce": "\ud800"}, "wrong nonce"),
    ],
)
def test_a_token_that_was_not_made_for_this_sign_in(
    provider: Provider, client: Client, lies: dict[str, Any], reason: str
) -> None:
    provider.lies = lies
    assert sign_in(provider, client).status_code == 403
    assert not is_in(client)
    assert reasons() == [reason]
    assert not User.objects.exists()


@pytest.mark.parametrize(("key", "algorithm"), [(OTHER_KEY, "RS256"), ("a client's secret" * 3, "HS256"), ("", "none")])
def test_a_token_that_the_provider_has_not_signed(provider: Provider, client: Client, key: Any, algorithm: str) -> None:
    provider.key, provider.algorithm = key, algorithm
    assert sign_in(provider, client).status_code == 403
    assert reasons() == ["wrong signature"]


def test_userinfo_about_somebody_else(provider: Provider, client: Client) -> None:
    provider.in_userinfo, provider.userinfo_lies = ("groups",), {"sub": "another"}
    assert sign_in(provider, client).status_code == 403
    assert reasons() == ["other person"]


def test_an_answer_is_taken_once_and_in_its_own_browser_only(provider: Provider, client: Client) -> None:
    back = local(provider.authorize(client.get("/login/oidc/").headers["Location"]))
    assert Client().get(back).status_code == 403
    assert client.get(back).status_code == 302
    client.post("/logout/")
    assert client.get(back).status_code == 403
    assert client.get("/login/oidc/return/?code=1&state=made-up").status_code == 403
    assert not is_in(client)
    assert reasons() == ["other sign in"] * 3


def test_a_code_that_the_provider_does_not_take(provider: Provider, client: Client) -> None:
    back = local(provider.authorize(client.get("/login/oidc/").headers["Location"]))
    provider.codes.clear()
    assert client.get(back).status_code == 403
    assert reasons() == ["code refused"]


def test_a_person_who_cancels_there(provider: Provider, client: Client) -> None:
    there = client.get("/login/oidc/").headers["Location"]
    state = parse_qs(urlsplit(there).query)["state"][0]
    answer = client.get(f"/login/oidc/return/?error=access_denied&state={state}")
    assert b"The sign-in was cancelled" in answer.content


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"issuer": "https://evil.example"}, 403),
        ({"token_endpoint": "http://evil.example/token"}, 502),
        ({"jwks_uri": 7}, 502),
    ],
)
def test_a_discovery_document_of_another_or_with_addresses_in_the_open(
    provider: Provider, client: Client, wrong: dict[str, Any], status: int
) -> None:
    provider.document_lies = wrong
    assert client.get("/login/oidc/").status_code == status


def test_an_endless_answer_is_not_read(provider: Provider, client: Client) -> None:
    provider.padding = 4 * 1024 * 1024
    answer = client.get("/login/oidc/")
    assert answer.status_code == 502
    assert b"cannot be reached, or its answer cannot be used" in answer.content


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"],
    ids=["status", "headers", "body"],
)
def test_a_provider_that_drips_holds_nobody_for_long(
    provider: Provider, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    monkeypatch.setattr(exchanges, "WHOLE_S", 0.3)
    with dripping(beginning) as address:
        settings.OIDC = known(f"{address}/realm")
        began = time.monotonic()
        assert client.get("/login/oidc/").status_code == 502
    assert time.monotonic() - began < MOST_S / 2
    assert reasons() == ["provider away"]


def test_the_deadline_is_one_for_all_that_a_request_asks(
    provider: Provider, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.pause_s = 0.4
    monkeypatch.setattr(exchanges, "WHOLE_S", 1.0)  # discovery, token and keys take 1.2 s
    assert sign_in(provider, client).status_code == 502
    assert not is_in(client)


def test_more_sign_ins_than_may_ask_at_once_are_turned_away_and_do_not_wait(provider: Provider, client: Client) -> None:
    with ExitStack() as others:
        for _ in range(exchanges.AT_ONCE):
            others.enter_context(exchanges.bounded())
        answer = client.get("/login/oidc/")
        assert (answer.status_code, provider.asked) == (503, [])
        assert b"Try again in a few seconds" in answer.content
    assert client.get("/login/oidc/").status_code == 302


def test_a_provider_that_is_away(provider: Provider, client: Client, settings: Any) -> None:
    settings.OIDC = known("http://127.0.0.1:9/realm")
    assert client.get("/login/oidc/").status_code == 502
    assert reasons() == ["provider away"]


def test_tries_are_counted_with_the_failed_logins_of_the_address(provider: Provider, client: Client) -> None:
    for _ in range(BY_ADDRESS.most):
        client.get("/login/oidc/return/?code=1&state=2")
    entries = AuditEntry.objects.count()
    assert client.get("/login/oidc/return/?code=1&state=2").status_code == 429
    assert client.get("/login/oidc/").status_code == 429
    assert AuditEntry.objects.count() == entries


# --- logging in again before something risky -----------------------------------------------------------------


def test_the_password_of_the_provider_counts_as_typed_again(provider: Provider, client: Client) -> None:
    sign_in(provider, client)
    assert client.session["password_typed_at"] == 0
    assert sign_in(provider, client, "/login/oidc/?again&next=/review/").headers["Location"] == "/review/"
    assert provider.asked[-1]["prompt"] == "login"
    assert time.time() - client.session["password_typed_at"] < 60


@pytest.mark.parametrize(
    ("lies", "person", "reason"),
    [
        ({"auth_time": None}, {}, "not typed"),
        ({"auth_time": int(time.time()) - 3600}, {}, "not typed"),
        ({}, {"sub": "somebody else"}, "other person"),
    ],
)
def test_an_old_password_or_somebody_elses_does_not_count(
    provider: Provider, client: Client, lies: Any, person: Any, reason: str
) -> None:
    sign_in(provider, client)
    provider.lies, provider.person = lies, provider.person | person
    assert sign_in(provider, client, "/login/oidc/?again").status_code == 403
    assert client.session["password_typed_at"] == 0
    assert reasons() == [reason]


# --- what operators write ------------------------------------------------------------------------------------


def test_a_group_may_be_an_ldap_name() -> None:
    assert parse_roles(ROLES) == {
        "/mindx/reviewers": {Role.REVIEWER, Role.SUBMITTER},
        "cn=ops,ou=groups": {Role.OPERATOR},
        "boss": {Role.ADMIN},
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "http://idp.example.org"},
        {"issuer": "idp.example.org"},
        {"client_id": ""},
        {"scopes": "profile"},
        {"roles": ""},
        {"roles": "staff"},
        {"roles": "staff=king"},
        {"roles": "=admin"},
    ],
)
def test_settings_that_cannot_be_meant(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="MINDX_OIDC_"):
        known(**({"issuer": "https://idp.example.org"} | wrong))


def test_several_people_with_the_same_group_are_several_people(provider: Provider) -> None:
    for name in ("ada", "ben"):
        provider.person |= {"sub": name, "preferred_username": name, "email": f"{name}@example.org"}
        sign_in(provider, Client())
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "ben"}
    person("unrelated")
