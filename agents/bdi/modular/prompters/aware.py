"""As much of the present path as fits, with long messages shortened, what was left out, and what is left to use."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.modular import limits
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.state import GENERATOR, PROMPTER, Message, Node

# The figure by which mindX measures prompts everywhere.
_CHARS_PER_TOKEN = 3
# A call stands in a prompt with its arguments; this is for the braces and names around it.
_FRAME = 60


def prompt(agent: ModularAgent) -> None:
    """Take the first message and the newest ones within the budget, and say what is missing."""
    room = agent.setting(PROMPTER, "tokens") * _CHARS_PER_TOKEN
    longest = agent.setting(PROMPTER, "longest")
    path = agent.state.path()
    entries, shortened, kept_from = _fitting(path, room, longest)
    left_out = [node.id for node in path[1:kept_from]]
    said = [f"{len(left_out)} earlier messages are left out here."] if left_out else []
    if shortened:
        said.append(f"{len(shortened)} long messages are shortened.")
    said.append(limits.left(agent.state))
    # As ranges: every step's row holds the context, and thousands of ids in each would cost more than all else.
    agent.state.context["left_out"] = {"nodes": ranges(left_out), "shortened": shortened}
    note = Message("user", " ".join(said))
    agent.state.go_on(GENERATOR, messages=[*entries[:1], note, *entries[1:]])


def ranges(ids: Sequence[int]) -> list[list[int]]:
    """Ascending ids as the first and the last of each unbroken row of them."""
    found: list[list[int]] = []
    for one in ids:
        if found and one == found[-1][1] + 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    return found


def _fitting(path: list[Node], room: int, longest: int) -> tuple[list[int | Message], list[int], int]:
    """What fits, which of it is shortened, and from where on the path it is."""
    shortened: list[int] = []

    def entry(node: Node) -> int | Message:
        if len(node.message.content) <= longest:
            return node.id
        shortened.append(node.id)
        return _short(node.message, longest)

    if not path:
        return [], shortened, 0
    first = entry(path[0])
    left = room - _size(path[0], longest)
    start = len(path)
    # The newest message always goes along, however little room there is.
    while start > 1 and (start == len(path) or _size(path[start - 1], longest) <= left):
        start -= 1
        left -= _size(path[start], longest)
    return [first, *map(entry, path[start:])], shortened, start


def _size(node: Node, longest: int) -> int:
    call = node.message.function_call
    arguments = sum(len(str(value)) for value in call.arguments.values()) if call else 0
    return min(len(node.message.content), longest) + arguments + _FRAME


def _short(message: Message, longest: int) -> Message:
    """Its beginning and its end."""
    half = longest // 2
    missing = len(message.content) - 2 * half
    content = f"{message.content[:half]}\n[{missing:,} characters left out]\n{message.content[-half:]}"
    return Message(message.role, content, message.function_call, message.name)


MODULE = Module(
    PROMPTER,
    "aware",
    "Context and usage",
    "Sends what fits, shortens long messages, and says what it left out and what is left of the limits.",
    prompt,
    (
        Setting("tokens", "whole", "Tokens of a prompt", 12_000, "About three characters each.", 200, 1_000_000),
        Setting("longest", "whole", "Characters of a message", 4_000, "Longer ones lose their middle.", 100, 100_000),
    ),
)
