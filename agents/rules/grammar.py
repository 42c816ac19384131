"""Reading plan rules from text.

    RULE name                                   optional; without it the first trigger is the name
    PRIORITY n                                  optional, -100 to 100, a line of its own before THEN; 0 without it
    IF your task is to TRIGGER                  also: IF your goal is to TRIGGER
    OR your task is to TRIGGER                  further wordings of the same task
    CONSIDERING context AND context             NOT before a context: it must be known to be false
    UNLESS context                              the same as AND NOT; one context for each UNLESS
    THEN: step, step                            parted by commas or lines; PLAN TO text is a sub-goal
    FOR EACH {file} OF files: step              the step once for each file; FOR ALL gives it all of them as a list
    WAIT UNTIL context AT MOST 10 minutes       goes on when the context holds; in environments AT MOST 5 steps
    ON FAILURE: step, step                      clean-up

Keywords are written in capitals. Rules are parted by a line `--` or by the next RULE. A line that starts with # is a
comment; a comment above a step says why the step is there, and reviewers read it. The words of a trigger follow
`agents.toolkit.wording.slots`. Quoted text may hold commas and keywords and stays on one line (\\n writes a line
break).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from agents.rules.lines import RuleSyntaxError as RuleSyntaxError
from agents.rules.lines import comment, is_comment, quoted, says_something, short, steps_in, without_end
from agents.rules.waits import Wait, is_wait, read_wait
from agents.toolkit.wording.slots import Template, TemplateError, compile_template

MAX_CHARS = 100_000
MAX_RULES = 200
MAX_PRIORITY = 100

_SEPARATOR = re.compile(r"\s*--+\s*\Z")
_KEYWORD = re.compile(
    r"(?<![\w{])(?:(?P<priority>^\s*PRIORITY)\b[ \t]*:?"
    r"|(?P<if>IF)\s+your\s+(?:task|goal)\s+is\s+to\b|(?P<or>OR)\s+your\s+(?:task|goal)\s+is\s+to\b"
    r"|(?P<considering>CONSIDERING)\b|(?P<unless>UNLESS)\b|(?P<and>AND)\b"
    r"|(?P<then>THEN)\b[ \t]*:?|(?P<failure>ON\s+FAILURE)\b[ \t]*:?)"
)
_RULE = re.compile(r"\s*RULE\b[ \t:]*(?P<name>.*?)\s*\Z")
_PLAN_TO = re.compile(r"PLAN\s+TO\b\s*")
_NOT = re.compile(r"NOT\b\s*")
_FOR = re.compile(r"FOR\s+(?P<how>EACH|ALL)\s+\{(?P<slot>[a-z][a-z0-9_]*)\}\s+OF\s+(?P<rest>.*)\Z", re.DOTALL)
_FOR_SOMETHING = re.compile(r"FOR\s+(?:EACH|ALL)\b")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}\Z")
_UNTIDY_KEYWORD = re.compile(
    r"\s*(rule|priority|if|or|considering|unless|then|on\s+failure|plan\s+to)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Trigger:
    """One wording of the task."""

    text: str
    line: int
    template: Template = field(compare=False, repr=False)


@dataclass(frozen=True)
class Context:
    """A condition; when negated, some belief must contradict it."""

    text: str
    negated: bool
    line: int

    def __str__(self) -> str:
        return f"NOT {self.text}" if self.negated else self.text


@dataclass(frozen=True)
class Loop:
    """The set of files that a step is done for (agents.rules.file_sets), and the slot that names them in it.

    `at_once`: the slot holds all of them, a path a line, and the step is done once.
    """

    slot: str
    among: str
    at_once: bool = False

    def __str__(self) -> str:
        return f"FOR {'ALL' if self.at_once else 'EACH'} {{{self.slot}}} OF {self.among}: "


@dataclass(frozen=True)
class BodyLine:
    """One step, sub-goal or wait. `why` is the comment that stood above it; `text` of a wait is what it waits for."""

    text: str
    subgoal: bool
    line: int
    why: str = ""
    loop: Loop | None = None
    wait: Wait | None = None

    def __str__(self) -> str:
        if self.wait is not None:
            return self.wait.said_of(self.text)
        return f"{self.loop or ''}{'PLAN TO ' if self.subgoal else ''}{self.text}"


@dataclass(frozen=True)
class Rule:
    """A recipe: when a goal matches a trigger and every context holds, the body is the plan.

    `comments` are those that give no reason for a step.
    """

    name: str
    triggers: tuple[Trigger, ...]
    contexts: tuple[Context, ...]
    body: tuple[BodyLine, ...]
    on_failure: tuple[BodyLine, ...]
    line: int
    source: str
    comments: tuple[str, ...] = ()
    priority: int = 0

    def __hash__(self) -> int:
        """By what says the rest: planning looks rules up by the thousand, and all of their parts took a third of it."""
        return hash((self.name, self.source))

    @property
    def slots(self) -> tuple[str, ...]:
        """All slots of all wordings, in order of first use."""
        return tuple(dict.fromkeys(name for trigger in self.triggers for name in trigger.template.slots))


class Rules(tuple[Rule, ...]):
    """Rules that are looked up together, whose hash is made once: what is kept of them is kept by all of them."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


