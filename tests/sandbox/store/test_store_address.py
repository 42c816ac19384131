"""`MINDX_STORE_URL` as operators write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.store.store_address import BadAddress, Bucket, parse


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/mnt/mindx", Path("/mnt/mindx")),
        ("file:///mnt/my%20disk", Path("/mnt/my disk")),
        ("s3://snapshots", Bucket("snapshots")),
        ("s3://snapshots/a/b/?region=eu-1", Bucket("snapshots", "a/b", "", "eu-1")),
        ("s3://s/p?endpoint=http://10.0.0.1:9000/", Bucket("s", "p", "http://10.0.0.1:9000")),
    ],
)
def test_a_place_is_read(text: str, place: Path | Bucket) -> None:
    assert parse(text) == place


@pytest.mark.parametrize(
    "text",
    [
        "mnt/mindx",
        "file://host/mnt",
        "http://bucket",
        "s3:///prefix",
        "s3://b?endpoint=ftp://x",
        "s3://b?endpoint=https://key:hidden-word@x",
        "s3://b?key=hidden-word",
        "s3://key:hidden-word@bucket",
        "s3://b#x",
    ],
)
def test_anything_else_is_refused_and_no_secret_repeated(text: str) -> None:
    with pytest.raises(BadAddress) as told:
        parse(text)
    assert "hidden-word" not in str(told.value)
