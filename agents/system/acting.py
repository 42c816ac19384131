"""What SystemAgent does for a step of an approved plan: once, with the rights of whoever submitted the step's goal.

Whatever it makes waits for people: a candidate for its activation, a goal for the review of its plan. There is nothing
here that approves, rejects or activates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.actors.models_in_use import as_set_up
from agents.actors.step_model_calls import Means
from agents.bdi.designing.choosing import Thresholds
from agents.bdi.plans.approved_models import NotAsApproved, agreed
from agents.bus import members
from agents.bus.members import Kind, Offer, Registration
from agents.components import approved_steps, tool_writing, workflow_library
from agents.components.rule_writing import RuleInvalid
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import WorkflowInvalid
from agents.coordinator import backlog
from agents.coordinator.backlog import Wish
from agents.evolution.activation import tool_checks
from agents.evolution.candidates import asking, writing
from agents.goals import workflow_goals
from agents.goals.component_goals import Terms
from agents.mastermind.components import Component as Named
from agents.models import Deed, Goal
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours, PlanInvalid, RequestRefused
from agents.system import architect, reading, workflow_from_plan
from agents.toolkit import schemas
from agents.toolkit.command import Params
from agents.toolkit.tools.system_agent import NAME
from library.errors import LibraryRefused
from library.memory import services as memory
from library.models import Component
from people.models import User

# Gets the goal, its submitter and the key under which it is done.
Work = Callable[[Goal, User, str], dict[str, Any]]
_REFUSED = (LibraryRefused, WorkflowInvalid, ToolInvalid, RuleInvalid, PlanInvalid, RequestRefused)


def design_solution(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A goal with a design that people review."""
    thresholds = Thresholds(int(params.get("reuse_from", 60)) / 100, int(params.get("evolve_from", 50)) / 100)

    def draw(goal: Goal, by: User, key: str) -> dict[str, Any]:
        drawn = architect.design(str(params["requirements"]), thresholds, with_model=_may_ask(means))
        made = architect.submit(drawn, Terms(by, agent=goal.agent, priority=goal.priority, key=key))
        count = "1 component" if len(drawn.decided) == 1 else f"{len(drawn.decided)} components"
        who = drawn.by or f"templates ({drawn.why_no_model.rstrip('.')})"
        return {
            "message": f"goal {made.pk} has a design of {count} by {who}; people review it",
            "goal": str(made.pk),
            "design": drawn.text,
        }

    return once("design_solution", params, means, draw)


