"""What a run taught, once it has ended: an experience of its own, beside those of the goals that its calls were."""

from __future__ import annotations

from django.utils import timezone

from agents.bdi.modular.state import MODULE_TYPES, State
from agents.models import ModularRun, ModularWant
from agents.modular import advice
from agents.modular.advice import TAG
from library.memory import services as memory
from library.models import Experience

_MOST_STEPS = 20


def record(run: ModularRun, state: State) -> None:
    """Remember the run, in the transaction that ends it.

    A run that ended before and was mended by an edit is a recovery; statistics count the combination's own end alone.
    """
    if not state.outcome:
        return
    ref = f"modular-{run.pk}"
    was_mended = Experience.objects.filter(goal_ref=ref, part="").exists()
    called = [
        str(one["name"])
        for one in ModularWant.objects.filter(run=run.pk, kind="call").order_by("pk").values_list("args", flat=True)
    ]
    decisions = [
        f"{node.message.function_call.name}: {option.why}"
        for node in state.path()
        if node.message.function_call is not None and node.chosen is not None
        if (option := node.options[node.chosen]).why
    ]
    has_achieved = state.outcome == "achieved"
    memory.record(
        owner=run.by,
        goal_ref=ref,
        kind=(Experience.Kind.RECOVERY if was_mended else Experience.Kind.GOAL).value,
        part=f"step-{run.at_step}" if was_mended else "",
        primary_goal_description=state.task,
        final_outcome=(Experience.Outcome.SUCCESS if has_achieved else Experience.Outcome.FAILURE).value,
        timestamp=timezone.now(),
        initiating_agent_id=run.agent.name,
        sub_task_description="; ".join(called[:_MOST_STEPS]),
        involved_components=[f"{kind}:{state.settings[kind].name}" for kind in MODULE_TYPES],
        key_decisions_made=decisions[:_MOST_STEPS],
        output_summary="\n".join(one[:2_000] for one in state.submissions) or state.reason,
        tags=[TAG],
    )
    if not was_mended:
        advice.count(state.settings, has_achieved=has_achieved)
