"""The address of the snapshot store, as an operator writes it: a folder, or a bucket. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

FORM = "MINDX_STORE_URL must look like /mnt/mindx, file:///mnt/mindx or s3://bucket/prefix?endpoint=https://host"


class BadAddress(ValueError):
    """The address is not valid; the message shows the format, and never repeats the address."""


@dataclass(frozen=True)
class Bucket:
    """A prefix of a bucket. `endpoint` is empty for Amazon's own."""

    name: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""


def parse(text: str) -> Path | Bucket:
    """The folder or the bucket. Raises BadAddress, also for an address with a user or a password in it."""
    parts = urlsplit(text)
    if parts.scheme in {"", "file"} and not parts.netloc and not parts.query and parts.path.startswith("/"):
        return Path(unquote(parts.path))
    if parts.scheme != "s3" or not parts.hostname or parts.fragment:
        raise BadAddress(FORM)
    if parts.username or parts.password:
        raise BadAddress("MINDX_STORE_URL holds no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
    asked = parse_qs(parts.query, keep_blank_values=True)
    if set(asked) - {"endpoint", "region"} or any(len(values) != 1 for values in asked.values()):
        raise BadAddress(FORM)
    endpoint = asked.get("endpoint", [""])[0].rstrip("/")
    where = urlsplit(endpoint)
    if endpoint and (where.scheme not in {"http", "https"} or not where.hostname or where.username):
        raise BadAddress(FORM)
    return Bucket(parts.netloc, unquote(parts.path.strip("/")), endpoint, asked.get("region", [""])[0])
