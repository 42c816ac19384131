"""People and their API tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils import timezone

from people import names, roles
from people.roles import Role


def _submitter() -> list[str]:
    return [Role.SUBMITTER.value]


class PersonManager(UserManager["User"]):
    """Creates people; a superuser is an admin."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **extra: Any
    ) -> User:
        extra.setdefault("roles", [Role.ADMIN.value])
        return super().create_superuser(username, email, password, **extra)


class User(AbstractUser):
    """A person. `roles` says what they are here for; an admin may do everything.

    What lets them in and what they may do is sealed whenever mindX stores it: a password or a role that somebody wrote
    into the table lets nobody in. A row that was not genuine before is not sealed by saving it.
    """

    sealed = ("username", "password", "roles", "is_active", "is_staff", "is_superuser")
    acted_on = models.Q(is_active=True)

    roles = ArrayField(models.CharField(max_length=16, choices=roles.CHOICES), default=_submitter, blank=True)

    objects: ClassVar[PersonManager] = PersonManager()

    # What is sealed, as this object read it; empty for a new person.
    _as_read: Mapping[str, Any] = {}

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any) -> Self:
        """As Django does, with what is sealed remembered."""
        person = super().from_db(db, field_names, values, **more)
        person._remember([name for name in cls.sealed if name in field_names])
        return person

    def _remember(self, names: Iterable[str]) -> None:
        self._as_read = {name: _copied(getattr(self, name)) for name in names}

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the person, and seal what of them is sealed."""
        from people import sealing  # which has its rows among these models

        fields = kwargs.get("update_fields")
        if fields is not None and not set(fields) & set(self.sealed):
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            before = None if self._state.adding else User._base_manager.select_for_update().get(pk=self.pk)
            # What nobody changes here stays as it is stored: it may have been read while somebody had written it.
            for name, read in self._as_read.items() if before is not None else ():
                if getattr(self, name) == read:
                    setattr(self, name, getattr(before, name))
            super().save(*args, **kwargs)
            self._remember(self._as_read)
            if before is None or sealing.is_genuine(before):
                sealing.seal(self)

    def clean(self) -> None:
        """What an admin may call a person; forms ask. Raises ValidationError."""
        super().clean()
        for name in (self.username, self.first_name, self.last_name, self.email):
            if trouble := names.problem(name):
                raise ValidationError(f"“{name[:60]}” could be taken for another name. {trouble}")
        if User.objects.filter(username__iexact=self.username).exclude(pk=self.pk).exists():
            raise ValidationError("There is a person with this name already.")

    def has_role(self, *wanted: Role) -> bool:
        """True when the person is active and holds one of the roles, or is an admin."""
        if not self.is_active:
            return False
        return self.is_superuser or Role.ADMIN in self.roles or any(role in self.roles for role in wanted)

    @property
    def display_name(self) -> str:
        """The full name, else the login name."""
        return self.get_full_name() or self.username

    @property
    def initials(self) -> str:
        """One or two letters for the avatar."""
        words = self.display_name.split()
        return "".join(word[0] for word in words[:2]).upper()


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


class ApiToken(models.Model):
    """A bearer token. Only its SHA-256 is stored; the token itself is shown once, when it is made.

    It is sealed when it is made, and the seal is used up when it is revoked.
    """

    sealed = ("user_id", "digest", "scopes", "expires_at")
    acted_on = models.Q(revoked_at=None)

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=32), default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @staticmethod
    def digest_of(token: str) -> str:
        """The stored form of a token. Tokens are random, so an unsalted hash is enough."""
        return hashlib.sha256(token.encode()).hexdigest()

    @property
    def is_valid(self) -> bool:
        """Neither revoked nor expired, and of a person who may still log in."""
        expired = self.expires_at is not None and self.expires_at <= timezone.now()
        return self.revoked_at is None and not expired and self.user.is_active


class RateLimit(models.Model):
    """How far the allowance of one limit and key is used; written by the statements of `people.rate_limits`.

    `key` is a SHA-256. A row whose moment has passed holds nobody up and may go.
    """

    pk = models.CompositePrimaryKey("kind", "key")
    kind = models.CharField(max_length=32)
    key = models.CharField(max_length=64)
    used_until = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["used_until"], name="rate_limit_age")]

    def __str__(self) -> str:
        return self.kind


class AnsweredRequest(models.Model):
    """An API request that carried an Idempotency-Key, and the answer it got: the same request again gets it again.

    `status` is null while the first request is still at work. Rows are of use for a day. Sealed with the answer, which
    no program is told otherwise.
    """

    sealed = ("user_id", "key", "fingerprint", "status", "location", "body")
    acted_on = models.Q(status__isnull=False)

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="answered_requests")
    key = models.CharField(max_length=200)
    # SHA-256 over method, address and body.
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    location = models.TextField(blank=True)
    body = models.TextField(blank=True)
    started_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once_per_person")]
        indexes = [models.Index(fields=["started_at"], name="answered_request_age")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user_id}"


class RowSeal(models.Model):
    """The signature of a row that a worker acts on (`people.sealing`); the newest one of a row counts."""

    append_only = True

    # The model's label in small letters, and the key of its row.
    model = models.CharField(max_length=64)
    row = models.BigIntegerField()
    number = models.PositiveIntegerField()
    mac = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "row", "number"], name="row_seal_number_once")]

    def __str__(self) -> str:
        return f"seal {self.number} of {self.model} {self.row}"


class ExternalLogin(models.Model):
    """Somebody whom a provider of sign-in knows by `subject`, and the person who they are here (`people.oidc`).

    It lets somebody in, so it is sealed. `group_roles` are those roles of the person that groups gave at the last
    sign-in; all others were given by hand.
    """

    sealed = ("user_id", "issuer", "subject", "group_roles")
    acted_on = models.Q()

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="external_logins")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    group_roles = ArrayField(models.CharField(max_length=16, choices=roles.CHOICES), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="external_login_once"),
            models.UniqueConstraint(fields=["issuer", "user"], name="external_login_once_per_person"),
        ]

    def __str__(self) -> str:
        return f"{self.user} by {self.issuer}"
