"""Asking a model through the real client: every way in which a provider answers or does not."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from library.language import calls, generation, may_wait
from library.language import provider as client
from library.language.asking import Allowance, Ask, BudgetSpent, CallFailed, Message, NoModel, Stopped
from library.language.masking import Masked
from library.language.may_wait import NotHere
from library.models import ModelCall, ModelDay
from tests.models.conftest import KEY, MODEL
from tests.models.server import (
    Provider,
    breaking_off,
    cut_at_its_length,
    dribbling,
    hanging,
    refusing,
    trailing_off,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "FIRST_WAIT_S", 0.0)


def question(**more: Any) -> Ask:
    values: dict[str, Any] = {"models": (MODEL,), "agent": "7", "goal": "9", **more}
    return Ask("plan", (Message("system", "Be brief."), Message("user", "What is so?")), **values)


def anything(text: str, masked: Masked) -> bool:
    """An asker that can use every answer."""
    return True


def test_an_answer_comes_in_pieces_and_is_kept_with_what_it_took(provider: Provider) -> None:
    provider.will_say("It is so, and it has been so for longer than forty characters.")
    pieces: list[str] = []
    answer = generation.ask(question(), on_text=pieces.append)
    assert answer.text == "It is so, and it has been so for longer than forty characters." == "".join(pieces)
    assert len(pieces) == 2
    row = ModelCall.objects.get(pk=answer.call)
    assert (row.state, row.purpose, row.agent, row.goal, row.tries) == ("answered", "plan", "7", "9", 1)
    assert (row.tokens_in, row.tokens_out, row.tokens_are_guessed) == (120, 30, False)
    assert row.cost == Decimal("0.00018")
    assert row.messages == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is so?"}]
    assert row.answer == answer.text
    assert row.latency_ms is not None
    asked = provider.asked[0]
    assert (asked["model"], asked["temperature"], asked["stream"]) == ("test-model", 0.0, True)
    assert provider.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_process_of_a_worker_asks_no_model(provider: Provider) -> None:
    may_wait.forbid()
    try:
        with pytest.raises(NotHere):
            generation.ask(question())
    finally:
        may_wait.allow()
    assert not provider.asked


def test_where_a_provider_does_not_count_the_client_does(provider: Provider) -> None:
    provider.will_say(lambda asked: asked.stream("word " * 30, usage=False))
    row = ModelCall.objects.get(pk=generation.ask(question()).call)
    assert 25 <= row.tokens_out <= 40
    assert row.cost is not None


@pytest.mark.parametrize(
    ("reply", "code", "requests"),
    [
        (refusing(500), "server_error", 3),
        (refusing(503), "server_error", 3),
        (refusing(429), "rate_limited", 3),
        (refusing(401), "key_refused", 1),
        (refusing(403), "key_refused", 1),
        (refusing(404), "no_such_model", 1),
        (refusing(400), "request_refused", 1),
        (breaking_off("half of an ans"), "cut_off", 3),
        (trailing_off("half of an ans"), "cut_off", 3),
        (cut_at_its_length("as much as there was room for"), "cut_off", 1),
    ],
)
def test_what_goes_wrong_is_named_and_tried_again_where_that_can_help(
    reply: Any, code: str, requests: int, provider: Provider
) -> None:
    provider.will_say(reply)
    with pytest.raises(CallFailed) as failed:
        generation.ask(question())
    assert failed.value.code == code
    assert len(provider.asked) == requests
    assert failed.value.call is not None
    row = ModelCall.objects.get(pk=failed.value.call)
    assert (row.state, row.failure, row.tries) == ("failed", code, requests)
    assert row.detail == str(failed.value)
    day = ModelDay.objects.get()
    assert (day.answered, day.failed, day.tokens_in, day.cost) == (0, 1, row.tokens_in, row.cost)


def used(row: ModelCall) -> tuple[int, int, Decimal | None, bool]:
    return row.tokens_in, row.tokens_out, row.cost, row.tokens_are_guessed


@pytest.mark.parametrize("reply", [refusing(status) for status in (400, 401, 403, 404, 429, 500, 503)])
def test_a_refused_call_gives_back_what_was_set_aside_for_it(reply: Any, provider: Provider) -> None:
    provider.will_say(reply)
    with pytest.raises(CallFailed):
        generation.ask(question())
    assert used(ModelCall.objects.get()) == (0, 0, Decimal(0), False)
    assert calls.used_today("7") == (0, 0)


def test_where_nobody_answers_at_all_nothing_is_used(
    provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MODEL_TRIES = 1
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with pytest.raises(CallFailed):
        generation.ask(question())
    assert used(ModelCall.objects.get()) == (0, 0, Decimal(0), False)


def test_a_question_that_was_read_and_not_answered_counts_as_read(provider: Provider, settings: Any) -> None:
    settings.MODEL_TIMEOUT_S, settings.MODEL_TRIES = 0.5, 1
    provider.will_say(hanging)
    with pytest.raises(CallFailed):
        generation.ask(question())
    row = ModelCall.objects.get()
    assert (row.tokens_in, row.tokens_are_guessed) == (calls.most_used(question()).tokens_in, True)
    assert row.tokens_out <= 1


def test_a_connection_that_never_came_about_has_sent_nothing() -> None:
    silent, unconnected = CallFailed("timed_out", "no", again=True), CallFailed("timed_out", "no", again=True)
    unconnected.__cause__ = type("ConnectTimeout", (Exception,), {})()
    assert (client._was_sent(silent), client._was_sent(unconnected)) == (True, False)
    assert not client._was_sent(CallFailed("server_error", "no", again=True))


def test_what_a_provider_counted_before_it_broke_off_is_what_was_used(provider: Provider) -> None:
    provider.will_say(cut_at_its_length("as much as there was room for"))
    with pytest.raises(CallFailed):
        generation.ask(question())
    assert used(ModelCall.objects.get()) == (120, 30, Decimal("0.00018"), False)
    assert calls.used_today("7") == (150, Decimal("0.00018"))


def test_every_try_that_was_answered_in_part_counts(provider: Provider) -> None:
    provider.will_say(breaking_off("word " * 30), refusing(500), "at last")
    generation.ask(question())
    row = ModelCall.objects.get()
    assert row.tokens_in == 120 + calls.most_used(question()).tokens_in
    assert row.tokens_out > 30
    assert row.tokens_are_guessed


def test_after_an_error_the_next_try_counts(provider: Provider) -> None:
    provider.will_say(refusing(500), breaking_off("{"), "at last")
    said: list[str] = []
    answer = generation.ask(question(), on_trouble=said.append)
    assert answer.text == "at last"
    assert ModelCall.objects.get().tries == 3
    assert len(said) == 2
    assert "the provider had an error" in said[0]


def test_the_server_says_when_to_ask_again(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(generation, "_pause", lambda seconds, is_wanted: waited.append(seconds))
    provider.will_say(refusing(429, retry_after="7"), "now")
    assert generation.ask(question()).text == "now"
    assert waited == [7.0]


def test_more_patience_than_we_have_is_left_to_the_asker(provider: Provider) -> None:
    provider.will_say(refusing(429, retry_after="600"))
    with pytest.raises(CallFailed) as failed:
        generation.ask(question())
    assert failed.value.retry_after_s == 600.0
    assert len(provider.asked) == 1


@pytest.mark.parametrize("reply", [hanging, dribbling])
def test_silence_and_dribble_end_with_the_time(reply: Any, provider: Provider, settings: Any) -> None:
    settings.MODEL_TIMEOUT_S, settings.MODEL_TRIES = 0.5, 1
    provider.will_say(reply)
    with pytest.raises(CallFailed) as failed:
        generation.ask(question())
    assert failed.value.code == "timed_out"


def test_ten_megabytes_are_not_read_to_their_end(provider: Provider) -> None:
    written: list[int] = []

    def endless(asked: Any) -> None:
        asked.begin()
        for _ in range(100):
            asked.piece({"content": "x" * 100_000})
            written.append(100_000)

    provider.will_say(endless)
    with pytest.raises(CallFailed) as failed:
        generation.ask(question())
    assert failed.value.code == "answer_too_long"
    assert ModelCall.objects.get().answer == ""


def test_an_answer_that_is_wanted_no_more_is_given_up(provider: Provider) -> None:
    wanted = threading.Event()
    wanted.set()
    provider.will_say(dribbling)
    with pytest.raises(Stopped):
        generation.ask(question(), on_text=lambda _: wanted.clear(), is_wanted=wanted.is_set)
    assert ModelCall.objects.get().failure == "stopped"


def test_the_next_model_is_asked_where_the_first_gives_no_answer(provider: Provider) -> None:
    provider.will_say(refusing(401), "from the other")
    said: list[str] = []
    answer = generation.ask(question(models=(MODEL, "openai/other")), on_trouble=said.append)
    assert answer.text == "from the other"
    assert [row.model for row in ModelCall.objects.order_by("pk")] == [MODEL, "openai/other"]
    assert "asking openai/other instead" in said[0]


def test_without_a_model_that_is_said(provider: Provider) -> None:
    with pytest.raises(NoModel):
        generation.ask(question(models=()))
    assert provider.asked == []


def test_the_same_request_is_answered_from_the_table_while_it_is_fresh(provider: Provider, settings: Any) -> None:
    settings.MODEL_CACHE_DAYS = 7
    provider.will_say("once")
    first = generation.ask(question(), accepts=anything)
    again = generation.ask(question(goal="10"), accepts=anything)
    assert (again.text, again.is_cached, len(provider.asked)) == ("once", True, 1)
    row = ModelCall.objects.get(pk=again.call)
    assert (row.state, row.cached_from_id, row.goal, row.tokens, row.cost) == ("cached", first.call, "10", 0, None)
    day = ModelDay.objects.get()
    assert (day.agent, day.model, day.answered, day.cached, day.tokens_in) == ("7", MODEL, 1, 1, 120)
    for other in (question(temperature=0.5), question(max_tokens=9), question(schema={"type": "object"})):
        assert not generation.ask(other, accepts=anything).is_cached
    ModelCall.objects.update(fresh_until="2020-01-01T00:00:00Z")
    assert not generation.ask(question(), accepts=anything).is_cached


def test_an_answer_that_its_asker_cannot_use_answers_nobody_again(provider: Provider, settings: Any) -> None:
    settings.MODEL_CACHE_DAYS = 7
    provider.will_say("half of", "whole")
    for expected in ("half of", "whole", "whole"):
        answer = generation.ask(question(), accepts=lambda text, _: text == "whole")
        assert answer.text == expected
    assert answer.is_cached
    assert len(provider.asked) == 2
    assert list(ModelCall.objects.order_by("pk").values_list("state", flat=True)) == ["answered", "answered", "cached"]


def test_a_kept_answer_that_this_asker_cannot_use_is_asked_anew(provider: Provider, settings: Any) -> None:
    settings.MODEL_CACHE_DAYS = 7
    provider.will_say("for one", "for all")
    generation.ask(question(), accepts=anything)
    assert generation.ask(question(), accepts=lambda text, _: text == "for all").text == "for all"
    assert generation.ask(question(), accepts=anything).text == "for all"
    assert len(provider.asked) == 2


def test_an_answer_that_nobody_looked_at_is_not_kept(provider: Provider, settings: Any) -> None:
    settings.MODEL_CACHE_DAYS = 7
    provider.will_say("unseen", "seen")
    generation.ask(question())
    assert generation.ask(question(), accepts=anything).text == "seen"


def test_an_asker_that_breaks_over_an_answer_leaves_its_row_ended(provider: Provider, settings: Any) -> None:
    settings.MODEL_CACHE_DAYS = 7

    def breaks(text: str, masked: Masked) -> bool:
        raise RuntimeError(text)

    provider.will_say("odd")
    with pytest.raises(RuntimeError):
        generation.ask(question(), accepts=breaks)
    row = ModelCall.objects.get()
    assert (row.state, row.answer, row.fresh_until) == ("answered", "odd", None)


def test_a_budget_in_tokens_holds_and_what_failed_without_a_word_is_free(provider: Provider) -> None:
    most = Allowance(tokens=300)
    provider.will_say(refusing(401), "first", "second")
    with pytest.raises(CallFailed):
        generation.ask(question(allowance=most, max_tokens=100))
    generation.ask(question(allowance=most, max_tokens=100))
    assert calls.used_today("7")[0] == 150
    generation.ask(question(allowance=most, max_tokens=100))
    with pytest.raises(BudgetSpent, match=r"300 of 300 tokens"):
        generation.ask(question(allowance=most, max_tokens=100))
    assert generation.ask(question(agent="8", allowance=most, max_tokens=100)).text == "second"


def test_what_is_under_way_counts_with_the_most_it_may_use(provider: Provider) -> None:
    calls.open_call(question(max_tokens=250), MODEL, None)
    with pytest.raises(BudgetSpent):
        generation.ask(question(allowance=Allowance(tokens=300), max_tokens=100))
    assert provider.asked == []


def test_a_budget_in_dollars_wants_a_price(provider: Provider) -> None:
    provider.will_say("cheap")
    most = Allowance(cost=Decimal("0.001"))
    generation.ask(question(allowance=most, max_tokens=100))
    with pytest.raises(BudgetSpent, match="the price of openai/unheard-of is unknown"):
        generation.ask(question(models=("openai/unheard-of",), allowance=most))
    with pytest.raises(BudgetSpent, match=r"\$0.0002 of \$0.00"):
        generation.ask(question(allowance=most, max_tokens=1000))


def test_a_key_that_a_provider_repeats_is_kept_nowhere(provider: Provider) -> None:
    provider.will_say(refusing(401, message=f"Incorrect API key provided: {KEY}."))
    with pytest.raises(CallFailed) as failed:
        generation.ask(question())
    assert KEY not in str(failed.value)
    assert KEY not in ModelCall.objects.get().detail


def test_a_key_that_stands_in_a_question_is_neither_sent_nor_kept(provider: Provider) -> None:
    provider.will_say("Never heard of it.")
    asked = replace(question(), messages=(Message("user", f"Whose is {KEY}?"),))
    generation.ask(asked)
    (shown,) = provider.asked[0]["messages"]
    assert re.fullmatch(r"Whose is MASKED_SECRET_[0-9a-f]{8}\?", shown["content"])
    assert ModelCall.objects.get().messages == [shown]


def test_a_secret_is_neither_sent_nor_kept_and_comes_back_here(provider: Provider) -> None:
    token = "ghp_" + "a1B2" * 9
    asked = replace(question(), messages=(Message("system", "Be brief."), Message("user", f"Use {token}, once.")))
    kinds: list[tuple[str, ...]] = []
    provider.will_say("first")
    generation.ask(asked)
    sent = provider.asked[0]["messages"][1]["content"]
    mark = sent.removeprefix("Use ").removesuffix(", once.")
    provider.will_say(f"curl -H {mark}")
    answer = generation.ask(asked, on_masked=kinds.append)
    assert provider.asked[1]["messages"][1]["content"] == sent, "the same secret has the same mark"
    assert answer.masked.restored(answer.text) == f"curl -H {token}"
    assert kinds == [("GitHub token",)]
    for row in ModelCall.objects.all():
        assert token not in json.dumps([row.messages, row.answer])
        assert row.masked == "GitHub token"
    assert ModelCall.objects.values("request_digest").distinct().count() == 1


def says(text: str, **used: Any) -> Any:
    """An answer that is whole, with these counts."""

    def reply(asked: Any) -> None:
        asked.begin()
        asked.piece({"content": text})
        asked.piece({}, finish="stop")
        if used:
            asked.event({"choices": [], "usage": used})
        asked.chunk(b"data: [DONE]\n\n")
        asked.chunk(b"")

    return reply


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ("nothing \0 here", "nothing \u2400 here"),
        ("half \ud83d of one", "half \ufffd of one"),
        ("the other \ude00 half", "the other \ufffd half"),
        ("both \U0001f600 halves", "both \U0001f600 halves"),
    ],
)
def test_characters_that_no_table_holds_are_replaced_in_an_answer(told: str, kept: str, provider: Provider) -> None:
    provider.will_say(says(told))
    pieces: list[str] = []
    answer = generation.ask(question(), on_text=pieces.append)
    row = ModelCall.objects.get(pk=answer.call)
    assert (answer.text, row.state, row.answer, "".join(pieces)) == (kept, "answered", kept, kept)


def test_a_character_whose_halves_come_in_two_pieces_is_put_together(provider: Provider) -> None:
    def in_two(asked: Any) -> None:
        asked.begin()
        asked.piece({"content": "so \ud83d"})
        asked.piece({"content": "\ude00 it is"})
        asked.piece({}, finish="stop")
        asked.chunk(b"data: [DONE]\n\n")
        asked.chunk(b"")

    provider.will_say(in_two)
    assert generation.ask(question()).text == "so \U0001f600 it is"


def test_a_name_that_no_table_holds_is_made_one_that_it_does() -> None:
    piece = SimpleNamespace(choices=[], model="mo\0del\ud800" + "x" * 300)
    assert client._read(piece)[-1] == "mo\u2400del\ufffd" + "x" * 193


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_characters_that_no_table_holds_are_replaced_in_an_error(status: int, provider: Provider) -> None:
    provider.will_say(refusing(status, message="why \0 not \ud800 so"))
    said: list[str] = []
    with pytest.raises(CallFailed) as failed:
        generation.ask(question(), on_trouble=said.append)
    row = ModelCall.objects.get()
    assert row.state == "failed"
    assert "why \u2400 not \ufffd so" in row.detail
    for text in (str(failed.value), *said):
        assert text == text.encode().decode().replace("\0", "")


@pytest.mark.parametrize("odd", [-5, 2**31, 2**80, 1.5, float("nan"), float("inf"), "many", True, None, [3]])
@pytest.mark.parametrize("which", ["prompt_tokens", "completion_tokens"])
def test_a_count_that_can_be_none_is_unknown(odd: Any, which: str, provider: Provider) -> None:
    counts = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150, which: odd}
    provider.will_say(says("word " * 30, **counts))
    row = ModelCall.objects.get(pk=generation.ask(question()).call)
    assert row.state == "answered"
    assert 0 < row.tokens_in <= 120
    assert 0 < row.tokens_out <= 60
    assert row.cost is not None
    assert 0 < row.cost < 1


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -1.0, 1e12])
def test_a_price_that_is_no_price_is_unknown(
    price: float, provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MODEL_PRICES = {}
    monkeypatch.setattr(client._library(), "cost_per_token", lambda **_: (price, 0.0))
    provider.will_say("yes")
    row = ModelCall.objects.get(pk=generation.ask(question()).call)
    assert (row.state, row.cost) == ("answered", None)


def test_what_the_provider_says_stands_without_the_names_of_its_clients_classes(provider: Provider) -> None:
    provider.will_say(refusing(400, "this model reads no tables"))
    with pytest.raises(CallFailed) as caught:
        generation.ask(question())
    assert str(caught.value).endswith("the provider refused the request (this model reads no tables)")
    provider.will_say(refusing(429, "slow down", retry_after="90"))
    with pytest.raises(CallFailed) as caught:
        generation.ask(question())
    assert str(caught.value).endswith("(slow down)")
