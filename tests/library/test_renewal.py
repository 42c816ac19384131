"""A change of the sentence model: old and new vectors side by side, and making the new ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from library import embedding, renewal, upkeep
from library import search as nearest
from library.components import search as searching
from library.components import services
from library.errors import EmbeddingUnavailable
from library.language import provider, spaces
from library.language.asking import CallFailed
from library.memory import context, merging, selectors
from library.memory import services as memory
from library.models import Component, ComponentVersion, Experience
from mindx_web.doctor import records
from mindx_web.operations import health
from people.models import User
from people.roles import Role
from tests.library.vectors import ShiftedVectors, WordVectors
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db
NEW = "openai/another-model"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
# In this order the words get their places, so what the new model says of “sum” the old one says of “water”.
WORDS = "water sum garden invoices other"


@pytest.fixture
def owner(person: Callable[..., User]) -> User:
    return person("owner")


@pytest.fixture
def old(word_vectors: WordVectors) -> WordVectors:
    word_vectors([WORDS])
    word_vectors.texts.clear()
    return word_vectors


@pytest.fixture
def new(old: WordVectors, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShiftedVectors]:
    """The model that `change` switches to."""
    fake = ShiftedVectors(old)
    monkeypatch.setattr(provider, "embed", fake.ask)
    monkeypatch.setattr(spaces, "_resting", {})
    spaces._asked_lately.cache_clear()
    yield fake
    spaces._asked_lately.cache_clear()


@pytest.fixture(params=["few rows", "two models, each of them rare", "by the index"])
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways in which rows are compared."""
    if request.param != "few rows":
        monkeypatch.setattr(selectors, "EXACT_UP_TO", 0)
        monkeypatch.setattr(searching, "EXACT_UP_TO", 0)
    if request.param == "by the index":
        monkeypatch.setattr(nearest, "RARE_UP_TO", 0)


@pytest.fixture
def change(new: ShiftedVectors, settings: Any) -> Callable[[str], None]:
    """Sets the sentence model from now on."""

    def to(model: str = NEW) -> None:
        settings.EMBEDDING_MODEL = model

    return to


def remember(owner: User, goal: str, *, minute: int = 0, **fields: Any) -> Experience:
    row = memory.record(
        goal_ref=f"{goal} {minute}",
        owner=owner,
        primary_goal_description=goal,
        final_outcome="failure",
        timestamp=START + timedelta(minutes=minute),
        initiating_agent_id="mindx",
        **fields,
    )
    embedding.embed_missing()
    return row


def made(name: str, use: str) -> ComponentVersion:
    component = Component.objects.create(kind="rule", name=name)
    version = ComponentVersion.objects.create(
        component=component, version="1.0.0", body=use, applicability_text=use, status="active"
    )
    embedding.embed_missing()
    return version


def by_model() -> dict[str, str]:
    return dict(Experience.objects.values_list("primary_goal_description", "embedded_by"))


def found(owner: User, query: str) -> dict[str, float | None]:
    rows = selectors.search(query, user=owner)
    return {row.primary_goal_description: near if near is None else round(near, 3) for row, near in rows}


# --- side by side ---------------------------------------------------------------------------------------------------


def test_each_model_ranks_its_own_rows(owner: User, old: WordVectors, change: Callable[..., None], by: None) -> None:
    remember(owner, "water")
    change()
    remember(owner, "sum")
    assert by_model() == {"water": spaces.SHIPPED, "sum": NEW}
    # As the old model puts “water”, the new one puts “sum”: compared with each other, both would be the same.
    assert found(owner, "water") == {"water": 1.0, "sum": 0.0}
    assert found(owner, "sum") == {"sum": 1.0, "water": 0.0}


def test_the_best_of_each_model_come_first_and_pages_follow_without_gap_or_double(
    owner: User, old: WordVectors, change: Callable[..., None]
) -> None:
    for minute, goal in enumerate(("water", "water garden", "water garden other")):
        remember(owner, goal, minute=minute)
    change()
    for minute, goal in enumerate(("sum water", "sum water garden other", "sum invoices")):
        remember(owner, goal, minute=minute)
    seen, after = [], None
    while page := selectors.search("water", user=owner, limit=2, after=after):
        seen += [row.primary_goal_description for row, _ in page]
        after = (page[-1][0].score, page[-1][0].pk)
    assert sorted(seen[:2]) == ["sum water", "water"]
    assert sorted(seen[2:4]) == ["sum water garden other", "water garden"]
    assert sorted(seen[4:]) == ["sum invoices", "water garden other"]


