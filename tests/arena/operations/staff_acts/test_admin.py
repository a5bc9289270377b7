"""Acts in the admin: planned, confirmed with a reason, and in the audit log, which is read only."""

import pytest
from django.test import Client

from arena.contests.ladders.models import Ladder
from arena.matches.models import WorkerStatus
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry
from tests.arena.contests.ladders.conftest import store_match


@pytest.fixture
def admin(olga: User, client: Client) -> Client:
    client.force_login(olga)
    return client


def act(client: Client, table: str, action: str, *keys: int, why: str = "") -> str:
    sent = {"action": action, "_selected_action": list(keys), **({"why": why} if why else {})}
    return client.post(f"/admin/{table}/", sent, follow=True).content.decode()


def test_every_act_is_confirmed_with_a_reason(admin, ladder, entries, ana):
    worker = WorkerStatus.objects.create(worker="mill", level="A")
    row = store_match(ladder, entries, [[1, 2], [1, 2]])
    version = entries[0].version
    acts = [
        ("ladders/ladder", "pause", ladder.pk),
        ("ladders/ladder", "resume", ladder.pk),
        ("matches/workerstatus", "drain", worker.pk),
        ("matches/workerstatus", "resume", worker.pk),
        ("ladders/laddermatch", "replay", row.pk),
        ("accounts/user", "suspend", ana.pk),
        ("accounts/user", "ban", ana.pk),
        ("accounts/user", "reinstate", ana.pk),
        ("bots/botversion", "remove_files", version.pk),
    ]
    for number, (table, action, key) in enumerate(acts, 1):
        page = act(admin, table, action, key)
        assert "Why? The audit log keeps it." in page and AuditEntry.objects.count() == number - 1
        act(admin, table, action, key, why="A test.")
        assert AuditEntry.objects.count() == number, (table, action)
        act(admin, table, action, key, why="Once more.")
        assert AuditEntry.objects.count() == number, (table, action)


def test_what_can_not_be_done_is_told(admin, ladder, entries):
    row = store_match(ladder, entries, [[1, 2], [1, 2]])
    act(admin, "matches/match", "cancel", row.match_id, why="A test.")
    assert "already doesn&#x27;t count" in act(admin, "matches/match", "cancel", row.match_id)
    assert "belongs to somebody" not in act(admin, "bots/bot", "remove_files", entries[0].version.bot_id)


def test_who_may_not_change_such_rows_has_no_acts(ladder: Ladder, client: Client) -> None:
    client.force_login(User.objects.create_user("staff", is_staff=True))
    assert (
        client.post("/admin/ladders/ladder/", {"action": "pause", "_selected_action": [ladder.pk]}).status_code == 403
    )
    assert not AuditEntry.objects.exists()


def test_the_audit_log_is_read_only(admin: Client, ladder: Ladder) -> None:
    act(admin, "ladders/ladder", "pause", ladder.pk, why="A test.")
    entry = AuditEntry.objects.get()
    assert "A test." in admin.get("/admin/audit/auditentry/").content.decode()
    page = f"/admin/audit/auditentry/{entry.pk}"
    assert admin.post(f"{page}/change/", {"reason": "Another."}).status_code == 403
    assert admin.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
    assert admin.get("/admin/audit/auditentry/add/").status_code == 403
