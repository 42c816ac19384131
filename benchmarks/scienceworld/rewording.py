"""Contexts of rules in other words, to see what a rule loses when its writer does not use the environment's words.

The table was written once from the wordings of contexts, before any of it was played, and is not changed by results.
Which of several wordings a context gets is drawn by its digest. Only contexts change: goals and actions stay.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from agents.rules.grammar import Context, Rule

SCRIPT, BY_HAND = "script", "hand"
# Files whose contexts were put into other words by hand.
REWORDED = Path(__file__).parent / "reworded"
# A pattern of a whole context, and the wordings that say the same.
_TABLE = (
    (
        r"you see a door to the (?P<x>.+)",
        ("there is a door leading to the {x}", "a door here leads to the {x}", "you notice a door to the {x}"),
    ),
    (
        r"you see (?P<x>.+) in the (?P<stage>\{stage\}) stage in the (?P<y>.+)",
        ("the {y} holds {x} in the {stage} stage", "there is {x} in the {stage} stage in the {y}"),
    ),
    (
        r"you see (?P<x>.+) in the (?P<y>.+)",
        ("there is {x} in the {y}", "the {y} contains {x}", "{x} can be seen inside the {y}"),
    ),
    (
        r"you see (?P<x>.+) on the (?P<y>.+)",
        ("there is {x} on the {y}", "{x} stands on the {y}", "on the {y} you notice {x}"),
    ),
    (
        r"you see (?P<x>.+)",
        ("there is {x} here", "{x} is in sight", "you can see {x}", "you notice {x}", "{x} can be seen here"),
    ),
    (r"you are in the (?P<x>.+)", ("the room you are in is the {x}", "you find yourself in the {x}")),
    (r"(?P<x>.+) is at least (?P<y>.+)", ("{x} is {y} or more", "{x} is not below {y}")),
    (r"(?P<x>.+) is less than (?P<y>.+)", ("{x} is below {y}", "{x} is under {y}")),
)


def reworded(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The same rules with every context in other words."""
    return tuple(replace(rule, contexts=tuple(map(_in_other_words, rule.contexts))) for rule in rules)


def _in_other_words(context: Context) -> Context:
    for pattern, wordings in _TABLE:
        if found := re.fullmatch(pattern, context.text, re.IGNORECASE):
            drawn = int.from_bytes(hashlib.sha256(context.text.encode()).digest()[:4]) % len(wordings)
            return replace(context, text=wordings[drawn].format(**found.groupdict()))
    raise LookupError(f"no other words for “{context.text}”")