def test_components_are_ranked_by_their_own_model(old: WordVectors, change: Callable[..., None], by: None) -> None:
    made("first", "water")
    change()
    made("second", "sum")
    hits = searching.search(task="water").items
    assert [(hit.version.component.name, round(hit.scores.task or 0, 3)) for hit in hits] == [
        ("first", 1.0),
        ("second", 0.0),
    ]
    hits = searching.search(task="sum").items
    assert {hit.version.component.name: round(hit.scores.task or 0, 3) for hit in hits} == {"first": 0.0, "second": 1.0}


def test_goals_are_not_compared_with_versions_of_another_model(
    owner: User, old: WordVectors, change: Callable[..., None]
) -> None:
    goal = remember(owner, "water")
    assert [row.pk for row in selectors.that_would_find(made("same model", "water").pk, user=owner)] == [goal.pk]
    change()
    assert selectors.that_would_find(made("another model", "sum").pk, user=owner) == []


def test_only_experiences_of_one_model_are_merged(owner: User, old: WordVectors, change: Callable[..., None]) -> None:
    remember(owner, "water", minute=1)
    change()
    remember(owner, "sum", minute=2)
    assert merging.merge(owner, owner) == 0
    remember(owner, "sum", minute=3)
    assert merging.merge(owner, owner) == 1


def test_a_prompt_is_given_what_is_best_in_each_ranking(
    owner: User, old: WordVectors, change: Callable[..., None]
) -> None:
    made("near", "water")
    change()
    remember(owner, "water sum garden invoices")
    built = context.build("water", user=owner, budget_tokens=2_000)
    assert [item.kind for item in built.items] == ["experience", "rule"], "by place, not by score"


def test_rows_of_a_model_that_is_gone_are_found_by_their_words(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None], by: None
) -> None:
    remember(owner, "water the garden")
    made("gardener", "water the garden")
    change()
    remember(owner, "sum the invoices")
    old.broken = "the old model was uninstalled"
    assert found(owner, "garden") == {"water the garden": None, "sum the invoices": 0.0}
    assert selectors.why_by_words("garden") == ("", "the old model was uninstalled")
    results = searching.search(task="garden")
    assert [hit.version.component.name for hit in results.items] == ["gardener"]
    assert results.by_words == "the old model was uninstalled"
    made("accountant", "sum the invoices")
    results = searching.search(task="garden")
    assert {hit.version.component.name for hit in results.items} == {"gardener", "accountant"}
    assert (results.by_words, results.some_by_words) == ("", "the old model was uninstalled")


def test_a_version_of_a_model_that_shipped_once_is_not_asked_for_at_a_provider(
    owner: User, old: WordVectors, new: ShiftedVectors
) -> None:
    remember(owner, "water")
    Experience.objects.update(embedded_by="mindx/an-older-one")
    assert found(owner, "water") == {"water": None}
    assert "another version of mindX" in selectors.why_by_words("garden")[0]
    assert new.texts == []


# --- making the new ones --------------------------------------------------------------------------------------------


def test_what_another_model_embedded_is_embedded_again_whole(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None]
) -> None:
    remember(owner, "water", sub_task_description="sum", input_context_summary="garden")
    made("first", "water")
    change()
    told: list[int] = []
    assert renewal.renew(tell=told.append) == 2
    assert told == [1, 2]
    row = Experience.objects.get()
    assert row.embedded_by == NEW
    assert list(row.sub_task_description_embedding or ()) == pytest.approx(new._vector("sum"))
    assert row.output_summary_embedding is None, "it has no text"
    assert found(owner, "water") == {"water": 1.0}
    assert not renewal.is_under_way()
    assert renewal.renew() == 0
    change("")
    assert renewal.renew() == 2, "and back"
    assert Experience.objects.get().embedded_by == spaces.SHIPPED


