"""Turns of phrase about programs, their environment and requests over the network, in the notation of `frames`."""

from __future__ import annotations

_START = "start|launch|boot|bring|fire|spin"
_PROGRAM = "program|process|job|service|server|worker|daemon|app|task"
_LIVES = "running|alive|up|active|on|going|working"
_YET = "[still|yet|already|currently|now]"
_SYSTEM = "system|systems|global|normal|default|ordinary|standard|usual"
_PRINTED = "print|printed|write|written|output|log|logged|report|reported|say|said"
_NOW = "[now|again|currently|still|please]"
_METHOD = "[rest|http|https]"
_WITH = "with|by|via|using|as|through"
_FEED = "give|feed|pass|type|enter|send|hand|answer"
_SENT = "[the|following|this] content|body|data|payload|json|change|text [is|=|being|of|:|,]"
_SEND = "make|send|do|issue|perform|run|fire|execute|submit|need|want"


def _requests(name: str) -> str:
    """How a request is spoken of by the name of its method, where nothing is sent with it."""
    return f"""
{_SEND} [a|an|the] {_METHOD} {name} [request|call] on|to|at|against|for|of {{u}}  >  {name} {{u}}
{_SEND} [a|an|the] {_METHOD} {name} [request|call] on|to|at|against|for|of {{u}} with {{y}}\
  >  {name} {{u}} with {{y}}"""


def _sending(name: str) -> str:
    """How something is sent by the name of the method."""
    by = f"{_WITH} [a|an|the] {_METHOD} {name} [request|call|method]"
    return f"""
change|send|update|call|alter|modify {{u}} {by} [;|,|:|.|–|-] [and|whose|with] {_SENT} {{B}}  >  {name} {{B}} to {{u}}
change|send|update|call|alter|modify {{u}} {by} and|with|of|: {{B}}  >  {name} {{B}} to {{u}}
send|submit|transmit [the|this] [text|json|data|body|content|message|string|word] {{a}} to {{u}} {by}\
  >  {name} "{{a}}" to {{u}}
send|submit|transmit [the|this] [text|json|data|body|content|message|string|word] {{a}} to {{u}} {by} as {{c}}\
  >  {name} "{{a}}" to {{u}} as {{c}}
send|submit|transmit [the|this] [text|json|data|body|content|message|string|word] {{a}} as {{c}} to {{u}} {by}\
  >  {name} "{{a}}" to {{u}} as {{c}}"""


_OF_REQUESTS = "".join(
    [*(_requests(name) for name in ("get", "head", "delete")), *(_sending(name) for name in ("post", "put", "patch"))]
)

