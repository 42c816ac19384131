"""Memory: recorded once, found by meaning, with the rights of the goal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from math import cos, sin

import pytest
from django.db import connection, transaction
from django.db.models import Value

from library import embedding
from library.errors import LibraryRefused
from library.memory import selectors, services
from library.models import Experience
from people.models import User
from people.roles import Role
from tests.library.vectors import WordVectors

Person = Callable[..., User]
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def owner(person: Person) -> User:
    return person("owner")


def remember(
    owner: User, goal: str, *, ref: str = "", outcome: str = "success", output: str = "", minute: int = 0
) -> Experience:
    return services.record(
        goal_ref=ref or goal[:64],
        owner=owner,
        primary_goal_description=goal,
        final_outcome=outcome,
        output_summary=output,
        timestamp=START + timedelta(minutes=minute),
        initiating_agent_id="mindx",
    )


def goals(found: list[selectors.Found]) -> list[str]:
    return [row.primary_goal_description for row, _ in found]


def test_the_same_goal_is_recorded_once(owner: User) -> None:
    first = remember(owner, "create a project", ref="7")
    again = remember(owner, "create a project, told differently", ref="7", outcome="failure")
    assert again == first
    assert Experience.objects.get().final_outcome == "success"


def test_an_unknown_outcome_is_refused(owner: User) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        remember(owner, "create a project", outcome="great")
    assert not Experience.objects.exists()


def test_the_nearest_goal_comes_first(owner: User, word_vectors: WordVectors) -> None:
    for goal in ("write a poem", "create a python project", "remove a python folder"):
        remember(owner, goal)
    embedding.embed_missing()
    found = selectors.search("python project", user=owner)
    assert goals(found)[:2] == ["create a python project", "remove a python folder"]
    similarities = [similarity for _, similarity in found]
    assert similarities == sorted(similarities, reverse=True)  # type: ignore[type-var]
    assert similarities[0] == pytest.approx(2 / (2 * 4) ** 0.5)


def test_what_came_of_a_goal_is_searched_too(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "do the usual", output="weather station built")
    remember(owner, "do something else", output="nothing")
    embedding.embed_missing()
    assert goals(selectors.search("weather station", user=owner))[0] == "do the usual"


@pytest.mark.parametrize("text", ["sub_task_description", "input_context_summary"])
def test_each_of_the_four_texts_is_searched(owner: User, word_vectors: WordVectors, text: str) -> None:
    remember(owner, "do the usual")
    services.record(
        goal_ref="other",
        owner=owner,
        primary_goal_description="do something else",
        final_outcome="failure",
        timestamp=START,
        initiating_agent_id="mindx",
        **{text: "weather station built"},
    )
    assert goals(selectors.search("weather station", user=owner)) == ["do something else"]
    embedding.embed_missing()
    assert goals(selectors.search("weather station", user=owner))[0] == "do something else"


def test_of_two_that_are_as_near_the_success_comes_first(owner: User, word_vectors: WordVectors) -> None:
    for outcome in ("success", "failure", "partial_success"):
        remember(owner, "weather station", ref=outcome, outcome=outcome)
    embedding.embed_missing()
    found = selectors.search("weather station", user=owner)
    assert [row.final_outcome for row, _ in found] == ["success", "partial_success", "failure"]
    assert [near for _, near in found] == pytest.approx([1.0] * 3), "what is shown is the likeness alone"


def test_recoveries_are_found_but_are_no_precedents_and_go_with_their_goal(
    owner: User, word_vectors: WordVectors
) -> None:
    whole = remember(owner, "weather station")
    part: dict[str, str] = {"part": "recovery 3", "kind": "recovery", "goal_ref": whole.goal_ref}
    again = services.record(
        owner=owner,
        primary_goal_description="weather station",
        final_outcome="success",
        timestamp=START,
        initiating_agent_id="mindx",
        **part,
    )
    embedding.embed_missing()
    assert {row for row, _ in selectors.search("weather", user=owner)} == {whole, again}
    assert [row for row, _ in selectors.nearest_to("weather station", user=owner)] == [whole]
    services.forget(whole, owner)
    assert not Experience.objects.exists()


def test_a_row_appears_once_although_two_of_its_texts_match(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "weather", output="weather")
    embedding.embed_missing()
    assert goals(selectors.search("weather", user=owner)) == ["weather"]


def test_other_peoples_experiences_are_not_found(owner: User, person: Person, word_vectors: WordVectors) -> None:
    remember(owner, "a secret project")
    remember(owner, "a secret not embedded yet", ref="later")
    Experience.objects.filter(goal_ref="a secret project").update(
        primary_goal_description_embedding=word_vectors(["a secret project"])[0]
    )
    outsider = person("outsider", Role.SUBMITTER, Role.DEVELOPER)
    assert selectors.search("secret", user=outsider) == []
    assert selectors.recent(user=outsider) == []
    assert selectors.nearest_to("a secret project", user=outsider) == []
    assert len(selectors.search("secret", user=owner)) == 2
    word_vectors.broken = "gone"
    assert selectors.search("secret", user=outsider) == []
    assert len(selectors.search("secret", user=owner)) == 2


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR, Role.ADMIN])
def test_reviewers_operators_and_admins_find_everything(
    owner: User, person: Person, word_vectors: WordVectors, role: Role
) -> None:
    remember(owner, "a secret project")
    embedding.embed_missing()
    assert len(selectors.search("secret", user=person("other", role))) == 1


def test_a_person_who_was_locked_out_finds_nothing(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "a project")
    owner.is_active = False
    assert selectors.recent(user=owner) == []


def crowded(crowd: User, vectors: list[list[float]]) -> None:
    """Fill the table with somebody else's rows, so that nothing but their index would be used for a search."""
    Experience.objects.bulk_create(
        Experience(
            goal_ref=f"crowd {number}",
            owner=crowd,
            primary_goal_description=f"one of many {number}",
            final_outcome="success",
            timestamp=START,
            initiating_agent_id="mindx",
            primary_goal_description_embedding=vector,
        )
        for number, vector in enumerate(vectors)
    )


