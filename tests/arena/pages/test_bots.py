import pytest
from django.test import Client

from arena.bots.models import BotVersion
from arena.bots.services import create_bot
from arena.ladders.services.entering import enter
from arena.matches.services import queue_match
from tests.conftest import EXITS_AT_ONCE


def test_a_site_without_bots_invites_one(db):
    page = Client().get("/bots/").text
    assert "No bot has been uploaded yet" in page


def test_bots_are_listed_with_rating_and_state(finished, reader):
    page = Client().get("/bots/").text
    for word in ("Kingfisher", "ana", "Heron", "ben", "Accepted"):
        assert word in page


def test_one_may_look_at_ones_own_bots_only(finished, reader, ana, eva):
    assert [bot.name for bot in reader(ana).get("/bots/?mine=1").context["page"]] == ["Kingfisher"]
    assert "You have no bot yet" in reader(eva).get("/bots/?mine=1").text
    assert len(Client().get("/bots/?mine=1").context["page"].object_list) == 2


def test_queries_do_not_grow_with_the_list(ladder, ana, make_version, django_assert_num_queries):
    for count in (1, 5):
        for number in range(count):
            enter(ladder=ladder, version=make_version(ana, f"Bot {count} {number}"))
        with django_assert_num_queries(4):
            Client().get("/bots/")


def test_an_unknown_bot_is_not_found(db):
    assert Client().get("/bots/nobody/").status_code == 404


@pytest.mark.parametrize("who", ["ana", "eva", None])
def test_only_the_owner_is_offered_an_upload(finished, reader, who, request):
    client = reader(request.getfixturevalue(who) if who else None)
    assert ('href="/bots/kingfisher/upload/"' in client.get("/bots/kingfisher/").text) is (who == "ana")


def test_a_bot_has_its_rating_rank_matches_and_a_clean_record(finished):
    page = Client().get("/bots/kingfisher/")
    assert page.context["rank"] in (1, 2)
    assert [row.match for row in page.context["rows"]] == [finished]
    assert page.context["rows"][0].own.version.bot.name == "Kingfisher"
    assert "No crash, timeout or illegal action in 2 legs." in page.text


def test_faults_are_counted_and_lead_to_their_matches(ana, ben, make_version, play):
    versions = [make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")]
    match = queue_match(versions=versions, game="battleline", edition="standard")
    assert play(match)
    page = Client().get("/bots/quitter/").text
    assert "Did not start" in page
    assert f"/matches/{match.pk}/?leg=2" in page
    assert "I give up" not in page


def test_a_bot_without_versions_says_so(ana):
    create_bot(owner=ana, name="Egg", game="battleline")
    page = Client().get("/bots/egg/").text
    assert "No version has been uploaded yet" in page and "It has not played yet" in page


def test_queries_do_not_grow_with_versions_and_matches(ladder, ana, ben, make_version, django_assert_num_queries):
    other = make_version(ben, "Heron")
    for _ in range(3):
        version = make_version(ana, "Kingfisher")
        enter(ladder=ladder, version=version)
        queue_match(versions=[version, other], game="battleline", edition="standard")
        with django_assert_num_queries(9):
            Client().get("/bots/kingfisher/")


def test_a_rejected_version_is_shown_as_such(ana, make_version):
    make_version(ana, "Kingfisher", state=BotVersion.State.REJECTED)
    assert "Rejected" in Client().get("/bots/kingfisher/").text
