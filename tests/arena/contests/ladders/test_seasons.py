"""A season from its opening to the secret that anyone may check it by."""

import json
from io import StringIO
from math import hypot

import pytest
from django.core.management import CommandError, call_command

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services import seasons
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.ladders.services.seasons import (
    build_deal_rows,
    build_season_document,
    close_season,
    derive_match_deal,
    find_revealed_secret,
    list_dealt_matches,
    make_samples_anchors,
    open_season,
)
from arena.core.errors import Conflict
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from engine.games.battleline.value import value_hash
from engine.message import literal
from engine.registry import find_game
from engine.season import Season, commitment
from tests.arena.contests.ladders.conftest import store_match
from tests.conftest import MakeVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def entries(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[Entry]:
    return [
        enter_version(ladder=ladder, version=make_version(owner, name))
        for owner, name in ((ana, "Heron"), (ben, "Egret"))
    ]


def queue_numbered(ladder: Ladder, entries: list[Entry]) -> LadderMatch:
    number = ladder.last_number + 1
    deal, salts = derive_match_deal(ladder, number, len(entries))
    match = queue_match(
        versions=[entry.version for entry in entries],
        game=ladder.game,
        edition=ladder.edition,
        deal=deal,
        salts=salts,
    )
    ladder.last_number = number
    ladder.save(update_fields=["last_number"])
    return LadderMatch.objects.create(ladder=ladder, match=match, number=number)


def test_a_season_commits_to_its_value_function_where_there_is_one(ladder: Ladder) -> None:
    following = close_season(ladder=ladder)
    found = build_season_document(following)["value_function"]
    assert found == following.value_function and found["hash"] == value_hash()
    assert open_season(game="battleline", edition="long", title="Long").value_function is None
    Ladder.objects.filter(pk=following.pk).update(value_function=None)
    assert build_season_document(Ladder.objects.get(pk=following.pk))["value_function"] is None


def test_a_season_opens_once_and_commits_to_its_secret(ladder: Ladder) -> None:
    assert ladder.season == 1 and ladder.commitment == commitment(ladder.secret)
    assert open_season(game="battleline", edition="standard", title="Other") == ladder
    other = open_season(game="battleline", edition="short", title="Short")
    assert other.season == 1 and other.secret != ladder.secret


def test_who_plays_goes_on_in_the_next_season_less_sure_of_its_rating(ladder: Ladder, entries: list[Entry]) -> None:
    known, retired = entries
    Entry.objects.filter(pk=known.pk).update(rating=1640.0, deviation=30.0, matches=70, is_ranked=True)
    Entry.objects.filter(pk=retired.pk).update(state=Entry.State.RETIRED)
    following = close_season(ladder=ladder)
    ladder.refresh_from_db()
    assert ladder.closed_at is not None and following.closed_at is None
    assert (following.season, following.title, following.is_stale) == (2, ladder.title, True)
    assert following.secret != ladder.secret and following.commitment == commitment(following.secret)
    carried = following.entries.get()
    assert (carried.version, carried.parent) == (known.version, known)
    assert (carried.rating, carried.first_rating, carried.matches, carried.is_ranked) == (1640, 1640, 0, False)
    assert carried.deviation == carried.first_deviation == hypot(30, 80)
    known.refresh_from_db()
    assert (known.state, known.rating, known.matches) == (Entry.State.ACTIVE, 1640, 70)


def test_a_suspended_bot_is_suspended_in_the_next_season_too(ladder: Ladder, entries: list[Entry]) -> None:
    Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.SUSPENDED, state_reason=literal("It crashed."))
    states = dict(close_season(ladder=ladder).entries.values_list("version__bot__name", "state_reason"))
    assert states == {"Heron": literal("It crashed."), "Egret": None}


def test_a_season_closes_once(ladder: Ladder) -> None:
    close_season(ladder=ladder)
    with pytest.raises(Conflict, match="Season 1 of Battle Line has already ended"):
        close_season(ladder=ladder)
    assert Ladder.objects.count() == 2


def test_samples_that_begin_a_season_hold_its_scale(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion
) -> None:
    samples = [
        enter_version(ladder=ladder, version=make_version(house, name)) for name in ("random", "greedy", "other")
    ]
    make_samples_anchors(ladder=ladder)
    assert set(ladder.entries.filter(is_anchor=True)) == set(samples[:2])
    for sample, rating in zip(samples, (1200.0, 1500.0, 1700.0), strict=True):
        Entry.objects.filter(pk=sample.pk).update(rating=rating)
    following = close_season(ladder=ladder)
    names = following.entries.filter(is_anchor=True).values_list("version__bot__name", flat=True)
    assert sorted(names) == ["greedy", "random"]
    assert following.anchor_mean == 1350


