"""What nobody should send, and somebody will: other languages, huge texts, loops, and two people at one moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction

from library import embedding
from library.components import search as searching
from library.components import services
from library.errors import LibraryRefused
from library.language import embeddings
from library.memory import merging, selectors
from library.memory import services as memory
from library.models import Component, ComponentVersion, Experience
from people.models import User
from people.roles import Role
from tests.library.vectors import WordVectors

pytestmark = pytest.mark.django_db
Person = Callable[..., User]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
# Two goals of each that have nothing to do with each other: pay all invoices, water the garden.
OTHER_SCRIPTS = {
    "thai": ("ชำระใบแจ้งหนี้ทั้งหมด", "รดน้ำต้นไม้ในสวน"),
    "chinese": ("支付所有发票", "给花园浇水"),
    "japanese": ("すべての請求書を支払う", "庭に水をやる"),
    "korean": ("모든 송장을 지불하십시오", "정원에 물을 주다"),
    "hebrew": ("לשלם את כל החשבוניות", "להשקות את הגינה"),
    "arabic": ("ادفع جميع الفواتير", "اسق الحديقة"),
    "hindi": ("सभी चालानों का भुगतान करें", "बगीचे में पानी दें"),
    "greek": ("πληρώστε όλα τα τιμολόγια", "ποτίστε τον κήπο"),
    "russian": ("оплатить все счета", "полить сад"),
    "amharic": ("ሁሉንም ደረሰኞች ክፈሉ", "የአትክልት ቦታውን አጠጣ"),
    "emoji": ("🧾💰✅", "🌻💧🚿"),
}


@pytest.fixture
def owner(person: Person) -> User:
    return person("owner")


def remember(owner: User, goal: str, **fields: Any) -> Experience:
    return memory.record(
        owner=owner,
        primary_goal_description=goal,
        timestamp=START,
        initiating_agent_id="mindx",
        **{"goal_ref": goal[:64], "final_outcome": "success"} | fields,
    )


def goals(found: list[selectors.Found]) -> list[str]:
    return [row.primary_goal_description for row, _ in found]


# --- texts of another language, with the real sentence model ----------------------------------------------------------


@pytest.mark.parametrize("language", OTHER_SCRIPTS)
def test_goals_in_another_script_are_told_apart_and_found_by_their_words(owner: User, language: str) -> None:
    pay, water = OTHER_SCRIPTS[language]
    remember(owner, pay)
    remember(owner, water)
    embedding.embed_missing()
    assert selectors.search(pay, user=owner)[0][0].primary_goal_description == pay
    assert goals(selectors.nearest_to(pay, user=owner, without_goal=pay)) == [], "the other one is no precedent"
    assert merging.merge(owner, owner) == 0, "and not the same"
    first_word = pay.split()[0]
    assert goals(selectors.search(first_word, user=owner)) == [pay]
    assert "Latin letters" in selectors.why_by_words(pay)[0]


@pytest.mark.parametrize(
    ("text", "can_be_read"),
    [
        ("Bezahle alle Rechnungen bis Übermorgen", True),
        ("payez toutes les factures impayées", True),
        ("trả tất cả hóa đơn", True),
        ("обработай invoices_2026_paid.csv и report_final.txt", True),
        ("обработай файл a.csv", False),
        ("2026-03-01 12:00", True),
        ("!?", False),
    ],
)
def test_a_text_is_read_when_its_letters_are_mostly_latin(text: str, can_be_read: bool) -> None:
    assert embeddings.reads(text) is can_be_read


def test_components_in_another_script_are_found_by_their_words(db: None, person: Person) -> None:
    developer = person("dev", Role.DEVELOPER)
    for name, text in (("pay", OTHER_SCRIPTS["hebrew"][0]), ("water", OTHER_SCRIPTS["hebrew"][1])):
        services.publish("rule", name, text, by=developer, applicability_text=text, status="active")
    embedding.embed_missing()
    results = searching.search(task="החשבוניות")
    assert [one.version.component.name for one in results.items] == ["pay"]
    assert "Latin letters" in results.by_words


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("ÜBERWEISE DIE RECHNUNG", "überweise"),
        ("ПЛАТИТЬ", "платить"),
        ("Straße fegen", "straße"),
        ("cafe\u0301 aufräumen", "caf\u00e9"),
        ("caf\u00e9 aufräumen", "cafe\u0301"),
        ("להשקות את הגינה", "\u200fהגינה\u200f"),
        ("\u202bלהשקות את הגינה\u202c", "הגינה"),
    ],
)
def test_words_are_found_whatever_their_case_composition_and_direction(
    owner: User, word_vectors: WordVectors, stored: str, asked: str
) -> None:
    word_vectors.broken = "by words"
    remember(owner, stored)
    assert goals(selectors.search(asked, user=owner)) == [stored]


# --- 100 kB -----------------------------------------------------------------------------------------------------------

HUGE = "word " * 19_998 + "needle end"


def test_a_component_of_100_kb_is_kept_embedded_and_found_by_its_last_word(person: Person) -> None:
    developer = person("dev", Role.DEVELOPER)
    assert len(HUGE) == services.BODY_MAX_CHARACTERS
    version = services.publish("rule", "huge", HUGE, by=developer, applicability_text="count words", status="active")
    embedding.embed_missing()
    version.refresh_from_db()
    assert version.content_embedding is not None
    assert searching.search("word word word").items[0].version == version
    ComponentVersion.objects.update(content_embedding=None, applicability_embedding=None)
    assert [one.version for one in searching.search("needle").items] == [version]


def test_an_applicability_of_100_kb_is_refused_however_it_comes(person: Person) -> None:
    developer = person("dev", Role.DEVELOPER)
    with pytest.raises(LibraryRefused, match="4,000 characters"):
        services.publish("rule", "a", "body", by=developer, applicability_text=HUGE)
    assert not ComponentVersion.objects.exists()
    version = services.publish("rule", "a", "body", by=developer, applicability_text="x" * 4_000)
    with pytest.raises(LibraryRefused, match="4,000 characters"):
        services.say_when(version, HUGE, by=developer)


def test_a_goal_and_a_question_of_100_kb_are_no_fault(owner: User) -> None:
    remember(owner, HUGE, goal_ref="huge", output_summary=HUGE)
    embedding.embed_missing()
    assert [row.goal_ref for row, _ in selectors.search(HUGE, user=owner)] == ["huge"]
    assert searching.search(HUGE, HUGE).by_words == ""


# --- loops in lineage -------------------------------------------------------------------------------------------------


def test_no_version_descends_from_itself(person: Person) -> None:
    developer = person("dev", Role.DEVELOPER)
    first = services.publish("rule", "a", "one", by=developer)
    second = services.publish("rule", "a", "two", by=developer, parent=first)
    for loop in ({"pk": first.pk, "to": first.pk}, {"pk": first.pk, "to": second.pk}):
        with pytest.raises(IntegrityError, match="version_made_from_an_older_one"), transaction.atomic():
            ComponentVersion.objects.filter(pk=loop["pk"]).update(parent=loop["to"])


# --- two at one moment ------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_two_activations_at_once_one_comes_after_the_other(person: Person, word_vectors: WordVectors) -> None:
    developer = person("dev", Role.DEVELOPER)
    services.publish("rule", "a", "zero", by=developer, status="active")
    for round_number in range(5):
        candidates = [services.publish("rule", "a", f"{round_number} {at}", by=developer) for at in range(2)]
        together, failures = Barrier(2), list[BaseException]()

        def activate(version: ComponentVersion, together: Barrier = together, failures: Any = failures) -> None:
            try:
                together.wait(30)
                services.activate(version, developer)
            except BaseException as error:  # told by the test
                failures.append(error)
            finally:
                connections.close_all()

        threads = [Thread(target=activate, args=(one,)) for one in candidates]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert failures == []
        statuses = ComponentVersion.objects.filter(pk__in=[one.pk for one in candidates])
        assert sorted(statuses.values_list("status", flat=True)) == ["active", "retired"]
    assert ComponentVersion.objects.filter(status="active").count() == 1
    assert Component.objects.count() == 1
    assert connection.is_usable()
