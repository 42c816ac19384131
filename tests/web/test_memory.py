"""The pages of memory: found, refused, forgotten, and safe with foreign text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from library import embedding
from library.memory import services
from library.models import Experience
from people.models import User
from tests.library.vectors import WordVectors, install

ClientOf = Callable[[User], Client]
HOSTILE = "<script>alert(1)</script> \u202egnp.exe\u200b & <b>bold</b>"


@pytest.fixture(autouse=True)
def word_vectors(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    return install(monkeypatch)


def remember(owner: User, goal: str = "create a python project", **also: Any) -> Experience:
    fields: dict[str, Any] = {
        "goal_ref": str(Experience.objects.count() + 1),
        "owner": owner,
        "primary_goal_description": goal,
        "final_outcome": "success",
        "output_summary": "it printed Python 3.11",
        "timestamp": datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=Experience.objects.count()),
        "initiating_agent_id": "mindx",
        **also,
    }
    experience = services.record(**fields)
    embedding.embed_missing()
    return experience


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def tags(page: str) -> list[str]:
    parser = _Tags()
    parser.feed(page)
    return parser.tags


def text_of(client: Client, address: str, **headers: str) -> str:
    answer = client.get(address, headers=headers or None)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def test_an_empty_memory_says_what_fills_it(owner: User, client_of: ClientOf) -> None:
    page = text_of(client_of(owner), "/memory/")
    assert "No experience yet" in page
    assert "Every finished goal is recorded" in page


def test_a_page_of_memory_asks_few_questions_and_none_by_offset(owner: User, client_of: ClientOf) -> None:
    for number in range(25):
        remember(owner, f"goal {number}")
    client = client_of(owner)
    client.get("/memory/")
    for query in ({}, {"outcome": "failure"}, {"after": "2026-03-01T00:05:00+00:00~9"}):
        with CaptureQueriesContext(connection) as queries:
            client.get("/memory/", query)
        assert len(queries) <= 6, [query["sql"] for query in queries]
        assert not [query["sql"] for query in queries if "OFFSET" in query["sql"]]


def test_the_newest_are_shown_with_outcome_and_a_way_to_the_goal(owner: User, client_of: ClientOf) -> None:
    remember(owner)
    remember(owner, "write a poem", final_outcome="partial_success")
    page = text_of(client_of(owner), "/memory/")
    assert page.index("write a poem") < page.index("create a python project")
    assert 'href="/goals/1/"' in page
    assert "it printed Python 3.11" in page
    assert 'data-s="succeeded"' in page
    assert "partial success" in page


def test_a_search_says_how_near_each_one_is(owner: User, client_of: ClientOf) -> None:
    remember(owner)
    remember(owner, "write a poem", output_summary="")
    page = text_of(client_of(owner), "/memory/?q=python+project")
    assert page.index("create a python project") < page.index("write a poem")
    assert "71 %" in page
    assert "very similar" in page
    assert "0 %</strong> not similar" in page


def test_htmx_gets_the_list_alone_and_a_history_reload_the_page(owner: User, client_of: ClientOf) -> None:
    remember(owner)
    client = client_of(owner)
    fragment = text_of(client, "/memory/?q=python", **{"HX-Request": "true", "HX-Target": "found"})
    assert fragment.lstrip().startswith('<div class="stack" id="found">')
    assert "<html" not in fragment
    assert "<html" in text_of(client, "/memory/?q=python")


def test_an_outcome_can_be_chosen(owner: User, client_of: ClientOf) -> None:
    remember(owner)
    remember(owner, "write a poem", final_outcome="failure")
    client = client_of(owner)
    assert "create a python project" not in text_of(client, "/memory/?outcome=failure")
    assert "write a poem" in text_of(client, "/memory/?outcome=failure")
    assert "No matching experience" in text_of(client, "/memory/?outcome=abandoned")
    assert "write a poem" in text_of(client, "/memory/?outcome=%27%3B")


def test_pages_lead_on_to_the_last_one(owner: User, client_of: ClientOf) -> None:
    for number in range(45):
        remember(owner, f"project number{number}", goal_ref=str(number + 1))
    for start in ("/memory/", "/memory/?q=project"):
        client, address, seen = client_of(owner), start, []
        for _ in range(3):
            page = text_of(client, address)
            seen += [int(part.split("<")[0]) for part in page.split('">project number')[1:]]
            address = "/memory/" + page.split('card-foot"><a href="')[-1].split('"')[0].replace("&amp;", "&")
        assert len(seen) == len(set(seen)) == 45
        assert "after=" not in page


@pytest.mark.parametrize(
    "after", ["x", "0.5", "0.5~x", "nan~1", "2026-01-01~1", "~", "0.5~99999999999999999999", "0.5~-1"]
)
def test_a_made_up_page_address_is_refused(owner: User, client_of: ClientOf, after: str) -> None:
    client = client_of(owner)
    assert client.get("/memory/", {"q": "x", "after": after}).status_code == 400
    assert client.get("/memory/", {"after": after}).status_code == 400


def test_without_a_sentence_model_the_page_says_so_and_still_finds(
    owner: User, client_of: ClientOf, word_vectors: WordVectors
) -> None:
    remember(owner)
    word_vectors.broken = "The package is not installed."
    page = text_of(client_of(owner), "/memory/?q=python")
    assert "Semantic search is not available" in page
    assert "The package is not installed." in page
    assert "create a python project" in page
    assert "contains the words" in page


@pytest.mark.parametrize("query", ["\0", "x" * 5000, "'\"<>&%_\\", "\u202e", "😀" * 300, "\ud800"])
def test_any_query_gets_a_page(owner: User, client_of: ClientOf, query: str) -> None:
    remember(owner)
    answer = client_of(owner).get("/memory/", {"q": query.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 200


def test_foreign_text_shows_its_characters_and_runs_nothing(owner: User, client_of: ClientOf) -> None:
    experience = remember(owner, HOSTILE, output_summary=HOSTILE, key_decisions_made=[HOSTILE])
    client = client_of(owner)
    for address in ("/memory/", "/memory/?q=%3Cscript%3Ealert(2)%3C/script%3E", f"/memory/{experience.pk}/"):
        page = text_of(client, address)
        assert "alert(1)</script>" not in page
        assert "alert(2)</script>" not in page
        assert "\u202e" not in page
        assert "\u200b" not in page
        assert "b" not in tags(page)
        assert "202E" in page


def test_an_outsider_sees_nothing_of_others(owner: User, outsider: User, client_of: ClientOf) -> None:
    experience = remember(owner)
    client = client_of(outsider)
    assert "create a python" not in text_of(client, "/memory/")
    assert "create a python" not in text_of(client, "/memory/?q=create+a+python+project").replace('value="create', "")
    assert client.get(f"/memory/{experience.pk}/").status_code == 404
    assert client.get(f"/memory/{experience.pk}/forget/").status_code == 404
    assert client.post(f"/memory/{experience.pk}/forget/").status_code == 404
    assert Experience.objects.exists()


def test_nobody_sees_memory_without_logging_in(client: Client, db: None) -> None:
    for address in ("/memory/", "/memory/1/", "/memory/1/forget/"):
        assert client.get(address).headers["Location"].startswith("/login/")


def test_the_owner_forgets_after_a_question(owner: User, client_of: ClientOf) -> None:
    experience = remember(owner)
    client = client_of(owner)
    assert "<dialog" in text_of(client, f"/memory/{experience.pk}/")
    assert "cannot be undone" in text_of(client, f"/memory/{experience.pk}/forget/")
    assert Experience.objects.exists()
    answer = client.post(f"/memory/{experience.pk}/forget/", follow=True)
    assert "Forgotten." in answer.content.decode()
    assert not Experience.objects.exists()


def test_a_reviewer_reads_but_does_not_forget(owner: User, reviewer: User, client_of: ClientOf) -> None:
    experience = remember(owner)
    client = client_of(reviewer)
    assert 'id="forget"' not in text_of(client, f"/memory/{experience.pk}/")
    answer = client.post(f"/memory/{experience.pk}/forget/")
    assert answer.status_code == 403
    assert "Nothing was changed" in answer.content.decode()
    assert Experience.objects.exists()


def test_an_admin_forgets(owner: User, admin: User, client_of: ClientOf) -> None:
    experience = remember(owner)
    assert client_of(admin).post(f"/memory/{experience.pk}/forget/").status_code == 302
    assert not Experience.objects.exists()


def test_the_administration_shows_memory_and_lets_nobody_rewrite_it(
    owner: User, admin: User, client_of: ClientOf
) -> None:
    experience = remember(owner)
    client = client_of(admin)
    assert "create a python project" in text_of(client, "/admin/library/experience/")
    page = text_of(client, f"/admin/library/experience/{experience.pk}/change/")
    assert 'name="_save"' not in page
    assert client.post(f"/admin/library/experience/{experience.pk}/change/", {}).status_code == 403


def test_a_question_is_answered_with_its_sources(owner: User, client_of: ClientOf) -> None:
    row = remember(owner, "sum the invoices", final_outcome="failure", feedback_signals={"error_type": "NETWORK_ERROR"})
    client = client_of(owner)
    page = text_of(client, "/memory/?q=what+went+wrong+with+invoices%3F")
    assert "1 experience is about this: 1 failed." in page
    assert "NETWORK_ERROR" in page
    assert f'href="/memory/{row.pk}/"' in page
    assert 'id="answer"' not in text_of(client, "/memory/?q=invoices")


def test_whoever_may_read_it_rates_it(owner: User, reviewer: User, outsider: User, client_of: ClientOf) -> None:
    row = remember(owner)
    address = f"/memory/{row.pk}/rate/"
    assert client_of(reviewer).post(address, {"stars": "2", "comment": HOSTILE}).status_code == 302
    assert client_of(outsider).post(address, {"stars": "5"}).status_code == 404
    client_of(owner).post(address, {"stars": "9"})
    assert [one.stars for one in row.ratings.all()] == [2]
    page = text_of(client_of(owner), f"/memory/{row.pk}/")
    assert "2 of 5" in page
    assert "<script>alert(1)" not in page


def test_duplicates_are_merged_and_parted_on_the_page(owner: User, reviewer: User, client_of: ClientOf) -> None:
    for _ in range(2):
        row = remember(owner)
    client = client_of(owner)
    assert "1 is now shown" in client.post("/memory/merge/", follow=True).content.decode()
    page = text_of(client, f"/memory/{row.pk}/")
    assert "Stands for 1 more" in page
    client_of(reviewer).post(f"/memory/{row.pk}/part/")
    assert row.merged.count() == 1, "only its owner parts them"
    client.post(f"/memory/{row.pk}/part/")
    assert row.merged.count() == 0


def test_ones_own_experiences_are_a_download(owner: User, outsider: User, client_of: ClientOf) -> None:
    remember(owner)
    remember(outsider, "a secret")
    answer = client_of(owner).get("/memory/export/")
    assert answer["Content-Disposition"].startswith("attachment")
    whole = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert "create a python project" in whole
    assert "a secret" not in whole
