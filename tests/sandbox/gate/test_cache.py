"""Package files that are kept."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.gate import cache
from sandbox.gate.cache import WrongContent, find, keep, prune


async def _blocks(content: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(content), 3):
        yield content[at : at + 3]


def _keep(place: Path, content: bytes) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    with asyncio.run(keep(place, sha256, _blocks(content))) as file:
        assert file.read() == content
    return sha256


def test_what_was_kept_is_found(tmp_path: Path) -> None:
    sha256 = _keep(tmp_path, b"content")
    found = asyncio.run(find(tmp_path, sha256))
    assert found is not None
    with found:
        assert found.read() == b"content"
    assert asyncio.run(find(tmp_path, "0" * 64)) is None


def test_what_came_wrong_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(WrongContent):
        asyncio.run(keep(tmp_path, "0" * 64, _blocks(b"content")))
    assert list(tmp_path.iterdir()) == []


def test_what_was_damaged_is_removed(tmp_path: Path) -> None:
    sha256 = _keep(tmp_path, b"content")
    (tmp_path / sha256).write_bytes(b"damaged")
    assert asyncio.run(find(tmp_path, sha256)) is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    kept = [_keep(tmp_path, bytes([number]) * 100) for number in range(3)]
    for number, sha256 in enumerate(kept):
        os.utime(tmp_path / sha256, (number, number))
    found = asyncio.run(find(tmp_path, kept[0]))  # used just now
    assert found is not None
    found.close()
    prune(tmp_path, 200)
    assert {each.name for each in tmp_path.iterdir()} == {kept[0], kept[2]}


def test_what_never_came_whole_goes_after_a_while(tmp_path: Path) -> None:
    old, new = tmp_path / f"{cache._COMING}old", tmp_path / f"{cache._COMING}new"
    for each in (old, new):
        each.write_bytes(b"x")
    os.utime(old, (1, 1))
    prune(tmp_path)
    assert list(tmp_path.iterdir()) == [new]
