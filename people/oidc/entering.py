"""From what a provider has proved to a person of mindX and their roles (docs/sign-in.md has the rules in words)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from unicodedata import normalize

from django.db import IntegrityError, transaction

from people import journal, names, sealing
from people.backends import SealedPeople
from people.journal import Event
from people.models import ExternalLogin, User
from people.oidc.claims import Claims
from people.oidc.configuration import Configuration
from people.oidc.provider import SignInRefused
from people.roles import Role

_NOT_IN_A_NAME = re.compile(r"[^\w.@+-]")
_ALREADY_CONNECTED = "already_connected"


def enter(told: Claims, known: Configuration) -> User:
    """The person whom the provider has proved, with the roles that their groups give them now.

    Raises SignInRefused. What the groups take away is taken even where nobody is let in.
    """
    try:
        user = _entered(told, known)
    except IntegrityError:
        # Two first sign-ins at one time: the constraint let one of them make the person, whom the other finds now.
        user = _entered(told, known)
    if not user.roles:
        raise SignInRefused("no_role")
    return user


@transaction.atomic
def _entered(told: Claims, known: Configuration) -> User:
    login = ExternalLogin.objects.select_for_update().filter(issuer=known.issuer, subject=told.subject).first()
    if login is None:
        login = _made(told, known)
    # A link that somebody wrote into the table is none: it would let them in as anybody.
    elif not sealing.is_genuine(login):
        raise SignInRefused("not_sealed")
    user = SealedPeople().get_user(login.user_id)
    if user is None:
        raise SignInRefused("disabled")
    _follow_groups(user, login, known.roles_of(told.groups), known)
    return user


@transaction.atomic
def connect(user: User, told: Claims, known: Configuration) -> None:
    """Let the person sign in with the provider from now on. They are logged in and have typed their password.

    Raises SignInRefused when either side is connected already, or the name there could be taken for another one.
    """
    _check_names(told)
    try:
        with transaction.atomic():
            login = ExternalLogin.objects.create(user=user, issuer=known.issuer, subject=told.subject)
    except IntegrityError as error:
        raise SignInRefused(_ALREADY_CONNECTED) from error
    sealing.seal(login)
    changed = {"before": {"signs in with": None}, "after": {"signs in with": known.issuer}}
    journal.record(Event.PERSON_CHANGED, by=user, subject=f"person:{user.username}", data=changed)


@transaction.atomic
def disconnect(login: ExternalLogin, *, by: User) -> None:
    """End the connection, and with it the roles that groups gave."""
    user = User.objects.select_for_update().get(pk=login.user_id)
    before = _audited(user) | {"signs in with": login.issuer}
    _set_roles(user, set(user.roles) - set(login.group_roles))
    sealing.end(login)
    login.delete()
    changed = journal.difference(before, _audited(user) | {"signs in with": None})
    journal.record(Event.PERSON_CHANGED, by=by, subject=f"person:{user.username}", data=changed)


def is_person_of(user: User, told: Claims, known: Configuration) -> bool:
    """Whether the provider has proved that this very person is there."""
    login = ExternalLogin.objects.filter(user=user, issuer=known.issuer, subject=told.subject).first()
    return login is not None and sealing.is_genuine(login)


def _made(told: Claims, known: Configuration) -> ExternalLogin:
    """A new person. Nobody who exists is ever taken over: a name or an e-mail address proves nothing here."""
    if not known.roles_of(told.groups):
        raise SignInRefused("no_role")
    _check_names(told)
    name = _NOT_IN_A_NAME.sub("-", normalize("NFC", _called(told)))[:150]
    taken = User.objects.filter(username__iexact=name)
    if told.email:
        taken |= User.objects.filter(email__iexact=told.email)
    if taken.exists():
        raise SignInRefused("account_exists")
    email = told.email if told.email_is_verified else ""
    given = _in_order(known.roles_of(told.groups))
    user = User(username=name, email=email, first_name=told.first_name, last_name=told.last_name, roles=given)
    user.is_staff = user.is_superuser = Role.ADMIN in given
    user.set_unusable_password()
    user.save()
    login = ExternalLogin.objects.create(user=user, issuer=known.issuer, subject=told.subject, group_roles=given)
    sealing.seal(login)
    data = {"before": {}, "after": _audited(user) | {"signs in with": known.issuer}}
    journal.record(Event.PERSON_MADE, by=None, subject=f"person:{user.username}", data=data)
    return login


def _check_names(told: Claims) -> None:
    """Names are shown beside decisions. Raises SignInRefused."""
    shown = (_called(told), told.email, told.first_name, told.last_name)
    if any(names.problem(name) for name in shown):
        raise SignInRefused("misleading_name")


def _called(told: Claims) -> str:
    return told.username or told.email or told.subject


def _follow_groups(user: User, login: ExternalLogin, given: Iterable[Role], known: Configuration) -> None:
    """Roles that groups gave before go, those they give now come; what an admin gave by hand stays."""
    stored = User.objects.select_for_update().get(pk=user.pk)
    by_hand = set(stored.roles) - set(login.group_roles)
    by_groups = {role.value for role in given} - by_hand
    if by_groups == set(login.group_roles) and by_hand | by_groups == set(stored.roles):
        return
    held, seal = sealing.lock(login)
    if seal is None:
        raise SignInRefused("not_sealed")
    before = _audited(stored)
    _set_roles(stored, by_hand | by_groups)
    sealing.change(held, seal, {"group_roles": _in_order(by_groups)})
    user.roles, user.is_staff, user.is_superuser = stored.roles, stored.is_staff, stored.is_superuser
    if changed := journal.difference(before, _audited(stored)):
        data = {**changed, "why": f"groups at {known.issuer}"}
        journal.record(Event.PERSON_CHANGED, by=None, subject=f"person:{user.username}", data=data)


def _set_roles(user: User, roles: Iterable[str]) -> None:
    user.roles = _in_order(roles)
    user.is_staff = user.is_superuser = Role.ADMIN in user.roles
    user.save(update_fields=["roles", "is_staff", "is_superuser"])


def _in_order(roles: Iterable[str]) -> list[str]:
    return [role.value for role in Role if role in set(roles)]


def _audited(user: User) -> dict[str, Any]:
    return {"username": user.username, "email": user.email, "roles": list(user.roles), "active": user.is_active}
