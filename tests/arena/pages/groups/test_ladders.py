"""The pages of a group's ladder: what members see, what authors do there, and what organisers do."""

import html

import pytest
from django.test import Client

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import open_group_ladder
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import MakeVersion

LADDER = "/groups/class-10b/ladders/battleline/standard/"


@pytest.fixture
def own(group: Group, teacher: User) -> Ladder:
    return open_group_ladder(group=group, by=teacher, game="battleline", edition="standard", with_samples=False)


def post(client: Client, path: str, **sent: str):
    return client.post(path, sent, follow=True)


def test_an_organiser_opens_a_ladder_pauses_and_ends_it(reader, group: Group, teacher: User, ben: User):
    olga, pupil = reader(teacher), reader(ben)
    assert "No ladders yet. The group's organisers open them." in html.unescape(pupil.get("/groups/class-10b/").text)
    assert "Open a ladder" not in pupil.get("/groups/class-10b/").text
    assert pupil.get("/groups/class-10b/ladders/new/").status_code == 403
    form = olga.get("/groups/class-10b/ladders/new/").text
    assert "Battle Line, Standard" in form and "Include the sample bots" in form
    opened = post(olga, "/groups/class-10b/ladders/new/", edition="battleline/standard", with_samples="on")
    assert opened.redirect_chain == [(LADDER, 302)] and "Ladder opened." in opened.text
    assert "No bots yet" in pupil.get(LADDER).text
    assert "Battle Line, Standard" in pupil.get("/groups/class-10b/").text
    assert "Battle Line, Standard" not in olga.get("/groups/class-10b/ladders/new/").text
    assert post(pupil, f"{LADDER}organise/", act="pause").status_code == 403
    assert "Ladder paused." in post(olga, f"{LADDER}organise/", act="pause").text
    page = pupil.get(LADDER).text
    assert "Paused by an organiser" in page and "End season" not in page
    assert "Ladder resumed." in post(olga, f"{LADDER}organise/", act="resume").text
    ended = post(olga, f"{LADDER}organise/", act="end")
    assert ended.redirect_chain[-1] == (f"{LADDER}seasons/1/", 302)
    secret = Ladder.objects.get(group=group).secret
    assert secret in ended.text and "Open next season" in ended.text
    assert secret in pupil.get(f"{LADDER}seasons/1/").text
    post(olga, "/groups/class-10b/ladders/new/", edition="battleline/standard")
    assert Ladder.objects.open().get(group=group).season == 2
    assert "Season 2" in pupil.get(LADDER).text
    assert post(olga, f"{LADDER}organise/", act="burn").status_code == 404


def test_standings_matches_and_who_met_whom_are_on_the_page(
    reader, own: Ladder, group: Group, make_version: MakeVersion, ana: User, ben: User
):
    pupil = reader(ben)
    for user, name in ((ana, "Annas"), (ben, "Bens")):
        bot = make_version(user, name).bot
        entered = post(reader(user), f"{LADDER}bots/", act="enter", bot=bot.slug)
        assert f"{name} now plays on this ladder." in entered.text
    entries = list(Entry.objects.filter(ladder=own).order_by("pk"))
    match = store_match(own, entries, [[1, 2], [1, 1]]).match
    append_finished_matches(ladder=own)
    page = pupil.get(LADDER)
    assert "Who beats whom" in page.text and f'href="/matches/{match.pk}/"' in page.text
    cells = {
        entry.pk: [(cell.percent, cell.matches) for cell in row if cell]
        for entry, row in page.context["crosstable"].rows
    }
    assert cells == {entries[0].pk: [(75, 1)], entries[1].pk: [(25, 1)]}
    assert "Annas" in pupil.get(f"{LADDER}how/").text
    assert pupil.get(f"{LADDER}?format=csv")["Content-Type"].startswith("text/csv")


def test_an_author_takes_an_own_bot_off_and_an_organiser_any(
    reader, own: Ladder, make_version: MakeVersion, teacher: User, ben: User
):
    version = make_version(ben, "Bens")
    manage = f"/bots/{version.bot.slug}/manage/"
    assert "Ladders of your groups" in reader(ben).get(manage).text
    for who in (ben, teacher):
        post(reader(ben), f"{LADDER}bots/", act="enter", bot=version.bot.slug)
        assert Entry.objects.active().filter(ladder=own).count() == 1
        assert "no longer plays on this ladder" in post(reader(who), f"{LADDER}bots/", act="leave", bot="bens").text
        assert not Entry.objects.active().filter(ladder=own).exists()
    refused = post(reader(teacher), f"{LADDER}bots/", act="enter", bot="bens")
    assert "belongs to someone else" in refused.text
