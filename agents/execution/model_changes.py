"""Changes that a language model proposes for one file: asked, checked, sent back with what is wrong, shown as a diff.

The jail has read the file; nothing here opens or writes one. What comes of it is a proposal, which a plan of its own
has to carry out (agents.coordinator.taking_over).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from agents.actors.step_model_calls import Means, Question, ask, goal_of
from agents.bdi.language_models import file_changes
from agents.bdi.language_models.file_changes import File, Proposal, Sent
from agents.record import logs
from agents.toolkit.command import Params
from library.language import masking
from library.language.asking import CallFailed, Message, PromptUsed, guessed_tokens
from library.language.masking import Masked

PURPOSE = "file_changes"
KIND = "changes"
_SOURCE = "tool.audit_and_improve"
_SHOWN_PROBLEMS = 5


def by_model(params: Params, answer: Mapping[str, Any], means: Means) -> Mapping[str, Any]:
    """The model's changes as a diff. Raises NoModel, NotAsApproved, BudgetSpent, CallFailed, Stopped."""
    file = _file(answer)
    told = means.told("file-changes")
    room = 3 * (means.most_tokens() - guessed_tokens(told.text))
    shown = file_changes.sent(file, str(params.get("wish", "")), room)
    if shown is None:
        message = f"{file.path} is too long to be sent ({len(file.text):,} characters), and has no findings to send"
        raise CallFailed("prompt_too_long", message, again=False)
    proposal, attempts, model = _asked(told, shown, means)
    return _result(shown, proposal, attempts, model, answer)


def _file(answer: Mapping[str, Any]) -> File:
    return File(
        path=str(answer["path"]),
        text=str(answer["text"]),
        is_python=answer["is_python"] is True,
        target=str(answer["target"]),
        findings=tuple(answer["findings"]),
        needed=tuple(map(str, answer["needed"])),
    )


def _asked(told: PromptUsed, shown: Sent, means: Means) -> tuple[Proposal, list[dict[str, Any]], str]:
    """The first answer that can be accepted, every attempt, and who gave it. As many repairs as a plan may have."""
    messages = [Message("system", f"{told.text}\n"), Message("user", shown.material)]
    prompts: tuple[PromptUsed, ...] = (told,)
    goal = goal_of(means)
    attempts: list[dict[str, Any]] = []
    for left in range(goal.agent.max_repair_attempts if goal else 0, -1, -1):
        question = Question(PURPOSE, tuple(messages), prompts, settings.MODEL_ANSWER_TOKENS, file_changes.SCHEMA)
        given = ask(question, means, accepts=lambda text, masked: not _read(text, shown, masked).problems)
        proposal = _read(given.text, shown, given.masked)
        attempts.append({"call": given.call, "model": given.model, "problems": list(proposal.problems)})
        if not proposal.problems:
            return proposal, attempts, given.model
        if goal:
            _say_problems(goal.pk, proposal.problems, left)
        repair = means.told("file-changes-repair", problems=file_changes.listed(proposal.problems))
        messages[2:] = _sent_back(given.text, repair.text, 3 * means.most_tokens() - _length(messages[:2]))
        prompts = (told, repair)
    asked = "once" if len(attempts) == 1 else f"{len(attempts)} times"
    problems = " ".join(proposal.problems[:_SHOWN_PROBLEMS])
    raise CallFailed(
        "never_valid", f"{given.model} was asked {asked}, and no answer could be accepted. {problems}", again=False
    )


def _read(text: str, shown: Sent, masked: Masked) -> Proposal:
    """What comes of an answer, with the file's secrets where the model wrote the marks that it saw of them."""
    proposal = file_changes.read(text, shown, masked.restored)
    if unknown := masking.marks_in(proposal.after) - masking.marks_in(shown.file.text):
        return Proposal(problems=(f"{min(unknown)} is no mark in what was sent; copy marks letter by letter.",))
    return proposal


def _sent_back(answer: str, repair: str, most_chars: int) -> list[Message]:
    """The last answer, as far as there is room for it, and what is said of it."""
    said = Message("user", repair)
    quoted = answer[: max(0, most_chars - len(said.content))]
    return [Message("assistant", quoted), said] if quoted else [said]


def _length(messages: Sequence[Message]) -> int:
    return sum(len(one.content) for one in messages)


def _say_problems(goal: int, problems: Sequence[str], left: int) -> None:
    more = f" And {len(problems) - _SHOWN_PROBLEMS} more." if problems[_SHOWN_PROBLEMS:] else ""
    after = "it goes back with them" if left else "and it was sent back as often as it may be"
    told = " ".join(problems[:_SHOWN_PROBLEMS])
    logs.say(goal, _SOURCE, "execute", f"the model's changes have problems, {after}: {told}{more}", level="warning")


def _result(
    shown: Sent, proposal: Proposal, attempts: list[dict[str, Any]], model: str, answer: Mapping[str, Any]
) -> dict[str, Any]:
    file, left = shown.file, shown.left_out_chars
    text = file_changes.diff(file.path, file.text, proposal.after) if proposal.changes else ""
    if text and not file_changes.fits(file.text, text, proposal.after):
        raise CallFailed("never_valid", "the changes could not be written as a patch of the file", again=False)
    changes = len(proposal.changes)
    what = f"{changes} change{'' if changes == 1 else 's'} of {file.path}" if changes else f"no change of {file.path}"
    return {
        "message": f"{model} proposes {what}" + (f"; {left:,} characters of it were not sent" if left else ""),
        "diff": text,
        "report": {
            "kind": KIND,
            "path": file.path,
            "sha256": hashlib.sha256(file.text.encode()).hexdigest(),
            "target": file.target,
            "model": model,
            "nothing": proposal.nothing,
            "changes": [{"line": one.line, "why": one.why} for one in proposal.changes],
            "attempts": attempts,
            "findings": len(file.findings),
            "left_out_chars": left,
            "notes": [str(note) for note in answer["notes"]],
        },
    }
