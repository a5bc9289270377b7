"""Pages about bots that run on their authors' machines."""

from datetime import timedelta
from html import unescape

import pytest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.utils.html import strip_tags
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Entry, Ladder, PairStat
from arena.matches.models import Match
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from tests.arena.pages.remote_rows import (
    enter,
    finish_ladder_match,
    make_remote_version,
    open_ladder,
    queue_remote_match,
    run_remote_match,
)

LOG = "Refused at decision 8, 1 of 3: there's no action “play R9 12”\nAway at decision 15: the leg waited for 12 s"


@pytest.fixture
def oracle(ana: User) -> BotVersion:
    """Ana's remote bot, which is online and in its second version."""
    make_remote_version(ana, "Oracle", "model W")
    return make_remote_version(ana, "Oracle", is_online=True, seen_at=now(), room=3)


@pytest.fixture
def open_list(db: None) -> Ladder:
    return open_ladder()


@pytest.fixture
def played(oracle: BotVersion, open_list: Ladder, ben: User, make_version) -> Match:
    """A rated match of the remote bot against a sandboxed one, in which two of its answers were refused."""
    heron = make_version(ben, "Heron")
    enter(open_list, oracle, 1612)
    enter(open_list, heron, 1540)
    return finish_ladder_match(open_list, [oracle, heron], refusals=(2, 0), log=LOG)


PAGES = (
    "/",
    "/bots/?q=Oracle",
    "/bots/?mine=1",
    "/bots/oracle/",
    "/bots/oracle/?history=matches",
    "/bots/oracle/?matches=lost",
    "/bots/oracle/v/1/",
    "/bots/oracle/v/2/",
    "/bots/oracle/faults/",
    "/bots/oracle/fingerprint/",
    "/bots/oracle/mistakes/",
    "/bots/oracle/against/heron/",
    "/bots/heron/against/oracle/",
    "/bots/oracle/manage/",
    "/bots/oracle/crest/",
    "/bots/oracle/people/",
    "/bots/oracle/staff/",
    "/bots/oracle/badge.svg",
    "/authors/ana/",
    "/matches/",
    "/matches/?bot=oracle",
    "/queue/",
    "/status/",
    "/watch/",
    "/ladders/",
    "/following/",
    "/admin/bots/bot/",
    "/admin/bots/botversion/",
    "/admin/matches/match/",
    "/matches/{match}/",
    "/matches/{match}/?view=1&turn=last",
    "/matches/{match}/text/",
    "/matches/{match}/text/?format=txt",
    "/embed/matches/{match}/",
    "/matches/{match}/turn/3.svg",
    "/matches/{match}/turn/3/asked.json",
    "/matches/{match}/legs/1/record.json",
    "/matches/{match}/records.zip",
    "/bots/new/",
    "/bots/new/remote/",
    "/bots/oracle/declare/",
    "/ladders/battleline/standard/",
    "/ladders/battleline/standard/open/",
    "/ladders/battleline/standard/open/?format=csv",
    "/ladders/battleline/standard/open/how/",
    "/ladders/battleline/standard/slow/",
    "/matches/{waits}/",
    "/matches/{runs}/",
)


def test_every_page_about_a_remote_bot_opens(played: Match, oracle: BotVersion, ladder, ana: User, reader) -> None:
    ana.is_staff = ana.is_superuser = True
    ana.save()
    heron = played.participants.get(index=1).version
    waits, runs = (queue_remote_match([oracle, heron]) for _ in range(2))
    run_remote_match(runs)
    browser: Client = reader(ana)
    for page in PAGES:
        address = page.format(match=played.pk, waits=waits.pk, runs=runs.pk)
        assert browser.get(address).status_code == 200, address


def read(page: HttpResponseBase) -> str:
    """Return the text of a page with single spaces: what is visible, and what is said to screen readers."""
    assert isinstance(page, HttpResponse)
    return " ".join(unescape(strip_tags(page.content.decode().replace("<", " <"))).split())


def test_its_page_says_where_it_runs_and_how_it_goes(played: Match, oracle: BotVersion, ana: User, reader) -> None:
    stranger, author = (read(reader(one).get("/bots/oracle/")) for one in (None, ana))
    for text in (stranger, author):
        assert "Remote Playing" in text
        assert "Runs on its author's machine Online" in text
        assert "As its author says model X, temperature 0, laptop" in text
        assert "2 in its last leg" in text
        assert "Challenge" not in text
        assert "Upload version" not in text
    assert "pennant remote ./mybot --name oracle --ladder battleline/standard/open" in author
    assert "Connect it" not in stranger
    RemoteBot.objects.update(room=0)
    assert "New matches none on open ladders for now" in read(reader(None).get("/bots/oracle/"))
    RemoteBot.objects.update(is_online=False)
    offline = read(reader(None).get("/bots/oracle/"))
    assert "Offline" in offline
    assert "New matches" not in offline


