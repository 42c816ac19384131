"""Versions of components: who may publish, activate and retire them, and what loading the starters leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from library import embedding
from library.components import selectors, services
from library.components.search import search
from library.components.services import Starter
from library.errors import EmbeddingUnavailable, LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role
from tests.library.vectors import WordVectors

Person = Callable[..., User]
Status = ComponentVersion.Status


@pytest.fixture
def developer(person: Person) -> User:
    return person("dev", Role.DEVELOPER)


def publish(by: User, body: str = "IF … THEN …", status: str = Status.CANDIDATE) -> ComponentVersion:
    return services.publish("rule", "tidy up", body, by=by, applicability_text="tidy up a folder", status=status)


def test_versions_count_up_and_know_their_parent(developer: User) -> None:
    first = publish(developer, "one", Status.ACTIVE)
    second = publish(developer, "two")
    third = publish(developer, "three")
    assert [version.version for version in (first, second, third)] == ["1.0.0", "1.1.0", "1.2.0"]
    assert (first.parent, second.parent, third.parent) == (None, first, first)
    assert second.status == Status.CANDIDATE
    assert second.created_by == developer


def test_activating_retires_the_version_in_use(developer: User) -> None:
    first = publish(developer, "one", Status.ACTIVE)
    second = publish(developer, "two")
    services.activate(second, developer)
    first.refresh_from_db()
    assert first.status == Status.RETIRED
    assert list(selectors.active_versions("rule")) == [second]
    services.activate(first, developer)
    assert list(selectors.active_versions("rule")) == [first]


def test_publishing_as_active_retires_the_version_in_use(developer: User) -> None:
    publish(developer, "one", Status.ACTIVE)
    second = publish(developer, "two", Status.ACTIVE)
    assert list(selectors.active_versions("rule")) == [second]


def test_the_database_refuses_a_second_active_version(developer: User) -> None:
    first = publish(developer, "one", Status.ACTIVE)
    with pytest.raises(IntegrityError), transaction.atomic():
        ComponentVersion.objects.create(component=first.component, version="9.0.0", body="x", status=Status.ACTIVE)


def test_retiring_leaves_nothing_in_use_and_the_version_readable(developer: User) -> None:
    version = publish(developer, "one", Status.ACTIVE)
    services.retire(version, developer)
    assert not selectors.active_versions("rule").exists()
    assert ComponentVersion.objects.get(pk=version.pk).body == "one"


def test_a_move_that_is_not_in_the_table_is_refused(developer: User) -> None:
    version = publish(developer, "one", Status.ACTIVE)
    with pytest.raises(LibraryRefused, match="somebody else may have changed it first"):
        services.activate(version, developer)
    retired = services.retire(version, developer)
    with pytest.raises(LibraryRefused, match="is retired"):
        services.retire(retired, developer)


def test_a_stale_object_does_not_hide_what_happened_meanwhile(developer: User) -> None:
    version = publish(developer, "one")
    stale = ComponentVersion.objects.get(pk=version.pk)
    services.retire(version, developer)
    with pytest.raises(LibraryRefused):
        services.retire(stale, developer)


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.DEVELOPER, Role.ADMIN])
def test_operators_developers_and_admins_may_activate(person: Person, role: Role) -> None:
    someone = person("someone", role)
    assert services.activate(publish(someone), someone).status == Status.ACTIVE


def test_a_reviewer_may_propose_but_not_activate_or_retire(person: Person) -> None:
    reviewer = person("rev", Role.REVIEWER)
    version = publish(reviewer)
    for act in (services.activate, services.retire):
        with pytest.raises(LibraryRefused, match="roles"):
            act(version, reviewer)
    with pytest.raises(LibraryRefused, match="roles"):
        publish(reviewer, "another", Status.ACTIVE)
    version.refresh_from_db()
    assert version.status == Status.CANDIDATE


def test_a_submitter_may_not_write(person: Person) -> None:
    with pytest.raises(LibraryRefused):
        publish(person("sub"))
    assert not Component.objects.exists()


def test_a_person_who_was_locked_out_may_do_nothing(developer: User) -> None:
    version = publish(developer)
    developer.is_active = False
    with pytest.raises(LibraryRefused):
        services.activate(version, developer)


def test_what_is_no_person_may_not_activate(developer: User) -> None:
    class Agent:
        is_active = True

        def has_role(self, *wanted: Role) -> bool:
            return True

    version = publish(developer)
    with pytest.raises(LibraryRefused):
        services.activate(version, Agent())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        (" ", "x", "name"),
        ("n" * 121, "x", "name"),
        ("n", " \n", "body"),
        ("n", "x" * 100_001, "body"),
        ("n", "a\0b", "body"),
    ],
)
def test_empty_huge_and_binary_texts_are_refused(developer: User, name: str, body: str, field: str) -> None:
    with pytest.raises(LibraryRefused) as refused:
        services.publish("rule", name, body, by=developer)
    assert refused.value.field == field
    assert not Component.objects.exists()


def test_a_version_without_a_difference_is_refused(developer: User) -> None:
    publish(developer, "one", Status.ACTIVE)
    with pytest.raises(LibraryRefused, match="Nothing differs"):
        publish(developer, "one")


def test_a_parent_of_another_component_is_refused(developer: User) -> None:
    other = services.publish("rule", "other", "x", by=developer)
    with pytest.raises(LibraryRefused, match="another component"):
        services.publish("rule", "tidy up", "y", by=developer, parent=other)


def test_starters_are_loaded_once(db: None) -> None:
    starters = [Starter("a", "one", "when a"), Starter("b", "two", "when b")]
    assert len(services.load_starters(starters)) == 2
    assert services.load_starters(starters) == []
    assert [version.status for version in ComponentVersion.objects.all()] == [Status.ACTIVE, Status.ACTIVE]


def test_dozens_of_starters_are_loaded_in_as_many_statements_as_two(db: None) -> None:
    for many in (2, 40):
        starters = [Starter(f"{many} {number}", "body", "when") for number in range(many)]
        with CaptureQueriesContext(connection) as loading:
            loaded = services.load_starters(starters)
        assert [(version.component.name, version.version) for version in loaded] == [
            (starter.name, "1.0.0") for starter in starters
        ]
        assert len(loading) <= 9
        with CaptureQueriesContext(connection) as looking:
            assert services.load_starters(starters) == []
        assert len(looking) == 1


def test_of_two_starters_with_one_name_the_later_is_in_use(db: None) -> None:
    first, second = services.load_starters([Starter("a", "one"), Starter("a", "two")])
    assert (first.version, second.version, second.status) == ("1.0.0", "1.1.0", Status.ACTIVE)


def test_a_name_that_a_person_took_before_keeps_that_persons_version(developer: User) -> None:
    own = services.publish("rule", "a", "mine", by=developer, status=Status.ACTIVE)
    came, fresh = services.load_starters([Starter("a", "one"), Starter("b", "one")])
    assert (came.version, came.status, fresh.status) == ("1.1.0", Status.CANDIDATE, Status.ACTIVE)
    own.refresh_from_db()
    assert own.status == Status.ACTIVE


def test_a_changed_starter_becomes_the_version_in_use(db: None) -> None:
    services.load_starters([Starter("a", "one")])
    (second,) = services.load_starters([Starter("a", "two")])
    assert (second.version, second.status) == ("1.1.0", Status.ACTIVE)
    assert ComponentVersion.objects.get(children=second).status == Status.RETIRED
    assert services.load_starters([Starter("a", "two")]) == []


def test_a_changed_starter_never_replaces_what_a_person_activated(developer: User) -> None:
    services.load_starters([Starter("a", "one")])
    own = services.publish("rule", "a", "mine", by=developer, status=Status.ACTIVE)
    (newer,) = services.load_starters([Starter("a", "two")])
    assert newer.status == Status.CANDIDATE
    assert list(selectors.active_versions("rule")) == [own]


def test_a_starter_that_a_person_retired_stays_retired(developer: User) -> None:
    (first,) = services.load_starters([Starter("a", "one")])
    services.retire(first, developer)
    services.load_starters([Starter("a", "one")])
    (newer,) = services.load_starters([Starter("a", "two")])
    assert newer.status == Status.CANDIDATE
    assert not selectors.active_versions("rule").exists()


def test_uses_are_counted(developer: User) -> None:
    version = publish(developer)
    for succeeded in (True, True, False):
        services.record_use(version.pk, succeeded)
    version.refresh_from_db()
    assert (version.uses, version.successes, version.failures) == (3, 2, 1)
    assert version.last_used_at is not None


def test_a_failed_embedding_is_null_and_filled_in_later(
    developer: User,
    word_vectors: WordVectors,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    word_vectors.broken = "no model here"
    with django_capture_on_commit_callbacks(execute=True):
        version = publish(developer)
    version.refresh_from_db()
    assert version.content_embedding is None
    assert version.applicability_embedding is None
    with pytest.raises(EmbeddingUnavailable):
        embedding.embed_missing()
    version.refresh_from_db()
    assert version.content_embedding is None

    word_vectors.broken = ""
    assert embedding.embed_missing() == 1
    version.refresh_from_db()
    vectors: list[list[float]] = [list(version.content_embedding or ()), list(version.applicability_embedding or ())]
    assert [sum(number**2 for number in vector) for vector in vectors] == pytest.approx([1, 1])
    assert embedding.embed_missing() == 0


def test_an_empty_text_is_never_embedded(developer: User, word_vectors: WordVectors) -> None:
    version = services.publish("rule", "a", "body", by=developer)
    assert embedding.embed_missing() == 1
    version.refresh_from_db()
    assert version.applicability_embedding is None
    assert embedding.embed_missing() == 0
    assert word_vectors.texts == ["body"]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_sentences_are_embedded(
    person: Person, word_vectors: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    from library.language import embeddings

    seen: list[bool] = []

    def watched(texts: list[str]) -> list[list[float]]:
        seen.append(connection.in_atomic_block)
        return word_vectors(texts)

    monkeypatch.setattr(embeddings, "embed", watched)
    developer = person("dev", Role.DEVELOPER)
    with transaction.atomic():
        publish(developer, status=Status.ACTIVE)
        assert seen == []
    search(task="tidy")
    assert seen == [False, False]
