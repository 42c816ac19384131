"""Every error below /api/ is a problem document, whoever raised it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from agents.models import Goal
from agents.record import selectors
from mindx_web.api.protocol.guard import JSON_MAX_BYTES
from tests.cast import ApiCaller

pytestmark = pytest.mark.django_db


def problem_of(answer: Any, status: int) -> dict[str, Any]:
    """The problem document of an answer, after checking that it is one."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = json.loads(answer.content)
    assert problem["status"] == status
    assert {"type", "title", "detail"} <= set(problem)
    return problem


@pytest.mark.parametrize("path", ["", "nothing", "goals/", "goals/1/nothing", "../v2/goals", "GOALS"])
def test_an_unknown_address_is_a_404_problem(api_of: Any, admin: Any, path: str) -> None:
    problem_of(api_of(admin).get(path), 404)


def test_an_address_beside_the_api_is_a_404_problem_too(admin: Any, client_of: Any) -> None:
    problem_of(client_of(admin).get("/api/"), 404)
    problem_of(Client().get("/api/v2/goals"), 404)


@pytest.mark.parametrize(("method", "path"), [("DELETE", "goals"), ("PUT", "goals/1"), ("GET", "goals/1/cancel")])
def test_a_method_that_an_address_does_not_know_is_a_405_with_those_it_knows(
    api_of: Any, admin: Any, method: str, path: str
) -> None:
    answer = api_of(admin).send(method, path)
    problem_of(answer, 405)
    assert answer.headers["Allow"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{'text': 'x'}",
        b'{"text": "x",}',
        b'{"text": NaN}',
        b'{"text": Infinity}',
        b"\xff\xfe{",
        b'{"text": "\xc3"}',
        b"[" * 100_000,
        b'{"priority": ' + b"9" * 5000 + b"}",
        b'{"text": "x"} {"text": "y"}',
        b"text=x",
    ],
)
def test_malformed_json_is_a_400_problem(api_of: Any, owner: Any, body: bytes) -> None:
    problem_of(api_of(owner).send("POST", "goals", body), 400)
    assert not Goal.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "shown", "text": "done"}',
        b'{"text": "x", "depends_on": [{"a": 1, "a": 1}]}',
        b'{"te\\u0078t": "shown", "text": "done"}',
    ],
)
def test_a_key_that_stands_twice_is_refused_since_either_could_count(api_of: Any, owner: Any, body: bytes) -> None:
    problem = problem_of(api_of(owner).send("POST", "goals", body), 400)
    assert problem["type"] == "urn:mindx:problem:duplicate_key"
    assert not Goal.objects.exists()


@pytest.mark.parametrize("body", [b"", b"[]", b'"text"', b"null", b"5", b"true", b'[{"text": "x"}]'])
def test_a_body_that_is_no_object_is_a_422_problem(api_of: Any, owner: Any, body: bytes) -> None:
    problem_of(api_of(owner).send("POST", "goals", body), 422)


@pytest.mark.parametrize("text", ['"\\ud800"', '"a\\udfffb"'])
def test_half_a_surrogate_pair_is_no_text(api_of: Any, owner: Any, text: str) -> None:
    problem_of(api_of(owner).send("POST", "goals", b'{"text": ' + text.encode() + b"}"), 422)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_of_another_type_is_a_415_problem(api_of: Any, owner: Any, content_type: str) -> None:
    # A page elsewhere could make a browser send these types without asking first.
    problem_of(api_of(owner).send("POST", "goals", b'{"text": "x"}', content_type), 415)
    assert not Goal.objects.exists()


def test_json_with_a_charset_is_json(api_of: Any, owner: Any) -> None:
    answer = api_of(owner).send("POST", "goals", b'{"text": "x"}', "application/json; charset=utf-8")
    assert answer.status_code == 201


def test_a_goal_of_a_megabyte_is_a_413_problem(api_of: Any, owner: Any) -> None:
    for size in (1_000_000, 1 << 20, JSON_MAX_BYTES + 1):
        problem_of(api_of(owner).post("goals", {"text": "a" * size}), 413)
    assert not Goal.objects.exists()


def test_binary_goal_text_is_a_400_problem(api_of: Any, owner: Any) -> None:
    problem_of(api_of(owner).send("POST", "goals", b'{"text": "\x89PNG\r\n\x1a\n\x00"}'), 400)


def test_a_foreign_host_name_is_a_400_problem(owner: Any, token_of: Any) -> None:
    answer = ApiCaller(Client(raise_request_exception=False), token_of(owner)).get("goals", Host="evil.example")
    problem_of(answer, 400)


def test_a_fault_of_the_server_is_a_500_problem_without_its_insides(
    api_of: Any, owner: Any, monkeypatch: Any, caplog: Any
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("password=hunter2 at /srv/mindx/secret.py")

    monkeypatch.setattr(selectors, "page_of_goals", broken)
    answer = api_of(owner).get("goals")
    problem = problem_of(answer, 500)
    assert b"hunter2" not in answer.content
    assert b"Traceback" not in answer.content
    assert b"RuntimeError" not in answer.content
    request_id = problem["instance"].removeprefix("urn:uuid:")
    assert answer.headers["X-Request-ID"] == request_id
    assert request_id in caplog.text
    assert "hunter2" in caplog.text  # the log is where the reason belongs


def test_a_database_that_does_not_answer_is_a_503_problem(api_of: Any, owner: Any, monkeypatch: Any) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection to server at 10.0.0.1 refused")

    monkeypatch.setattr(selectors, "page_of_goals", away)
    answer = api_of(owner).get("goals")
    problem_of(answer, 503)
    assert b"10.0.0.1" not in answer.content


def test_a_fault_before_any_view_is_a_500_problem(api_of: Any, owner: Any, monkeypatch: Any) -> None:
    from people import tokens

    def broken(_: str) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(tokens, "find", broken)
    answer = api_of(owner).post("goals", {"text": "x"}, Idempotency_Key="k")
    problem_of(answer, 500)
    assert b"secret" not in answer.content


def test_answers_may_not_be_kept_by_caches_nor_guessed_at(api_of: Any, owner: Any) -> None:
    for answer in (api_of(owner).get("goals"), api_of(None).get("goals")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_unknown_query_values_are_quoted_as_data_only(api_of: Any, owner: Any) -> None:
    answer = api_of(owner).get("goals?state=<script>alert(1)</script>")
    problem_of(answer, 422)
    assert b"<script>" not in answer.content


def test_the_description_is_openapi_3_1_and_names_the_problem_of_every_operation() -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.status_code == 200
    schema = answer.json()
    assert schema["openapi"].startswith("3.1")
    operations = [(path, verb, one) for path, verbs in schema["paths"].items() for verb, one in verbs.items()]
    assert len(operations) >= 24
    for path, verb, operation in operations:
        assert "application/problem+json" in operation["responses"]["default"]["content"], (path, verb)
        assert bool(operation.get("security")) == (not path.startswith("/api/v1/health")), (path, verb)
    ids = [operation["operationId"] for _, _, operation in operations]
    assert len(ids) == len(set(ids))


def test_the_limit_of_goal_text_is_below_that_of_a_body() -> None:
    assert 4 * settings.GOAL_TEXT_MAX < JSON_MAX_BYTES
