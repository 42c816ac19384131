"""The states of runs, read from the rows of their steps and stored as them."""

from __future__ import annotations

from agents.bdi.modular import document
from agents.bdi.modular.state import State
from agents.models import ModularRun, ModularStep
from people.models import User


def after(step: ModularStep) -> State:
    """The state after a step: the nodes of all steps before it, through the runs that it branched from."""
    added: list[list[dict[str, object]]] = []
    here: ModularStep | None = step
    while here is not None:
        rows = ModularStep.objects.filter(run=here.run_id, number__lte=here.number).order_by("-number")
        added += list(rows.values_list("added", flat=True))
        here = here.run.base
    return document.of_rows(step.document, [node for some in reversed(added) for node in some])


def newest(run: ModularRun) -> ModularStep:
    """The newest step of a run."""
    return ModularStep.objects.select_related("run__base__run").get(run=run, number=run.head)


def store(
    run: ModularRun,
    number: int,
    state: State,
    *,
    known: int,
    module_type: str,
    module: str,
    now: str,
    snapshot: str,
    by: User | None = None,
) -> ModularStep:
    """Keep the state after a step. The first `known` of its nodes stand in earlier rows."""
    some = list(state.nodes.values())[known:]
    return ModularStep.objects.create(
        run=run,
        number=number,
        module_type=module_type,
        module=module[:120],
        added=document.nodes(some),
        document=document.head(state),
        snapshot=snapshot,
        now=now,
        by=by,
    )
