"""A drill: in twenty runs ten mistakes are made, and each is mended by editing one state of the run that made it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from agents.bdi.modular import document, loop
from agents.bdi.modular.state import Chosen, Limits, Node, State
from agents.models import Goal, ModularRun
from agents.modular import branching, replaying, runs, states
from agents.modular.branching import Edit
from agents.modular.runs import Start
from agents.states import ModularRunState
from people.models import User
from tests.agents.modular.test_runs import BY_MODEL, approve, says, worked, wrote
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)
S = ModularRunState
TASK = "Submit the word that is asked for: moon."
NOTES_ONLY = {**BY_MODEL, "toolkit": Chosen("notes")}
# A model by what it reads: the messages behind its instructions and tools, joined.
Model = Callable[[str], str]
Tree = Mapping[int, Node]


def submit(word: str) -> str:
    return says({"name": "submit", "arguments": {"answer": word}})


def calling(tree: Tree, name: str) -> int:
    """The first node that calls this."""
    found = (one.id for one in tree.values() if one.message.function_call and one.message.function_call.name == name)
    return next(found)


def answering(tree: Tree) -> int:
    """The first node with a tool's answer."""
    return next(one.id for one in tree.values() if one.message.role == "function")


def taking_turns(*answers: str) -> Callable[[], Model]:
    def made() -> Model:
        turns = itertools.cycle(answers)
        return lambda text: next(turns)

    return made


def preferring_sun() -> Model:
    """It offers both, and as a judge finds the sun better."""
    turns = itertools.cycle([submit("sun"), submit("moon")])

    def model(text: str) -> str:
        if '"so_far"' not in text:
            return next(turns)
        options = json.loads(text)["options"]
        return json.dumps({"scores": [0.5, 0.5], "chosen": 1 + ("sun" in json.dumps(options[1])), "why": "brighter"})

    return model


@dataclass(frozen=True)
class Mistake:
    """What goes wrong, with which model and modules, and the one edit that mends it.

    `stop_at`: whoever watches pauses the run there, because it would never end by itself.
    """

    name: str
    model: Callable[[], Model]
    edit: Callable[[Tree], Edit]
    task: str = TASK
    settings: Mapping[str, Chosen] = field(default_factory=lambda: NOTES_ONLY)
    stop_at: int | None = None


def with_(**modules: Chosen) -> dict[str, Chosen]:
    return {**NOTES_ONLY, **modules}


LONG = f"Somewhere in here stands what to submit. {'Read on. ' * 20}The word is moon. {'Read on. ' * 20}"
MISTAKES = (
    Mistake(
        "it submits a wrong answer",
        lambda: lambda text: submit("sun"),
        lambda tree: Edit(calling(tree, "submit"), arguments={"answer": "moon"}),
    ),
    Mistake("an unlucky answer", taking_turns(submit("sun"), submit("moon")), lambda tree: Edit(1)),
    Mistake(
        "the worse of two options is preferred",
        preferring_sun,
        lambda tree: Edit(calling(tree, "submit"), option=next(_other(tree[calling(tree, "submit")]))),
        settings=with_(generator=Chosen("model", {"samples": 2}), discriminator=Chosen("compare")),
    ),
    Mistake(
        "it goes round in circles",
        lambda: (
            lambda text: (
                submit("moon") if "at once" in text else says({"name": "notes", "arguments": {}}, "let me look again")
            )
        ),
        lambda tree: Edit(1, content=f"{TASK} Do it at once."),
        stop_at=14,
    ),
    Mistake(
        "it never calls anything",
        lambda: lambda text: "I would rather talk about the weather.",
        lambda tree: Edit(1, settings=with_(generator=Chosen("person"))),
        stop_at=10,
    ),
    Mistake(
        "it names the wrong file",
        lambda: (
            lambda text: (
                submit("moon")
                if '"function"' in text
                else says({"name": "simple_coder.write", "arguments": {"path": "b.txt", "content": "moon"}})
            )
        ),
        lambda tree: Edit(calling(tree, "simple_coder.write"), arguments={"path": "a.txt", "content": "moon"}),
        settings=BY_MODEL,
    ),
    Mistake(
        "the prompter leaves out what matters",
        lambda: lambda text: submit("moon" if "The word is moon" in text else "unknown"),
        lambda tree: Edit(1, settings=NOTES_ONLY),
        task=LONG,
        settings=with_(prompter=Chosen("aware", {"longest": 100})),
    ),
    Mistake(
        "the generator is told the wrong messages",
        lambda: lambda text: submit("moon" if "moon" in text else "unknown"),
        lambda tree: Edit(1, next_step="generator", next_args={"messages": [1]}),
    ),
    Mistake(
        "a tool's answer is out of date",
        lambda: (
            lambda text: (
                submit("moon" if '"moon"' in text.replace("\\", "") else "sun")
                if '"function"' in text
                else says({"name": "notes", "arguments": {}})
            )
        ),
        lambda tree: Edit(answering(tree), content='{"notes": ["moon"]}'),
        task="Submit the word that the notes say.",
    ),
    Mistake(
        "the task itself is wrong",
        lambda: lambda text: submit("moon" if "moon" in text else "moan"),
        lambda tree: Edit(1, content=TASK),
        task="Submit the word that is asked for: moan.",
    ),
)


