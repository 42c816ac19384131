"""How the system agents answer on the bus: each reads with the rights of whoever asks, and says where from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.designing.choosing import Thresholds
from agents.bus.members import Offer
from agents.bus.providers import Answer, Asked, Connected
from agents.evolution.auditing import proposing
from agents.evolution.candidates import asking
from agents.models import EvolutionProposal
from agents.record.errors import AgentsError, NotPossibleNow
from agents.record.selectors import sees_everything
from agents.system import architect, reading
from library.memory import questions
from people.models import User

Read = Callable[[Mapping[str, Any], User], Mapping[str, Any]]
_MOST = 20


def text(title: str, most: int = 4_000) -> dict[str, Any]:
    """A text that goes in."""
    return {"type": "string", "minLength": 1, "maxLength": most, "description": title}


def taking(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """The schema of what goes in."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


@dataclass(frozen=True)
class Reader:
    """A provider that only reads: one function for each capability."""

    reads: Mapping[str, Read]

    def answer(self, request: Asked) -> Answer:
        """Answer one request; what cannot be done is refused in words."""
        read = self.reads.get(request.capability)
        if read is None:
            return Answer.refused(f"This agent does not offer {request.capability[:100]}.")
        try:
            return Answer(dict(read(request.content, request.by)))
        except AgentsError as refused:
            return Answer.refused(str(refused))


def answer_about_experience(content: Mapping[str, Any], by: User) -> dict[str, Any]:
    """What memory knows, in words, with its sources."""
    question = str(content.get("question") or content.get("text") or "").strip()
    if not question:
        raise NotPossibleNow("Ask something: content is {question}.")
    wants_model = bool(content.get("with_model", False))
    found = questions.reply(question, user=by, with_model=wants_model)
    missing = asking.NO_MODEL if wants_model and not asking.budget().models else ""
    return {
        "text": found.text,
        "model": found.model,
        "no_model": found.no_model or missing,
        "counts": dict(found.counts),
        "sources": [
            {
                "number": number,
                "experience": str(row.pk),
                "goal": row.goal_ref,
                "title": row.title.strip(),
                "outcome": row.final_outcome,
            }
            for number, row in enumerate(found.sources, 1)
        ],
    }


def design_solution(content: Mapping[str, Any], by: User) -> dict[str, Any]:
    """A design of several components. Nothing is stored: who wants it reviewed submits it."""
    usual = architect.USUAL
    thresholds = Thresholds(
        float(content.get("reuse_from", usual.reuse)), float(content.get("evolve_from", usual.evolve))
    )
    drawn = architect.design(str(content["requirements"]), thresholds, with_model=bool(content.get("with_model", True)))
    return {
        "design": drawn.text,
        "by": drawn.by or "templates",
        "why_no_model": drawn.why_no_model,
        "components": [
            {
                "name": need.name,
                "does": need.does,
                "after": list(need.after),
                "choice": one.choice,
                "because": one.because,
            }
            for need, one in drawn.decided
        ],
    }


def propose_evolution(content: Mapping[str, Any], by: User) -> dict[str, Any]:
    """What the past says should change. Its goals are named to those who may see all of them."""
    rows = proposing.open_ones(proposing.visible_to(by))
    if kind := str(content.get("kind", "")):
        rows = rows.filter(kind=kind)
    if name := str(content.get("component", "")):
        rows = rows.filter(component_name=name)
    shows_goals = sees_everything(by)
    proposals = [
        {
            "says": row.says,
            "why": row.why,
            "kind": row.kind,
            "weight": row.weight,
            "cases": row.cases,
            "component": row.component_name,
            "goals": [str(goal) for goal in row.goals] if shows_goals else [],
        }
        for row in rows[:_MOST]
    ]
    count = len(proposals)
    said = "1 proposal; people decide on it" if count == 1 else f"{count} proposals, most pressing first; people decide"
    return {"message": said, "proposals": proposals}


def system_agents() -> tuple[Connected, ...]:
    """Those of them that stand in this room, with what each offers."""
    kinds = [kind.value for kind in EvolutionProposal.Kind]
    return (
        Connected(
            "SystemAgent",
            "Finds components and agents for a task, and gathers what earlier goals taught about it.",
            (
                Offer(
                    "find_components",
                    "Components of the library that suit a task",
                    taking({"task": text("task")}, "task"),
                ),
                Offer("discover_agents", "Agents and tools that can do a task", taking({"task": text("task")}, "task")),
                Offer("build_context", "What is known about a task", taking({"task": text("task")}, "task")),
            ),
            Reader(
                {
                    "find_components": lambda content, by: reading.found_components(str(content["task"])),
                    "discover_agents": lambda content, by: reading.discovered(str(content["task"]), by),
                    "build_context": lambda content, by: reading.built(str(content["task"]), by, 2_000),
                }
            ),
        ),
        Connected(
            "ArchitectZero",
            "Designs solutions of several components: what is reused, evolved and created, by the library's scores.",
            (
                Offer(
                    "design_solution",
                    "A design of several components for requirements in words",
                    taking(
                        {
                            "requirements": text("requirements", architect.REQUIREMENTS_MAX),
                            "reuse_from": {"type": "number", "minimum": 0, "maximum": 1},
                            "evolve_from": {"type": "number", "minimum": 0, "maximum": 1},
                            "with_model": {"type": "boolean"},
                        },
                        "requirements",
                    ),
                ),
            ),
            Reader({"design_solution": design_solution}),
        ),
        Connected(
            "MemoryManager",
            "Answers questions in words about past experience: what worked, what failed and why, with its sources.",
            (
                Offer(
                    "answer_about_experience",
                    "An answer with sources to a question about earlier goals",
                    taking(
                        {
                            "question": text("question", 1_000),
                            "text": text("the same, as a task in words", 1_000),
                            "with_model": {"type": "boolean"},
                        }
                    ),
                ),
            ),
            Reader({"answer_about_experience": answer_about_experience}),
        ),
        Connected(
            "EvolutionStrategist",
            "Says which components should be improved, retired or written, based on past goals.",
            (
                Offer(
                    "propose_evolution",
                    "Open proposals, most pressing first",
                    taking({"kind": {"type": "string", "enum": kinds}, "component": text("name of a component", 120)}),
                ),
            ),
            Reader({"propose_evolution": propose_evolution}),
        ),
    )
