"""Goals that commands submit: about a component, or with a plan that was written for them."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from django.db import transaction
from django.utils.text import slugify

from agents.components import candidates, known_components
from agents.goals import goals
from agents.mastermind import goal_texts
from agents.mastermind.components import Component
from agents.models import Agent, Goal, IntentPlan, Workspace
from agents.plans import proposals
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.record.moves import move_goal
from agents.record.selectors import current_plan, workspaces_writable_by
from agents.states import GoalState
from agents.toolkit.types import PlanDraft
from agents.workspaces import file_paths, workspaces
from agents.workspaces.stores import store
from agents.workspaces.workspaces import Upload
from people.models import User

# So many of a person's workspaces are looked through for a path that nobody said the place of.
_LOOKED_THROUGH = 20


@dataclass(frozen=True)
class Terms:
    """Whose goal it will be, and where: without a workspace it gets its own, without an agent the first one has it."""

    by: User
    workspace: Workspace | None = None
    agent: Agent | None = None
    priority: int = 3
    key: str = ""


def plain(text: str, terms: Terms) -> Goal:
    """A goal as it was said."""
    return _submit(text, terms.workspace, terms)


def planned(text: str, draft: PlanDraft, terms: Terms) -> IntentPlan:
    """A goal with the plan that was written for it, awaiting review. The same key twice is the same goal.

    Raises PlanInvalid with what is wrong, GoalRefused, TooManyGoals.
    """
    with transaction.atomic():
        goal = _submit(text, terms.workspace, terms)
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if (made := current_plan(goal)) is not None:
            return made
        if problems := proposals.problems_of(goal, draft):
            raise PlanInvalid(problems)
        move_goal(goal, GoalState.PLANNING, by=terms.by.username)
        return proposals.propose(goal, draft, by=terms.by)


def improve(component: Component, wish: str, terms: Terms) -> Goal:
    """A goal to make the component better, as wished or as far as safe fixes go.

    What is worked on is a copy: nothing of the running mindX changes by it. Raises NotPossibleNow where there is
    nothing to work on.
    """
    with transaction.atomic():
        if earlier := _earlier(terms):
            return earlier
        name = component.name
        workspace, folder, main = _place(component, terms)
        # A text's way to become better is a wish; code has its safe fixes.
        if not wish and component.kind not in ("tool", "path"):
            raise NotPossibleNow(f"Say what should be improved about {component}, as in “evolve {name}: …”.")
        goal = _submit(goal_texts.improve(main if wish else folder, wish), workspace, terms)
        candidates.begun(goal, component, wish)
        return goal


def analyze(component: Component, terms: Terms) -> Goal:
    """A goal to look through the component's code. Raises NotPossibleNow where it has none."""
    if component.kind not in ("tool", "path"):
        raise NotPossibleNow(f"{component} is no code. “introspect” and its page say what it is.")
    with transaction.atomic():
        if earlier := _earlier(terms):
            return earlier
        workspace, folder, _ = _place(component, terms)
        return _submit(goal_texts.audit(folder), workspace, terms)


def _earlier(terms: Terms) -> Goal | None:
    return terms.by.goals.filter(submission_key=terms.key).first() if terms.key else None


def _submit(text: str, workspace: Workspace | None, terms: Terms) -> Goal:
    return goals.submit(
        by=terms.by,
        text=text,
        priority=terms.priority,
        workspace=workspace,
        agent=terms.agent,
        submission_key=terms.key,
    )


def _place(component: Component, terms: Terms) -> tuple[Workspace, str, str]:
    """The workspace, the folder and the main file of what is worked on."""
    if component.kind == "path":
        workspace = terms.workspace or _that_has(component.name, terms.by)
        if not _has(workspace, component.name):
            raise NotPossibleNow(f"The workspace {workspace.name} has no “{component.name}”.")
        return workspace, component.name, component.name
    files = known_components.files_of(component)
    if not files:
        raise NotPossibleNow(f"There is nothing of {component} to work on here.")
    workspace = terms.workspace or _own(component, terms.by)
    missing = {path: body for path, body in files.items() if not _has(workspace, path)}
    if missing:
        uploads = [Upload(path, BytesIO(body), len(body)) for path, body in missing.items()]
        workspace = workspaces.put_files(workspace, by=terms.by, uploads=uploads)
    return workspace, known_components.folder_of(component, files), known_components.main_file(component, files)


def _own(component: Component, by: User) -> Workspace:
    """A new workspace named after the component."""
    stem = slugify(component.name.replace("_", "-"))[:50] or component.kind
    return workspaces.create_numbered(by=by, name=stem)


def _that_has(path: str, by: User) -> Workspace:
    """The one workspace of the person that has the path."""
    newest = workspaces_writable_by(by).order_by("-changed_at")[:_LOOKED_THROUGH]
    found = [workspace for workspace in newest if _has(workspace, path)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(workspace.name for workspace in found[:5])
    said = f"Several have it ({names})" if found else "None of your newest workspaces has it"
    raise NotPossibleNow(f"In which workspace is “{path}”? {said}; name one.")


def _has(workspace: Workspace, path: str) -> bool:
    wanted = file_paths.checked(path)
    return any(
        entry.path == wanted or entry.path.startswith(wanted + b"/") for entry in store().entries(workspace.head)
    )
