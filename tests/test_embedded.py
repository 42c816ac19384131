"""What stands in for the network answers as the network does, and only for what ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.embedded import EmbeddedOnce, shipped
from tests.prepared import Prepared


def test_what_ships_is_asked_of_the_network_once_in_a_run_and_everything_else_each_time(tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def network(_: Any, texts: list[str]) -> list[list[float]]:
        asked.append(texts)
        return [[float(len(text))] for text in texts]

    ours, *_ = sorted(shipped())
    right = [[float(len(text))] for text in (ours, "a person's", ours)]
    for _ in range(2):  # two processes
        embed = EmbeddedOnce(network, lambda tell: Prepared(tmp_path / "run").told("shipped", tell))
        assert embed(None, ["a person's"]) == right[1:2]
        for _ in range(2):
            answers = embed(None, [ours, "a person's", ours])
            assert answers == right
            answers[0].append(0.0)  # nobody can change what the next one is told
    theirs = ["a person's"]
    assert asked == [theirs, sorted(shipped()), theirs, theirs, theirs, theirs, theirs]
