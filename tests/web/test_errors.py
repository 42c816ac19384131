"""Error pages: what happened, what did not, what to do; they need neither the database nor a session."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from http import HTTPStatus

import pytest
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import override_settings
from django.urls import path

from mindx_web.views import errors
from people.models import User


@login_not_required
def fault(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a pipe burst")


urlpatterns = [path("fault/", fault)]
handler404 = "mindx_web.views.errors.not_found"
handler500 = "mindx_web.views.errors.server_error"

HANDLERS = [
    (errors.bad_request, 400),
    (errors.forbidden, 403),
    (errors.csrf_failure, 403),
    (errors.not_found, 404),
    (errors.server_error, 500),
]


@pytest.mark.parametrize(("handler", "status"), HANDLERS)
def test_every_error_page_renders_without_a_database(handler: object, status: int) -> None:
    # Without the `db` fixture any query fails this test.
    response = handler(RequestFactory().get("/somewhere/"))  # type: ignore[operator]
    page = response.content.decode()
    assert response.status_code == status
    assert page.index("What happened") < page.index("What is affected") < page.index("What you can do")


def test_the_number_on_the_page_is_the_number_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="mindx_web.views.errors"):
        response = errors.server_error(RequestFactory().get("/somewhere/"))
    number = response["X-Request-Id"]
    assert re.fullmatch("[0-9A-F]{8}", number)
    assert f"request {number}" in response.content.decode()
    assert number in caplog.text


def test_a_hostile_address_cannot_write_into_the_log_or_the_page(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="mindx_web.views.errors"):
        response = errors.not_found(RequestFactory().get("/a%0Aforged line<script>"))
    assert "\nforged line" not in caplog.text
    assert "<script>" not in response.content.decode().replace("<script src=", "")


def test_an_error_page_comes_even_when_its_template_cannot_be_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise ValueError("the manifest is gone")

    monkeypatch.setattr(errors, "render_to_string", broken)
    response = errors.server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert "Something went wrong on the server" in response.content.decode()


def test_below_the_api_an_error_is_a_problem_document() -> None:
    response = errors.not_found(RequestFactory().get("/api/v1/nothing"))
    problem = json.loads(response.content)
    assert response["Content-Type"] == "application/problem+json"
    assert (problem["status"], problem["title"]) == (HTTPStatus.NOT_FOUND, "Page not found")


@override_settings(ROOT_URLCONF=__name__)
def test_an_address_that_leads_nowhere_gets_the_page(db: None) -> None:
    response = Client().get("/nothing/")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@override_settings(ROOT_URLCONF=__name__)
def test_a_fault_in_a_page_gets_the_page_and_tells_nothing_of_the_fault(db: None) -> None:
    response = Client(raise_request_exception=False).get("/fault/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong on the server" in page
    assert "a pipe burst" not in page


@pytest.mark.parametrize(
    ("address", "above"),
    [
        ("/review/7/try-again/", "/review/7/"),
        ("/review/groups/0123/4567/decide/", "/review/groups/0123/4567/"),
        ("/goals/examples/note/", "/goals/"),
        ("/agents/go-on", "/agents/"),
    ],
)
def test_an_address_that_only_takes_forms_leads_to_the_page_above_it(
    owner: User, client_of: Callable[[User], Client], address: str, above: str
) -> None:
    response = client_of(owner).get(address)
    page = response.content.decode()
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "This address only accepts a form" in page
    assert f'href="{above}"' in page
    assert "Content-Security-Policy" in response.headers
    assert client_of(owner).options(address).content == b"", "whoever asks otherwise is told by the Allow header"
