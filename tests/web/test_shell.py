"""The frame of every page and the small parts pages are made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.template import engines
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.types import ORIGINS
from mindx_web.presentation import moments, seal, way, words
from mindx_web.templatetags import mindx
from people.models import User

TEMPLATES = Path(settings.BASE_DIR) / "templates"
SYMBOLS = set(re.findall(r'<symbol id="i-([a-z]+)"', (TEMPLATES / "_sprite.html").read_text()))
DIGEST = "7c1e40ab" + "0" * 56


def rendered(source: str, **context: object) -> str:
    return engines["django"].from_string(source).render(context)


# --- icons, states, origins ------------------------------------------------------------------------------------------
def test_every_icon_a_template_names_is_in_the_sprite() -> None:
    named = {
        (page.name, name)
        for page in TEMPLATES.rglob("*.html")
        if page.name != "_sprite.html"
        for name in re.findall(r"""{%\s*icon\s+["']([a-z-]+)["']""", page.read_text())
    }
    assert named
    assert [(page, name) for page, name in sorted(named) if name not in SYMBOLS] == []


@pytest.mark.parametrize("value", [*GoalState, *PlanState, *IntentState, "candidate", "active", "retired", "canary"])
def test_every_state_has_an_icon_of_the_sprite_and_a_word(value: str) -> None:
    badge = words.state_badge(str(value))
    assert badge.icon in SYMBOLS
    assert "_" not in badge.word
    assert badge.word


def test_a_state_badge_holds_icon_and_word_and_its_colour_key() -> None:
    badge = rendered('{% state "awaiting_review" %}')
    assert badge == (
        '<span class="state" data-s="awaiting_review"><svg class="i" aria-hidden="true"><use href="#i-eye"/></svg>'
        "awaiting review</span>"
    )


def test_a_state_can_be_said_otherwise_and_is_escaped() -> None:
    assert "&lt;b&gt;" in rendered('{% state "manual" word %}', word="<b>")


@pytest.mark.parametrize("origin", ORIGINS)
def test_every_origin_has_an_icon_of_the_sprite(origin: str) -> None:
    assert words.origin_badge(origin).icon in SYMBOLS


def test_an_origin_says_whose_hand_gave_the_value() -> None:
    param = SimpleNamespace(origin="person", original="old", span=None, note="")
    assert "edited" in mindx.origin(param)
    assert "by hand" in mindx.origin(SimpleNamespace(origin="person", original=None, span=None, note=""))
    assert "goal’s words" in mindx.origin({"origin": "explicit", "span": [3, 9], "original": None, "note": ""})


def test_an_origins_note_cannot_bring_markup() -> None:
    assert "<i>" not in mindx.origin({"origin": "default", "note": "<i>next minor</i>"})


# --- seal ------------------------------------------------------------------------------------------------------------
def test_a_seal_has_eight_bars_that_stay_in_their_box() -> None:
    bars = seal.bars(DIGEST)
    assert [bar.height for bar in bars] == [8, 13, 2, 15, 5, 1, 11, 12]
    assert all(bar.y >= 0 and bar.y + bar.height == 16 for bar in bars)


@given(st.text(alphabet="0123456789abcdef", min_size=64, max_size=64))
def test_two_digests_that_differ_in_the_first_eight_digits_have_different_seals(digest: str) -> None:
    other = f"{(int(digest[0], 16) + 1) % 16:x}{digest[1:]}"
    assert seal.bars(digest) != seal.bars(other)


def test_a_seal_of_something_that_is_no_digest_draws_nothing_and_stays_safe() -> None:
    drawn = mindx.seal('"><script>')
    assert "<rect" not in drawn
    assert "<script>" not in drawn


def test_a_broken_seal_says_so() -> None:
    assert "data-broken" in mindx.seal(DIGEST, broken=True)
    assert "data-broken" not in mindx.seal(DIGEST)


# --- hidden characters -----------------------------------------------------------------------------------------------
BIDI_AND_ZERO_WIDTH = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200c\u200d\u2060\ufeff\u00ad\u061c"
HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(BIDI_AND_ZERO_WIDTH + "<>&\"'\x00\x07\x1b\x7f\x85\u2028\u2029\u00a0\u3164\U000e0041"),
        st.characters(),
    )
)