def test_the_sweep_renews_and_status_tells_how_far_it_is(
    owner: User, old: WordVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(3):
        remember(owner, "water", minute=minute)
    made("first", "water")
    change()
    monkeypatch.setattr(renewal, "BATCH_ROWS", 1)
    monkeypatch.setattr(upkeep, "RENEW_S", -1.0)  # one batch and no more
    upkeep.embed_missing()
    upkeep.embed_missing()
    said = StringIO()
    call_command("embeddings", "status", stdout=said)
    assert said.getvalue().splitlines() == [
        "1 of 1 components embedded with openai/another-model",
        "1 of 3 experiences embedded with openai/another-model",
        "  2 still with all-MiniLM-L6-v2",
    ]
    said = StringIO()
    call_command("embeddings", "status", "--json", stdout=said)
    told = json.loads(said.getvalue())
    assert told["kinds"][1] == {
        "kind": "experiences",
        "model": NEW,
        "total": 3,
        "current": 1,
        "others": {spaces.SHIPPED: 2},
        "none": 0,
    }
    (finding,) = [one for one in records.embeddings() if one.grade == "warn"]
    assert finding.says == "1 of 3 experiences embedded with openai/another-model"
    assert "made again" in health._embeddings().sentence
    said = StringIO()
    call_command("embeddings", "renew", "--kind", "experiences", stdout=said)
    assert said.getvalue().splitlines()[0] == "2 to be embedded with openai/another-model"
    assert set(by_model().values()) == {NEW}
    assert health._embeddings().state == "ok"


def test_who_was_killed_goes_on_where_it_stopped(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(4):
        remember(owner, f"water {minute}", minute=minute)
    change()
    monkeypatch.setattr(renewal, "BATCH_ROWS", 1)

    def kill(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        renewal.renew(tell=kill)
    assert by_model() == {"water 3": NEW, "water 2": NEW, "water 1": spaces.SHIPPED, "water 0": spaces.SHIPPED}
    new.texts.clear()
    assert renewal.renew() == 2
    assert new.texts == ["water 1", "water 0"], "nothing is embedded twice"


def test_nothing_is_lost_when_the_new_model_does_not_answer(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None]
) -> None:
    remember(owner, "water")
    change()
    new.broken = "connection refused"
    later = remember_without_model(owner, "water it later")
    upkeep.embed_missing()
    with pytest.raises(CommandError, match=r"connection refused.*What was renewed stays"):
        call_command("embeddings", "renew", stdout=StringIO())
    assert found(owner, "water") == {"water": 1.0, "water it later": None}
    new.broken = ""
    upkeep.embed_missing()
    assert set(by_model().values()) == {NEW}
    later.refresh_from_db()
    assert later.primary_goal_description_embedding is not None


def remember_without_model(owner: User, goal: str) -> Experience:
    with pytest.raises(EmbeddingUnavailable):
        remember(owner, goal)
    return Experience.objects.get(primary_goal_description=goal)


@pytest.mark.django_db(transaction=True)
def test_two_renewals_at_once_do_not_do_the_same_work(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None]
) -> None:
    remember(owner, "water")
    change()
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [renewal._LOCK])
        assert renewal.renew() is None
        with pytest.raises(CommandError, match="Another process"):
            call_command("embeddings", "renew", stdout=StringIO())
        assert new.texts == []
    finally:
        other.close()  # as when its process is killed
    wait_until(lambda: renewal.renew() == 1)
    assert renewal.renew() == 0, "the lock is free again"


