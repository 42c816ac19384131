"""The chain of decisions on designs and choices of rules."""

from __future__ import annotations

from collections.abc import Mapping

from agents.models import LevelDocument
from people.journal import Event
from people.models import User
from review.audit import chain, journal
from review.audit.chain_rows import Chain
from review.models import LevelDecision


def add(
    document: LevelDocument,
    verdict: LevelDecision.Verdict,
    *,
    by: User,
    via: str,
    comment: str,
    choice: Mapping[str, str] | None = None,
) -> LevelDecision:
    """Append a decision. Call it inside the transaction that moves the document, as its last part.

    Only the journal's lock is taken after the chain's.
    """
    row = _CHAIN.add(
        LevelDecision(
            document=document,
            digest=document.digest,
            verdict=verdict.value,
            by=by,
            via=via,
            comment=comment,
            choice=dict(choice or {}),
        )
    )
    told = {"what": document.get_kind_display(), "row": row.pk, "verdict": row.verdict, "digest": row.digest}
    told |= {"document": document.pk, "via": via, "comment": comment, "choice": row.choice}
    journal.write(Event.LEVEL, by=by, subject=f"goal:{document.goal_id}", data=told)
    return row


def _entry(row: LevelDecision) -> chain.LevelEntry:
    return chain.LevelEntry(
        row.document_id, row.digest, row.verdict, row.by_id, row.via, row.comment, row.choice, row.at
    )


_CHAIN = Chain(LevelDecision, 0x6D586C76, _entry)  # "mXlv"
walk = _CHAIN.walk
