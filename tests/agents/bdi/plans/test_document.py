"""The canonical document: equal plans have equal bytes, and reading gives back what was written."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import CommandFacts, Document
from agents.toolkit.types import Param, Step

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def _document(content: str = "print(1)", name: str = "main.py") -> Document:
    step = Step(
        "simple_coder",
        "write",
        {"path": Param(name, "rule_slot", span=(3, 9)), "content": Param(content, "explicit", original="x")},
        "because",
    )
    facts = [CommandFacts("workspace", {"soft_s": 30}, (), "write it")]
    main = documents.specs([step], facts)
    undo = documents.specs([step], facts, phase="cleanup", first=2)
    return Document("7", "make it", "lab", "0" * 64, 1, "rule", main, undo, ({"kind": "rule", "name": "r"},))


@given(_text, _text)
def test_reading_gives_back_what_was_written(content: str, name: str) -> None:
    document = _document(content, name)
    assert documents.read(documents.write(document)) == document


def test_equal_plans_have_equal_bytes_whatever_the_order_of_their_keys() -> None:
    one = _document()
    turned = dataclasses.replace(
        one, intents=(dataclasses.replace(one.intents[0], params=dict(reversed(list(one.intents[0].params.items())))),)
    )
    assert documents.write(one) == documents.write(turned)


def test_every_changed_byte_changes_the_digest() -> None:
    data = documents.write(_document())
    for place in range(0, len(data), 7):
        changed = bytearray(data)
        changed[place] ^= 1
        assert documents.digest_of(bytes(changed)) != documents.digest_of(data)


def test_a_document_from_before_hosts_has_none() -> None:
    raw = json.loads(documents.write(_document()))
    for spec in raw["intents"] + raw["cleanup"]:
        del spec["hosts"]
    assert [spec.hosts for spec in documents.read(json.dumps(raw).encode()).all_intents] == [(), ()]


def test_a_document_tells_every_host_of_every_step_once() -> None:
    document = _document()
    main = dataclasses.replace(document.intents[0], hosts=("b.example", "packages"))
    undo = dataclasses.replace(document.cleanup[0], hosts=("a.example", "packages"))
    changed = dataclasses.replace(document, intents=(main,), cleanup=(undo,))
    assert changed.hosts == ("a.example", "b.example", "packages")


def test_positions_count_through_main_and_cleanup() -> None:
    document = _document()
    assert [spec.position for spec in document.all_intents] == [1, 2]
    assert document.at(2).phase == "cleanup"


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff\xfe", json.dumps({"intents": 3}).encode()])
def test_bytes_that_are_no_document_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not an intent plan"):
        documents.read(data)


@pytest.mark.parametrize("written", [0, 2, 1.0, "1", None, True, [1]])
def test_a_document_of_another_format_is_not_guessed_at(written: object) -> None:
    raw = json.loads(documents.write(_document()))
    with pytest.raises(documents.Unreadable, match="this mindX reads format 1"):
        documents.read(json.dumps({**raw, "format": written}).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"1", b"\xff", b'{"format":1}'])
def test_bytes_that_are_no_document_are_unreadable(data: bytes) -> None:
    with pytest.raises(documents.Unreadable):
        documents.read(data)
