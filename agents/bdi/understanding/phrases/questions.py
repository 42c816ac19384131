"""Questions about the contents of files, how programs do and what addresses answer, in the notation of `frames`."""

from __future__ import annotations

_APPEAR = "appear|appears|occur|occurs|arise|surface|feature|figure|stand|stands"
_MENTION = "mention|mentions|contain|contains|use|uses|import|imports|reference|references|name|names|include|includes"
_WORD = "[the|a|any] [word|words|name|surname|term|text|phrase|string|function|variable|class|method|expression]"
_MENTIONED = "mentioned|used|called|named|imported|referenced|found|written|cited|quoted|listed"
_IN = "in|inside|within|under|throughout|across"
_ANYWHERE = "[anywhere|somewhere|at] [all|else]"
_ANY = "any|some"
_ROWS = "[line|lines|entry|entries|row|rows|message|messages|record|records]"
_FILE = "file|files|document|documents|module|modules|script|scripts|letter|letters|text|texts|page|pages"
_WRITE = "write|written|say|said|note|noted|mention|mentioned|wrote"

ASKED = f"""
is|are there {_ANY} {{w}} {_ROWS} [left] {_IN} {{x}}  >  grep for "{{w}}" in {{x}}
{_ANY} {{w}} {_ROWS} [left] {_IN} {{x}}  >  grep for "{{w}}" in {{x}}
is|are|was there anything|something|stuff [said|written] about|on|regarding|concerning {{t}} {_IN} {{x}}
    >  grep for "{{t}}" in {{x}}
anything|something about|regarding|concerning {{t}} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
is|are|was there anything|something [said|written] about|regarding|concerning {{t}} [anywhere]  >  grep for "{{t}}"
do|does we|i|you|they have anything|something about|on|regarding|concerning {{t}} {_IN} {{x}}
    >  grep for "{{t}}" in {{x}}
do|does we|i|you|they have {{t}} anywhere|somewhere {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
which|what of [my|our|the|these] {{x}} {_MENTION}|have|has|need|say|says {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
in which|what of [my|our|the|these] {_FILE} do|does {_WORD} {{t}} {_APPEAR}  >  grep for "{{t}}"
in which|what [of] [my|our|the|these] {_FILE} {_IN} {{x}} do|does {_WORD} {{t}} {_APPEAR}  >  grep for "{{t}}" in {{x}}
in which|what {_FILE} of|in {{x}} is|are {_WORD} {{t}} {_MENTIONED}  >  grep for "{{t}}" in {{x}}
in which|what of [my|our|the] {_FILE} is|are {_WORD} {{t}} {_MENTIONED}  >  grep for "{{t}}"
which|what {_FILE} {_MENTION} {_WORD} {{t}}  >  grep for "{{t}}"
which|what {_FILE} {_IN} {{x}} {_MENTION} {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
which|what {_FILE} {_MENTION} {_WORD} {{t}} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
where [else] is|are|was {_WORD} {{t}} {_MENTIONED}  >  grep for "{{t}}"
where [else] is|are|was {_WORD} {{t}} {_MENTIONED} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
where [else] {_IN} {{x}} is|are|was {_WORD} {{t}} {_MENTIONED}  >  grep for "{{t}}" in {{x}}
is|are|was {_WORD} {{t}} {_MENTIONED} {_ANYWHERE} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
is|are|was {_WORD} {{t}} {_MENTIONED} anywhere|somewhere  >  grep for "{{t}}"
whether|if {_WORD} {{t}} is|are|was {_MENTIONED} {_ANYWHERE} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
see|check|wonder|wondering|know|look whether|if {_WORD} {{t}} is|are|was {_MENTIONED} {_ANYWHERE} {_IN} {{x}}
    >  grep for "{{t}}" in {{x}}
see|check|wonder|wondering|know|look whether|if {_WORD} {{t}} {_APPEAR} {_ANYWHERE} {_IN} {{x}}
    >  grep for "{{t}}" in {{x}}
do|does {_WORD} {{t}} {_APPEAR} {_ANYWHERE} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
do|does {_WORD} {{t}} come|show|turn|crop|pop up {_ANYWHERE} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
do|does anything|something|anybody|anyone {_IN} {{x}} {_MENTION}|say {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
look|search|check|peek in|into|through {{x}} for {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
search|scan|comb|check all [of] {{x}} for {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
search|look|scan|check for {_WORD} {{t}} in|through everything|all {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
find|show|list|give [me] every|all|each [the] place|places|spot|spots|passage|passages {_IN} {{x}}
    where|that it|i|we|they {_WRITE}|says {{t}}  >  grep for "{{t}}" in {{x}}
find|show|list|give [me] every|all|each [the] place|places|spot|spots|passage|passages where|that it|i|we|they
    {_WRITE}|says {{t}} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
every|all|each [the] place|places|spot|spots|passage|passages {_IN} {{x}} where|that it|i|we|they {_WRITE}|says {{t}}
    >  grep for "{{t}}" in {{x}}
where|when did i|we|they|he|she {_WRITE} about|of {{t}} {_IN} {{x}}  >  grep for "{{t}}" in {{x}}
did|have|has i|we|they|anybody|somebody [ever] {_WRITE} anything|something about|of {{t}} {_IN} {{x}}
    >  grep for "{{t}}" in {{x}}
is {{n}} [still|yet|already] running|alive  >  show the output of the process {{n}}
show|tell|see [me|us] what {{n}} logged|printed|wrote|reported|said  >  show the output of the process {{n}}
show|tell|see [me|us] what {{n}} has [been] logged|printed|written|reported|logging|printing|writing
    >  show the output of the process {{n}}
what has|have|did {{n}} print|printed|write|written|output|log|logged|report|reported since|after|from byte {{d}}
    >  show the output of the process {{n}} from byte {{d}}
what does [the] log|output of {{n}} say|show since|after|from byte {{d}}
    >  show the output of the process {{n}} from byte {{d}}
stop|end|kill|terminate|halt|close [down] [the|my|our] {{n}} server|service|worker|job|app  >  stop the program {{n}}
shut|take|bring down [the|my|our] {{n}} server|service|worker|job|app  >  stop the program {{n}}
shut|take|bring [the|my|our] {{n}} [server|service|worker|job|app] down  >  stop the program {{n}}
do|does {{u}} answer|respond|work|exist|reply [still|yet|now]  >  get {{u}}
is {{u}} [still|yet|currently] reachable|up|alive|online|down|available|responding|answering  >  get {{u}}
can|could|may|might i|we have {{x}}  >  show {{x}}
let me|us have {{x}}  >  show {{x}}
what did|do|does {{x}} write|say|tell|report [me|us]  >  show {{x}}
! {{V}} = {{y}}  >  set the variable {{V}} to {{y}}
clear|remove|drop|delete|take|strip|wipe|unset {{V}} [out] from|of [the|my|our] environment|env
    >  unset the variable {{V}}
no longer want|need {{V}} [set|defined]  >  unset the variable {{V}}
do not want|need {{V}} [set|defined] anymore  >  unset the variable {{V}}
do not want|need {{V}} [set|defined] any longer|more  >  unset the variable {{V}}
! {{V}} should|must|shall|can no longer be set|defined  >  unset the variable {{V}}
"""
