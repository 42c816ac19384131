"""Tags and filters of every page: icons, states, seals, ways, origins, times, and foreign text made safe to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from agents.bdi.plans.parameters import is_written_in_rule
from agents.bdi.recovery.strategies import way_named
from agents.pages.agents.environment_page import Bars as ScoreBars
from agents.presentation import hidden
from agents.toolkit.hosts import THE_INDEX
from agents.workspaces import package_index
from library.language.insights import Figures
from mindx_web.presentation import amounts, moments
from mindx_web.presentation import seal as seals
from mindx_web.presentation import way as ways
from mindx_web.presentation import words as said
from mindx_web.presentation.bars import Bars, bars
from mindx_web.presentation.over_time import Chart
from mindx_web.presentation.taken import cells as taken_cells
from mindx_web.web.context import Place
from sandbox.gate.hosts import PACKAGES

register = template.Library()

# The goals in the reason for a value of earlier runs, as `experience.Prediction.why` says them.
_NAMED = re.compile(r"\b[Gg]oal (?P<goal>[0-9]{1,18})\b|\b[Ii]tem (?P<item>[0-9]{1,18}) of the backlog\b")
_RUNS = re.compile(r"\(goal (?P<goals>\d{1,18}(?:, \d{1,18})*)")


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """Draw a symbol of the sprite; it is always decoration, so a word must stand beside it. Size: "14" or "12"."""
    return format_html(
        '<svg class="i{}" aria-hidden="true"><use href="#i-{}"/></svg>', f" i-{size}" if size else "", name
    )


@register.simple_tag
def nav_links(places: Iterable[Place], here: str, look: str = "") -> SafeString:
    """Entries of the navigation, that of the place `here` marked; `look` is a class of theirs. Every page has a score
    of them, and including a template for each takes a tenth of a page's time.
    """
    of_class = format_html(' class="{}"', look) if look else ""
    return format_html_join(
        "\n",
        '<li{}><a class="nav-link" href="{}" title="{}"{}>{}<span class="nav-label">{}</span>{}</a></li>',
        (
            (
                of_class,
                place.url,
                place.name,
                mark_safe(' aria-current="page"') if place.key == here else "",
                icon(place.icon),
                place.name,
                format_html('<span class="count count-person">{}<span class="vh"> waiting</span></span>', place.count)
                if place.count
                else "",
            )
            for place in places
        ),
    )


@register.simple_tag
def state(value: str, word: str = "") -> SafeString:
    """The badge of a state: icon and word. `word` says it otherwise, for example "awaiting your review"."""
    badge = said.state_badge(str(value))
    return format_html('<span class="state" data-s="{}">{}{}</span>', badge.key, icon(badge.icon), word or badge.word)


@register.simple_tag
def asked(goal: Any) -> SafeString:
    """The badge of a goal in a person's hands: what it waits for. `goal.unknown`: what became of a step."""
    badge = said.asked_badge("outcome_unknown" if getattr(goal, "unknown", False) else goal.reason)
    return format_html('<span class="state" data-s="{}">{}{}</span>', badge.key, icon(badge.icon), badge.word)


@register.simple_tag
def held_state(held: Any, user: Any) -> SafeString:
    """The badge of a goal on whose plan a decision can still be taken back: what, by whom, and when it counts."""
    key = {"approve": "approved", "reject": "rejected"}.get(held.verdict, "awaiting_review")
    by = "you" if held.by_id == user.pk else visible(held.by.display_name, "line")
    return state(key, format_html("{} by {}, {}", held.done, by, when(held)))


@register.simple_tag
def when(held: Any) -> SafeString:
    """When a held decision takes effect: the seconds that are left, then that it does, or that it is late."""
    if held.is_due:
        return format_html("<span>{}</span>", held.soon)
    soon = "starting …" if held.then in {"starts", "start"} else "taking effect …"
    return format_html('<span data-then="{}">{} in {} s</span>', soon, held.then, countdown(held.seconds_left))


@register.simple_tag
def countdown(seconds: int) -> SafeString:
    """Seconds that go down by themselves, without being read aloud each time."""
    return format_html('<span data-countdown role="timer">{}</span>', seconds)


@register.simple_tag
def origin(param: Any) -> SafeString:
    """The badge of a parameter's origin. `param` is a document's Parameter or its JSON object; its note follows."""
    source, note = str(_of(param, "origin") or ""), str(_of(param, "note") or "")
    badge = said.origin_badge(
        source,
        in_goal=bool(_of(param, "span")),
        changed=_of(param, "original") is not None,
        in_rule=is_written_in_rule(source, note),
    )
    told = format_html(": {}", _evidence(note) if badge.key == "experience" else visible(note, "line")) if note else ""
    # “edited by rita” and “written in the rule “greet”” say the badge’s own word once more. A person’s note
    # says how the value came from them: by an answer, a choice or a remedy.
    is_told = note.startswith(f"{badge.word} ") or (note and badge.word == said.BY_HAND)
    word = "" if is_told else badge.word
    told = told if word else visible(note, "line")
    # One box for the words: beside links each of their pieces would be a column of its own.
    return format_html(
        '<span class="origin" data-o="{}">{}<span>{}{}</span></span>', badge.key, icon(badge.icon), word, told
    )


