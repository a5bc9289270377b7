import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.tournaments.models import Entrant, Tournament
from tests.arena.contests.tournaments.world import begin, make_bots, make_tournament, pass_checks
from tests.conftest import FIRST_LEGAL

ENTER = "/tournaments/autumn-cup/enter/"


@pytest.fixture
def bots(db):
    return make_bots(3)


@pytest.fixture
def kingfisher(ana, make_version):
    """A bot of Ana's, with two versions that have passed."""
    make_version(ana, "Kingfisher")
    return make_version(ana, "Kingfisher", FIRST_LEGAL + b"# better").bot


def text_of(response) -> str:
    """What is read of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def own(bot) -> Entrant:
    return Entrant.objects.get(bot=bot)


def test_an_author_enters_a_bot_with_its_newest_version(ana, kingfisher, bots, reader):
    make_tournament(bots)
    page = text_of(reader(ana).get(ENTER))
    assert "Kingfisher, always the newest version (now v2)" in page and "Kingfisher v1 only" in page
    assert "Entrants 3 of 64" in page and "Bot 3" in page
    answer = reader(ana).post(ENTER, {"entry": "kingfisher"}, follow=True)
    assert answer.redirect_chain == [(ENTER, 302)] and "Kingfisher v2 has been entered." in text_of(answer)
    assert (own(kingfisher).version.number, own(kingfisher).updates_automatically) == (2, True)
    assert "newer versions replace it checking" in text_of(answer)


def test_or_with_one_version_alone_and_may_change_her_mind(ana, kingfisher, reader):
    make_tournament()
    client = reader(ana)
    client.post(ENTER, {"entry": "kingfisher/1"})
    assert (own(kingfisher).version.number, own(kingfisher).updates_automatically) == (1, False)
    assert "this version only" in text_of(client.get(ENTER))
    client.post(ENTER, {"entry": "kingfisher"})
    assert (own(kingfisher).version.number, own(kingfisher).updates_automatically) == (2, True)


def test_workers_are_told(ana, kingfisher, reader, messages, django_capture_on_commit_callbacks):
    make_tournament()
    with django_capture_on_commit_callbacks(execute=True):
        reader(ana).post(ENTER, {"entry": "kingfisher"})
    assert len(messages()) == 1


def test_only_own_bots_of_the_game_that_have_passed_are_offered(ana, ben, make_version, reader):
    make_version(ana, "Seleukos", game="battalion")
    make_version(ana, "Wren", state=BotVersion.State.REJECTED)
    make_version(ben, "Heron")
    make_tournament()
    page = text_of(reader(ana).get(ENTER))
    assert "You don't have a bot for this game that can play." in page
    for entry in ("seleukos", "wren", "wren/1", "heron", ""):
        assert reader(ana).post(ENTER, {"entry": entry}).status_code == 400
    assert not Entrant.objects.exists()


def test_a_bot_on_trial_is_offered_and_waits_for_its_trial(ana, make_version, reader):
    make_version(ana, "Wren", state=BotVersion.State.ON_TRIAL)
    make_tournament()
    client = reader(ana)
    page = text_of(client.get(ENTER))
    assert "Wren, always the newest version (v1, on trial)" in page and "Wren v1 only (on trial)" in page
    answer = text_of(client.post(ENTER, {"entry": "wren"}, follow=True))
    assert "Wren v1 has been entered and is waiting for its trial." in answer and "awaiting trial" in answer
    assert "awaiting trial" in text_of(reader(None).get("/tournaments/autumn-cup/"))


def test_of_versions_on_trial_and_accepted_ones_the_newest_accepted_is_now(ana, make_version, reader):
    make_version(ana, "Wren")
    make_version(ana, "Wren", FIRST_LEGAL + b"# 2", state=BotVersion.State.ON_TRIAL)
    make_tournament()
    page = text_of(reader(ana).get(ENTER))
    assert "Wren, always the newest version (now v1)" in page and "(v2, on trial)" not in page
    assert "Wren v2 only (on trial)" in page


def test_what_stands_against_it_is_said_at_the_form(ana, kingfisher, make_version, reader):
    make_version(ana, "Wren")
    make_tournament(max_entrants_per_author=1)
    client = reader(ana)
    client.post(ENTER, {"entry": "kingfisher"})
    refused = client.post(ENTER, {"entry": "wren"})
    assert refused.status_code == 400 and "Each author can enter one bot here" in text_of(refused)
    Tournament.objects.update(entries_close_at=now() - timedelta(seconds=1))
    refused = client.post(ENTER, {"entry": "kingfisher/1"})
    assert refused.status_code == 400 and own(kingfisher).version.number == 2
    page = text_of(client.get(ENTER))
    assert "Entries are closed." in page and "Enter bot" not in page


def test_why_a_check_failed_is_for_its_owner_and_the_organiser(ana, ben, kingfisher, bots, reader):
    tournament = make_tournament([*bots, kingfisher])
    pass_checks(tournament, failing=[kingfisher])
    page = text_of(reader(ana).get(ENTER))
    assert "failed its check View check match (Kingfisher v2) Crashed during its check. It ended." in page
    for_others = text_of(reader(ben).get(ENTER))
    assert "failed its check Crashed during its check." in for_others and "It ended." not in for_others
    assert "It ended." in text_of(reader(tournament.organiser).get(ENTER))


def test_an_author_withdraws_and_enters_again(ana, eva, kingfisher, reader):
    make_tournament()
    client = reader(ana)
    client.post(ENTER, {"entry": "kingfisher"})
    withdraw = f"/tournaments/autumn-cup/entrants/{own(kingfisher).pk}/withdraw/"
    assert reader(eva).post(withdraw).status_code == 403 and reader(None).post(withdraw).status_code == 302
    answer = client.post(withdraw, {"reason": "Not good enough"}, follow=True)
    assert answer.redirect_chain == [(ENTER, 302)] and "Kingfisher has been withdrawn." in text_of(answer)
    assert (own(kingfisher).state, str(own(kingfisher).state_reason)) == ("withdrawn", "Not good enough")
    assert "is already out" in text_of(client.post(withdraw, follow=True))
    client.post(ENTER, {"entry": "kingfisher"})
    assert own(kingfisher).state == "checking"


def test_who_plays_may_leave_and_is_told_what_is_lost(ana, kingfisher, bots, reader):
    begin([*bots, kingfisher])
    client = reader(ana)
    page = text_of(client.get(ENTER))
    assert "It loses its current two-bot pairing" in page and "Entries are closed." in page
    client.post(f"/tournaments/autumn-cup/entrants/{own(kingfisher).pk}/withdraw/")
    assert own(kingfisher).left_in_round == 1 and "withdrawn" in text_of(client.get(ENTER))


def test_of_a_bot_with_many_versions_the_newest_are_offered(ana, make_version, reader):
    for number in range(13):
        make_version(ana, "Kingfisher", FIRST_LEGAL + f"# {number}".encode())
    make_tournament()
    page = text_of(reader(ana).get(ENTER))
    assert "Kingfisher v4 only" in page and "Kingfisher v3 only" not in page


def test_the_page_asks_as_often_for_many_as_for_few(ana, kingfisher, reader, django_assert_num_queries):
    bots, client = make_bots(8), reader(ana)
    few, many = make_tournament(bots[:2]), make_tournament([*bots, kingfisher])
    client.post(f"{few.get_absolute_url()}enter/", {"entry": "kingfisher"})
    client.get(f"{few.get_absolute_url()}enter/")
    with CaptureQueriesContext(connection) as asked:
        client.get(f"{few.get_absolute_url()}enter/")
    with django_assert_num_queries(len(asked)):
        client.get(f"{many.get_absolute_url()}enter/")
