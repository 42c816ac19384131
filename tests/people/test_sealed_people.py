"""Logins, tokens and sessions that were written with the application's database role alone let nobody in."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client

from people import sealing, tokens
from people.models import ApiToken, User
from tests.cast import ApiCaller
from tests.forging import forge

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
PASSWORD = "a password of the forger's own"


def log_in(name: str, password: str = PASSWORD) -> bool:
    client = Client()
    client.post("/login/", {"username": name, "password": password})
    return client.get("/").status_code == 200


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_a_password_that_was_written_into_the_table_opens_nothing(reviewer: User) -> None:
    forge("UPDATE people_user SET password = %s WHERE id = %s", make_password(PASSWORD), reviewer.pk)
    assert not log_in("rita")


def test_not_even_one_whose_hash_django_renews_at_the_login(reviewer: User) -> None:
    weak = make_password(PASSWORD, hasher="pbkdf2_sha1")
    forge("UPDATE people_user SET password = %s WHERE id = %s", weak, reviewer.pk)
    assert not log_in("rita")
    assert not log_in("rita")


def test_a_login_that_was_written_into_the_table_opens_nothing(reviewer: User) -> None:
    columns = "is_superuser, first_name, last_name, email, is_staff, is_active, date_joined, roles"
    made = f"INSERT INTO people_user ({columns}, username, password) SELECT {columns}, 'eve', %s FROM people_user"
    forge(made, make_password(PASSWORD))
    assert not log_in("eve")


@pytest.mark.parametrize("change", ["roles = '{admin}'", "is_superuser = true", "username = 'rita2'"])
def test_a_role_that_was_written_into_the_table_ends_the_login(
    owner: User, client_of: ClientOf, api_of: Callable[..., ApiCaller], change: str
) -> None:
    client, api = client_of(owner), api_of(owner)
    assert is_in(client)
    assert api.get("goals").status_code == 200
    forge(f"UPDATE people_user SET {change} WHERE id = %s", owner.pk)
    assert not is_in(client)
    assert api.get("goals").status_code == 401


def test_saving_a_person_whose_row_was_changed_does_not_make_it_genuine(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    forge("UPDATE people_user SET roles = '{admin}' WHERE id = %s", owner.pk)
    User.objects.get(pk=owner.pk).save()
    assert not is_in(client)
    call_command("accept_person", "olga")
    assert is_in(client)


def test_a_token_that_was_written_into_the_table_opens_nothing(
    reviewer: User, api_of: Callable[..., ApiCaller]
) -> None:
    secret = "mindx_" + "x" * 43
    forge(
        "INSERT INTO people_apitoken (user_id, name, digest, scopes, created_at)"
        " VALUES (%s, 'mine', %s, '{goals:read}', now())",
        reviewer.pk,
        ApiToken.digest_of(secret),
    )
    assert tokens.find(secret) is None


@pytest.mark.parametrize("change", ["user_id = %s", "scopes = '{review:decide}', name = %s"])
def test_a_token_that_was_given_to_somebody_else_opens_nothing(owner: User, reviewer: User, change: str) -> None:
    _, secret = tokens.issue(owner, "mine")
    assert tokens.find(secret) is not None
    forge(f"UPDATE people_apitoken SET {change}", reviewer.pk)
    assert tokens.find(secret) is None


def test_a_token_that_was_revoked_is_not_brought_back(owner: User) -> None:
    token, secret = tokens.issue(owner, "mine")
    tokens.revoke(token, by=owner)
    forge("UPDATE people_apitoken SET revoked_at = NULL")
    assert tokens.find(secret) is None


def test_what_the_table_of_sessions_holds_is_no_cookie(reviewer: User, client_of: ClientOf) -> None:
    assert is_in(client_of(reviewer))
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = Session.objects.get().session_key
    assert not is_in(thief)


def test_the_session_of_somebody_else_fits_no_other_cookie(owner: User, reviewer: User, client_of: ClientOf) -> None:
    theirs, mine = client_of(reviewer), client_of(owner)
    kept = dict(Session.objects.values_list("session_key", "session_data"))
    store: Any = import_module(settings.SESSION_ENGINE)
    own = store.stored_key(mine.cookies[settings.SESSION_COOKIE_NAME].value)
    other = next(data for key, data in kept.items() if key != own)
    forge("UPDATE django_session SET session_data = %s WHERE session_key = %s", other, own)
    assert not is_in(mine)
    assert is_in(theirs)


def test_a_session_ends_with_the_logout(owner: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    client.post("/logout/")
    assert not Session.objects.exists()
    assert not is_in(client)


def test_what_was_read_while_it_was_forged_is_not_stored_by_a_later_save(owner: User) -> None:
    """A role is written, read by a process that changes something else, and written back before that is stored."""
    forge("UPDATE people_user SET roles = '{admin}' WHERE id = %s", owner.pk)
    read = User.objects.get(pk=owner.pk)
    forge("UPDATE people_user SET roles = '{submitter}' WHERE id = %s", owner.pk)
    read.first_name = "Olga"
    read.save()
    stored = User.objects.get(pk=owner.pk)
    assert (stored.first_name, stored.roles, sealing.is_genuine(stored)) == ("Olga", ["submitter"], True)
    stored.roles = ["reviewer"]
    stored.save()
    stored.roles = ["submitter"]
    stored.save()
    assert User.objects.get(pk=owner.pk).roles == ["submitter"]
