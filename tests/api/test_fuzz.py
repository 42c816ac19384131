"""Whatever is sent, the API never fails: it answers, or says what is wrong."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.django_db

BOUNDED = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

nasty = st.sampled_from(["", "\x00", "\ud800", "\u202e", "'", "%", "../", "null", "1", "-1", "9" * 40, "é", "{{x}}"])
words = st.text(st.characters(exclude_categories=[]), max_size=20) | nasty
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4), max_leaves=12
)
FIELDS = [
    *("text", "priority", "workspace", "depends_on", "steps", "cleanup", "tool", "command", "params"),
    *("digest", "intents", "comment", "reason", "outcome", "name"),
]
QUESTIONS = ["q", "task", "state", "after", "limit", "wait", "outcome"]
fields = st.sampled_from(FIELDS)
step = st.fixed_dictionaries(
    {}, optional={"tool": st.just("simple_coder") | values, "command": values, "params": values}
)
bodies = st.one_of(
    values,
    st.dictionaries(fields | words, values, max_size=5),
    st.fixed_dictionaries({"text": words}, optional={"priority": scalars, "workspace": scalars, "depends_on": values}),
    st.fixed_dictionaries({"steps": st.lists(step, max_size=3)}, optional={"cleanup": st.lists(step, max_size=2)}),
    st.fixed_dictionaries({"digest": values}, optional={"reason": values, "comment": values, "intents": values}),
)
POSTS = [
    "goals",
    "goals/{}/cancel",
    "goals/{}/plan",
    "workspaces",
    "intent-plans/{}/approve",
    "intent-plans/{}/reject",
    "intent-plans/{}/request-changes",
    "intents/{}/outcome",
    "intents/{}/take-over",
    "agents/{}/pause",
]
GETS = [
    "goals",
    "goals/{}",
    "goals/{}/log",
    "goals/{}/generations",
    "goals/1/generations/{}",
    "workspaces",
    "workspaces/{}",
    "workspaces/{}/files",
    "workspaces/textkit/files/{}",
    "workspaces/{}/archive",
    "intent-plans",
    "intent-plans/{}",
    "experiences",
    "components",
    "components/{}/lineage",
    "candidates/{}",
]


def spelled(value: Any) -> bytes:
    """As JSON, lone surrogates and NaN included."""
    return json.dumps(value).encode("utf-8", "surrogatepass")


def address(template: str, name: str) -> str:
    return template.format(quote(name.encode("utf-8", "surrogatepass"), safe="/."))


def check(answer: Any) -> None:
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert json.loads(answer.content)["status"] == answer.status_code


@pytest.fixture
def world(api_of: Any, admin: Any, make_workspace: Any, propose_plan: Any) -> Any:
    """An admin's caller, a plan that awaits review, and a workspace to poke at."""
    make_workspace(admin, "textkit")
    return api_of(admin), propose_plan(admin)


@BOUNDED
@given(template=st.sampled_from(POSTS), body=bodies, own=st.booleans(), name=words)
def test_no_body_makes_the_api_fail(world: Any, template: str, body: Any, own: bool, name: str) -> None:
    caller, plan = world
    ids = {"goals": plan.goal_id, "intent-plans": plan.pk, "intents": plan.intents.first().pk, "agents": 1}
    path = template.format(ids.get(template.partition("/")[0])) if own else address(template, name)
    check(caller.send("POST", path, spelled(body)))


@BOUNDED
@given(template=st.sampled_from(POSTS), body=st.binary(max_size=40), kind=st.sampled_from(["application/json", "x/y"]))
def test_no_bytes_make_the_api_fail(world: Any, template: str, body: bytes, kind: str) -> None:
    caller, plan = world
    check(caller.send("POST", template.format(plan.pk), body, kind))


@BOUNDED
@given(
    template=st.sampled_from(GETS),
    name=words,
    query=st.dictionaries(st.sampled_from(QUESTIONS), words, max_size=3),
)
def test_no_address_and_no_question_makes_the_api_fail(
    world: Any, template: str, name: str, query: dict[str, str]
) -> None:
    caller, _ = world
    asked = "&".join(f"{key}={quote(value.encode('utf-8', 'surrogatepass'))}" for key, value in query.items())
    answer = caller.get(f"{address(template, name)}?{asked}")
    if not answer.streaming:
        check(answer)


@BOUNDED
@given(path=words, body=st.binary(max_size=40))
def test_no_file_name_makes_the_api_fail(world: Any, path: str, body: bytes) -> None:
    caller, _ = world
    check(caller.send("PUT", address("workspaces/textkit/files/{}", path), body))


@BOUNDED
@given(header=st.text(st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=40))
def test_no_header_makes_the_api_fail(world: Any, header: str) -> None:
    caller, _ = world
    check(caller.get("goals", Authorization=f"Bearer {header}"))
    check(caller.post("goals", {"text": "x"}, Idempotency_Key=header))
