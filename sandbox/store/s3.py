"""Objects in a bucket of S3, or of a compatible server."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar

from sandbox.store.objects import Stored, StoreUnavailable

_BLOCK_BYTES = 1 << 20
_MISSING = {"404", "NoSuchKey", "NotFound"}
# As many as `sandbox.store.remote` sends at the same time.
CONNECTIONS = 8
T = TypeVar("T")


@dataclass(frozen=True)
class Patience:
    """Time-outs in seconds for connecting and for each answer, and how often a request is tried, with back-off."""

    connect_s: float = 3.0
    answer_s: float = 30.0
    tries: int = 5


class S3:
    """A prefix of a bucket. Credentials come from the environment, as boto3 documents; none is ever in an address.

    A client is made at the first request and belongs to the process that made it: workers fork.
    """

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        endpoint: str = "",
        region: str = "",
        patience: Patience = Patience(),
    ) -> None:
        self.address = f"s3://{bucket}/{prefix}" + (f" at {endpoint}" if endpoint else "")
        self._bucket, self._prefix = bucket, f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._endpoint, self._region, self._patience = endpoint, region, patience
        self._made: tuple[int, Any] = (0, None)

    def put(self, name: str, source: BinaryIO) -> None:
        """One request for the whole object, so an interrupted one leaves nothing; the server checks the bytes."""
        digest, size = hashlib.md5(usedforsecurity=False), 0
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            size += len(block)
        source.seek(0)
        check = base64.b64encode(digest.digest()).decode()
        self._ask(
            lambda: self._client.put_object(
                Bucket=self._bucket, Key=self._prefix + name, Body=source, ContentLength=size, ContentMD5=check
            )
        )

    def get(self, name: str, target: BinaryIO) -> float:
        def taken() -> float:
            answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
            target.seek(0)
            target.truncate()
            with closing(answer["Body"]) as body:
                for block in body.iter_chunks(_BLOCK_BYTES):
                    target.write(block)
            return float(answer["LastModified"].timestamp())

        found = self._ask(taken, missing=None)
        if found is None:
            raise KeyError(name)
        return found

    def find(self, name: str) -> Stored | None:
        answer = self._ask(lambda: self._client.head_object(Bucket=self._bucket, Key=self._prefix + name), missing=None)
        return None if answer is None else Stored(name, answer["ContentLength"], answer["LastModified"].timestamp())

    def listed(self, prefix: str) -> Iterator[Stored]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix + prefix
        )
        each = iter(pages)
        while (page := self._ask(lambda: next(each, None))) is not None:
            for one in page.get("Contents", ()):
                yield Stored(one["Key"].removeprefix(self._prefix), one["Size"], one["LastModified"].timestamp())

    def remove(self, name: str) -> None:
        self._ask(lambda: self._client.delete_object(Bucket=self._bucket, Key=self._prefix + name), missing=None)

    @property
    def _client(self) -> Any:
        if self._made[0] != os.getpid():
            # Loading it takes a third of a second and thirty megabytes, so only installations with a bucket do.
            import boto3
            from botocore.config import Config

            client = boto3.session.Session().client(
                "s3",
                endpoint_url=self._endpoint or None,
                region_name=self._region or None,
                config=Config(
                    connect_timeout=self._patience.connect_s,
                    read_timeout=self._patience.answer_s,
                    retries={"mode": "standard", "total_max_attempts": self._patience.tries},
                    max_pool_connections=CONNECTIONS,
                    s3={"addressing_style": "path" if self._endpoint else "auto"},
                    # Not every server supports Amazon's newer checksums; all support Content-MD5.
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                ),
            )
            self._made = (os.getpid(), client)
        return self._made[1]

    def _ask(self, request: Callable[[], T], missing: Any = ...) -> T:
        """What the server answers; `missing` for an object that is not there. Raises StoreUnavailable."""
        from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
        from urllib3.exceptions import HTTPError

        try:
            return request()
        except ClientError as error:
            said = error.response.get("Error", {})
            if missing is None and said.get("Code") in _MISSING:
                return None  # type: ignore[return-value]  # who asks for it says so
            raise StoreUnavailable(
                f"the shared snapshot store {self.address} refuses: {said.get('Code')} {said.get('Message')}"
            ) from error
        except (BotoCoreError, HTTPClientError, HTTPError, OSError) as error:
            raise StoreUnavailable(
                f"the shared snapshot store {self.address} does not answer: {type(error).__name__}; see whether this"
                " machine reaches it (`manage.py doctor`)"
            ) from error
