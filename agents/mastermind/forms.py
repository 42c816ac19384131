"""What follows a command, in its form: an agent, an item with a reason, a number, a state, another command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.understanding.words.naming_words import WHOLE
from agents.bdi.understanding.words.spelling import is_near, nearest
from agents.bdi.understanding.words.tokens import NUMBERS, ORDINALS
from agents.mastermind import configs
from agents.mastermind.commands import NAMES, Command
from agents.mastermind.components import Component
from agents.states import BacklogState

STATES = ("open", "all", *(state.value for state in BacklogState))
_NAME = r"[“\"']?(?P<name>[A-Za-z0-9][\w-]*)[”\"']?"
_AGENT = re.compile(
    rf"(?:(?:the|our|my)\s+)?(?:agent\s+)?(?:(?:named|called)\s+)?{_NAME}[,;:]*(?:\s+(?P<rest>.*))?", re.I
)
_NEW_AGENT = re.compile(
    rf"(?:(?:a|an|the)\s+)?(?:new\s+)?(?P<kind>bdi agent|[\w-]+)\s+(?:(?:named|called)\s+)?{_NAME}[,;:]*"
    r"(?:\s+(?:with\s+(?:the\s+)?(?:config\s+)?)?(?P<rest>.*))?",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"(?:the\s+)?(?:item|wish|entry|suggestion|number|no\.?|nr\.?)?\s*(?:number\s+)?#?(?P<number>[\w-]+)(?P<rest>(?:[,;:.–—-]|\s).*)?",
    re.IGNORECASE,
)
_ITSELF = frozenset({"yourself", "itself", "mastermind", "self"})
_MANY = re.compile(
    r"(?:at most|up to|only|the next|next|the first)?\s*(?P<number>[\w-]+)(?:\s+(?:items?|wishes|wish))?", re.I
)
_BECAUSE = re.compile(
    r"^(?:[,;:.–—-]\s*|(?:because of|because|as|since|for|with the reason|reason)[:,]?\s+)+", re.IGNORECASE
)
_FURTHER = re.compile(r"^[,&+/]?\s*(?:and|or|to|through|till|-|–)?\s*#?\d+\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"]([^“”\"]+)[”\"]")
# Behind these comes something else that is to be done, or when.
_GOES_ON = re.compile(r"^[,;]?\s*(?:and|then|or|but|if|unless|only|when|after|once)\b", re.IGNORECASE)
_ABOUT_HELP = re.compile(r"^(?:me|us)?\s*(?:with|on|about|for)?\s*(?:the\s+)?(?:command\s+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Filled:
    """What follows, as it should be typed; or what is wrong with it, and the texts that may be meant instead."""

    text: str = ""
    problem: str = ""
    instead: tuple[str, ...] = ()


def fill(command: Command, rest: str, known: Sequence[Component], *, mend: bool = False) -> Filled:
    """What follows a command. `mend`: a misspelt agent is put right, for a line that is only suggested."""
    rest = unquoted(rest)
    match command.name:
        case "status" | "agent_list":
            return _nothing(command, rest)
        case "introspect":
            return _agent(rest, known, mend) if rest else Filled()
        case "agent_delete":
            return _agent(rest, known, mend, is_reason=True)
        case "agent_evolve":
            return _changed(command, rest, known, mend)
        case "agent_create":
            return _created(command, rest)
        case "coord_approve" | "coord_reject":
            return _item(command, rest)
        case "coord_backlog":
            return _state(rest)
        case "coord_process_backlog":
            return _number(rest)
        case "help":
            return _help(rest)
    return Filled(rest)


def is_everything(text: str) -> bool:
    """Whether the words only say that all of the code is meant."""
    return all(
        word in WHOLE or word in ("the", "of", "our", "my", "this") for word in re.findall(r"\w+", text.casefold())
    )


def number_of(text: str) -> str:
    """The number that a word says, in digits; empty where it says none."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return text
    word = text.casefold()
    return str(NUMBERS[word]) if word in NUMBERS and word not in ORDINALS else ""


def unquoted(text: str) -> str:
    """A text without the quotation marks that are around all of it."""
    return found[1].strip() if (found := _QUOTED.fullmatch(text.strip())) else text


def reason_of(text: str) -> str:
    """A reason without what leads to it."""
    return unquoted(_BECAUSE.sub("", text.strip()).strip())


def _nothing(command: Command, rest: str) -> Filled:
    if not rest.strip(" .!?"):
        return Filled()
    return Filled(rest, f"{command.name} takes no arguments; “{rest[:60]}” is not understood.", ("",))


