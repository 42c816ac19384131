"""What an operator says about the provider that people sign in with. Pure: read by the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from people.roles import Role


@dataclass(frozen=True)
class Configuration:
    """One provider. `roles` maps a group, spelled as the provider spells it, to what its members may do."""

    issuer: str
    client_id: str
    client_secret: str
    name: str
    scopes: tuple[str, ...]
    groups_claim: str
    roles: Mapping[str, frozenset[Role]]

    def roles_of(self, groups: frozenset[str]) -> frozenset[Role]:
        """What the members of these groups may do; a group that is not mapped gives nothing."""
        return frozenset(role for group in groups for role in self.roles.get(group, ()))


def configuration(
    *, issuer: str, client_id: str, client_secret: str, name: str, scopes: str, groups_claim: str, roles: str
) -> Configuration:
    """Check the words of the environment. Raises ValueError with a sentence for the operator."""
    if not is_safe(issuer):
        raise ValueError("MINDX_OIDC_ISSUER must begin with https:// (http:// only on this machine's loopback)")
    if not client_id:
        raise ValueError("MINDX_OIDC_CLIENT_ID is missing: the provider knows mindX by it")
    wanted = tuple(scopes.split())
    if "openid" not in wanted:
        raise ValueError("MINDX_OIDC_SCOPES must contain openid")
    mapping = parse_roles(roles)
    if not mapping:
        raise ValueError("MINDX_OIDC_ROLES maps no group to a role, so nobody could sign in")
    return Configuration(issuer, client_id, client_secret, name[:40], wanted, groups_claim, mapping)


def parse_roles(text: str) -> dict[str, frozenset[Role]]:
    """`GROUP=ROLE ROLE; GROUP=ROLE`. The last `=` counts, so that a group may be an LDAP name. Raises ValueError."""
    found: dict[str, frozenset[Role]] = {}
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        group, equals, words = entry.rpartition("=")
        if not (equals and group.strip() and words.split()):
            raise ValueError(f"MINDX_OIDC_ROLES: “{entry}” must look like GROUP=ROLE ROLE")
        try:
            roles = frozenset(map(Role, words.split()))
        except ValueError:
            raise ValueError(f"MINDX_OIDC_ROLES: “{words}” must be roles out of {', '.join(Role)}") from None
        found[group.strip()] = found.get(group.strip(), frozenset()) | roles
    return found


def is_safe(address: str) -> bool:
    """Whether what is sent to this address can be read by its owner only: TLS, or never leaves this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(host)
    return parts.scheme == "http" and _is_loopback(host)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
