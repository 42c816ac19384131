"""The security baseline: every page's headers, and the settings of a public server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = pytest.mark.django_db


def addresses() -> list[str]:
    """Every address that needs no argument, admin included."""
    found: list[str] = []

    def walk(patterns: Any, prefix: str) -> None:
        for one in patterns:
            route = prefix + str(one.pattern)
            if isinstance(one, URLResolver):
                walk(one.url_patterns, route)
            elif isinstance(one, URLPattern) and not re.search(r"[<(^\\]", route):
                found.append("/" + route)

    walk(get_resolver().url_patterns, "")
    return sorted(set(found))


ADDRESSES = addresses()
OPEN_TO_ALL = {"/login/", "/favicon.ico", "/api/v1/health", "/api/v1/health/live", "/api/v1/openapi.json"}
OPEN_TO_ALL |= {"/admin/login/", "/metrics"}  # metrics has a door of its own, closed until an operator opens it
# The card says to everybody what A2A's specification wants it to; the other two are the way in.
OPEN_TO_ALL |= {"/.well-known/agent-card.json", "/login/oidc/", "/login/oidc/return/"}


def test_there_are_pages_to_look_at() -> None:
    assert {"/", "/login/", "/account/", "/goals/", "/review/", "/rules/", "/memory/", "/admin/"} <= set(ADDRESSES)


def test_every_page_carries_the_headers_and_nothing_inline(client_of: Any, admin: Any) -> None:
    browser = client_of(admin)
    for address in ADDRESSES:
        page = browser.get(address)
        assert page.status_code < 500 or address == "/api/v1/health", address  # 503: no worker is alive
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy, address
        assert "unsafe" not in policy, address
        assert "frame-ancestors 'none'" in policy, address
        assert page.headers["X-Content-Type-Options"] == "nosniff", address
        assert page.headers["X-Frame-Options"] == "DENY", address
        assert page.headers["Referrer-Policy"] == "same-origin", address
        if page.headers.get("Content-Type", "").startswith("text/html") and not address.startswith("/admin/"):
            text = page.content.decode()
            assert not re.search(r"<[^>]+\sstyle=", text), address
            assert not re.search(r"<[^>]+\son\w+=", text), address
            assert not re.search(r"<style|<script(?![^>]*\ssrc=)", text), address
            assert not re.search(r'(?:src|href)="(?:https?:)?//', text), address
    assert browser.get("/account/").status_code == 200, "somebody was logged in all the time"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_page_but_the_door_asks_who_is_there(method: str) -> None:
    for address in ADDRESSES:
        answer = Client().generic(method, address, "{}" if method == "POST" else "", content_type="application/json")
        if address in OPEN_TO_ALL:
            continue
        if address.startswith(("/api/", "/a2a/")):
            assert answer.status_code in {401, 404, 405}, address
        else:
            assert answer.status_code in {302, 405}, address
            assert answer.status_code == 405 or "/login/" in answer.headers["Location"], address


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites(client_of: Any, admin: Any) -> None:
    assert settings.SESSION_COOKIE_HTTPONLY
    assert settings.SESSION_COOKIE_SAMESITE == settings.CSRF_COOKIE_SAMESITE == "Lax"


def _manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MINDX_")}
    known = {"MINDX_SECRET_KEY": "k" * 30 + "abcdefghij0123456789-_" * 2, "MINDX_DATA": os.environ["MINDX_DATA"]}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**clean, **known, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def test_the_settings_of_a_public_server_pass_djangos_own_check() -> None:
    checked = _manage("check", "--deploy", "--fail-level", "WARNING", MINDX_PUBLIC_URL="https://mindx.example.org")
    assert checked.returncode == 0, checked.stderr


def test_a_server_without_a_key_does_not_start() -> None:
    checked = _manage("check", MINDX_SECRET_KEY="")
    assert checked.returncode != 0
    assert "No secret key" in checked.stderr
