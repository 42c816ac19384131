"""Turns of phrase about git, notes, summaries, code and agents, in the notation of `frames`."""

from __future__ import annotations

_WE = "i|we|you|they"
_SCREEN = "screen|monitor|display|desk|phone"
_LOOK_AT = "analyze|analyse|review|assess|evaluate|examine|measure|study|inspect|check"
_SAVE = "save|write|put|store|file|drop|leave"
_BE_WRITTEN = "written|saved|stored|put|filed"
_MODEL = "model|llm|ai|lm"
_DOCS = "documentation|docs|pages|reference"
_SAYS = "that|saying|which|reading|with [says|reads|say|read] [the] [text|words|:|,]"
_SETTING = "limit|budget|model|tools|firmware|domain|commitment|attempts|cost|repairs|ceilings|ceiling|limits"

ABOUT_TOOLS = f"""
[and] how is|are|do|does [the|our|my] repo|repository|tree|checkout [look|looking|doing] [like] [now|today]
    >  show the git status
what|which [changes|things|files|stuff|work] have|has {_WE} not [yet] committed [yet|so|far]  >  show the git status
is|are there anything|something|changes|files|stuff [that|which] {_WE} have|has not [yet] committed [yet]
    >  show the git status
is|are [there] anything|something|stuff [left|still] uncommitted|unstaged|unsaved  >  show the git status
anything|something|stuff [left|still] uncommitted|uncommited|unsaved|unstaged [here]  >  show the git status
[everything|all|whatever|anything] [that|which] is|are different|changed between here|now|this and {{x}}
    >  show the diff since {{x}}
[all|the] differences|changes between here|now|this and {{x}}  >  show the diff since {{x}}
how do|does|did this|my|our|the [current] branch differ|deviate|diverge from {{x}}  >  show the diff since {{x}}
how is|are this|my|our|the [current] branch different from {{x}}  >  show the diff since {{x}}
what|how is|are different|changed on this|my|our|the [current] branch since|from|against {{x}}
    >  show the diff since {{x}}
what is|was|got|has|been [been] committed [most] last|recently|lately  >  show the git log
what is|was|got|has [been] committed today|yesterday|here|so [far]  >  show the git log
could|can|may|might|shall {_WE} have a|another|one [new|own|separate] branch for this|that|it [,]
    [say|called|named] {{n}}  >  create a branch named {{n}}
[only|just] [the|my|our] staged lines|changes|files|edits|parts  >  show the staged diff
[only|just] [the|my|our] unstaged lines|changes|files|edits|parts  >  show the unstaged diff
how different is|are {_WE}|it|this|everything from|to|than {{x}}  >  show the diff since {{x}}
which|what branch is [currently|now] checked|selected|active [out] [here]  >  show the current branch
rather be on [the] branch {{n}}  >  switch to the branch {{n}}
how much do|does|did {{x}} differ from [the] [one|version] [on|in|of|at] {{y}}  >  show the diff of {{x}} since {{y}}
start|begin tracking|versioning {{x}} with|in|by|under git  >  start a git repository in {{x}}
[go] back to|onto|on {{x}}  >  switch back to {{x}}
which|what changes|lines|files|parts did|have {_WE} [already] stage|staged  >  show the staged diff
when did {_WE} last commit [something|anything]  >  show the last commit
when was|is [the|our|my] last|latest|newest commit [made|done]  >  show the last commit
list|show|name|give|see [me|us] every|each [single] [git] branch [of|in] [the|this] [repo|repository]
    >  list the branches
[what] [is] [the] name of the branch {_WE}|this [am|are|is] on [now]  >  show the current branch
{{x}} should|must|shall|needs|has [to] [be|go|come] under|into version control|git  >  start a git repository in {{x}}
let|make {{x}} be|become|into a|an [own|new|separate] [git] repo|repository  >  start a git repository in {{x}}
{{x}} should|shall|must|to be|become a|an [own|new|separate] git repo|repository  >  start a git repository in {{x}}
like|want|need {{x}} to be|become a|an [own|new|separate] [git] repo|repository  >  start a git repository in {{x}}
save|keep|record [the|my|our|this] [current] state [of] [everything|things] [in] git as|under|with {{q}}
    >  commit everything with the message {{q}}
jot|note|write [down] [:] {{y}} . call|name|title the|this|that note {{n}}  >  write a note named {{n}} saying "{{y}}"
jot|note|write [down] [:] {{y}} , call|name|title the|this|that note {{n}}  >  write a note named {{n}} saying "{{y}}"
make|take|write|create|leave|keep [me|us] a [new] note {{q}} and|, call|name|title it|this|that {{n}}
    >  write a note named {{n}} saying {{q}}
a|another|the [new] note , {{n}} : {{y}}  >  write a note named {{n}} saying "{{y}}"
make|let|have [the|my|our] note {{n}} say|read|contain {{q}}  >  write a note named {{n}} saying {{q}}
what is|was|stands written|noted|said|kept in|on [the|my|our] note|memo {{n}}  >  show the note "{{n}}"
what is|was|stands written|noted|said|kept in|on [the|my|our] {{x}} note|memo  >  show the note "{{x}}"
overview|list of [all] [the|my|our] notes  >  list the notes
give|show|have|get|see [me|us] an|the|a overview|list of [all] [the|my|our] notes  >  list the notes
[a] note to [my|our] self|myself|me|us [named|called] {{n}} :|-|–|,|saying {{y}}  >  write a note named {{n}}
    saying "{{y}}"
remember this|that|it|the [following] [for] [me|us] as|in|under a|the note named|called {{n}} : {{y}}
    >  write a note named {{n}} saying "{{y}}"
remember [for] [me|us] as|in|under a|the [new] note [named|called] {{n}} : {{y}}  >  write a note named {{n}}
    saying "{{y}}"
remember {{y}} [for] [me|us] as|in|under a|the [new] note [named|called] {{n}}  >  write a note named {{n}} saying
    "{{y}}"
[one|another|a|some] [more] thing|item|line|point for|on|to|in [my|the|our] {{x}} note|memo : {{y}}
    >  add "{{y}}" to the note "{{x}}"
[one|another|a|some] [more] thing|item|line|point for|on|to|in [my|the|our] note|memo {{n}} : {{y}}
    >  add "{{y}}" to the note "{{n}}"
need|want|have|put|bring|get|see|like [the|my|our] note|memo {{n}} on|onto|in [my|the] [front] [of]
    {_SCREEN}|me|us [now]
    >  show the note "{{n}}"
need|want|have|put|bring|get|see|like [the|my|our] {{x}} note|memo on|onto|in [my|the] [front] [of]
    {_SCREEN}|me|us [now]
    >  show the note "{{x}}"
need|want|have|put|bring|get|see|like {{x}} on|onto|in [my|the] [front] [of] {_SCREEN}|me|us [now]  >  show {{x}}
what did|have|had {_WE} put|written|write|noted|note|put|jotted [down] in|into|on [my|the|our] {{x}} note|memo
    >  show the note "{{x}}"
what did|have|had {_WE} put|written|write|noted|note|put|jotted [down] in|into|on [my|the|our] note|memo {{n}}
    >  show the note "{{n}}"
what does|do {{x}} say|tell|contain [us|me] , in short|brief|summary  >  summarize {{x}}
what does|do {{x}} say|tell|contain [us|me] [,] in short|brief|summary [,|:] [maybe|perhaps|say|about] {{d}} sentences
    >  summarize {{x}} in {{d}} sentences
what does|do {{x}} say|tell|contain [us|me] [,] in short|brief|summary [,|:] [maybe|perhaps|say|about] {{n}} sentences
    >  summarize {{x}} in {{n}} sentences
love|need|want|like|have a|an [very] short|quick|brief|rough summary|overview|digest of {{x}}  >  summarize {{x}}
love|need|want|like|have a|an [very] short|quick|brief|rough summary|overview|digest of {{x}} [,] [in|with|of]
    {{n}} sentences [max|maximum|please|tops|at] [most]  >  summarize {{x}} in {{n}} sentences
make|do|cut short [for] [me|us] [the] [text|content] [of] {{x}} [,] [in] {{n}} sentences  >  summarize {{x}} in
    {{n}} sentences
make|cut {{x}} short|shorter [for] [me|us] [,] [in|to] {{n}} sentences  >  summarize {{x}} in {{n}} sentences
which|what {{n}} sentences of|in|from {{x}} matter|count|stand [most|out]  >  summarize {{x}} in {{n}} sentences
search|scan|comb|go|look [through|over] {{x}} for [any] vulnerabilities|holes|leaks|risks|weaknesses|smells
    >  check {{x}} for problems
look|looking at|on|into [the] [code] quality of|in {{x}}  >  check the quality of {{x}}
clean|take|strip|throw|sweep|cut [all] [the] unused imports out|away of|from {{x}}  >  remove unused imports from {{x}}
retire {{n}} , the|our|my agent  >  retire the agent {{n}}
[a|an] new agent : {{n}}  >  create an agent {{n}}
{_LOOK_AT} {{x}} [,|;] [and] [then|please] {_SAVE} [the|a|your|its] [analysis|code]
    report|review|result|results|outcome
    in|into|to|as|under|at {{y}}  >  write a report about {{x}} to {{y}}
! [the|a] [code] report|analysis|review of|on|about {{x}} should|must|shall [to] be {_BE_WRITTEN} in|into|to|as {{y}}
    >  write a report about {{x}} to {{y}}
can|could|may|might|should [the|a|an] [code] report|analysis|review of|on|about {{x}} be {_BE_WRITTEN}
    in|into|to|as {{y}}
    >  write a report about {{x}} to {{y}}
ask [the|a|an|our] [language|big] {_MODEL} how {{x}} can|could|might|may|should be [made] {{y}}
    >  send {{x}} to the model with the wish "{{y}}"
ask [the|a|an|our] [language|big] {_MODEL} how to make {{x}} {{y}}  >  send {{x}} to the model with the wish "{{y}}"
ask [the|a|an|our] [language|big] {_MODEL} to make {{x}} {{y}}  >  send {{x}} to the model with the wish "{{y}}"
can|could|will|would|let|have [the|a|an|our] [language|big] {_MODEL} [to] make {{x}} {{n}}
    >  send {{x}} to the model with the wish "{{n}}"
can|could|will|would|let|have [the|a|an|our] [language|big] {_MODEL} [to] propose|suggest|say|tell|show|find|work
    [me|us]
    [out] how to make {{x}} {{y}}  >  send {{x}} to the model with the wish "{{y}}"
love|need|want|like|have|get|make|create|generate|produce|write [me|us] [the] [module|api|markdown|code] {_DOCS}
    about|of|for|on {{x}} in|into|to|under {{y}}  >  document {{x}} in {{y}}
document [the] {{x}} code|module|package [files] in|into|to|under {{y}}  >  document {{x}} in {{y}}
can|could|may|might {_WE} have [the|some] [module|api|markdown] {_DOCS} for|of|about|on {{x}} ?|.|,|;
    [please] [and] {_SAVE} it|them in|into|to|under {{y}}  >  document {{x}} in {{y}}
set|change|raise|lower|reduce|increase|put|bring|cut|adjust|update [the] [agent] {{n}} 's [daily] {{p}} to {{v}}
    >  change the agent {{n}} with {{p}} {{v}}
limit|cap|restrict|hold [the] [agent] {{n}} to|at {{v}} dollars|usd a|per|each day , [as|in] version {{e}} [of] [the]
    [agent]  >  change the agent {{n}} to version {{e}} with a cost limit of {{v}} dollars a day
limit|cap|restrict|hold [the] [agent] {{n}} to|at {{v}} tokens a|per|each day , [as|in] version {{e}} [of] [the] [agent]
    >  change the agent {{n}} to version {{e}} with a limit of {{v}} tokens a day
[the] agent {{n}} should|may|must|shall|can [now] only use|have {{x}} [from] [now] [on] , [as|in] version {{e}}
    >  change the agent {{n}} to version {{e}} with the tools {{x}}
let|allow [the] agent {{n}} [to] use {{x}} [only] [,] as|in|with {{y}}
    >  change the agent {{n}} with the tools {{x}} as {{y}}
[the] [agent] {{n}} 's [daily] {{p}} should|must|shall be {{v}}  >  change the agent {{n}} with {{p}} {{v}}
[the] agent {{n}} becomes|become|is version {{e}} {{y}}  >  change the agent {{n}} to version {{e}} {{y}}
[the] agent {{n}} can|may|should|must|shall [now] be retired [now|please]  >  retire the agent {{n}}
[the] agent {{n}} can|may|should|must|shall [now] be retired because|since|as {{y}}
    >  retire the agent {{n}} because {{y}}
[the] agent {{n}} can|may|should|must|shall [now] retire [now|please]  >  retire the agent {{n}}
send|put [the] [agent] {{n}} into retirement  >  retire the agent {{n}}
a|an [new] agent called|named {{n}} [,|;] [please] [,|;] no [language] model [for] [it]
    >  create an agent {{n}} without a model
love|like|need|want [a|an|the] agent {{n}} whose {{y}}  >  create an agent {{n}} whose {{y}}
"""