def parse(text: str) -> list[Rule]:
    """Return the rules of a text. Raises RuleSyntaxError for the first fault."""
    rules, errors = read(text)
    if errors:
        raise errors[0]
    return rules


def read(text: str, max_chars: int = MAX_CHARS, max_rules: int = MAX_RULES) -> tuple[list[Rule], list[RuleSyntaxError]]:
    """Return the rules that can be read and the first fault of each one that cannot."""
    if len(text) > max_chars:
        message = f"a rule text has at most {max_chars} characters; split it into files"
        return [], [RuleSyntaxError(1, "too_long", message)]
    bad = next((i for i, char in enumerate(text) if ord(char) < 32 and char not in "\n\r\t"), None)
    if bad is not None:
        line = text.count("\n", 0, bad) + 1
        return [], [RuleSyntaxError(line, "control_character", "there is a control character here; delete it")]
    rules: list[Rule] = []
    errors: list[RuleSyntaxError] = []
    chunks = _chunks(text)
    if len(chunks) > max_rules:
        return [], [RuleSyntaxError(chunks[max_rules][0][0], "too_many", f"at most {max_rules} rules in one text")]
    for chunk in chunks:
        try:
            rules.append(_read_rule(chunk))
        except RuleSyntaxError as error:
            errors.append(error)
    if not rules and not errors:
        errors.append(RuleSyntaxError(1, "empty", "no rule here; a rule starts with IF your task is to …"))
    return rules, errors


_Lines = list[tuple[int, str]]


def _chunks(text: str) -> list[_Lines]:
    chunks: list[_Lines] = [[]]
    for number, line in enumerate(text.splitlines(), start=1):
        if _SEPARATOR.match(line):
            chunks.append([])
            continue
        if _RULE.match(line) and any(says_something(earlier) for _, earlier in chunks[-1]):
            chunks.append(_comments_at_the_end(chunks[-1]))
        chunks[-1].append((number, line))
    return [chunk for chunk in chunks if any(says_something(line) for _, line in chunk)]


def _comments_at_the_end(lines: _Lines) -> _Lines:
    """Take the comments off that stand right above the next rule: they are about that one."""
    first = len(lines)
    while first and is_comment(lines[first - 1][1]):
        first -= 1
    taken = lines[first:]
    del lines[first:]
    return taken


@dataclass
class _Section:
    keyword: str
    line: int
    lines: _Lines


def _read_rule(chunk: _Lines) -> Rule:
    lines = [(number, line) for number, line in chunk if line.strip()]
    first = next(number for number, line in lines if says_something(line))
    name, name_line = "", 0
    rest: _Lines = []
    for number, line in lines:
        named = _RULE.match(line)
        if named and not name_line:
            name, name_line = named["name"], number
            if not name:
                raise RuleSyntaxError(number, "no_name", "RULE has no name; write RULE and a few words that name it")
            if len(name) > 200:
                raise RuleSyntaxError(number, "long_name", "the name of a rule has at most 200 characters")
        else:
            rest.append((number, line))
    sections, comments = _sections(rest, name_line or first)
    triggers = _triggers(sections)
    contexts = _contexts(sections)
    body, after_body = _body(sections, "then")
    on_failure, after_failure = _body(sections, "failure")
    return Rule(
        name or triggers[0].text,
        triggers,
        contexts,
        body,
        on_failure,
        first,
        "\n".join(line for _, line in chunk).strip(),
        (*comments, *after_body, *after_failure),
        _priority(sections),
    )


