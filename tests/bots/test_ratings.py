"""The ratings that follow from results between samples."""

import json
from pathlib import Path

import pytest

from arena.bots.running import list_anchors
from bots.training import ratings
from bots.training.ratings import ANCHORS, compute_ratings, fit_levels, fit_on_ladder, read_file, summarize
from engine.core import Json


def measured(worse: str, better: str, *counts: int) -> Json:
    return summarize(counts) | {"worse": worse, "better": better}


def test_ratings_are_relative_to_the_mean_of_the_anchors() -> None:
    chain = [
        measured("a", "b", 50, 0, 100, 0, 250),
        measured("c", "b", 250, 0, 100, 0, 50),
        measured("c", "d", 30, 0, 300, 0, 70),
    ]
    found = fit_on_ladder(chain, ("a", "b", "c", "d"))
    assert sum(rating for rating, _ in found.values()) == pytest.approx(0)
    assert found["b"][0] - found["a"][0] == pytest.approx(chain[0]["elo"], abs=5)
    assert found["b"][0] - found["c"][0] == pytest.approx(chain[1]["elo"], abs=5)
    assert found["d"][0] - found["c"][0] == pytest.approx(chain[2]["elo"], abs=5)
    assert all(5 < deviation < 25 for _, deviation in found.values())


def test_one_that_never_loses_leads_by_no_more_than_on_a_ladder() -> None:
    found = fit_on_ladder([measured("a", "b", 0, 0, 0, 0, 1000)], ("a", "b"))
    assert 900 < found["b"][0] - found["a"][0] < 1300


def test_published_results_count_as_if_they_had_been_measured() -> None:
    published = {"worse": "a", "better": "b", "pairs": 60, "elo": 250.0, "low": 177.0, "high": 349.0, "source": "there"}
    found = fit_on_ladder([published], ("a", "b"))
    assert found["b"][0] - found["a"][0] == pytest.approx(250, abs=15)


def test_two_results_of_a_level_count_by_their_intervals() -> None:
    two = [
        {"worse": "a", "better": "b:1", "elo": elo, "low": elo - 1.96 * sd, "high": elo + 1.96 * sd}
        for elo, sd in ((100, 10), (200, 20))
    ]
    assert fit_levels(two, {"a": 50.0})["b:1"] == pytest.approx((170, 80**0.5))


def test_levels_move_none_of_the_bots_on_ladders() -> None:
    on_ladder = [summarize([10, 0, 40, 0, 50]) | {"worse": "random", "better": "brute"}]
    level = summarize([0, 0, 0, 0, 50]) | {"worse": "random", "better": "marshal:1"}
    other = summarize([40, 0, 10, 0, 0]) | {"worse": "brute", "better": "marshal:1"}
    alone, all_of_them = (compute_ratings(one, ("random", "brute")) for one in (on_ladder, [*on_ladder, level, other]))
    assert {name: all_of_them[name] for name in alone} == alone
    assert all_of_them["marshal:1"]["deviation"] > ratings.INTERACTION_SD_ELO


def test_an_interval_is_as_wide_as_the_losses_are_few() -> None:
    even, one_sided = summarize([25, 0, 50, 0, 25]), summarize([0, 0, 2, 0, 998])
    assert even["elo"] == 0 and even["high"] == pytest.approx(48, abs=1)
    assert 1100 < one_sided["elo"] < 1200 and one_sided["high"] - one_sided["elo"] > 200


def test_the_file_holds_what_its_results_give() -> None:
    content = read_file()
    for ladder, found in content["ladders"].items():
        game = ladder.partition("/")[0]
        assert compute_ratings(found["matchups"], ANCHORS[game]) == found["ratings"]
        assert ANCHORS[game] == list_anchors(game)
        for one in found["matchups"]:
            assert "source" in one or summarize(one["counts"]).items() <= one.items()


def test_it_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ratings.json"
    monkeypatch.setattr(ratings, "RATINGS_PATH", path)
    monkeypatch.setattr(ratings, "MORE_PLANS", {})
    for pairs in (2, 3):
        monkeypatch.setattr(ratings, "PLAN", {"battalion": (("random", "brute", pairs), ("brute", "greedy", 2))})
        ratings.main(["battalion/standard"])
        content = json.loads(path.read_text())
        first, second = content["ladders"]["battalion/standard"]["matchups"]
        assert (first["pairs"], second["pairs"]) == (pairs, 2) and sum(first["counts"]) == pairs
    before = path.read_text()
    ratings.main(["--refit"])
    assert path.read_text() == before
