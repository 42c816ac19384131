"""Planning by rules: from a goal and beliefs to steps, with the evidence for the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from agents.bdi.beliefs.revision import current_folder, predict, revise
from agents.bdi.planning import evidence
from agents.bdi.planning.cleanup import CleanupBlock, gather
from agents.bdi.planning.levels import key_of
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.misnamed import Reader, misnamed
from agents.bdi.plans.parameters import from_rule, waiting_params
from agents.bdi.plans.waits import is_wait
from agents.rules.binding import MAX_MATCHES, proposals, unfit_for_belief
from agents.rules.bodies import fill_subgoal, reading_of, with_subgoals
from agents.rules.cascade import Judge, Likely
from agents.rules.file_sets import items_in
from agents.rules.grammar import BodyLine, Rule, Rules
from agents.rules.looping import Look, NoItems, NoneOfThem, TooManyItems, belief_about, set_of, slots_of_line, values
from agents.rules.selection import Judgement, KnownRule, Relevant, SlotValue, judge, relevant_rules
from agents.rules.sentences import at
from agents.rules.speaking import Speaking
from agents.toolkit.references import shifted
from agents.toolkit.registry import Registry
from agents.toolkit.types import Belief, NoPlan, Param, PlanDraft, Step
from agents.toolkit.wording.words import Text, read_text

__all__ = ["KnownRule", "plan"]

MAX_STEPS = 50
# Where a rule's own slots get their words from: what a rule itself says is the linter's business.
_FROM_SLOTS = frozenset({"rule_slot", "belief"})
# Why a rule that matches in all is not used: it would do more than one plan may.
OVER_LIMIT = "over_limit"
# Why a rule that matches in all is not used: there is none of the files that the goal describes.
NO_SUCH_FILES = "no_such_files"
_LIMITS = frozenset({"too_many_steps", "too_many_files", OVER_LIMIT})
# A library in which everything matches everything must end in an answer, not in a long wait.
MAX_TRIES = 300


@dataclass(frozen=True)
class _Goal:
    """A goal or sub-goal to be expanded: its text, where its values came from, and which goals asked for it."""

    said: str
    text: Text
    origins: Mapping[tuple[int, int], SlotValue]
    stack: tuple[tuple[str, str], ...] = ()
    # Steps before it change files, so that nobody can say which there will be.
    files_change: bool = False

    @property
    def depth(self) -> int:
        return len(self.stack)


@dataclass(frozen=True)
class _Expansion:
    steps: tuple[Step, ...]
    cleanup: tuple[CleanupBlock, ...]
    beliefs: tuple[Belief, ...]


@dataclass(frozen=True)
class _Group:
    """A relevant rule, judged with each set of values that its contexts take from beliefs; mostly there is just one."""

    all: tuple[Judgement, ...]
    is_cut: bool

    @cached_property
    def nearest(self) -> Judgement:
        """The first that applies, else the first of those with most contexts that hold."""
        return max(self.all, key=lambda one: sum(judged.holds for judged in one.contexts))

    @property
    def notes(self) -> dict[int, str]:
        """What is said of each beside the reason why it was not used."""
        limit = f"; only the first {MAX_MATCHES} are tried" if self.is_cut else ""
        many = len(self.all)
        if many == 1 and not limit:
            return {}
        return {id(one): f"match {number} of {many} with beliefs{limit}" for number, one in enumerate(self.all, 1)}


class _Rejected(Exception):
    """A rule cannot serve the goal: a code, why in words, and the cause at the bottom when a sub-goal failed."""

    def __init__(self, code: str, why: str, line: int | None = None, cause: str = "") -> None:
        super().__init__(why)
        self.code, self.why, self.line, self.cause = code, why, line, cause or why


@dataclass(frozen=True)
class _Failure:
    """No rule could serve a goal: one word, and the cause at the bottom in words."""

    reason: str
    cause: str


def plan(
    goal_text: str,
    rules: Sequence[KnownRule],
    beliefs: Sequence[Belief],
    registry: Registry,
    max_depth: int = 8,
    chosen: Mapping[str, str] | None = None,
    judge_by: Sequence[Judge] = (),
    look: Look | None = None,
    read: Reader | None = None,
    judge_all: bool = False,
) -> PlanDraft | NoPlan:
    """Return the steps of the first rule, in the order of selection, whose body compiles down to commands.

    `chosen` names by key (`levels.key_of`) the version id of the only rule that may serve that goal or sub-goal,
    because a reviewer said so. `judge_by` are models, by stage, that are asked about contexts which nothing proves or
    disproves; `judge_all` asks them also about contexts of rules that cannot be used any more, for people who look on.
    `look` tells which files a set holds that steps are for; without it only sets that a belief lists can
    be used. `read` gives the beginnings of files: a rule whose slot took the name of no column is not used; a file that
    a step before may change is not looked at. Sub-goals are planned against the beliefs as the steps before them are
    predicted to leave them, and from the folder that these steps end in. `evidence` (JSON-able) holds the goal, the
    chosen rule, slots, the contexts × beliefs matrix, every relevant rule with its outcome, the rejected ones with
    their reason, the sub-goals in order, and the beliefs.
    """
    likely = Likely(judge_by) if judge_by else None
    planner = _Planner(tuple(rules), registry, max_depth, chosen or {}, likely, look, read, judge_all)
    goal = _Goal(goal_text, read_text(goal_text), {})
    expansion = planner.expand(goal, tuple(beliefs), offset=0)
    found = planner.log.document(goal_text)
    if isinstance(expansion, _Failure):
        return NoPlan(expansion.reason, found)
    return PlanDraft(link(expansion.steps, registry), gather(expansion.cleanup, registry), "rule", found)


@dataclass
class _Planner:
    rules: tuple[KnownRule, ...]
    registry: Registry
    max_depth: int
    chosen: Mapping[str, str]
    likely: Likely | None = None
    look: Look | None = None
    read: Reader | None = None
    judge_all: bool = False
    tries: int = 0
    filed: Speaking | None = None
    log: evidence.Log = field(default_factory=evidence.Log)

    @cached_property
    def texts(self) -> Rules:
        """The rules without their versions."""
        return Rules(known.rule for known in self.rules)

    def expand(self, goal: _Goal, beliefs: tuple[Belief, ...], offset: int) -> _Expansion | _Failure:
        """Return the expansion of a goal, or why there is none. `offset` steps come before it in the plan."""
        cwd = current_folder(beliefs)
        groups = self._judged(goal, beliefs, cwd)
        judged = [group.nearest for group in groups]
        node = self.log.open(goal.said, judged, beliefs, cwd, goal.depth, offset)
        for group in groups:
            node.notes |= group.notes
        usable = [group for group in groups if not self._rejected_for_a_value(group.nearest, node)]
        candidates = self._candidates(usable, self.chosen.get(key_of(goal.said, cwd)))
        cause = limit = none = ""
        for number, one in enumerate(candidates):
            mark = self.log.mark()
            node.consider(one)
            try:
                expansion = self._compile(one.relevant, goal, beliefs, offset, cwd)
            except _Rejected as rejected:
                self.log.back_to(mark)
                node.reject(one, rejected.code, rejected.why, rejected.line)
                cause = cause or rejected.cause
                limit = limit or (rejected.cause if rejected.code in _LIMITS else "")
                none = none or (rejected.cause if rejected.code == NO_SUCH_FILES else "")
                continue
            node.choose(one, [other for other in candidates[number + 1 :] if not _is_same_rule(one, other)])
            return expansion
        if limit:
            return _Failure(OVER_LIMIT, limit)
        if none:
            return _Failure(NO_SUCH_FILES, none)
        return _Failure(_reason(judged, usable, candidates), cause or node.first_reason())

    def _judged(self, goal: _Goal, beliefs: tuple[Belief, ...], cwd: str) -> list[_Group]:
        """Every relevant rule, judged with the values that the goal says or a belief gives."""
        relevant = [self._with_origins(match, goal) for match in relevant_rules(goal.text, self.rules, self.registry)]
        asks = self.likely is not None
        found = [proposals(one, self.texts, self.registry, beliefs, cwd, asks_models=asks) for one in relevant]
        said = [belief.sentence for belief in beliefs]
        self.filed = filed = self.filed.now(said) if self.filed is not None else Speaking(said)
        likely = self.likely.now(said) if self.likely is not None else None
        groups = []
        for each in found:
            # Of many ways to fill a rule none is worth asking a model about.
            asked = likely if len(each.relevant) == 1 else None
            judged = (judge(one, beliefs, cwd, filed, asked, judge_all=self.judge_all) for one in each.relevant)
            groups.append(_Group(tuple(judged), each.is_cut))
        return groups

    @staticmethod
    def _candidates(usable: Sequence[_Group], only: str | None) -> list[Judgement]:
        """The rules that apply, in the order in which they are tried; just the version `only` where one was chosen."""
        applicable = [one for group in usable for one in group.all if one.applicable]
        if only:
            applicable = [one for one in applicable if one.relevant.known.version_id == only]
        return sorted(applicable, key=lambda one: one.order)

    def _with_origins(self, match: Relevant, goal: _Goal) -> Relevant:
        """Give the values of a sub-goal's slots the spans in the goal text that they were first read from."""
        if not goal.depth:
            return match
        slots = {}
        for name, slot in match.slots.items():
            origin = goal.origins.get(slot.span) if slot.span else None
            span = origin.span if origin else None
            slots[name] = SlotValue(slot.value, slot.kind, span, slot.problem, _belief_within(slot, goal))
        return Relevant(match.known, match.trigger, slots, match.literal_words)

    def _rejected_for_a_value(self, judgement: Judgement, node: evidence.Node) -> bool:
        problem = next((slot.problem for slot in judgement.relevant.slots.values() if slot.problem), "")
        if problem:
            node.reject(judgement, "unusable_value", problem)
        return bool(problem)

    def _compile(
        self, match: Relevant, goal: _Goal, beliefs: tuple[Belief, ...], offset: int, start: str
    ) -> _Expansion:
        self.tries += 1
        if self.tries > MAX_TRIES:
            raise _Rejected(
                "search_limit", f"more than {MAX_TRIES} rules were tried; make triggers or contexts more specific"
            )
        rule = with_subgoals(match.known.rule, self.texts, self.registry)
        steps: list[Step] = []
        cleanup: list[CleanupBlock] = []
        positions: dict[int, int] = {}
        beliefs = (*beliefs, *self._sets(rule, match, goal, beliefs))
        for number, line in enumerate(rule.body, start=1):
            for each in self._turns(line, match, beliefs):
                if line.subgoal:
                    inner = self._subgoal(line, each, goal, beliefs, offset + len(steps), steps)
                    steps.extend(inner.steps)
                    cleanup = [*inner.cleanup, *cleanup]
                    beliefs = inner.beliefs
                else:
                    step = self._step(line, each, positions)
                    self._check_named(line, step, goal, beliefs, steps)
                    steps.append(step)
                    # What is done several times gives no one result.
                    positions |= {number: offset + len(steps)} if line.loop is None or line.loop.at_once else {}
                    beliefs = predict(self.registry.command(step.tool, step.command), step.values(), beliefs)
                    beliefs = _with_awaited(line, step, beliefs)
                if offset + len(steps) > MAX_STEPS:
                    raise _Rejected("too_many_steps", self._too_many_steps(line, match, beliefs), line.line)
        if rule.on_failure:
            own = tuple(self._step(line, match, positions) for line in rule.on_failure)
            cleanup.append(CleanupBlock(start, own))
        return _Expansion(tuple(steps), tuple(cleanup), beliefs)

    def _sets(self, rule: Rule, match: Relevant, goal: _Goal, beliefs: tuple[Belief, ...]) -> Iterator[Belief]:
        """What is believed of the files that the rule has steps for; all are looked for before its first step."""
        for line in rule.body:
            if line.loop is None:
                continue
            self._no_open_slot(line, match)
            if goal.files_change:
                why = "steps before it change files, so nobody can say yet which files it would be for"
                raise _Rejected("unknown_files", why, line.line)
            at = next((one.at for one in beliefs if one.at), "")
            try:
                found = belief_about(set_of(line.loop, match.values()), beliefs, self.look, at)
            except NoItems as error:
                raise _Rejected("no_files", str(error), line.line) from error
            if found not in beliefs:
                self.log.add(found)
                yield found

    def _turns(self, line: BodyLine, match: Relevant, beliefs: tuple[Belief, ...]) -> Iterator[Relevant]:
        """The match for each time that a line is done: once, or for every item of its set."""
        if line.loop is None:
            yield match
            return
        of = set_of(line.loop, match.values())
        try:
            for slots in values(line.loop, of, belief_about(of, beliefs, None, ""), current_folder(beliefs)):
                yield replace(match, slots={**match.slots, **slots})
        except NoItems as error:
            codes = {TooManyItems: "too_many_files", NoneOfThem: NO_SUCH_FILES}
            raise _Rejected(codes.get(type(error), "no_files"), str(error), line.line) from error

    @staticmethod
    def _too_many_steps(line: BodyLine, match: Relevant, beliefs: tuple[Belief, ...]) -> str:
        most = f"a plan has {MAX_STEPS} steps at most"
        if line.loop is None:
            return f"the steps would be more, and {most}"
        of = set_of(line.loop, match.values())
        items = items_in(belief_about(of, beliefs, None, "").sentence, of)
        return f"{of.sentence()} are {len(items.paths) if items else 'too many'}, each a step of its own, and {most}"

    def _subgoal(
        self,
        line: BodyLine,
        match: Relevant,
        goal: _Goal,
        beliefs: tuple[Belief, ...],
        offset: int,
        before: Sequence[Step],
    ) -> _Expansion:
        self._no_open_slot(line, match)
        said, atoms = fill_subgoal(line.text, match.values())
        entry = (" ".join(said.casefold().split()), current_folder(beliefs))
        if entry in goal.stack:
            raise _Rejected("circular", f"“{said}” would need itself", line.line)
        if goal.depth + 1 >= self.max_depth:
            raise _Rejected("too_deep", f"sub-goals are nested more than {self.max_depth} deep at “{said}”", line.line)
        origins = {span: match.slots[slot] for span, slot in atoms.items()}
        changed = any(self._changes_files(one) for one in before)
        inner = _Goal(
            said, read_text(said, atoms=tuple(atoms)), origins, (*goal.stack, entry), goal.files_change or changed
        )
        expansion = self.expand(inner, beliefs, offset)
        if isinstance(expansion, _Failure):
            why = f"the sub-goal “{said}” {_SUBGOAL_REASONS[expansion.reason]}"
            cause = expansion.cause or why
            code = expansion.reason if expansion.reason in (OVER_LIMIT, NO_SUCH_FILES) else "subgoal"
            raise _Rejected(code, why if cause == why else f"{why}: {cause}", line.line, cause)
        return expansion

    def _changes_files(self, step: Step) -> bool:
        """Whether other files may be there behind a step; while one waits, people change them."""
        command = self.registry.command(step.tool, step.command)
        return command.effect != "idempotent" or is_wait(step.tool, step.command)

    def _step(self, line: BodyLine, match: Relevant, positions: Mapping[int, int]) -> Step:
        reading = reading_of(line, self.registry)
        if reading is None and line.wait is not None:
            raise _Rejected("wait_in_steps", f"a plan counts no steps of an environment, as “{line}” does", line.line)
        if reading is None:
            raise _Rejected("unknown_phrase", f"no command is said “{line.text}”", line.line)
        self._no_open_slot(line, match)
        known = match.known
        from_beliefs = {name for name, slot in match.slots.items() if slot.belief}
        if unfit := unfit_for_belief(reading.command, reading.values, from_beliefs):
            why = f"{{{unfit}}} is taken from a belief, which never is a program or a host"
            raise _Rejected("belief_as_command", why, line.line)
        fill = waiting_params if line.wait is not None else from_rule
        params = fill(reading.command, reading.values, match.slots, known.name)
        try:
            bound = {name: _at_position(param, positions) for name, param in params.items()}
        except KeyError as error:
            raise _Rejected("reference", f"“{line.text}” refers to a step that is not before it", line.line) from error
        why = line.why or f"The rule “{known.name}” says: {line if line.wait is not None else line.text}"
        return Step(reading.command.tool, reading.command.name, bound, why, f"{known.name} {known.version}".strip())

    def _check_named(
        self, line: BodyLine, step: Step, goal: _Goal, beliefs: tuple[Belief, ...], before: Sequence[Step]
    ) -> None:
        """A slot takes whatever words stand in its place: they must name what the command takes there."""
        changed = goal.files_change or any(self._changes_files(one) for one in before)
        command = self.registry.command(step.tool, step.command)
        read = None if changed else self.read
        for name, why in misnamed(command, step.values(), read, current_folder(beliefs)):
            if step.params[name].origin in _FROM_SLOTS:
                raise _Rejected("misnamed_value", why, line.line)

    def _no_open_slot(self, line: BodyLine, match: Relevant) -> None:
        missing = next((slot for slot in slots_of_line(line) if slot not in match.slots), None)
        if missing:
            raise _Rejected("open_slot", f"the goal does not say {{{missing}}}, which “{line.text}” needs", line.line)


