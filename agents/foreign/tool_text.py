"""The tool that asks one agent, as the text that a person reviews and activates. Nothing of the card's words is in it
but the name, made plain, and the address.
"""

from __future__ import annotations

import inspect
import json

from agents.foreign import asking
from agents.foreign.cards import Card

_HEAD = """\
tool: {tool}
label: Ask {words}
summary: Asks the agent {words} at {host}. Its answer is a stranger's text.
commands:
  ask_agent:
    summary: Send a message to the agent {words} at {host} and wait for its answer.
    parameters:
      agent: {{kind: address, title: Agent, default: {address}}}
      message: {{kind: text, title: Message, most_characters: 8000}}
      timeout_s: {{kind: number, title: Seconds to wait, minimum: 2, maximum: 300, default: 60}}
    phrases:
      - send the agent {words} the message {{message}} [at {{agent}}] [within {{timeout_s}} seconds]
    effect: once
    results: [answer, state, cut]
    examples:
      - {{message: "What can you do?"}}
    trials:
      - {{params: {{agent: "http://elsewhere.invalid/", message: "Hello"}}, error: INVALID_PARAMETERS, changes: []}}
      - params: {{agent: "{{web}}/rpc", message: "Hello"}}
        web: {{/rpc: '{{"result": {{"message": {{"parts": [{{"text": "Hello yourself"}}]}}}}}}'}}
        result: {{answer: Hello yourself, state: message, cut: false}}
        changes: []
---
{code}"""


def tool_text(card: Card, tool: str, name: str) -> str:
    """The text for a tool of this name; `name` is the agent's own short one."""
    code = inspect.getsource(asking).replace('AGENT = ""', f"AGENT = {json.dumps(card.endpoint.text)}", 1)
    words = name.replace("_", " ")
    address = json.dumps(card.endpoint.text)
    return _HEAD.format(tool=tool, words=words, host=card.endpoint.entry[:100], address=address, code=code)
