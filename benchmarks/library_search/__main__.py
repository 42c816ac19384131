"""Recall and time of the two-stage search among 100,000 components, then nDCG on real documentation."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.library_search import texts
from benchmarks.servers import database

if TYPE_CHECKING:
    from library.components.search import Filters

Vectors = NDArray[np.float32]
# Of the filters, so many percent of the components pass.
SHARES = (1, 10, 50)
TOP = 10
_SEED = 29
_BATCH = 512


def main() -> None:
    """Fill, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--components", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--docs", type=int, default=3_000)
    asked = parser.parse_args()
    cache = Path(os.environ.get("MINDX_DATA", ".mindx")).resolve() / "bench"
    with database():
        _scale(asked.components, asked.queries, cache)
        _quality(asked.docs, cache)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def embedded(said: Sequence[str], cache: Path) -> Vectors:
    """The vectors of these texts, kept beside the data: embedding a hundred thousand takes minutes."""
    from library.language import embeddings

    name = hashlib.sha256("\n".join([str(len(said)), *said]).encode()).hexdigest()[:16]
    kept = cache / f"vectors-{name}.npy"
    if kept.exists():
        return np.asarray(np.load(kept), dtype=np.float32)
    began = time.monotonic()
    rows = [vector for at in range(0, len(said), _BATCH) for vector in embeddings.embed(said[at : at + _BATCH])]
    found = np.asarray(rows, dtype=np.float32)
    cache.mkdir(parents=True, exist_ok=True)
    np.save(kept, found)
    say(f"embedded {len(said):,} texts in {time.monotonic() - began:.0f} s")
    return found


class Library:
    """The components as they are in the database and, for the exact answer, in memory."""

    def __init__(self, task: Vectors, content: Vectors, ids: NDArray[np.int64], groups: NDArray[np.int64]) -> None:
        self.task, self.content, self.ids, self.groups = task, content, ids, groups

    def exact(self, task: Vectors, content: Vectors, weight: float, passes: Any = True) -> list[int]:
        """The ids of the best ten by the same score, compared one by one."""
        total = weight * (self.task @ task) + (1 - weight) * (self.content @ content)
        return [int(self.ids[at]) for at in np.argsort(-np.where(passes, total, -np.inf))[:TOP]]


def _scale(components: int, queries: int, cache: Path) -> None:
    from library.components.search import WEIGHT

    said = texts.sentences()
    if len(said) < components + queries + 1:
        components = len(said) - queries - 1
    pool = random.Random(_SEED)  # noqa: S311  # the same draw each time
    asked = sorted(pool.sample(range(len(said)), queries + 1))
    held = set(asked)
    stored = [one for number, one in enumerate(said) if number not in held][: components + 1]
    vectors, wanted = embedded(stored, cache), embedded([said[at] for at in asked], cache)
    say(f"{components:,} components × two vectors of real sentences ({len(said):,} different ones in docstrings here)")
    library = _filled(stored, vectors)
    pairs = [(asked[at], asked[at + 1]) for at in range(queries)]
    by_text = {at: wanted[number] for number, at in enumerate(asked)}
    pairs_said = [((said[one], said[other]), (by_text[one], by_text[other])) for one, other in pairs]
    say(f"{'search':<44} recall@{TOP}   p50 ms   p95 ms")
    with _embedded_before([said[at] for at in asked], wanted):
        _interleaved(library, pairs_said, WEIGHT)
        for share in SHARES:
            for kind in ("domain", "tag"):
                _filtered(library, pairs_said, WEIGHT, share, kind)
        _two_clients(pairs_said)


