"""The page of a copy that waits for somebody who may write: read by its submitter, decided by others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from agents.actors import firmware
from agents.models import EvolvedCopy, Goal
from library.components import services as library
from library.models import ComponentVersion
from people.models import User
from tests.forging import sealed

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture
def copy(owner: User, operator: User, make_goal: Callable[..., Goal]) -> EvolvedCopy:
    library.activate(firmware.save("finance", "Be careful.", by=operator), operator)
    return sealed(
        EvolvedCopy.objects.create(
            goal=make_goal(owner, "Improve the firmware finance"),
            target_kind="firmware",
            target_name="finance",
            wish="say it <b>twice",
            proposed="Be careful.\nAsk twice.\n",
            said="it waits",
            settled_at=timezone.now(),
        )
    )


def test_whoever_submitted_it_reads_it_and_decides_nothing(
    copy: EvolvedCopy, owner: User, outsider: User, client_of: ClientOf
) -> None:
    address = copy.get_absolute_url()
    page = client_of(owner).get(address).content.decode()
    assert "Ask twice." in page
    assert "say it &lt;b&gt;twice" in page
    assert "Accept as candidate" not in page
    assert address in client_of(owner).get("/mastermind/").content.decode()
    assert client_of(outsider).get(address).status_code == 404
    assert address not in client_of(outsider).get("/mastermind/").content.decode()
    client_of(owner).post(f"{address}take-in/")
    assert client_of(outsider).post(f"{address}take-in/").status_code == 404
    copy.refresh_from_db()
    assert copy.waits


def test_whoever_may_write_takes_it_in(copy: EvolvedCopy, reviewer: User, owner: User, client_of: ClientOf) -> None:
    client = client_of(reviewer)
    address = copy.get_absolute_url()
    assert address in client.get("/mastermind/").content.decode()
    assert client.get(f"{address}take-in/").status_code == 405
    assert client.post(f"{address}swallow/").status_code == 404
    page = client.post(f"{address}take-in/", follow=True).content.decode()
    assert "is in the library. Nothing uses it yet." in page
    version = ComponentVersion.objects.get(component__name="finance", status="candidate")
    assert (version.body, version.created_by) == ("Be careful.\nAsk twice.\n", reviewer)
    assert "accepted</span>" in client_of(owner).get(address).content.decode()
    assert address not in client.get("/mastermind/").content.decode()


def test_whoever_may_write_leaves_it_out_and_says_why(
    copy: EvolvedCopy, operator: User, owner: User, client_of: ClientOf
) -> None:
    client, address = client_of(operator), copy.get_absolute_url()
    page = client.post(f"{address}decline/", {"why": ""}, follow=True).content.decode()
    assert "Say why you decline it" in page
    client.post(f"{address}decline/", {"why": "once is <i>enough"})
    page = client_of(owner).get(address).content.decode()
    assert "once is &lt;i&gt;enough" in page
    assert "declined</span>" in page
    assert not ComponentVersion.objects.filter(status="candidate").exists()
    assert "It was decided already." in client.post(f"{address}take-in/", follow=True).content.decode()
