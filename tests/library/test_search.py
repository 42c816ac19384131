"""Finding components: two comparisons, what usage adds, filters, and words where meaning cannot be compared."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from library import embedding
from library.components import search as searching
from library.components.search import USAGE_MOST, Filters, search
from library.models import Component, ComponentVersion
from tests.library.vectors import WordVectors

pytestmark = pytest.mark.django_db
Status = ComponentVersion.Status


def made(name: str, body: str, use: str, *, status: str = Status.ACTIVE, **facts: Any) -> ComponentVersion:
    counts = {key: facts.pop(key) for key in ("uses", "successes", "failures") if key in facts}
    kind = facts.pop("kind", "rule")
    component = Component.objects.create(kind=kind, name=name, **facts)
    return ComponentVersion.objects.create(
        component=component, version="1.0.0", body=body, applicability_text=use, status=status, **counts
    )


def names(results: searching.Results) -> list[str]:
    return [one.version.component.name for one in results.items]


@pytest.fixture
def shelf(word_vectors: WordVectors) -> WordVectors:
    made("invoices", "sum amounts by vendor", "check an invoice", domain="finance", tags=["money", "csv"])
    made("letters", "greet and sign", "answer a letter", tags=["text"])
    made("sorter", "check an invoice", "sort photos", kind="tool", domain="finance", tags=["csv"])
    made("old", "sum amounts by vendor", "check an invoice", status=Status.RETIRED, domain="finance")
    embedding.embed_missing()
    return word_vectors


def test_the_task_is_compared_with_the_use_and_the_query_with_the_text(shelf: WordVectors) -> None:
    by_task = search(task="check an invoice")
    assert names(by_task)[0] == "invoices"
    assert by_task.items[0].scores.task == pytest.approx(1, abs=1e-5)
    assert by_task.items[0].scores.content is None
    by_query = search("check an invoice")
    assert names(by_query)[0] == "sorter"
    assert by_query.items[0].scores.content == pytest.approx(1, abs=1e-5)


def test_both_are_added_by_their_weight_and_all_parts_are_told(shelf: WordVectors) -> None:
    found = search("check an invoice", "check an invoice").items
    assert [one.version.component.name for one in found[:2]] == ["invoices", "sorter"]
    assert [one.scores.total for one in found[:2]] == [pytest.approx(0.7, abs=1e-5), pytest.approx(0.3, abs=1e-5)]
    turned = search("check an invoice", "check an invoice", weight=0.2).items
    assert turned[0].version.component.name == "sorter"


def test_usage_adds_a_little_for_what_works_and_never_more(word_vectors: WordVectors) -> None:
    made("fresh", "a", "mend a fence")
    made("proved", "b", "mend a fence", uses=10_000, successes=10_000)
    made("failing", "c", "mend a fence", uses=10_000, failures=10_000)
    embedding.embed_missing()
    found = {one.version.component.name: one.scores.usage for one in search(task="mend a fence gate").items}
    assert (found["fresh"], found["proved"], found["failing"]) == (0, USAGE_MOST, 0)
    assert names(search(task="mend a fence gate"))[0] == "proved"
    assert max(one.scores.total for one in search(task="mend a fence").items) <= 1


@pytest.mark.parametrize("most", [searching.EXACT_UP_TO, 0], ids=["one by one", "by the index"])
def test_filters_leave_out_and_find_all_the_same(
    shelf: WordVectors, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(searching, "EXACT_UP_TO", most)
    assert set(names(search(task="check an invoice"))) == {"invoices", "letters", "sorter"}
    assert names(search(task="check an invoice", filters=Filters(kind="tool"))) == ["sorter"]
    assert set(names(search(task="check an invoice", filters=Filters(domain="finance")))) == {"invoices", "sorter"}
    assert names(search(task="check an invoice", filters=Filters(status="retired"))) == ["old"]
    assert names(search(task="photos", filters=Filters(tags=("csv", "money")))) == ["invoices"]


def test_the_ranking_is_one_statement(shelf: WordVectors) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        search("amounts", "check an invoice")
    ranked = [one["sql"] for one in asked if "scored" in one["sql"]]
    assert len(ranked) == 1


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("asked", [("invoice vendor", "check an invoice"), ("invoice vendor", ""), ("", "an invoice")])
def test_the_index_ranks_by_the_very_sum_of_the_scores(
    shelf: WordVectors, monkeypatch: pytest.MonkeyPatch, weight: float, asked: tuple[str, str]
) -> None:
    made("wordless", "sum by vendor", "")  # no text says when it is of use, so it has one vector
    embedding.embed_missing()
    one_by_one = search(*asked, weight=weight).items
    monkeypatch.setattr(searching, "EXACT_UP_TO", 0)
    by_the_index = [(hit.version.pk, hit.scores) for hit in search(*asked, weight=weight).items]
    assert by_the_index == [(hit.version.pk, hit.scores) for hit in one_by_one]
    monkeypatch.setattr(searching, "CANDIDATES", 1)
    (first,) = search(*asked, weight=weight).items
    assert first.scores.total == pytest.approx(one_by_one[0].scores.total, abs=1e-3), "nothing better was passed over"


def test_one_scan_of_one_index_finds_the_candidates(shelf: WordVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "EXACT_UP_TO", 0)
    with CaptureQueriesContext(connection) as asked:
        search("amounts", "check an invoice")
    (ranked,) = (one["sql"] for one in asked if "scored" in one["sql"])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute("EXPLAIN " + ranked)
        plan = " ".join(row[0] for row in cursor.fetchall())
    assert plan.count("version_vectors_hnsw") == 1


def test_words_are_looked_for_where_sentences_cannot_be_embedded(shelf: WordVectors) -> None:
    shelf.broken = "the model is not here"
    found = search("VENDOR", "invoice")
    assert (names(found), found.by_words) == (["invoices"], "the model is not here")
    assert names(search("100%")) == []


def test_what_waits_for_its_vectors_is_found_by_its_words(shelf: WordVectors) -> None:
    made("newest", "mow the lawn", "garden work")
    assert "newest" in names(search("lawn"))


@pytest.mark.parametrize("text", ["", " ", "\0"])
def test_without_a_text_all_are_listed_by_name(shelf: WordVectors, text: str) -> None:
    assert names(search(text, text)) == ["invoices", "letters", "sorter"]
