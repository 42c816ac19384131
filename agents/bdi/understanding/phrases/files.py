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
_FOLDER = "folder|subfolder|directory|subdirectory|dir"
_NEW = "new|separate|own|empty|extra|further"
_CALLED = "called|named|titled|for"
_INTO = "in|into|to|inside|under|within"
_SHOULD = "should|must|shall|ought|needs|need|has|have|is|are"
_LINE = "line|entry|item|sentence|reminder|point|remark|row|task"
_ONTO = "to|in|into|on|onto"
_THAT = ":|,|–|-|that|saying|reading [that|saying|:]"
_WHOSE = "[that|which|whose] [name|names|filename|filenames|title]"
_CHANGED = "changed|modified|edited|updated|touched|saved|written"
_ONE = "a|one|another"
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
! {{x}} need|needs|want|wants|require|requires|deserve|deserves|lack|lacks|get|gets a|an|one|another \
[{_NEW}] {_FOLDER} [{_CALLED}] {{y}}  >  create a folder named {{y}} in {{x}}
! {{x}} should|shall|must|could|can|may|might|would [also] [have|get|receive|use|do|need|contain|hold] [with] \
a|an|one|another [{_NEW}] {_FOLDER} [called|named|titled] {{y}}  >  create a folder named {{y}} in {{x}}
put|add|place|stick a|an|one|another [{_NEW}] {_FOLDER} [called|named|titled] {{y}} {_INTO} {{x}}  >  \
create a folder named {{y}} in {{x}}
put|add|place|stick a|an|one|another [{_NEW}] {{y}} {_FOLDER} {_INTO} {{x}}  >  create a folder named {{y}} in {{x}}
! [a|one|another] [{_NEW}] {_FOLDER} [called|named|titled] {{y}} in|inside|under|within {{x}}  >  \
create a folder named {{y}} in {{x}}
create|make|add|need|want|get [me|us] a|an [{_NEW}] {_FOLDER} [called|named] {{x}} and [also] \
a|an|another|one [one] called|named {{y}}  >  create folders {{x}} and {{y}}
replace|overwrite {{o}} with|by {{q}}  >  overwrite {{o}} with {{q}}
replace|overwrite [the|all] [the] [entire|whole|complete|full|present|current|old] \
contents|content|text of|in {{x}} with|by [the|this] [single] [line|text|word|words|sentence] [:] {{y}}  >  \
overwrite {{x}} with "{{y}}"
add {_FOLDER} [called|named|titled] {{y}} {_INTO} {{x}}  >  create a folder named {{y}} in {{x}}
do me|us a|an|another [{_NEW}] {{x}}  >  create a {{x}}
! there|it {_SHOULD} [to] exist a|an {{x}}  >  create a {{x}}
! {{x}} go|goes|come|comes|move|moves [over|across|up|down|right|straight|back|on] {_INTO} {{y}}  >  move {{x}} to {{y}}
! {{x}} go|goes|come|comes|move|moves in|into|inside there|it  >  move {{x}} into it
! {{x}} [,|:] it|this|that must|should|shall|has|needs|ought [to] [be] go|move|moved|put from {{f}} {_INTO} {{y}}  >  \
move {{x}} from {{f}} to {{y}}
! {{x}} [,|:] it|this|that must|should|shall|has|needs|ought [to] [be] go|move|moved|put {_INTO} {{y}}  >  \
move {{x}} to {{y}}
overwrite|replace {{x}} with|by a|the [fresh|new|exact|current] copy of {{p}}  >  copy {{p}} to {{x}} overwriting it
overwrite|replace {{x}} with|by a|the [fresh|new|exact|current] copy of {{p}} , overwriting it  >  \
copy {{p}} to {{x}} overwriting it
put|move|shove|stick|drop|place|throw {{x}} in|inside  >  move {{x}} into it
put|move|shove|stick|drop|place|throw {{x}} in there  >  move {{x}} into it
! {{x}} {_SHOULD} [to] rather|better|instead be named|called|renamed [to] {{y}}  >  rename {{x}} to {{y}}
! {{x}} {_SHOULD} [to] be renamed|called|retitled [to|as|into] {{y}}  >  rename {{x}} to {{y}}
call|name {{x}} {{y}} from now|today on  >  rename {{x}} to {{y}}
[tell|show] [me|us] what there is|are [kept|stored|lying] {_IN} {{x}}  >  ls {{x}}
need|want|like|have {{x}} {_IN} {{y}} too  >  copy {{x}} to {{y}}
name|call|rename|title {{x}} [to] {{y}} instead  >  rename {{x}} to {{y}}
copy|duplicate|clone all|everything of {{x}} to|into|in {{y}}  >  copy {{x}} to {{y}}
{_FIND} [for] [me] [all|every|any|the] {_FILES}|files|folders|folder {_WHOSE} \
[start|starts|begin|begins|starting|beginning] with {{e}}  >  find everything named {{e}}*
! [all|every|any|the] {_FILES} [that|which] start|starts|begin|begins|starting|beginning with {{e}}  >  \
find everything named {{e}}*
! [all|every|any|the] {_FILES} [that|which] end|ends|ending in|with|on {{e}}  >  find files named *{{e}}
{_FIND} [for] [me] [all|every|any|the] {_FILES}|files|folders {_IN} {{y}} {_WHOSE} \
[start|starts|begin|begins|starting|beginning] with {{e}}  >  find everything named {{e}}* in {{y}}
{_FIND} [for] [me] [all|every|any|the] {_FILES}|files|folders {_WHOSE} \
start|starts|begin|begins|starting|beginning with {{e}} {_IN} {{y}}  >  find everything named {{e}}* in {{y}}
[all|everything|anything] [what|that|which] [is] start|starts|begin|begins|starting|beginning with {{e}} [,] \
{_FIND} [it|them|that|these] {_IN} {{y}}  >  find everything named {{e}}* in {{y}}
[search|find|look|tell|show|know|see] [for] [out] [me|us] where [is|are|lies|did] [the|my|our] \
file|script|document {{n}} [is|are|lies|go|gone|now]  >  find files named {{n}}
is|are there a|an|any {{w}} [file|folder] somewhere|anywhere|around|lying [around]  >  find everything named {{w}}
is|are there [a|an|any|some] {{k}} in {{e}} format [here]  >  find files named *.{{e}}
is|are there [a|an|any|some] {{k}} in {{e}} format in {{x}}  >  find files named *.{{e}} in {{x}}
{_FIND} [for] [me] [all|every|any|the] {{k}} in {{e}} format  >  find files named *.{{e}}
any|some {{e}} in|around here  >  find files named *.{{e}}
is|are there a|an|any|some {{m}} [file|files] somewhere|anywhere|around|here|lying [around]  >  find all {{m}} files
find|locate|search [for] [the|my|our|a] {_FOLDER} [called|named] {{n}}  >  find everything named {{n}}
where is|are [the|my|our|a] {_FOLDER} [called|named] {{n}}  >  find everything named {{n}}
! a|an|one|another [new|text] file [called|named] {{n}} with|containing|saying|that [says] {{y}}  >  \
create a file {{n}} with {{y}}
add|put|make|create folders|directories|subfolders {{y}} to|into {{x}}  >  create folders {{y}} in {{x}}
what do|did {_WE} have|keep|store|got here  >  ls here
what have {_WE} [got|kept|stored] here  >  ls here
what is|are lying|kept|stored [around] [in|over] here  >  ls here
[show|tell|see] [me|us] what is|are [still|now] left|remaining {_IN} {{x}}  >  ls {{x}}
is|are anything|something|things|stuff [still|now] [left|lying|stored|kept|remaining] {_IN} {{x}}  >  ls {{x}}
which|what [is|are] [the] {{n}} {_FILES} [that|which] were|was|have|has|are|is|got|i|we [have] [been] {_CHANGED} \
last|lately|most|recently [recently]  >  show the {{n}} newest files
! {{x}} needs|need|gets|get|wants [to] [get|have] {_ONE} [more|new|further] {_LINE} {_THAT} {{y}}  >  \
append "{{y}}" to {{x}}
! {{x}} should|must|shall|could [get|have|receive|use|hold] {_ONE} [more|new|further] {_LINE} {_THAT} {{y}}  >  \
append "{{y}}" to {{x}}
add|append|put|write|enter {_ONE} [more|new|further|last] {_LINE} {_ONTO} {{x}} {_THAT} {{y}}  >  \
append "{{y}}" to {{x}}
add|append|put|write|enter [the|this] following|line|text|item|entry|sentence [line|text|words|item] {_ONTO} {{x}} \
{_THAT} {{y}}  >  append "{{y}}" to {{x}}
! {{x}} {_SHOULD} [to] end|finish|close with|on {{q}}  >  append {{q}} to {{x}}
note|jot|scribble [down] {_ONTO} {{x}} : {{y}}  >  append "{{y}}" to {{x}}
note|jot|scribble {{q}} [down] {_ONTO} {{x}}  >  append {{q}} to {{x}}
write|jot [down] {_ONTO} {{x}} {{q}}  >  append {{q}} to {{x}}
"""
