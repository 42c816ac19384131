"""A person denies a belief, on the page of the plan that depends on it."""

from __future__ import annotations

from agents.models import IntentPlan
from agents.recovery import contradictions
from people.models import User
from review import words
from review.deciding import held_decisions
from review.errors import WordsRefused

LONGEST = 500


def contradict(plan: IntentPlan, *, by: User, digest: str, sentence: str, instead: str = "") -> IntentPlan:
    """Have the agent drop the belief and plan again. Errors as `agents.recovery.contradictions.contradict`.

    Also WordsRefused for what is true instead, and StaleDigest while somebody else's decision is pending.
    """
    contradictions.check_rights(by, plan.goal)
    held_decisions.refuse_others(by, plan)
    said = " ".join(words.taken(instead, "instead").split())
    if len(said) > LONGEST:
        raise WordsRefused("instead", f"Say it in one sentence of up to {LONGEST} characters.")
    return contradictions.contradict(plan, by=by, digest=digest, sentence=sentence, instead=said)
