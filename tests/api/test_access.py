"""Who may call the API: tokens, never cookies; scopes on top of what their person may do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from mindx_web.api.protocol.auth import WRONG_TOKENS
from mindx_web.api.routers import api
from people import sealing, tokens
from people.models import ApiToken
from people.scopes import Scope
from tests.cast import ApiCaller

pytestmark = pytest.mark.django_db

# Every operation with a scope that opens it.
OPERATIONS = [
    ("GET", "goals", Scope.GOALS_READ),
    ("POST", "goals", Scope.GOALS_WRITE),
    ("GET", "goals/1", Scope.GOALS_READ),
    ("PATCH", "goals/1", Scope.GOALS_WRITE),
    ("POST", "goals/1/cancel", Scope.GOALS_WRITE),
    ("GET", "goals/1/beliefs", Scope.GOALS_READ),
    ("POST", "goals/1/beliefs", Scope.GOALS_WRITE),
    ("POST", "goals/1/beliefs/1/contradict", Scope.GOALS_WRITE),
    ("POST", "goals/1/beliefs/1/retract", Scope.GOALS_WRITE),
    ("POST", "goals/1/plan", Scope.GOALS_WRITE),
    ("POST", "goals/1/design", Scope.GOALS_WRITE),
    ("GET", "goals/1/questions", Scope.GOALS_READ),
    ("POST", "goals/1/answer", Scope.GOALS_WRITE),
    ("GET", "hands", Scope.GOALS_READ),
    ("GET", "goals/1/hand", Scope.GOALS_READ),
    ("POST", "goals/1/hand", Scope.GOALS_WRITE),
    ("GET", "goals/1/tree", Scope.GOALS_READ),
    ("GET", "goals/1/log", Scope.GOALS_READ),
    ("GET", "goals/1/commands", Scope.GOALS_READ),
    ("GET", "goals/1/generations", Scope.GOALS_READ),
    ("GET", "goals/1/generations/1", Scope.GOALS_READ),
    ("POST", "goals/1/commands", Scope.SESSION_WRITE),
    ("GET", "goals/1/commands/1", Scope.GOALS_READ),
    ("POST", "goals/1/commands/1/cancel", Scope.SESSION_WRITE),
    ("GET", "insights/mind", Scope.GOALS_READ),
    ("GET", "model-calls/1", Scope.GOALS_READ),
    ("POST", "model-calls/1/replay", Scope.LIBRARY_WRITE),
    ("GET", "workspaces", Scope.FILES_READ),
    ("POST", "workspaces", Scope.FILES_WRITE),
    ("GET", "workspaces/x", Scope.FILES_READ),
    ("GET", "workspaces/x/files", Scope.FILES_READ),
    ("GET", "workspaces/x/files/a/b", Scope.FILES_READ),
    ("PUT", "workspaces/x/files/a/b", Scope.FILES_WRITE),
    ("GET", "workspaces/x/archive", Scope.FILES_READ),
    ("GET", "intent-plans", Scope.REVIEW_READ),
    ("GET", "intent-plans/1", Scope.REVIEW_READ),
    ("POST", "designs", Scope.GOALS_WRITE),
    ("GET", "intent-plans/1/diff", Scope.REVIEW_READ),
    ("GET", "intent-plans/1/comments", Scope.REVIEW_READ),
    ("POST", "intent-plans/1/comments", Scope.REVIEW_TALK),
    ("POST", "intent-plans/1/comments/1/resolve", Scope.REVIEW_TALK),
    ("POST", "intent-plans/1/comments/1/reopen", Scope.REVIEW_TALK),
    ("GET", "intent-plans/1/questions", Scope.REVIEW_READ),
    ("POST", "intent-plans/1/questions", Scope.REVIEW_TALK),
    ("POST", "intent-plans/1/questions/1/answers", Scope.REVIEW_TALK),
    ("GET", "intent-plans/1/beliefs", Scope.REVIEW_READ),
    ("POST", "intent-plans/1/beliefs/1/contradict", Scope.REVIEW_TALK),
    ("POST", "intent-plans/1/beliefs/1/put-back", Scope.REVIEW_TALK),
    ("POST", "intent-plans/1/approve", Scope.REVIEW_DECIDE),
    ("POST", "intent-plans/1/reject", Scope.REVIEW_DECIDE),
    ("POST", "intent-plans/1/request-changes", Scope.REVIEW_DECIDE),
    ("PATCH", "intent-plans/1/intents/1", Scope.REVIEW_DECIDE),
    ("POST", "intent-plans/1/extend", Scope.REVIEW_DECIDE),
    ("POST", "intent-plans/1/assign", Scope.REVIEW_DECIDE),
    ("GET", "policies", Scope.POLICIES_READ),
    ("POST", "policies", Scope.POLICIES_WRITE),
    ("GET", "policies/1", Scope.POLICIES_READ),
    ("POST", "policies/1/versions", Scope.POLICIES_WRITE),
    ("POST", "policies/1/replay", Scope.POLICIES_WRITE),
    ("POST", "policies/1/enable", Scope.POLICIES_WRITE),
    ("POST", "policies/1/confirm", Scope.POLICIES_WRITE),
    ("POST", "policies/1/disable", Scope.POLICIES_WRITE),
    ("GET", "levels", Scope.REVIEW_READ),
    ("GET", "levels/1", Scope.REVIEW_READ),
    ("POST", "levels/1/approve", Scope.REVIEW_DECIDE),
    ("POST", "levels/1/reject", Scope.REVIEW_DECIDE),
    ("POST", "levels/1/request-changes", Scope.REVIEW_DECIDE),
    ("POST", "intents/1/outcome", Scope.GOALS_WRITE),
    ("POST", "intents/1/take-over", Scope.GOALS_WRITE),
    ("GET", "experiences", Scope.MEMORY_READ),
    ("GET", "memory/context", Scope.MEMORY_READ),
    ("POST", "experiences/1/rate", Scope.MEMORY_WRITE),
    ("POST", "experiences/1/part", Scope.MEMORY_WRITE),
    ("POST", "memory/ask", Scope.MEMORY_READ),
    ("GET", "memory/export", Scope.MEMORY_READ),
    ("POST", "memory/merge", Scope.MEMORY_WRITE),
    ("POST", "memory/forget", Scope.MEMORY_WRITE),
    ("GET", "components", Scope.LIBRARY_READ),
    ("POST", "components", Scope.LIBRARY_WRITE),
    ("GET", "components/1", Scope.LIBRARY_READ),
    ("GET", "components/1/versions", Scope.LIBRARY_READ),
    ("GET", "components/1/lineage", Scope.LIBRARY_READ),
    ("GET", "components/1/diff", Scope.LIBRARY_READ),
    ("GET", "candidates/1", Scope.LIBRARY_READ),
    ("POST", "components/1/evolve", Scope.LIBRARY_WRITE),
    ("POST", "candidates/1/activate", Scope.LIBRARY_WRITE),
    ("POST", "candidates/1/canary", Scope.LIBRARY_WRITE),
    ("POST", "candidates/1/reject", Scope.LIBRARY_WRITE),
    ("POST", "candidates/1/replay", Scope.LIBRARY_WRITE),
    ("POST", "candidates/1/replay/stop", Scope.LIBRARY_WRITE),
    ("POST", "searches", Scope.LIBRARY_WRITE),
    ("GET", "searches/1", Scope.LIBRARY_READ),
    ("POST", "searches/1/stop", Scope.LIBRARY_WRITE),
    ("GET", "trials", Scope.LIBRARY_READ),
    ("POST", "trials", Scope.LIBRARY_WRITE),
    ("GET", "trials/1", Scope.LIBRARY_READ),
    ("POST", "trials/1/stop", Scope.LIBRARY_WRITE),
    ("GET", "inbox", Scope.GOALS_READ),
    ("POST", "inbox", Scope.GOALS_WRITE),
    ("GET", "inbox/1", Scope.GOALS_READ),
    ("POST", "inbox/1/decide", Scope.REVIEW_DECIDE),
    ("POST", "inbox/1/cancel", Scope.GOALS_WRITE),
    ("GET", "states", Scope.GOALS_READ),
    ("POST", "states", Scope.GOALS_WRITE),
    ("GET", "states/1", Scope.GOALS_READ),
    ("GET", "states/advice", Scope.GOALS_READ),
    ("PATCH", "states/1", Scope.GOALS_WRITE),
    ("POST", "states/1/step", Scope.GOALS_WRITE),
    ("POST", "states/1/answer", Scope.GOALS_WRITE),
    ("GET", "environments", Scope.GOALS_READ),
    ("GET", "environments/runs", Scope.GOALS_READ),
    ("POST", "environments/runs", Scope.GOALS_WRITE),
    ("GET", "environments/runs/1", Scope.GOALS_READ),
    ("GET", "environments/runs/1/steps", Scope.GOALS_READ),
    ("POST", "environments/runs/1/pause", Scope.GOALS_WRITE),
    ("POST", "environments/runs/1/resume", Scope.GOALS_WRITE),
    ("POST", "environments/runs/1/stop", Scope.GOALS_WRITE),
    ("POST", "environments/runs/1/answer", Scope.GOALS_WRITE),
    ("GET", "environments/policies", Scope.GOALS_READ),
    ("POST", "environments/policies", Scope.GOALS_WRITE),
    ("GET", "environments/policies/1", Scope.GOALS_READ),
    ("POST", "environments/policies/1/train", Scope.GOALS_WRITE),
    ("POST", "environments/policies/1/stop", Scope.GOALS_WRITE),
    ("POST", "environments/policies/1/reset", Scope.GOALS_WRITE),
    ("GET", "workflows", Scope.LIBRARY_READ),
    ("POST", "workflows", Scope.LIBRARY_WRITE),
    ("GET", "workflows/1", Scope.LIBRARY_READ),
    ("POST", "workflows/1/process", Scope.GOALS_WRITE),
    ("GET", "mcp-servers", Scope.LIBRARY_READ),
    ("POST", "mcp-servers", Scope.LIBRARY_WRITE),
    ("GET", "mcp-servers/1", Scope.LIBRARY_READ),
    ("POST", "mcp-servers/1/refresh", Scope.LIBRARY_WRITE),
    ("POST", "mcp-servers/1/remove", Scope.LIBRARY_WRITE),
    ("GET", "evolution/proposals", Scope.LIBRARY_READ),
    ("POST", "evolution/proposals/1/dismiss", Scope.LIBRARY_WRITE),
    ("GET", "agents", Scope.GOALS_READ),
    ("GET", "agents/1", Scope.GOALS_READ),
    ("POST", "agents/1/commitment", Scope.AGENTS_WRITE),
    ("POST", "agents/1/pause", Scope.AGENTS_WRITE),
    ("POST", "agents/1/resume", Scope.AGENTS_WRITE),
    ("GET", "bus/agents", Scope.GOALS_READ),
    ("GET", "bus/search", Scope.GOALS_READ),
    ("POST", "bus/requests", Scope.GOALS_WRITE),
    ("GET", "bus/requests/1", Scope.GOALS_READ),
    ("POST", "bus/requests/1/cancel", Scope.GOALS_WRITE),
    ("POST", "bus/requests/1/replay", Scope.GOALS_WRITE),
    ("POST", "mastermind", Scope.MASTERMIND),
    ("GET", "backlog", Scope.BACKLOG_READ),
    ("GET", "backlog/rules", Scope.BACKLOG_READ),
    ("POST", "backlog/rules", Scope.BACKLOG_WRITE),
    ("POST", "backlog/lift", Scope.BACKLOG_WRITE),
    ("POST", "backlog/process", Scope.GOALS_WRITE),
    ("POST", "backlog", Scope.BACKLOG_WRITE),
    ("GET", "backlog/1", Scope.BACKLOG_READ),
    ("POST", "backlog/1/approve", Scope.BACKLOG_WRITE),
    ("POST", "backlog/1/reject", Scope.BACKLOG_WRITE),
    ("POST", "backlog/1/reopen", Scope.BACKLOG_WRITE),
    ("POST", "backlog/1/merge", Scope.BACKLOG_WRITE),
    ("POST", "backlog/1/split", Scope.BACKLOG_WRITE),
    ("GET", "tuning", Scope.TUNING_READ),
    ("POST", "tuning", Scope.TUNING_WRITE),
    ("POST", "tuning/try", Scope.TUNING_WRITE),
    ("GET", "tuning/taught", Scope.TUNING_READ),
    ("POST", "tuning/taught", Scope.TUNING_WRITE),
    ("POST", "tuning/taught/try", Scope.TUNING_WRITE),
    ("GET", "tuning/taught/1", Scope.TUNING_READ),
    ("POST", "tuning/taught/1/take-back", Scope.TUNING_WRITE),
    ("POST", "tuning/taught/1/try", Scope.TUNING_WRITE),
    ("POST", "tuning/taught/1/promote", Scope.TUNING_WRITE),
    ("GET", "tuning/1", Scope.TUNING_READ),
    ("POST", "tuning/1/revert", Scope.TUNING_WRITE),
    ("POST", "standstill", Scope.AGENTS_WRITE),
    ("POST", "standstill/end", Scope.AGENTS_WRITE),
]
PUBLIC = {"openapi.json", "health", "health/live", ""}


def test_the_table_above_holds_every_address_of_the_api() -> None:
    def route(path: str) -> str:
        return str(path).replace("<path:path>", "a/b").replace("<name>", "x").replace("<", "").replace(">", "")

    known = {path.replace("/1", "/ID") for _, path, _ in OPERATIONS} | PUBLIC
    for pattern in api.urls[0]:
        assert isinstance(pattern, URLPattern)
        address = route(str(pattern.pattern))
        address = address.replace("intents/position", "intents/ID")
        for name in (
            "goal_id",
            "plan_id",
            "intent_id",
            "agent_id",
            "command_id",
            "level_id",
            "policy_id",
            "comment_id",
            "belief_id",
            "generation_id",
            "item_id",
            "tunable_id",
            "lesson_id",
            "component_id",
            "experience_id",
            "candidate_id",
            "search_id",
            "trial_id",
            "state_id",
            "proposal_id",
            "server_id",
            "call_id",
            "request_id",
            "run_id",
        ):
            address = address.replace(name, "ID")
        assert address in known, f"{address} is missing from the table"


def test_without_a_token_every_operation_says_how_to_log_in(api_of: Any) -> None:
    nobody = api_of(None)
    for method, path, _ in OPERATIONS:
        answer = nobody.send(method, path, b"{}" if method != "GET" else b"")
        assert answer.status_code == 401, (method, path)
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="mindX"', (method, path)
        assert answer.headers["Content-Type"] == "application/problem+json", (method, path)


@pytest.mark.parametrize("scope", sorted({scope for _, _, scope in OPERATIONS}))
def test_every_operation_demands_its_scope_and_only_that(api_of: Any, admin: Any, scope: Scope) -> None:
    all_others, it_alone = api_of(admin, *(other.value for other in Scope if other is not scope)), api_of(admin, scope)
    for method, path, wanted in OPERATIONS:
        if wanted is not scope:
            continue
        body = b"{}" if method != "GET" else b""
        with transaction.atomic():
            refused = all_others.send(method, path, body)
            assert refused.status_code == 403, (method, path)
            assert f'error="insufficient_scope", scope="{scope}"' in refused.headers["WWW-Authenticate"], (method, path)
            assert refused.json()["type"] == "urn:mindx:problem:insufficient_scope", (method, path)
            assert it_alone.send(method, path, body).status_code not in {401, 403}, (method, path)
            transaction.set_rollback(True)  # each finds what the first one found


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer mindx_wrong",
        "Basic b2xnYTpwdw==",
        "Token {token}",
        "{token}",
        "Bearer {token}x",
        "Bearer mindx_{token}",
        "Bearer {token} {token}",
        "Bearer mindx_\u00fc",
    ],
)
def test_what_is_no_valid_token_is_refused(api_of: Any, token_of: Any, owner: Any, header: str) -> None:
    answer = api_of(None).get("goals", Authorization=header.format(token=token_of(owner)))
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_wrong_tokens_are_counted_by_address_and_stop_no_right_one(api_of: Any, token_of: Any, owner: Any) -> None:
    def status_of(token: str, address: str) -> int:
        return int(
            Client(REMOTE_ADDR=address).get("/api/v1/goals", headers={"Authorization": f"Bearer {token}"}).status_code
        )

    wrong, right = "mindx_wrong", token_of(owner)
    assert {status_of(wrong, "192.0.2.1") for _ in range(WRONG_TOKENS.most)} == {401}
    refused = Client(REMOTE_ADDR="192.0.2.1").get("/api/v1/goals", headers={"Authorization": f"Bearer {wrong}"})
    assert (refused.status_code, refused.headers["Content-Type"]) == (429, "application/problem+json")
    assert refused.json()["type"] == "urn:mindx:problem:too_many_wrong_tokens"
    assert 0 < int(refused.headers["Retry-After"]) <= WRONG_TOKENS.every_s
    assert status_of(wrong, "192.0.2.2") == 401
    assert status_of(right, "192.0.2.1") == 200


def test_a_browsers_session_opens_nothing(client_of: Any, admin: Any) -> None:
    caller = ApiCaller(client_of(admin))
    for method, path, _ in OPERATIONS:
        assert caller.send(method, path, b"{}" if method != "GET" else b"").status_code == 401


def test_the_api_sets_no_cookie_and_wants_no_csrf_token(owner: Any, token_of: Any) -> None:
    from django.test import Client

    caller = ApiCaller(Client(enforce_csrf_checks=True), token_of(owner))
    answer = caller.post("goals", {"text": "Write a note"})
    assert answer.status_code == 201
    assert not answer.cookies


def test_a_revoked_token_and_an_expired_one_and_one_of_a_disabled_person_are_refused(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    token = ApiToken.objects.get()

    def status() -> int:
        return caller.get("goals").status_code

    assert status() == 200
    token.expires_at = timezone.now() - timedelta(seconds=1)
    token.save()
    sealing.seal(token)
    assert status() == 401
    token.expires_at = timezone.now() + timedelta(minutes=1)
    token.save()
    sealing.seal(token)
    assert status() == 200
    owner.is_active = False
    owner.save()
    assert status() == 401
    owner.is_active = True
    owner.save()
    tokens.revoke(token, by=token.user)
    assert status() == 401


def test_a_refused_token_may_not_even_be_told_what_exists(api_of: Any, owner: Any, make_goal: Any) -> None:
    goal = make_goal(owner)
    caller = api_of(None)
    assert caller.get(f"goals/{goal.pk}").json()["detail"] == caller.get("goals/999999").json()["detail"]


def test_the_use_of_a_token_is_written_down_at_most_once_a_minute(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    token = ApiToken.objects.get()
    assert token.last_used_at is None
    caller.get("goals")
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    caller.get("goals")
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(seconds=61))
    caller.get("goals")
    token.refresh_from_db()
    assert token.last_used_at > first - timedelta(seconds=61)
