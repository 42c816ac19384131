"""Rules in and out by the page: a download of those in use, and an import that is shown before it is saved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agents.components import rule_files
from library.components import services
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import install

ClientOf = Callable[[User], Client]

POT = "RULE pot\nIF your task is to get the metal pot\nTHEN:\n  read the file cupboard\n"
WATER = "RULE water\nIF your task is to melt water\nTHEN:\n  get the metal pot\n  read the file thermometer\n"


@pytest.fixture(autouse=True)
def _vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


@pytest.fixture
def pot(operator: User) -> ComponentVersion:
    return services.publish("rule", "pot", POT, by=operator, status="active")


def there() -> list[tuple[str, str, str]]:
    rows = ComponentVersion.objects.order_by("pk")
    return list(rows.values_list("component__name", "version", "status"))


def posted(client: Client, status: int = 200, **fields: object) -> str:
    answer = client.post("/rules/import/", fields, follow=True)
    assert answer.status_code == status, answer.content.decode()[:2000]
    return answer.content.decode()


def test_the_rules_in_use_are_a_download_that_a_browser_does_not_open(
    owner: User, client_of: ClientOf, pot: ComponentVersion
) -> None:
    client = client_of(owner)
    assert 'href="/rules/export/" download' in client.get("/rules/").content.decode()
    answer = client.get("/rules/export/")
    assert answer.content.decode() == rule_files.export() == POT
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="rules.plan"')
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_import_shows_what_it_changes_and_saves_nothing_yet(
    reviewer: User, client_of: ClientOf, pot: ComponentVersion
) -> None:
    page = posted(client_of(reviewer), text=f"{WATER}--\n{POT}", do="compare")
    assert '<span class="vh">added: </span>RULE water' in page
    assert "the same as 1.0.0, which is active" in page
    assert "Save as candidates" in page
    assert "Save and activate" not in page, "a reviewer may not"
    changed = posted(client_of(reviewer), text=POT.replace("cupboard", "shelf"), do="compare")
    assert '<span class="vh">deleted: </span>  read the file cupboard' in changed
    assert '<span class="vh">added: </span>  read the file shelf' in changed
    assert there() == [("pot", "1.0.0", "active")]


def test_what_was_shown_is_saved_from_a_text_or_a_file(operator: User, client_of: ClientOf) -> None:
    client = client_of(operator)
    page = posted(client, text=f"{WATER}--\n{POT}", do="save")
    assert "version 1.0.0 is saved as candidate" in page
    assert there() == [("water", "1.0.0", "candidate"), ("pot", "1.0.0", "candidate")]
    file = SimpleUploadedFile("pot.plan", b"\xef\xbb\xbf" + POT.replace("cupboard", "shelf").encode())
    posted(client, text="", file=file, do="activate")
    assert there()[-1] == ("pot", "1.1.0", "active")
    assert "Nothing was saved" in posted(client, text=POT.replace("cupboard", "shelf"), do="save")
    assert len(there()) == 3


def test_an_error_names_its_line_and_keeps_everything_out(operator: User, client_of: ClientOf) -> None:
    text = f"{POT}--\nRULE <b>\nIF your task is to go\nTHEN: <script>alert(1)</script>\n"
    for do in ("compare", "save", "activate"):
        page = posted(client_of(operator), 422, text=text, do=do)
        assert "line 8" in page
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page, "the text stays, to be corrected"
        assert 'value="save"' not in page
    assert there() == []


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\xff\xfe\x00", "not UTF-8"), (b"x" * (4 * rule_files.MAX_CHARS + 1), "500,000 characters")],
)
def test_a_file_that_is_no_text_or_too_long_is_refused(
    operator: User, client_of: ClientOf, content: bytes, says: str
) -> None:
    page = posted(client_of(operator), 422, text=POT, file=SimpleUploadedFile("x.plan", content), do="save")
    assert says in page
    assert there() == []


def test_only_people_who_may_write_rules_import(owner: User, reviewer: User, client_of: ClientOf) -> None:
    client = client_of(owner)
    assert client.get("/rules/import/").status_code == 403
    assert client.post("/rules/import/", {"text": POT, "do": "save"}).status_code == 403
    assert "/rules/import/" not in client.get("/rules/").content.decode()
    assert "/rules/import/" in client_of(reviewer).get("/rules/").content.decode()
    page = posted(client_of(reviewer), 422, text=POT, do="activate")
    assert "an operator or developer activates" in page
    assert there() == []


def test_an_import_without_its_token_is_refused(operator: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    assert client.post("/rules/import/", {"text": POT, "do": "save"}).status_code == 403
    assert there() == []
