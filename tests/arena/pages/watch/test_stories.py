"""Stories as they are computed from the database, against counts in plain SQL, and as pages show them."""

from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils.timezone import localdate

from arena.ladders.models import LadderMatch, PairStat, RatingChange, RatingPoint
from arena.ladders.services.ledger import append_finished_matches
from arena.matches.models import LegSeat, Match
from arena.matches.services import queue_match
from arena.stories.models import Story
from arena.stories.services import tell_stories, tell_stories_of_today

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
    for _ in range(3):
        match = queue_match(versions=versions, game="battleline", edition="standard")
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
    assert tell_stories_of_today() == 3
    told = {story.kind: story for story in Story.objects.all()}
    (longest,) = rows("select match_id, number from matches_leg order by decisions desc, match_id, number limit 1")
    assert (told["longest"].match_id, told["longest"].leg) == longest
    upset = told["upset"]
    assert upset.match == day_of_matches[1] and upset.facts["ratings"] == [1200, 1800]
    best = rows(
        "select l.match_id from ladders_ratingchange c join ladders_laddermatch l on l.id = c.ladder_match_id "
        "group by l.match_id order by sum(c.before) / 2 - (max(c.before) - min(c.before)) desc, l.match_id limit 1"
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
    assert "10.5 : 9.5" in page.text


def test_the_page_the_days_and_the_feed(day_of_matches):
    assert "Nothing to tell yet" in Client().get("/today/").text
    tell_stories_of_today()
    page = Client().get("/today/")
    cards = {card.story.kind: card for card in page.context["cards"]}
    assert cards["upset"].headline.endswith("beats a bot rated 600 points above it")
    assert sum(cards["upset"].marks) == 1 and cards["longest"].picture.says
    assert [card.story.kind for card in Client().get("/").context["stories"]] == list(cards)[:3]
    Story.objects.filter(kind="longest").update(day=date(2026, 1, 2))
    assert Client().get("/today/").context["earlier"] == [date(2026, 1, 2)]
    assert len(Client().get("/today/2026-01-02/").context["cards"]) == 1
    for wrong in ("2026-01-03", "tomorrow"):
        assert Client().get(f"/today/{wrong}/").status_code == 404
    feed = ElementTree.fromstring(Client().get("/today/atom.xml").content)
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 3
    links = {entry.find(f"{ATOM}link").attrib["href"] for entry in entries}
    assert links == {f"http://testserver{card.url}" for card in cards.values()}


def test_a_story_asks_as_much_for_many_as_for_few(day_of_matches, django_assert_max_num_queries):
    tell_stories_of_today()
    with django_assert_max_num_queries(14):
        Client().get("/today/")
