"""Polite phrases around a request: blanked before anything is read.

They are frames that people put around any request, listed by what they do: asking, thanking, greeting, leaving time,
excusing. What could narrow a command, or take it back, is none of them.
"""

from __future__ import annotations

import re
from functools import partial

from agents.bdi.understanding.asides.stated_changes import as_parts

_KIND = r"(?:nice|kind|good|sweet|friendly|gentle|helpful|lovely|dear|great|gracious|generous)"
_GLAD = r"(?:glad|happy|grateful|thankful|delighted|obliged|pleased|appreciative)"
_FINE = r"(?:nice|great|good|lovely|wonderful|perfect|awesome|amazing|helpful|fine|ideal|super|cool|best|ok|okay)"
_THING = r"(?:file|folder|directory|dir|script|thing|stuff|one|ones|branch|note|copy|program|package|version)s?"
_ANYMORE = r"(?:\s+(?:any\s?(?:more|longer)|at\s+all))?"
# What a command is not about stays as it is: whoever says so says no more. Of a folder that would go see `qualifiers`.
_REST = r"(?:the\s+(?:rest(?:\s+of\s+(?:it|the\s+\w+))?|others?|other\s+\w+|remaining\s+\w+)|(?:everything|all)\s+else)"
_AS_IT_IS = r"(?:untouched|unchanged|intact|alone|(?:just\s+)?(?:as\s+(?:it|they)\s+(?:is|are)|as[- ]is))\b"
REST = re.compile(rf"\b(?:leav(?:e|ing)|keep(?:ing)?)\s+{_REST}", re.IGNORECASE)
_VERY = r"(?:so|very|really|most|extremely|quite|such|that|as|more\s+than|super|much|truly)\s+"
_MODAL = r"(?:would|could|can|will|might|may)"
_ASKING = (
    r"\b(?:i|we)(?:\s+would|['’]d)?\s+(?:(?:just|only|really)\s+)?(?:want|need|wish|like|love|have)\s+to\s+know\b",
    r"\b(?:do\s+you|let\s+(?:me|us))\s+know\b",
    # be so kind and …, would you be nice enough to …
    rf"(?:\b{_MODAL}\s+)?(?:\byou\s+)?(?:please\s+)?\bbe\s+(?:{_VERY})?{_KIND}(?:\s+enough)?\s+"
    r"(?:and\b|to\b|as\s+to\b|if\s+you\s+(?:could|would|can)\b)",
    # I would be very grateful if you could …, it would be great if …
    rf"\b(?:i|we)(?:\s+would|['’]d|\s+will|['’]ll|\s+am|['’]m|\s+are|['’]re)\s+(?:be\s+)?(?:{_VERY})?{_GLAD}\s+"
    rf"(?:if\s+(?:you|we|i|somebody|someone)\s+{_MODAL}\b|for\b|to\s+have\b|to\s+see\b)",
    rf"\b(?:it|that|this)(?:\s+would|['’]d|\s+will)\s+(?:really\s+)?be\s+(?:{_VERY})?{_FINE}\s+"
    rf"(?:if\s+(?:you|we|i)(?:\s+{_MODAL})?\b|to\b|for\s+you\s+to\b)",
    rf"\b(?:i|we)(?:\s+would|['’]d)?\s+(?:(?:really|very\s+much|highly)\s+)?(?:appreciate|love)\s+it\s+"
    rf"if\s+(?:you|we|i)\s+{_MODAL}\b",
    r"\b(?:i|we)(?:['’]d|\s+would)\s+(?:really\s+)?(?:like|love|prefer|wish)\s+(?:(?:for\s+)?(?:you|us)\s+)?to\b",
    r"\b(?:i|we)(?:['’]d|\s+would)\s+(?:really\s+)?(?:like|love|prefer|appreciate)\s+(?:it\s+)?(?:if|that|when)\b",
    rf"\b(?:i|we)(?:\s+am|['’]m|\s+was|\s+are|['’]re|\s+were)?\s+(?:just\s+)?wonder(?:ing|ed)?\s+(?:if|whether)\s+"
    rf"(?:you|we|i|it)\s+{_MODAL}(?:\s+be\s+(?:able|possible)\s+to)?\b",
    r"\b(?:do|don['’]?t)\s+you\s+(?:mind|think\s+(?:you|we)\s+(?:could|can|might))\b",
    r"\bwould\s+you\s+(?:be\s+able|be\s+willing|care)\s+to\b",
    r"\b(?:is|was|would)\s+(?:it|there)\s+(?:be\s+)?(?:at\s+all\s+)?(?:any\s+|a\s+)?(?:possible|way|chance|possibility)"
    r"(?:\s+for\s+(?:you|me|us))?\s+(?:to\b|that\s+(?:you|we|i)(?:\s+(?:could|can|might))?\b|(?:you|we|i)\s+(?:could|can)\b)",
    r"\bany\s+chance\s+(?:that\s+)?(?:you|we|i)\s+(?:could|can|might)\b",
    r"\b(?:may|can|could|might)\s+(?:i|we)\s+(?:kindly\s+)?(?:ask|request|trouble|bother)\s+(?:you\s+)?(?:to|for)\b",
    r"\b(?:i|we)\s+(?:kindly\s+|hereby\s+|would\s+)?(?:ask|request|beg|urge)\s+(?:that\s+you\b|you\s+to\b)",
    r"\b(?:i|we)\s+(?:want|need|wish|expect)\s+(?:for\s+)?you\s+to\b",
    r"\b(?:what|all)\s+(?:i|we)(?:['’]d|\s+would)?\s+(?:like|want|need)(?:\s+you\s+to\s+do)?(?:\s+now)?\s+is\s+(?:to\b|that\s+you\b)?",
    r"\byour\s+(?:next\s+|first\s+)?(?:task|job|mission)(?:\s+now)?\s+is\s+to\b",
    r"\b(?:the|our|my)\s+(?:task|goal|idea|plan|aim)(?:\s+here|\s+now)?\s+is\s+to\b",
    r"(?:\A\s*|\bit\s+is\s+|\bit['’]s\s+)(?:high\s+)?time\s+to\b",
    r"\b(?:can|could|would|will)\s+(?:someone|somebody|anyone|anybody)\b",
    r"\b(?:feel\s+free\s+to|go\s+ahead\s+and|go\s+on\s+and|be\s+sure\s+to|see\s+if\s+you\s+can|try\s+to)\b",
    r"\bmake\s+sure\s+(?:that\s+you|you|to)\b",
    r"\b(?:please\s+)?(?:do\s+not|don['’]?t)\s+forget\s+to\b",
    r"\b(?:why\s+don['’]?t|how\s+about|what\s+about)\s+(?:you|we)\b(?!\s+ever\b)",
    r"\bdo\s+me\s+(?:a|the|this)\s+favou?r\s*(?:and|,|:)?",
    r"\bi\s+have\s+(?:a|one|another)\s+(?:small\s+|little\s+|quick\s+)?(?:favou?r|request|wish|question)\s*(?:to\s+ask)?\s*[:,.]",
    r"\bquick\s+(?:one|question|request|favou?r)\s*[:,-]",
)
_THANKING = (
    r"\bthanks?(?:\s+(?:you|a\s+lot|again))?\s+for\s+[^.!?,;:–—\n\"“'‘]{1,40}(?=[.!,–—]\s{0,9}\w)",
    r",?\s*(?:many\s+|with\s+)?thanks?(?:\s+(?:you\s+)?(?:(?:very|so)\s+much|kindly|again|indeed))?"
    r"(?:\s+(?:a\s+(?:lot|million|bunch|ton)|in\s+advance|for\s+(?:your|the)\s+(?:help|time|support|effort|patience)))*",
    r",?\s*(?:it\s+is\s+|it['’]s\s+)?(?:much|greatly|highly)\s+appreciated",
    r",?\s*(?:i|we)(?:\s+would|['’]d)?\s+(?:really\s+|highly\s+)?appreciate\s+(?:it|that|this|your\s+help)",
    rf",?\s*(?:that|this|it)(?:\s+would|['’]d|\s+will)\s+(?:really\s+)?(?:be\s+(?:{_VERY}|a\s+)?(?:{_FINE}|help)|help"
    r"(?:\s+(?:me|us))?(?:\s+(?:a\s+lot|very\s+much|greatly))?|make\s+my\s+day)\s*(?=[.!,]|\Z)",
    r",?\s*you(?:\s+are|['’]re)\s+(?:the\s+best|a\s+(?:star|legend|lifesaver|gem|angel))",
    r",?\s*cheers(?:\s+mate)?(?=\s*[.!,]|\s*\Z)",
)
_GREETING = (
    r"\A\s*(?:hello|hi|hey|hiya|dear|greetings|good\s+(?:morning|afternoon|evening|day))"
    r"(?:\s+(?:there|mindx|agent|assistant|team|bot|computer|all|everyone|everybody|folks|friend|friends|sir|madam"
    r"|colleague|colleagues|my\s+(?:friend|dear))){0,3}\s*[,!.:–-]+",
    r"(?:\A|(?<=[.!,–—-]))\s*(?:i\s+)?hope\s+(?:that\s+)?(?:you|your|the|all|everything|this|it)\b[^.!,\n]{0,50}[.!,]",
    r",?\s*(?:best|kind|warm|kindest|many)\s+(?:regards|wishes|greetings)(?:\s*,?\s*\w{2,20})?\s*[.!]?\s*\Z",
    r",?\s*(?:yours\s+)?(?:sincerely|faithfully|truly)(?:\s+yours)?(?:\s*,?\s*\w{2,20})?\s*[.!]?\s*\Z",
    r",?\s*have\s+a\s+(?:nice|good|great|lovely|wonderful|pleasant)\s+(?:day|evening|night|weekend|one|time|week)",
    r",?\s*(?:see|talk\s+to)\s+you\s+(?:later|soon|tomorrow)",
)
_LEAVING_TIME = (
    r",?\s*if\s+(?:you\s+(?:would|do\s+not\s+mind|don['’]?t\s+mind|please|can|could|like|wish|want|may|will"
    r"|have\s+(?:a\s+)?(?:time|moment|minute|second|chance))"
    r"|(?:it|that|this)(?:['’]?s|\s+is|\s+would\s+be)\s+(?:not\s+)?(?:ok(?:ay)?|possible|alright|all\s+right|fine|convenient"
    r"|no\s+(?:trouble|bother|problem)|too\s+much\s+(?:trouble|to\s+ask|work))(?:\s+(?:for|with|by)\s+you)?"
    r"|(?:at\s+all\s+)?possible)(?:\s+(?:please|so|that|it))?(?=\W|\Z)(?!\s+(?:not|to|is|are|has|have|find|see)\b)",
    r",?\s*when(?:ever)?\s+(?:you\s+(?:can|have\s+(?:a\s+|the\s+|some\s+)?(?:time|moment|minute|second|chance)"
    r"|get\s+a\s+(?:chance|moment|minute)|are\s+ready|like|find\s+(?:a\s+|the\s+)?(?:time|moment))"
    r"|it\s+suits\s+you|convenient|possible)",
    r",?\s*(?:there\s+is\s+|there['’]s\s+)?no\s+(?:rush|hurry|pressure|stress)(?:\s+at\s+all)?",
    r",?\s*take\s+your\s+time",
    r",?\s*at\s+your\s+(?:earliest\s+)?convenience",
    r"\bas\s+(?:soon|fast|quickly)\s+as\s+(?:possible|you\s+can)\b",
    r",?\s*\b(?:right|straight)\s+away\b",
    r"\b(?:for\s+now|for\s+the\s+(?:time\s+being|moment)|at\s+the\s+moment|once\s+(?:again|more)|one\s+more\s+time|as\s+(?:always"
    r"|usual)|by\s+the\s+way|just\s+in\s+case|first\s+of\s+all|to\s+begin\s+with|in\s+the\s+end|at\s+last)\b",
    r"\b(?:for\s+(?:good|ever)|once\s+and\s+for\s+all)\b",
)
_EXCUSING = (
    r"\b(?:(?:i\s+am\s+|i['’]m\s+)?sorry|apologies|excuse\s+me|pardon(?:\s+me)?)(?:\s+(?:to|for|that\s+i)\s+(?:the\s+)?"
    r"(?:bother(?:ing)?|trouble|troubling|disturb(?:ing)?|interrupt(?:ing)?|ask(?:ing)?|inconvenience|short\s+notice)"
    r"(?:\s+(?:you|again|so\s+late))*)\s*,?(?:\s*but\b)?",
    r"\b(?:please\s+)?(?:bear\s+with\s+me|heads[\s-]?up|long\s+story\s+short|how\s+are\s+(?:you|things)(?:\s+(?:doing|today))?)\b",
    r"\A\s*(?:excuse\s+me|sorry)\s*,\s*(?:but\b)?",
    r"\b(?:the\s+\w+\s+i\s+mean|you\s+know|i\s+(?:guess|think|believe|suppose))\b",
    r"\bor\s+(?:something|so|whatever|less|fewer)\b",
    r"\b(?:ok|okay|right|alright)\?",
    r",\s*(?:can|could|would|will)\s+you\s*(?:please\s*)?\?",
    r"\bonly\s+(?:please)\b",
    r"(?<=\band\s)(?:right\s+)?after\s+(?:that|this)\b",
    r"\bnothing\s+(?:else|more)\b",
    r"\bfor\s+(?:me|us|(?:my|our|the)\s+(?:boss|team|colleagues?|manager|client|customer|customers|professor|teacher))\b",
    rf"(?:,\s*)?(?:(?:because|since|as)\s+)?(?:(?:i|we|you|nobody)\s+)?(?:do\s+not|don['’]?t|no\s+longer|not)\s+(?:really\s+)?"
    rf"needs?\s+(?:it|them|(?:this|that|these|those)(?:\s+{_THING})?){_ANYMORE}",
    rf"(?:,\s*|\s+(?=(?:because|since|as)\s))(?:(?:because|since|as)\s+)?"
    rf"(?:(?:it|they|which|that)(?:['’]s|\s+is|['’]re|\s+are)\s+|is\s+)?"
    rf"(?:no\s+(?:longer|more)|not(?:\s+(?:longer|more))?)\s+(?:needed|required|used|wanted|in\s+use|necessary|useful)"
    rf"{_ANYMORE}",
    r"\bin\s+(?:the|this|my|our)\s+(?:workspace|project|current\s+(?:folder|directory|workspace|project))\b",
)
_ALL_OF_IT = (
    r",\s*(?:please\s+)?(?:all\s+of\s+it|the\s+(?:whole|entire|complete|full)\s+thing|in\s+full)(?=\s*(?:[.,;!?)]|\Z))",
)
# How exactly a number is meant, in short forms whose stop ends no sentence.
_HEDGING = (
    r"(?:\b(?:approx|appr|circa|abt)\b\.?|\bca\.|(?<!\S)ca(?=\s+\d)|(?<!\S)~)\s{0,9}(?=\d)",
    r"(?<=\bmax)\.(?=\s)|(?<=\bmin)\.(?=\s)",
)
# In which manner something is wished, and what is said once more of what is done anyway.
_EMPHASIS = (
    r"\b(?:(?:real|really|super|very|pretty|rather)\s+(?:quick|quickly|fast|soon|briefly)|in\s+a\s+(?:hurry|rush|jiffy|flash)"
    r"|altogether|just\s+like\s+that)(?=\s*(?:[.,;!?)–—]|\Z|(?:and|but|then|please|pls|plz|thanks|thx)\b))",
    r"\bif\s+you\s+please\b",
    r"(?<=\d)\s*[,(]?\s*(?:inclusive|inclusively|included|incl\.)\)?",
    # “The exact words "x"”: what is looked for is looked for as it stands.
    r"(?<=\bthe\s)(?:exact|literal|precise|verbatim)\s+(?=(?:words?|phrase|text|string|term|line|sentence)\b)",
    r",\s*(?:while\s+)?(?:keeping|retaining|preserving)\s+(?:the(?:ir|m)?|its)\s+(?:(?:old|own|original|present|current)\s+)?"
    r"(?:(?:file\s*)?names?)\b(?:\s+(?:as\s+(?:it\s+is|they\s+are)|the\s+same))?",
    rf",?\s*(?:and\s+|but\s+|while\s+)?(?:leav(?:e|ing)|keep(?:ing)?)\s+{_REST}\s+{_AS_IT_IS}",
    rf",?\s*(?:and\s+|but\s+)?without\s+(?:changing|touching|affecting|modifying)\s+(?:anything\s+else|{_REST})\b",
    r"\b(?:at|in|on)\s+(?:the\s+)?(?:very\s+)?(?:top(?:\s*level)?|root)(?:\s+(?:level|folder|directory|dir))?"
    r"\s+of\s+(?:the|this|my|our)\s+(?:whole\s+|entire\s+)?(?:project|workspace|repo(?:sitory)?|tree)\b",
    r",\s*(?:with\s+|in\s+|as\s+)?(?:(?:the\s+)?encoding\s*(?:is|=|:)?\s*)?utf-?8(?:\s+encod(?:ing|ed))?(?=\s*(?:[.,;!?)]|\Z))",
)
# What stands in quotes is passed over; spaces are counted, so that a long row of them is gone through once.
_FEW = {r"\s*": r"\s{0,9}", r"\s+": r"\s{1,9}"}


