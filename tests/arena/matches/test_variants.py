"""Matches by changed rule options: what is stored of them, and what they are called."""

import pytest

from arena.matches.filters import UnplayableRules, _name_variant, name_variant, parse_series_length, resolve_variant
from arena.matches.models import Match
from arena.matches.services import queue_match
from engine.options import BadOptions
from engine.registry import find_game
from engine.replay import verify
from engine.series import SeriesLength
from tests.arena.gone import game_gone
from tests.conftest import EXITS_AT_ONCE


@pytest.fixture
def versions(ana, ben, make_version):
    return [make_version(ana, "Kingfisher", EXITS_AT_ONCE), make_version(ben, "Heron", EXITS_AT_ONCE)]


def test_a_match_keeps_all_options_and_those_that_differ(versions):
    match = queue_match(versions=versions, game="battleline", edition="terrain", options={"tactics": 10})
    match.refresh_from_db()
    assert match.edition == "terrain" and match.changed_options == {"tactics": 10}
    assert match.options == find_game("battleline").options("terrain", tactics=10)
    assert len(match.deal["tactics"]) == 10 and len(match.deal["tiles"]) == 9
    assert str(name_variant(match)) == "Medieval with terrain, with the ten tactics"


def test_options_that_are_the_editions_change_nothing(versions):
    match = queue_match(versions=versions, game="battleline", edition="standard", options={"scout": "one-by-one"})
    assert match.changed_options == {} and str(name_variant(match)) == "Standard"


def test_options_of_another_edition_make_it_that_one(versions):
    options = {"pass": "no-card", "tiles": "drafted"}
    match = queue_match(versions=versions, game="battleline", edition="standard", options=options)
    assert (match.edition, match.changed_options) == ("hundred-years", {})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tiles": "shuffled", "flags": 5}, "nine tiles need nine flags"),
        ({"scout": "never"}, "option 'scout' can't be 'never'"),
        ({"scouts": "at-once"}, "no option 'scouts'; options are"),
        ({"edition": "short"}, "no option 'edition'; options are"),
        ({"flags": [9]}, "option 'flags' can't be"),
    ],
)
def test_options_that_no_match_can_have_are_refused(versions, options, reason):
    with pytest.raises(BadOptions, match=reason):
        queue_match(versions=versions, game="battleline", edition="standard", options=options)
    with pytest.raises(UnplayableRules, match=f"These rules can't be played: {reason}"):
        resolve_variant("battleline", "standard", options)
    assert not Match.objects.exists()


def test_the_records_of_a_variant_say_so_and_hold(versions, play):
    match = queue_match(versions=versions, game="battleline", edition="standard", options={"claims": "either"})
    assert play(match)
    for leg in match.legs.all():
        record = leg.record_data
        assert record["edition"] == "standard" and record["changed_options"] == ["claims"]
        verify(record)


def test_an_edition_has_its_name_again_when_its_game_is_back():
    played = Match(game="battleline", edition="medieval", changed_options={})
    _name_variant.cache_clear()
    with game_gone("battleline"):
        assert str(name_variant(played)) == "medieval"
    assert str(name_variant(played)) == "Medieval"


def test_lists_name_variants_without_reading_all_options(versions, django_assert_num_queries):
    for options in ({}, {"tactics": 0}, {"scout": "at-once"}):
        queue_match(versions=versions, game="battleline", edition="standard", options=options)
    with django_assert_num_queries(1):
        names = [str(name_variant(match)) for match in Match.objects.lean().order_by("pk")]
    assert names == ["Standard", "Standard, without tactics", "Standard, the Scout draws all at once"]


def test_a_series_is_chosen_by_its_json_form():
    assert parse_series_length("battleline", 2, None) is None
    assert parse_series_length("battleline", 2, {"games": 3}) == SeriesLength(games=3)
    assert parse_series_length("battleline", 2, {"points": 15}) == SeriesLength(points=15)
    for game, series in (("battleline", {}), ("battleline", {"games": 0}), ("battalion", {"games": 3})):
        with pytest.raises(UnplayableRules):
            parse_series_length(game, 2, series)