def _other(node: Node) -> Iterator[int]:
    return (at for at in range(len(node.options)) if at != node.chosen)


def asked(model: Model) -> Callable[[Any], None]:
    def reply(one: Any) -> None:
        messages = one.server.asked[-1]["messages"]
        judged = "options" in messages[-1]["content"][:4_000] and '"so_far"' in messages[-1]["content"]
        one.stream(model("\n".join(said["content"] for said in messages[1 if judged else 2 :])))

    return reply


def begun(mistake: Mistake, owner: User) -> ModularRun:
    if mistake.name == "the generator is told the wrong messages":
        # As somebody left it who edited an exported state by hand.
        state = State(task=mistake.task, settings=dict(mistake.settings))
        loop.begin(state, "2026-01-01T00:00:00+00:00")
        state.go_on("generator", messages=[])
        run = runs.take_in(json.dumps(document.write(state)), by=owner)
        runs.go_on(run, by=owner)
        return worked(run)
    run = runs.start(Start(mistake.task, mistake.settings, Limits(steps=60), paused=True), by=owner)
    runs.go_on(run, by=owner, until=mistake.stop_at)
    return worked(run)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_a_mistake_is_mended_by_one_edit(mistake: Mistake, provider: Provider, owner: User, reviewer: User) -> None:
    provider.will_say(asked(mistake.model()))
    run = begun(mistake, owner)
    before = states.tree_of(run)
    assert (run.outcome, before.submissions) != ("achieved", ["moon"]), "nothing has gone wrong yet"
    branching.branch(run, mistake.edit(before.nodes), by=owner)
    run = worked(run)
    if run.reason == "a person has to answer":
        run = wrote(run, owner, {"name": "submit", "arguments": {"answer": "moon"}})
    if mistake.settings is BY_MODEL:
        goal = approve(run, reviewer)
        assert Goal.objects.exclude(pk=goal.pk).get().state == "dropped", "the wrong call reaches nobody any more"
        run = worked(ModularRun.objects.get(pk=run.pk))
    after = states.tree_of(run)
    assert (run.state, run.outcome, after.submissions) == (S.ENDED, "achieved", ["moon"]), run.reason
    assert ModularRun.objects.count() == 1, "without starting anew"
    assert all(after.nodes[number] == node for number, node in before.nodes.items()), "and nothing was lost"
    assert replaying.replay(run).is_same


def test_the_other_ten_go_well_by_themselves(provider: Provider, owner: User) -> None:
    model: Model = lambda text: (  # noqa: E731  # a scripted model like those above
        json.dumps({"scores": [1, 1], "chosen": 1, "why": "alike"}) if '"so_far"' in text else submit("moon")
    )
    for mistake in MISTAKES:
        provider.will_say(asked(model))
        run = begun(replace(mistake, name="", stop_at=None), owner)
        assert (run.state, run.outcome) == (S.ENDED, "achieved"), (mistake.name, run.reason)
        assert states.tree_of(run).submissions == ["moon"]