def only_by_the_index() -> None:
    """A table as small as a test's would be scanned whole; the index must do the work, as it will at scale."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE library_experience")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("DROP INDEX experience_owner_time")


def test_somebody_with_few_of_many_rows_still_finds_theirs(
    owner: User, person: Person, word_vectors: WordVectors
) -> None:
    # All alike, and the owner's far from them: the index's graph may hold no way to it, and a scan gives up before.
    crowded(person("crowd"), word_vectors(["python project"] * 600))
    remember(owner, "unrelated python words")
    embedding.embed_missing()
    only_by_the_index()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL hnsw.max_scan_tuples = 1")
    assert goals(selectors.search("python project", user=owner)) == ["unrelated python words"]


def test_a_search_by_the_index_goes_on_until_rows_pass_the_filter(
    owner: User, person: Person, word_vectors: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "EXACT_UP_TO", 0)
    (start,) = word_vectors(["project"])
    (end,) = word_vectors(["weather"])

    def between(part: float) -> list[float]:
        return [cos(part) * a + sin(part) * b for a, b in zip(start, end, strict=True)]

    with connection.cursor() as cursor:
        # What other tests took back still stands in the index, and may cut its graph.
        cursor.execute("REINDEX INDEX experience_goal_hnsw")
    # A chain of rows from the query away, the owner's behind four hundred others.
    crowded(person("crowd"), [between(number / 400) for number in range(600)])
    remember(owner, "behind many")
    Experience.objects.filter(owner=owner).update(primary_goal_description_embedding=between(400.5 / 400))
    only_by_the_index()
    assert goals(selectors.search("project", user=owner)) == ["behind many"]


def test_pages_follow_each_other_without_gap_or_double(owner: User, word_vectors: WordVectors) -> None:
    for number in range(7):
        remember(owner, f"project {'and ' * (number // 2)}", ref=str(number))
    remember(owner, "the project that is not embedded yet", ref="late")
    Experience.objects.exclude(goal_ref="late").update()
    for row in Experience.objects.exclude(goal_ref="late"):
        (vector,) = word_vectors([row.primary_goal_description])
        Experience.objects.filter(pk=row.pk).update(primary_goal_description_embedding=vector)
    seen: list[selectors.Found] = []
    after = None
    while page := selectors.search("project", user=owner, limit=3, after=after):
        seen += page
        after = (page[-1][0].score, page[-1][0].pk)
    whole = selectors.search("project", user=owner, limit=50)
    assert seen == whole
    assert len({row.pk for row, _ in seen}) == 8
    # What waits for its vector has all the words: it comes after what means the same, before what means something else.
    at = next(number for number, (_, similarity) in enumerate(seen) if similarity is None)
    assert 0 < at < 7
    assert seen[at - 1][0].score > 0.5 > seen[at + 1][0].score


def test_without_a_sentence_model_words_find(owner: User, word_vectors: WordVectors) -> None:
    word_vectors.broken = "no model here"
    remember(owner, "create a Python project")
    remember(owner, "write a poem", output="a poem about a python and a project")
    remember(owner, "python alone")
    found = selectors.search("python PROJECT", user=owner)
    assert sorted(goals(found)) == ["create a Python project", "write a poem"]
    assert {similarity for _, similarity in found} == {None}


def test_words_that_mean_something_to_a_pattern_are_only_words(owner: User, word_vectors: WordVectors) -> None:
    word_vectors.broken = "no model here"
    remember(owner, "reach 100% of it")
    remember(owner, "reach 1000 of it")
    assert goals(selectors.search("100%", user=owner)) == ["reach 100% of it"]
    assert selectors.search("'; DROP TABLE library_experience; --", user=owner) == []
    assert selectors.search("\0 \0", user=owner) == []


def test_an_outcome_filters(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "project one")
    remember(owner, "project two", outcome="failure")
    embedding.embed_missing()
    assert goals(selectors.search("project", user=owner, outcome="failure")) == ["project two"]
    assert [row.primary_goal_description for row in selectors.recent(user=owner, outcome="success")] == ["project one"]


def test_the_newest_come_first_and_pages_follow(owner: User) -> None:
    for minute in (3, 1, 2, 2, 0):
        remember(owner, f"minute {minute}", ref=f"{minute} {Experience.objects.count()}", minute=minute)
    first = selectors.recent(user=owner, limit=2)
    rest = selectors.recent(user=owner, limit=5, after=(first[-1].timestamp, first[-1].pk))
    assert [row.timestamp.minute for row in first + rest] == [3, 2, 2, 1, 0]


def test_a_goal_is_not_its_own_precedent(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "create a project", ref="7")
    remember(owner, "create a project", ref="6")
    embedding.embed_missing()
    found = selectors.nearest_to("create a project", user=owner, without_goal="7")
    assert [row.goal_ref for row, _ in found] == ["6"]


def test_what_is_merely_the_least_far_is_no_precedent(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "write a poem")
    embedding.embed_missing()
    assert selectors.nearest_to("python project", user=owner) == []
    assert goals(selectors.search("python project", user=owner)) == ["write a poem"]


def test_the_character_zero_that_a_program_printed_can_be_remembered(owner: User) -> None:
    remember(owner, "print it", output="a\0b")
    assert Experience.objects.get().output_summary == "a\u2400b"


def test_the_owner_and_an_admin_may_forget(owner: User, person: Person) -> None:
    services.forget(remember(owner, "one"), owner)
    services.forget(remember(owner, "two"), person("boss", Role.ADMIN))
    assert not Experience.objects.exists()


@pytest.mark.parametrize("role", [Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER])
def test_nobody_else_may_forget(owner: User, person: Person, role: Role) -> None:
    experience = remember(owner, "one")
    with pytest.raises(LibraryRefused):
        services.forget(experience, person("other", role))
    assert Experience.objects.exists()


def test_a_failed_embedding_is_null_never_zeros_and_is_retried(
    owner: User,
    word_vectors: WordVectors,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    word_vectors.broken = "no model here"
    with django_capture_on_commit_callbacks(execute=True):
        experience = remember(owner, "create a project", output="done")
    experience.refresh_from_db()
    assert experience.primary_goal_description_embedding is None
    word_vectors.broken = ""
    assert embedding.embed_missing() == 1
    experience.refresh_from_db()
    assert any(experience.primary_goal_description_embedding or ())
    assert any(experience.output_summary_embedding or ())


@pytest.fixture
def nobody_waits() -> None:
    """Other tests' experiences must not be among those that come together."""
    embedding._taken()


