"""What a plan depends on: the contexts of its rules that should hold at a step, and those that no longer do. Pure.

A plan changes the world on purpose: “there is no folder named tides” is false after its own first step, and no reason
to give it up. A context is looked at where the steps done so far, as they were predicted, leave it true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.beliefs.revision import predict
from agents.bdi.plans.document import IntentSpec
from agents.rules.entailment import entails
from agents.toolkit.references import is_reference
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.types import Belief

# Where beliefs come from that nobody can look up again: what rests on these alone is gone when they are.
_TOLD = frozenset({"person", "experience", "default"})


@dataclass(frozen=True)
class Ground:
    """A context that a rule of the plan was applicable by, from its root; "NOT …" when it had to be false.

    It matters up to step `last` of the plan, those of its sub-goal. `beliefs` are the sentences that entailed it when
    the plan was made, without what its own steps were only expected to bring about. `told`: nothing that was perceived
    is among them.
    """

    sentence: str
    rule: str
    last: int
    beliefs: tuple[str, ...]
    told: bool = False


@dataclass(frozen=True)
class Loss:
    """A ground that is gone: the belief that speaks against it, or None when nothing shows it any more."""

    ground: Ground
    against: Belief | None


def grounds_of(evidence: Mapping[str, Any], rules_of_steps: Sequence[str]) -> tuple[Ground, ...]:
    """Read the grounds from a plan's evidence; `rules_of_steps` names the rule of each main step, in order.

    Evidence of a model's or a person's plan holds no contexts, so such a plan stands on nothing that could go.
    """
    known = [(str(b.get("sentence", "")), str(b.get("source", ""))) for b in _objects(evidence.get("beliefs"))]
    found: list[Ground] = []
    above: list[str] = []
    for node in (evidence, *_objects(evidence.get("subgoals"))):
        rule = node.get("rule")
        # As steps name the rule they are of.
        name = f"{rule.get('name', '')} {rule.get('version', '')}" if isinstance(rule, Mapping) else ""
        depth = node.get("depth", 0)
        del above[depth if isinstance(depth, int) and depth >= 0 else 0 :]
        first = node.get("first_step", 1)
        first = first if isinstance(first, int) else 1
        last = _last_step(first, frozenset(above), rules_of_steps) if above else len(rules_of_steps)
        above.append(name)
        for context in _objects(node.get("contexts")):
            carried = [known[number] for number in _carriers(context) if number < len(known)]
            sentence = str(context.get("sentence", ""))
            if sentence and carried:
                told = all(source in _TOLD for _, source in carried)
                now = tuple(said for said, source in carried if source != "inference")
                found.append(Ground(sentence, name, last, now, told))
    return tuple(found)


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list | tuple) else iter(())


def _carriers(context: Mapping[str, Any]) -> Iterator[int]:
    for cell in _objects(context.get("cells")):
        number = cell.get("belief")
        if cell.get("answer") == "yes" and isinstance(number, int) and number >= 0:
            yield number


def _last_step(first: int, above: frozenset[str], rules_of_steps: Sequence[str]) -> int:
    """The last step before one of a rule that asked for this sub-goal: then the sub-goal is over."""
    last = first - 1
    while last < len(rules_of_steps) and rules_of_steps[last] not in above:
        last += 1
    return max(last, first)


@dataclass(frozen=True)
class Standing:
    """The grounds of a plan, and the beliefs that carried them as the steps so far were predicted to leave them."""

    grounds: tuple[Ground, ...]
    predicted: tuple[Belief, ...]

    def after(self, spec: IntentSpec, registry: Registry) -> Standing:
        """The same after one more step has succeeded."""
        if not self.grounds:
            return self
        try:
            command = registry.command(spec.tool, spec.command)
        except UnknownTool:
            return self
        values = {name: value for name, value in spec.params.items() if not is_reference(value)}
        return Standing(self.grounds, predict(command, values, self.predicted))

    def expected(self, position: int) -> tuple[Ground, ...]:
        """The grounds that should hold before the step at `position`, each once."""
        due = [ground for ground in self.grounds if position <= ground.last and self._is_predicted(ground)]
        return tuple({ground.sentence: ground for ground in reversed(due)}.values())[::-1]

    def _is_predicted(self, ground: Ground) -> bool:
        return any(_answers(belief, ground) == "yes" for belief in self.predicted)


def begun(grounds: tuple[Ground, ...]) -> Standing:
    """Where a plan stands before its first step."""
    sentences = dict.fromkeys(sentence for ground in grounds for sentence in ground.beliefs)
    return Standing(grounds, tuple(Belief(sentence, "inference") for sentence in sentences))


def losses(expected: Iterable[Ground], beliefs: Sequence[Belief]) -> tuple[Loss, ...]:
    """The grounds that are gone: a belief speaks against one and none for it; or it was told, and nobody says so now.

    A context about which perception is silent is not gone: silence is no reason to drop an intention.
    """
    found = []
    held = {belief.sentence: belief for belief in beliefs}
    for ground in expected:
        against: Belief | None = None
        holds = False
        # What carried it when the plan was made most often still does, and one that does is enough.
        first = [held[sentence] for sentence in ground.beliefs if sentence in held]
        for belief in (*first, *beliefs):
            answer = _answers(belief, ground)
            if answer == "yes":
                holds = True
                break
            if answer == "no" and (against is None or belief.confidence > against.confidence):
                against = belief
        if not holds and (against is not None or ground.told):
            found.append(Loss(ground, against))
    return tuple(found)


def _answers(belief: Belief, ground: Ground) -> str:
    verdict = entails(belief.sentence, ground.sentence.removeprefix("NOT "))
    return verdict.negated().answer if ground.sentence.startswith("NOT ") else verdict.answer