def test_ratings_of_the_next_season_are_on_the_same_scale(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the samples were measured beforehand, see `test_house_ratings.py`."""
    monkeypatch.setattr(seasons, "describe_house_ratings", lambda game, edition: None)
    samples = [enter_version(ladder=ladder, version=make_version(house, name)) for name in ("random", "greedy")]
    make_samples_anchors(ladder=ladder)
    known = zip([*samples, *entries], (1180.0, 1540.0, 1600.0, 1720.0), strict=True)
    for entry, rating in known:
        Entry.objects.filter(pk=entry.pk).update(rating=rating, deviation=25.0)
    following = close_season(ladder=ladder)
    refit_ladder(ladder=following)
    ratings = following.entries.order_by("pk").values_list("rating", flat=True)
    assert sorted(ratings) == pytest.approx([1180, 1540, 1600, 1720], abs=1e-6)
    heron, greedy = following.entries.get(version__bot__name="Heron"), following.entries.get(version=samples[1].version)
    store_match(following, [heron, greedy], [[2, 1], [2, 1]])
    append_finished_matches(ladder=following)
    refit_ladder(ladder=following)
    heron.refresh_from_db()
    assert heron.rating < 1590 and heron.deviation < heron.first_deviation
    anchors = following.entries.filter(is_anchor=True).values_list("rating", flat=True)
    assert sum(anchors) / 2 == pytest.approx(1360)


def test_once_a_match_is_rated_no_sample_becomes_an_anchor(
    ladder: Ladder, house: User, make_version: MakeVersion
) -> None:
    enter_version(ladder=ladder, version=make_version(house, "random"))
    Ladder.objects.update(last_sequence=1)
    make_samples_anchors(ladder=ladder)
    assert not ladder.entries.filter(is_anchor=True).exists()


def test_the_document_tells_every_hash_and_no_secret_while_a_deal_may_be_in_play(
    ladder: Ladder, entries: list[Entry]
) -> None:
    rows = [queue_numbered(ladder, entries) for _ in range(3)]
    header = build_season_document(ladder)
    told = build_deal_rows(ladder, list(list_dealt_matches(ladder)))
    assert (header["format"], header["secret"], header["last_number"]) == ("pennant-season/1", None, 3)
    assert [(line["number"], line["match"], line["state"]) for line in told] == [
        (row.number, row.match_id, "queued") for row in rows
    ]
    game = find_game("battleline")
    season = Season(ladder.secret, "battleline", "standard", 1)
    for line in told:
        assert line["deal_hashes"] == season.deal_hashes(game, header["options"], 2, line["number"])
        assert "options" not in line
    assert ladder.secret not in json.dumps([header, told])
    assert all(row.match.legs.get(number=1).salt not in json.dumps(told) for row in rows)


def test_the_secret_is_out_when_the_season_is_over_and_nothing_is_in_flight(
    ladder: Ladder, entries: list[Entry]
) -> None:
    row = queue_numbered(ladder, entries)
    LadderMatch.objects.update(in_flight=False)
    assert find_revealed_secret(ladder) is None
    LadderMatch.objects.update(in_flight=True)
    close_season(ladder=ladder)
    ladder.refresh_from_db()
    assert find_revealed_secret(ladder) is None
    LadderMatch.objects.filter(pk=row.pk).update(in_flight=False)
    assert build_season_document(ladder)["secret"] == ladder.secret


def test_other_options_than_the_editions_are_told_with_the_match(ladder: Ladder, entries: list[Entry]) -> None:
    row = queue_numbered(ladder, entries)
    Match.objects.filter(pk=row.match_id).update(options=row.match.options | {"scout": "at-once"})
    (line,) = build_deal_rows(ladder, list(list_dealt_matches(ladder)))
    assert line["options"]["scout"] == "at-once"


def test_matches_from_before_seasons_are_in_no_document(ladder: Ladder, entries: list[Entry]) -> None:
    row = queue_numbered(ladder, entries)
    LadderMatch.objects.filter(pk=row.pk).update(number=None)
    assert not list_dealt_matches(ladder).exists()


def test_the_command_closes_the_season_that_is_open(ladder: Ladder) -> None:
    said = StringIO()
    call_command("close_season", "battleline", "standard", stdout=said)
    following = Ladder.objects.open().get()
    assert "season 1 closed, season 2 opened" in said.getvalue() and following.commitment in said.getvalue()
    with pytest.raises(CommandError, match="battleline golden has no open season"):
        call_command("close_season", "battleline", "golden")
