"""Every operation that the API describes takes rubbish without failing: in its address, its questions and its body.

The operations and the shapes of their bodies are read from the API's own description, so that a new one is tried too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindx_web.api import api
from tests.api.test_fuzz import check, spelled, values, words

pytestmark = pytest.mark.django_db

BOUNDED = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
PREFIX = "/api/v1/"
# Asking for a whole minute is no rubbish.
_ASLEEP = {"wait"}

SCHEMA: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))


@dataclass(frozen=True)
class Operation:
    """One method of one address, as the description has it."""

    method: str
    path: str
    queries: tuple[str, ...]
    body: Any

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def _operations() -> list[Operation]:
    found: list[Operation] = []
    for path, methods in SCHEMA["paths"].items():
        for method, said in methods.items():
            asked = [one["name"] for one in said.get("parameters", ()) if one["in"] == "query"]
            content = said.get("requestBody", {}).get("content", {})
            body = next((one.get("schema") for kind, one in content.items() if "json" in kind), None)
            queries = tuple(name for name in asked if name not in _ASLEEP)
            found.append(Operation(method.upper(), path.removeprefix(PREFIX), queries, body))
    return found


OPERATIONS = _operations()
operations = st.sampled_from(OPERATIONS)


def of_shape(schema: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that fit a part of the description, or nearly."""
    if not isinstance(schema, dict) or depth > 6:
        return values
    if "$ref" in schema:
        return of_shape(SCHEMA["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth + 1)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if several := schema.get("anyOf") or schema.get("allOf") or schema.get("oneOf"):
        return st.one_of([of_shape(one, depth + 1) for one in several])
    match schema.get("type"):
        case "object" if "properties" in schema:
            inner = {name: _nearly(one, depth) for name, one in schema["properties"].items()}
            needed = set(schema.get("required", ()))
            return st.fixed_dictionaries(
                {name: one for name, one in inner.items() if name in needed},
                optional={name: one for name, one in inner.items() if name not in needed},
            )
        case "object":
            return st.dictionaries(words, values, max_size=3)
        case "array":
            return st.lists(_nearly(schema.get("items"), depth), max_size=3)
        case "string":
            return words | st.sampled_from(["a note", "2026-01-31T12:00:00Z", "0001-01-01T00:00:00+14:00", "x" * 9_000])
        case "integer" | "number":
            return st.integers(-(2**53) + 1, 2**53 - 1) | st.sampled_from([0, 1, 2])
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return values


def _nearly(schema: Any, depth: int) -> st.SearchStrategy[Any]:
    fits = of_shape(schema, depth + 1)
    return st.one_of(fits, fits, fits, fits, values)


def parts_of(path: str) -> list[str]:
    """The names of what an address leaves open."""
    return [part.partition("}")[0] for part in path.split("{")[1:]]


def addressed(operation: Operation, ids: dict[str, str], named: list[str] | None) -> str:
    """The address with ids that there are, or with these."""
    filled = dict(ids)
    if named is not None:
        filled |= dict(zip(parts_of(operation.path), named, strict=False))
    return operation.path.format(
        **{name: quote(str(value).encode("utf-8", "surrogatepass"), safe="/.") for name, value in filled.items()}
    )


@pytest.fixture
def world(api_of: Any, admin: Any, make_workspace: Any, propose_plan: Any) -> Any:
    """An admin's caller and an id of everything that an address may name."""
    from agents.models import Agent, Belief

    make_workspace(admin, "textkit")
    plan = propose_plan(admin)
    belief = Belief.objects.create(
        goal=plan.goal, sentence="there is a note", source="person", by=admin, at=plan.queued_at
    )
    caller = api_of(admin)
    comment = caller.post(f"intent-plans/{plan.pk}/comments", {"text": "Why so?"})
    ids = {
        "goal_id": plan.goal_id,
        "plan_id": plan.pk,
        "intent_id": plan.intents.first().pk,
        "position": 1,
        "agent_id": Agent.objects.values_list("pk", flat=True)[0],
        "belief_id": belief.pk,
        "comment_id": comment.json().get("id", 1),
        "name": "textkit",
        "path": "a/b.txt",
    }
    others = {name for one in OPERATIONS for name in parts_of(one.path)} - set(ids)
    return caller, {**ids, **dict.fromkeys(others, 1)}


def test_the_description_names_every_operation() -> None:
    assert len(OPERATIONS) >= 100
    assert sum(one.body is not None for one in OPERATIONS) >= 45


@BOUNDED
@given(data=st.data(), operation=operations, own=st.integers(0, 3), named=st.lists(words, min_size=2, max_size=2))
def test_no_body_of_its_own_shape_makes_an_operation_fail(
    world: Any, data: st.DataObject, operation: Operation, own: int, named: list[str]
) -> None:
    caller, ids = world
    body = data.draw(_nearly(operation.body, 0)) if operation.body is not None else data.draw(values)
    path = addressed(operation, ids, None if own else named)
    answer = caller.send(operation.method, path, b"" if operation.method == "GET" else spelled(body))
    if not answer.streaming:
        check(answer)


@BOUNDED
@given(data=st.data(), operation=st.sampled_from([one for one in OPERATIONS if one.queries]))
def test_no_question_of_its_own_makes_an_operation_fail(world: Any, data: st.DataObject, operation: Operation) -> None:
    caller, ids = world
    asked = data.draw(st.lists(st.tuples(st.sampled_from(operation.queries), words), max_size=4))
    query = "&".join(f"{name}={quote(value.encode('utf-8', 'surrogatepass'))}" for name, value in asked)
    answer = caller.send(operation.method, f"{addressed(operation, ids, None)}?{query}")
    if not answer.streaming:
        check(answer)


KINDS = [
    *("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary="),
    *("multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/json; charset=none", "x"),
    *("application/json;;", "a" * 9_000, "application/json, text/plain", "\xff/\xff"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_body_makes_an_operation_fail(world: Any, kind: str) -> None:
    caller, ids = world
    for operation in OPERATIONS:
        for body in (b"", b"--x\r\n\r\n", b'{"text": "x"}'):
            answer = caller.send(operation.method, addressed(operation, ids, None), body, kind)
            if not answer.streaming:
                check(answer)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
def test_no_method_makes_an_address_fail(world: Any, method: str) -> None:
    caller, ids = world
    for operation in OPERATIONS:
        answer = caller.send(method, addressed(operation, ids, None), b"{}")
        assert answer.status_code < 500, operation


BODIES = {
    "deep": b"[" * 100_000,
    "deep and closed": b'{"a":' * 900 + b"1" + b"}" * 900,
    "twice": b'{"text": "a", "text": "b"}',
    "huge integer": b'{"text": ' + b"9" * 5_000 + b"}",
    "large": b'{"text": "' + b"x" * 400_000 + b'"}',
    "too large": b'{"text": "' + b"x" * 600_000 + b'"}',
    "many keys": ("{" + ",".join(f'"k{number}":1' for number in range(30_000)) + "}").encode(),
    "many items": b"[" + b"0," * 100_000 + b"0]",
    "other coding": '{"text": "x"}'.encode("utf-16"),
    "with a mark": b'\xef\xbb\xbf{"text": "x"}',
}


@pytest.mark.parametrize("name", BODIES)
def test_no_huge_body_makes_an_operation_fail_or_comes_back_larger(world: Any, name: str) -> None:
    caller, ids = world
    for operation in OPERATIONS:
        if operation.method == "GET" or operation.path.endswith("/files/{path}"):
            continue
        answer = caller.send(operation.method, addressed(operation, ids, None), BODIES[name])
        check(answer)
        assert len(answer.content) < 60_000, operation
