"""The parts that commands of the session are described with."""

from __future__ import annotations

from typing import Any

from agents.toolkit.command import Command, Params
from agents.toolkit.schemas import HOSTS_KIND
from agents.toolkit.simple_coder.trials import TRIALS
from sandbox.commands import MOST_OFFSET
from sandbox.contract import Request

NAME = "simple_coder"


def count(title: str, least: int = 1) -> dict[str, Any]:
    return {"type": "integer", "title": title, "minimum": least, "maximum": MOST_OFFSET}


def command(name: str, **parts: Any) -> Command:
    described = parts["schema"]["properties"]
    for_the_jail = {field for field in described if described[field].get("x-kind") == HOSTS_KIND}

    def requests(params: Params) -> tuple[Request, ...]:
        return (Request(name, {field: value for field, value in params.items() if field not in for_the_jail}),)

    return Command(NAME, name, requests=requests, trials=TRIALS.get(name, ()), **parts)
