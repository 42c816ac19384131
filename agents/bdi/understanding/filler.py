"""Words that carry nothing of a command: politeness, articles, asides; and those that change everything."""

from __future__ import annotations

import re

ARTICLES = frozenset(
    ("a", "an", "the", "some", "this", "that", "these", "those", "my", "our", "your", "its", "their", "his", "her")
)
# What may be left over without a doubt: courtesy, who asks whom, auxiliaries, hurry.
IDLE = ARTICLES | frozenset(
    """
please kindly could can would will should shall may might must need needs want wants like i you we me us he she they
to is are be been being was were has have had do does did of for in on at so it and also then just now quickly quick
right away immediately again too really ok okay well btw thanks thank hey hi hello yo dude dear sir madam lol haha
um uh er ugh mind grateful glad happy appreciate appreciated wonder wondering able possible possibly way help let
going ahead asap today there here real fast soon if-you-like kind enough able existing new current whole entire
complete full am good morning afternoon evening perhaps simply directly exactly actually basically called ask by
with from as named into inside within onto out up down over off about how who which what where when-you-can all both
first second third finally next lastly last afterwards later one required necessary needed supposed anymore say tell
trouble required accordingly kindly gladly ones it's itself them him be-so-kind our everything every each any using
use via through called run tool function make give get take put thing stuff please. max min once have-a be so kindly
bit little version alright sure yes yeah hmm cheers ta ya mate buddy friend following below above far yet still
    """.split()  # noqa: SIM905
)
# Small words that are typed without looking. “Form” is a word of its own, and so never a slip of one.
SMALL = frozenset({"the", "this", "that", "with", "from", "into", "please", "could", "would", "you", "and"})
NO_SLIPS = frozenset({"form", "whit", "wit", "thy"})
# A left-over word of these says nothing wrong where it stands alone, but a command made only of such says nothing.
DOUBT = frozenset(
    """
not never except unless if when whenever until till without but instead only neither nor either or maybe every-time
dry dry-run dryrun simulate simulated pretend undo revert half besides excluding exclude skip unlike rather whatever
wait no nope oops nevermind nvm cancel-that scratch sorry-no
while because although though whether otherwise
    """.split()  # noqa: SIM905
)
_ASIDES = (
    r"(?:,\s*)?(?:(?:i|we|you)\s+)?"
    r"(?:do not|don['’]?t|no longer)\s+(?:really\s+)?need\s+(?:it|them|this|that)(?:\s+any\s?more)?",
    r",?\s*if\s+(?:you\s+(?:would|do\s+not\s+mind|don['’]?t\s+mind|please|can|could|like"
    r"|have\s+(?:a\s+)?(?:time|moment|minute|second))"
    r"|(?:it['’]?s|it\s+is|that['’]?s|that\s+is)\s+(?:ok(?:ay)?|possible|no\s+trouble|not\s+too\s+much\s+trouble)"
    r"|possible)(?:\s+please)?",
    r",?\s*when(?:ever)?\s+(?:you\s+(?:can|have\s+(?:a\s+)?(?:time|moment|minute|second)|get\s+a\s+chance|are\s+ready))",
    r",?\s*(?:many\s+)?thanks(?:\s+(?:a\s+lot|in\s+advance|so\s+much|very\s+much))?",
    r",?\s*thank\s+you(?:\s+(?:very\s+much|so\s+much|in\s+advance|kindly))?",
    r"\bi\s+mean\b",
    r"\bthe\s+\w+\s+i\s+mean\b",
    r"\bor\s+(?:something|so|whatever)\b",
    r"\b(?:ok|okay|right|alright)\?",
    r"\bonly\s+(?:please)\b",
    r"\bnothing\s+(?:else|more)\b",
    r"\bfor\s+(?:me|us|my\s+(?:boss|team|colleagues?))\b",
    r"\bas\s+soon\s+as\s+(?:possible|you\s+can)\b",
    r"\bin\s+the\s+(?:workspace|project|current\s+(?:folder|directory|workspace|project))\b",
    r"\A\s*(?:hello|hi|hey|dear|good\s+(?:morning|afternoon|evening))"
    r"(?:\s+(?:there|mindx|agent|assistant|team|bot|computer))?\s*[,!]+",
    r",?\s*if\s+you\s+would",
    r",?\s*\b(?:right|straight)\s+away\b",
    r"\b(?:i|we)(?:['’]d|\s+would)\s+like\s+(?:(?:you|us)\s+)?to\b",
)
# What stands in quotes is passed over; spaces are counted, so that a long row of them is gone through once.
_FEW = {r"\s*": r"\s{0,9}", r"\s+": r"\s{1,9}"}
_SOUGHT = "|".join(f"(?:{one})" for one in _ASIDES).replace(r"\s*", _FEW[r"\s*"]).replace(r"\s+", _FEW[r"\s+"])
ASIDES = re.compile(
    "(?P<quoted>\"[^\"]*\"|“[^“”]*”|`[^`]*`|(?<!\\w)'[^']*'(?!\\w))|(?:"
    + _SOUGHT
    + r")(?:\s{0,9}[.!?]{1,9}(?=\s|\Z))?",
    re.IGNORECASE,
)


def blanked(text: str) -> str:
    """The text with asides that mean nothing for a command replaced by spaces, so that every place stays its place.

    Quoted text is never touched.
    """
    return ASIDES.sub(lambda found: found[0] if found["quoted"] is not None else " " * len(found[0]), text)
