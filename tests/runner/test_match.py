import random
from dataclasses import replace

import pytest

from arena.runner.leg import LegProgress, LegReport
from arena.runner.limits import Limits
from arena.runner.match import MatchReport, MatchSpec, list_seatings, play_match
from arena.runner.program import Program
from arena.runner.sandbox import Sandbox, SandboxError
from arena.runner.sandbox.base import BotProcess
from engine.registry import find_game
from engine.replay import verify
from engine.series import SeriesLength
from tests.runner.conftest import FIRST, LAST, QUICK, sample
from tests.runner.conftest import toy as toy


def mirrored_pair(*programs: Program) -> MatchSpec:
    game = find_game("battleline")
    options = game.options("standard")
    deal = game.deal(options, 2, random.Random(1))
    return MatchSpec("battleline", "standard", options, deal, ("a", "b"), Limits(), programs)


def leg(seating: tuple[int, ...], places: list[int]) -> LegReport:
    record = {"result": {"places": places}}
    nothing = tuple(None for _ in seating)
    return LegReport(seating, record, ("",) * len(seating), nothing, (0.0,) * len(seating), *[(0,) * len(seating)] * 3)


def test_everybody_sits_everywhere_once() -> None:
    assert list_seatings(2) == [(0, 1), (1, 0)]
    assert list_seatings(3) == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    for participants in range(2, 6):
        for seat in range(participants):
            assert sorted(seating[seat] for seating in list_seatings(participants)) == list(range(participants))


def test_points_are_the_mean_over_the_legs() -> None:
    assert MatchReport((leg((0, 1), [1, 2]), leg((1, 0), [2, 1]))).points == (1, 0)
    assert MatchReport((leg((0, 1), [1, 2]), leg((1, 0), [1, 2]))).points == (0.5, 0.5)
    assert MatchReport((leg((0, 1), [1, 1]), leg((1, 0), [2, 1]))).points == (0.75, 0.25)


def test_points_between_many_are_the_share_left_behind() -> None:
    assert MatchReport((leg((2, 0, 1), [1, 2, 3]),)).points == (0.5, 0, 1)
    assert MatchReport((leg((0, 1, 2), [2, 1, 2]),)).points == (0.25, 1, 0.25)


def test_a_match_is_the_same_deal_with_the_seats_swapped(sandbox: Sandbox) -> None:
    beats = []
    spec = mirrored_pair(sample("random"), replace(sample("random"), name="other", version=7))
    report = play_match(spec, sandbox, lambda underway: beats.append((underway.leg, len(underway.actions))))
    first, second = (leg.record for leg in report.legs)
    assert [seat["name"] for seat in first["seats"]] == ["random", "other"]
    assert [seat["name"] for seat in second["seats"]] == ["other", "random"]
    assert second["seats"][0]["version"] == 7
    assert first["deal"] == second["deal"]
    assert first["deal_hash"] != second["deal_hash"]
    starts = 4
    assert len(beats) == starts + len(first["actions"]) + len(second["actions"])
    told = [(1, 0)] * 2 + [(1, n) for n in range(len(first["actions"]))]
    assert beats == told + [(2, 0)] * 2 + [(2, n) for n in range(len(second["actions"]))]
    for record in (first, second):
        assert record["result"]["verdicts"] == ["ok", "ok"] and "arena" not in record
        verify(record)


def test_records_name_the_version_of_the_arena(bare: Sandbox) -> None:
    spec = replace(mirrored_pair(sample("random"), sample("random")), arena="1.2.3")
    for played in play_match(spec, bare).legs:
        assert played.record["arena"] == "1.2.3"
        verify(played.record)


def test_a_record_with_a_forfeit_is_verified(bare: Sandbox) -> None:
    for name in ("crashes", "illegal", "exits"):
        for played in play_match(mirrored_pair(sample(f"faulty/{name}"), sample("random")), bare).legs:
            verify(played.record)


def toy_match(*programs: Program) -> MatchSpec:
    salts = tuple("abcd"[: len(programs)])
    return MatchSpec("toy", "plain", {"padding": 0}, {}, salts, QUICK, programs)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("participants", [2, 3, 4])
def test_a_match_of_many_is_a_leg_for_every_rotation_of_the_seats(bare: Sandbox, participants: int) -> None:
    programs = [replace(LAST if number == 0 else FIRST, name=f"bot {number}") for number in range(participants)]
    report = play_match(toy_match(*programs), bare)
    seated = [[seat["name"] for seat in leg.record["seats"]] for leg in report.legs]
    names = [program.name for program in programs]
    assert seated == [names[first:] + names[:first] for first in range(participants)]
    assert report.points == (1, *[pytest.approx((participants - 2) / 2 / (participants - 1))] * (participants - 1))
    for played in report.legs:
        verify(played.record)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", ["crashes", "silent", "exits", "illegal", "garbage"])
def test_a_forfeit_at_a_larger_table_costs_the_offender_alone_and_is_verified(bare: Sandbox, name: str) -> None:
    report = play_match(toy_match(FIRST, sample(f"faulty/{name}"), LAST), bare)
    assert report.points == (0.5, 0, 1)
    for played in report.legs:
        verify(played.record)
        verdicts = played.record["result"]["verdicts"]
        assert [verdict == "ok" for verdict in verdicts] == [participant != 1 for participant in played.seating]
        assert [fault is None for fault in played.faults] == [verdict == "ok" for verdict in verdicts]
        assert sum(entry["action"] == "forfeit" for entry in played.record["actions"]) == 1


