"""What stands in for the network answers as the network does, and only for what ships."""

from __future__ import annotations

from typing import Any

from tests.embedded import EmbeddedOnce, shipped


def test_what_ships_is_asked_of_the_network_once_and_everything_else_each_time() -> None:
    asked: list[list[str]] = []

    def network(_: Any, texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return [[float(len(text))] for text in texts]

    ours, *_ = sorted(shipped())
    embed = EmbeddedOnce(network)
    right = [[float(len(text))] for text in (ours, "a person's", ours)]
    for _ in range(2):
        answers = embed(None, [ours, "a person's", ours])
        assert answers == right
        answers[0].append(0.0)  # nobody can change what the next one is told
    assert asked == [[ours, "a person's", ours], ["a person's"]]