def _with_awaited(line: BodyLine, step: Step, beliefs: tuple[Belief, ...]) -> tuple[Belief, ...]:
    """With what a step that waits is expected to end with; what was to be false is nothing that could be said."""
    if line.wait is None or line.wait.negated:
        return beliefs
    said = at(str(step.values()["context"]), current_folder(beliefs)).rstrip(".")
    return revise(beliefs, [Belief(f"{said[:1].upper()}{said[1:]}.", "inference")])


def _is_same_rule(one: Judgement, other: Judgement) -> bool:
    return one.relevant.known is other.relevant.known


def _belief_within(slot: SlotValue, goal: _Goal) -> str:
    """The belief that a sub-goal's value is taken from, if only in part."""
    if slot.span is None:
        return ""
    start, end = slot.span
    parts = (origin.belief for span, origin in goal.origins.items() if span[0] < end and start < span[1])
    return next(filter(None, parts), "")


def _at_position(param: Param, positions: Mapping[int, int]) -> Param:
    value: Any = shifted(param.value, positions)
    return param if value == param.value else Param(value, param.origin, note=param.note)


_SUBGOAL_REASONS = {
    "no_relevant_rule": "has no rule about it",
    "no_applicable_rule": "has rules, but none applies then",
    "no_rule_compiled": "has rules, but none of their bodies can be planned",
    OVER_LIMIT: "is more than one plan may do",
    NO_SUCH_FILES: "is about files of which there are none",
    "unusable_value": "has a value that cannot be used",
}


def _reason(judged: Sequence[Judgement], usable: Sequence[_Group], candidates: Sequence[Judgement]) -> str:
    if not judged:
        return "no_relevant_rule"
    if not usable:
        return "unusable_value"
    return "no_rule_compiled" if candidates else "no_applicable_rule"
