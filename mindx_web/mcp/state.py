"""The state that a client carries while a goal waits for a person: signed by mindX, for one token, and it expires.

It says which plan was shown, so that who comes back with it learns that another plan awaits review by now. It gives no
right: whoever holds it may do what their token may.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta

from django.core import signing

LIVES = timedelta(hours=1)
_SALT = "mindx.mcp.waiting"


class StateRefused(ValueError):
    """This state is not one that mindX gave to this token for this goal, or it has expired."""


@dataclass(frozen=True)
class Waiting:
    """What the client waits for. `plan` and `digest` are empty where the goal waits for something else."""

    token: int
    goal: str
    plan: str = ""
    digest: str = ""


def give(waiting: Waiting) -> str:
    """The state to hand out."""
    return signing.dumps(asdict(waiting), salt=_SALT)


def read(said: str, *, token: int, goal: str) -> Waiting:
    """The state that came back. Raises StateRefused."""
    try:
        found = Waiting(**signing.loads(said, salt=_SALT, max_age=LIVES))
    except signing.SignatureExpired as error:
        raise StateRefused("This state has expired. Wait for the goal again without it.") from error
    except (signing.BadSignature, TypeError) as error:
        raise StateRefused("mindX did not give this state.") from error
    if (found.token, found.goal) != (token, goal):
        raise StateRefused("This state belongs to another token or to another goal.")
    return found
