"""Turns of phrase with the plain command that each of them means, in the notation of `frames`."""

from __future__ import annotations

_FAULTS = "bugs|bug|problems|problem|issues|issue|mistakes|mistake|errors|error|faults|fault|flaws|weaknesses|smells"
_USE = "use|call|mention|import|reference"
_APPEAR = "appear|occur|arise|surface|feature"
_INTO = "in|into|to|inside|under|within|onto"
_SHOULD = "should|must|shall|ought|needs|need|has|have"
_NICE = "good|nice|great|fine|helpful|useful|handy|ideal|perfect|lovely|welcome|wonderful|best|cool"
_A = "a|an|the|my|our|some"
_POINTS = "points|point|messages|message|facts|takeaways|statements|ideas|sentences|arguments|findings"
_ONTO = "to|in|into|on|onto"
_LINE = "line|entry|item|sentence|reminder|point|remark"
_THAT = "[:|,|–|-|that|saying] [that|saying|:]"
_LOOK = "check|examine|inspect|review|test|scan|screen|search|comb|control|verify|vet|proofread|analyze|audit|lint"
_LOOK_AT = "analyze|review|assess|evaluate|examine|measure|study|inspect"
_SAVE = "save|write|put|store|file"
_FOUND = "report|result|results|findings|analysis"
_DOCS = "documentation|docs|pages of|for|about|on"
_COMPLAINS = "find|finds|reports|flags|complains|says|moans|mentions"
# One of them is some fault that somebody knows of, and not all that can be mended.
_MANY = "bugs|problems|issues|mistakes|errors|faults|flaws|weaknesses|smells|warnings|findings"
_WORK = "work|changes|files|stuff|things|lines|anything|something"
_NOT_COMMITTED = f"{_WORK} which|that is|are|have not [been] [yet] committed [yet]"
_ALL_OF_IT = "all|everything [of] [my|our|the] [work|changes|files|stuff]"
_AGAINST = "vs|versus|against|since [the] [branch|commit|version]"
_CHANGES = "changes|differences"
_ONE = "a|one|another"
_RISKS = "security|safety|style|logic|typing|quality"
_WHERETO = "in|into|to|as|under|at"
_KEY = "key|main|important|essential|central|chief|crucial"

