"""The level of isolation on the administration's first page: each level, with its reasons and the way out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
import redis

from mindx_web.operations import heartbeat
from mindx_web.operations.heartbeat import Beat

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

ClientOf = Callable[["User"], "Client"]
pytestmark = pytest.mark.django_db
WHY = {"L3": "the kernel refuses namespaces", "L2": "the worker is not root", "L1": "no uid is free"}


@pytest.fixture
def bus(valkey: object, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """Redis, in which a sign of life stays until the test ends."""
    monkeypatch.setattr(heartbeat, "_LIVES_S", 600)
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.flushdb()
    yield client
    client.flushdb()


@pytest.fixture
def panel(bus: redis.Redis, admin: User, client_of: ClientOf) -> Callable[..., str]:
    """`panel(beat…)`: the panel as the page shows it after these signs of life, with blanks run together."""

    def shown(*beats: Beat) -> str:
        for beat in beats:
            heartbeat.say(bus, beat)
        page = client_of(admin).get("/admin/").content.decode()
        found = re.search(r'<section class="module" id="isolation".*?</section>', page, re.DOTALL)
        assert found
        return " ".join(found[0].split())

    return shown


def beat(level: str, *missing: str, worker: str = "one@here") -> Beat:
    return Beat(worker, level, {name: WHY[name] for name in missing})


def test_the_full_level_is_told_without_advice(panel: Callable[..., str]) -> None:
    text = panel(beat("L3"))
    assert '<li class="success">Level L3, checked: the sandbox works.</li>' in text
    assert "<td>L3, the lowest of all workers (one@here)</td>" in text
    assert "Why not" not in text
    assert "restart the worker" not in text


@pytest.mark.parametrize(("level", "missing"), [("L2", ("L3",)), ("L1", ("L3", "L2"))])
def test_a_level_below_the_least_says_why_and_what_to_do(
    level: str, missing: tuple[str, ...], panel: Callable[..., str]
) -> None:
    text = panel(beat(level, *missing))
    assert f'<li class="error">Level {level}; no step runs below L3.</li>' in text
    for name in missing:
        assert f'<th scope="row">Why not {name}</th><td>{WHY[name]}</td>' in text
    assert "restart the worker" in text
    assert f"MINDX_SANDBOX_MIN={level}." in text


@pytest.mark.parametrize("level", ["L2", "L1"])
def test_a_weaker_level_that_was_accepted_is_a_warning(level: str, panel: Callable[..., str], settings: Any) -> None:
    settings.SANDBOX_MIN = "L1"
    text = panel(beat(level, "L3"))
    assert f'<li class="warning">Level {level}' in text
    assert "You have accepted this with MINDX_SANDBOX_MIN=L1." in text
    assert WHY["L3"] in text


def test_no_level_at_all_offers_none_to_accept(panel: Callable[..., str]) -> None:
    text = panel(beat("", "L3", "L2", "L1"))
    assert '<li class="error">No isolation level works; no step runs.</li>' in text
    assert all(why in text for why in WHY.values())
    assert "accept the weaker level" not in text
    assert "<td>none, the lowest of all workers" in text


def test_without_a_worker_the_level_is_unknown(panel: Callable[..., str]) -> None:
    text = panel()
    assert '<li class="warning">Unknown until a worker has checked it.</li>' in text
    assert "<table>" not in text


def test_a_dead_redis_is_named_and_the_page_stands(panel: Callable[..., str], settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert '<li class="warning">Unknown while Redis does not answer.</li>' in panel()


def test_the_weakest_worker_is_the_one_that_is_shown(panel: Callable[..., str]) -> None:
    text = panel(beat("L3", worker="one@here"), beat("L2", "L3", worker="two@there"))
    assert "<td>L2, the lowest of all workers (two@there)</td>" in text


def test_what_a_worker_reports_is_text_and_never_markup(panel: Callable[..., str]) -> None:
    text = panel(Beat("<b>w</b>", "L2", {"L3": "<script>x</script>\u202e"}))
    assert "&lt;script&gt;x&lt;/script&gt;" in text
    assert "<script" not in text
    assert "<b>w" not in text
    assert "\u202e" not in text


def test_only_who_may_enter_the_administration_sees_it(operator: User, client_of: ClientOf) -> None:
    assert client_of(operator).get("/admin/").status_code == 302


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_both_colour_schemes(
    scheme: str, bus: redis.Redis, admin: User, open_page: Callable[..., Any]
) -> None:
    heartbeat.say(bus, beat("L2", "L3"))
    page = open_page(admin, "/admin/", scheme=scheme)
    line = page.locator("#isolation li.error")
    line.wait_for()
    text, ground = line.evaluate("it => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor]")
    assert abs(lightness(text) - lightness(ground)) > 100
    assert (lightness(ground) < 128) is (scheme == "dark")


def lightness(colour: str) -> float:
    """Of `rgb(r, g, b)`, from 0 to 255."""
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3
