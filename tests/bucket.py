"""A real S3 server on the loopback (moto's), with a bucket of its own for each test that asks."""

from __future__ import annotations

import functools
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

KEYS = {
    "AWS_ACCESS_KEY_ID": "a-key-for-tests",
    "AWS_SECRET_ACCESS_KEY": "a-secret-for-tests-only",
    "AWS_DEFAULT_REGION": "eu-central-1",
}


@dataclass
class OwnBucket:
    """A bucket: its server's address, its name, and a client that looks at it past mindX."""

    endpoint: str
    name: str
    client: Any

    @property
    def url(self) -> str:
        """As `MINDX_STORE_URL` has it."""
        return f"s3://{self.name}/mindx?endpoint={self.endpoint}"

    def names(self, prefix: str = "") -> list[str]:
        """The names of all objects, without our prefix."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=f"mindx/{prefix}")
        return [one["Key"].removeprefix("mindx/") for page in pages for one in page.get("Contents", ())]


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a running S3 server."""
    # They take a second, and most tests never ask.
    from botocore.loaders import JSONFileLoader
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        # Each client reads megabytes about Amazon's services again, and only reads them.
        read_once = functools.cache(JSONFileLoader().load_file)
        patch.setattr(JSONFileLoader, "load_file", lambda _, path: read_once(path))
        yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> OwnBucket:
    """An empty bucket; the environment has the keys for it."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if name.startswith("AWS_") and name not in KEYS]:
        monkeypatch.delenv(name)
    import boto3

    client = boto3.client("s3", endpoint_url=s3_server)
    name = f"b{uuid.uuid4().hex}"
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    return OwnBucket(s3_server, name, client)