@pytest.mark.usefixtures("toy")
def test_offenders_go_out_one_by_one_until_one_is_left(bare: Sandbox) -> None:
    bots = sample("faulty/crashes"), sample("faulty/garbage"), FIRST, sample("faulty/exits")
    for played in play_match(toy_match(*bots), bare).legs:
        verify(played.record)
        verdicts = dict(zip(played.seating, played.record["result"]["verdicts"], strict=True))
        assert verdicts == {0: "crash", 1: "malformed", 2: "ok", 3: "start"}
        assert played.record["result"]["places"][played.seating.index(2)] == 1


@pytest.mark.usefixtures("toy")
def test_who_is_left_alone_before_being_asked_has_no_verdict(bare: Sandbox) -> None:
    for played in play_match(toy_match(*[sample("faulty/exits")] * 3), bare).legs:
        verify(played.record)
        assert played.record["result"]["verdicts"] == ["start", "start", "ok"]
        assert played.record["result"]["places"] == [2, 2, 1]
        assert played.faults[2] is None


def test_an_illegal_action_in_battle_line_is_called_illegal(sandbox: Sandbox) -> None:
    report = play_match(mirrored_pair(sample("faulty/illegal"), sample("random")), sandbox)
    assert report.legs[0].record["result"]["verdicts"] == ["illegal", "ok"]
    assert report.points == (0, 1)


def series(length: SeriesLength, *programs: Program) -> MatchSpec:
    game = find_game("battleline")
    options = game.options("standard")
    deals = [game.deal(options, 2, random.Random(number)) for number in range(length.max_games)]
    salts = tuple(f"salt {number}" for number in range(length.max_games))
    return MatchSpec("battleline", "standard", options, deals[0], salts, Limits(), programs, length, tuple(deals[1:]))


def test_bl_25_a_series_is_played_with_a_new_deal_each_game_and_the_winner_starts(sandbox: Sandbox) -> None:
    told = []
    spec = series(SeriesLength(games=4), sample("greedy"), replace(sample("random"), name="other"))
    report = play_match(spec, sandbox, lambda underway: told.append((underway.leg, underway.seating)))
    assert report.is_series and len(report.legs) == 4
    assert [leg.record["deal"] for leg in report.legs] == [spec.deal, *spec.later_deals]
    assert [leg.record["salt"] for leg in report.legs] == list(spec.salts)
    expected, totals = 0, [0, 0]
    for number, played in enumerate(report.legs, start=1):
        verify(played.record)
        assert played.seating[0] == expected
        assert {seating for leg, seating in told if leg == number} == {played.seating}
        result = played.record["result"]
        for participant, score, place in zip(played.seating, result["scores"], result["places"], strict=True):
            totals[participant] += score
            if place == 1 and result["places"].count(1) == 1:
                assert score == 5
                expected = participant
    assert report.scores == tuple(totals)
    assert report.points == ((1, 0) if totals[0] > totals[1] else (0, 1) if totals[0] < totals[1] else (0.5, 0.5))


@pytest.mark.parametrize(("name", "verdict"), [("crashes", "crash"), ("illegal", "illegal"), ("exits", "start")])
def test_bl_25_a_fault_loses_its_game_alone_and_the_series_goes_on(sandbox: Sandbox, name: str, verdict: str) -> None:
    report = play_match(series(SeriesLength(points=12), sample(f"faulty/{name}"), sample("random")), sandbox)
    assert [leg.seating for leg in report.legs] == [(0, 1), (1, 0), (1, 0)]
    assert report.scores == (0, 15) and report.points == (0, 1)
    for played in report.legs:
        verify(played.record)
        assert played.record["result"]["verdicts"][played.seating.index(0)] == verdict


def test_a_series_wants_a_salt_and_a_deal_for_each_possible_game_and_two_players(sandbox: Sandbox) -> None:
    spec = series(SeriesLength(games=3), sample("random"), sample("random"))
    with pytest.raises(ValueError, match="3 legs need 3 salts, not 2"):
        play_match(replace(spec, salts=("a", "b")), sandbox)
    with pytest.raises(ValueError, match="2 further deals are needed, not 1"):
        play_match(replace(spec, later_deals=spec.later_deals[:1]), sandbox)
    with pytest.raises(ValueError, match="of two participants, not 3"):
        play_match(replace(spec, programs=(FIRST, LAST, FIRST)), sandbox)
    with pytest.raises(ValueError, match="0 further deals are needed, not 2"):
        play_match(replace(spec, series=None, salts=("a", "b")), sandbox)


def test_salts_are_one_a_leg(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="2 legs need 2 salts"):
        play_match(replace(mirrored_pair(sample("random"), sample("random")), salts=("a",)), sandbox)


class Stop(Exception):
    pass


def test_a_beat_may_stop_a_match(sandbox: Sandbox) -> None:
    def beat(_: LegProgress | None) -> None:
        raise Stop

    with pytest.raises(Stop):
        play_match(mirrored_pair(sample("random"), sample("random")), sandbox, beat)


class Broken:
    name = "broken"
    level = "A"

    def start(self, program: Program, limits: Limits) -> BotProcess:
        raise SandboxError("no space left on device")


def test_a_failing_sandbox_is_nobodys_verdict() -> None:
    with pytest.raises(SandboxError):
        play_match(mirrored_pair(sample("random"), sample("random")), Broken())
