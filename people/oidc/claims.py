"""What an ID token proves, and what it says about a person.

allauth trusts the connection to the token endpoint and asks for no nonce. Here signature, issuer, audience, time
and nonce are checked all the same (OpenID Connect Core 1.0, 3.1.3.7): a token of another client or another sign-in lets
nobody in, whatever way it came.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from people.oidc.configuration import Configuration

# Signed with a key that the provider alone has. A shared secret (HS256) would let our own settings make tokens.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_CLOCKS_DIFFER_S = 60
_GROUPS_MOST = 1_000


class TokenRefused(Exception):
    """The ID token does not prove who is there; `reason` is one word."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the ID token was refused: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Claims:
    """Who the provider says is there. Only `subject` is an identity; all else is what they call themselves.

    `names.problem` is asked before any of it is looked up or stored.
    """

    subject: str
    groups: frozenset[str]
    username: str = ""
    email: str = ""
    email_is_verified: bool = False
    first_name: str = ""
    last_name: str = ""
    # Seconds since 1970 of the moment at which the provider saw them type something; 0: it does not say.
    authenticated_at: int = 0


def proven(id_token: str, keys: Mapping[str, Any], known: Configuration) -> dict[str, Any]:
    """The claims of a token that this provider signed for us and that is still valid. Raises TokenRefused.

    `keys` is the provider's JSON Web Key Set.
    """
    import jwt  # brings the cryptography package with it, which only sign-ins need

    try:
        key = _key_for(jwt.get_unverified_header(id_token), keys)
        found: dict[str, Any] = jwt.decode(
            id_token,
            key=key,
            algorithms=list(ALGORITHMS),
            issuer=known.issuer,
            audience=known.client_id,
            leeway=_CLOCKS_DIFFER_S,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    except jwt.InvalidIssuerError as error:
        raise TokenRefused("wrong_issuer") from error
    except jwt.InvalidAudienceError as error:
        raise TokenRefused("wrong_audience") from error
    except jwt.ExpiredSignatureError as error:
        raise TokenRefused("expired") from error
    except (jwt.InvalidSignatureError, jwt.InvalidAlgorithmError) as error:
        raise TokenRefused("wrong_signature") from error
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError) as error:  # keys and tokens are what a stranger sent
        raise TokenRefused("unreadable_token") from error
    if isinstance(found["aud"], list) and len(found["aud"]) > 1 and found.get("azp") != known.client_id:
        raise TokenRefused("wrong_audience")
    # Printable also excludes U+0000 and half characters, which no database holds.
    if not isinstance(found["sub"], str) or not 0 < len(found["sub"]) <= 255 or not found["sub"].isprintable():
        raise TokenRefused("no_subject")
    return found


def check_nonce(proof: Mapping[str, Any], expected: object) -> None:
    """Raises TokenRefused unless the token was made for this sign-in."""
    told = proof.get("nonce")
    if not (isinstance(told, str) and isinstance(expected, str) and expected):
        raise TokenRefused("wrong_nonce")
    # A half character (U+D800) is JSON and no UTF-8.
    if not hmac.compare_digest(told.encode(errors="surrogatepass"), expected.encode()):
        raise TokenRefused("wrong_nonce")


def read(proof: Mapping[str, Any], userinfo: Mapping[str, Any], known: Configuration) -> Claims:
    """What is told of the person; the signed token's word counts before that of `userinfo`.

    Raises TokenRefused when `userinfo` is about somebody else.
    """
    if userinfo and userinfo.get("sub") != proof["sub"]:
        raise TokenRefused("other_person")
    told = {**userinfo, **proof}
    seen_at = proof.get("auth_time")
    return Claims(
        subject=proof["sub"],
        groups=_groups(told, known.groups_claim),
        username=_text(told.get("preferred_username"), 150),
        email=_text(told.get("email"), 254),
        email_is_verified=told.get("email_verified") is True,
        first_name=_text(told.get("given_name"), 150),
        last_name=_text(told.get("family_name"), 150),
        authenticated_at=seen_at if isinstance(seen_at, int) and not isinstance(seen_at, bool) else 0,
    )


def _key_for(header: Mapping[str, Any], keys: Mapping[str, Any]) -> Any:
    import jwt

    listed = [key for key in keys["keys"] if key.get("use", "sig") == "sig"] if "keys" in keys else []
    if (name := header.get("kid")) is not None:
        listed = [key for key in listed if key.get("kid") == name]
    if len(listed) != 1 or header.get("alg") not in ALGORITHMS:
        raise TokenRefused("wrong_signature")
    return jwt.PyJWK(listed[0], algorithm=header["alg"])


def _groups(told: Mapping[str, Any], claim: str) -> frozenset[str]:
    """A list of names, or one name. `realm_access.roles` looks into an object, unless a claim is called just that."""
    found: Any = told.get(claim)
    if found is None:
        found = told
        for part in claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, list):
        return frozenset()
    return frozenset(name for name in found[:_GROUPS_MOST] if isinstance(name, str))


def _text(value: object, most: int) -> str:
    return value[:most] if isinstance(value, str) else ""
