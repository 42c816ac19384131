"""Programs that run from a `start` to its `stop`: which are running at a step, and what is wrong in such a plan. Pure.

They live in one jail, which ends with the claim: so a plan cannot go on where one of them should be alive and its
jail is gone, and a step that needs another jail cannot stand between. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from agents.bdi.plans.document import IntentSpec
from sandbox.commands import Refusal, check_program_name

START, LOG, STOP = "start", "process_log", "stop"
STARTER = "simple_coder"
_MOST_LIVING = 8


def living_before(specs: Sequence[IntentSpec], position: int, succeeded: Collection[int]) -> tuple[str, ...]:
    """The names of the programs that must be alive when the step at `position` begins, by what earlier steps did."""
    living: dict[str, None] = {}
    for spec in specs:
        if spec.position < position and spec.position in succeeded and spec.tool == STARTER:
            if spec.command == START:
                living[str(spec.params.get("name"))] = None
            elif spec.command == STOP:
                living.pop(str(spec.params.get("name")), None)
    return tuple(living)


class Lives:
    """The programs of one phase of a plan, followed from step to step."""

    def __init__(self) -> None:
        self._hosts: dict[str, tuple[str, ...]] = {}
        self._seen: set[str] = set()

    @property
    def living(self) -> tuple[str, ...]:
        """The programs that live after the steps so far, the first one first."""
        return tuple(self._hosts)

    def problems(
        self, tool: str, command: str, values: Mapping[str, Any], reached: Sequence[str] = ()
    ) -> Iterator[tuple[str, str, str]]:
        """Parameter, code and message of what is wrong with the next step, which reaches these hosts."""
        name = str(values.get("name", ""))
        if tool == STARTER and command in (START, LOG, STOP):
            yield from self._named(command, name)
        if tool == STARTER and command in ("run", START):
            yield from self._reach(_hosts(values))
        if tool != STARTER:
            if reached:
                yield from self._reach(tuple(sorted(reached)))
            return
        if command == START:
            self._hosts[name] = _hosts(values)
            self._seen.add(name)
        elif command == STOP:
            self._hosts.pop(name, None)

    def _named(self, command: str, name: str) -> Iterator[tuple[str, str, str]]:
        try:
            check_program_name(name)
        except Refusal as refusal:
            yield "name", "program_name", f"name: {refusal}."
            return
        if command == START and name in self._hosts:
            yield "name", "program_lives", f"{name} is running here already; stop it before, or choose another name."
        elif command == START and len(self._hosts) >= _MOST_LIVING:
            yield "name", "too_many_programs", f"{_MOST_LIVING} programs are running here already; stop one before."
        elif command == STOP and name not in self._hosts:
            yield "name", "not_started", f"No program {name} is running here; put “start … as {name}” before it."
        elif command == LOG and name not in self._hosts:
            ended = "was stopped before, and its log was shown then" if name in self._seen else "is not started before"
            yield "name", "not_started", f"The program {name} {ended}; put this step between its start and its stop."

    def _reach(self, reached: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        for name, hosts in self._hosts.items():
            if hosts != reached:
                yield (
                    "hosts",
                    "other_hosts",
                    f"It may reach other hosts than {name}, which is running here, so it would need another sandbox; "
                    f"stop {name} before this step, or name the same hosts in both.",
                )
                return


def _hosts(values: Mapping[str, Any]) -> tuple[str, ...]:
    named = values.get("hosts") or ()
    return tuple(sorted(str(one).lower() for one in named)) if isinstance(named, list | tuple) else ()


def unstopped(specs: Sequence[IntentSpec]) -> frozenset[int]:
    """The positions of starts that no stop follows in their phase."""
    waiting: dict[tuple[str, str], int] = {}
    for spec in specs:
        key = (spec.phase, str(spec.params.get("name")))
        if spec.tool == STARTER and spec.command == START:
            waiting[key] = spec.position
        elif spec.tool == STARTER and spec.command == STOP:
            waiting.pop(key, None)
    return frozenset(waiting.values())
