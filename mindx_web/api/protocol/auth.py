"""Authentication by bearer tokens only. Cookies are ignored, so no page can make a browser act through the API."""

from __future__ import annotations

from django.http import HttpRequest
from ninja.security.http import HttpAuthBase

from mindx_web.api.protocol.problems import Problem
from people import rate_limits, tokens
from people.addresses import client_address, shared_by_one_client
from people.models import ApiToken
from people.rate_limits import Limit
from people.scopes import Scope

WRONG_TOKENS = Limit("wrong_token", most=60, every_s=10)
REALM = 'Bearer realm="mindX"'


class ApiRequest(HttpRequest):
    """A request that came with a valid token; for annotations only."""

    auth: ApiToken


class BearerToken(HttpAuthBase):
    """Requires a valid token with one scope: 401 without a token, 403 without the scope."""

    openapi_scheme = "bearer"

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> ApiToken:
        token = token_of(request)
        if token is None:
            raise unauthorized(request)
        # Before the scope check, so that a refusal for lack of a scope also knows the person.
        request.user = token.user
        if not tokens.allows(token, self.scope):
            raise Problem(
                403,
                f"This token has no scope {self.scope}.",
                kind="insufficient_scope",
                headers={"WWW-Authenticate": f'{REALM}, error="insufficient_scope", scope="{self.scope}"'},
            )
        return token


def token_of(request: HttpRequest) -> ApiToken | None:
    """The valid token of a request, looked up once a request, and marked as used."""
    if not hasattr(request, "_api_token"):
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        found = tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
        if found is not None:
            tokens.note_use(found)
        request._api_token = found  # type: ignore[attr-defined]  # kept for the views behind
    return request._api_token  # type: ignore[attr-defined]  # kept for the views behind


def unauthorized(request: HttpRequest) -> Problem:
    """401 that says how to log in (RFC 6750: no error code when no token was sent).

    Wrong tokens are counted by address. A valid one is always accepted: others at the same address cannot block it.
    """
    if "Authorization" not in request.headers:
        return Problem(
            401,
            "Send a token: Authorization: Bearer TOKEN. The account page makes tokens.",
            kind="no_token",
            headers={"WWW-Authenticate": REALM},
        )
    came_from = shared_by_one_client(client_address(request))
    if wait_s := rate_limits.take(WRONG_TOKENS, came_from).wait_s:
        detail = f"Too many wrong tokens came from your address. Try again in {wait_s} s with the right one."
        return Problem(429, detail, kind="too_many_wrong_tokens", headers={"Retry-After": str(wait_s)})
    return Problem(
        401,
        "This token is unknown, expired or revoked.",
        kind="invalid_token",
        headers={"WWW-Authenticate": f'{REALM}, error="invalid_token"'},
    )
