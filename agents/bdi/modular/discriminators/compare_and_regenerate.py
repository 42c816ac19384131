"""A language model compares the options, then models write better ones beside the best, for some rounds."""

from __future__ import annotations

import json

from agents.bdi.modular import model_requests, sampling
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.choosing import compared, needs_several, option_shown, take
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.sampling import Sample
from agents.bdi.modular.state import ACTOR, DISCRIMINATOR, GENERATOR, Option, Used

_MORE = "This is the best answer so far. Write a better one, in the same form: "


def choose(agent: ModularAgent) -> None:
    """Compare, write again beside the best, compare again."""
    options: list[Option] = list(agent.state.next_step.args["options"])
    seen: list[Option] = list(options)
    judged = Used()
    for round_ in range(1, agent.setting(DISCRIMINATOR, "rounds") + 2):
        found = compared(agent, options, f"compare-{round_}")
        if found is None:
            return
        options, best, used = found
        judged += used
        if round_ > agent.setting(DISCRIMINATOR, "rounds"):
            break
        written = _better(agent, options[best], round_)
        if written is None:
            return
        seen += written
        options = [options[best], *written]
    # What was written and dropped on the way was paid for as well.
    dropped = sum((one.used for one in seen if not any(one.message is kept.message for kept in options)), Used())
    take(agent, options, best, "compare_and_regenerate", judged + dropped)
    agent.state.go_on(ACTOR)


def _better(agent: ModularAgent, best: Option, round_: int) -> list[Option] | None:
    generator = agent.chosen(GENERATOR).settings
    shown = json.dumps(option_shown(best), ensure_ascii=False)
    messages = [*model_requests.conversation(agent), {"role": "user", "content": _MORE + shown}]
    # By the model that wrote the best one, where the generator asks several.
    model = str(generator.get("model", ""))
    samples = [
        Sample(f"again-{round_}-{number}", model, float(generator["temperature"]), int(generator["max_tokens"]))
        for number in range(1, agent.setting(DISCRIMINATOR, "more") + 1)
    ]
    return sampling.options(agent, samples, messages)


MODULE = Module(
    DISCRIMINATOR,
    "compare_and_regenerate",
    "Compare and write again",
    "A language model compares, then better answers are written beside the best one, for some rounds.",
    choose,
    (
        Setting("rounds", "whole", "Rounds", 1, "", 1, 5),
        Setting("more", "whole", "New answers in each round", 1, "", 1, 8),
    ),
    needs_several,
    uses_model=True,
)