@given(HOSTILE)
def test_no_hidden_character_and_no_markup_survives_the_visible_filter(text: str) -> None:
    shown = mindx.visible(text)
    without_our_marks = re.sub(
        r'<span class="hidden-char" title="[^"<>]*">(U\+[0-9A-F]{4,6}|byte [0-9A-F]{2})</span>', "", shown
    )
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f<>\"'" + BIDI_AND_ZERO_WIDTH + "\u2028\u2029\U000e0041]", without_our_marks
    )


def test_a_right_to_left_override_is_shown_by_its_code_point() -> None:
    assert mindx.visible("a\u202egpj.exe") == (
        'a<span class="hidden-char" title="right-to-left override">U+202E</span>gpj.exe'
    )


def test_a_place_of_one_line_shows_line_feeds_that_would_otherwise_collapse() -> None:
    assert "U+000A" in mindx.visible("ls\nrm -r .", "line")
    assert "\n" in mindx.visible("ls\nrm -r .")


# --- times -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0.00 s"),
        (0.04, "0.04 s"),
        (6.24, "6.2 s"),
        (18, "18 s"),
        (111, "1 min 51 s"),
        (120, "2 min"),
        (42 * 60 + 20, "42 min"),
        (3 * 3600 + 18 * 60, "3 h 18 min"),
        (3 * 3600, "3 h"),
        (49 * 3600, "2 days"),
    ],
)
def test_a_duration_is_as_short_as_it_stays_useful(seconds: float, said: str) -> None:
    assert moments.duration_text(seconds) == said


def test_a_moment_shows_its_date_from_yesterday_on() -> None:
    now = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
    assert moments.clock_text(now - timedelta(hours=9), now) == "00:30"
    assert moments.clock_text(now - timedelta(hours=10), now) == "20 Nov 23:30"
    assert moments.clock_text(now - timedelta(days=400), now) == "17 Oct 2025"


def test_a_clock_carries_the_exact_time_for_machines() -> None:
    shown = mindx.clock(datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert 'datetime="2020-01-02T03:04:05+00:00"' in shown
    assert "2 January 2020, 03:04:05 UTC" in shown
    assert mindx.clock(None) == ""


# --- way -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", list(GoalState))
def test_the_way_has_five_stages_and_at_most_one_is_where_the_goal_stands(state: GoalState) -> None:
    stages = way.way(state.value)
    assert [stage.name for stage in stages] == ["perceive", "plan", "review", "execute", "learn"]
    assert sum(stage.current for stage in stages) <= 1


def test_the_way_of_a_rejected_goal_ends_at_review() -> None:
    stages = way.way("dropped", "rejected")
    assert [stage.look for stage in stages] == ["done", "done", "bad", "", ""]


def test_an_achieved_goal_still_learns_until_its_experience_is_stored() -> None:
    assert [stage.look for stage in way.way("achieved", learned=False)][-1] == "now"
    assert {stage.look for stage in way.way("achieved")} == {"done"}


def test_the_way_is_said_for_those_who_do_not_see_colours() -> None:
    assert "waiting for a person" in mindx.way("awaiting_review", mini=True)


@pytest.mark.django_db
def test_notices_are_a_place_of_their_own(reviewer: User, client_of: Callable[[User], Client]) -> None:
    page = client_of(reviewer).get("/review/notices/").content.decode()
    assert set(re.findall(r'aria-current="page"[^>]*>.*?nav-label">([^<]+)', page)) == {"Notices"}


@pytest.mark.django_db
def test_what_people_taught_lies_where_each_of_them_comes_from(
    reviewer: User, operator: User, client_of: Callable[[User], Client]
) -> None:
    for person, place in ((reviewer, "Review"), (operator, "Insights")):
        page = client_of(person).get("/tuning/taught/").content.decode()
        current = re.findall(r'<a class="nav-link"[^>]*aria-current="page"[^>]*>.*?nav-label">([^<]+)', page, re.DOTALL)
        assert set(current) == {place}
