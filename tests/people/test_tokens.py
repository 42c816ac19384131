"""Tokens: what they may carry, how they are kept, and the command that makes one."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from people import scopes, tokens
from people.models import ApiToken
from people.scopes import Scope

pytestmark = pytest.mark.django_db


def test_the_token_itself_is_stored_nowhere(owner: Any) -> None:
    token, secret = tokens.issue(owner, "build server")
    stored = " ".join(str(value) for value in ApiToken.objects.values_list().get(pk=token.pk))
    assert secret not in stored
    assert secret.removeprefix(tokens.PREFIX) not in stored
    assert tokens.find(secret) == token


def test_two_tokens_are_never_alike(owner: Any) -> None:
    secrets = {tokens.issue(owner, "x")[1] for _ in range(20)}
    assert len(secrets) == 20
    assert min(len(secret) for secret in secrets) > 40


def test_a_token_can_carry_what_the_roles_of_its_person_reach(
    owner: Any, reviewer: Any, operator: Any, admin: Any
) -> None:
    def extra(user: Any) -> set[Scope]:
        return set(scopes.grantable_to(user)) & {Scope.REVIEW_DECIDE, Scope.AGENTS_WRITE, Scope.SESSION_WRITE}

    assert extra(owner) == set()
    assert extra(reviewer) == {Scope.REVIEW_DECIDE}
    assert extra(operator) == {Scope.AGENTS_WRITE, Scope.SESSION_WRITE}
    assert set(scopes.grantable_to(admin)) == set(Scope)


@pytest.mark.parametrize("wanted", [["review:decide"], ["goals:read", "everything"], [""], ["GOALS:READ"]])
def test_a_scope_beyond_ones_roles_or_unknown_makes_no_token(owner: Any, wanted: list[str]) -> None:
    with pytest.raises(scopes.UnknownScope):
        tokens.issue(owner, "x", wanted=wanted)
    assert not ApiToken.objects.exists()


def test_every_scope_has_a_meaning_for_people() -> None:
    assert set(scopes.MEANINGS) == set(Scope)


def test_revoking_twice_keeps_the_first_moment(owner: Any) -> None:
    token, secret = tokens.issue(owner, "x")
    tokens.revoke(token, by=token.user)
    first = ApiToken.objects.get().revoked_at
    tokens.revoke(token, by=token.user)
    assert ApiToken.objects.get().revoked_at == first
    assert tokens.find(secret) is None


def _made(*arguments: str) -> str:
    out = StringIO()
    call_command("token", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_prints_the_token_on_its_last_line(owner: Any) -> None:
    secret = _made("olga").splitlines()[-1]
    token = tokens.find(secret)
    assert token is not None
    assert token.user == owner
    assert token.scopes == [scope.value for scope in scopes.grantable_to(owner)]
    assert token.expires_at is None


def test_the_command_takes_scopes_a_name_and_days(owner: Any) -> None:
    secret = _made("olga", "--scope", "goals:read", "--scope=files:read", "--name", "ci", "--days", "7").splitlines()[
        -1
    ]
    token = tokens.find(secret)
    assert token is not None
    assert (token.scopes, token.name) == (["goals:read", "files:read"], "ci")
    assert token.expires_at is not None
    assert (token.expires_at - token.created_at).days in {6, 7}


@pytest.mark.parametrize(
    "arguments", [["nobody"], ["olga", "--scope", "review:decide"], ["olga", "--scope", "x"], ["olga", "--days", "0"]]
)
def test_the_command_says_what_it_cannot_do(owner: Any, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        _made(*arguments)
    assert not ApiToken.objects.exists()


def test_the_command_makes_none_for_a_disabled_person(owner: Any) -> None:
    owner.is_active = False
    owner.save()
    with pytest.raises(CommandError):
        _made("olga")
