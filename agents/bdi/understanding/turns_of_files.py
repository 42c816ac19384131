"""Turns of phrase about files and folders, in the notation of `frames`."""

from __future__ import annotations

_IN = "in|inside|within|under|below"
_WE = "i|we|you|they|he|she"
# What comes to be in a folder, or stays there; whether it was sent, paid or read, no folder says.
_KEPT = (
    "have|has|had|got|keep|kept|store|stored|save|saved|file|filed|put|hold|held|write|wrote|written|prepare|prepared|"
    "make|made|create|created|collect|collected|gather|gathered|draft|drafted|lie|lying|sit|sitting|live|rest"
)
_THINGS = "papers|documents|files|things|stuff|items|material"
_FILES = "files|file|documents|document|everything|anything"
_FIND = "find|list|show|get|give|locate|see|want|need|name|search|look"
_HAVING = "with|having|containing|contain|contains|have|has|carry|carrying"
_NAME = "name|names|filename|filenames|title|titles"

ABOUT_FILES = f"""
which|what {{x}} do|did|have|has {_WE} [already|ever|all] {_KEPT} [down|up|away|together] [here|there] [so|on|in] \
[far|file|stock|store|total]  >  ls {{x}}
which|what {{x}} is|are [there|here|available] [on|in] [file|stock|hand|store]  >  ls {{x}}
which|what {{x}} exist|exists  >  ls {{x}}
what do|did|have {_WE} [got] {_KEPT} {_IN} {{x}}  >  ls {{x}}
what is|are {_KEPT} [around] {_IN} {{x}}  >  ls {{x}}
what|which {_THINGS} do|have {_WE} [have|got|keep] for|on|about|from {{x}}  >  ls {{x}}
which|what {{k}} is|are [there|kept|stored|lying|sitting] {_IN} [the|my|our] {{f}} folder  >  ls {{f}}
whatever {_WE} have|keep|store|got {_IN} {{x}}  >  ls {{x}}
list|show|see whatever|everything|all|what [that] {_WE} have|keep|store|got {_IN} {{x}}  >  ls {{x}}
! [the|all] files|things|stuff|everything {_IN} {{x}}  >  ls {{x}}
{_FIND} [for] [me] [all|every|any] {_FILES} [that|which] {_HAVING} [the] [word] {{e}} [somewhere] in|inside \
[the|their|its] {_NAME}  >  find everything named *{{e}}*
{_FIND} [for] [me] [all|every|any] {_FILES} [that|which] {_HAVING} [the] [word] {{e}} [somewhere] in|inside \
[the|their|its] {_NAME} {_IN} {{y}}  >  find everything named *{{e}}* in {{y}}
{_FIND} [for] [me] [all|every|any] {_FILES} {_IN} {{y}} [that|which] {_HAVING} [the] [word] {{e}} [somewhere] \
in|inside [the|their|its] {_NAME}  >  find everything named *{{e}}* in {{y}}
{_FIND} [for] [me] [all|every|any] {_FILES} whose {_NAME} contain|contains|include|includes|has|have [the] [word] {{e}}\
  >  find everything named *{{e}}*
which|what {_FILES} have|has|contain|contains [the] [word] {{e}} in [the|their|its] {_NAME}\
  >  find everything named *{{e}}*
is|are there [any|some] {_FILES} {_HAVING} [the] [word] {{e}} in [the|their|its] {_NAME}\
  >  find everything named *{{e}}*
! {{x}} -> [>] {{y}}  >  move {{x}} to {{y}}
! {{x}} need|needs|get|gets|deserve a|an|another [new|better|different|other|proper] name :|-|–|— {{y}}\
  >  rename {{x}} to {{y}}
! {{x}} need|needs|deserve a|an|another [new|better|different|proper] name [:|,|;|-] [just|so] call|name it {{y}}\
  >  rename {{x}} to {{y}}
! {{x}} should|shall|must|ought|is|has|needs [to] [now] be named {{y}} [now|instead]  >  rename {{x}} to {{y}}
prefer|suggest the name {{y}} for {{x}}  >  rename {{x}} to {{y}}
use|take {{x}} as [a|the] base|basis|template|starting [point] for {{y}}  >  copy {{x}} to {{y}}
put|save|store {{x}} a second|another|third time as|under [the] [name] {{y}}  >  copy {{x}} to {{y}}
save|store {{x}} again|once as|under [the] [name] {{y}}  >  copy {{x}} to {{y}}
make|create|produce {{y}} out of|from a copy|duplicate of {{x}}  >  copy {{x}} to {{y}}
turn|make a copy|duplicate of {{x}} into {{y}}  >  copy {{x}} to {{y}}
overwrite|replace {{x}} with|by [the] [contents|content] [of] {{p}}  >  copy {{p}} to {{x}} overwriting it
"""
