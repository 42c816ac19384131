"""Semantic versions."""

import pytest

from library.components import versions


def test_the_first_version_is_one() -> None:
    assert versions.next_minor([]) == "1.0.0"


def test_the_next_version_follows_the_highest_by_number() -> None:
    assert versions.next_minor(["1.9.0", "1.10.3", "1.2.7"]) == "1.11.0"


@pytest.mark.parametrize("text", ["", "1", "1.2", "1.2.x", "v1.2.3", "1.2.3 "])
def test_anything_else_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        versions.parts(text)
