"""Plain requests and the commands that they mean, in the notation of `phrases`."""

from __future__ import annotations

_SHOW = "show|list|display|print|give|see|view|get|tell|check|read|open [me|us]"
_ITEM = "[the] [item|wish|entry|suggestion|proposal|request|idea|point] [number|no|no.|nr|nr.|with] [number]"
_ITEMS = "items|wishes|entries|suggestions|proposals|requests|ideas|item|wish|things|points"
_BACKLOG = "[the|our|your] backlog|queue|wishlist|wish-list"
_CHANGE = "change|update|modify|set|configure|reconfigure|adjust|alter"
_RETIRE = "delete|remove|retire|dismiss|decommission|drop|kill"
_MAKE_BETTER = "make|get"

SAID = f"""
? {_SHOW} [a|the] [list|overview] [of] [all] [the|our|my|your|of] [available|existing] agents  >  agent_list
? which|what agents [are|do|have|exist] [there|we|you|i] [have|got|exist]  >  agent_list
? who [all] is|are [there|working|running|around] [here|now]  >  agent_list
? how many agents [are|do|have] [there|we|you|i] [have|got|exist]  >  agent_list
? [all|the|my|our] agents  >  agent_list
? {_SHOW} [a|the|your|our|my] [current|overall|present|short] status|state|situation [report|overview|please]
    [now]  >  status
? what|how [is|are] [the|your|our] [current|overall] status|state|situation [now]  >  status
? [a|the] status|state report|overview  >  status
? what is [going|happening|up|new] [on] [now|here|today]  >  status
? what|anything|something [is] waiting|waits|needs|open [for|on] [a]
    [me|us|review|people|approval|somebody|attention|reviews]  >  status
? any|some [news|updates|changes]  >  status
? how [is|are|does|do] [it|things|everything|all|mindx|we|you] [going|standing|doing|stand|go|look|looking]
    [now|here|today]  >  status
? is|does everything|anything [running|fine|ok|okay|well|stuck|stand] [still|ok]  >  status
? where do|are we [stand] [now]  >  status
? what|how|which do|does|is|can|are|has|did [the] [agent] {{agent}}
    believe|believes|intend|intends|doing|do|able|planning|know|plan|done|want  >  introspect {{agent}}
? what|which beliefs|goals|intentions|tools|plans do|does|has|have [the] [agent] {{agent}}
    [have|hold|got|use|know|now]  >  introspect {{agent}}
? tell [me|us] [more|something|everything|all] [about] [the] [agent] {{agent}}  >  introspect {{agent}}
? {_SHOW} [the|all|what] [state|beliefs|goals|intentions|status] [of|for] [the] agent {{agent}}
    > introspect {{agent}}
? {_SHOW} [the] beliefs|goals|intentions|mind|status|state of|for {{agent}}  >  introspect {{agent}}
? {_SHOW} what [the] [agent] {{agent}} believes|intends|plans|does|knows|can [do]  >  introspect {{agent}}
? what is|are [the] [agent] {{agent}} beliefs|goals|intentions|plans|tools  >  introspect {{agent}}
? what is|are [the] beliefs|goals|intentions|plans|tools of|for [the] [agent] {{agent}}  >  introspect {{agent}}
? introspect|inspect yourself|itself|mastermind  >  introspect
? inspect|examine|describe|explain|introspect|introspection|check [of|into] [the] [agent] {{agent}} [agent]
    > introspect {{agent}}
? look|peek [closely|again] into|inside|at [the] [agent] {{agent}}  >  introspect {{agent}}
? status|state|beliefs|goals|intentions of|for [the] [agent] {{agent}}  >  introspect {{agent}}
? who|what is [the] [agent] {{agent}}  >  introspect {{agent}}
{_CHANGE} [the] [config|settings|configuration] [of] [the] agent {{name}} {{rest}}
    > agent_evolve {{name}} {{rest}}
{_CHANGE} [the] [config|settings|configuration] [of] [the] [agent] {{agent}} [agent] {{rest}}
    > agent_evolve {{agent}} {{rest}}
{_RETIRE} [the] agent [named|called] {{name}} [{{rest}}]  >  agent_delete {{name}} {{rest}}
{_RETIRE} [the] {{agent}} [agent] [{{rest}}]  >  agent_delete {{agent}} {{rest}}
? query|ask [about|for] {{rest}}  >  coord_query {{rest}}
? what|which do|does|is|have [you|we|mindx|anybody] [already] know|known|learned|learnt about|of|on {{rest}}  >
    coord_query {{rest}}
? what [has|have] failed|worked|happened with|in {{rest}}  >  coord_query what failed with {{rest}}
? do|does [you|we|anybody] know anything|something|more about|of|on {{rest}}  >  coord_query {{rest}}
? {_SHOW} [a|the] [list] [of] [all] [the|our|your|of] [known|available] components  >  coord_query components
? {_SHOW} [a|the] [list] [of] [all] [the|our|your|of] [known|available] tools  >  coord_query tools
? {_SHOW} [a|the] [list] [of] [all] [the|our|your|of] [known|available|plan] rules  >  coord_query rules
? which|what components [are|do|have|exist] [there|we|you|i] [have|know|got|exist]  >  coord_query components
? which|what tools [are|do|have|exist] [there|we|you|i] [have|know|got|exist]  >  coord_query tools
? which|what [plan] rules [are|do|have|exist] [there|we|you|i] [have|know|got|exist]  >  coord_query rules
? {_SHOW} [what] [is] [in|on] [all] {_BACKLOG} [of] [items|wishes]  >  coord_backlog
? what [is|stands|waits] in|on {_BACKLOG} [now]  >  coord_backlog
? [the|our] backlog  >  coord_backlog
? [the|our] backlog {{state}}  >  coord_backlog {{state}}
? {_SHOW} [all] [the|our|my] {_ITEMS} [of|in|on|from] [the] [backlog]  >  coord_backlog
? which|what {_ITEMS} [are|do|have] [there|we|open|waiting] [have] [in|on] [the] [backlog]  >  coord_backlog
? go|look|walk through|at|over {_BACKLOG}  >  coord_backlog
? review {_BACKLOG}  >  coord_backlog
? {_SHOW} [all] [the|our|my] {{state}} {_ITEMS} [of|in|on|from] [the] [backlog]  >  coord_backlog {{state}}
? {_SHOW} [all] [the|our|my] {{state}} backlog [items]  >  coord_backlog {{state}}
? which|what {_ITEMS} [of|in|on] [the] [backlog] [are|were|have] [been] {{state}}  >  coord_backlog {{state}}
? [all] [the|our] {{state}} {_ITEMS} [of|in|on] [the] [backlog]  >  coord_backlog {{state}}
process|work|handle|tackle|take|begin|start [on|off|up|through|with] [the] [approved] [items|wishes]
    [of|from|in] {_BACKLOG}  >  coord_process_backlog
process|work|handle|tackle|take|begin|start [on|off|up|through|with] [the] [next|first|top|up] [to] {{n}}
    [approved|urgent|most] [urgent] [{_ITEMS}] [of|from|in|on] {_BACKLOG}  >  coord_process_backlog {{n}}
process|take|begin|start|tackle|handle|work [up|on|off|with] [the] [next|first|top] {{n}}
    [approved|urgent|most] [urgent] {_ITEMS}  >  coord_process_backlog {{n}}
process|take|begin|start|tackle|handle|work [up|on|off|with] [the] next|top [approved|urgent] item|wish|entry
    [of|from|in|on] [the|our] [backlog]  >  coord_process_backlog 1
process|take|begin|start|tackle|handle|work [up|on|off|with] [all] [the] approved {_ITEMS}  >  coord_process_backlog
[i|we] approve|accept|ok|okay {_ITEM} {{n}} [{{rest}}]  >  coord_approve {{n}} {{rest}}
[i|we] reject|decline|refuse|deny|dismiss {_ITEM} {{n}} [{{rest}}]  >  coord_reject {{n}} {{rest}}
? how do|does|can|should|to [i|we|you|one] [write|type|use|call|spell|say] [the] [command] {{command}}
    [work|written|command]  >  help {{command}}
? how is|works [the] [command] {{command}} [written|used|typed|meant]  >  help {{command}}
? what do|does|is [the] [command] {{command}} [do|mean|for|command]  >  help {{command}}
? explain|describe|show [me|us] [the] [command|help] [for|of|on] [command] {{command}}  >  help {{command}}
? what can|could|do [i|you|we|one|mindx|mastermind] [do|say|type|write|ask] [here]  >  help
? {_SHOW} [a|the] [list] [of] [all] [the|your|of] [available|possible] commands|help  >  help
? which|what commands [are|do|can] [there|you|i|we] [have|know|use|understand|type]  >  help
? [the|all|available] commands  >  help
? help me|us|please  >  help
put|add|write|make|file [a|the|my] wish|request|suggestion [in|into|on|onto] [the] [backlog] [for|about|that|:]
    {{rest}}  >  coord_improve {{rest}}
wish|suggest [for|that] {{what}} {{rest}}  >  coord_improve {{what}} {{rest}}
{_MAKE_BETTER} {{what}} better|nicer  >  evolve {{what}}
{_MAKE_BETTER} {{what}} {{better}}  >  evolve {{what}}: {{better}}
have|take [a] [good|close|quick] look|peek [at|through|over] {{what}}  >  coord_analyze {{what}}
look|go [closely] at|over|through {{what}}  >  coord_analyze {{what}}
set|start up [a|an|the] [new] agent [named|called] {{name}}  >  deploy an agent named {{name}}
make|build|launch|start|spin [up] [me|us] [a|an] [new] agent named|called {{name}}
    > deploy an agent named {{name}}
[need|want|have] a|an [new] agent named|called {{name}}  >  deploy an agent named {{name}}
"""
