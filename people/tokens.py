"""API tokens: made, found again by what a request carries, noted as used, revoked."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from people import journal, scopes, sealing
from people.journal import Event
from people.models import ApiToken, User
from people.scopes import Scope

logger = logging.getLogger(__name__)

# Makes a leaked token recognisable to secret scanners and to people.
PREFIX = "mindx_"
_RANDOM_BYTES = 32
# A token in constant use would otherwise cost one row update a request.
_NOTED_EVERY = timedelta(minutes=1)


def issue(
    user: User,
    name: str,
    *,
    wanted: Iterable[str] | None = None,
    days: int | None = None,
    by: User | None = None,
) -> tuple[ApiToken, str]:
    """Make a token; returns its row and the token itself, which is stored nowhere and cannot be shown again.

    `wanted` are names of scopes (None: all the person may have), `days` until it expires (None: never), `by` who makes
    it (None: a command on the server). Raises UnknownScope.
    """
    granted = scopes.grantable_to(user) if wanted is None else scopes.chosen(user, wanted)
    secret = PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user,
            name=name,
            digest=ApiToken.digest_of(secret),
            scopes=[scope.value for scope in granted],
            expires_at=timezone.now() + timedelta(days=days) if days is not None else None,
        )
        sealing.seal(token)
        told = {"token": token.pk, "called": name, "scopes": token.scopes, "days": days}
        journal.record(Event.TOKEN_MADE, by=by, subject=f"person:{user.username}", data=told)
    logger.info("%s made the API token %s", user.username, token.pk, extra={"scopes": token.scopes})
    return token, secret


def find(secret: str) -> ApiToken | None:
    """The valid token that this secret belongs to, with its person; None for anything else.

    Looked up by digest: the comparison happens on hashes, so its duration tells nothing about the secret.
    """
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    return _sound(ApiToken.objects.filter(digest=ApiToken.digest_of(secret)))


def still_valid(token_id: int) -> ApiToken | None:
    """The token as it is now, with its person, for whoever found it by its secret before; None when it has ended."""
    return _sound(ApiToken.objects.filter(pk=token_id))


def _sound(found: QuerySet[ApiToken]) -> ApiToken | None:
    """The one found, if it is valid and was made by mindX."""
    found = found.select_related("user")
    token = found.annotate(own_seal=sealing.newest(ApiToken), persons_seal=sealing.newest(User, "user_id")).first()
    if token is None or not token.is_valid:
        return None
    if not (sealing.fits_row(token, token.own_seal) and sealing.fits_row(token.user, token.persons_seal)):
        logger.error("An API token that mindX did not seal was refused", extra={"token": token.pk})
        return None
    return token


def note_use(token: ApiToken) -> None:
    """Remember that the token was used just now, at most once a minute."""
    now = timezone.now()
    stale = now - _NOTED_EVERY
    if token.last_used_at is None or token.last_used_at < stale:
        # The condition again in the statement: of many requests in the same moment only one writes.
        fresh_enough = Q(last_used_at__isnull=True) | Q(last_used_at__lt=stale)
        ApiToken.objects.filter(fresh_enough, pk=token.pk).update(last_used_at=now)


def allows(token: ApiToken, scope: Scope) -> bool:
    """True when the token was made for this use."""
    return scope.value in token.scopes


def revoke(token: ApiToken, *, by: User) -> None:
    """End the token now; revoking twice keeps the first moment."""
    with transaction.atomic():
        if not ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
            return
        sealing.end(token)
        told = {"token": token.pk, "called": token.name}
        journal.record(Event.TOKEN_REVOKED, by=by, subject=f"person:{token.user.username}", data=told)
        logger.info("API token %s of %s was revoked", token.pk, token.user.username)
