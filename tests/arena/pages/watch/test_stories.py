"""Stories as they are computed from the database, against counts in plain SQL, and as pages show them."""

import json
import zlib
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils.timezone import localdate, now

from arena.bots.models import BotVersion
from arena.contests.analysis.models import LegAnalysis, SeatAnalysis
from arena.contests.ladders.models import LadderMatch, PairStat, RatingChange, RatingPoint
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.stories import services
from arena.contests.stories.models import Story
from arena.contests.stories.services import (
    tell_first_stories_of_today,
    tell_stories,
    tell_stories_of_today,
    tell_stories_of_yesterday,
)
from arena.matches.models import Leg, LegSeat, Match
from arena.matches.services import queue_match
from engine.registry import GAMES
from engine.replay import find_close_call
from tests.arena.pages.conftest import play_at_random
from tests.conftest import make_deal_and_salts
from tests.engine.battleline.test_narrow_claims import claim_first
from tests.engine.plays import random_record

MAY_BE = "narrowest claim"
"""Whether a leg has such a claim depends on its deal."""
ATOM = "{http://www.w3.org/2005/Atom}"


def rows(sql: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


@pytest.fixture
def day_of_matches(finished, versions, play) -> list[Match]:
    """Three more rated matches; in the second of all, the winner had been rated far below."""
    ladder = finished.ladder_match.ladder
    matches = [finished]
    for seed in (1, 2, 3):
        match = queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts(seed))
        LadderMatch.objects.create(ladder=ladder, match=match)
        assert play(match)
        append_finished_matches(ladder=ladder)
        matches.append(match)
    winner, loser = matches[1].participants.order_by("-points")
    matches[1].participants.filter(pk=winner.pk).update(points=1.0)
    matches[1].participants.filter(pk=loser.pk).update(points=0.0)
    RatingChange.objects.filter(ladder_match__match=matches[1], entry__version=winner.version).update(before=1200)
    RatingChange.objects.filter(ladder_match__match=matches[1], entry__version=loser.version).update(before=1800)
    cache.clear()
    return matches


def test_stories_are_what_plain_sql_finds(day_of_matches):
    count = tell_stories_of_today()
    told = {story.kind: story for story in Story.objects.all()}
    assert count == len(told) and told.keys() - {MAY_BE} == {"match of the day", "upset", "longest"}
    (longest,) = rows("select match_id, number from matches_leg order by decisions desc, match_id, number limit 1")
    assert (told["longest"].match_id, told["longest"].leg) == longest
    upset = told["upset"]
    assert upset.match == day_of_matches[1] and upset.facts["ratings"] == [1200, 1800]
    best = rows(
        "select l.match_id from ladders_ratingchange c join ladders_laddermatch l on l.id = c.ladder_match_id "
        "join ladders_entry e on e.id = c.entry_id group by l.match_id "
        "order by cast(min(e.rating) / 50 as integer) desc, max(e.rating) - min(e.rating), l.match_id desc limit 1"
    )
    assert [(told["match of the day"].match_id,)] == best


def test_telling_again_changes_nothing_and_a_cancelled_match_leaves(day_of_matches):
    tell_stories_of_today()
    before = list(Story.objects.order_by("pk").values())
    tell_stories_of_today()
    assert list(Story.objects.order_by("pk").values()) == before
    LadderMatch.objects.filter(match=day_of_matches[1]).update(void_sequence=99)
    tell_stories_of_today()
    assert not Story.objects.filter(match=day_of_matches[1]).exists()


def test_the_first_stories_of_a_day_wait_for_no_full_hour_and_others_do(day_of_matches):
    count = tell_first_stories_of_today()
    assert count == Story.objects.count() > 0
    LadderMatch.objects.filter(match=day_of_matches[1]).update(void_sequence=99)
    assert tell_first_stories_of_today() == 0 and Story.objects.filter(match=day_of_matches[1]).exists()


def test_matches_of_other_days_and_with_faults_are_not_told(day_of_matches):
    assert tell_stories(day=localdate() - timedelta(days=1)) == 0
    LegSeat.objects.filter(seat=0).update(verdict="crash")
    assert tell_stories_of_today() == 0


def test_climbers_and_rivals(day_of_matches, versions):
    one, other = (version.entries.get() for version in versions)
    today = localdate()
    for entry, before, after in ((one, 1500, 1530), (other, 1500, 1570)):
        RatingPoint.objects.filter(entry=entry).delete()
        for day, rating in ((today - timedelta(days=6), before), (today - timedelta(days=2), 1400), (today, after)):
            RatingPoint.objects.create(entry=entry, day=day, rating=rating, deviation=30, rank=1, matches=9)
    PairStat.objects.update(matches=20, halves=42)
    tell_stories_of_today()
    climber, rivalry = Story.objects.get(kind="climber"), Story.objects.get(kind="rivalry")
    assert climber.first == other and climber.facts == {
        "before": 1500,
        "after": 1570,
        "ratings_by_day": [1500, 1400, 1570],
    }
    assert rivalry.facts["matches"] == 20 and rivalry.facts["points"] == [10.5, 9.5]
    assert len(rivalry.facts["last"]) == 4
    page = Client().get("/today/")
    headlines = {card.story.kind: card.headline for card in page.context["cards"]}
    assert headlines["climber"] == "Heron climbs 70 points in a week"
    assert "10.5–9.5" in page.text


