"""Words that add nothing to a command (politeness, articles, asides), and words that change everything."""

from __future__ import annotations

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
already own ever such favour favor bother hopefully guys folks pal man ah oh aha hereby therefore thus hence
somewhere lying lies located situated wish kept maximal longer
moreover furthermore around hereabouts
additionally besides-that such-that upon onto-there together myself yourself ourselves somehow
    """.split()
)
# Behind these “to” leads to a verb, and to no place.
INFINITIVE = frozenset(
    """
want wants wanted wanting like liked love prefer need needs needed wish wished have has had able going ready order
try tried trying hope hoping plan planning possible nice kind glad happy grateful supposed ought time able about
decided mean meant intend expect willing eager keen forget forgot remember necessary required
    """.split()
)
# Of these, those with which a command may begin.
LEADING = frozenset({"make", "run", "get", "take", "give", "put", "use", "call", "have", "say", "tell"})
# Adverbs that say how often, in which order or of how much: they rule a command, as those of no rule do not.
RULING_ADVERBS = frozenset(
    """
recursively alphabetically separately temporarily partially partly conditionally anonymously silently verbosely
nightly daily weekly monthly hourly yearly annually family apply reply supply assembly anomaly early friendly only
solely merely exclusively individually respectively reversely hardly scarcely rarely nearly early fly rely july italy
regularly occasionally frequently constantly continually eventually normally usually generally typically
supposedly allegedly theoretically hypothetically accidentally mistakenly wrongly provisionally tentatively optionally
potentially selectively mostly largely mainly subsequently ultimately jokingly virtually roughly
periodically repeatedly continuously previously formerly originally reply multiply imply comply publicly privately
    """.split()
)


def is_manner(word: str) -> bool:
    """Whether a word only says in which manner something is wished: kindly, quickly, carefully."""
    return len(word) > 5 and word.endswith("ly") and word not in RULING_ADVERBS and word.isalpha()


# Words that carry nothing, whose plurals may.
LEADING_NOUNS = frozenset(
    {"version", "one", "call", "run", "function", "tool", "thing", "friend", "bit", "help", "second"}
)
# Small words that are typed without looking. “Form” is a word of its own, and so never a slip of one.
SMALL = frozenset({"the", "this", "that", "with", "from", "into", "please", "could", "would", "you", "and"})
NO_SLIPS = frozenset({"charge", "charges", "charged", "form", "whit", "wit", "thy", "lost"})
# A left-over word of these says nothing wrong where it stands alone, but a command made only of such says nothing.
DOUBT = frozenset(
    """
not never except unless if when whenever until till without but instead only neither nor either or maybe every-time
dry dry-run dryrun simulate simulated pretend undo revert half besides excluding exclude skip unlike rather whatever
wait no nope oops nevermind nvm cancel-that scratch sorry-no
while because although though whether otherwise
    """.split()
)
# Words that deny something or forbid it.
DENYING = frozenset({"not", "never", "cannot", "nobody", "noone", "nothing", "neither", "hardly"})
