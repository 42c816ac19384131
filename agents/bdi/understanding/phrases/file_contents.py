"""Turns of phrase about the contents of files, in the notation of `frames`."""

from __future__ import annotations

_IN = "in|inside|within|under|throughout|across|below"
_WE = "i|we|they|he|she|one|people"
_SHOW = "show|see|read|open|view|print|display|give|get|cat|list"
_SAID = "write|written|wrote|say|said|tell|told|note|noted|put|promise|promised|answer|answered|agree|agreed"
_SEARCH = "search|scan|grep|comb|check|examine|go|look"
_USE = "use|call|mention|import|reference|need|have|talk|speak|write|say"
_USED = "used|called|imported|mentioned|referenced|needed"
_WORD = "[the|a|any] [word|words|name|surname|term|text|phrase|string|function|variable|class|method|expression]"
_CONTAIN = "use|uses|contain|contains|mention|mentions|include|includes|import|imports"
_REGEX = "[the|a|this|following] regular|regex|regexp [expression|pattern]"
_SCREEN = "[the|my] screen|display|console|terminal|monitor"
_LINES = "lines|rows|entries"

ABOUT_CONTENTS = f"""
{{F}} [,|:] [lines|line|l] {{d}} -|–|to|until|through {{D}}  >  show lines {{d}} to {{D}} of {{F}}
{{F}} [,] from [line] {{d}} to|until|through [line] {{D}}  >  show lines {{d}} to {{D}} of {{F}}
{{F}} [,|:] line|l {{d}}  >  show line {{d}} of {{F}}
[the] first|top {{d}} bytes of|from|in {{x}}  >  read {{d}} bytes of {{x}}
{_SHOW} [me|us] {{x}} [,] [but] only|just [the] first|top {{d}} {_LINES}  >  show the first {{d}} lines of {{x}}
{_SHOW} [me|us] {{x}} [,] [but] [only|just] lines {{d}} -|–|to|until|through {{D}}\
  >  show lines {{d}} to {{D}} of {{x}}
{_SHOW} [me|us] {{x}} [,] but [only|just] line {{d}}  >  show line {{d}} of {{x}}
between lines {{d}} and {{D}} of|in {{x}} [,] what is|stands there|written  >  show lines {{d}} to {{D}} of {{x}}
[show|tell|see] [me|us] how {{x}} looks|look [like|right|at] [the] [now|currently|moment|today]  >  show {{x}}
put|bring|throw|get {{x}} on|onto|to {_SCREEN}  >  show {{x}}
need|want|like|have {{x}} on|onto {_SCREEN}  >  show {{x}}
need|want|like {{x}} before|before|in me|us|front [of] [me|us]  >  show {{x}}
what did|do|have|had {_WE} [just|last|actually|already] {_SAID} [down] in|to|into|on {{x}}  >  show {{x}}
where [else] {_IN} {{x}} do|does|did|have {_WE} {_USE} [of|about] {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
where [else] {_IN} {{x}} is|are|does {_WORD} {{t}} {_USED}  >  grep for "{{t}}" in {{x}}
where [else] is|are [in] [the|our|my|all] [code|project|repository|repo] {_USED} {_WORD} {{t}}  >  grep for "{{t}}"
where do|does {_WE} {_USE} {_WORD} {{t}} ?|.|,|:|;|- search|check|scan [in|through] {{x}}  >  grep for "{{t}}" in {{x}}
where do|does {_WE} {_USE} {_WORD} {{t}} ?|.|,|:|;|- look in|through|into|inside {{x}}  >  grep for "{{t}}" in {{x}}
where is|are {_WORD} {{t}} {_USED} ?|.|,|:|;|- search|check|scan [in|through] {{x}}  >  grep for "{{t}}" in {{x}}
where is|are {_WORD} {{t}} {_USED} ?|.|,|:|;|- look in|through|into|inside {{x}}  >  grep for "{{t}}" in {{x}}
where|when have|has|did|do {_WE} {_SAID}|mentioned [anything] about {{t}}  >  grep for "{{t}}"
do|does {{x}} include|includes {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
which|what [of] [my|our|the] {{x}} {_CONTAIN} {_WORD} {{t}}  >  grep for "{{t}}" in {{x}}
which|what [of] [my|our|the] {{x}} has|have|contain|contains {_WORD} {{t}} in them|it  >  grep for "{{t}}" in {{x}}
is|are {{C}} among|amongst [the|my|our|all] {{x}}  >  grep for "{{C}}" in {{x}}
~ is|are {{C}} [listed|mentioned|named|entered|written] [down] in|on {{x}}  >  grep for "{{C}}" in {{x}}
{_SEARCH} [in|through|for] {{x}} with|using|by|for|after [matches|anything|everything] [of|for|to|matching] \
{_REGEX} {{q}}  >  grep for {{q}} in {{x}} as regex
take|use {_REGEX} {{q}} and|to search|look|grep [for|with] [it|this] [in|through|inside] {{x}}\
  >  grep for {{q}} in {{x}} as regex
{_SEARCH} [for] [everything|anything|lines|all] [that] match|matches|matching {_REGEX} {{q}} {_IN} {{x}}\
  >  grep for {{q}} in {{x}} as regex
[show|list|give] [me] [all|the|every|any] lines|line {_IN}|of {{x}} [that] \
match|matches|matching|fitting {_REGEX} {{q}}  >  grep for {{q}} in {{x}} as regex
which|what lines|line {_IN} {{x}} match|matches|fit|fits {_REGEX} {{q}}  >  grep for {{q}} in {{x}} as regex
which|what lines|line of {{x}} match|matches|fit|fits {_REGEX} {{q}}  >  grep for {{q}} in {{x}} as regex
"""
