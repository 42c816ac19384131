"""Sending a recorded request to a model again, with another version of its prompt or another model, to compare answers.

Nothing acts on the answer: it becomes no plan, no value and no file, and it answers no other request. What is sent is
what was kept, so secrets are marks in it and stay marks. The agent's budget of today and its firmware of today hold.
Nothing here is called inside a transaction, for a model is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from agents.actors import firmware
from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.execution import model_changes, summaries
from agents.models import Agent, Goal
from agents.record import selectors
from agents.record.errors import NotPossibleNow, NotYours
from library.language import generation
from library.language.asking import Ask, Message, ModelError, PromptUsed
from library.models import ComponentVersion, ModelCall
from library.prompts import in_use
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role

# What a step of an approved plan sends goes to the models that people approved for it, and to no other.
_OF_STEPS = frozenset({summaries.PURPOSE, model_changes.PURPOSE})

# Among so many of the newest calls those of one prompt are looked for: there is no index, and years have millions.
_LOOKED_AT, _LISTED = 500, 5


@dataclass(frozen=True)
class Choice:
    """What a call may be asked again with. `why_not` says why it cannot be, and is empty when it can.

    `versions` are those of its prompt, the one in use first; none: its prompt stays as it was sent.
    """

    models: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    prompt: str = ""
    why_not: str = ""


def may_see(user: User, call: ModelCall) -> bool:
    """Who sees its goal; where there is none, those who set the budgets."""
    number = _number(call.goal)
    submitter = Goal.objects.filter(pk=number).values_list("submitted_by", flat=True).first() if number else None
    return user.has_role(Role.OPERATOR) if submitter is None else selectors.may_see(user, submitter)


def may_ask(user: User, call: ModelCall) -> bool:
    """It costs money, so an operator."""
    return user.has_role(Role.OPERATOR) and may_see(user, call)


def choice(call: ModelCall) -> Choice:
    """The versions and models to choose from; the first of each is what is taken without a choice."""
    if not call.asked_with.get("prompts"):
        return Choice(why_not="An older mindX recorded it, without what is needed to send it again.")
    agent = agent_of(call)
    models = models_of(agent) if agent is not None else ()
    if call.purpose in _OF_STEPS:
        models = tuple(one for one in models if one == call.model)
    if not models:
        return Choice(why_not="No model that may be asked for it is set up.")
    # The one that was asked, so that by itself only the prompt differs.
    models = tuple(sorted(models, key=lambda one: one != call.model))
    name = str(_main(call)["name"])
    return Choice(models, _versions(name) if _main(call)["chars"] else (), name)


def newest_of(prompt: str) -> list[ModelCall]:
    """The newest answered calls with this prompt behind their instructions, of the newest calls of all."""
    newest = ModelCall.objects.order_by("-at", "-pk").values("pk")[:_LOOKED_AT]
    rows = ModelCall.objects.filter(pk__in=newest, state=ModelCall.State.ANSWERED, replay_of=None)
    return list(rows.filter(asked_with__prompts__0__name=prompt).defer("messages", "answer").order_by("-pk")[:_LISTED])


def again(call: ModelCall, *, by: User, version: str = "", model: str = "") -> ModelCall:
    """Send its request again and return the new call, answered or failed; the version in use and the same model are
    taken where none is named.

    Raises NotYours, and NotPossibleNow where nothing could be sent.
    """
    if not may_ask(by, call):
        raise NotYours("Only an operator can ask a model again, for it counts against the agent's budget.")
    request = request_of(call, version=version, model=model)
    with transaction.atomic():
        said = {"model": request.models[0], "prompt": f"{request.prompts[0].name} {request.prompts[0].version}"}
        journal.record(Event.ASKED_AGAIN, by=by, subject=f"call:{call.pk}", data=said)
    try:
        return generation.of(generation.ask(request))
    except ModelError as error:
        if error.call is None:
            raise NotPossibleNow(str(error)) from error
        return ModelCall.objects.get(pk=error.call)


def request_of(
    call: ModelCall,
    *,
    version: str = "",
    model: str = "",
    told: firmware.Firmware | None = None,
    text: in_use.Version | None = None,
) -> Ask:
    """Its request as it would be sent again, under the firmware of today or the one that is `told`.

    `text` takes the place of a version that is saved.

    Raises NotPossibleNow where nothing can be sent.
    """
    may = choice(call)
    if may.why_not:
        raise NotPossibleNow(may.why_not)
    if model and model not in may.models:
        raise NotPossibleNow(f"{model} may not be asked for this call. Choose one of {', '.join(may.models)}.")
    agent = agent_of(call)
    if agent is None:
        raise NotPossibleNow("The agent that this call was made for is gone, and its budget with it.")
    messages, prompts = _conversation(call, may, version, text)
    return request_for(
        agent,
        call.purpose,
        messages,
        (model or may.models[0],),
        prompts=prompts,
        max_tokens=min(int(call.asked_with["max_tokens"]), settings.MODEL_ANSWER_TOKENS),
        schema=call.asked_with["schema"],
        goal=call.goal,
        told=told,
        # Compared with the first of them, however often it is asked again.
        replay_of=call.replay_of_id or call.pk,
    )


def goal_of(call: ModelCall) -> Goal | None:
    """The goal that it was made for; None: there was none, or it was removed."""
    number = _number(call.goal)
    rows = Goal.objects.select_related("agent", "workspace")
    return rows.filter(pk=number).first() if number else None


def _conversation(
    call: ModelCall, may: Choice, version: str, text: in_use.Version | None
) -> tuple[list[Message], list[PromptUsed]]:
    """The messages without their firmware, and the prompts in them."""
    first, *rest = [Message(str(one["role"]), str(one["content"])) for one in call.messages]
    main, chars = _main(call), int(_main(call)["chars"])
    sent = PromptUsed(main["name"], main["version"], first.content[:chars], main["values"])
    told = _chosen(sent, may, version, text)
    system = firmware.without(f"{told.text}{first.content[chars:]}")
    repairs = [PromptUsed(one["name"], one["version"], "", {}) for one in call.asked_with["prompts"][1:]]
    return [Message(first.role, system), *rest], [told, *repairs]


def _chosen(sent: PromptUsed, may: Choice, version: str, text: in_use.Version | None) -> PromptUsed:
    if not may.versions:
        if version and version != sent.version:
            raise NotPossibleNow("Its prompt cannot be exchanged: nobody can say any more where it ends.")
        return sent
    found = text or in_use.named(may.prompt, version or may.versions[0])
    if found is None:
        raise NotPossibleNow(f"There is no version {version} of {may.prompt} that can be sent.")
    if missing := set(found.prompt.values) - set(sent.values):
        raise NotPossibleNow(f"The call was made without a value for {', '.join(sorted(missing))}.")
    return found.filled(**sent.values)


def _main(call: ModelCall) -> Mapping[str, Any]:
    found: Mapping[str, Any] = call.asked_with["prompts"][0]
    return found


def _versions(name: str) -> tuple[str, ...]:
    rows = ComponentVersion.objects.filter(component__kind=in_use.KIND, component__name=name).order_by("-pk")
    return tuple(dict.fromkeys([in_use.of(name).version, *rows.values_list("version", flat=True)]))


def agent_of(call: ModelCall) -> Agent | None:
    """Whose budget it was made on; None: the agent is gone."""
    number = _number(call.agent)
    return Agent.objects.filter(pk=number).first() if number else None


def _number(opaque: str) -> int | None:
    return int(opaque) if opaque.isascii() and opaque.isdigit() and len(opaque) < 19 else None
