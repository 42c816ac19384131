"""A language model checks the first option; what it rejects is a dead end, and the agent tries anew beside it."""

from __future__ import annotations

import json

from agents.bdi.modular import model_requests
from agents.bdi.modular.agent import ModularAgent, used_of
from agents.bdi.modular.choosing import history, option_shown, take
from agents.bdi.modular.model_requests import Unreadable
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.state import ACTOR, DISCRIMINATOR, PROMPTER, Message

_REJECTED = "rejected_in_a_row"


def choose(agent: ModularAgent) -> None:
    """Go on with what is approved; go back before what is rejected, with the reason in the place of it."""
    state = agent.state
    options = state.next_step.args["options"]
    shown = {"task": state.task, "so_far": history(agent), "proposed": option_shown(options[0])}
    message = {"role": "user", "content": json.dumps(shown, ensure_ascii=False)}
    if (answer := agent.answer(model_requests.request("assess", model_requests.ASSESS, [message]))) is None:
        return
    try:
        if "error" in answer:
            raise Unreadable(str(answer.get("message", "no answer")))
        is_good, why = model_requests.verdict(answer)
    except Unreadable as wrong:
        # A check that says nothing stops nobody: people review what is done.
        is_good, why = True, f"not assessed: {wrong}"
    before = state.at
    in_a_row = int(state.context.get(_REJECTED, 0))
    take(agent, options, 0, "assess_and_backtrack", used_of(answer))
    if is_good or in_a_row >= agent.setting(DISCRIMINATOR, "most"):
        state.context[_REJECTED] = 0
        state.go_on(ACTOR)
        return
    state.context[_REJECTED] = in_a_row + 1
    said = f"A check rejected the last answer: {why} Consider a different approach."
    state.at = before
    agent.add(Message("user", said), "discriminator:assess_and_backtrack")
    state.go_on(PROMPTER)


MODULE = Module(
    DISCRIMINATOR,
    "assess_and_backtrack",
    "Assess and go back",
    "A language model checks the first answer. What it rejects is left as a dead end, and another way is tried.",
    choose,
    (Setting("most", "whole", "Rejections in a row", 3, "After so many the next answer is taken as it is.", 1, 20),),
    uses_model=True,
)
