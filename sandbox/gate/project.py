"""A project's page of a package index: read in either format, and written with our own addresses. Pure.

The forms are those of PEP 503 (HTML) and PEP 691 (JSON), with the metadata files of PEP 658 and PEP 714.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin

JSON_FORM = "application/vnd.pypi.simple.v1+json"
HTML_FORM = "text/html"
ASKED_FORMS = f"{JSON_FORM}, application/vnd.pypi.simple.v1+html;q=0.2, {HTML_FORM};q=0.1"
METADATA = ".metadata"
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+!-]{0,250}\Z")
_PROJECT = re.compile(r"[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?\Z", re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


class PageRefused(ValueError):
    """The index did not send a valid page of a project."""


@dataclass(frozen=True)
class File:
    """A file that an index names. `yanked` is the reason ("" for none given), None for one that is not."""

    name: str
    url: str
    sha256: str
    requires_python: str | None = None
    yanked: str | None = None
    metadata_sha256: str | None = None

    @property
    def place(self) -> str:
        """Where the jail finds it."""
        return f"/files/{self.sha256}/{quote(self.name)}"


def normal(name: str) -> str | None:
    """A project's normalised name, None for an invalid one."""
    return re.sub(r"[-_.]+", "-", name).lower() if _PROJECT.match(name) else None


def read(content: bytes, content_type: str, url: str) -> list[File]:
    """The files of a page that came from `url`. One without a SHA-256 is left out: it could not be verified.

    Raises PageRefused.
    """
    try:
        text = content.decode("utf-8")
        form = content_type.partition(";")[0].strip().lower()
        found = _from_json(text, url) if form.endswith("json") else _from_html(text, url)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise PageRefused("the index sent a page that cannot be read") from error
    return [file for file in found if _FILE_NAME.match(file.name) and _SHA256.match(file.sha256)]


def _from_json(text: str, url: str) -> list[File]:
    return [
        File(
            name=str(each["filename"]),
            url=urljoin(url, str(each["url"])),
            sha256=str((each.get("hashes") or {}).get("sha256", "")).lower(),
            requires_python=each.get("requires-python"),
            yanked=_yanked(each.get("yanked")),
            metadata_sha256=_metadata(each.get("core-metadata", each.get("dist-info-metadata"))),
        )
        for each in json.loads(text).get("files") or []
        if isinstance(each, dict) and "filename" in each and "url" in each
    ]


def _yanked(said: object) -> str | None:
    if not said:
        return None
    return said if isinstance(said, str) else ""


def _metadata(said: object) -> str | None:
    """The hash of a metadata file; a file without one is left out, because it could not be verified."""
    found = str(said.get("sha256", "")).lower() if isinstance(said, dict) else ""
    return found if _SHA256.match(found) else None


def _from_html(text: str, url: str) -> list[File]:
    page = _Page(url)
    page.feed(text)
    page.close()
    return page.files


class _Page(HTMLParser):
    """Collects the links of a page."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.files: list[File] = []
        self._base = url

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        href = told.get("href")
        if tag == "base" and href:
            self._base = urljoin(self._base, href)
        if tag != "a" or not href:
            return
        address, fragment = urldefrag(urljoin(self._base, href))
        metadata = told.get("data-core-metadata") or told.get("data-dist-info-metadata") or ""
        self.files.append(
            File(
                name=unquote(address.partition("?")[0].rpartition("/")[2]),
                url=address,
                sha256=_hash(fragment),
                requires_python=told.get("data-requires-python"),
                yanked=(told["data-yanked"] or "") if "data-yanked" in told else None,
                metadata_sha256=_hash(metadata) or None,
            )
        )


def _hash(text: str) -> str:
    found = text.removeprefix("sha256=").lower()
    return found if text.startswith("sha256=") and _SHA256.match(found) else ""


def as_json(name: str, files: Sequence[File]) -> bytes:
    return json.dumps({"meta": {"api-version": "1.0"}, "name": name, "files": [_told(file) for file in files]}).encode()


def _told(file: File) -> dict[str, Any]:
    told: dict[str, Any] = {"filename": file.name, "url": file.place, "hashes": {"sha256": file.sha256}}
    if file.requires_python is not None:
        told["requires-python"] = str(file.requires_python)
    if file.yanked is not None:
        told["yanked"] = file.yanked or True
    if file.metadata_sha256 is not None:
        told["core-metadata"] = told["dist-info-metadata"] = {"sha256": file.metadata_sha256}
    return told


def as_html(name: str, files: Sequence[File]) -> bytes:
    links = "\n".join(f"<a{_attributes(file)}>{escape(file.name)}</a><br>" for file in files)
    head = '<meta name="pypi:repository-version" content="1.0">'
    return (
        f"<!DOCTYPE html><html><head>{head}<title>{escape(name)}</title></head><body>\n{links}\n</body></html>".encode()
    )


def _attributes(file: File) -> str:
    told = {"href": f"{file.place}#sha256={file.sha256}"}
    if file.requires_python is not None:
        told["data-requires-python"] = str(file.requires_python)
    if file.yanked is not None:
        told["data-yanked"] = file.yanked
    if file.metadata_sha256 is not None:
        told["data-core-metadata"] = told["data-dist-info-metadata"] = f"sha256={file.metadata_sha256}"
    return "".join(f' {name}="{escape(value)}"' for name, value in told.items())
