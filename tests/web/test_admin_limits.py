"""Limits in the administration: sizes with units, rows only an admin may change, and errors under their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from agents.models import Agent, ToolLimit
from agents.toolkit.limits import BOUNDS

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

ClientOf = Callable[["User"], "Client"]
LIST = "/admin/agents/toollimit/"
pytestmark = pytest.mark.django_db


def filled(**values: str) -> dict[str, str]:
    return dict.fromkeys(("agent", "tool", *BOUNDS), "") | values


def refused(answer: Any) -> str:
    assert answer.status_code == 200
    assert not ToolLimit.objects.exists()
    return str(answer.content.decode())


def test_only_an_admin_sees_and_changes_limits(admin: User, operator: User, owner: User, client_of: ClientOf) -> None:
    row = ToolLimit.objects.create(processes=20)
    for who in (operator, owner):
        for address in (LIST, f"{LIST}add/", f"{LIST}{row.pk}/change/", f"{LIST}{row.pk}/delete/"):
            assert client_of(who).get(address).status_code in {302, 403}
        client_of(who).post(f"{LIST}{row.pk}/change/", filled(processes="30"))
    row.refresh_from_db()
    assert row.processes == 20
    for address in (LIST, f"{LIST}add/", f"{LIST}{row.pk}/change/", f"{LIST}{row.pk}/delete/"):
        assert client_of(admin).get(address).status_code == 200


def test_a_size_is_typed_with_its_unit_and_shown_with_it(admin: User, client_of: ClientOf) -> None:
    agent = Agent.objects.create(name="mindx-two")
    client = client_of(admin)
    values = filled(agent=str(agent.pk), tool="simple_coder", memory_bytes="1.5 gib", file_bytes="65536", soft_s="5",
                    descriptors="256", workspace_files="2000", output_file_bytes="2 MiB")  # fmt: skip
    assert client.post(f"{LIST}add/", values).status_code == 302
    row = ToolLimit.objects.get()
    assert (row.agent, row.tool, row.memory_bytes, row.file_bytes) == (agent, "simple_coder", 3 << 29, 65536)
    assert (row.soft_s, row.processes) == (5.0, None)
    assert (row.descriptors, row.workspace_files, row.output_file_bytes) == (256, 2000, 2 << 20)
    page = client.get(f"{LIST}{row.pk}/change/").content.decode()
    assert 'value="1536 MiB"' in page
    assert "From 32 MiB to 64 GiB; empty: a less specific row, or 1 GiB." in page
    assert (
        "memory 1,536 MiB, descriptors 256, file 64 KiB, workspace_files 2,000, output_file 2 MiB, soft 5 s"
        in client.get(LIST).content.decode()
    )


def test_what_is_shown_can_be_saved_again_unchanged(admin: User, client_of: ClientOf) -> None:
    row = ToolLimit.objects.create(memory_bytes=3 << 40 >> 10, output_bytes=2_000_001)
    shown = filled(memory_bytes="3 GiB", output_bytes="2000001 bytes")
    page = client_of(admin).get(f"{LIST}{row.pk}/change/").content.decode()
    assert all(f'value="{shown[name]}"' in page for name in ("memory_bytes", "output_bytes"))
    assert client_of(admin).post(f"{LIST}{row.pk}/change/", shown).status_code == 302
    row.refresh_from_db()
    assert (row.memory_bytes, row.output_bytes) == (3 << 30, 2_000_001)


@pytest.mark.parametrize("size", ["much", "-1 GiB", "1e9", "1 GiB 2", "٣ GiB", "1" * 16, "9" * 39])
def test_what_is_no_size_is_refused_under_its_field(size: str, admin: User, client_of: ClientOf) -> None:
    page = refused(client_of(admin).post(f"{LIST}add/", filled(memory_bytes=size)))
    assert "Write a size such as 512 MiB" in page


def test_a_size_that_no_column_holds_is_refused(admin: User, client_of: ClientOf) -> None:
    assert "errorlist" in refused(client_of(admin).post(f"{LIST}add/", filled(memory_bytes="999999999999999 GiB")))


def test_a_limit_beyond_the_bounds_says_which(admin: User, client_of: ClientOf) -> None:
    page = refused(client_of(admin).post(f"{LIST}add/", filled(memory_bytes="1 MiB", processes="1000000")))
    assert "memory_bytes: from 32 MiB to 64 GiB." in page
    assert "processes: from 8 to 4,096." in page
    assert "cpus: from" not in page  # an empty field is not out of bounds


def test_a_tool_that_is_not_there_is_refused(admin: User, client_of: ClientOf) -> None:
    assert "Select a valid choice" in refused(client_of(admin).post(f"{LIST}add/", filled(tool="no_such_tool")))


def test_a_second_row_for_everybody_is_refused(admin: User, client_of: ClientOf) -> None:
    ToolLimit.objects.create(processes=20)
    answer = client_of(admin).post(f"{LIST}add/", filled(processes="30"))
    assert "There is a row for this agent and this tool already" in answer.content.decode()
    assert ToolLimit.objects.get().processes == 20


def test_a_row_of_a_tool_that_was_removed_can_still_be_changed(admin: User, client_of: ClientOf) -> None:
    row = ToolLimit.objects.create(tool="gone_tool", processes=20)
    answer = client_of(admin).post(f"{LIST}{row.pk}/change/", filled(tool="gone_tool", processes="30"))
    assert answer.status_code == 302
    row.refresh_from_db()
    assert (row.tool, row.processes) == ("gone_tool", 30)
