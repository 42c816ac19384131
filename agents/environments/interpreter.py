"""The interpreter: from a goal to actions in an environment, rule by rule and line by line.

A line is an action in the environment's own words, or a sub-goal: PLAN TO, or the words of another rule's task, or a
wait. When an action is not accepted, a sub-goal fails or what is waited for does not come, its rule has failed and the
next applicable one is tried with what is believed then. A rule whose last line is its own goal again does not go
deeper. When no rule is left the fallback, if there is one, chooses an action.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.environments.beliefs import Beliefs
from agents.environments.choosing import Choice, Library, Support, goal_of, goal_text
from agents.environments.cutting import atomic_beliefs
from agents.environments.entailing import Entailment, structured
from agents.environments.environment import Environment, Percept
from agents.environments.guarding import EnvironmentFailure, Guarded
from agents.environments.policies import Outcome, Policy, Situation
from agents.environments.watching import Unwatched, Watch
from agents.rules.bodies import fill_subgoal
from agents.rules.grammar import BodyLine, Context, Rule
from agents.rules.waits import Wait
from agents.toolkit.wording.words import Text

# Who chose an action, besides the policies by their names; and what stands in the place of a rule where none did.
RULE, FALLBACK = "rule", "fallback"
_UNWATCHED = Unwatched()


@dataclass(frozen=True)
class Limits:
    """When a run ends or a rule is given up.

    `steps` actions in all; `depth` goals below each other; `repeats` choices of the same rule, with the same values,
    for the same goal while the same is perceived, and `failures` of them whatever is perceived; `memory` steps until
    what was seen is forgotten; `answer_s` seconds for the environment to answer.
    """

    steps: int = 100
    depth: int = 12
    repeats: int = 3
    failures: int = 2
    memory: int = 60
    answer_s: float = 30.0


@dataclass(frozen=True)
class Action:
    """One action, who chose it and why: `by` is "rule" or the name of the fallback policy. `rule` and `line` (in its
    file) are the rule's, or “fallback” and 0; `why` is what held the contexts of the rule.
    """

    number: int
    text: str
    goals: tuple[str, ...]
    rule: str
    line: int
    why: tuple[Support, ...]
    percept: Percept
    score: float
    by: str = RULE


@dataclass(frozen=True)
class Run:
    """What was done, and how it ended: `reason` is one word, `detail` a sentence. `score` is 0 to 1, and so is
    `score_before`, the one before anything was done.
    """

    actions: tuple[Action, ...]
    score: float
    reason: str
    detail: str
    rules_used: frozenset[str]
    score_before: float = 0.0


def run(
    environment: Environment,
    goal: str,
    rules: Sequence[Rule],
    *,
    entails: Entailment = structured,
    limits: Limits = Limits(),
    fallback: Policy | None = None,
    record: Mapping[str, float] | None = None,
    watch: Watch = _UNWATCHED,
) -> Run:
    """Pursue a goal until it is reached, nothing is left to try, or a limit is met.

    `fallback` chooses an action when no rule applies; one that needs a simulation acts in nothing else. `watch` looks
    on; what it raises is raised here.
    """
    return _Interpreter(environment, Library(rules, entails, record), limits, fallback, watch).run(goal)


@dataclass
class _Frame:
    """A goal that is pursued: the choice made for it, its next line, how many steps that has waited, and the choices
    that have failed.
    """

    goal: Text
    choice: Choice | None = None
    next_line: int = 0
    waited: int = 0
    failed: set[object] = field(default_factory=set)

    def begin_again(self, goal: Text) -> None:
        self.goal, self.failed = goal, set()
        self.choose(None)

    def choose(self, choice: Choice | None) -> None:
        self.choice, self.next_line, self.waited = choice, 0, 0


class _Ended(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class _Interpreter:
    def __init__(
        self, environment: Environment, library: Library, limits: Limits, fallback: Policy | None, watch: Watch
    ) -> None:
        self._environment = Guarded(environment, limits.answer_s)
        self._watch = watch
        self._library, self._limits, self._fallback = library, limits, fallback
        self._beliefs = Beliefs(limits.memory)
        self._stack: list[_Frame] = []
        self._actions: list[Action] = []
        self._used: set[str] = set()
        self._chosen: Counter[object] = Counter()
        self._failed: Counter[object] = Counter()
        # How often the fallback chose which action while the same was perceived; and its choice that is not judged yet.
        self._tried: defaultdict[object, Counter[str]] = defaultdict(Counter)
        self._open: tuple[Situation, str, float] | None = None
        self._score = 0.0
        # The first thing that went wrong since the last action: why nothing is left, if nothing is.
        self._trouble: tuple[str, str] | None = None

    def run(self, goal: str) -> Run:
        self._stack = [_Frame(goal_text(goal))]
        before = 0.0
        try:
            percept = self._environment.perceive()
            self._take(percept)
            before = self._score
            self._watch.began(percept, before)
            if percept.is_over:
                raise _Ended("over", "the environment takes no action")
            while self._stack:
                self._go_on(self._stack[-1])
            reason, detail = "finished", "every line of the rule was done"
        except _Ended as end:
            reason, detail = end.reason, end.detail
        except EnvironmentFailure as failure:
            reason, detail = failure.reason, str(failure)
        self._judge_choice(None)
        return Run(tuple(self._actions), self._score, reason, detail, frozenset(self._used), before)

    def _go_on(self, frame: _Frame) -> None:
        if frame.choice is None:
            self._choose(frame)
        elif frame.next_line == len(frame.choice.rule.body):
            self._stack.pop()
        else:
            line = frame.choice.rule.body[frame.next_line]
            if line.wait is not None:
                self._wait(frame, frame.choice, line, line.wait)
            else:
                frame.next_line += 1
                self._follow(frame, frame.choice, line)

    def _choose(self, frame: _Frame) -> None:
        passed: dict[object, str] = {}
        for choice in self._library.choices(frame.goal, self._beliefs):
            if choice.key in frame.failed:
                passed[choice.key] = "it has failed for this goal"
                continue
            again = (frame.goal.raw, choice.key, self._beliefs.now)
            if self._is_loop(again):
                passed[choice.key] = "it was chosen again and again and nothing changed"
                self._note("loop", f"“{choice.rule.name}” was chosen again and again and nothing changed")
                continue
            self._chosen[again] += 1
            self._used.add(choice.rule.name)
            frame.choose(choice)
            self._watch.decided(self._library, frame.goal, self._beliefs, choice, passed)
            return
        self._watch.decided(self._library, frame.goal, self._beliefs, None, passed)
        self._note("no_applicable_rule", f"no rule is applicable for “{frame.goal.raw}”")
        self._give_up()

    def _is_loop(self, again: tuple[str, object, object]) -> bool:
        goal, choice, _ = again
        return self._chosen[again] >= self._limits.repeats or self._failed[goal, choice] >= self._limits.failures

    def _fail(self, frame: _Frame) -> None:
        """Give the choice up; others may be left."""
        if frame.choice is not None:
            frame.failed.add(frame.choice.key)
            self._failed[frame.goal.raw, frame.choice.key] += 1
        frame.choose(None)

    def _give_up(self) -> None:
        """The goal on top cannot be reached: the rule that asked for it has failed, or the whole run."""
        if len(self._stack) > 1:
            self._stack.pop()
            self._fail(self._stack[-1])
            return
        frame = self._stack[0]
        if self._fallback is None:
            raise _Ended(*(self._trouble or ("no_applicable_rule", "nothing is left to try")))
        self._act_by(self._fallback, frame)
        frame.begin_again(frame.goal)

    def _act_by(self, policy: Policy, frame: _Frame) -> None:
        """Do what the policy chooses. First tell it the outcome of its last choice, rules since then included."""
        if policy.needs_simulation and not self._environment.is_simulation:
            raise _Ended("not_a_simulation", f"the policy “{policy.name}” acts in simulations only")
        self._before_action()
        tried = self._tried[self._beliefs.now]
        situation = Situation(frame.goal.raw, self._beliefs.all(), self._environment.actions(), dict(tried))
        self._judge_choice(situation)
        action = policy.choose(situation)
        if action is None:
            raise _Ended(*(self._trouble or ("no_applicable_rule", "nothing is left to try")))
        tried[action] += 1
        self._open = situation, action, self._score
        self._act(action, FALLBACK, 0, (), by=policy.name)

    def _judge_choice(self, after: Situation | None) -> None:
        if self._open is not None and self._fallback is not None:
            before, action, score = self._open
            self._open = None
            self._fallback.learn(Outcome(before, action, self._score - score, after))

    def _follow(self, frame: _Frame, choice: Choice, line: BodyLine) -> None:
        try:
            if line.subgoal:
                self._pursue(frame, choice, goal_of(line, choice.values))
                return
            action, _ = fill_subgoal(line.text, choice.values)
        except KeyError as slot:
            self._note("open_slot", f"{slot} has no value in “{line.text}”")
            self._fail(frame)
            return
        self._before_action()
        if not self._act(action, choice.rule.name, line.line, choice.why):
            self._note("action_refused", f"“{action}” was not accepted")
            self._fail(frame)

    def _wait(self, frame: _Frame, choice: Choice, line: BodyLine, wait: Wait) -> None:
        """Go on to the next line when what is waited for holds by what is believed now; else let one step pass."""
        if wait.seconds is not None:
            self._note("wait_in_time", f"an environment counts steps, so AT MOST {wait.limit} cannot be waited")
            self._fail(frame)
            return
        try:
            held = self._library.support(Context(line.text, wait.negated, line.line), choice.values, self._beliefs)
        except KeyError as slot:
            self._note("open_slot", f"{slot} has no value in “{line}”")
            self._fail(frame)
            return
        if held is not None:
            frame.next_line, frame.waited = frame.next_line + 1, 0
        elif frame.waited >= wait.most:
            self._note("waited_in_vain", f"“{line.text}” did not come to hold within {wait.limit}")
            self._fail(frame)
        else:
            frame.waited += 1
            self._before_action()
            if not self._act(self._environment.wait_action, choice.rule.name, line.line, choice.why):
                self._note("action_refused", f"“{self._environment.wait_action}” was not accepted")
                self._fail(frame)

    def _pursue(self, frame: _Frame, choice: Choice, goal: Text) -> None:
        if goal.raw == frame.goal.raw and frame.next_line == len(choice.rule.body):
            frame.begin_again(goal)
        elif len(self._stack) >= self._limits.depth:
            self._note("too_deep", f"more than {self._limits.depth} goals below each other at “{goal.raw}”")
            self._fail(frame)
        else:
            self._stack.append(_Frame(goal))

    def _act(self, action: str, rule: str, line: int, why: tuple[Support, ...], by: str = RULE) -> bool:
        percept = self._environment.act(" ".join(action.split()))
        goals = tuple(frame.goal.raw for frame in self._stack)
        self._take(percept)
        done = Action(len(self._actions) + 1, action, goals, rule, line, why, percept, self._score, by)
        self._actions.append(done)
        self._watch.acted(done)
        self._trouble = None
        if percept.is_over:
            raise _Ended("over", "the environment takes no further action")
        return percept.accepted

    def _before_action(self) -> None:
        if len(self._actions) >= self._limits.steps:
            raise _Ended("step_limit", f"{self._limits.steps} actions are the limit")
        self._watch.before_action(len(self._actions) + 1, self._beliefs)

    def _take(self, percept: Percept) -> None:
        self._beliefs.perceive(atomic_beliefs(percept.text))
        self._score = self._environment.score()

    def _note(self, reason: str, detail: str) -> None:
        self._trouble = self._trouble or (reason, detail)
