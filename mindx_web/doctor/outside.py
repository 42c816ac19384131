"""What lies outside this house: the package index and the mail server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import get_connection

from mindx_web.doctor.finding import Finding, fail, ok, warn
from sandbox.gate import index_address
from sandbox.gate.index_address import IndexRefused

TIMEOUT_S = 3.0


def package_index() -> Iterator[Finding]:
    """The index that approved installs use; nothing else needs it."""
    try:
        found = index_address.find()
    except IndexRefused as refused:
        yield warn("package index", f"cannot be used: {refused}", "Correct MINDX_PACKAGE_INDEX.")
        return
    try:
        socket.create_connection((found.origin.host, found.origin.port), TIMEOUT_S).close()
    except OSError as error:
        yield warn(
            "package index",
            f"{found.url} does not answer ({error.strerror or type(error).__name__})",
            "Steps that install packages fail until it does; nothing else needs it.",
        )
    else:
        yield ok("package index", f"{found.url} answers")


def mail() -> Iterator[Finding]:
    """The mail server accepts our login."""
    if not settings.NOTIFY_BY_EMAIL:
        yield ok("mail", "not configured; people find notices on their page")
        return
    try:
        connection = get_connection(timeout=TIMEOUT_S)
        connection.open()
        connection.close()
    except (OSError, SMTPException) as error:
        # Not the error's own words: some servers repeat the login in them.
        yield fail(
            "mail",
            f"{settings.EMAIL_HOST}, port {settings.EMAIL_PORT}, rejects our connection ({type(error).__name__})",
            "Correct MINDX_EMAIL_URL.",
        )
    else:
        yield ok("mail", f"{settings.EMAIL_HOST} accepts our login")
