"""What staff changes in the admin without an act leaves a line in the audit log, too."""

import pytest
from django.test import Client

from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry


@pytest.fixture
def boss(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss", password="boss's password"))
    return client


def list_lines() -> list[tuple[str, str, str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("actor_name", "act", "subject", "outcome"))


def test_users_added_changed_and_deleted(boss: Client) -> None:
    password = {"usable_password": "true", "password1": "a long sentence 7", "password2": "a long sentence 7"}
    boss.post("/admin/accounts/user/add/", {"username": "cleo", **password})
    cleo = User.objects.get(username="cleo")
    form = boss.get(f"/admin/accounts/user/{cleo.pk}/change/").context["adminform"].form
    fields = {name: value for name, value in form.initial.items() if isinstance(value, str | int) and value}
    joined = {"date_joined_0": "2026-01-01", "date_joined_1": "12:00:00"}
    boss.post(f"/admin/accounts/user/{cleo.pk}/change/", fields | joined | {"is_staff": "on"})
    assert User.objects.get(pk=cleo.pk).is_staff
    boss.post(f"/admin/accounts/user/{cleo.pk}/delete/", {"post": "yes"})
    assert not User.objects.filter(pk=cleo.pk).exists()
    added, changed, deleted = list_lines()
    assert added == ("boss", "user.add", "cleo", "Added.")
    assert changed[:3] == ("boss", "user.change", "cleo") and "Staff status" in changed[3]
    assert deleted[:3] == ("boss", "user.delete", "cleo")


def test_users_approved(boss: Client, ana: User, ben: User) -> None:
    User.objects.filter(pk=ana.pk).update(is_active=False, awaits_approval=True)
    boss.post("/admin/accounts/user/", {"action": "approve", "_selected_action": [ana.pk, ben.pk]})
    assert list_lines() == [("boss", "user.approve", "ana", "The account can be used.")]
