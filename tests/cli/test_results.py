from dataclasses import replace

from arena.cli.files import Results
from arena.runner.match import LegReport, MatchReport


def leg(seating: tuple[int, ...], places: list[int], verdicts: list[str]) -> LegReport:
    record = {"result": {"places": places, "verdicts": verdicts}}
    others = len(seating) - 1
    nothing = (None,) * len(seating)
    times = (30.0, *[10.0] * others)
    report = LegReport(seating, record, ("",) * len(seating), nothing, times, (10, *[0] * others), times, times)
    costs = ((2.0,) * 8 + (6.0, 8.0), *[()] * others)
    return replace(report, costs_ms=costs, bank_left_ms=(29_990.0, *[30_000.0] * others))


def test_legs_are_counted_for_whoever_sat_there() -> None:
    results = Results(["ana", "ben"])
    results.add(MatchReport((leg((0, 1), [1, 2], ["ok", "ok"]), leg((1, 0), [1, 2], ["ok", "crash"]))))
    results.add(MatchReport((leg((0, 1), [1, 1], ["ok", "ok"]), leg((1, 0), [2, 1], ["illegal", "ok"]))))
    assert results.as_json() == {
        "legs": 4,
        "bots": [
            {
                "name": "ana",
                "wins": 2,
                "losses": 1,
                "draws": 1,
                "places": [3, 1],
                "points": 2.5,
                "verdicts": {"ok": 3, "crash": 1},
                "ms_per_move": 4.0,
                "ms_95": 8.0,
                "bank_left_ms": 29990.0,
            },
            {
                "name": "ben",
                "wins": 1,
                "losses": 2,
                "draws": 1,
                "places": [2, 2],
                "points": 1.5,
                "verdicts": {"ok": 3, "illegal": 1},
                "ms_per_move": 4.0,
                "ms_95": 8.0,
                "bank_left_ms": 29990.0,
            },
        ],
    }


def test_at_a_larger_table_places_are_counted_and_only_the_first_have_won_or_drawn() -> None:
    ok = ["ok", "ok", "ok"]
    results = Results(["ana", "ben", "eva"])
    results.add(
        MatchReport((leg((0, 1, 2), [1, 2, 3], ok), leg((1, 2, 0), [1, 2, 2], ok), leg((2, 0, 1), [3, 1, 1], ok)))
    )
    told = [(bot.name, bot.places, bot.wins, bot.draws, bot.losses, bot.points) for bot in results.bots]
    assert told == [
        ("ana", [2, 1, 0], 1, 1, 1, 2.0),
        ("ben", [2, 1, 0], 1, 1, 1, 2.25),
        ("eva", [0, 1, 2], 0, 0, 3, 0.25),
    ]


def test_a_bot_that_never_answered_took_no_time() -> None:
    assert Results(["ana"]).as_json()["bots"][0]["ms_per_move"] == 0


def test_bl_25_series_are_won_by_the_sum_of_their_games_scores() -> None:
    def game(seating: tuple[int, int], places: list[int], scores: list[int]) -> LegReport:
        played = leg(seating, places, ["ok", "ok"])
        played.record["result"]["scores"] = scores
        return played

    results = Results(["ana", "ben"])
    won, lost, drawn = ([1, 2], [5, 4]), ([2, 1], [0, 5]), ([1, 1], [2, 2])
    results.add(MatchReport((game((0, 1), *won), game((0, 1), *drawn)), is_series=True))
    results.add(MatchReport((game((0, 1), *won), game((0, 1), *lost), game((1, 0), *won)), is_series=True))
    results.add(MatchReport((game((0, 1), *drawn),), is_series=True))
    told = [(bot.series.wins, bot.series.losses, bot.series.draws, bot.series.points) for bot in results.bots]
    assert told == [(1, 1, 1, 7 + 9 + 2), (1, 1, 1, 6 + 14 + 2)]
    assert results.as_json()["series"] == 3
    assert results.as_json()["bots"][0]["series"] == {"wins": 1, "losses": 1, "draws": 1, "points": 18}