def not_embedded() -> list[str]:
    rows = Experience.objects.filter(primary_goal_description_embedding=None).order_by("pk")
    return list(rows.values_list("primary_goal_description", flat=True))


def test_experiences_wait_for_each_other_and_are_found_by_their_words_meanwhile(
    owner: User,
    word_vectors: WordVectors,
    nobody_waits: None,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        for number in range(embedding.TOGETHER - 1):
            remember(owner, f"tidy folder {number}")
    assert len(not_embedded()) == embedding.TOGETHER - 1
    assert [similarity for _, similarity in selectors.search("tidy", user=owner)] == [None] * (embedding.TOGETHER - 1)
    word_vectors.texts.clear()
    with django_capture_on_commit_callbacks(execute=True):
        remember(owner, "tidy folder again")
    assert not_embedded() == []
    assert len(word_vectors.texts) == embedding.TOGETHER, "each text once, and all at once"
    assert None not in [similarity for _, similarity in selectors.search("tidy", user=owner)]


def test_a_process_with_nothing_else_to_do_embeds_those_that_wait(
    owner: User,
    word_vectors: WordVectors,
    nobody_waits: None,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        remember(owner, "tidy a folder")
    embedding.embed_waiting()
    assert not_embedded() == []
    word_vectors.broken = "asked again"
    embedding.embed_waiting()


def test_what_a_process_left_is_embedded_by_the_sweep(
    owner: User,
    word_vectors: WordVectors,
    nobody_waits: None,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
) -> None:
    word_vectors.broken = "no model here"
    with django_capture_on_commit_callbacks(execute=True):
        remember(owner, "tidy a folder")
    embedding.embed_waiting()
    assert not_embedded() == ["tidy a folder"]
    word_vectors.broken = ""
    embedding.embed_missing()
    assert not_embedded() == []


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_waits_for_nothing(owner: User, nobody_waits: None) -> None:
    with transaction.atomic():
        remember(owner, "tidy a folder")
        transaction.set_rollback(True)
    assert embedding._taken() == []


@pytest.mark.django_db
def test_what_waits_for_its_vectors_is_found_and_counted_without_reading_the_table() -> None:
    swept = embedding._missing(Experience).order_by("-pk")[: embedding.SWEEP_ROWS]
    counted = embedding._missing(Experience).order_by().values(one=Value(1))[:100]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    for asked in (swept, counted):
        assert "experience_lacks_vectors" in asked.explain()


def test_a_text_that_several_rows_have_is_embedded_once(owner: User, word_vectors: WordVectors) -> None:
    for ref in ("1", "2", "3"):
        remember(owner, "tidy a folder", ref=ref, output="tidy a folder")
    embedding.embed_missing()
    assert word_vectors.texts == ["tidy a folder"]
    assert not Experience.objects.filter(output_summary_embedding=None).exists()


def test_what_is_embedded_already_is_not_written_again(owner: User, word_vectors: WordVectors) -> None:
    read_before = remember(owner, "tidy a folder")
    embedding.embed_missing()
    Experience.objects.update(primary_goal_description_embedding=word_vectors(["quite another"])[0])
    kept = Experience.objects.get()
    assert embedding.fill(Experience, [read_before]) == 0
    kept.refresh_from_db()
    assert list(kept.primary_goal_description_embedding or ()) == pytest.approx(word_vectors(["quite another"])[0])


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_process_fills_is_passed_over(owner: User, word_vectors: WordVectors) -> None:
    held, free = remember(owner, "tidy a folder"), remember(owner, "tidy a shelf")
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '5s'")
    other = connection.copy()
    try:
        with transaction.atomic(), other.cursor() as cursor:
            other.set_autocommit(False)
            cursor.execute("SELECT FROM library_experience WHERE id = %s FOR NO KEY UPDATE", [held.pk])
            embedding.embed_missing()
            other.rollback()
    finally:
        other.close()
    assert not_embedded() == ["tidy a folder"]
    embedding.embed_missing()
    assert not_embedded() == []
    assert free.pk


def test_the_sweep_survives_a_missing_model(owner: User, word_vectors: WordVectors) -> None:
    from library.upkeep import embed_missing

    word_vectors.broken = "no model here"
    remember(owner, "create a project")
    embed_missing()
    word_vectors.broken = ""
    embed_missing()
    assert Experience.objects.get().primary_goal_description_embedding is not None


def test_a_python_project_is_found_by_the_real_model(owner: User) -> None:
    remember(owner, "Create a Python project named api_client with a virtual environment")
    remember(owner, "Write a note about the weather")
    embedding.embed_missing()
    ((best, similarity), (_, other)) = selectors.search("python project", user=owner)
    assert "api_client" in best.primary_goal_description
    assert similarity is not None
    assert other is not None
    assert similarity > other + 0.15


@pytest.mark.parametrize("exact_up_to", [5_000, 0], ids=["few rows", "by the index"])
def test_what_is_found_is_as_the_table_has_it(
    owner: User, word_vectors: WordVectors, monkeypatch: pytest.MonkeyPatch, exact_up_to: int
) -> None:
    monkeypatch.setattr(selectors, "EXACT_UP_TO", exact_up_to)
    stored = remember(owner, "create a python project", output="done %(s)s 100 %")
    stored.feedback_signals, stored.tags, stored.workflow_id = {"says": [1, {"ü": None}]}, ["a", "b c"], "12"
    stored.save()
    embedding.embed_missing()
    for only in ((), ("workflow_id", "goal_ref", "output_summary")):
        ((found, similarity),) = selectors.search("python project", user=owner, only=only)
        assert similarity is not None
        held = {name: found.__dict__[name] for name in selectors._SHOWN if name in found.__dict__}
        assert held == {name: getattr(stored, name) for name in (held if only else selectors._SHOWN)}
        assert set(held) == ({"id", *only} if only else set(selectors._SHOWN))
        assert found == stored
        assert found.timestamp == stored.timestamp, "what was left out is read when somebody asks for it"


def test_a_search_is_prepared_once_where_every_row_is_compared(owner: User, word_vectors: WordVectors) -> None:
    remember(owner, "create a python project")
    embedding.embed_missing()
    selectors.search("python project", user=owner)

    def prepared() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%library_experience%%'")
            return int(cursor.fetchone()[0])

    before = prepared()
    assert before
    selectors.search("weather station", user=owner)
    assert prepared() == before
