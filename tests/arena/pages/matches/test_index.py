from datetime import timedelta

import pytest
from django.test import Client
from django.utils.html import escape
from django.utils.timezone import now

from arena.contests.analysis.models import LegAnalysis
from arena.contests.analysis.queries import TurningPoint
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import open_season
from arena.matches import filters
from arena.matches.models import Leg, Match, Trial
from arena.matches.services import queue_match
from arena.pages.matches import results
from arena.people.accounts.models import User
from tests.arena.contests.ladders.conftest import store_match
from tests.full import default_and_full

DRAWN = [[1, 2], [2, 1]]
"""Each wins the leg in which it sits first."""


@pytest.fixture(scope="module")
def world(module_db: None, make_version) -> tuple[int, list[int], dict[str, int]]:
    """Keys of a ladder, of its bots, and of matches by what there is to find."""
    ladder = open_season(game="battleline", edition="standard", title="Battle Line")
    king, heron, crane = entries = [
        enter_version(ladder=ladder, version=make_version(User.objects.create_user(owner), name))
        for name, owner in {"Kingfisher": "ana", "Heron": "ben", "Crane": "house"}.items()
    ]
    matches = {
        "won": store_match(ladder, [king, heron], [[1, 2], [1, 2]]).match_id,
        "drawn": store_match(ladder, [king, heron], DRAWN).match_id,
        "lost": store_match(ladder, [heron, king], [[1, 2], [1, 2]], [(0, 1)]).match_id,
        "crane": store_match(ladder, [king, crane], [[1, 2], [1, 2]]).match_id,
        "others": store_match(ladder, [heron, crane], [[2, 1], [2, 1]], [(1, 0)]).match_id,
        "unrated": queue_match(versions=[king.version, crane.version], game="battleline", edition="standard").pk,
    }
    return ladder.pk, [entry.pk for entry in entries], matches


@pytest.fixture
def ladder(db, world) -> Ladder:
    return Ladder.objects.get(pk=world[0])


@pytest.fixture
def three(db, world) -> list[Entry]:
    """Bots of three authors: Kingfisher, Heron and Crane."""
    return [Entry.objects.get(pk=entry) for entry in world[1]]


@pytest.fixture
def played(db, world) -> dict[str, int]:
    """Ids by what there is to find."""
    return world[2]


def listed(query: str) -> list[int]:
    answer = Client().get(f"/matches/?{query}")
    assert answer.status_code == 200, answer.context["form"].errors
    return [row.match.pk for row in answer.context["rows"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "others crane lost drawn won"),
        ("bot=kingfisher", "unrated crane lost drawn won"),
        ("bot=Kingfisher&opponent=heron", "lost drawn won"),
        ("bot=kingfisher&result=won", "crane won"),
        ("bot=kingfisher&result=lost", "lost"),
        ("bot=kingfisher&result=drawn", "drawn"),
        ("bot=heron&result=won", "lost"),
        ("fault=any", "others lost"),
        ("fault=timeout", ""),
        ("bot=kingfisher&fault=any", "lost"),
        ("bot=heron&fault=any", "others"),
        ("rated=no", "unrated"),
        ("rated=yes&bot=crane", "others crane"),
        ("state=queued", "unrated"),
        ("state=finished&opponent=crane&bot=heron", "others"),
        ("game=battleline&edition=standard&rated=no", "unrated"),
        ("game=battalion", ""),
        ("edition=advanced", ""),
    ],
)
def test_matches_are_found(played, query, found):
    assert listed(query) == [played[name] for name in found.split()]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("bot=nobody", "No bot called nobody."),
        ("bot=kingfisher&opponent=nobody", "No bot called nobody."),
        ("result=won", "Specify the bot, too."),
        ("opponent=heron", "Specify the bot, too."),
        ("game=chess", "Unknown value chess. Choose one of: battleline, battalion"),
        ("game=battalion&edition=medieval", "Battalion has no such edition."),
        ("state=lost", "Unknown value lost. Choose one of: "),
        ("fault=1", "Unknown value 1. Choose one of: any"),
        ("rated=maybe", "Unknown value maybe. Choose one of: yes, no"),
        ("bot=%00", "Null characters are not allowed."),
        ("bot=%3Cb%3E", "No bot called &lt;b&gt;."),
    ],
)
def test_what_cannot_be_understood_is_told(played, query, words):
    answer = Client().get(f"/matches/?{query}")
    assert answer.status_code == 400
    assert words in answer.text and not answer.context["rows"]