def _filled(stored: Sequence[str], vectors: Vectors) -> Library:
    """Each sentence says when a component is of use, the next one in its file what it is: they belong together."""
    from django.db import connection

    from library.search import literal

    count = len(stored) - 1
    pool = random.Random(_SEED)  # noqa: S311  # the same draw each time
    groups = np.asarray([pool.randrange(100) for _ in range(count)])
    began = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_indexdef('version_vectors_hnsw'::regclass)")
        definition = cursor.fetchone()[0]
        cursor.execute("DROP INDEX version_vectors_hnsw")
        cursor.execute("SET maintenance_work_mem = '1GB'")
        copy: Any = cursor.cursor.copy
        with copy("COPY library_component (kind, name, description, domain, tags, created_at) FROM STDIN") as into:
            for at in range(count):
                group = int(groups[at])
                tags = [f"under{share}" for share in SHARES if group < share]
                domain = next((f"share{share}" for share in SHARES if group < share), "general")
                into.write_row(("tool", f"tool {at}", "", domain, tags, "2026-01-01"))
        cursor.execute("SELECT id FROM library_component WHERE name LIKE 'tool %' ORDER BY id")
        owners = [row[0] for row in cursor.fetchall()]
        columns = "component_id, version, body, changes, status, applicability_text, content_embedding,"
        columns += " applicability_embedding, origin, created_at, uses, successes, failures"
        with copy(f"COPY library_componentversion ({columns}) FROM STDIN") as into:
            for at, owner in enumerate(owners):
                content, task = literal(vectors[at + 1].tolist()), literal(vectors[at].tolist())
                body, use = stored[at + 1].replace("\0", ""), stored[at].replace("\0", "")
                row = (owner, "1.0.0", body, "", "active", use, content, task)
                into.write_row((*row, "person", "2026-01-01", 0, 0, 0))
        written = time.monotonic() - began
        began = time.monotonic()
        cursor.execute(definition)
        # What plain pgvector is asked by.
        column = "applicability_embedding vector_cosine_ops"
        cursor.execute(f"CREATE INDEX bench_plain ON library_componentversion USING hnsw ({column})")
        cursor.execute("ANALYZE library_component")
        cursor.execute("ANALYZE library_componentversion")
        cursor.execute("SELECT id FROM library_componentversion WHERE component_id = ANY(%s) ORDER BY id", [owners])
        ids = np.asarray([row[0] for row in cursor.fetchall()])
    say(f"written in {written:.0f} s, indexed in {time.monotonic() - began:.0f} s")
    return Library(vectors[:count], vectors[1 : count + 1], ids, groups)


@contextmanager
def _embedded_before(said: Sequence[str], vectors: Vectors) -> Iterator[None]:
    """What is asked was embedded beforehand: the network of sentences is not measured here."""
    from library.language import embeddings

    known = dict(zip(said, vectors.tolist(), strict=True))
    real = embeddings.embed
    embeddings.embed = lambda texts: [known[one] for one in texts]
    try:
        yield
    finally:
        embeddings.embed = real


Asked = Sequence[tuple[tuple[str, str], tuple[Vectors, Vectors]]]


def _ours(task: str, query: str, filters: Filters | None = None) -> list[int]:
    from library.components import search

    found = search.search(query, task, filters or search.Filters(), limit=TOP)
    return [one.version.pk for one in found.items]


def _plain(task: Vectors) -> list[int]:
    """What one HNSW index gives with pgvector's own settings: the nearest by task."""
    from django.db import connection

    from library.search import literal

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM library_componentversion WHERE status = 'active'"
            " ORDER BY applicability_embedding <=> %s::vector LIMIT %s",
            [literal(task.tolist()), TOP],
        )
        return [row[0] for row in cursor.fetchall()]


