"""People in the admin: roles are boxes to tick, and somebody always holds the keys."""

from __future__ import annotations

from typing import Any

import pytest

from people import tokens
from people.models import User

pytestmark = pytest.mark.django_db


def _form(user: User, **change: Any) -> dict[str, Any]:
    return {"username": user.username, "roles": user.roles, "is_active": "on", "email": "", **change}


def _save(client: Any, user: User, **change: Any) -> Any:
    return client.post(f"/admin/people/user/{user.pk}/change/", _form(user, **change))


def test_only_admins_enter(client_of: Any, owner: Any, reviewer: Any, operator: Any, admin: Any) -> None:
    for user in (owner, reviewer, operator):
        assert client_of(user).get("/admin/", follow=True).status_code == 403
    assert client_of(admin).get("/admin/").status_code == 200


def test_roles_are_given_and_taken_as_boxes(client_of: Any, admin: Any, owner: Any) -> None:
    client = client_of(admin)
    page = client.get(f"/admin/people/user/{owner.pk}/change/").content.decode()
    assert page.count('type="checkbox" name="roles"') == 5
    assert 'name="password"' not in page
    assert _save(client, owner, roles=["submitter", "reviewer"]).status_code == 302
    owner.refresh_from_db()
    assert owner.roles == ["submitter", "reviewer"]
    assert not owner.is_staff
    assert _save(client, owner, roles=[]).status_code == 302
    owner.refresh_from_db()
    assert owner.roles == []


def test_an_unknown_role_is_refused(client_of: Any, admin: Any, owner: Any) -> None:
    assert _save(client_of(admin), owner, roles=["submitter", "emperor"]).status_code == 200
    owner.refresh_from_db()
    assert owner.roles == ["submitter"]


def test_the_role_admin_opens_the_admin_and_its_loss_closes_it(client_of: Any, admin: Any, owner: Any) -> None:
    _save(client_of(admin), owner, roles=["admin"])
    owner.refresh_from_db()
    assert owner.is_superuser
    assert client_of(owner).get("/admin/").status_code == 200
    _save(client_of(admin), owner, roles=["submitter"])
    owner.refresh_from_db()
    assert not owner.is_superuser
    assert client_of(owner).get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"username": "\u0430dmin"}, "scripts"),
        ({"username": "OLGA2"}, "There is a person with this name already"),
        ({"first_name": "\u202eagl"}, "U+202E"),
        ({"last_name": "\uff2cund"}, "wide"),
    ],
)
def test_nobody_gets_a_name_that_could_be_taken_for_anothers(
    client_of: Any, admin: Any, owner: Any, change: dict[str, str], says: str
) -> None:
    User.objects.create(username="olga2")
    answer = _save(client_of(admin), owner, **change)
    assert answer.status_code == 200
    assert says in answer.content.decode()
    assert User.objects.get(pk=owner.pk).username == "olga"


@pytest.mark.parametrize("change", [{"roles": ["submitter"]}, {"roles": []}, {"is_active": ""}])
def test_the_last_admin_stays_one(client_of: Any, admin: Any, change: dict[str, Any]) -> None:
    page = _save(client_of(admin), admin, **change)
    assert page.status_code == 200
    assert "last active admin" in page.content.decode()
    admin.refresh_from_db()
    assert admin.is_superuser
    assert admin.is_active


def test_a_person_is_made_with_a_password_and_roles_come_next(client_of: Any, admin: Any) -> None:
    client = client_of(admin)
    password = "correct horse battery"
    made = client.post(
        "/admin/people/user/add/",
        {"username": "nina", "password1": password, "password2": password, "usable_password": "true"},
    )
    assert made.status_code == 302, made.content
    assert User.objects.get(username="nina").roles == ["submitter"]


def test_tokens_can_be_seen_and_revoked_but_neither_made_nor_changed(client_of: Any, admin: Any, owner: Any) -> None:
    token, secret = tokens.issue(owner, "build server")
    client = client_of(admin)
    assert b"build server" in client.get("/admin/people/apitoken/").content
    assert client.get("/admin/people/apitoken/add/").status_code == 403
    shown = client.get(f"/admin/people/apitoken/{token.pk}/change/")
    assert b'name="digest"' not in shown.content
    assert tokens.find(secret) is not None
    client.post("/admin/people/apitoken/", {"action": "revoke_chosen", "_selected_action": [token.pk]})
    assert tokens.find(secret) is None