def walk(query: str) -> list[int]:
    """What all pages have, by their links: left, and back again."""
    there, back, address = [], [], f"/matches/?{query}"
    for found, neighbour in ((there, "older"), (back, "newer")):
        while True:
            page = Client().get(address).context["page"]
            keys = [match.pk for match in page.rows]
            found.extend(keys if neighbour == "older" else keys[::-1])
            key = getattr(page, neighbour)
            if key is None:
                break
            address = f"/matches/?{query}&{'before' if neighbour == 'older' else 'after'}={key}"
    assert set(back) <= set(there)
    return there


@pytest.mark.parametrize("depth", default_and_full([1, 3], [2, 50]))
@pytest.mark.parametrize(
    "query", ["", "bot=kingfisher", "bot=kingfisher&result=won", "fault=any", "bot=heron&opponent=crane", "rated=no"]
)
def test_pages_come_to_all_that_fits_however_far_each_looks(played, monkeypatch, query, depth):
    everything = listed(query)
    monkeypatch.setattr(results, "MATCHES_PER_PAGE", 2)
    monkeypatch.setattr(filters, "MAX_MATCHES_SCANNED", depth)
    monkeypatch.setattr(filters, "MAX_MATCHES_OF_BOT_SCANNED", depth)
    assert walk(query) == everything


def test_the_records_of_what_is_listed_are_downloaded(played):
    """By the API's address, with the same filters."""
    page = Client().get("/matches/?bot=Kingfisher&result=lost&opponent=&state=finished")
    address = page.context["export"]
    assert address == "/api/v1/records/export/?bot=kingfisher&result=lost" and f'href="{escape(address)}"' in page.text
    assert Client().get(address).status_code == 200
    assert Client().get("/matches/?rated=yes").context["export"] == ""  # a download has no such filter


def test_a_page_says_how_far_it_looked(played, monkeypatch):
    monkeypatch.setattr(filters, "MAX_MATCHES_SCANNED", 2)
    page = Client().get("/matches/?fault=timeout").text
    assert "there may be older ones" in page
    assert f"Searched back to match {played['others']}." in page


def test_all_versions_of_a_bot_are_its_own(played, ladder, three, make_version):
    newer = enter_version(ladder=ladder, version=make_version(three[0].version.bot.owner, "Kingfisher"))
    match = store_match(ladder, [newer, three[1]], DRAWN).match_id
    assert listed("bot=kingfisher")[0] == match
    assert listed("bot=kingfisher&result=drawn") == [match, played["drawn"]]


def test_a_result_is_not_told_before_the_match_is_over(played):
    Match.objects.filter(pk=played["lost"]).update(state="running", finished_at=None, started_at=now() - timedelta(1))
    assert listed("bot=kingfisher&result=lost") == [] and listed("bot=kingfisher&fault=any") == []


def test_a_row_says_what_it_was_for_and_how_it_ended(played, ladder, three):
    Leg.objects.filter(match=played["won"], number=1).update(reason="breakthrough")
    Leg.objects.filter(match=played["won"], number=2).update(reason="envelopment")
    Trial.objects.create(match_id=played["lost"], version=three[0].version)
    LadderMatch.objects.filter(match__in=[played["lost"], played["others"]]).delete()
    append_finished_matches(ladder=ladder)
    rows = {row.match.pk: row for row in Client().get("/matches/?game=battleline").context["rows"]}
    assert rows[played["won"]].endings == ["breakthrough", "envelopment"] and not rows[played["won"]].purpose
    assert rows[played["lost"]].purpose == "trial"
    assert rows[played["others"]].purpose == "unrated" and rows[played["others"]].endings == []


def test_a_row_leads_to_where_the_match_turned(played):
    leg = Leg.objects.get(match=played["won"], number=2)
    analysis = LegAnalysis.objects.create(leg=leg, state=LegAnalysis.State.DONE)
    numbers = {"given_away": 0.3, "decisions": 9, "start": 0.5, "result": 1, "luck": 0, "skill": 0.5, "draws": 0}
    numbers |= {"draw_luck": 0, "draw_luck_squares": 0}
    for seat, losses in enumerate(([(12, 0.1), (30, 0.2)], [(41, 0.15)])):
        mistakes = [{"number": number, "loss": loss} for number, loss in losses]
        participant = leg.match.participants.get(index=seat)
        analysis.seats.create(seat=seat, participant=participant, mistakes=mistakes, **numbers)
    rows = {row.match.pk: row.turning_point for row in Client().get("/matches/").context["rows"]}
    assert rows[played["won"]] == TurningPoint(2, 30, 0.2) and rows[played["lost"]] is None
    assert f"/matches/{played['won']}/?leg=2&amp;turn=decision-30" in Client().get("/matches/").text
