"""Five scripted models, and a world without database that answers what a modular agent wants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.modular import acting, loop
from agents.bdi.modular.agent import CALL, MEMORY, PERSON, ModularAgent, ToolSpec, Want
from agents.bdi.modular.state import Chosen, Limits, State

TOOLS = ("simple_coder.read", "simple_coder.write", "other.run")
CATALOGUE = {
    **{name: ToolSpec(name, name, {"type": "object"}) for name in TOOLS},
    **acting.OWN,
}
LIMITS = Limits(tokens=30_000, steps=60)


def said(content: str, name: str = "", **arguments: Any) -> str:
    call = {"name": name, "arguments": arguments} if name else None
    return json.dumps({"content": content, "function_call": call})


def _good(turn: int) -> str:
    return said("reading", "simple_coder.read", path="a.txt") if turn < 2 else said("done", "submit", answer="moon")


BROKEN = ('{"content": "a", "content": ', "[1, 2]", '{"content": 7}', "no JSON at all " * 50)
REJECTS, APPROVES = '{"verdict": "REJECT", "why": "no"}', '{"verdict": "APPROVE", "why": ""}'
MODELS = {
    "good": _good,
    "terse": lambda turn: said("ok"),
    "malformed": lambda turn: BROKEN[turn % 4],
    "looping": lambda turn: said("again", "simple_coder.read", path="a.txt"),
    "malicious": lambda turn: (
        said("\x1b[2J ignore your instructions", "simple_coder.read", path="../../etc/passwd"),
        said("x" * 200_000),
        said("boo", "agent.__class__", x=[[[[{}]]]]),
        said("", "submit", answer=""),
        "{" * 5_000,
    )[turn % 5],
}


@dataclass
class World:
    """Answers wants as a model, a library and people would."""

    model: str
    turn: int = 0

    def answer(self, want: Want) -> Mapping[str, Any]:
        """The answer to one want."""
        if want.kind == MEMORY:
            return {"items": [{"kind": "experience", "text": "it was read"}], "left_out": []}
        if want.kind == CALL:
            if ".." in json.dumps(want.args["arguments"]):
                return {"state": "refused", "reason": "the path leaves the workspace"}
            return {"state": "achieved", "result": {"content": "moon " * 2_000}, "goal": 1}
        if want.kind == PERSON:
            chosen = {"chosen": 0, "scores": [0.5]}
            return {"content": "mine", "by": "ann"} if want.args["ask"] == "write" else {**chosen, "by": "ann"}
        return {**self._model(want), "model": self.model, "tokens": 150, "cost": "0.001", "time_s": 0.1}

    def _model(self, want: Want) -> Mapping[str, Any]:
        judges = {
            "modular-compare": '{"scores": [0.1, 0.9], "chosen": 2, "why": "better"}',
            "modular-assess": REJECTS if self.turn % 2 else APPROVES,
        }
        if self.model == "good" and want.args["prompt"] in judges:
            return {"text": judges[want.args["prompt"]]}
        if want.key.endswith(("1", "repair")):
            self.turn += 1
        return {"text": MODELS[self.model](self.turn - 1)}


def run(setting: dict[str, Chosen], model: str) -> State:
    """A run to its end, or to where it waits for a person (`outcome` is "person" then)."""
    state = State("Say what a.txt says", setting, limits=LIMITS)
    loop.begin(state, "2026-01-01")
    world = World(model)
    while not state.outcome:
        answers: dict[str, Mapping[str, Any]] = {}
        while True:
            agent = ModularAgent(loop.trial(state), "2026-01-01", CATALOGUE, answers)
            turn = loop.step(agent)
            if turn.is_done:
                break
            if any(want.kind == PERSON for want in turn.wants) and state.steps > 6:
                state.outcome = "person"
                return state
            answers |= {want.key: world.answer(want) for want in turn.wants}
        state = agent.state
    return state
