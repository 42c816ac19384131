"""The bodies of tools that a person looked at when they let a policy approve. Pure.

Tools that ship with mindX have none here: they come with a release, so that an upgrade stops no policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# By the name of the tool: the version of each body that somebody looked at, by its digest.
LookedAt = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Body:
    """A tool that people made or that others serve, in the version that is in use.

    `digest`: SHA-256 of its text; "" if that version does not do what the plan says.
    """

    tool: str
    version: str
    digest: str


def is_known(body: Body, looked_at: LookedAt) -> bool:
    """Whether somebody looked at this very body."""
    return bool(body.digest) and body.digest in looked_at.get(body.tool, {})


def why_new(body: Body, looked_at: LookedAt) -> str:
    """Why a policy does not approve this body; "" if somebody looked at it."""
    if is_known(body, looked_at):
        return ""
    if not body.digest:
        return f"the version of the tool {body.tool} that the plan was made with is not in use"
    came = "was changed" if body.tool in looked_at else "came into use"
    return f"the tool {body.tool} {came} since somebody last looked at this policy: version {body.version} is new"


def together(looked_at: LookedAt, new: LookedAt) -> dict[str, dict[str, str]]:
    """Both, by tool."""
    return {tool: {**looked_at.get(tool, {}), **new.get(tool, {})} for tool in sorted({*looked_at, *new})}
