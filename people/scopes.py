"""What an API token may be used for. A scope narrows what its person may do; it never widens it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from people.models import User
from people.roles import Role


class Scope(StrEnum):
    """One kind of use. `docs/api.md` lists which address needs which."""

    GOALS_READ = "goals:read"
    GOALS_WRITE = "goals:write"
    # Of its own: what is typed runs without a review, which no token made for goals may do.
    SESSION_WRITE = "session:write"
    FILES_READ = "files:read"
    FILES_WRITE = "files:write"
    REVIEW_READ = "review:read"
    REVIEW_DECIDE = "review:decide"
    POLICIES_READ = "policies:read"
    POLICIES_WRITE = "policies:write"
    # Of its own: the submitter speaks about a plan that only a reviewer decides.
    REVIEW_TALK = "review:talk"
    MEMORY_READ = "memory:read"
    MEMORY_WRITE = "memory:write"
    LIBRARY_READ = "library:read"
    LIBRARY_WRITE = "library:write"
    AGENTS_WRITE = "agents:write"
    TUNING_READ = "tuning:read"
    TUNING_WRITE = "tuning:write"
    BACKLOG_READ = "backlog:read"
    BACKLOG_WRITE = "backlog:write"
    # It opens the line; what a line does takes the scope of its own kind as well.
    MASTERMIND = "mastermind:write"


MEANINGS: dict[Scope, str] = {
    Scope.GOALS_READ: "Read goals, their logs and their agents",
    Scope.GOALS_WRITE: "Submit, change and cancel goals, plan by hand, report how a step ended",
    Scope.SESSION_WRITE: "Type commands into sessions; they run without review",
    Scope.FILES_READ: "Read the files of workspaces",
    Scope.FILES_WRITE: "Create workspaces and write files",
    Scope.REVIEW_READ: "Read plans",
    Scope.REVIEW_DECIDE: "Approve, reject and send back plans",
    Scope.POLICIES_READ: "Read the policies of review",
    Scope.POLICIES_WRITE: "Write, replay, enable and disable policies",
    Scope.REVIEW_TALK: "Comment on plans, ask and answer, mark a belief as wrong",
    Scope.MEMORY_READ: "Search experiences",
    Scope.MEMORY_WRITE: "Forget experiences",
    Scope.LIBRARY_READ: "Search components",
    Scope.LIBRARY_WRITE: "Write candidates of components, have them replayed, activate and reject them",
    Scope.AGENTS_WRITE: "Pause and resume agents, set their commitment; create, change and retire them by commands",
    Scope.TUNING_READ: "Read tuning settings and their history; of lessons only your own",
    Scope.TUNING_WRITE: "Try tuning on past cases, save and undo it; teach by your edits",
    Scope.BACKLOG_READ: "Read the backlog",
    Scope.BACKLOG_WRITE: "Add to the backlog and decide on it",
    Scope.MASTERMIND: "Send commands to Mastermind; each also needs the scope of what it does",
}

# Scopes that are of use to holders of certain roles only.
_NEEDS: dict[Scope, tuple[Role, ...]] = {
    Scope.REVIEW_DECIDE: (Role.REVIEWER,),
    Scope.POLICIES_READ: (Role.REVIEWER, Role.OPERATOR),
    Scope.POLICIES_WRITE: (Role.OPERATOR,),
    Scope.LIBRARY_WRITE: (Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER),
    Scope.AGENTS_WRITE: (Role.OPERATOR,),
    Scope.SESSION_WRITE: (Role.OPERATOR,),
    # Reviewers teach, and read what they taught; everything else of tuning asks for an operator besides.
    Scope.TUNING_READ: (Role.REVIEWER, Role.OPERATOR),
    Scope.TUNING_WRITE: (Role.REVIEWER, Role.OPERATOR),
}


class UnknownScope(ValueError):
    """A name that is not a scope, or a scope that the person's roles do not reach."""


def grantable_to(user: User) -> list[Scope]:
    """Every scope that a token of this person can carry, in the order of `Scope`."""
    return [scope for scope in Scope if scope not in _NEEDS or user.has_role(*_NEEDS[scope])]


def chosen(user: User, names: Iterable[str]) -> list[Scope]:
    """The named scopes without doubles, in the order of `Scope`; UnknownScope names the ones that cannot be given."""
    wanted = set(names)
    given = [scope for scope in grantable_to(user) if scope.value in wanted]
    if refused := sorted(wanted - {scope.value for scope in given}):
        raise UnknownScope(f"{user.username} cannot have: {', '.join(refused)}")
    return given
