import pytest
from django.test import Client

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import pause_entry
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry

PAGE = "/admin/ladders"


@pytest.fixture
def staff(db: None, client: Client) -> Client:
    """Somebody who may look at all and change nothing."""
    client.force_login(User.objects.create_user("staff", is_staff=True))
    return client


def test_the_secret_of_a_season_is_nobodys_to_see(admin_client: Client, ladder: Ladder) -> None:
    answer = admin_client.get(f"{PAGE}/ladder/{ladder.pk}/change/")
    assert answer.status_code == 200 and ladder.commitment in answer.content.decode()
    assert ladder.secret not in answer.content.decode()


def test_an_admin_resumes_bots_and_is_told_where_that_can_not_be(admin_client: Client, entries: list[Entry]) -> None:
    pause_entry(entry=entries[0], owner=entries[0].version.bot.owner)
    Entry.objects.filter(pk=entries[1].pk).update(state=Entry.State.RETIRED)
    chosen = {"action": "resume_entries", "_selected_action": [entry.pk for entry in entries[:2]]}
    answer = admin_client.post(f"{PAGE}/entry/", chosen, follow=True)
    assert "Another version plays instead of two&#x27;s v1" in answer.content.decode()
    assert Entry.objects.active().filter(pk=entries[0].pk).exists()
    assert list(AuditEntry.objects.values_list("act", "about")) == [("entry.resume", f"entry {entries[0].pk}")]


@pytest.mark.parametrize("table", ["entry", "laddermatch"])
def test_who_may_not_change_them_can_not(staff: Client, ladder: Ladder, table: str) -> None:
    answer = staff.post(f"{PAGE}/{table}/", {"action": "resume_entries", "_selected_action": ["1"]})
    assert answer.status_code == 403