def test_a_replay_counts_refusals_and_offers_no_rerun_of_a_remote_bot(
    played: Match, ana: User, ben: User, reader
) -> None:
    author, rival = (reader(one).get(f"/matches/{played.pk}/") for one in (ana, ben))
    for page in (author, rival):
        assert "Remote bots real time, from request to answer Oracle 2 2 answers refused" in read(page)
        assert "60 s for each answer, 10 min for the leg" in read(page)
        assert "Leg 2" not in read(page)
    assert author.context["reruns"] == []
    assert [one.start.split()[-4] for one in rival.context["reruns"]] == ["heron/1"]
    assert "Away at decision 15" in read(author)
    assert "Away at decision 15" not in read(rival)
    assert "answered in 4.32 s" in author.content.decode()


def test_a_remote_bot_is_marked_in_crosstables_and_where_it_is_on_no_ladder(
    played: Match, ana: User, ben: User, reader
) -> None:
    one, other = Entry.objects.order_by("pk")
    PairStat.objects.create(ladder=one.ladder, low=one, high=other, seats=1, matches=4, halves=5)
    ladder = read(reader(None).get("/ladders/battleline/standard/open/"))
    crosstable = ladder.partition("Who beats whom")[2].partition("Against each opponent")[0]
    assert "Remote Oracle" in crosstable and "Remote Heron" not in crosstable
    make_remote_version(ben, "Sleeper")
    assert "Sleeper Remote Battle Line" in read(reader(None).get("/authors/ben/"))


def test_the_status_page_says_what_is_known_of_the_server(oracle: BotVersion, reader) -> None:
    def look() -> str:
        return read(reader(None).get("/status/"))

    assert "The remote-bot server is running. Last report: now" in look()
    RemoteBot.objects.update(seen_at=now() - timedelta(hours=1))
    assert "Bots were connected at the remote-bot server's last report: an hour ago" in look()
    RemoteBot.objects.update(is_online=False)
    assert "No bot is connected. The remote-bot server reports only while one is." in look()


def test_a_match_waits_for_its_bots_and_is_not_stuck(oracle: BotVersion, ben: User, ana: User, reader) -> None:
    away = make_remote_version(ben, "Sleeper")
    match = queue_remote_match([oracle, away])
    queue = reader(ana).get("/queue/")
    assert queue.context["stuck_count"] == 0
    assert "Waits for Sleeper to come online." in read(queue)
    assert "Waits for Sleeper to come online." in read(reader(None).get(f"/matches/{match.pk}/"))


def test_an_author_creates_a_remote_bot_declares_a_version_and_joins(ana: User, house: User, reader) -> None:
    browser: Client = reader(ana)
    assert "Run it on your own machine" in read(browser.get("/bots/new/"))
    sent = {"name": "Heron", "game": "battleline", "declared": "engine in Delphi"}
    page = browser.post("/bots/new/remote/", sent, follow=True)
    assert page.redirect_chain == [("/bots/heron/", 302)]
    assert "Heron is ready. Connect it as described below." in read(page)
    assert browser.post("/bots/new/remote/", sent | {"declared": ""}).status_code == 400
    assert "Version 2 declared." in read(browser.post("/bots/heron/declare/", {"declared": "Delphi 13"}, follow=True))
    assert browser.get("/bots/heron/upload/").status_code == 302

    assert "No bot has joined yet." in read(browser.get("/ladders/battleline/standard/slow/"))
    joined = browser.post("/ladders/battleline/standard/slow/bots/", {"bot": "heron", "act": "join"}, follow=True)
    assert "Heron now plays on this ladder." in read(joined)
    row = next(one for one in joined.context["rows"] if one.entry.version.bot.slug == "heron")
    assert (row.entry.version.number, row.is_online) == (2, False)
    assert "2 min for each answer, and a bank of 60 min for the leg" in read(joined)
    assert "Battle Line, Standard: slow open ladder" in read(browser.get("/ladders/"))
    sent = {"bot": "heron", "act": "leave", "next": "/bots/heron/"}
    left = browser.post("/ladders/battleline/standard/slow/bots/", sent, follow=True)
    assert left.redirect_chain == [("/bots/heron/", 302)]
    assert "Heron no longer plays on this ladder." in read(left)


def test_a_sandboxed_bot_joins_from_its_manage_page_and_only_by_its_author(
    ana: User, ben: User, house: User, make_version, reader
) -> None:
    make_version(ana, "Kingfisher")
    page = reader(ana).get("/bots/kingfisher/manage/")
    assert "Join (Standard, open ladder)" in read(page)
    sent = {"bot": "kingfisher", "act": "join", "next": "https://elsewhere.example/"}
    refused = reader(ben).post("/ladders/battleline/standard/open/bots/", sent, follow=True)
    assert not Ladder.objects.for_remote().exists()
    assert refused.status_code == 200
    joined = reader(ana).post("/ladders/battleline/standard/open/bots/", sent, follow=True)
    assert joined.redirect_chain == [("/ladders/battleline/standard/open/", 302)]
    assert [one.entry.version.bot.name for one in joined.context["rows"]] == ["Kingfisher"]
