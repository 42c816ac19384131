"""One recorded call of a model as its page shows it, and beside the call whose request it sent again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from agents.evolution.replays import asking_again
from agents.evolution.replays.asking_again import Choice
from agents.presentation.line_diff import LineDiff, compare
from agents.record import selectors
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import in_use
from people.models import User

# Times that it was asked again, the newest.
_SHOWN = 50


@dataclass(frozen=True)
class RecordedCall:
    """A call, and what this person may do with it."""

    call: ModelCall
    user: User
    # The version of its prompt that whoever opened the page came from.
    version: str = ""

    @property
    def sides(self) -> list[tuple[str, ModelCall]]:
        """The call, or the first one and this, to be read side by side."""
        if self.call.replay_of is None:
            return [("Recorded", self.call)]
        return [("Recorded", self.call.replay_of), ("Asked again", self.call)]

    @cached_property
    def difference(self) -> LineDiff | None:
        """From the first answer to this one; None where there are not two of them."""
        first = self.call.replay_of
        if first is None or not first.answer or not self.call.answer:
            return None
        return compare(_readable(first.answer), _readable(self.call.answer))

    @property
    def replays(self) -> list[ModelCall]:
        """When the request was sent again, the newest first."""
        first = self.call.replay_of_id or self.call.pk
        return list(ModelCall.objects.filter(replay_of=first).defer("messages", "answer").order_by("-pk")[:_SHOWN])

    @property
    def goal(self) -> int | None:
        """The goal that it was asked for, None for none that has a page."""
        return int(self.call.goal) if self.call.goal.isascii() and self.call.goal.isdigit() else None

    @property
    def agent_name(self) -> str:
        """Whose budget it counts against."""
        return selectors.agent_names().get(self.call.agent, "no agent")

    @property
    def may_ask(self) -> bool:
        """Whether this person may send it again."""
        return asking_again.may_ask(self.user, self.call)

    @cached_property
    def choice(self) -> Choice:
        """What it may be sent again with."""
        return asking_again.choice(self.call)

    @property
    def prompt_pages(self) -> list[tuple[str, str, int]]:
        """Name, version and the component's id of each prompt in it; 0 where the library has none."""
        prompts = self.call.asked_with.get("prompts", ())
        rows = Component.objects.filter(kind=in_use.KIND, name__in=[one["name"] for one in prompts])
        ids = dict(rows.values_list("name", "pk"))
        return [(one["name"], one["version"], ids.get(one["name"], 0)) for one in prompts]

    @cached_property
    def versions(self) -> list[tuple[str, str]]:
        """The versions of its prompt to choose from, each with its status."""
        rows = ComponentVersion.objects.filter(component__kind=in_use.KIND, component__name=self.choice.prompt)
        status = dict(rows.values_list("version", "status"))
        return [(one, status.get(one, "what ships")) for one in self.choice.versions]


def _readable(answer: str) -> str:
    """JSON over several lines, so that two answers can be compared by lines; anything else as it is."""
    try:
        return json.dumps(json.loads(answer), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return answer
