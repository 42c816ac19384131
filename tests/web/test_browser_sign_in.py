"""Signing in with a provider of OpenID Connect, in a real browser: the way there and back, under our own policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from tests.people import openid
from tests.people.test_oidc import known
from tests.web.test_axe_on_every_page import looked_at, with_axe

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def test_somebody_goes_to_the_provider_and_comes_back_logged_in(open_page: Callable[..., Any], settings: Any) -> None:
    with openid.provider() as provider:
        settings.OIDC = known(provider.issuer)
        page = with_axe(open_page(None, "/login/?next=/account/"))
        settings.PUBLIC_URL = page.url.partition("/login/")[0]
        assert looked_at(page, "login", "/login/?next=/account/") == []
        provider.person = {"sub": "1", "preferred_username": "nina", "groups": ["unknown"]}
        page.click("text=Log in with Example")
        page.wait_for_selector("text=None of your groups may use mindX")
        provider.person["groups"] = ["boss"]
        page.click("text=Back to login")
        page.goto(f"{reverse('login')}?next=/account/")
        page.click("text=Log in with Example")
        page.wait_for_selector("text=Your groups there give you: admin.")
        assert looked_at(page, "account", "/account/") == []
