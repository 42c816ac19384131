"""A person's decision on a design or a choice of rules: rights, words, digest, one transaction.

It takes effect at once: it runs nothing, and the plan that follows is reviewed too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from agents.models import LevelDocument
from agents.pages.library import design_page
from agents.plans import levels
from agents.plans.levels import NoSuchChoice
from people import journal
from people.journal import Event
from people.models import User
from review import rights, words
from review.errors import DecisionRefused, NotNow, WordsRefused
from review.levels import page
from review.models import Decision

logger = logging.getLogger(__name__)

_Verdict = Decision.Verdict


def approve(
    document: LevelDocument,
    *,
    by: User,
    digest: str,
    comment: str = "",
    choice: Mapping[str, str] | None = None,
    via: str = "browser",
) -> LevelDocument:
    """Approve exactly these bytes; `choice` names rules in place of the agent's, by the key of their goal.

    Raises DecisionRefused, WordsRefused, NotNow for a design that still lacks values, or StaleDigest if something
    else waits or somebody decided first.
    """
    _check_rights(by, document)
    if document.kind == LevelDocument.Kind.DESIGN and (asks := design_page.asks(page.design_of(document) or "")):
        raise NotNow(
            f"The design asks for {', '.join(asks)}. Request changes and say the value, or write it in place of ?."
        )
    note = words.taken(comment, "comment")
    grant = _written(_Verdict.APPROVE, by=by, via=via, comment=note, choice=choice)
    try:
        return levels.approve(document, digest=digest, by=by, grant=grant, choice=choice)
    except NoSuchChoice as error:
        raise WordsRefused("choice", str(error)) from error


def reject(document: LevelDocument, *, by: User, digest: str, reason: str, via: str = "browser") -> LevelDocument:
    """Reject: a design drops its goal; a choice of rules makes it ask a person for a plan. Errors as `approve`."""
    _check_rights(by, document)
    why = words.taken(reason, "reason", required=True)
    grant = _written(_Verdict.REJECT, by=by, via=via, comment=why)
    return levels.reject(document, digest=digest, by=by, reason=why, grant=grant)


def request_changes(
    document: LevelDocument, *, by: User, digest: str, comment: str, via: str = "browser"
) -> LevelDocument:
    """Ask for another version of a design, or for another choice with the comment in mind. Errors as `approve`."""
    _check_rights(by, document)
    wish = words.taken(comment, "comment", required=True)
    grant = _written(_Verdict.REQUEST_CHANGES, by=by, via=via, comment=wish)
    return levels.send_back(document, digest=digest, by=by, comment=wish, grant=grant)


def _written(
    verdict: Decision.Verdict, *, by: User, via: str, comment: str, choice: Mapping[str, str] | None = None
) -> Callable[[LevelDocument], None]:
    def write(locked: LevelDocument) -> None:
        journal.decided(
            Event.LEVEL,
            by=by,
            subject=f"goal:{locked.goal_id}",
            verdict=verdict.value,
            digest=locked.digest,
            comment=comment,
            what=locked.get_kind_display(),
            document=locked.pk,
            choice=dict(choice or {}),
            via=via,
        )

    return write


def _check_rights(by: User, document: LevelDocument) -> None:
    if reason := rights.why_not_level(by, document):
        logger.warning("A decision on %s by %s was refused: %s", document, by.pk, reason)
        raise DecisionRefused(reason)
