"""How a framework's agent asks a model: as everything in mindX does, under firmware, on the agent's budget, recorded.

What it asks is one of our prompts with the conversation behind it, so it works with every model that LiteLLM reaches,
also with those that know no calls of tools; and an answer that cannot be read goes back with what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db.models import F

from agents.actors import firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.language_models import firmware_checks
from agents.execution.companion import Companion
from agents.frameworks import conversation
from agents.frameworks.contract import Call, Question, Reply
from agents.frameworks.conversation import Read
from agents.models import FrameworkRun, Goal
from agents.record.errors import AgentsError
from agents.record.logs import NewLine
from library.language import generation, masking
from library.language.asking import Answer, IsWanted, Message, PromptUsed
from library.language.masking import Masked
from library.models import ModelCall
from library.prompts import in_use

PURPOSE = "agent_turn"
# Of an answer that goes back, so much; a useful one is never so long.
_AGAIN_CHARS = 8_000


class LimitReached(AgentsError):
    """The run has taken as much as it may. The message is the goal's reason."""


class Unusable(AgentsError):
    """The model answered nothing that could be read, however often it was asked."""


class House:
    """Asks for one run, as long as `is_wanted`. `whys` is what the model said of each call, for who reviews it."""

    def __init__(self, goal: Goal, run: FrameworkRun, companion: Companion, is_wanted: IsWanted) -> None:
        self._goal, self._run, self._companion, self._is_wanted = goal, run, companion, is_wanted
        self._firmware = firmware.of(goal.agent)
        self.whys: dict[str, str] = {}

    def ask(self, question: Question) -> Reply:
        """What the model says. Raises LimitReached, Unusable, and what `library.language.generation.ask` raises."""
        self._take_step()
        prompts = [in_use.filled("agent-turn")]
        room = settings.MODEL_PROMPT_TOKENS - self._firmware.tokens
        asked = list(conversation.messages(prompts[0].text, question, tokens=room))
        for left in range(self._goal.agent.max_repair_attempts, -1, -1):
            answer = self._asked(asked, question, prompts)
            found = self._read(answer.text, answer.masked, question)
            if not found.problems:
                return self._reply(found)
            said = " ".join(found.problems)
            self._say(f"the model's answer cannot be used ({said})" + (": it goes back with that" if left else ""))
            repair = in_use.filled("agent-turn-repair", problems=said)
            prompts[1:] = [repair]
            asked += [("assistant", answer.text[:_AGAIN_CHARS]), ("user", repair.text)]
        raise Unusable(f"no answer of the model could be used: {said}")

    def _reply(self, found: Read) -> Reply:
        if found.params is None:
            self._say("the agent says that it has ended its work", "info")
            return Reply(found.answer)
        # A number of its own in the run: a step is counted before it is asked.
        call = Call(f"call_{self._run.steps}", found.tool, found.params)
        self.whys[call.id] = found.why
        return Reply(found.why, call)

    def _read(self, text: str, masked: Masked, question: Question) -> Read:
        """What an answer is worth. The goal is all that a secret may be taken from: people wrote it."""

        def restored(value: object) -> object:
            return masked.restored(value, within=(self._goal.text,))

        found = conversation.read(text, question, restored=restored)
        wrong = [one.says for one in firmware_checks.in_text(self._firmware.checks, found.answer)]
        # Left as it is, a mark would be taken for the value.
        unknown = masking.marks_in(found.params) - masking.marks_in(self._goal.text)
        wrong += [f"{mark} stands for a secret that this task does not say." for mark in sorted(unknown)]
        return Read(problems=tuple(wrong)) if wrong else found

    def _asked(self, asked: Sequence[tuple[str, str]], question: Question, prompts: Sequence[PromptUsed]) -> Answer:
        request = request_for(
            self._goal.agent,
            PURPOSE,
            [Message(role, text) for role, text in asked],
            models_of(self._goal.agent),
            prompts=prompts,
            max_tokens=settings.MODEL_ANSWER_TOKENS,
            schema=conversation.schema(question),
            goal=str(self._goal.pk),
            told=self._firmware,
        )
        answer = generation.ask(
            request,
            accepts=lambda text, masked: not self._read(text, masked, question).problems,
            on_trouble=self._say,
            on_masked=lambda kinds: self._say(masking.told(kinds)),
            is_wanted=self._is_wanted,
        )
        self._count(answer)
        return answer

    def _take_step(self) -> None:
        """Count the question before it is asked: a run that kills its worker each time still comes to its limit."""
        run = self._run
        if run.steps >= settings.FRAMEWORK_STEPS:
            raise LimitReached(f"framework_limit: it asked its model {run.steps} times and did not come to an end")
        if run.tokens >= settings.FRAMEWORK_TOKENS:
            raise LimitReached(f"framework_limit: it took {run.tokens:,} tokens and did not come to an end")
        FrameworkRun.objects.filter(pk=run.pk).update(steps=F("steps") + 1)
        run.steps += 1

    def _count(self, answer: Answer) -> None:
        if answer.is_cached:
            return
        row = ModelCall.objects.only("tokens_in", "tokens_out").get(pk=answer.call)
        used = row.tokens_in + row.tokens_out
        FrameworkRun.objects.filter(pk=self._run.pk).update(tokens=F("tokens") + used)
        self._run.tokens += used

    def _say(self, text: str, level: str = "warning") -> None:
        self._companion.say(NewLine("bdi_agent", "plan", text, level))