def _any_of(*turns: str) -> str:
    found = "|".join(f"(?:{one})" for one in turns)
    return found.replace(r"\s*", _FEW[r"\s*"]).replace(r"\s+", _FEW[r"\s+"])


_SOUGHT = _any_of(*_ALL_OF_IT, *_HEDGING, *_ASKING, *_THANKING, *_GREETING, *_LEAVING_TIME, *_EXCUSING, *_EMPHASIS)
ASIDES = re.compile(
    "(?P<quoted>\"[^\"]*\"|“[^“”]*”|`[^`]*`|(?<!\\w)'[^']*'(?!\\w))|(?:"
    + _SOUGHT
    + r")(?:\s{0,9}[.!?]{1,9}(?=\s|\Z))?",
    re.IGNORECASE,
)


# What is said longer than need be, with the word for it.
_LONGER = (
    ("to", r"\bup\s+to\s+and\s+including\b|\b(?:right|straight|all\s+the\s+way)\s+(?:up\s+)?to\b"),
    (
        "overwriting it",
        r"\b(?:replacing|overwriting)\s+(?:it|that|the\s+(?:old|present|existing)\s+one)\s+"
        r"(?:(?:if|should)\s+(?:it|one|that|there)\s+(?:is|be|exists?)(?:\s+(?:there|one))?(?:\s+already)?"
        r"|if\s+(?:it\s+)?(?:already\s+)?(?:there|present|existing|exists?))\b",
    ),
    (
        "ignoring case",
        r"\b(?:big|upper|capital)\s+(?:and|or)\s+(?:small|lower)\s+(?:letters?|case)\s+(?:is|are)\s+(?:the\s+)?same\b",
    ),
)
_SHORTER = [(word, re.compile('(?P<quoted>"[^"]*"|“[^“”]*”|`[^`]*`)|' + said, re.IGNORECASE)) for word, said in _LONGER]


