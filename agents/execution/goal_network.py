"""What the steps of a plan did on the network, and the access that a failed one lacked, from the rows of its tries."""

from __future__ import annotations

from dataclasses import dataclass

from agents.bdi.outcome.network import KEY, Network, lacking, network_of
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.recovery.remedies import hosts_parameter
from agents.models import Attempt, Intent, IntentPlan
from agents.record import selectors
from agents.states import IntentState, PlanState
from agents.toolkit.registry import UnknownTool, tools_in_use


@dataclass(frozen=True)
class StepNetwork:
    """The network of one step's newest try that has any, or of a command typed by hand (position 0), by its line."""

    position: int
    command: str
    network: Network

    @property
    def label(self) -> str:
        """Whose network it is."""
        return f"Step {self.position}" if self.position else self.command


@dataclass(frozen=True)
class Lacking:
    """A failed step, the parameter that lists its hosts, and that list with what it was refused."""

    plan: IntentPlan
    document: Document
    position: int
    parameter: str
    hosts: tuple[str, ...]
    added: tuple[str, ...]


def of_plan(plan: IntentPlan | None) -> list[StepNetwork]:
    """Every step of a plan that had to do with the network, in order."""
    if plan is None:
        return []
    tries = Attempt.objects.filter(intent__intent_plan=plan, result__has_key=KEY).order_by("number")
    # A result can hold a megabyte of output; only its network is read.
    rows = tries.values_list("intent__position", "intent__command", f"result__{KEY}")
    newest = {row[0]: StepNetwork(row[0], row[1], network_of({KEY: row[2]})) for row in rows}
    return [newest[position] for position in sorted(newest) if newest[position].network]


def lacking_of(plan: IntentPlan | None) -> Lacking | None:
    """What the failed step of a failed plan asked for and may be given; None when that is not why it failed."""
    if plan is None or plan.state != PlanState.FAILED:
        return None
    failed = [one for one in plan.intents.all() if one.state == IntentState.FAILED and one.phase == Intent.Phase.MAIN]
    document = selectors.read_document(plan)
    if not failed or document is None:
        return None
    spec = document.at(failed[-1].position)
    parameter = _parameter_of(spec)
    tries = list(failed[-1].attempts.all())
    network = network_of(tries[-1].result) if tries else Network()
    added = lacking(network, spec.hosts, spec.params.get("command_line"))
    if not parameter or not added:
        return None
    return Lacking(plan, document, spec.position, parameter, tuple(sorted({*spec.hosts, *added})), added)


def _parameter_of(spec: IntentSpec) -> str:
    """The parameter of the step's command that lists hosts; empty when it has none."""
    try:
        return hosts_parameter(tools_in_use().command(spec.tool, spec.command))
    except UnknownTool:
        return ""
