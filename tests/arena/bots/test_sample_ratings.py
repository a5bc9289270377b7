"""The measured ratings of the samples, as they are shipped."""

from statistics import fmean

import pytest

from arena.bots.running import (
    SAMPLE_NAMES_BY_GAME,
    estimate_off_ladder,
    find_origin,
    is_on_ladder,
    list_anchors,
    list_levels,
    list_levels_below_full,
    list_strengths,
    read_ratings_file,
)
from arena.contests.ladders.rating import MAX_RANKED_DEVIATION_ELO
from engine.registry import GAMES

EDITIONS = [(game, edition) for game in SAMPLE_NAMES_BY_GAME for edition in GAMES[game].editions]


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_every_sample_on_a_ladder_was_measured_well_enough_for_a_rank(game: str, edition: str) -> None:
    strengths = list_strengths(game, edition)
    assert set(strengths) == {name for name in SAMPLE_NAMES_BY_GAME[game] if is_on_ladder(name, edition)}
    assert all(0 < one.deviation <= MAX_RANKED_DEVIATION_ELO for one in strengths.values())
    assert fmean(strengths[name].rating for name in list_anchors(game)) == pytest.approx(0, abs=0.1)
    ratings = [strengths[name].rating for name in SAMPLE_NAMES_BY_GAME[game] if name in strengths]
    assert ratings == sorted(ratings)


def test_the_file_is_named_by_its_hash() -> None:
    assert len(read_ratings_file().hash) == 64 and read_ratings_file().version >= 1


def test_the_levels_are_weaker_than_the_sample_and_each_than_the_next() -> None:
    below = list_levels_below_full()
    assert tuple(below) == list_levels("battleline")
    assert list(below.values()) == sorted(below.values(), reverse=True) and min(below.values()) > 0


@pytest.mark.parametrize("edition", ["standard", "advanced", "medieval"])
def test_what_plays_on_no_ladder_is_estimated_on_its_scale_and_never_below_random(edition: str) -> None:
    strengths = list_strengths("battleline", edition)
    ratings = {name: 1500 + one.rating for name, one in strengths.items()}
    assert find_origin("battleline", edition, ratings) == pytest.approx(1500)
    estimates = estimate_off_ladder("battleline", edition, ratings)
    assert set(estimates) == {"marshal", *list_levels("battleline")}
    assert estimates["marshal"] > ratings["marshal"] and min(estimates.values()) >= ratings["random"]
    strong = ratings | {"random": estimates["marshal-2"]}
    assert estimate_off_ladder("battleline", edition, strong)["marshal-1"] >= strong["random"]


def test_where_nothing_was_measured_nothing_is_estimated() -> None:
    assert estimate_off_ladder("battleline", "long", {"random": 900.0}) == {}
    assert estimate_off_ladder("battleline", "standard", {"marshal": 2000.0}) == {}
    assert list_strengths("chess", "standard") == {}
