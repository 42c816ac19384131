"""The protocol, by django-allauth: discovery, state, PKCE and the exchange of the code. Its accounts are not used.

allauth would go on to accounts of its own, linked by name or e-mail; it is stopped where the person is known
(`Proven`), and every error it would draw a page for comes out as `SignInRefused`.
"""

from __future__ import annotations

from typing import Any

import requests
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from people.oidc import claims
from people.oidc.claims import Claims, TokenRefused
from people.oidc.configuration import Configuration, is_safe
from people.oidc.exchanges import BoundedSession

ID = "oidc"
_NEEDED = ("token_endpoint", "authorization_endpoint", "jwks_uri")


class SignInRefused(Exception):
    """Nobody is let in; `reason` is one word, for which the page has a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"a sign-in was refused: {reason}")
        self.reason = reason


class Proven(Exception):
    """The way out of allauth's flow: the provider has proved who is there. `kept` is what the start put away."""

    def __init__(self, told: Claims, state: dict[str, Any]) -> None:
        super().__init__("the provider has proved who is there")
        self.claims = told
        self.kept = state


def known() -> Configuration:
    """The provider of this installation. Raises SignInRefused when it has none."""
    if settings.OIDC is None:
        raise SignInRefused("switched_off")
    return settings.OIDC


class CheckedEndpoints(OpenIDConnectOAuth2Adapter):
    """allauth's client of a provider, with a document that is checked and a token that is proved."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """The discovery document. Raises SignInRefused when it is not that of the issuer we were told of."""
        if not hasattr(self, "_checked"):
            address = f"{known().issuer.rstrip('/')}/.well-known/openid-configuration"
            document = _fetched(address)
            if document.get("issuer") != known().issuer:
                raise SignInRefused("wrong_issuer")
            if not all(isinstance(document.get(name), str) and is_safe(document[name]) for name in _NEEDED):
                raise SignInRefused("provider_unusable")
            self._checked = document
        return self._checked

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Ours, at the address that the operator gave: whatever host the request names, codes come nowhere else."""
        return f"{settings.PUBLIC_URL}{reverse('oidc-return')}"

    def complete_login(self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any) -> SocialLogin:
        """Prove the token; what else is known of the person comes from `userinfo` where there is one."""
        id_token = kwargs["response"].get("id_token")
        if not isinstance(id_token, str):
            raise SignInRefused("no_id_token")
        proof = claims.proven(id_token, _fetched(self.openid_config["jwks_uri"]), known())
        userinfo: dict[str, Any] = {}
        address = self.openid_config.get("userinfo_endpoint")
        if isinstance(address, str) and known().groups_claim not in proof:
            userinfo = _fetched(address, {"Authorization": f"Bearer {token.token}"})
        return self.get_provider().sociallogin_from_response(request, {"id_token": proof, "userinfo": userinfo})


class Provider(OpenIDConnectProvider):
    """The one provider of this installation, out of the settings."""

    oauth2_adapter_class = CheckedEndpoints

    def extract_uid(self, data: dict[str, Any]) -> str:
        """The proved subject."""
        return str(data["id_token"]["sub"])

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """None: people are made in `entering`, never by allauth."""
        return {}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        """None, for the same reason."""
        return []


class Adapter(DefaultSocialAccountAdapter):
    """Where allauth asks what to do (`SOCIALACCOUNT_ADAPTER`)."""

    def get_provider(self, request: HttpRequest, provider: Any, client_id: Any = None) -> Provider:
        """Ours, whatever is asked for: a row of allauth's table cannot bring in another provider."""
        told = known()
        app = SocialApp(
            provider=OpenIDConnectProvider.id,
            provider_id=ID,
            name=told.name,
            client_id=told.client_id,
            secret=told.client_secret,
            settings={"server_url": told.issuer, "scope": list(told.scopes), "oauth_pkce_enabled": True},
        )
        return Provider(request, app=app)

    def get_requests_session(self) -> requests.Session:
        """With bounds."""
        return BoundedSession()

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """The last moment before allauth looks for an account. Raises Proven, or TokenRefused."""
        told = sociallogin.account.extra_data
        claims.check_nonce(told["id_token"], sociallogin.state.get("nonce"))
        raise Proven(claims.read(told["id_token"], told["userinfo"], known()), sociallogin.state)

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """Raises SignInRefused instead of drawing a page of allauth's."""
        if isinstance(exception, requests.RequestException):
            raise SignInRefused("provider_away") from exception
        if exception is not None:
            raise SignInRefused("code_refused") from exception
        if error == "cancelled":
            raise SignInRefused("cancelled")
        raise SignInRefused("other_sign_in" if "state_id" in (extra_context or {}) else "provider_error")


def _fetched(address: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """A JSON object from the provider. Raises `RequestException`."""
    with BoundedSession() as session:
        response = session.get(address, headers=headers or {})
        response.raise_for_status()
        found = response.json()
    if not isinstance(found, dict):
        raise requests.RequestException("the provider's answer is no object")
    return found


__all__ = ["Adapter", "Proven", "Provider", "SignInRefused", "TokenRefused", "known"]
