"""What a person can do about a goal that stopped: one sentence of what happened, one of the way out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.bdi.outcome.network import listed
from agents.presentation.files_held import Holder

# Words of the code that say nothing beside the sentence that follows them.
_CANNOT = ("no_relevant_rule", "no_rule_compiled", "unusable_value", "over_limit", "no_such_files")
TOLD_BY_THE_REST = {"internal_error", "question_open", "mastermind_command", *_CANNOT}
# As the executor says which step ended a plan.
_OF_A_STEP = re.compile(r"[A-Z_]+: (?:step|intent) (\d+) \([a-z_]+\.([a-z_]+)\) failed: (.*)", re.DOTALL)


def of_a_step(reason: str) -> str:
    """What became of the step that ended a plan, without the class that the way out goes by; "" for other reasons."""
    found = _OF_A_STEP.fullmatch(reason)
    return f"step {found[1]} ({found[2].replace('_', ' ')}) failed: {found[3]}" if found else ""


def reason_words(reason: str) -> str:
    """A reason that begins with a word of the code (`no_applicable_rule`) as words; classes and sentences stay."""
    if said := of_a_step(reason):
        return said
    head, colon, rest = reason.partition(":")
    if head in TOLD_BY_THE_REST and rest.strip():
        return rest.strip()
    return (head.replace("_", " ") if head.islower() and " " not in head else head) + colon + rest


@dataclass(frozen=True)
class Notice:
    """A notice of the goal page. `tone` is bad, person, good, accent or nothing."""

    tone: str
    icon: str
    text: str
    way_out: str = ""


_FAILURES = {
    "TOOL_UNAVAILABLE": "The program or tool is not installed. Submit the goal again and plan by hand without it.",
    "TOOL_EXECUTION_ERROR": "Read the last lines of the log, fix the files or the command, then submit again.",
    "INVALID_PARAMETERS": "A value is not valid. Submit the goal again and plan by hand with the right value.",
    "RATE_LIMIT_ERROR": "The server limits requests. Submit again later.",
    "PERMISSION_ERROR": "The step is not allowed. Deleting needs autonomous mode, which only a person may switch on.",
    "NETWORK_ERROR": "The network could not be reached. Steps have no network access unless a host was approved.",
    "PLANNING_ERROR": "Submit the goal again, then add a rule for it or write its plan by hand.",
    "GOAL_PARSE_ERROR": "Reword the goal, or submit it again and write its plan by hand.",
}
_REASONS = {
    "cancelled_by_person": "Somebody cancelled it. Submit it again if you still want it.",
    "not_wanted": "Submit it again if you still want it.",
    "dependency_failed": "A goal it depends on did not succeed. Fix that one first, then submit this one again.",
    "impossible": "The goal cannot be achieved. Reword it.",
    "superseded": "Another goal took its place.",
    "lease_lost": "Its worker stopped. Another worker takes over automatically.",
    "framework_limit": "Look at its calls. Submit a smaller goal, or ask an operator to raise the limit.",
    "framework_failed": "Look at its calls and the log, then submit the goal again.",
    "sandbox_unavailable": "The sandbox could not start; no step has failed. Operators see the cause on the overview.",
}
_FORBIDDEN = "None of the plan was run. Write one by hand that does without it, or ask an operator."
_ASKED = "Answer it, reword the goal, or write the plan by hand."
_COMMAND = "Open it in Mastermind and cancel this goal, reword the goal, or write the plan by hand."
_PAUSED = "No further step of this goal starts until an operator resumes the agent."
_NO_ANSWER = "The language model gave no answer; the log says why. Plan again later, or write the plan by hand."
_MISCONFIGURED = (
    "The language model rejects mindX's requests. Ask an operator to look at the log, or write the plan by hand."
)
_PUT_OFF = "The language model limits requests. The goal is planned automatically after {}."
_NO_BUDGET = "The agent's budget for language models is used up until tomorrow (UTC)."
_CHOOSE = "Choose one, or fix the step in another way."
_REMEDY = "“{}” may settle it, with one press under “Fix step”."
_BY_HAND = "Fix its parameters, do it by hand, skip it or give up."
_INVALID = "Submit a new goal in other words, or write the plan by hand."
_INSIDE = "This is an error in mindX, not in your goal. Operators are notified. Try again later, or reword the goal."
_MANUAL = {
    "no_relevant_rule": "No rule matches this goal. Write the plan by hand; you can save it as a rule afterwards.",
    "no_applicable_rule": "A rule matches this goal, but its conditions are not met here. Write the plan by hand.",
    "no_rule_compiled": "A rule matches this goal, but its steps cannot be planned. Write the plan by hand.",
    "same_plan_again": "The rules give the plan that was sent back. Plan by hand, with the requested changes.",
    "no_plan_is_open": "It was running, but has no approved or running plan. Plan again, plan by hand, or cancel it.",
    "invalid_plan": "The rule's plan has problems. Write the plan by hand, or fix the rule.",
    "model_plan_invalid": "The model's plans had problems; its attempts list them. Plan again, or by hand.",
    "model_finds_no_plan": "The model found no plan; its attempt says why. Write the plan by hand.",
    "model_server_error": _NO_ANSWER,
    "model_timed_out": _NO_ANSWER,
    "model_cut_off": _NO_ANSWER,
    "model_rate_limited": _NO_ANSWER,
    "model_unreachable": _NO_ANSWER,
    "model_failed": _NO_ANSWER,
    "model_answer_too_long": "The model's answer was too long. Write the plan by hand, or plan again.",
    "model_prompt_too_long": "The goal and its context are too long for the model. Write the plan by hand.",
    "model_refused_by_provider": "The model's provider refuses this goal. Write the plan by hand.",
    "model_request_refused": _MISCONFIGURED,
    "model_key_refused": "The provider rejects mindX's API key. Ask an operator to set another, or plan by hand.",
    "model_no_such_model": "The provider has no such model. Ask an operator to choose another, or plan by hand.",
    "model_no_model": "Its agent works by a language model, and none is set up. Ask an operator, or plan by hand.",
    "model_unusable": "The model's answers could not be used; the log says why. Go on later, or plan by hand.",
    "design_not_sealed": "Its design is marked as decided, but not by mindX. Tell an admin, and send another version.",
    "design_sent_back": "A reviewer requested changes to its design. Send a new version.",
    "selection_rejected": "A reviewer rejected the rule that was chosen for it. Write the plan by hand.",
    "needs_a_hand": f"A step failed and mindX could not fix it. {_BY_HAND}",
    "failed_step_again": "The only known plan repeats the step that failed. Write the plan by hand.",
    "outcome_unknown": "A step may or may not have taken effect before its worker stopped. A person must say which.",
}


def _told(reason: str) -> str:
    """What a reason says behind its code."""
    return reason.partition(":")[2].strip()


def _of_put_off(reason: str, put_off_to: str) -> Notice | None:
    if reason.startswith("waits_for_call"):
        return Notice("", "clock", f"Its agent waits: {_told(reason)}. It goes on when that goal has ended.")
    if reason.startswith("paced"):
        return Notice("", "clock", f"{_told(reason)} It goes on automatically.")
    if reason.startswith("model_budget_spent"):
        way_out = "Ask an operator to raise it and plan again, or plan by hand."
        return Notice("person", "clock", f"{_NO_BUDGET} {_told(reason)}".rstrip(), way_out)
    if reason.startswith("model_"):
        return Notice("person", "clock", _PUT_OFF.format(put_off_to or "that"), "Or plan now, or by hand.")
    if reason.startswith("planned_later"):
        text = f"No plan was found. Planning is retried automatically. {_told(reason)}"
        return Notice("person", "clock", text, "Or plan now, or by hand.")
    return None


def _of_recovering(reason: str) -> Notice | None:
    if reason.startswith("sandbox_unavailable"):
        return Notice("", "clock", f"Waiting for the sandbox. {_REASONS['sandbox_unavailable']}")
    if reason.startswith("waits_until"):
        way_out = "You can put it into the files or tell the agent. It goes on automatically, or fails after that time."
        told = _told(reason)
        return Notice("", "clock", f"{told[:1].upper()}{told[1:]}.", way_out)
    if reason.startswith("waits_for_answer"):
        return Notice("", "clock", f"Waiting for an answer on the bus: {_told(reason).rstrip('.')}.")
    if reason.startswith("waits_for_person"):
        told = _told(reason).rstrip(".")
        return Notice("person", "clock", f"Waiting for a person: {told}." if told else "Waiting for a person.")
    return None


def _of_review(before_it: Holder | None, asked_again: str, *, has_begun: bool) -> Notice | None:
    if before_it is not None:
        text = f"Approved, not started: {before_it.who} is using the files of its workspace"
        tone = "person" if before_it.needs_a_person else ""
        return Notice(tone, "clock", f"{text} and {before_it.does}.", before_it.until)
    if asked_again:
        # The reason may begin with the name of a file, so it keeps its case.
        text = f"Needs approval again: {asked_again.rstrip('.')}."
        return Notice("person", "eye", text, f"The {'rest of the ' if has_begun else ''}plan is waiting for review.")
    return None


def notice_for(
    state: str,
    reason: str,
    failure_class: str = "",
    waits_for: int = 0,
    refused: Sequence[str] = (),
    put_off_to: str = "",
    rule_lacks: tuple[str, str] | None = None,
    paused_agent: str = "",
    problems: Sequence[str] = (),
    asked_again: str = "",
    has_begun: bool = False,
    before_it: Holder | None = None,
    behind_it: int = 0,
    remedies: Sequence[str] = (),
) -> Notice | None:
    """What the goal's page says at the top about its state; None when the way and the log say it all.

    `refused`: the hosts that its programs asked for and were not approved. `put_off_to`: when it is planned again.
    `rule_lacks`: a rule that knows the goal, and why it does not apply, where a person must act instead.
    `paused_agent`: the name of its agent, when that is paused and would go on with it. `problems`: those of its newest
    plan. `asked_again`: why the plan that awaits a decision is what was left of an approved one, of which a step
    ran if it `has_begun`. `before_it`: who has the files which this goal, approved, waits for. `behind_it`: how many
    approved ones wait for its files. `remedies`: what is offered for the step that failed.
    """
    if paused_agent:
        return Notice("person", "clock", f"The agent {paused_agent} is paused.", _PAUSED)
    match state:
        case "blocked":
            return Notice("", "lock", f"Waiting for {waits_for} other goal{'' if waits_for == 1 else 's'}.")
        case "pending":
            return _of_put_off(reason, put_off_to)
        case "recovering":
            return _of_recovering(reason)
        case "awaiting_review":
            return _of_review(before_it, asked_again, has_begun=has_begun)
        case "manual":
            said = _of_a_person(reason, rule_lacks, problems, remedies)
            if not behind_it:
                return said
            more = f"{behind_it} approved goal{' is' if behind_it == 1 else 's are'} waiting for its files until then."
            return replace(said, way_out=f"{said.way_out} {more}".strip())
        case "failed":
            return _of_a_failure(reason, failure_class, refused)
        case "dropped":
            return Notice("", "minus", f"Dropped: {_words(reason) or 'no reason was recorded'}.", _way_out(reason))
    return None


def _of_a_failure(reason: str, failure_class: str, refused: Sequence[str]) -> Notice:
    """What became of a goal that failed, and what its class of failure leads to."""
    way_out = _FAILURES.get(failure_class) or _way_out(reason)
    if refused and failure_class in ("PERMISSION_ERROR", "NETWORK_ERROR"):
        way_out = f"To allow it, plan again with access to {listed(refused)}."
    if step := of_a_step(reason).rstrip("."):
        return Notice("bad", "x", f"{step[:1].upper()}{step[1:]}.", way_out)
    return Notice("bad", "x", f"Failed: {_words(reason) or 'no reason was recorded'}.", way_out)


def _of_a_person(
    reason: str, rule_lacks: tuple[str, str] | None, problems: Sequence[str], remedies: Sequence[str]
) -> Notice:
    """What a person must do for a goal that cannot go on without one."""
    key, told = _key(reason), reason.partition(":")[2].strip()
    if reason.startswith("question_open"):
        told = told or "mindX has a question."
        return Notice("person", "hand", f"{_knows(rule_lacks)} {told}" if rule_lacks is not None else told, _ASKED)
    if key == "mastermind_command":
        return Notice("person", "hand", f"{told}. This is about mindX itself, not about files here.", _COMMAND)
    if rule_lacks is not None and key == "no_applicable_rule":
        return Notice("person", "hand", f"{_knows(rule_lacks)} Write the plan by hand.")
    if key in _CANNOT and told:
        return Notice("person", "hand", told)
    if problems and key == "invalid_plan":
        told = "; ".join(one.rstrip(".") for one in problems[:3])
        return Notice("person", "hand", f"The plan has problems: {told}.", _INVALID)
    if key == "needs_a_hand" and (told := told.rstrip(".")):
        return _of_a_step_by_hand(told, remedies)
    if key == "internal_error" and told:
        return Notice("bad", "x", f"{told}.", _INSIDE)
    if reason.startswith("forbidden_by_policy: "):
        return Notice("person", "lock", reason.removeprefix("forbidden_by_policy: "), _FORBIDDEN)
    text = _MANUAL.get(_key(reason)) or f"This goal needs a person: {_words(reason) or 'the agent has no plan'}."
    return Notice("person", "hand", text)


def _of_a_step_by_hand(told: str, remedies: Sequence[str]) -> Notice:
    if told.endswith("?"):
        return Notice("person", "hand", told, _CHOOSE)
    text = f"{told[:1].upper()}{told[1:]}."
    if remedies:
        return Notice("person", "hand", text, f"{_REMEDY.format('” or “'.join(remedies))} Or: {_BY_HAND}")
    return Notice("person", "hand", f"{text} mindX could not fix it.", _BY_HAND)


def _way_out(reason: str) -> str:
    if reason.startswith("rejected"):
        return "Reword the goal or write your own plan, then submit again."
    return _REASONS.get(_key(reason), "Read the log for the cause, then submit the goal again.")


def _knows(rule_lacks: tuple[str, str]) -> str:
    return f"The rule “{rule_lacks[0]}” matches this goal, but {rule_lacks[1].rstrip('.')}."


def _key(reason: str) -> str:
    """The word of the code that a reason begins with: `dependency_failed: goal 3 …` is `dependency_failed`."""
    return reason.split(":", 1)[0].strip()


def _words(reason: str) -> str:
    return reason_words(reason).rstrip(".")