def test_the_page_the_days_and_the_feed(day_of_matches):
    assert "The first stories appear within" in Client().get("/today/").text
    tell_stories_of_today()
    page = Client().get("/today/")
    cards = {card.story.kind: card for card in page.context["cards"]}
    assert cards["upset"].headline.endswith("beats a bot rated 600 points higher")
    assert sum(cards["upset"].marks) == 1 and cards["longest"].picture.says
    bars = cards["longest"].drawing.count("<path")
    assert 0 < bars <= cards["longest"].story.facts["decisions"] and f"each of its {bars} turns" in page.text
    assert cards["match of the day"].drawing == ""
    front = [card.story for card in Client().get("/").context["stories"]]
    assert front[0].kind == "match of the day" and {story.kind for story in front} <= set(cards)
    assert len({story.match_id for story in front}) == len(front), "each is of another match"
    Story.objects.filter(kind="longest").update(day=date(2026, 1, 2))
    assert Client().get("/today/").context["earlier"] == [date(2026, 1, 2)]
    assert len(Client().get("/today/2026-01-02/").context["cards"]) == 1
    for wrong in ("2026-01-03", "tomorrow"):
        assert Client().get(f"/today/{wrong}/").status_code == 404
    feed = ElementTree.fromstring(Client().get("/today/atom.xml").content)
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == len(cards)
    links = {entry.find(f"{ATOM}link").attrib["href"] for entry in entries}
    assert links == {f"http://testserver{card.url}" for card in cards.values()}


def test_a_story_asks_as_much_for_many_as_for_few(day_of_matches, django_assert_max_num_queries):
    tell_stories_of_today()
    with django_assert_max_num_queries(14):
        Client().get("/today/")


@pytest.fixture
def narrow_claims(day_of_matches) -> list[tuple[tuple[int, ...], int, int]]:
    """Margin, match and leg of the close calls in the legs of the day, which get records with claims."""
    for seed, leg in enumerate(Leg.objects.filter(match__in=day_of_matches).order_by("match", "number")):
        record = random_record(GAMES["battleline"], "standard", seed, claim_first)
        Leg.objects.filter(pk=leg.pk).update(record=zlib.compress(json.dumps(record).encode()))
    found = rows("select match_id, number, record from matches_leg order by match_id, number")
    calls = [(find_close_call(json.loads(zlib.decompress(record))), match, number) for match, number, record in found]
    cache.clear()
    margins = [(call.margin, match, number) for call, match, number in calls if call is not None]
    assert margins
    return margins


def test_the_narrowest_claim_is_that_of_all_legs_of_the_day(narrow_claims):
    tell_stories_of_today()
    story = Story.objects.get(kind="narrowest claim")
    assert tuple(story.facts["margin"]) == min(margin for margin, *_ in narrow_claims)
    assert (tuple(story.facts["margin"]), story.match_id, story.leg) in narrow_claims
    claimant = rows(
        "select p.version_id from matches_legseat s join matches_leg l on l.id = s.leg_id "
        "join matches_participant p on p.id = s.participant_id "
        f"where l.match_id = {story.match_id} and l.number = {story.leg} and s.seat = {story.facts['seat']}"
    )
    assert claimant == [(story.first.version_id,)]
    card = next(card for card in Client().get("/today/").context["cards"] if card.story == story)
    assert card.url == f"/matches/{story.match_id}/?leg={story.leg}&turn={story.facts['step']}"
    assert f"{story.first.version.bot.name} claims flag {story.facts['call']['flag']}" in card.headline
    assert card.picture.board.names[story.facts["seat"]] == story.first.version.bot.name


def test_only_so_many_matches_are_replayed(narrow_claims, monkeypatch):
    monkeypatch.setattr(services, "MAX_MATCHES_REPLAYED", 1)
    tell_stories_of_today()
    best = Story.objects.get(kind="match of the day")
    assert set(Story.objects.filter(kind="narrowest claim").values_list("match", flat=True)) <= {best.match_id}


def test_climbers_and_rivals_are_what_plain_sql_finds(day_of_matches, versions):
    today = localdate()
    for number, version in enumerate(versions):
        for ago in range(10):
            rating = 1500 + (7 * ago * ago + 31 * number) % 90
            RatingPoint.objects.update_or_create(
                entry=version.entries.get(),
                day=today - timedelta(days=ago),
                defaults={"rating": rating, "deviation": 30, "rank": 1 if ago % 4 != 3 else None, "matches": 9},
            )
    PairStat.objects.update(matches=20, halves=42)
    tell_stories_of_today()
    climbs = rows(
        "select n.entry_id, n.rating - o.rating from ladders_ratingpoint n join ladders_ratingpoint o "
        "on o.entry_id = n.entry_id and o.day = (select min(day) from ladders_ratingpoint "
        f"where entry_id = n.entry_id and rank is not null and day >= '{today - timedelta(days=7)}') "
        f"where n.day = '{today}' order by 2 desc limit 1"
    )
    climber, rivalry = Story.objects.get(kind="climber"), Story.objects.get(kind="rivalry")
    assert climbs == [(climber.first_id, climber.facts["after"] - climber.facts["before"])]
    wins = rows(
        "select l.match_id, one.points - other.points from ladders_laddermatch l "
        "join matches_participant one on one.match_id = l.match_id "
        "join matches_participant other on other.match_id = l.match_id and other.id != one.id "
        f"where one.version_id = {rivalry.first.version_id} order by l.sequence"
    )
    assert rivalry.facts["last"] == [0.5 + 0.5 * ((lead > 0) - (lead < 0)) for _match, lead in wins]


