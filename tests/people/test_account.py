"""One's own account: tokens are shown once, passwords change, nothing of others is reachable."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from people import tokens
from people.models import ApiToken
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db
TOKEN = {"name": "build server", "days": "30", "scopes": ["goals:read", "goals:write"]}


def secret_in(page: Any) -> str:
    """The token on a page, or nothing."""
    found = re.search(r"mindx_[\w-]{20,}", page.content.decode())
    return found.group() if found else ""


def test_a_token_is_shown_once_and_works(client_of: Any, owner: Any) -> None:
    client = client_of(owner)
    page = client.post("/account/tokens/", TOKEN)
    assert page.status_code == 201
    token = tokens.find(secret_in(page))
    assert token is not None
    assert (token.user, token.name, token.scopes) == (owner, "build server", ["goals:read", "goals:write"])
    assert "no-store" in page.headers["Cache-Control"]
    later = client.get("/account/")
    assert "build server" in later.content.decode()
    assert secret_in(later) == ""
    assert token.digest not in later.content.decode()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["review:decide"]}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"days": "9999"}, "days"),
        ({"name": "a\x00b"}, "name"),
    ],
)
def test_a_wrong_token_form_is_shown_again_and_makes_none(
    client_of: Any, owner: Any, change: dict[str, Any], field: str
) -> None:
    page = client_of(owner).post("/account/tokens/", {**TOKEN, **change})
    assert page.status_code == 422
    assert page.context["token_form"].errors.keys() == {field}
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_by_its_own_person_only(client_of: Any, owner: Any, outsider: Any) -> None:
    token, secret = tokens.issue(owner, "x")
    address = f"/account/tokens/{token.pk}/revoke/"
    assert client_of(outsider).post(address).status_code == 404
    assert client_of(owner).get(address).status_code == 405
    assert tokens.find(secret) is not None
    assert client_of(owner).post(address).status_code == 302
    assert tokens.find(secret) is None
    assert "revoked" in client_of(owner).get("/account/").content.decode()


def test_names_of_tokens_are_shown_as_text(client_of: Any, owner: Any) -> None:
    tokens.issue(owner, "<script>alert(1)</script>\u202e")
    page = client_of(owner).get("/account/").content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in re.sub(r'aria-label="[^"]*"', "", page)


def test_the_token_form_offers_what_the_person_may_have(client_of: Any, owner: Any, reviewer: Any) -> None:
    assert b"review:decide" not in client_of(owner).get("/account/").content
    assert b"review:decide" in client_of(reviewer).get("/account/").content


def _new_password(old: str, new: str, again: str | None = None) -> dict[str, str]:
    return {"old_password": old, "new_password1": new, "new_password2": new if again is None else again}


@pytest.fixture
def olga(owner: Any, settings: Any) -> Any:
    """The owner, with a password."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    owner.set_password(PASSWORD)
    owner.save()
    return owner


def test_a_new_password_logs_every_other_browser_out(client_of: Any, olga: Any) -> None:
    here, there = client_of(olga), client_of(olga)
    assert here.post("/account/password/", _new_password(PASSWORD, "another fine password")).status_code == 302
    assert here.get("/account/").status_code == 200
    assert there.get("/account/").status_code == 302
    olga.refresh_from_db()
    assert olga.check_password("another fine password")


@pytest.mark.parametrize(
    "sent",
    [
        _new_password("wrong", "another fine password"),
        _new_password(PASSWORD, "another fine password", "a different one"),
        _new_password(PASSWORD, "short"),
        _new_password(PASSWORD, "1234567890"),
        _new_password(PASSWORD, ""),
    ],
)
def test_a_password_that_will_not_do_changes_nothing(client_of: Any, olga: Any, sent: dict[str, str]) -> None:
    page = client_of(olga).post("/account/password/", sent)
    assert page.status_code == 422
    for typed in filter(None, sent.values()):
        assert f'value="{typed}"' not in page.content.decode()
    olga.refresh_from_db()
    assert olga.check_password(PASSWORD)


@pytest.mark.parametrize("path", ["/account/", "/account/password/", "/account/tokens/", "/account/tokens/1/revoke/"])
def test_nothing_of_an_account_is_open_without_login(path: str) -> None:
    for answer in (Client().get(path), Client().post(path)):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login/")
