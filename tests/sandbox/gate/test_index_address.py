"""Which package index is asked, and what of its address may be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.gate import index_address
from sandbox.gate.index_address import IndexRefused, Origin, find


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None of this machine's own."""
    monkeypatch.setattr(index_address, "_pip_files", lambda environment: [tmp_path / "pip.conf"])


def test_without_any_setting_it_is_pypi() -> None:
    assert find({}).url == "https://pypi.org/simple/"


def test_our_own_setting_wins_over_pips_environment_and_that_over_its_files(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://file.example/simple\ncert = /ca.pem\n")
    assert find({}).url == "https://file.example/simple/"
    assert find({}).certificates == "/ca.pem"
    assert find({"PIP_INDEX_URL": "https://pip.example/s/"}).url == "https://pip.example/s/"
    both = {"PIP_INDEX_URL": "https://pip.example/s/", "MINDX_PACKAGE_INDEX": "https://own.example/i"}
    assert find(both).url == "https://own.example/i/"


def test_a_password_is_kept_apart_and_never_shown() -> None:
    found = find({"MINDX_PACKAGE_INDEX": "https://us%40er:hunter2@own.example:8443/simple/"})
    assert found.url == "https://own.example:8443/simple/"
    assert found.origin == Origin("https", "own.example", 8443)
    assert found.authorization == "Basic dXNAZXI6aHVudGVyMg=="
    assert "hunter2" not in repr(found)
    assert "dXNAZXI6aHVudGVyMg==" not in repr(found)


@pytest.mark.parametrize("url", ["http://user:hunter2@own.example/", "ftp://own.example/", "hunter2", "https://"])
def test_an_index_that_is_not_encrypted_or_none_is_refused_without_telling_its_password(url: str) -> None:
    with pytest.raises(IndexRefused) as refused:
        find({"MINDX_PACKAGE_INDEX": url})
    assert "hunter2" not in str(refused.value)


def test_an_index_on_this_machine_need_not_be_encrypted_and_nothing_else_may_then() -> None:
    found = find({"MINDX_PACKAGE_INDEX": "http://127.0.0.1:3141/root/pypi"})
    assert found.lets(Origin("http", "127.0.0.1", 3141))
    assert found.lets(Origin("https", "files.example", 443))
    assert not found.lets(Origin("http", "127.0.0.1", 80))
    assert not found.lets(Origin("http", "files.example", 80))
