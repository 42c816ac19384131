"""Checking rules before they are used: what cannot work (error), what may surprise (warning), what is good to know
(hint).
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.rules.binding import Binding, bindings_of, pattern_of, unfit_for_belief
from agents.rules.bodies import (
    as_task,
    compile_line,
    named_by,
    names,
    reading_of,
    slot_kinds,
    slots_in,
    with_subgoals,
)
from agents.rules.entailment import decidable, entails
from agents.rules.file_sets import UnreadableSet, read_set
from agents.rules.grammar import BodyLine, Context, Rule, Rules
from agents.rules.looping import loop_slots, slots_of_line
from agents.rules.loops import loop_of
from agents.rules.naming import path_problem
from agents.rules.waits import Wait
from agents.toolkit.command import Command
from agents.toolkit.hosts import host_problem
from agents.toolkit.phrases import Reading, typed
from agents.toolkit.references import parse_reference
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import HOSTS_KIND, PATH_KINDS, problems
from agents.toolkit.wording.kinds import OF_SEVERAL_WORDS
from agents.toolkit.wording.slots import TemplateError, compile_template
from agents.toolkit.wording.words import NOISE, fold, read_text, unescape

SEVERITIES = ("error", "warning", "hint")
LONG_CONTEXT = 200
_WAIT_UNTIL = re.compile(r"wait\s+until\b", re.IGNORECASE)


@dataclass(frozen=True)
class LintProblem:
    """Something about a rule. `line` is the line in its text, `severity` error, warning or hint; the message says the
    way out.
    """

    rule: str
    line: int
    code: str
    severity: str
    message: str


def lint(rules: Sequence[Rule], registry: Registry, known_triggers: Sequence[str] = ()) -> list[LintProblem]:
    """Return the problems of rules that can be read. `known_triggers` are the triggers of rules elsewhere in the
    library.
    """
    everything = Rules(rules)
    return _in_order(
        problem
        for number, rule in enumerate(everything)
        for problem in _of_one(rule, everything[:number], everything, registry, known_triggers)
    )


def lint_among(rule: Rule, others: Sequence[Rule], registry: Registry) -> list[LintProblem]:
    """Return the problems of one rule beside others, as `lint` finds them of the last of all these; what is wrong with
    the others is not looked for.
    """
    return _in_order(_of_one(rule, tuple(others), Rules((*others, rule)), registry, ()))


def _of_one(
    rule: Rule, earlier: tuple[Rule, ...], everyone: tuple[Rule, ...], registry: Registry, known_triggers: Sequence[str]
) -> Iterator[LintProblem]:
    yield from _slots(rule, everyone, registry)
    yield from _contexts(rule)
    resolved = with_subgoals(rule, everyone, registry)
    for line in (*resolved.body, *resolved.on_failure):
        if line.wait is not None:
            yield from _wait(rule, line, line.wait)
            continue
        yield from _set_of_files(rule, line)
        yield from _line(resolved, line, everyone, registry, known_triggers)
    yield from _autonomous(rule, registry)
    yield from _beside(rule, earlier, everyone)


def _in_order(problems: Iterable[LintProblem]) -> list[LintProblem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.code))


def _slots(rule: Rule, rules: tuple[Rule, ...], registry: Registry) -> Iterator[LintProblem]:
    bound = set(rule.slots)
    sure = set.intersection(*(set(trigger.template.required) for trigger in rule.triggers))
    used: set[str] = set()
    for named, line in (
        *((slots_in(c.text), c.line) for c in rule.contexts),
        *((slots_of_line(b), b.line) for b in (*rule.body, *rule.on_failure)),
    ):
        for slot in named:
            used.add(slot)
            if slot not in bound and slot not in _from_beliefs(rule):
                yield _unbound(rule, line, slot)
            elif slot in bound - sure:
                message = (
                    f"Not every wording of the task says {{{slot}}}; where it is left out this rule cannot be used."
                )
                yield LintProblem(rule.name, line, "open_slot", "warning", message)
    yield from (_bound_by_belief(rule, binding, slot) for slot, binding in _from_beliefs(rule).items())
    for slot in sorted(bound - used):
        message = f"{{{slot}}} is in the task but nowhere else; what the person says there is lost."
        yield LintProblem(rule.name, rule.triggers[0].line, "unused_slot", "warning", message)
    kinds = slot_kinds(rule, rules, registry)
    for trigger in rule.triggers:
        for left, right in _neighbours(trigger.text):
            if kinds.get(left) in OF_SEVERAL_WORDS:
                message = (
                    f"Between {{{left}}} and {{{right}}} stands no word; put one there, else {{{left}}} gets one word."
                )
                yield LintProblem(rule.name, trigger.line, "unclear_boundary", "warning", message)


def _from_beliefs(rule: Rule) -> dict[str, Binding]:
    """The slots that contexts find in beliefs, each with the first context that names it."""
    return {slot: binding for binding in bindings_of(rule) for slot in binding.slots}


def _unbound(rule: Rule, line: int, slot: str) -> LintProblem:
    near = difflib.get_close_matches(slot, rule.slots, n=1)
    cannot = any(slot in slots_in(context.text) and pattern_of(context) is None for context in rule.contexts)
    hint = f"put {{{slot}}} into the task, or a fixed word here."
    if cannot:
        hint = f"a context finds it in a belief only without NOT and quotes, and with {{{slot}}} as a word of its own."
    hint = f"did you mean {{{near[0]}}}?" if near else hint
    return LintProblem(rule.name, line, "unbound_slot", "error", f"The task does not say {{{slot}}}; {hint}")


def _bound_by_belief(rule: Rule, binding: Binding, slot: str) -> LintProblem:
    """A slot that the task lacks on purpose, or by a slip of the pen."""
    near = difflib.get_close_matches(slot, rule.slots, n=1)
    said = f"The task does not say {{{slot}}}; its value is taken from a belief like “{binding.context.text}”"
    message = f"{said}. Did you mean {{{near[0]}}}?" if near else f"{said}."
    return LintProblem(rule.name, binding.context.line, "bound_by_belief", "warning" if near else "hint", message)


def _neighbours(trigger: str) -> Iterator[tuple[str, str]]:
    words = [word for word in trigger.replace("[", " ").replace("]", " ").split() if fold(word) not in NOISE]
    for left, right in pairwise(words):
        if left.startswith("{") and right.startswith("{"):
            yield left.strip("{}"), right.strip("{}")


def _contexts(rule: Rule) -> Iterator[LintProblem]:
    for number, context in enumerate(rule.contexts):
        if len(context.text) > LONG_CONTEXT:
            message = "This context is very long; is an AND missing, or a separator between two rules?"
            yield LintProblem(rule.name, context.line, "long_context", "warning", message)
        if not decidable(context.text):
            message = f"“{context.text}” fits no pattern of beliefs, so only a belief in the same words can decide it."
            yield LintProblem(rule.name, context.line, "undecidable_context", "warning", message)
        for earlier in rule.contexts[:number]:
            yield from _pair(rule, earlier, context)


def _pair(rule: Rule, earlier: Context, later: Context) -> Iterator[LintProblem]:
    answer = _relation(earlier, later)
    if answer == "no":
        message = f"“{later}” can never hold together with “{earlier}”; the rule would never be used. Take one away."
        yield LintProblem(rule.name, later.line, "contradiction", "error", message)
    elif answer == "yes":
        message = f"“{later}” follows from “{earlier}” already; leave it out."
        yield LintProblem(rule.name, later.line, "repeated_context", "warning", message)


def _relation(premise: Context, hypothesis: Context) -> str:
    """Say whether one context follows from another; a denied premise only speaks about the same sentence."""
    if premise.negated:
        same = entails(hypothesis.text, premise.text).answer == entails(premise.text, hypothesis.text).answer == "yes"
        return ("yes" if hypothesis.negated else "no") if same else "unknown"
    verdict = entails(premise.text, hypothesis.text)
    return (verdict.negated() if hypothesis.negated else verdict).answer


def _line(
    rule: Rule, line: BodyLine, rules: tuple[Rule, ...], registry: Registry, known_triggers: Sequence[str]
) -> Iterator[LintProblem]:
    if line.subgoal:
        yield from _subgoal(rule, line, rules, known_triggers)
        yield from _loop(rule, line, rules, registry)
        return
    reading = compile_line(line.text, registry)
    if reading is not None:
        yield from _taken_as_command(rule, line, reading, rules)
        yield from _values(rule, line, reading)
    elif not any(names(line.text, compile_template(known)) for known in known_triggers if _compiles(known)):
        yield LintProblem(rule.name, line.line, "unknown_phrase", "error", _unknown(line.text, registry))


def _wait(rule: Rule, line: BodyLine, wait: Wait) -> Iterator[LintProblem]:
    """What is wrong with a wait of a plan that works on files."""
    if wait.seconds is None:
        message = (
            f"AT MOST {wait.limit} counts the steps of an environment, and a plan that works on files has none. "
            "Say a time: AT MOST 10 minutes."
        )
        yield LintProblem(rule.name, line.line, "wait_until", "error", message)
    if not decidable(line.text):
        message = f"“{line.text}” fits no pattern of beliefs, so only a belief in the same words ends the wait."
        yield LintProblem(rule.name, line.line, "undecidable_context", "warning", message)


def _set_of_files(rule: Rule, line: BodyLine) -> Iterator[LintProblem]:
    """What is wrong with the files that a step is for."""
    if line.loop is None:
        return
    own = loop_slots(line.loop)
    if taken := next((slot for slot in own if slot in rule.slots), None):
        message = f"{{{taken}}} has its value from the task already; give the slot of the loop a name of its own."
        yield LintProblem(rule.name, line.line, "for_each", "error", message)
    if line.loop.slot not in " ".join(slots_in(line.text)):
        message = f"The step does not name {{{line.loop.slot}}}, so it would do the same for every file."
        yield LintProblem(rule.name, line.line, "for_each", "error", message)
    if not slots_in(line.loop.among):
        try:
            read_set(line.loop.among)
        except UnreadableSet as error:
            yield LintProblem(rule.name, line.line, "for_each", "error", f"{error}.")


def _taken_as_command(rule: Rule, line: BodyLine, reading: Reading, rules: tuple[Rule, ...]) -> Iterator[LintProblem]:
    other = named_by(line.text, rule, rules)
    if other is not None:
        command = f"{reading.command.tool}.{reading.command.name}"
        message = (
            f"“{line.text}” is the command {command} and also the task of the rule “{other.name}”. "
            f"The command is used; for the rule write PLAN TO {line.text}."
        )
        yield LintProblem(rule.name, line.line, "command_or_subgoal", "hint", message)


def _unknown(text: str, registry: Registry) -> str:
    phrases = {phrase: command for command in registry.commands for phrase in command.phrases[:1]}
    if _WAIT_UNTIL.match(text):
        return f"No command is said “{text}”; to wait write WAIT UNTIL … AT MOST 10 minutes, in capitals."
    near = difflib.get_close_matches(text, list(phrases), n=1, cutoff=0.5)
    hint = f"did you mean “{near[0]}”?" if near else "for a task that another rule knows write PLAN TO before it."
    return f"No command is said “{text}”; {hint}"


def _subgoal(
    rule: Rule, line: BodyLine, rules: tuple[Rule, ...], known_triggers: Sequence[str]
) -> Iterator[LintProblem]:
    text, _ = as_task(line.text)
    if any(trigger.template.match(text) for trigger in rule.triggers):
        message = f"“{line.text}” is this rule's own task; it would need itself."
        yield LintProblem(rule.name, line.line, "circular", "error", message)
        return
    templates = [trigger.template for other in rules for trigger in other.triggers]
    templates += [compile_template(known) for known in known_triggers if _compiles(known)]
    if not any(template.match(text) for template in templates):
        near = difflib.get_close_matches(line.text, [template.source for template in templates], n=1, cutoff=0.5)
        hint = f"did you mean “{near[0]}”?" if near else "write a rule for it, or say its steps here."
        yield LintProblem(
            rule.name, line.line, "no_rule_for_subgoal", "error", f"No rule is about “{line.text}”; {hint}"
        )


def _loop(rule: Rule, line: BodyLine, rules: tuple[Rule, ...], registry: Registry) -> Iterator[LintProblem]:
    way = loop_of(rule, line, rules, registry)
    if way and way != (rule.name,):
        through = " and ".join(f"“{name}”" for name in way)
        message = f"“{line.text}” may need this rule again, through {through}; only a context can keep it from that."
        yield LintProblem(rule.name, line.line, "loop", "warning", message)


def _compiles(trigger: str) -> bool:
    try:
        compile_template(trigger)
    except TemplateError:
        return False
    return True


def _values(rule: Rule, line: BodyLine, reading: Reading) -> Iterator[LintProblem]:
    command = reading.command
    fixed = {}
    if unfit := unfit_for_belief(
        command, reading.values, {*_from_beliefs(rule), *(loop_slots(line.loop) if line.loop else ())}
    ):
        message = (
            f"{{{unfit}}} is taken from a belief, which never is a program or a host; write the program or "
            "the host here."
        )
        yield LintProblem(rule.name, line.line, "belief_as_command", "error", message)
    for name, value in reading.values.items():
        if slots_in(value.raw):
            if name == "command_line" and _slot_in_quotes(value.raw):
                message = "A slot inside quotes may be read as code by the program; make it an argument of its own."
                yield LintProblem(rule.name, line.line, "slot_in_quotes", "warning", message)
            continue
        fixed[name] = typed(command, name, unescape(value.raw) if value.quoted else value.raw)
        yield from _fixed_value(rule, line, command, name, fixed[name])
    for name, message in problems(command.schema, fixed, partial=True):
        yield LintProblem(rule.name, line.line, "bad_value", "error", f"{name} {message}.")
    said = str(fixed.get("command_line", ""))
    if said.split(" ")[0].casefold() in NOISE:
        message = (
            f"“{said}” does not look like a program; for a task that another rule knows write PLAN TO instead of run."
        )
        yield LintProblem(rule.name, line.line, "not_a_program", "warning", message)


def _slot_in_quotes(command_line: str) -> bool:
    text = read_text(command_line, exact=True)
    return any(
        slots_in(text.raw[group.start : group.end]) and not _is_slot(text.raw[group.start : group.end])
        for group in text.groups
    )


def _is_slot(text: str) -> bool:
    return text.startswith("{") and text.endswith("}") and len(slots_in(text)) == 1 and text.count("{") == 1


def _fixed_value(rule: Rule, line: BodyLine, command: Command, name: str, value: object) -> Iterator[LintProblem]:
    kind = command.properties[name].get("x-kind")
    wrong = path_problem(str(value), single=kind == "name") if kind in PATH_KINDS else None
    if wrong and wrong[0] != "path_outside":
        yield LintProblem(rule.name, line.line, "bad_value", "error", f"{name} {wrong[1]}.")
    if command.kind(name) == HOSTS_KIND and isinstance(value, list) and (unfit := host_problem(value)):
        yield LintProblem(rule.name, line.line, "bad_value", "error", f"{name}: {unfit}.")
    reference = parse_reference(value)
    if reference is None:
        return
    number = next((n for n, body in enumerate(rule.body, start=1) if body is line), 0)
    named = rule.body[reference.position - 1] if reference.position <= len(rule.body) else None
    if named is None or named.subgoal or not 0 < reference.position < number:
        message = (
            f"{reference} must name an earlier step of this rule by its place in the body; sub-goals give no result."
        )
        yield LintProblem(rule.name, line.line, "reference", "error", message)


def _autonomous(rule: Rule, registry: Registry) -> Iterator[LintProblem]:
    on = False
    last = 0
    for line in rule.body:
        reading = reading_of(line, registry)
        if reading is None:
            continue
        fixed = {name: typed(reading.command, name, value.raw) for name, value in reading.values.items()}
        if reading.command.destroys(fixed) and not on:
            what = "Removing" if reading.command.needs_autonomous else "Overwriting a file"
            message = f"{what} works only in autonomous mode; put “turn autonomous mode on” before this step."
            yield LintProblem(rule.name, line.line, "needs_autonomous_mode", "error", message)
        if reading.command.name == "toggle_autonomous_mode":
            on = fixed["on"] is True
            last = line.line
    if on:
        message = "Autonomous mode stays on to the end of the plan; put “turn autonomous mode off” after the removal."
        yield LintProblem(rule.name, last, "autonomous_mode_left_on", "warning", message)


def _beside(rule: Rule, earlier: Sequence[Rule], everyone: Sequence[Rule]) -> Iterator[LintProblem]:
    for other in earlier:
        if other.name.casefold() == rule.name.casefold():
            message = f"Line {other.line} has a rule named “{other.name}” too; give this one a name of its own."
            yield LintProblem(rule.name, rule.line, "duplicate_name", "error", message)
        if _wordings(other) & _wordings(rule) and _said(other) == _said(rule):
            message = (
                f"“{other.name}” has the same task and the same contexts, so one of the two is never used; delete one."
            )
            yield LintProblem(rule.name, rule.line, "duplicate", "error", message)
    for other in everyone:
        if other is not rule and _wordings(other) & _wordings(rule) and _rank(other) > _rank(rule):
            yield from _behind(rule, other)


def _rank(rule: Rule) -> tuple[int, int]:
    """What selection looks at first; of rules with the same task the higher one is tried first."""
    return rule.priority, len(rule.contexts)


def _behind(rule: Rule, other: Rule) -> Iterator[LintProblem]:
    """The other rule has the same task and is tried first."""
    covered = all(any(_relation(mine, theirs) == "yes" for mine in rule.contexts) for theirs in other.contexts)
    more = "a higher priority" if other.priority > rule.priority else "more contexts"
    if covered:
        message = f"Whenever this rule applies “{other.name}” applies too and is tried first; this one is never used."
        yield LintProblem(rule.name, rule.line, "unreachable", "warning", message)
    else:
        message = f"“{other.name}” has the same task and {more}; this rule is used where that one does not apply."
        yield LintProblem(rule.name, rule.line, "less_specific", "hint", message)


def _wordings(rule: Rule) -> set[str]:
    return {_wording(trigger.text) for trigger in rule.triggers}


@functools.lru_cache(maxsize=4_096)  # a list of rules is checked each beside all others
def _wording(trigger: str) -> str:
    return " ".join(folded for folded in map(fold, trigger.split()) if folded not in NOISE)


def _said(rule: Rule) -> set[str]:
    return {str(context).casefold() for context in rule.contexts}