def test_yesterday_is_finished_at_night(day_of_matches):
    Match.objects.update(finished_at=now() - timedelta(days=1))
    assert tell_stories_of_today() == 0
    count = tell_stories_of_yesterday()
    assert count >= 3
    assert set(Story.objects.values_list("day", flat=True)) == {localdate() - timedelta(days=1)}
    tell_stories_of_today()
    assert Story.objects.count() == count


def test_on_sundays_a_match_is_told_whose_legs_began_alike_and_were_won_by_one_bot(day_of_matches, monkeypatch):
    monkeypatch.setattr(services, "MIN_ALIKE", 0)
    sunday = services.SUNDAY
    monkeypatch.setattr(services, "SUNDAY", localdate().isoweekday() % sunday + 1)
    LegSeat.objects.update(place=2)
    match = day_of_matches[2]
    winner, loser = match.participants.order_by("-points", "index")
    match.participants.filter(pk=winner.pk).update(points=1.0)
    match.participants.filter(pk=loser.pk).update(points=0.0)
    LegSeat.objects.filter(participant=winner).update(place=1)
    tell_stories_of_today()
    assert not Story.objects.filter(kind="same cards").exists()
    monkeypatch.setattr(services, "SUNDAY", localdate().isoweekday())
    tell_stories_of_today()
    story = Story.objects.get(kind="same cards")
    assert (story.match, story.first.version) == (match, winner.version)
    one, other = (
        [(e["seat"], e["action"]) for e in leg.record_data["actions"]] for leg in match.legs.order_by("number")
    )
    alike = story.facts["alike"]
    assert one[:alike] == other[:alike] and (alike == len(one) or one[alike] != other[alike])
    page = Client().get("/today/").text
    assert f"{winner.version.bot.name} wins with either hand" in page and page.count('class="miniature"') == 2


def test_on_sundays_a_match_is_told_of_which_each_bot_won_a_leg_and_what_the_first_difference_cost(
    day_of_matches, monkeypatch, record_of
):
    monkeypatch.setattr(services, "SUNDAY", localdate().isoweekday())
    LegSeat.objects.update(place=2)
    match, same = day_of_matches[2], day_of_matches[3]
    one, other = record_of(3), play_at_random(3, forfeit_at=40)
    for legs, records in ((match.legs, (one, other)), (same.legs, (one, one))):
        for leg, record in zip(legs.order_by("number"), records, strict=True):
            Leg.objects.filter(pk=leg.pk).update(record=zlib.compress(json.dumps(record).encode()))
    for each in (match, same):
        each.participants.update(points=0.5)
        for leg in each.legs.all():
            leg.seats.filter(seat=0).update(place=1)
    tell_stories_of_today()
    story = Story.objects.get(kind="one win each")
    assert story.match == match and story.facts["alike"] == 40 and story.facts["cost"] == 0
    page = Client().get("/today/").text
    assert "win one leg each" in page and "Both legs begin with the same 40 moves, with seats swapped." in page
    careless = note_loss(match, leg=2, seat=one["actions"][40]["seat"], number=40, loss=0.25)
    note_loss(match, leg=1, seat=one["actions"][40]["seat"], number=12, loss=0.5)
    tell_stories_of_today()
    story.refresh_from_db()
    assert (story.facts["cost"], story.first.version) == (25, careless)
    kept = f"{careless.bot.name} gives away 25 points of winning chance that {story.second.version.bot.name} keeps."
    assert kept in Client().get("/today/").text


def note_loss(match: Match, leg: int, seat: int, number: int, loss: float) -> BotVersion:
    """Store an analysis of a leg with this loss, and return who made that decision."""
    row = LegSeat.objects.get(leg__match=match, leg__number=leg, seat=seat)
    state = LegAnalysis.State.DONE
    analysis = LegAnalysis.objects.create(leg=row.leg, function_version="1", function_hash="0", state=state)
    figures = dict.fromkeys(("start", "result", "luck", "skill", "draw_luck", "draw_luck_squares"), 0.0)
    mistake = {"number": number, "action": "", "better": "", "kind": "", "judgement": "blunder", "loss": loss}
    SeatAnalysis.objects.create(
        analysis=analysis,
        seat=seat,
        participant=row.participant,
        given_away=loss,
        decisions=1,
        draws=0,
        mistakes=[mistake],
        **figures,
    )
    return row.participant.version
