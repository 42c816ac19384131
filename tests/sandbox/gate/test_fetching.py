"""Asking the operator's index: only over connections that prove whose they are, and only hosts that it named."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.gate import index_address, outside
from sandbox.gate.fetching import Fetcher, NotFetched
from sandbox.gate.index_address import IndexAddress, Origin, find
from tests.certificates import of_localhost
from tests.sandbox.gate.conftest import Web, serving


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of `localhost` that nobody has signed, with its key."""
    path = tmp_path / "both.pem"
    path.write_bytes(b"".join(of_localhost()))
    return path


@pytest.fixture
def encrypted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    monkeypatch.setattr(index_address, "_pip_files", lambda environment: [])
    with serving() as web:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        web.server.socket = context.wrap_socket(web.server.socket, server_side=True)
        web.page("/simple/part/", b"page")
        yield web


async def _fetched(fetcher: Fetcher, url: str) -> bytes:
    async with fetcher.get(url) as answer:
        return await answer.whole(1 << 20)


def test_a_server_that_does_not_prove_to_be_the_index_is_told_nothing(encrypted: Web, certificate: Path) -> None:
    url = f"https://user:hunter2@localhost:{encrypted.port}/simple/"
    page = f"https://localhost:{encrypted.port}/simple/part/"
    with pytest.raises(NotFetched, match="localhost cannot be reached"):
        asyncio.run(_fetched(Fetcher(find({"MINDX_PACKAGE_INDEX": url})), page))
    assert encrypted.asked == []
    trusting = Fetcher(find({"MINDX_PACKAGE_INDEX": url, "PIP_CERT": str(certificate)}))
    assert asyncio.run(_fetched(trusting, page)) == b"page"


def test_a_password_is_told_to_the_index_alone(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as other:
        address = IndexAddress(f"{web.url}/simple/", Origin("http", "127.0.0.1", web.port), "Basic x")
        monkeypatch.setattr(IndexAddress, "lets", lambda *_: True)
        web.page("/simple/part/", b"", status=302, Location=f"{other.url}/part")
        other.page("/part", b"page")
        assert asyncio.run(_fetched(Fetcher(address), address.url + "part/")) == b"page"
        assert web.asked[0][2]["authorization"] == "Basic x"
        assert "authorization" not in other.asked[0][2]


def test_a_page_of_a_public_index_leads_to_no_inner_host(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"index.example": "8.8.8.8", "files.example": "10.0.0.1"}
    monkeypatch.setattr(outside, "look_up", lambda name: [names[name]])
    fetcher = Fetcher(IndexAddress("https://index.example/", Origin("https", "index.example", 443)))
    fetcher.name("https://files.example/part.whl")
    with pytest.raises(NotFetched, match=r"10\.0\.0\.1, which is no public address") as refused:
        asyncio.run(_fetched(fetcher, "https://files.example/part.whl"))
    assert refused.value.status == 403


def test_a_host_that_the_index_did_not_name_is_not_asked() -> None:
    fetcher = Fetcher(IndexAddress("https://index.example/", Origin("https", "index.example", 443)))
    with pytest.raises(NotFetched, match="no host that the package index names"):
        asyncio.run(_fetched(fetcher, "https://files.example/part.whl"))
    with pytest.raises(ValueError, match="not encrypted"):
        fetcher.name("http://files.example/part.whl")


def test_an_answer_that_is_cut_off_or_too_long_is_none(web: Web) -> None:
    fetcher = Fetcher(IndexAddress(f"{web.url}/", Origin("http", "127.0.0.1", web.port)))
    web.page("/long", b"x" * (2 << 20))
    with pytest.raises(NotFetched, match="longer than"):
        asyncio.run(_fetched(fetcher, f"{web.url}/long"))
    web.pages["/cut"] = (200, "text/plain", b"x", {"Content-Length": "5", "Connection": "close"})
    with pytest.raises(NotFetched, match="incomplete"):
        asyncio.run(_fetched(fetcher, f"{web.url}/cut"))
