"""Sessions in the database that nobody can use who can only read and write the table.

Django keeps a session under the very word that the browser's cookie holds, and signs its content without it: whoever
reads the table can log in as anybody in it, and whoever writes to it can give their own session another one's content.
Here the table holds a keyed hash of the word, and what is signed is signed for that word.
"""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

_SALT = "people.sessions"
# The column's width; 160 bits.
_STORED_HEX = 40


class SessionStore(db.SessionStore):
    """Django's own store under other keys."""

    @property
    def key_salt(self) -> str:
        """What the content is signed with besides the key of the server: the word that the cookie holds."""
        return f"{_SALT}.{self.session_key}"

    def exists(self, session_key: str) -> bool:
        """Whether there is a session for this word."""
        return super().exists(stored_key(session_key))

    async def aexists(self, session_key: str) -> bool:
        """The same."""
        return await super().aexists(stored_key(session_key))

    def create_model_instance(self, data: Any) -> AbstractBaseSession:
        """The row to be saved."""
        return _under_its_key(super().create_model_instance(data))

    async def acreate_model_instance(self, data: Any) -> AbstractBaseSession:
        """The same."""
        return _under_its_key(await super().acreate_model_instance(data))

    def delete(self, session_key: str | None = None) -> None:
        """End the session of this word, or this one."""
        if word := session_key or self.session_key:
            super().delete(stored_key(word))

    async def adelete(self, session_key: str | None = None) -> None:
        """The same."""
        if word := session_key or self.session_key:
            await super().adelete(stored_key(word))

    def _get_session_from_db(self) -> Session | None:
        found = self._rows().first()
        if found is None:
            self._session_key = None
        return found

    async def _aget_session_from_db(self) -> Session | None:
        found = await self._rows().afirst()
        if found is None:
            self._session_key = None
        return found

    def _rows(self) -> QuerySet[Session]:
        return Session.objects.filter(session_key=stored_key(self.session_key or ""), expire_date__gt=timezone.now())


def _under_its_key(row: AbstractBaseSession) -> AbstractBaseSession:
    row.session_key = stored_key(row.session_key)
    return row


def stored_key(word: str) -> str:
    """The key under which the table has the session of this word."""
    return salted_hmac(_SALT, word, algorithm="sha256").hexdigest()[:_STORED_HEX]