def _shortened(word: str, found: re.Match[str]) -> str:
    return found["quoted"] or word.ljust(len(found[0]))


def blanked(text: str) -> str:
    """The text with asides that mean nothing for a command replaced by spaces, so that every place stays its place.

    Quoted text is never touched.
    """

    def blank(found: re.Match[str]) -> str:
        is_own = found["quoted"] is not None or _is_part_of_a_name(found)
        if is_own:
            return found[0]
        # Behind other words the stop that ends it ends their sentence; a lone point would be a folder. A stop that is
        # all of it belongs to its word: “max. 2 minutes”.
        is_between = text[: found.start()].strip() and text[found.end() :].strip()
        ends = len(found[0]) > 1 and found[0][-1] in (".", "!") and is_between
        return " " * (len(found[0]) - 1) + ";" if ends else " " * len(found[0])

    text = as_parts(text)
    for word, longer in _SHORTER:
        text = longer.sub(partial(_shortened, word), text)
    return ASIDES.sub(blank, text)


_EMPHASIZED = re.compile(_any_of(*_EMPHASIS), re.IGNORECASE)


def without_emphasis(text: str) -> str:
    """The text with what only says once more what is done anyway as spaces: “, keeping its name”."""
    return _EMPHASIZED.sub(lambda found: " " * len(found[0]), text)


def _is_part_of_a_name(found: re.Match[str]) -> bool:
    """`letters/thanks.txt`, `thanks_2024`: what looks like courtesy there belongs to a name."""
    text, start, end = found.string, found.start(), found.end()
    before = text[start - 1 : start] if found[0][:1].isalnum() else ""
    behind = text[end : end + 2]
    goes_on = found[0][-1:].isalnum() and bool(re.match(r"[\w/\\]|[.-]\w", behind))
    return goes_on or bool(re.match(r"[\w/\\.-]", before))