def create_component(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A candidate out of its whole text, or written by a model."""
    kind, wish, body = str(params["kind"]), str(params["wish"]), str(params.get("body", ""))

    def make(goal: Goal, by: User, key: str) -> dict[str, Any]:
        if body.strip():
            saved = _saved(kind, body, by, f"made by goal {goal.pk}: {wish}"[:1_000])
        elif kind == "rule":
            raise NotPossibleNow("A new rule is written by people, or learned from a goal. Give its whole text.")
        else:
            _check_model(means, "Give the component's whole text, or have an operator set up a model.")
            saved = writing.new(kind, wish, by=by)
        name = saved.component.name
        return {
            "message": f"the {kind} {name} {saved.version} is a candidate; people decide whether it is put to use",
            "name": name,
            "version": saved.version,
        }

    return once("create_component", params, means, make)


def _saved(kind: str, body: str, by: User, changes: str) -> Any:
    from agents.components import rule_writing

    if kind == "workflow":
        return workflow_library.save(body, by=by, changes=changes)
    if kind == "rule":
        return rule_writing.save(body, by=by, changes=changes)
    with transaction.atomic():
        saved = tool_writing.save(body, by=by, changes=changes)
        tool_checks.ask(saved, by=by)
    return saved


def evolve_component(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A candidate by a model; without one a wish on the backlog, so that a person is asked."""
    kind, name, wish = (str(params[key]) for key in ("kind", "name", "wish"))

    def evolve(goal: Goal, by: User, key: str) -> dict[str, Any]:
        component = Component.objects.filter(kind=kind, name=name).first()
        if component is None:
            raise NotPossibleNow(f"The library has no {kind} named {name[:100]}.")
        if kind in ("rule", "tool") and _may_ask(means):
            saved = writing.write(component, by=by, why=wish, strategy=str(params.get("strategy", "standard")))
            said = f"the {kind} {name} {saved.version} is a candidate and is replayed; people decide on it"
            return {"message": said, "version": saved.version}
        added = backlog.add(Wish(Named(kind, name), wish, by=by, goal=goal))
        why = "a model writes candidates of rules and tools only" if _may_ask(means) else "no language model is set up"
        said = f"{why}, so people are asked: item {added.item.pk} of the backlog"
        return {"message": said, "wish": str(added.item.pk)}

    return once("evolve_component", params, means, evolve)


def generate_workflow(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A workflow as a candidate: by a model, or out of the plan of a goal that was achieved."""
    wish, name, pk = str(params["wish"]), str(params["name"]), int(params.get("goal", 0))

    def generate(goal: Goal, by: User, key: str) -> dict[str, Any]:
        if pk == 0 and _may_ask(means):
            saved, how = writing.new(workflow_library.KIND, wish, by=by), "a language model wrote it"
        else:
            source = workflow_from_plan.source(pk, wish, by)
            text = workflow_from_plan.write(name, wish, source)
            saved = workflow_library.save(text, by=by, changes=f"made of the plan of goal {source.goal_id}")
            how = f"it is made of the plan of goal {source.goal_id}, without a model"
        called = saved.component.name
        return {
            "message": f"the workflow {called} {saved.version} is a candidate; {how}",
            "name": called,
            "version": saved.version,
        }

    return once("generate_workflow", params, means, generate)


def process_workflow(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A goal with the workflow's plan, which people review."""
    values = json_of(str(params.get("values", "")), "values")

    def process(goal: Goal, by: User, key: str) -> dict[str, Any]:
        component = Component.objects.filter(kind=workflow_library.KIND, name=str(params["name"])).first()
        version = workflow_library.version_of(component, str(params.get("version", ""))) if component else None
        if version is None:
            raise NotPossibleNow("There is no such workflow, or no such version of it.")
        terms = Terms(by, goal.workspace, goal.agent, goal.priority, key)
        plan = workflow_goals.process(version, values, terms)
        return {
            "message": f"goal {plan.goal_id} has the plan of the workflow {version.component.name}; people review it",
            "goal": str(plan.goal_id),
        }

    return once("process_workflow", params, means, process)


def record_experience(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """An experience of this goal's submitter, told by the plan."""

    def record(goal: Goal, by: User, key: str) -> dict[str, Any]:
        row = memory.record(
            owner=by,
            goal_ref=str(goal.pk),
            part=f"recorded {key[:12]}",
            kind="sub_goal",
            primary_goal_description=goal.text,
            sub_task_description=str(params["task"]),
            final_outcome=str(params["outcome"]),
            output_summary=str(params["summary"]),
            initiating_agent_id=goal.agent.name,
            timestamp=timezone.now(),
            tags=["recorded by a plan"],
        )
        return {"message": f"experience {row.pk} is recorded", "experience": str(row.pk)}

    return once("record_experience", params, means, record)


def register_agent(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """A member of the bus that stands outside mindX."""

    def register(goal: Goal, by: User, key: str) -> dict[str, Any]:
        offer = Offer(str(params["capability"]), str(params["description"]), confidence=0.5, effect="once")
        metadata = {"registered_by_goal": goal.pk}
        who = Registration(str(params["name"]), Kind.FOREIGN, str(params["description"]), (offer,), metadata=metadata)
        member = members.register(who, by=by)
        return {"message": f"{member.name} is registered; it is asked once it is connected", "member": str(member.pk)}

    return once("register_agent", params, means, register)


def once(command: str, params: Params, means: Means, work: Work) -> Mapping[str, Any]:
    """Do it for the plan that runs, and keep that as a deed; done before under this key, answer as then.

    A model or another agent may be asked on the way, so it is no single transaction. Goals and requests carry the key
    and exist once whatever happens; of a candidate a second one may come to be where the worker dies before the deed is
    kept, and both wait for people.
    """
    key = _begin(command, params, means)
    if isinstance(key, dict):
        return key
    goal = reading.goal_of(means)
    by = User.objects.get(pk=goal.submitted_by_id)
    try:
        result = work(goal, by, key)
    except _REFUSED as refused:
        raise NotPossibleNow(str(refused)) from refused
    with transaction.atomic():
        Goal.objects.select_for_update(of=("self",), no_key=True).get(pk=goal.pk)
        deed, _ = Deed.objects.get_or_create(
            key=key, defaults={"goal": goal, "by": by, "command": command, "result": result}
        )
    return dict(deed.result)


def _begin(command: str, params: Params, means: Means) -> str | dict[str, Any]:
    """The key under which it is done; or what was done under it. Raises NotYours for what nobody approved."""
    if means.goal is None:
        raise NotYours("SystemAgent acts only by a step of an approved plan.")
    with transaction.atomic():
        goal = Goal.objects.select_for_update(of=("self",), no_key=True).get(pk=means.goal)
        key = approved_steps.key_of(goal.pk, command, params)
        if (earlier := Deed.objects.filter(key=key).first()) is not None:
            return dict(earlier.result)
        approved_steps.check(goal, NAME, command, params)
    return key


def _may_ask(means: Means) -> bool:
    """Whether the models that would be asked are those that people approved for the step, and there are any.

    Raises NotAsApproved where others are set up by now.
    """
    models = asking.budget().models
    if not models or means.asks is None or not means.asks.models:
        return False
    may = agreed(means.asks, as_set_up(asking.writer().agent)).models
    if not set(models) <= set(may):
        raise NotAsApproved("Other language models are set up than the plan names. Have it planned again.")
    return True


def _check_model(means: Means, way_out: str) -> None:
    if not _may_ask(means):
        raise NotPossibleNow(f"New code needs a language model or a person, and no model is set up. {way_out}")


def json_of(text: str, name: str) -> dict[str, Any]:
    """The JSON object that a parameter holds; empty where nothing is said. Raises GoalRefused naming the field."""
    if not text.strip():
        return {}
    try:
        found = schemas.loads_strict(text)
    except schemas.JsonError as error:
        raise GoalRefused(name, f"This is no JSON: {error}.") from error
    if not isinstance(found, dict):
        raise GoalRefused(name, "It must be one JSON object.")
    return found