def _in_python(task: Vectors, content: Vectors, weight: float) -> list[int]:
    """All vectors are read and compared here, as a library without an index in its database does."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT id, applicability_embedding, content_embedding FROM library_componentversion")
        scored = []
        while rows := cursor.fetchmany(5_000):
            ids = [row[0] for row in rows]
            near = [np.stack([_numbers(row[at]) for row in rows]) for at in (1, 2)]
            total = weight * (near[0] @ task) + (1 - weight) * (near[1] @ content)
            scored += list(zip(total.tolist(), ids, strict=True))
    return [pk for _, pk in sorted(scored, reverse=True)[:TOP]]


def _numbers(value: Any) -> Vectors:
    if isinstance(value, str):
        return np.fromstring(value[1:-1], dtype=np.float32, sep=",")
    return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value, dtype=np.float32)


def _interleaved(library: Library, asked: Asked, weight: float) -> None:
    """Ours and plain pgvector in turn for each question; vectors in Python for a few, for each takes seconds."""
    rivals: dict[str, list[tuple[float, float]]] = {}
    for number, ((task, query), (task_vector, query_vector)) in enumerate(asked):
        right = set(library.exact(task_vector, query_vector, weight))
        runs: dict[str, Callable[[], list[int]]] = {
            "two-stage, one statement": partial(_ours, task, query),
            "plain pgvector, task only": partial(_plain, task_vector),
        }
        if number % (len(asked) // 3) == 0:
            runs["all vectors read into Python"] = partial(_in_python, task_vector, query_vector, weight)
        for name, run in runs.items():
            began = time.perf_counter()
            found = run()
            took = (time.perf_counter() - began) * 1_000
            rivals.setdefault(name, []).append((len(right & set(found)) / TOP, took))
    for name, measured in rivals.items():
        _line(f"{name} (n = {len(measured)})", measured)


def _filtered(library: Library, asked: Asked, weight: float, share: int, kind: str) -> None:
    from library.components.search import Filters

    # A domain is one of four, each with the components of its own share; a tag is on all below it.
    filters = Filters(domain=f"share{share}") if kind == "domain" else Filters(tags=(f"under{share}",))
    below = max((other for other in SHARES if other < share), default=0)
    passes = library.groups < share
    if kind == "domain":
        passes &= library.groups >= below
    measured = []
    for (task, query), (task_vector, query_vector) in asked:
        right = set(library.exact(task_vector, query_vector, weight, passes))
        began = time.perf_counter()
        found = _ours(task, query, filters)
        measured.append((len(right & set(found)) / TOP, (time.perf_counter() - began) * 1_000))
    passing = share - below if kind == "domain" else share
    _line(f"two-stage, {kind} that {passing} % pass", measured)


def _line(name: str, measured: Sequence[tuple[float, float]]) -> None:
    times = sorted(took for _, took in measured)
    p95 = times[min(len(times) - 1, math.ceil(0.95 * len(times)) - 1)]
    recall = statistics.fmean(recall for recall, _ in measured)
    say(f"{name:<44} {recall:>8.3f} {statistics.median(times):>8.1f} {p95:>8.1f}")


def _two_clients(asked: Asked) -> None:
    from django.db import connections

    times: list[tuple[float, float]] = []

    def client(part: Asked) -> None:
        for (task, query), _ in part:
            began = time.perf_counter()
            _ours(task, query)
            times.append((math.nan, (time.perf_counter() - began) * 1_000))
        connections.close_all()

    threads = [threading.Thread(target=client, args=(asked[at::2],)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _line("two-stage, two clients at once", times)


def _quality(count: int, cache: Path) -> None:
    """Of documented functions and classes, each summary is asked for: is its own function among the first ten?"""
    from library.components import search
    from library.components.search import Filters
    from library.models import Component, ComponentVersion

    found = sorted(texts.documented(), key=lambda doc: hashlib.sha256(doc.summary.encode()).digest())[:count]
    vectors = embedded([text for doc in found for text in (doc.summary, doc.details, doc.code)], cache)
    Component.objects.bulk_create(
        Component(kind="agent", name=f"{at} {doc.name}"[:120]) for at, doc in enumerate(found)
    )
    owners = list(Component.objects.filter(kind="agent").order_by("pk"))
    versions = ComponentVersion.objects.bulk_create(
        ComponentVersion(
            component=owner, version="1.0.0", body=doc.code, applicability_text=doc.details, status="active",
            content_embedding=vectors[3 * at + 2].tolist(), applicability_embedding=vectors[3 * at + 1].tolist(),
        )
        for at, (owner, doc) in enumerate(zip(owners, found, strict=True))
    )  # fmt: skip
    gains: dict[str, list[float]] = {"both": [], "task only": [], "content only": []}
    with _embedded_before([doc.summary for doc in found], vectors[::3]):
        for doc, version in zip(found, versions, strict=True):
            for name, asked in (
                ("both", (doc.summary, doc.summary)),
                ("task only", ("", doc.summary)),
                ("content only", (doc.summary, "")),
            ):
                hits = [one.version.pk for one in search.search(*asked, Filters(kind="agent"), limit=TOP).items]
                gains[name].append(1 / math.log2(hits.index(version.pk) + 2) if version.pk in hits else 0.0)
    say(f"\n{len(found):,} functions and classes of installed packages, each asked for by its summary")
    for name, gained in gains.items():
        say(f"nDCG@{TOP} {name:<14} {statistics.fmean(gained):.3f}")
    for name in ("task only", "content only"):
        low, high = _interval([one - other for one, other in zip(gains["both"], gains[name], strict=True)])
        say(f"both better than {name} by {low:.3f} to {high:.3f} (95 %)")


def _interval(differences: Sequence[float], rounds: int = 2_000) -> tuple[float, float]:
    """The bootstrap interval of the mean."""
    pool = np.random.default_rng(_SEED)
    values = np.asarray(differences)
    means = np.sort([pool.choice(values, len(values)).mean() for _ in range(rounds)])
    return float(means[int(0.025 * rounds)]), float(means[int(0.975 * rounds)])


if __name__ == "__main__":
    main()
