"""Pages about matches between more than two: places and scores in place of a winner and a loser."""

import re
import zlib
from itertools import cycle, product

import orjson
import pytest
from django.test import Client

from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.matches.services import queue_match
from arena.pages.matches.results import finish_of
from engine.replay import verify
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, make_deal_and_salts
from tests.full import is_full_run

NAMES = ["Kingfisher", "Heron", "Osprey", "Bittern"]


@pytest.fixture
def battalion(db) -> Ladder:
    return Ladder.objects.create(game="battalion", edition="standard", title="Battalion")


@pytest.fixture
def table(ana, ben, make_version, battalion):
    """Return a function that seats a number of versions, Ana's and Ben's in turn; the last one exits at once."""

    def seat(players: int):
        sources = [FIRST_LEGAL] * (players - 1) + [EXITS_AT_ONCE]
        return [
            make_version((ana, ben)[number % 2], name, source, game="battalion")
            for number, (name, source) in enumerate(zip(NAMES, sources, strict=False))
        ]

    return seat


@pytest.fixture
def played(table, battalion, play):
    """A rated match between so many."""

    def finish(players: int) -> Match:
        versions = table(players)
        for version in versions:
            enter_version(ladder=battalion, version=version)
        chance = make_deal_and_salts(0, "battalion", "standard", players)
        match = queue_match(versions=versions, game="battalion", edition="standard", **chance)
        LadderMatch.objects.create(ladder=battalion, match=match)
        assert play(match)
        match.refresh_from_db()
        append_finished_matches(ladder=battalion)
        return match

    return finish


def row_of(match, address="/matches/"):
    return next(row for row in Client().get(address).context["rows"] if row.match == match)


@pytest.mark.parametrize(
    ("points", "finishes"),
    [
        ([1.0, 0.5, 0.0], [(1, False), (2, False), (3, False)]),
        ([0.75, 0.75, 0.0], [(1, True), (1, True), (3, False)]),
        ([1 / 3 + 1 / 3, 2 / 3, 1 / 3, 1 / 3], [(1, True), (1, True), (3, True), (3, True)]),
        ([0.1 + 0.2, 0.3], [(1, True), (1, True)]),
    ],
)
def test_places_of_a_match_go_by_points_and_are_shared(points, finishes):
    taken = [Participant(points=one) for one in points]
    assert [(finish.place, finish.is_shared) for finish in (finish_of(one, taken) for one in taken)] == finishes


@pytest.mark.parametrize("players", [3, 4])
def test_a_list_gives_places_and_scores_that_add_up(played, players):
    row = row_of(played(players))
    best = players * (players - 1)
    scores = [float(part.score) for part in row.parts]
    assert row.best_score == best
    assert sum(scores) == pytest.approx(players * best / 2, abs=0.1)
    assert row.parts[-1].finish.place == players and row.parts[-1].score == "0"
    text = Client().get("/matches/").text
    assert "Battalion" in text and all(name in text for name in NAMES[:players])
    assert f"{players}{'rd' if players == 3 else 'th'}</span>" in text


@pytest.mark.parametrize("players", [3, 4])
def test_a_replay_lists_every_leg_with_seats_turning(played, players):
    match = played(players)
    text = Client().get(f"/matches/{match.pk}/").text
    table = text.partition('<table class="legs">')[2].partition("</table>")[0]
    rows = [re.findall(r"sat seat-(\d)", row) for row in table.split("<tr>")[2:]]
    expected = [[str(leg.seating.index(index)) for leg in match.legs.order_by("number")] for index in range(players)]
    assert rows == expected
    starts = LegSeat.objects.filter(leg__match=match, verdict="start").count()
    assert table.count('title="didn&#x27;t start"') == starts > 0
    assert "mirrored" not in text


def test_between_two_there_is_no_table_of_legs(played):
    assert "All legs" not in Client().get(f"/matches/{played(2).pk}/").text


@pytest.mark.parametrize("players", [3, 4])
def test_a_replay_can_be_seen_with_every_pair_of_eyes(played, players, record_of, django_assert_num_queries):
    match = played(players)
    record = record_of(1, "standard", "battalion", players)
    verify(record)
    Leg.objects.filter(match=match).update(record=zlib.compress(orjson.dumps(record)))
    views, turns = ("all", *map(str, range(players))), (0, 2, players, players + 3, 9999)
    for view, turn in product(views, turns) if is_full_run() else zip(cycle(views), turns, strict=False):
        with django_assert_num_queries(9 + players):
            page = Client().get(f"/matches/{match.pk}/?leg=2&turn={turn}&view={view}")
        assert page.status_code == 200
        assert "/rules/battalion/standard/" in page.text
    assert Client().get(f"/matches/{match.pk}/?view={players}").context["scene"].onlooker is None


def test_a_bot_page_and_a_ladder_give_the_place_among_all(played):
    match = played(3)
    osprey = Client().get("/bots/osprey/").text
    ladder = Client().get("/ladders/battalion/standard/").text
    assert "3rd of 3" in osprey
    assert f"/matches/{match.pk}/" in osprey
    for page in (osprey, ladder):
        assert "</svg>Won" not in page and "</svg>Lost" not in page
    assert 'href="/rules/battalion/standard/"' in ladder


def test_the_front_page_has_the_top_of_each_game(played, ladder):
    played(3)
    page = Client().get("/")
    assert [top.ladder.game for top in page.context["tops"]] == ["battalion"], "a ladder with nobody on it has no top"


def test_matches_can_be_asked_for_by_game(played, finished):
    other = played(2)
    for game, match in (("battalion", other), ("battleline", finished)):
        assert [row.match for row in Client().get(f"/matches/?game={game}").context["rows"]] == [match]
    assert Client().get("/matches/?game=chess").status_code == 400


def test_a_bot_on_several_ladders_is_listed_once_with_its_best_rating_first(battalion, ana, make_version):
    version = make_version(ana, "Kingfisher", game="battalion")
    entry = enter_version(ladder=battalion, version=version)
    other = Ladder.objects.create(game="battalion", edition="fast", title="Battalion, fast")
    enter_version(ladder=other, version=version)
    type(entry).objects.filter(pk=entry.pk).update(rating=1642)
    (card,) = Client().get("/bots/").context["cards"]
    assert [round(entry.rating) for entry in card["entries"]] == [1642, 1500]


def test_queries_do_not_grow_with_the_participants(table, django_assert_num_queries):
    versions = table(4)
    for players in (2, 3, 4):
        queue_match(versions=versions[:players], game="battalion", edition="standard")
        with django_assert_num_queries(5):
            Client().get("/matches/?state=queued")


def test_a_waiting_match_names_all_who_will_play(table):
    match = queue_match(versions=table(4), game="battalion", edition="standard")
    for address in (f"/matches/{match.pk}/", "/queue/"):
        assert all(name in Client().get(address).text for name in NAMES)