def _evidence(note: str) -> SafeString:
    """What speaks for a value taken from earlier runs, each of the goals a link."""
    found = _RUNS.search(note)
    if found is None:
        return visible(note, "line")
    goals = format_html_join(
        ", ",
        '<a class="link" href="{}">{}</a>',
        ((reverse("goal", args=[pk]), pk) for pk in found["goals"].split(", ")),
    )
    before, after = note[: found.start("goals")], note[found.end("goals") :]
    return format_html("{}{}{}", visible(before, "line"), goals, visible(after, "line"))


@register.simple_tag
def seal(digest: str | None, broken: bool = False) -> SafeString:
    """A digest as eight bars and eight digits, the whole of it in the title. `broken`: it no longer fits."""
    digest = digest or ""
    drawn = format_html_join(
        "",
        '<rect x="{}" y="{}" width="4" height="{}" rx="1"/>',
        ((bar.x, bar.y, bar.height) for bar in seals.bars(digest)),
    )
    return format_html(
        '<span class="seal" title="{}"{}><svg viewBox="0 0 48 16" aria-hidden="true">{}</svg>{}</span>',
        digest,
        mark_safe(" data-broken") if broken else "",
        drawn,
        seals.short(digest),
    )


@register.simple_tag
def way(
    goal: Any,
    reason: str = "",
    mini: bool = False,
    begun: bool = False,
    approved: bool = False,
    paused: bool = False,
    held: bool = False,
) -> SafeString:
    """How far a goal has come. `goal` is a goal or its state, then with its reason; `mini` is the form for lists.

    `begun`: a step of it has been tried, where the page knows it; `approved`: nothing of it has, but its plan may run.
    `paused`: its agent is paused, so no step starts; `held`: its plan is decided, and that can still be undone.
    """
    if approved:
        stages = ways.way("executing", waits=True)
    elif isinstance(goal, str):
        stages = ways.way(goal, reason)
    else:
        stages = ways.way(
            goal.shown_state, goal.reason, learned=goal.learned_at is not None, begun=begun, waits=paused, held=held
        )
    items = format_html_join(
        "",
        '<li{}{}><span>{}<span class="vh">: {}</span></span></li>',
        (
            (
                format_html(' data-w="{}"', stage.look) if stage.look else "",
                mark_safe(' aria-current="step"') if stage.current else "",
                stage.name if mini else stage.name.capitalize(),
                stage.said,
            )
            for stage in stages
        ),
    )
    return format_html('<ol class="way{}" aria-label="Way of the goal">{}</ol>', " way-mini" if mini else "", items)


@register.simple_tag
def taken(figures: Figures, address: str, query: str) -> SafeString:
    """The cells of a row of what models took, each leading to its calls at `address?query`. A year has hundreds of
    them, which a template would take as long for as for the rest of the page.
    """
    base = f"{address}?{query}"
    drawn = (
        format_html(
            '<a{} href="{}">{}</a>',
            mark_safe(' class="is-bad"') if cell.is_bad else "",
            f"{base}&came={cell.came}" if cell.came else base,
            cell.words,
        )
        if cell.came is not None
        else cell.words
        for cell in taken_cells(figures)
    )
    return format_html_join("", '<td class="num">{}</td>', ((one,) for one in drawn))


@register.simple_tag
def legend(parts: Iterable[tuple[str, str]]) -> SafeString:
    """What the looks in a chart mean; nothing where it has one."""
    drawn = format_html_join("", '<li><i class="l-{}"></i>{}</li>', parts)
    return format_html('<ul class="legend">{}</ul>', drawn) if drawn else drawn


@register.simple_tag
def plot(chart: Chart, first: date, last: date) -> SafeString:
    """A chart over the days from the first to the last. Eight of them as templates would be half of a page's time."""
    return _figure(chart.bars, chart.sentence, (f"{first.day} {first:%b}", f"{last.day} {last:%b}"))


@register.simple_tag
def scores(chart: ScoreBars) -> SafeString:
    """A chart of scores from 0 to 1, a bar for each, and its sentence below it."""
    drawn = bars([[one] for one in chart.values], lambda value: f"{value * 100:.0f} %", 1.0)
    figure = _figure(drawn, chart.sentence, (chart.first, chart.last)) if chart.values else SafeString()
    return format_html('{}<p class="small muted">{}</p>', figure, chart.sentence)


