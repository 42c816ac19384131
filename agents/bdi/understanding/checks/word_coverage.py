"""Whether the plan covers each content word of a text: by a value, or by the words of one of its commands.

Reading explains every word, and may explain it as something that is only told, a remark, or of no use to the command.
Where the plan changes something, people are asked whether that may be passed over, with the plan as the first answer.
A plan that only shows something is not asked about: whoever reads what it showed sees whether it was the right thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.bdi.understanding.asides import courtesy
from agents.bdi.understanding.checks.reservations import left_between
from agents.bdi.understanding.questions import short
from agents.bdi.understanding.reading.unknown_settings import is_setting
from agents.bdi.understanding.understood import Understood
from agents.bdi.understanding.words.filler import IDLE, is_manner
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import SIGN, Token, tokens_of
from agents.toolkit.registry import Registry

# What several steps carry by their order.
_ORDER = {"before", "after", "once"}


def not_carried(found: Understood, text: str, registry: Registry) -> Iterator[str]:
    """Of a plan that changes something: the stretches of the text that say something and that no step carries.

    Settings that the command does not have are none: they are named in the step's reason.
    """
    if all(registry.command(one.tool, one.command).effect == "idempotent" for one in found.meant):
        return
    plain = courtesy.without_emphasis(text)
    between = left_between(found.meant, plain if all(one.text in plain for one in found.meant) else text)
    superfluous = [piece for one in found.meant for piece in one.superfluous if not is_setting(piece)]
    held = {token.text for one in found.meant for value in one.values().values() for token in tokens_of(str(value))}
    held |= _ORDER if len(found.meant) > 1 else set()
    for piece in (*found.aside, *superfluous, *between):
        if any(is_content(token) and token.text not in held for token in tokens_of(courtesy.blanked(piece))):
            yield short(piece.strip(" ,.;:!?–—-"))


def is_content(token: Token) -> bool:
    """Whether a word says something: no courtesy, no article, nothing that only says in which manner."""
    if token.kind == SIGN or token.text in IDLE or is_manner(token.text):
        return False
    return token.is_literal or IDLE.isdisjoint(bases(token.text))
