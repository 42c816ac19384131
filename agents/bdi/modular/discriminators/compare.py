"""A language model compares the options; the best is taken, or the best few, which are all acted on."""

from __future__ import annotations

from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.choosing import compared, needs_several, take
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.state import ACTOR, DISCRIMINATOR


def choose(agent: ModularAgent) -> None:
    """Put the best options into the tree, the very best first, and name their nodes to the actor."""
    found = compared(agent, agent.state.next_step.args["options"], "compare")
    if found is None:
        return
    options, best, judged = found
    ranked = sorted(range(len(options)), key=lambda at: (at != best, -(options[at].score or 0.0)))
    nodes = [take(agent, options, best, "compare", judged)]
    # Further ones stand below it: the options are listed, and paid for, with the first.
    further = ranked[1 : agent.setting(DISCRIMINATOR, "keep")]
    nodes += [agent.add(options[at].message, "discriminator:compare") for at in further]
    agent.state.go_on(ACTOR, node_ids=[node.id for node in nodes])


MODULE = Module(
    DISCRIMINATOR,
    "compare",
    "Compare",
    "A language model compares the answers; the best is taken, or the best few.",
    choose,
    (Setting("keep", "whole", "Answers to keep", 1, "Each one that is kept is acted on, the best one first.", 1, 4),),
    needs_several,
    uses_model=True,
)