def _sections(lines: _Lines, rule_line: int) -> tuple[list[_Section], list[str]]:
    """Cut the lines at keywords, check that these stand in an order that makes sense, and return the comments above
    the steps.
    """
    sections: list[_Section] = []
    comments: list[str] = []
    for number, line in lines:
        if is_comment(line):
            if sections and sections[-1].keyword in ("then", "failure"):
                sections[-1].lines.append((number, line.strip()))
            elif said := comment(line):
                comments.append(said)
            continue
        at = 0
        for found in _keywords(number, line):
            _add_text(sections, number, line[at : found.start()])
            keyword = str(found.lastgroup)
            _check_order(sections, keyword, number)
            sections.append(_Section(keyword, number, []))
            at = found.end()
        _add_text(sections, number, line[at:])
    if all(section.keyword == "priority" for section in sections):
        raise RuleSyntaxError(
            rule_line, "no_trigger", "the rule has no trigger; write IF your task is to … (in capitals: IF)"
        )
    if all(section.keyword != "then" for section in sections):
        raise RuleSyntaxError(
            sections[-1].line, "no_body", "the rule has no body; write THEN: and its steps (in capitals: THEN)"
        )
    return sections, comments


def _keywords(number: int, line: str) -> list[re.Match[str]]:
    is_quoted = quoted(line, number)
    return [found for found in _KEYWORD.finditer(line) if not is_quoted[found.start()]]


def _add_text(sections: list[_Section], number: int, text: str) -> None:
    if not text.strip():
        return
    if not sections:
        hint = "; write keywords in capitals" if _UNTIDY_KEYWORD.match(text) else ""
        message = f"a rule starts with IF your task is to …, not with “{short(text)}”{hint}"
        raise RuleSyntaxError(number, "no_trigger", message)
    sections[-1].lines.append((number, text))


_HEAD = ("if", "or", "considering", "and", "unless")
_AFTER = {
    "priority": ("", *_HEAD),
    "if": ("",),
    "or": ("if", "or"),
    "considering": ("if", "or"),
    "and": ("considering", "and"),
    "unless": _HEAD,
    "then": _HEAD,
    "failure": ("then",),
}
_FAULTS = {
    "priority": "PRIORITY stands before THEN, on a line of its own",
    "or": "OR your task is to … stands right after IF your task is to …, before CONSIDERING and THEN",
    "considering": "CONSIDERING stands once, after the task and before THEN; join further contexts with AND",
    "and": "AND in capitals joins contexts after CONSIDERING; in a sentence write “and”, separate steps with commas",
    "unless": "UNLESS stands after the task or the contexts, before THEN",
    "then": "THEN stands once, after the task and its contexts",
    "failure": "ON FAILURE stands once, after THEN",
}


def _check_order(sections: list[_Section], keyword: str, line: int) -> None:
    before = next((earlier.keyword for earlier in reversed(sections) if earlier.keyword != "priority"), "")
    if keyword == "if" and before:
        message = (
            "a second IF in the same rule: a separator is missing. Put RULE and a name, or a line --, before it; "
            "for another wording of the same task write OR your task is to …"
        )
        raise RuleSyntaxError(line, "missing_separator", message)
    if not before and keyword not in ("if", "priority"):
        raise RuleSyntaxError(line, "no_trigger", "a rule starts with IF your task is to …")
    if keyword == "and" and before == "unless":
        message = (
            "AND after UNLESS could mean two things; write UNLESS once for each context, or put the other before it"
        )
        raise RuleSyntaxError(line, "unclear_unless", message)
    if before not in _AFTER[keyword]:
        raise RuleSyntaxError(line, "order", _FAULTS[keyword])


def _priority(sections: list[_Section]) -> int:
    said = [section for section in sections if section.keyword == "priority"]
    if not said:
        return 0
    if len(said) > 1:
        raise RuleSyntaxError(said[1].line, "priority", "PRIORITY stands once in a rule; take one of the lines away")
    text = _joined(said[0])
    if not _WHOLE_NUMBER.match(text) or not -MAX_PRIORITY <= int(text) <= MAX_PRIORITY:
        message = f"PRIORITY takes a whole number from -{MAX_PRIORITY} to {MAX_PRIORITY}, not “{short(text)}”"
        raise RuleSyntaxError(said[0].line, "priority", f"{message}; write for example PRIORITY 10")
    return int(text)


def _triggers(sections: list[_Section]) -> tuple[Trigger, ...]:
    triggers = []
    for section in sections:
        if section.keyword not in ("if", "or"):
            continue
        text = without_end(_joined(section), ".,:;")
        if not text:
            raise RuleSyntaxError(section.line, "no_trigger", "the task is missing after “is to”")
        try:
            triggers.append(Trigger(text, section.line, compile_template(text)))
        except TemplateError as error:
            raise RuleSyntaxError(section.line, "trigger", f"{error}: {short(text)}") from error
    return tuple(triggers)


