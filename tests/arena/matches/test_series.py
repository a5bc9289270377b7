"""Series of games (BL-25) queued: what is fixed before the first move, and what is stored after the last."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.bots.models import BotVersion
from arena.matches.models import Leg, LegSeat, Match
from arena.matches.play import match_spec, play_attempt
from arena.matches.queries import attach_verdicts
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_match, claim_next, fail_attempt, queue_match, requeue_lost_matches
from arena.people.accounts.models import User
from arena.runner.match import MatchReport, MatchSpec, play_match
from arena.runner.sandbox.base import Sandbox
from engine.deal import deal_hash
from engine.message import literal
from engine.registry import find_game
from engine.replay import verify
from engine.season import Season
from engine.series import BadSeries, SeriesLength
from tests.conftest import MakeVersion
from tests.runner.conftest import sandbox as sandbox

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(ana: User, ben: User, make_version: MakeVersion) -> list[BotVersion]:
    return [make_version(ana, "Kingfisher"), make_version(ben, "Heron")]


@pytest.fixture
def child() -> Iterator[RunnerProcess]:
    """A process that plays matches, as a worker has it."""
    own = RunnerProcess()
    yield own
    own.kill()


def queue(pair: list[BotVersion], **length: int) -> Match:
    return queue_match(versions=pair, game="battleline", edition="standard", series=SeriesLength(**length))


def test_all_possible_games_are_dealt_and_committed_to_before_the_first_move(pair: list[BotVersion]) -> None:
    match = queue(pair, points=12)
    legs = list(match.legs.all())
    assert [leg.number for leg in legs] == list(range(1, 10)) and match.series == {"points": 12}
    deals = [match.deal, *(leg.deal for leg in legs[1:])]
    assert legs[0].deal is None and len({str(deal) for deal in deals}) == 9
    assert [leg.deal_hash for leg in legs] == [deal_hash(deal, leg.salt) for deal, leg in zip(deals, legs, strict=True)]
    assert [leg.seating for leg in legs] == [[0, 1]] + [[]] * 8
    spec = match_spec(match)
    assert [spec.deal, *spec.later_deals] == deals and spec.salts == tuple(leg.salt for leg in legs)
    assert spec.series == SeriesLength(points=12)


def test_deals_of_a_season_are_taken_as_they_are(pair: list[BotVersion]) -> None:
    game, season = find_game("battleline"), Season("secret", "battleline", "standard", 1)
    deals, salts = season.deals(game, game.options("standard"), 2, 7, 3), season.salts(3, 7)
    match = queue_match(
        versions=pair, game="battleline", edition="standard", series=SeriesLength(games=3), deals=deals, salts=salts
    )
    assert match_spec(match).later_deals == tuple(deals[1:]) and match.deal == deals[0]
    assert match_spec(match).salts == tuple(salts)


def test_a_mirrored_pair_is_queued_as_ever(pair: list[BotVersion]) -> None:
    match = queue_match(versions=pair, game="battleline", edition="standard")
    assert match.series is None and [leg.seating for leg in match.legs.all()] == [[0, 1], [1, 0]]
    assert not match.legs.exclude(deal=None).exists()
    assert match_spec(match).series is None and match_spec(match).later_deals == ()


def test_what_can_not_be_a_series_is_not_queued(ana: User, pair: list[BotVersion], make_version: MakeVersion) -> None:
    general = make_version(ana, "General", game="battalion")
    with pytest.raises(BadSeries):
        queue_match(versions=[general] * 2, game="battalion", edition="standard", series=SeriesLength(games=3))
    with pytest.raises(BadSeries):
        queue_match(versions=[*pair, pair[0]], game="battleline", edition="standard", series=SeriesLength(games=3))
    assert not Match.objects.exists()


def test_bl_25_a_series_is_played_and_stored_and_games_that_were_not_needed_are_deleted(
    pair: list[BotVersion], sandbox: Sandbox
) -> None:
    match = queue(pair, points=10)
    before = {leg.number: leg.deal_hash for leg in match.legs.all()}
    attempt = claim_next(worker="mill")
    assert attempt is not None
    reports: list[MatchReport] = []

    def play(spec: MatchSpec, beat: object) -> MatchReport:
        reports.append(play_match(spec, sandbox))
        return reports[0]

    assert play_attempt(attempt=attempt, play=play)
    (report,) = reports
    match.refresh_from_db()
    assert match.state == Match.State.FINISHED
    legs = list(match.legs.all())
    assert len(legs) == len(report.legs) < len(before)
    starter = 0
    totals = [0.0, 0.0]
    for leg in legs:
        verify(leg.record_data)
        assert leg.deal_hash == before[leg.number] == leg.record_data["deal_hash"]
        assert leg.seating[0] == starter
        for seat in leg.seats.select_related("participant"):
            totals[seat.participant.index] += seat.score
            if seat.place == 1 and leg.seats.filter(place=1).count() == 1:
                starter = seat.participant.index
    rows = list(match.participants.all())
    assert [row.series_score for row in rows] == totals
    assert sorted(row.points or 0 for row in rows) in ([0, 1], [0.5, 0.5])
    assert max(totals) >= 10


def test_a_series_that_is_played_again_has_the_same_deals(pair: list[BotVersion]) -> None:
    match = queue(pair, games=4)
    before = match_spec(match)
    lost = claim_match(match_id=match.pk, worker="mill")
    assert lost is not None
    type(lost).objects.filter(pk=lost.pk).update(heartbeat_at=match.created_at.replace(year=2020))
    assert requeue_lost_matches() == [match.pk]
    failed = claim_match(match_id=match.pk, worker="mill")
    assert failed is not None
    fail_attempt(attempt=failed, error=literal("no sandbox"))
    assert match_spec(Match.objects.get(pk=match.pk)) == before
    assert match.legs.count() == 4


def test_a_child_plays_a_series_and_tells_who_sits_where(pair: list[BotVersion], child: RunnerProcess) -> None:
    match = queue(pair, games=3)
    seatings: dict[int, tuple[int, ...]] = {}

    def beat(underway: object) -> None:
        if underway is not None:
            seatings[underway.leg] = underway.seating  # type: ignore[attr-defined]

    report = child.play(match_spec(match), beat)
    assert report.is_series and len(report.legs) == 3
    assert all(report.legs[number - 1].seating == seating for number, seating in seatings.items())


def test_a_killed_child_is_a_failure_of_the_arena_and_the_series_is_played_again(
    pair: list[BotVersion], child: RunnerProcess
) -> None:
    match = queue(pair, games=2)
    hashes = list(match.legs.values_list("deal_hash", flat=True))
    killed = claim_next(worker="mill")
    assert killed is not None

    def play_and_die(spec: MatchSpec, beat: object) -> MatchReport:
        def kill(underway: object) -> None:
            assert child.process is not None
            child.process.kill()

        return child.play(spec, kill)

    assert not play_attempt(attempt=killed, play=play_and_die)
    match.refresh_from_db()
    assert match.state == Match.State.QUEUED and not LegSeat.objects.exists()
    Match.objects.update(retry_at=None)
    again = claim_next(worker="mill")
    assert again is not None
    assert play_attempt(attempt=again, play=child.play)
    assert [leg.record_data["deal_hash"] for leg in match.legs.all()] == hashes
    assert sum(attach_verdicts([pair[0]])[0].verdicts.values()) == 2


def test_a_report_of_too_many_games_is_not_stored(pair: list[BotVersion], sandbox: Sandbox) -> None:
    match = queue(pair, games=1)
    attempt = claim_next(worker="mill")
    assert attempt is not None
    played = play_match(match_spec(match), sandbox)
    doubled = replace(played, legs=played.legs * 2)
    assert not play_attempt(attempt=attempt, play=lambda spec, beat: doubled)
    match.refresh_from_db()
    assert match.state == Match.State.QUEUED and match.legs.get().record is None


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_the_tables_can_go_back_and_forth_with_matches_in_them(ana: User, ben: User, make_version: MakeVersion) -> None:
    pair = [make_version(ana, "Kingfisher"), make_version(ben, "Heron")]
    mirrored = queue_match(versions=pair, game="battleline", edition="standard")
    before, after = [("matches", "0009_virtual_start")], [("matches", "0010_series")]
    heads = [leaf for leaf in MigrationExecutor(connection).loader.graph.leaf_nodes()]
    try:
        MigrationExecutor(connection).migrate(before)
        tables = MigrationExecutor(connection).loader.project_state(before).apps
        assert tables.get_model("matches", "Leg").objects.filter(match=mirrored.pk).count() == 2
    finally:
        MigrationExecutor(connection).migrate(after)
        MigrationExecutor(connection).migrate(heads)
    match = Match.objects.get(pk=mirrored.pk)
    assert match.series is None and match.deal == mirrored.deal
    assert list(Leg.objects.filter(match=match).values_list("seating", "deal")) == [([0, 1], None), ([1, 0], None)]
