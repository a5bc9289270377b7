from arena.cli.tally import Tally
from arena.runner.leg import LegReport
from arena.runner.match import MatchReport


def leg(seating: tuple[int, int], places: list[int], verdicts: list[str]) -> LegReport:
    record = {"result": {"places": places, "verdicts": verdicts}}
    return LegReport(seating, record, ("", ""), (None, None), (30.0, 10.0), (10, 0))


def test_legs_are_counted_for_whoever_sat_there() -> None:
    tally = Tally(["ana", "ben"])
    tally.add(MatchReport((leg((0, 1), [1, 2], ["ok", "ok"]), leg((1, 0), [1, 2], ["ok", "crash"]))))
    tally.add(MatchReport((leg((0, 1), [1, 1], ["ok", "ok"]), leg((1, 0), [2, 1], ["illegal", "ok"]))))
    assert tally.as_json() == {
        "legs": 4,
        "bots": [
            {
                "name": "ana",
                "wins": 2,
                "losses": 1,
                "draws": 1,
                "points": 2.5,
                "verdicts": {"ok": 3, "crash": 1},
                "ms_per_move": 4.0,
            },
            {
                "name": "ben",
                "wins": 1,
                "losses": 2,
                "draws": 1,
                "points": 1.5,
                "verdicts": {"ok": 3, "illegal": 1},
                "ms_per_move": 4.0,
            },
        ],
    }


def test_a_bot_that_never_answered_took_no_time() -> None:
    assert Tally(["ana"]).as_json()["bots"][0]["ms_per_move"] == 0