def _contexts(sections: list[_Section]) -> tuple[Context, ...]:
    contexts = []
    for section in sections:
        if section.keyword not in ("considering", "and", "unless"):
            continue
        text = without_end(_joined(section), ".,;")
        negated = section.keyword == "unless"
        found = _NOT.match(text)
        if found and negated:
            raise RuleSyntaxError(section.line, "double_negation", "UNLESS NOT says the same as AND; write that")
        text = text[found.end() :] if found else text
        if not text or _NOT.match(text):
            raise RuleSyntaxError(section.line, "no_context", f"a context is missing after {section.keyword.upper()}")
        contexts.append(Context(text, negated or bool(found), section.line))
    return tuple(contexts)


def _joined(section: _Section) -> str:
    """Return what a section says as one line. Raises RuleSyntaxError where the line would say something else."""
    text = " ".join(" ".join(line.split()) if '"' not in line else line.strip() for _, line in section.lines).strip()
    # Behind a word, as it stands behind its keyword.
    if text and _keywords(section.line, f"x {text}"):
        message = f"a keyword or a quotation goes over the end of a line; write it on one line: {short(text)}"
        raise RuleSyntaxError(section.line, "broken_keyword", message)
    return text


def _body(sections: list[_Section], keyword: str) -> tuple[tuple[BodyLine, ...], list[str]]:
    """Return the steps of a section, and the comments behind the last one."""
    section = next((section for section in sections if section.keyword == keyword), None)
    if section is None:
        return (), []
    body: list[BodyLine] = []
    why: list[str] = []
    for number, line in section.lines:
        if is_comment(line):
            why += filter(None, [comment(line)])
            continue
        for item in steps_in(line, number):
            body.append(_body_line(item, number, " ".join(why)))
            why = []
    if not body:
        label = "THEN" if keyword == "then" else "ON FAILURE"
        raise RuleSyntaxError(
            section.line, "no_body", f"{label} has no step; write at least one, or leave ON FAILURE out"
        )
    if keyword == "failure":
        _check_clean_up(body)
    return tuple(body), why


def _check_clean_up(body: list[BodyLine]) -> None:
    """Steps of clean-up are known before, and end. Raises RuleSyntaxError."""
    if loop := next((line for line in body if line.loop), None):
        message = "clean-up is for no set of files: what a plan leaves behind is not known before; name its steps"
        raise RuleSyntaxError(loop.line, "for_each", message)
    if wait := next((line for line in body if line.wait), None):
        message = "clean-up waits for nothing: it has to end; move this line to the steps, or leave it out"
        raise RuleSyntaxError(wait.line, "wait_until", message)
    if subgoal := next((line for line in body if line.subgoal), None):
        message = "clean-up cannot PLAN TO anything; write its steps out"
        raise RuleSyntaxError(subgoal.line, "subgoal_in_clean_up", message)


def _body_line(item: str, number: int, why: str) -> BodyLine:
    if _RULE.match(item) or _SEPARATOR.match(item) or is_comment(item) or _keywords(number, item):
        message = f"“{short(item)}” is no step; RULE, -- and a comment stand at the beginning of a line of their own"
        raise RuleSyntaxError(number, "misplaced", message)
    if is_wait(item):
        context, wait = read_wait(item, number)
        return BodyLine(context, False, number, why, wait=wait)
    loop, item = _loop(item, number)
    subgoal = _PLAN_TO.match(item)
    text = item[subgoal.end() :] if subgoal else item
    if not text:
        raise RuleSyntaxError(number, "no_subgoal", "PLAN TO needs a task after it")
    if (subgoal or loop) and is_wait(text):
        what = "FOR EACH and FOR ALL" if loop else "PLAN TO"
        message = f"WAIT UNTIL is a line of its own; take {what} away before it"
        raise RuleSyntaxError(number, "wait_until", message)
    return BodyLine(text, bool(subgoal), number, why, loop)


def _loop(item: str, number: int) -> tuple[Loop | None, str]:
    """The files that a step is for, and the step."""
    if not _FOR_SOMETHING.match(item):
        return None, item
    found = _FOR.match(item)
    rest = found["rest"] if found else ""
    is_quoted = quoted(rest, number)
    colon = next((at for at, char in enumerate(rest) if char == ":" and not is_quoted[at]), 0)
    among, step = rest[:colon].strip(), rest[colon + 1 :].strip()
    if found is None or not among or not step:
        message = f"“{short(item)}” is incomplete; write FOR EACH {{file}} OF all .txt files: and a step with {{file}}"
        raise RuleSyntaxError(number, "for_each", message)
    return Loop(found["slot"], among, found["how"] == "ALL"), step
