"""A database that is away and a disk that is full are told from bugs, with what to do and when to come back."""

from __future__ import annotations

import errno

import psycopg
import pytest
from django.contrib.auth.decorators import login_not_required
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import override_settings
from django.urls import path

from mindx_web.web.outages import DATABASE_AWAY, DATABASE_BUSY, DISK_FULL, Outage, outage_of


def operational(cause: BaseException | None) -> OperationalError:
    """As Django wraps what the driver raised."""
    error = OperationalError("secret words of the driver")
    error.__cause__ = cause
    return error


FAULTS = [
    (operational(psycopg.OperationalError("connection refused")), DATABASE_AWAY),
    (operational(psycopg.errors.AdminShutdown()), DATABASE_AWAY),
    (operational(psycopg.errors.CannotConnectNow()), DATABASE_AWAY),
    (operational(psycopg.errors.TooManyConnections()), DATABASE_BUSY),
    (operational(psycopg.errors.DiskFull()), DISK_FULL),
    (OSError(errno.ENOSPC, "no space left"), DISK_FULL),
    (operational(psycopg.errors.DeadlockDetected()), None),
    (operational(psycopg.errors.LockNotAvailable()), None),
    (OSError(errno.EACCES, "denied"), None),
    (RuntimeError("a bug"), None),
]


@pytest.mark.parametrize(
    ("error", "outage"), FAULTS, ids=lambda value: repr(getattr(value, "__cause__", "") or value)[:40]
)
def test_each_fault_is_what_it_is_however_deep_it_lies(error: BaseException, outage: Outage | None) -> None:
    assert outage_of(error) == outage
    outer = RuntimeError("something else broke over it")
    outer.__context__ = error
    assert outage_of(outer) == outage


@login_not_required
def fault(request: HttpRequest, number: int) -> HttpResponse:
    raise FAULTS[number][0]


urlpatterns = [path("fault/<int:number>/", fault)]
handler500 = "mindx_web.views.errors.server_error"


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_a_page_says_what_is_wrong_and_when_to_come_back(number: int) -> None:
    page = Client(raise_request_exception=False).get(f"/fault/{number}/")
    outage = FAULTS[number][1]
    assert page.status_code == (503 if outage else 500)
    assert page.headers.get("Retry-After") == (str(outage.retry_after_s) if outage else None)
    assert (outage.title if outage else "Something went wrong") in page.content.decode()
    assert b"secret words" not in page.content
