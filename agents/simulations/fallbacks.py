"""Who chooses an action of a run where no rule does: the policy that the run was started with."""

from __future__ import annotations

from agents.actors.environment_actions import policy_for
from agents.environments.policies import LANGUAGE_MODEL, LEARNED, PERSON, Outcome, Policy, Situation
from agents.models import EnvironmentRun
from agents.simulations import learned_policies
from agents.simulations.recording import Recorder


class OnThePage:
    """A person who answers on the page or by the API; until then the run has no worker."""

    name, needs_simulation = PERSON, False

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def choose(self, situation: Situation) -> str | None:
        """The answer. Raises Suspended where nobody has answered yet."""
        return self._recorder.asks(situation)

    def learn(self, outcome: Outcome) -> None:
        """People learn by themselves."""


def fallback_of(run: EnvironmentRun, recorder: Recorder) -> Policy | None:
    """The policy of a run; None without one. Raises PolicyUnusable."""
    if run.fallback == LEARNED:
        policy, recorder.policy = learned_policies.stored(run.environment, run.task)
        return policy
    if run.fallback == LANGUAGE_MODEL:
        return policy_for(run.agent)
    return OnThePage(recorder) if run.fallback == PERSON else None