SAID = f"""
remind|tell|inform me|us what is|stands|stand [written] in|on|inside {{x}}  >  show {{x}}
what is|stands on|upon {{x}}  >  show {{x}}
remind me|us of {{x}}  >  show {{x}}
[the] contents|content of {{x}}  >  show the contents of {{x}}
what does|do {{x}} look like [right] [now|currently]  >  show {{x}}
{{x}} is|are what i|we want|need  >  show {{x}}
[all|what] i|we need|want [to] [see|have] is|are {{x}}  >  show {{x}}
{{x}} , where is|did|has it|that|this|they [go|gone|be|hiding|now]  >  where is {{x}}
where did|has|have {{x}} go|gone|vanished|disappeared [to]  >  where is {{x}}
! {{x}} can|may|should|must|shall [now] go|vanish|disappear  >  remove {{x}}
! {{x}} has|have|needs|need|ought to go|vanish|disappear  >  remove {{x}}
! {{x}} is|are for the bin|trash|dump  >  remove {{x}}
! {{x}} belong|belongs {_INTO} {{y}}  >  move {{x}} to {{y}}
! {{x}} belong|belongs {_INTO} {{y}} [,] [so|please] move|put|bring it|them [there|over]  >  move {{x}} to {{y}}
! {{x}} {_SHOULD} [to] go|live|lie|sit|reside|be {_INTO} {{y}}  >  move {{x}} to {{y}}
take|grab|get|pick {{x}} and put|drop|move|stick|place|shove|throw it|them {_INTO} {{y}}  >  move {{x}} to {{y}}
take|grab|get|pick {{x}} and copy|duplicate it|them {_INTO} {{y}}  >  copy {{x}} to {{y}}
! [the] name of {{x}} should|shall|must [now] be {{y}}  >  rename {{x}} to {{y}}
make|create|produce|derive|build {{y}} from|of {{x}} by copying [it]  >  copy {{x}} to {{y}}
make|let|have {{y}} [be] a copy|duplicate|clone of {{x}}  >  copy {{x}} to {{y}}
need|want|like|have {{x}} {_INTO} {{y}} too|also  >  copy {{x}} to {{y}}
need|want|like|have {{x}} {_INTO} {{y}} as well  >  copy {{x}} to {{y}}
{_A} {{x}} would|will be {_NICE}  >  create a {{x}}
{_A} {{x}} would|will be {_NICE}  >  give me a {{x}}
{_A} {{x}} would|will help|do [me|us]  >  create a {{x}}
! there {_SHOULD} [to] be a|an {{x}}  >  create a {{x}}
! there {_SHOULD} [to] be a|an {{x}} in|inside|within|under {{y}}  >  create a {{x}} in {{y}}
could|can|may|might|would there be a|an {{x}}  >  create a {{x}}
! within|inside|in|under {{y}} there {_SHOULD} [to] be a|an {{x}}  >  create a {{x}} in {{y}}
inside|within|under|in {{y}} create|make {{x}}  >  create {{x}} in {{y}}
could use|do [with] a|an {{x}}  >  create a {{x}}
give|get|hand|bring|fetch|make me|us a|an new|fresh|clean|separate|empty|blank {{x}}  >  create a new {{x}}
check|look|see whether|if {{x}} mention|mentions|contain|contains|say|says|use|uses|import|imports {{t}}
    >  grep in {{x}} for {{t}}
have a look whether|if {{x}} mention|mentions|contain|contains|say|says|use|uses {{t}}  >  grep in {{x}} for {{t}}
do|does {{x}} mention|mentions|contain|use|import|say anything|something about {{t}}  >  grep in {{x}} for {{t}}
do|does {{x}} mention|contain|use|import|reference {{t}}  >  grep in {{x}} for {{t}}
where do|does we|you|they|i|one|people|anybody|somebody {_USE} {{t}}  >  grep for {{t}}
where [else] in {{x}} do|does we|you|they|i|one {_USE} {{t}}  >  grep in {{x}} for {{t}}
where do|does we|you|they|i|one {_USE} {{t}} in {{x}}  >  grep for {{t}} in {{x}}
where in {{x}} do|does {{t}} {_APPEAR}  >  grep in {{x}} for {{t}}
where do|does {{t}} {_APPEAR} in {{x}}  >  grep for {{t}} in {{x}}
where do|does {{t}} {_APPEAR}  >  grep for {{t}}
in which|what file|files|module|modules do|does {{t}} {_APPEAR}  >  grep for {{t}}
in which|what file|files|module|modules is|are {{t}} used|mentioned|called|imported  >  grep for {{t}}
check|scan|search|inspect|comb|sift {{x}} for [the|any] word|text|string|phrase|name|term {{t}}
    >  grep in {{x}} for {{t}}
go|look through {{x}} for [the|any] word|text|string|phrase|name|term {{t}}  >  grep in {{x}} for {{t}}
is|are there any|some|a mention|mentions|reference|references|trace|occurrence|occurrences of|to {{t}} in {{x}}
    >  grep for {{t}} in {{x}}
is|are there any|some|a mention|mentions|reference|references|trace|occurrence|occurrences of|to {{t}}
    >  grep for {{t}}
which|what folders|directories|subfolders|subdirectories is|are [there] in|below|under|inside|within {{x}}
    >  find all folders in {{x}}
list|show|name [me] [all] [the] subfolders|subdirectories of|in|below|under|inside {{x}}  >  find all folders in {{x}}
which|what files|file end|ends|ending in|with|on {{e}}  >  find files named *{{e}}
find|list|show [all|me|every] files|everything|file|anything that|which end|ends in|with|on {{e}}
    >  find files named *{{e}}
find|list|show [all|me|every] files|everything|file|anything that|which start|starts|begin|begins with {{e}}
    >  find everything named {{e}}*
in short|brief|summary [,] what does {{x}} say|contain|tell [us|me]  >  summarize {{x}}
what does {{x}} say|tell [us|me] in short|brief|summary  >  summarize {{x}}
{_KEY} {_POINTS} from|of|in {{x}}  >  summarize {{x}}
[the] {_KEY} {_POINTS} from|of|in {{x}} in {{n}} sentences  >  summarize {{x}} in {{n}} sentences
[the] {_KEY} {_POINTS} from|of|in {{x}} , {{n}} sentences [at] [most]  >  summarize {{x}} in {{n}} sentences
[the] gist|essence|summary|synopsis|highlights|digest|recap|outline of {{x}}  >  summarize {{x}}
what is|are [the] gist|essence|upshot|highlights|core|substance of {{x}}  >  summarize {{x}}
tl;dr|tldr [of|for|on] {{x}}  >  summarize {{x}}
tl ; dr [of|for|on] {{x}}  >  summarize {{x}}
is|are [there] any|anything|something|some wrong|off|fishy|broken|strange with|in|about {{x}}
    >  check {{x}} for problems
{_LOOK} {{x}} for [any|possible|potential|common] {_FAULTS}
    >  check {{x}} for problems
go|look through|over {{x}} for [any|possible|potential] {_FAULTS}  >  check {{x}} for problems
{_LOOK} {{x}} for [any|possible|potential|common] {_RISKS} {_FAULTS}|holes|risks|weaknesses  >  check {{x}} for problems
{_LOOK} {{x}} for [any] unused|dead|superfluous code|imports|functions|variables|names  >  check {{x}} for problems
is|are there [any] unused|dead|superfluous code|imports|functions|variables|names in {{x}}  >  check {{x}} for problems
{_LOOK_AT} {{x}} and|, [then] {_SAVE} what you|it find|found|finds {_WHERETO} {{y}}
    >  write a report about {{x}} to {{y}}
is|are [the] code in|of {{x}} [any] good|bad|ok|okay|clean|fine|decent  >  check the quality of {{x}}
go|look through|over {{x}} and|, look|search|check for [any] {_FAULTS}  >  check {{x}} for problems
does|do {{x}} contain|have|hold [any] unused|dead|superfluous code|imports|functions|variables|names
    >  check {{x}} for problems
{_LOOK_AT} {{x}} and|, [then] {_SAVE} [the|a|your] {_FOUND} {_WHERETO} {{y}}
    >  write a report about {{x}} to {{y}}
[show|tell|see|list|give] [me|us] which|what [safe|possible|automatic] fixes|corrections|repairs you|it \
would|could|can|might make|do|apply|propose|suggest [in|to|for|on] {{x}}  >  propose fixes for {{x}}
{{r}} [,|:|;] [please] autofix|fix|mend|repair it|this|that|them in|on {{x}}  >  fix {{r}} in {{x}}
fill|populate {{y}} with [the] [markdown|api] documentation|docs of|for|about|on {{x}}  >  document {{x}} in {{y}}
[the] [markdown|api] {_DOCS} {{x}} {_SHOULD} [to] go|be|land|end [up] [written|put|saved] {_WHERETO} {{y}}
    >  document {{x}} in {{y}}
need|want|like|have [the] [markdown|api] {_DOCS} {{x}} , [and] {_SAVE} it|them {_WHERETO} {{y}}
    >  document {{x}} in {{y}}
{{n}} sentences on|about [what] {{x}} [says|say|contains|is]  >  summarize {{x}} in {{n}} sentences
tell|say|explain|give|show [me|us] in {{n}} sentences [what|how] {{x}} [says|say|contains|is] [about]
    >  summarize {{x}} in {{n}} sentences
in {{n}} sentences [,|:] [what] [does|is] {{x}} [say|says|contain|contains|about]  >  summarize {{x}} in {{n}} sentences
what does|do {{x}} say|tell|contain [us|me] in {{n}} sentences  >  summarize {{x}} in {{n}} sentences
{{x}} in {{n}} sentences [max|please|tops|only]  >  summarize {{x}} in {{n}} sentences
do|did|can you|we see|find|notice|spot|have [any|some] {_FAULTS} in|with {{x}}  >  check {{x}} for problems
does|do {{x}} have|contain [any|some] {_FAULTS}  >  check {{x}} for problems
fix|repair|correct|mend|resolve whatever|what|everything|all ruff|linter {_COMPLAINS} [about] in|on|for {{x}}
    >  fix {{x}}
fix|repair|correct|mend|resolve whatever|what|everything|all the linter {_COMPLAINS} [about] in|on|for {{x}}
    >  fix {{x}}
fix|repair|correct|mend|resolve [all] [the|these|those] {_MANY} in|of|with {{x}}  >  fix {{x}}
how do|does|is [the|our|my] repo|repository|tree look|doing|standing [like] [right] [now]  >  show the git status
[the|my] {{n}} [most] recently|lately|last changed|modified|edited|updated|touched files in|of|under|below|inside {{x}}
    >  show the {{n}} newest files in {{x}}
[the|my] {{n}} [most] recently|lately|last changed|modified|edited|updated|touched files|file
    >  show the {{n}} newest files
show|see|list|view [me] what is|was|has [been] staged  >  show the staged diff
[is|there] [anything] uncommitted|unstaged|untracked [there|here] [left]  >  show the git status
[all|everything|what] that changed since [the] [commit|branch|version] {{x}}  >  show the diff since {{x}}
[look|check|see|tell] [me|us] [whether|if] there is|are [any] {_NOT_COMMITTED}
    >  show the git status
[the|all|any] {_NOT_COMMITTED}  >  show the git status
[is|was] [there] anything|something [that|which] [i|we] [have] forgot|forgotten to commit  >  show the git status
check|see|tell|look [me|us] [whether|if] {_ALL_OF_IT} is|are|has|have [been] [all] committed
    >  show the git status
[my|our|the|all] {_CHANGES} {_AGAINST} {{x}}  >  show the diff against {{x}}
[my|our|the|all] {_CHANGES} in|to|of {{x}} {_AGAINST} {{y}} [would] [interest] [me|us]
    >  show the diff of {{x}} since {{y}}
show|see|list|give [me|us] everything|all|anything [that|which] is|was|has|are [been] [already] staged
    >  show the staged diff
do|does|have|has i|we have|got [any] {_NOT_COMMITTED}  >  show the git status
[want|like|need] [to] [know|see|check|tell] [me] whether|if [my|our|the] work|stuff is|are [all] committed
    >  show the git status
[want|like|tell] [me] [to] [know|see] whether|if anything|something [in] [the] [repo|repository] has|have|is changed
    >  show the git status
show|see|list|give [me|us] [only|just] what [i|we] [have] [already] staged  >  show the staged diff
am|are|is i|we|this [still|already|now] on [the] [branch] {{n}}  >  show the current branch
are there|any files [that|which] git do|does not know [about|yet]  >  show the git status
back to [the] branch {{x}}  >  switch to the branch {{x}}
[what|how] is|are different|differs from|to|than [the] [branch|commit|version] {{x}}  >  show the diff against {{x}}
how do|does [this|it|everything|we] differ from [the] [branch|commit|version] {{x}}  >  show the diff against {{x}}
compare [this|it|everything] [my|our|the] [changes|work|code] with|to|against [the] branch|commit|version {{x}}
    >  show the diff against {{x}}
branch off [from|of] {{x}} into|as|to {{y}}  >  create the branch {{y}} from {{x}}
have|get|keep {{x}} running|going|run in the background [,] [and] name|call it {{n}}
    >  start {{x}} in the background named {{n}}
have|get|keep {{x}} running|going|run in the background as|named|called|under {{n}}
    >  start {{x}} in the background named {{n}}
run|execute|launch|start {{x}} [but|and] stop|kill|end|abort|cancel it after {{t}}
    >  run {{x}} with a timeout of {{t}}
run|execute|launch|start {{x}} with a|an {{n}} minute|minutes|min timeout|limit
    >  run {{x}} with a timeout of {{n}} minutes
run|execute|launch|start {{x}} with a|an {{n}} second|seconds|sec timeout|limit
    >  run {{x}} with a timeout of {{n}} seconds
run|execute|launch|start {{x}} and|but give|allow it {{t}} [at] [most]  >  run {{x}} with a timeout of {{t}}
what has|have|did {{n}} print|printed|write|written|output|log|logged [so] [far]
    >  show the output of the process {{n}}
! {{V}} should|must|shall [now] be|equal|become|read [set] [to] {{y}}  >  set the variable {{V}} to {{y}}
! {{V}} has|needs|ought to be|equal [set] [to] {{y}}  >  set the variable {{V}} to {{y}}
give|assign {{V}} the value {{y}}  >  set the variable {{V}} to {{y}}
! {{x}} should|must|shall [only|just] contain|hold|read|say [only|just] [the] [text|words|word|line|sentence] {{q}}
    >  overwrite {{x}} with {{q}}
a|an [new] agent {{n}} with|having {{y}}  >  create an agent {{n}} with {{y}}
a|an [new] agent {{n}} that|which {{y}}  >  create an agent {{n}} that {{y}}
need|want|have|require|use an|a agent {{x}}  >  create an agent {{x}}
set|change|raise|lower|reduce|increase|put|bring [the] {{p}} of|for [the] agent {{n}} to {{v}}
    >  change the agent {{n}} with {{p}} {{v}}
{{x}} with|having {{n}} as [its|the|their] [first|main|default|initial] branch  >  {{x}} with the first branch {{n}}
let|have|ask|use|get|tell [the|a|an|some|our] [language|big] model|llm|ai|lm [to|for] {{x}}  >  {{x}} by the model
can|could|may|might|will|would|should [the|a|an|our] [language|big] model|llm|ai|lm {{x}}  >  {{x}} by the model
add|append|put|write a|one|another [new|further|last] {_LINE} {_ONTO} [my|the|our] {{x}} note|memo {_THAT} {{y}}
    >  add "{{y}}" to the note "{{x}}"
add|append|put|write a|one|another [new|further|last] {_LINE} {_ONTO} [my|the|our] note|memo {{n}} {_THAT} {{y}}
    >  add "{{y}}" to the note "{{n}}"
add|append|put|write [the] following [line|text|words|item] {_ONTO} [my|the|our] {{x}} note|memo {_THAT} {{y}}
    >  add "{{y}}" to the note "{{x}}"
[my|the|our] {{x}} note|memo needs|need|gets [to] [get|have] {_ONE} [more|new|further] {_LINE} {_THAT} {{y}}
    >  add "{{y}}" to the note "{{x}}"
[my|the|our] note|memo {{n}} needs|need|gets [to] [get|have] {_ONE} [more|new|further] {_LINE} {_THAT} {{y}}
    >  add "{{y}}" to the note "{{n}}"
[my|the|our] {{x}} note|memo [:|,|-|–] [please] add|append|put|write [:|that] {{y}}  >  add "{{y}}" to the note "{{x}}"
[in|on|to] [my|the|our] {{x}} note|memo [,] add|append|put|write [:] {{y}}  >  add "{{y}}" to the note "{{x}}"
! [my|the|our] {{x}} note|memo should|must|shall also|additionally say|contain|read|mention [:] {{y}}
    >  add "{{y}}" to the note "{{x}}"
! [my|the|our] note|memo {{n}} should|must|shall also|additionally say|contain|read|mention [:] {{y}}
    >  add "{{y}}" to the note "{{n}}"
"""