def _agent(rest: str, known: Sequence[Component], mend: bool, *, is_reason: bool = False) -> Filled:
    found = _AGENT.fullmatch(rest)
    if found is None:
        return Filled(rest)
    name, after = _right_name(found["name"], known, mend), (found["rest"] or "").strip()
    if name.casefold() in _ITSELF and not is_reason and not after:
        return Filled()
    if is_reason and _GOES_ON.match(after):
        return Filled(rest, f"One command per line; “{after[:60]}” is not understood.", (name,))
    if is_reason:
        return Filled(f"{name} {reason_of(after)}".strip())
    after = re.sub(r"^agent\b", "", after).strip(" .!?")
    if after:
        return Filled(rest, f"“{after[:60]}” after the agent's name is not understood.", (name,))
    return Filled(name)


def _right_name(typed: str, known: Sequence[Component], mend: bool) -> str:
    names = {one.name.casefold(): one.name for one in known if one.kind == "agent"}
    near = nearest(typed.casefold(), names) if mend else ""
    return names.get(typed.casefold()) or names.get(near) or typed


def _changed(command: Command, rest: str, known: Sequence[Component], mend: bool) -> Filled:
    found = _AGENT.fullmatch(rest)
    if found is None:
        return Filled(rest)
    name = _right_name(found["name"], known, mend)
    after = re.sub(
        r"^(?:agent\b)?\s*(?:(?:to|with|so that)\s+(?=\S))?[,;:]*\s*", "", (found["rest"] or "").strip(), flags=re.I
    )
    after = unquoted(after)
    if not after:
        said = f"Say what should change, as in “agent_evolve {name} max_repair_attempts=1”."
        return Filled(name, said, (f"{name} max_repair_attempts=1",))
    return Filled(f"{name} {after}")


def _created(command: Command, rest: str) -> Filled:
    found = _NEW_AGENT.fullmatch(rest)
    if found is None:
        name, _, config = rest.partition(" ")
        is_name = re.fullmatch(r"[A-Za-z][\w-]*", name) and (not config or configs.looks_like(config))
        if name.casefold() in configs.KIND_NAMES or not is_name:
            return Filled(rest, f"{command.name} needs {command.words}, as in “{command.example}”.")
        said = f"Put the kind before the name: “{command.name} {configs.KIND} {rest}”."
        return Filled(rest, said, (f"{configs.KIND} {rest}",))
    kind, name, config = found["kind"].replace(" ", "_"), found["name"], (found["rest"] or "").strip()
    if kind.casefold() in configs.KIND_NAMES:
        return Filled(f"{kind} {name} {config}".strip())
    instead = f"{configs.KIND} {name} {config}".strip()
    if not any(is_near(kind.casefold(), one) for one in configs.KIND_NAMES):
        # The kind is left out where what follows is a config.
        instead = f"{configs.KIND} {rest}" if "=" in name + config or "{" in config else ""
    said = f"“{kind[:60]}” is not a kind of agent. " + (
        f"Did you mean {configs.KIND}?" if instead else "The only kind is bdi_agent."
    )
    return Filled(rest, said, (instead,) if instead else ())


def _item(command: Command, rest: str) -> Filled:
    found = _ITEM.fullmatch(rest)
    number = number_of(found["number"]) if found else ""
    if found is None or not number:
        problem = f"“{rest[:40]}” is not an item number, as in “{command.example}”."
        return Filled(rest, problem)
    after = (found["rest"] or "").strip()
    if _FURTHER.match(after):
        return Filled(rest, "Decide one item at a time.", (number,))
    if _GOES_ON.match(after):
        return Filled(rest, f"One command per line; “{after[:60]}” is not understood.", (number,))
    reason = reason_of(after)
    if command.name == "coord_reject" and not reason.strip(" .!?"):
        return Filled(rest, f"Give a reason for rejecting it, as in “{command.example}”.")
    return Filled(f"{number} {reason}".strip(" "))


def _state(rest: str) -> Filled:
    wanted = (
        rest.casefold().strip(" .?!").replace(" ", "_").replace("-", "_").removesuffix("_items").removesuffix("_wishes")
    )
    if not wanted or wanted in STATES:
        return Filled(rest.strip(" .?!") if wanted == rest.casefold().replace(" ", "_") else wanted)
    near = nearest(wanted, STATES)
    said = f"There is no state “{rest[:40]}”; use {', '.join(STATES)}."
    return Filled(rest, said, (near,) if near else ())


def _number(rest: str) -> Filled:
    if not rest.strip(" .?!"):
        return Filled()
    found = _MANY.fullmatch(rest.strip(" .?!"))
    number = number_of(found["number"]) if found else ""
    return Filled(number) if number else Filled(rest, f"“{rest[:20]}” is not a number of items.", ("",))


def _help(rest: str) -> Filled:
    asked = _ABOUT_HELP.sub("", rest).strip(" .?!“”\"'")
    if not asked:
        return Filled()
    said = re.sub(r"[-_\s]+", "_", asked.casefold())
    if said in NAMES:
        return Filled(asked)
    near = nearest(said, NAMES)
    problem = f"“{asked[:60]}” is not a command; “help” lists them all."
    return Filled(rest, problem, (NAMES[near].name,) if near else ())
