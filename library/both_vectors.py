"""Both vectors of a version side by side, so that one index ranks by any weighing of the two.

The inner product of [applicability, content] with [w x task, (1 - w) x query] is w x (applicability · task)
+ (1 - w) x (content · query): the score of a search, whatever its weight. Two indexes would each offer their own
nearest, and miss what is fairly near to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

from django.db.models import Func
from pgvector.django import HalfVectorField

DIMENSIONS = 384
# A vector that is not there counts nothing, like a task or a query that is not asked for.
_NONE = f"array_fill(0::real, ARRAY[{DIMENSIONS}])::vector"


def sql(applicability: str, content: str) -> str:
    """The expression that the index is built on, with the names of its two columns. Half precision: as large as one
    vector, and the candidates are compared in full precision afterwards.
    """
    halves = (f"l2_normalize(coalesce({column}, {_NONE}))" for column in (applicability, content))
    return f"(({' || '.join(halves)})::halfvec({2 * DIMENSIONS}))"


class BothVectors(Func):
    """The same for Django. A migration builds the index with it, so another expression needs another migration."""

    output_field = HalfVectorField(dimensions=2 * DIMENSIONS)

    def as_sql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:  # type: ignore[override]
        """`sql` over the two columns."""
        compiled = [compiler.compile(each) for each in self.get_source_expressions()]
        return sql(*(text for text, _ in compiled)), [value for _, values in compiled for value in values]


def question(task: Sequence[float] | None, query: Sequence[float] | None, weight: float) -> list[float]:
    """What the expression is compared with. `weight`: how much the task counts beside the query, 0 to 1."""
    return [*_weighed(task, weight), *_weighed(query, 1.0 - weight)]


def _weighed(vector: Sequence[float] | None, weight: float) -> list[float]:
    if vector is None:
        return [0.0] * DIMENSIONS
    length = hypot(*vector) or 1.0
    return [weight * number / length for number in vector]