def test_a_text_that_changes_meanwhile_gets_no_vector_of_the_old_one(
    person: Callable[..., User], old: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    developer = person("dev", Role.DEVELOPER)
    version = made("first", "water")
    ComponentVersion.objects.update(applicability_embedding=None)
    real = spaces.to_store

    def and_somebody_edits(texts: list[str]) -> list[list[float] | None]:
        monkeypatch.setattr(spaces, "to_store", real)
        services.say_when(version, "sum", by=developer)
        return real(texts)

    monkeypatch.setattr(spaces, "to_store", and_somebody_edits)
    assert embedding.embed_missing() == 0
    version.refresh_from_db()
    assert (version.applicability_text, version.applicability_embedding) == ("sum", None)
    assert embedding.embed_missing() == 1


# --- bad vectors ----------------------------------------------------------------------------------------------------

BAD = {"zeros": [0.0] * 384, "nan": [float("nan")] + [0.1] * 383, "infinite": [float("inf")] * 384}


@pytest.mark.parametrize("bad", BAD)
def test_a_vector_without_a_direction_is_none_and_keeps_nothing_else_waiting(
    owner: User, old: WordVectors, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [BAD[bad] if "bad" in text else old([text])[0] for text in texts]

    monkeypatch.setattr("library.language.embeddings.embed", embed)
    remember(owner, "water", output_summary="a bad result")
    remember(owner, "bad", minute=1)
    rows = {row.primary_goal_description: row for row in Experience.objects.all()}
    assert rows["bad"].primary_goal_description_embedding is None
    assert rows["water"].primary_goal_description_embedding is not None
    assert rows["water"].output_summary_embedding is None
    assert embedding.count_missing(9) == 0, "it is not asked for again and again"
    assert found(owner, "bad") == {"bad": None, "water": None}, "a question without a direction is one of words"
    assert found(owner, "water") == {"water": 1.0}
    monkeypatch.setattr("library.language.embeddings.embed", old)
    call_command("embeddings", "renew", stdout=StringIO())
    assert found(owner, "bad")["bad"] == 1.0


@pytest.mark.parametrize("bad", BAD)
def test_a_text_that_the_new_model_cannot_read_ends_without_a_vector_and_the_renewal_ends(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None], bad: str, monkeypatch: Any
) -> None:
    remember(owner, "water", output_summary="a bad result")
    remember(owner, "sum", minute=1)
    change()

    def embed(model: str, texts: list[str], **_: Any) -> list[list[float]]:
        return [BAD[bad] if "bad" in text else new([text])[0] for text in texts]

    monkeypatch.setattr(provider, "embed", embed)
    assert renewal.renew() == 2
    row = Experience.objects.get(primary_goal_description="water")
    assert (row.embedded_by, row.unread_by, row.output_summary_embedding) == (NEW, NEW, None)
    assert not renewal.is_under_way()
    assert embedding.embed_missing() == 0


def test_a_model_that_answers_with_nothing_usable_has_not_answered(
    owner: User, old: WordVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(owner, "water", output_summary="garden")
    change()
    monkeypatch.setattr(provider, "embed", lambda model, texts, **_: [[0.0] * 384 for _ in texts])
    with pytest.raises(EmbeddingUnavailable, match="no usable vector for any of 2 texts"):
        renewal.renew()
    assert found(owner, "water") == {"water": 1.0}


@pytest.mark.parametrize("wrong", [383, 1536, 0])
def test_vectors_of_other_dimensions_are_refused_with_what_to_do(
    owner: User, old: WordVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch, wrong: int
) -> None:
    remember(owner, "water")
    change()
    monkeypatch.setattr(provider, "embed", lambda model, texts, **_: [[0.1] * wrong for _ in texts])
    with pytest.raises(CommandError, match=f"vectors of {wrong:,} numbers, and mindX stores 384. Set MINDX_EMBEDDING"):
        call_command("embeddings", "check")
    with pytest.raises(CommandError, match="mindX stores 384"):
        call_command("embeddings", "renew", stdout=StringIO())
    upkeep.embed_missing()
    assert by_model() == {"water": spaces.SHIPPED}
    assert found(owner, "water") == {"water": 1.0}


def test_a_model_that_does_not_answer_ends_no_start(new: ShiftedVectors, change: Callable[..., None]) -> None:
    change()
    new.broken = "connection refused"
    said = StringIO()
    call_command("embeddings", "check", stderr=said)
    assert "does not answer" in said.getvalue()


def test_too_few_vectors_are_no_answer(old: WordVectors, change: Callable[..., None], monkeypatch: Any) -> None:
    change()
    monkeypatch.setattr(provider, "embed", lambda model, texts, **_: [])
    with pytest.raises(EmbeddingUnavailable, match="0 vectors for 2 texts"):
        spaces.to_store(["water", "sum"])


def test_a_text_that_is_refused_keeps_no_other_waiting(
    new: ShiftedVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    change()

    def embed(model: str, texts: list[str], **_: Any) -> list[list[float]]:
        if "bad" in texts:
            raise CallFailed("prompt_too_long", "too long", again=False)
        return new(texts)

    monkeypatch.setattr(provider, "embed", embed)
    water, bad, total = spaces.to_store(["water", "bad", "sum"])
    assert (water is None, bad, total is None) == (False, None, False)
    with pytest.raises(EmbeddingUnavailable, match="too long"):
        spaces.to_store(["bad", "bad"])


# --- what leaves this machine ---------------------------------------------------------------------------------------


def test_secrets_are_masked_and_texts_are_cut_before_they_leave(
    new: ShiftedVectors, change: Callable[..., None]
) -> None:
    change()
    spaces.to_store(["the password is hunter2hunter2", "word " * 20_000, ""])
    secret, long, empty = new.texts
    assert "hunter2" not in secret
    assert len(long) == spaces.MAX_CHARACTERS
    assert empty == "-"


def test_a_model_that_did_not_answer_is_left_alone_for_a_while(
    owner: User, old: WordVectors, new: ShiftedVectors, change: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    change()
    remember(owner, "water")
    new.broken = "timed out"
    assert found(owner, "water") == {"water": None}
    new.broken = ""
    new.texts.clear()
    assert found(owner, "garden water") == {}, "a page in these seconds waits for nobody"
    assert new.texts == []
    monkeypatch.setattr(spaces, "_resting", {})
    assert found(owner, "garden water")["water"] is not None


def test_the_shipped_model_has_another_name_when_it_has_other_weights() -> None:
    from library.language import weights

    known = {"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "mindx/all-MiniLM-L6-v2"}
    assert known.get(weights.SHA256) == weights.NAME, "vectors of other weights cannot be compared with stored ones"