def _figure(drawn: Bars, sentence: str, ends: tuple[str, str]) -> SafeString:
    return format_html(
        '<figure class="chart" role="img" aria-label="{}"><div class="y" aria-hidden="true">{}</div>'
        '<svg class="plot" viewBox="0 0 {} 100" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="g" d="M0 0H{}M0 50H{}"/><path class="g0" d="M0 100H{}"/>{}</svg>'
        '<div class="x" aria-hidden="true"><span>{}</span><span>{}</span></div></figure>',
        sentence,
        format_html_join("", '<span class="nowrap">{}</span>', ((label,) for label in drawn.axis)),
        *[drawn.width] * 4,
        format_html_join("", '<path class="f-{}" d="{}"/>', drawn.paths),
        *ends,
    )


@register.simple_tag
def reach(entries: Iterable[str]) -> SafeString:
    """The hosts of a step or a plan, all of them and in full; the package index with the address it has here."""
    return format_html_join(", ", "{}", ((_host(str(entry)),) for entry in entries))


def _host(entry: str) -> SafeString:
    if entry != PACKAGES:
        return format_html("<code>{}</code>", visible(entry, "line"))
    return format_html("{} (<code>{}</code>)", THE_INDEX, visible(package_index.address(), "line"))


@register.filter
def visible(text: object, place: str = "") -> SafeString:
    """Foreign text, escaped, with hidden and bidirectional characters shown as code points.

    `place` "line": the place shows one line, so line feeds and tabs are shown too instead of collapsing into a space.
    """
    # visible_html escapes every character it lets through.
    return mark_safe(hidden.visible_html("" if text is None else str(text), one_line=place == "line"))  # noqa: S308


@register.filter
def linked(text: object) -> SafeString:
    """As `visible` in one line, with each goal and item of the backlog that the text names as a link to it."""
    said_so = str(text)
    pieces, at = [], 0
    for found in _NAMED.finditer(said_so):
        name, pk = ("goal", found["goal"]) if found["goal"] else ("mastermind-item", found["item"])
        link = format_html('<a class="link" href="{}">{}</a>', reverse(name, args=[pk]), found[0])
        pieces += [visible(said_so[at : found.start()], "line"), link]
        at = found.end()
    return format_html("{}" * (len(pieces) + 1), *pieces, visible(said_so[at:], "line"))


@register.filter
def thousands(number: int) -> str:
    """A count as people read it: 12,345."""
    return f"{number:,}"


@register.filter
def words(identifier: object) -> str:
    """A state or a reason as words."""
    return said.words(str(identifier))


@register.filter
def class_words(name: object) -> SafeString:
    """A class of failure in words, with its name, by which operators and the API know it, in the title."""
    return format_html('<span title="{}">{}</span>', name, str(name).replace("_", " ").lower())


@register.filter
def way_words(name: object) -> str:
    """A strategy of recovery, or a way with its variant, as it is called everywhere."""
    way = way_named(str(name))
    return way.words if way is not None else said.words(str(name))


@register.filter
def clock(when: datetime | None) -> SafeString | str:
    """A moment: the time of day, the date too when it was not today, the exact time in the attribute and the title."""
    if when is None:
        return ""
    local = timezone.localtime(when)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        moments.exact_text(local),
        moments.clock_text(local, timezone.localtime()),
    )


@register.filter
def day(when: datetime) -> SafeString:
    """The date of a moment, the exact time in the attribute and the title."""
    local = timezone.localtime(when)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        moments.exact_text(local),
        moments.day_text(local),
    )


@register.filter
def duration(seconds: float | None) -> str:
    """Seconds in words; nothing for nothing."""
    return "" if seconds is None else moments.duration_text(float(seconds))


@register.filter
def short(count: float) -> str:
    """A count in few characters: "34 k"."""
    return amounts.short(count)


@register.filter
def times(ms: float) -> str:
    """Milliseconds in the unit in which they are a small number."""
    return amounts.times(ms)


@register.filter
def dollars(amount: Decimal | float) -> str:
    """US dollars, as exact as they are of use."""
    return amounts.dollars(float(amount))


@register.filter
def since(when: datetime | None) -> str:
    """How long ago a moment was, in words: "waiting {{ plan.queued_at|since }}"."""
    return "" if when is None else moments.age_text((timezone.now() - when).total_seconds())


@register.filter
def until(when: datetime | None) -> str:
    """How long it is until a moment, in words: "expires in {{ clock.due_at|until }}"."""
    return "" if when is None else moments.age_text((when - timezone.now()).total_seconds())


def _of(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
