"""Games between functions are the same as those between processes."""

from random import Random
from time import process_time

import pytest
from pennant.selfplay import play_games

from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Limits, Program
from arena.runner.sandbox.detection import find_unsandboxed
from engine.registry import GAMES, find_game

PICKS = "from pennant_kit import run\nrun(lambda message: message['legal'][{chosen}])\n"
MIN_GAMES_PER_MINUTE = 2000


def choose_first(_view: dict[str, object], legal: list[str]) -> str:
    return legal[0]


def choose_last(_view: dict[str, object], legal: list[str]) -> str:
    return legal[-1]


@pytest.mark.parametrize("key", GAMES)
def test_functions_and_processes_come_to_the_same_end(key: str) -> None:
    game = find_game(key)
    edition = next(iter(game.editions))
    options = game.options(edition)
    programs = tuple(
        Program(name, 1, {"bot.py": PICKS.format(chosen=chosen).encode()}) for name, chosen in (("a", 0), ("b", -1))
    )
    spec = MatchSpec(key, edition, options, game.deal(options, 2, Random("7:0")), ("s", "t"), Limits(), programs)
    report = play_match(spec, find_unsandboxed({"python"}))
    played = play_games([choose_first, choose_last], 1, game=key, seed=7, progress=False)
    assert [
        (list(one.seating), list(one.places), list(one.scores), one.reason, one.decisions) for one in played.games
    ] == [
        (
            list(leg.seating),
            leg.record["result"]["places"],
            leg.record["result"]["scores"],
            leg.record["result"]["reason"],
            len(leg.record["actions"]),
        )
        for leg in report.legs
    ]
    assert played.points(0) == [report.points[0]]


def test_thousands_of_games_are_played_a_minute() -> None:
    rng = Random(1)
    before = process_time()
    played = play_games([lambda view, legal: rng.choice(legal)] * 2, 20, progress=False)
    assert len(played.games) / (process_time() - before) * 60 > MIN_GAMES_PER_MINUTE
    assert played.share(0).value + played.share(1).value == pytest.approx(1)
    assert {game.deal for game in played.games} == set(range(20))


def test_larger_tables_and_changed_rules_are_played() -> None:
    played = play_games([choose_first, choose_last, choose_first], 1, game="battalion", progress=False)
    assert [game.seating for game in played.games] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert play_games([choose_first] * 2, 1, options={"flags": 5}, progress=False).games[0].scores[0] <= 5


def test_what_is_not_legal_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="fly"):
        play_games([lambda view, legal: "fly"] * 2, 1, progress=False)
    with pytest.raises(ValueError, match="battleline is for 2 players, not 3"):
        play_games([choose_first] * 3, 1, progress=False)