ABOUT_PROGRAMS = f"""{_OF_REQUESTS}
[the|my|our] [{_PROGRAM}] {{n}} [is|runs] [running|started|runs] in [the] back|background [,|:|;|-|–|—] [so|please] \
stop|end|kill|terminate|halt it|that  >  stop the program {{n}}
get|fetch|install|bring|give [me|us] {{x}} via|with|through|by|using {{L}}  >  run {{L}}
run|execute|launch|start [the|my|our] [script|file|program] {{F}} with|by|using|in|through bash|sh|zsh\
  >  run bash {{F}}
return|go|switch|change [back] to|on [the|my] {_SYSTEM} ['s] python|interpreter {_NOW}\
  >  deactivate the virtual environment
what [does|do|did|is] writes|write|prints|print|says|say|logs|log|outputs|output [the|my|our] {_PROGRAM} {{n}} \
[until|till|up] [to] [now|here]  >  show the output of the process {{n}}
verify|confirm|ensure|check|validate|test [that|whether|if] {{u}} [still|really|actually] \
responds|respond|answers|answer|works|work|replies|exists|loads {_NOW}  >  get {{u}}
verify|confirm|ensure|check|validate|test [that|whether|if] {{u}} is {_YET} \
up|alive|online|reachable|available|there|working {_NOW}  >  get {{u}}
{_START} [up] {{N}} [again] with|using|by|as|: [the] [command] [line] {{P}}\
  >  start {{P}} in the background named {{N}}
{_START} [up] a|the|my|our|another [new] [background] {_PROGRAM} [named|called] {{N}} [again] with|using|by|as|: [the] \
[command] [line] {{P}}  >  start {{P}} in the background named {{N}}
{_START} [up] [a|the|my|our] [{_PROGRAM}] [named|called] {{N}} [again] , [the|with] command|line [line] [is|:] {{P}}\
  >  start {{P}} in the background named {{N}}
{{N}} : {{P}} in [the] background  >  start {{P}} in the background named {{N}}
{{P}} in [the] background [,] [please] [with|under|as|and] [the|its] name [is|:|=] {{n}}\
  >  start {{P}} in the background named {{n}}
let|want|need|have {{P}} [to] run|running in [the] background as|named|called|under [the] [name] [of] {{n}}\
  >  start {{P}} in the background named {{n}}
run|execute|start|do [all] [the|my|our] [unit|integration] tests|test|suite|checks [suite] with|using|by|via {{P}}\
  >  run {{P}}
have|get|let|want [all] [the|my|our] [unit|integration] tests|suite|checks [to] run with|using|by|via {{P}}\
  >  run {{P}}
give|allow|grant {{q}} {{y}}  >  run {{q}} for {{y}}
run|execute|start|launch {{x}} [,] and|then|with {_FEED} it [the] [input|word|text|answer|line] {{a}}\
  >  run {{x}} with "{{a}}" as input
run|execute|start|launch {{x}} [,] and|then {_FEED} {{a}} as [the|its|an] [standard] input|answer|stdin\
  >  run {{x}} with "{{a}}" as input
run|execute|start|launch {{x}} with|and [the|an] input|answer|stdin [of|being|:] {{a}}\
  >  run {{x}} with "{{a}}" as input
is [the|my|our] [background] {_PROGRAM} {{n}} {_YET} {_LIVES} {_YET}  >  show the output of the process {{n}}
is [the|my|our] {{n}} {_PROGRAM} {_YET} {_LIVES} {_YET}  >  show the output of the process {{n}}
is [the|my|our] {{M}} {_YET} running|alive {_YET}  >  show the output of the process {{M}}
do|does [the|my|our] [background] {_PROGRAM} {{n}} {_YET} run|work|live {_YET}\
  >  show the output of the process {{n}}
do|does [the|my|our] {{n}} {_PROGRAM} {_YET} run|work|live {_YET}\
  >  show the output of the process {{n}}
what [the|my|our] [{_PROGRAM}] {{n}} [{_PROGRAM}] has|have|had {_PRINTED} [so] [far]\
  >  show the output of the process {{n}}
what [the|my|our] [{_PROGRAM}] {{n}} [{_PROGRAM}] has|have|had {_PRINTED} since|after|from byte {{d}}\
  >  show the output of the process {{n}} from byte {{d}}
[want|need|wish] [to] see|know|read|show|tell [me|us] what [the|my|our] [{_PROGRAM}] {{n}} [{_PROGRAM}] has|have|had \
{_PRINTED} [so] [far]  >  show the output of the process {{n}}
[want|need|wish] [to] see|know|read|show|tell [me|us] what [the|my|our] [{_PROGRAM}] {{n}} [{_PROGRAM}] has|have|had \
{_PRINTED} since|after|from byte {{d}}  >  show the output of the process {{n}} from byte {{d}}
stop|end|kill|terminate|halt|close|quit [the|my|our] [background] {_PROGRAM} {{n}}  >  stop the program {{n}}
[go|switch|come|change|return|get] back to|on [the|my] {_SYSTEM} ['s] python|interpreter {_NOW}\
  >  deactivate the virtual environment
use|take|want [the|my] {_SYSTEM} ['s] python|interpreter {_NOW}  >  deactivate the virtual environment
{{V}} should|must|shall|need|needs not [to] be set|defined any|anymore|more [longer|more]  >  unset the variable {{V}}
let {{V}} be|equal {{y}}  >  set the variable {{V}} to {{y}}
check|look|see|test|tell|know|find [out] [me|us] [for] whether|if {{u}} is|are {_YET} \
up|working|fine|ok|okay|alive|online|reachable|available|there|running [right|at] [now|the] [moment]  >  get {{u}}
check|look|see|test|tell|know|find [out] [me|us] [for] whether|if {{u}} {_YET} \
works|answers|responds|exists|loads|work|answer|respond {_NOW}  >  get {{u}}
is {{u}} {_YET} working|fine|ok|okay|there|running|accessible [right|at] [now|the] [moment]  >  get {{u}}
do|does {{u}} {_YET} answer|respond|work|exist|reply|load {_NOW}  >  get {{u}}
from {{u}} [please] fetch|get|download|load|take|grab|save [me|us] [the|that|this|a] {{k}} to|into|as|in|under {{y}}\
  >  download {{u}} to {{y}}
"""
