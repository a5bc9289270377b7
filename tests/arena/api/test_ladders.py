from datetime import date

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.formations.models import Formation, make_formation
from arena.contests.formations.services import name_formation, register_library
from arena.contests.ladders.models import Entry, Ladder, RatingPoint
from arena.contests.ladders.rating import expected_score
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import close_season
from arena.matches.models import Match
from arena.people.accounts.models import User
from engine.games.battalion.formations import FORMATIONS
from engine.season import commitment
from tests.arena.api.played import Script
from tests.conftest import MakeVersion

LADDER = "/ladders/battleline/standard"


def test_ladders_are_the_seasons_that_run(ladder: Ladder, versions: list[BotVersion]):
    following = close_season(ladder=ladder)
    (told,) = Script().read("/ladders/")["results"]
    assert told == Script().read(f"{LADDER}/")
    assert (told["season"], told["commitment"], told["bots"]) == (2, following.commitment, 2)
    assert "secret" not in told
    assert Script().get("/ladders/battleline/sideways/").status_code == 404


@pytest.fixture
def field(ladder: Ladder, ana: User, make_version: MakeVersion) -> list[Entry]:
    """Five bots on the ladder, best first; the last two are not settled."""
    entries = []
    for place in range(5):
        entry = enter_version(
            ladder=ladder, version=make_version(User.objects.create(username=f"author{place}"), f"bot {place}")
        )
        assert entry is not None
        entry.rating, entry.deviation, entry.is_ranked = 1700 - 50 * (place // 2), 40 + place, place < 3
        entry.save()
        entries.append(entry)
    return entries


def test_a_standing_goes_on_where_the_page_before_ended(field: list[Entry]):
    script, lines, path = Script(), [], f"/api/v1{LADDER}/standings/?limit=2"
    while path:
        page = script.client.get(path).json()
        lines += page["results"]
        path = page["next"]
    assert [line["bot"] for line in lines] == [f"bot-{place}" for place in range(5)]
    assert [line["rank"] for line in lines] == [1, 2, 3, None, None]
    assert lines[0]["margin_95"] == pytest.approx(1.96 * 40)


def test_a_standing_has_the_line_of_one_bot(field: list[Entry]):
    (line,) = Script().read(f"{LADDER}/standings/", bot="bot-2")["results"]
    assert (line["bot"], line["rank"], line["authors"]) == ("bot-2", 3, ["author2"])
    assert Script().read(f"{LADDER}/standings/", bot="nobody")["results"] == []


def test_who_is_suspended_is_not_in_the_standing(field: list[Entry]):
    Entry.objects.filter(pk=field[0].pk).update(state=Entry.State.SUSPENDED)
    assert [line["rank"] for line in Script().read(f"{LADDER}/standings/")["results"]] == [1, 2, None, None]


def test_a_season_tells_its_secret_when_its_last_match_is_over(rated: Match, queued: Match, ladder: Ladder):
    def told() -> dict:
        return Script().read(f"{LADDER}/seasons/1/")

    secret = Ladder.objects.get(pk=ladder.pk).secret
    assert told()["secret"] is None
    close_season(ladder=ladder)
    assert told()["secret"] is None and told()["closed_at"]
    queued.ladder_match.in_flight = False
    queued.ladder_match.save()
    assert told()["secret"] == secret and commitment(secret) == told()["commitment"]
    assert [season["season"] for season in Script().read(f"{LADDER}/seasons/")["results"]] == [2, 1]
    assert Script().read(f"{LADDER}/seasons/2/")["secret"] is None
    assert Script().get(f"{LADDER}/seasons/3/").status_code == 404
    assert Script().get("/ladders/battleline/sideways/seasons/").status_code == 404
    assert len(Script().read(f"{LADDER}/seasons/1/standings/")["results"]) == 2


def test_the_deals_of_a_season_are_listed_by_number(rated: Match, queued: Match):
    document = Script().read(f"{LADDER}/seasons/1/")
    assert document["last_number"] == 2
    first, second = Script().client.get(document["deals"]).json()["results"]
    assert (first["number"], first["match"], first["state"]) == (1, rated.pk, "finished")
    assert (second["number"], second["match"], second["seats"]) == (2, queued.pk, 2)
    assert second["deal_hashes"] == [leg.deal_hash for leg in queued.legs.order_by("number")]
    assert first["record_hashes"] == [leg.record_hash for leg in rated.legs.order_by("number")]
    assert all(first["record_hashes"])
    assert not {"deal", "salt", "salts", "record_hashes"} & second.keys()


def test_the_history_of_a_rating_is_told_newest_first(versions: list[BotVersion]):
    entry = Entry.objects.get(version=versions[0])
    for day, rating in ((1, 1500), (2, 1530)):
        RatingPoint.objects.create(entry=entry, day=date(2026, 11, day), rating=rating, deviation=90, matches=day)
    points = Script().read("/bots/kingfisher/ratings/", edition="standard", season=1, version=1)["results"]
    assert [(point["day"], point["rating"], point["rank"]) for point in points] == [
        ("2026-11-02", 1530, None),
        ("2026-11-01", 1500, None),
    ]
    assert Script().read("/bots/kingfisher/ratings/", edition="short")["results"] == []
    assert Script().read("/bots/heron/ratings/")["results"] == []
    assert Script().get("/bots/nobody/ratings/").status_code == 404


def test_head_to_head_is_told_from_both_sides(rated: Match):
    (one,) = Script().read("/bots/kingfisher/head-to-head/")["results"]
    (other,) = Script().read("/bots/heron/head-to-head/", version=1)["results"]
    assert (one["opponent"], other["opponent"]) == ("heron", "kingfisher")
    assert one["matches"] == other["matches"] == 1
    assert one["score"] + other["score"] == 1 and one["expected_score"] + other["expected_score"] == pytest.approx(1)
    points = rated.participants.get(index=0).points
    assert one["score"] == points
    ratings = [Entry.objects.get(version__bot__slug=slug).rating for slug in ("kingfisher", "heron")]
    assert one["expected_score"] == pytest.approx(expected_score(ratings[0] - ratings[1]))
    assert Script().read("/bots/heron/head-to-head/", season=7)["results"] == []


def test_who_did_not_play_for_long_is_off_the_board(field: list[Entry]):
    Entry.objects.filter(pk=field[0].pk).update(rated_at=now().replace(year=2020))
    assert Script().read(f"{LADDER}/standings/")["results"][0]["bot"] == "bot-1"


# The formations of Battalion, for programs.

pytestmark = pytest.mark.django_db
SHAPE = "0,2,4/0,2"


def add(**values: object) -> Formation:
    row = make_formation(SHAPE)
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    return row


def test_a_formation_tells_its_shape_its_name_and_its_figures(rated: Match, versions) -> None:
    add(deployed=4, deployed_points=3.0, first_version=versions[0], first_match=rated)
    (told,) = Script().read("/formations/")["results"]
    assert told.pop("html_url").endswith("/rules/battalion/formations/?shape=0%2C2%2C4%2F0%2C2")
    assert told == {
        "shape": SHAPE,
        "index": "3-2-0",
        "cells": 5,
        "hand": 7,
        "name": "",
        "name_hu": "",
        "is_library": False,
        "example": "deploy 0=10,2=A,4=8/0=Q,2=7 guard=9",
        "deployed_legs": 4,
        "deployed_points": 0.75,
        "reformed_legs": 0,
        "reformed_points": None,
        "first_version": {"bot": "kingfisher", "name": "Kingfisher", "authors": ["ana"], "version": 1},
        "first_match": rated.pk,
    }


def test_the_list_is_paged_from_the_most_deployed_and_can_be_narrowed(ana: User) -> None:
    register_library()
    ana.is_staff = True
    add(deployed=1)
    script, lines, path = Script(), [], "/api/v1/formations/?limit=4"
    while path:
        page = script.client.get(path).json()
        lines += page["results"]
        path = page["next"]
    assert [line["name"] for line in lines] == ["", *(formation.name for formation in FORMATIONS)]
    assert {line["name"]: line["name_hu"] for line in lines}["Funnel"] == "Tölcsér"
    assert [line["shape"] for line in script.read("/formations/", named="false")["results"]] == [SHAPE]
    assert len(script.read("/formations/", named="true")["results"]) == len(FORMATIONS)
    assert [line["shape"] for line in script.read("/formations/", cells=5)["results"]] == [SHAPE, "2/0,2,4/2"]
    assert script.read("/formations/", shape="chess")["results"] == []
    name_formation(formation=Formation.objects.get(shape=SHAPE), by=ana, name="Anvil", name_hu="Üllő")
    (told,) = script.read("/formations/", shape=SHAPE)["results"]
    assert (told["name"], told["name_hu"], told["is_library"]) == ("Anvil", "Üllő", False)
