import threading
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.matches.attempts import AttemptLost
from arena.matches.models import Attempt, LegSeat, Match, Trial, VerdictCount
from arena.matches.play import match_spec, play_attempt
from arena.matches.services import (
    MATCH_HEARTBEAT_TIMEOUT,
    apply_trial_result,
    claim_match,
    claim_next,
    fail_attempt,
    queue_match,
    queue_trial,
    record_heartbeat,
    requeue_lost_matches,
    store_report,
)
from arena.matches.workers import this_worker
from arena.operations import tasks
from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.runner.match import MatchReport, play_match
from arena.runner.sandbox.base import Sandbox
from engine import replay
from engine.deal import deal_hash
from engine.replay import record_hash
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, MakeVersion, Play
from tests.runner.conftest import toy as toy

ON_TRIAL = BotVersion.State.ON_TRIAL
CRASHES_WHEN_ASKED = b"""input(); print('{"type": "ready"}', flush=True); input(); raise KeyError("plan")"""


@pytest.fixture
def pair(ana: User, ben: User, make_version: MakeVersion) -> list[BotVersion]:
    return [make_version(ana, "Ana's"), make_version(ben, "Ben's")]


@pytest.fixture
def match(pair: list[BotVersion]) -> Match:
    return queue_match(versions=pair, game="battleline", edition="standard")


@pytest.fixture
def attempt(match: Match) -> Attempt:
    claimed = claim_match(match_id=match.pk, worker="here")
    assert claimed is not None
    return claimed


@pytest.fixture
def report(match: Match, bare: Sandbox) -> MatchReport:
    return play_match(match_spec(match), bare)


def test_all_that_decides_a_match_is_settled_when_it_is_queued(match: Match, pair: list[BotVersion]) -> None:
    assert [participant.version for participant in match.participants.all()] == pair
    first, second = match.legs.all()
    assert (first.seating, second.seating) == ([0, 1], [1, 0])
    assert first.salt != second.salt
    assert first.deal_hash == deal_hash(match.deal, first.salt)
    assert second.deal_hash == deal_hash(match.deal, second.salt)
    assert match.options["flags"] == 9 and match.rules_version >= 1 and match.limits["move_ms"] == 1000


def test_no_two_matches_are_dealt_alike(match: Match, pair: list[BotVersion]) -> None:
    assert queue_match(versions=pair, game="battleline", edition="standard").deal != match.deal


def test_a_match_is_claimed_once(match: Match) -> None:
    assert claim_match(match_id=match.pk, worker="here")
    assert claim_match(match_id=match.pk, worker="there") is None
    match.refresh_from_db()
    assert (match.state, match.attempts.count()) == ("running", 1)


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_gets_the_match(match: Match) -> None:
    claims = []

    def claim() -> None:
        claims.append(claim_match(match_id=match.pk, worker="here"))
        connection.close()

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(claims) == 8 and sum(claim is not None for claim in claims) == 1


def test_a_result_is_stored_whole(match: Match, attempt: Attempt, report: MatchReport) -> None:
    store_report(attempt=attempt, report=report)
    match.refresh_from_db()
    assert match.state == "finished" and match.finished_at is not None
    assert [participant.points for participant in match.participants.all()] == list(report.points)
    for participant in match.participants.all():
        played = [(leg, leg.seating.index(participant.index)) for leg in report.legs]
        assert participant.elapsed_s == pytest.approx(sum(leg.elapsed_ms[seat] for leg, seat in played) / 1000)
        assert participant.waited_s == pytest.approx(sum(leg.waited_ms[seat] for leg, seat in played) / 1000)
        assert 0 <= participant.waited_s < participant.elapsed_s
    for leg, played in zip(match.legs.all(), report.legs, strict=True):
        replay.verify(leg.record_data)
        assert leg.record_data["deal_hash"] == leg.deal_hash
        assert leg.record_hash == record_hash(leg.record_data)
        assert leg.decisions == len(played.record["actions"]) and leg.reason == played.record["result"]["reason"]
        seats = list(leg.seats.all())
        assert [seat.participant.index for seat in seats] == leg.seating
        assert [seat.verdict for seat in seats] == ["ok", "ok"]
        assert [seat.place for seat in seats] == list(played.record["result"]["places"])
    assert attempt.match.attempts.get().ending == "stored"


def test_a_result_is_stored_once(match: Match, attempt: Attempt, report: MatchReport) -> None:
    store_report(attempt=attempt, report=report)
    with pytest.raises(AttemptLost):
        store_report(attempt=attempt, report=report)
    assert LegSeat.objects.filter(leg__match=match).count() == 4


def test_a_worker_that_was_given_up_stores_nothing(match: Match, attempt: Attempt, report: MatchReport) -> None:
    Attempt.objects.update(heartbeat_at=now() - timedelta(minutes=5))
    assert requeue_lost_matches() == [match.pk]
    with pytest.raises(AttemptLost):
        record_heartbeat(attempt=attempt)
    with pytest.raises(AttemptLost):
        store_report(attempt=attempt, report=report)
    match.refresh_from_db()
    assert match.state == "queued" and match.legs.first().record is None
    later = claim_match(match_id=match.pk, worker="there")
    with pytest.raises(AttemptLost):
        store_report(attempt=attempt, report=report)
    store_report(attempt=later, report=report)


def test_a_heartbeat_keeps_a_match(match: Match, attempt: Attempt) -> None:
    Attempt.objects.update(heartbeat_at=now() - timedelta(minutes=5))
    record_heartbeat(attempt=attempt)
    assert requeue_lost_matches() == []


def test_the_match_of_a_process_that_ended_is_queued_at_once(match: Match) -> None:
    host, namespace, pid, start = this_worker().rsplit("/", 3)
    claim_match(match_id=match.pk, worker=f"{host}/{namespace}/{pid}/{int(start) - 1}")
    assert requeue_lost_matches() == [match.pk]


def fail(match: Match, number: int) -> timedelta | None:
    """Fail the next attempt, and return how long the match rests; None once it has ended."""
    attempt = claim_match(match_id=match.pk, worker="here")
    assert attempt is not None and attempt.number == number
    fail_attempt(attempt=attempt, error=f"no room {number}")
    match.refresh_from_db()
    return None if match.retry_at is None or match.is_over else match.retry_at - now()


def test_failed_attempts_are_repeated_with_growing_pauses_for_an_hour(match: Match) -> None:
    rests = [fail(match, number) for number in range(1, 8)]
    seconds = [round(rest.total_seconds()) for rest in rests if rest is not None]
    assert seconds == [5, 15, 45, 120, 300, 600, 600]
    Attempt.objects.filter(number=1).update(ended_at=now() - timedelta(hours=1, seconds=1))
    assert fail(match, 8) is None
    assert match.state == "void" and "for an hour" in str(match.void_reason)
    assert "no room" not in str(match.void_reason), "what failed is for staff"
    assert claim_match(match_id=match.pk, worker="here") is None


def test_a_match_that_rests_is_not_claimed_before_its_time(match: Match) -> None:
    fail(match, 1)
    assert claim_next(worker="here") is None and match.next_try_at is not None
    Match.objects.update(retry_at=now() - timedelta(seconds=1))
    assert claim_next(worker="here") is not None


def test_a_rest_that_a_clock_set_back_made_long_has_ended(match: Match) -> None:
    Match.objects.update(retry_at=now() + timedelta(hours=5))
    assert claim_next(worker="here") is not None


def test_restarts_are_repeated_at_once_and_later_with_pauses(match: Match) -> None:
    rests = []
    for _ in range(5):
        claim_match(match_id=match.pk, worker="here")
        Attempt.objects.open().update(heartbeat_at=now() - timedelta(minutes=5))
        requeue_lost_matches()
        match.refresh_from_db()
        rests.append(match.retry_at is not None)
    assert match.state == "queued" and rests == [False, False, False, True, True]


def test_an_error_in_the_runner_is_our_failure(match: Match, play: Play) -> None:
    Match.objects.update(deal={})
    assert not play(match)
    match.refresh_from_db()
    assert match.state == "queued"
    failed = match.attempts.get()
    assert failed.ending == "failed" and failed.error


def test_what_a_faulty_bot_did_is_kept_for_its_owner(
    ana: User, ben: User, make_version: MakeVersion, play: Play
) -> None:
    versions = [make_version(ana, "quits", EXITS_AT_ONCE), make_version(ben, "good")]
    match = queue_match(versions=versions, game="battleline", edition="standard")
    assert play(match)
    assert [participant.points for participant in match.participants.all()] == [0, 1]
    bad = LegSeat.objects.filter(participant__index=0)
    assert {seat.verdict for seat in bad} == {"start"}
    assert all(seat.stderr == "I give up\n" and seat.fault["message"] for seat in bad)


@pytest.mark.usefixtures("toy")
def test_a_match_of_four_is_stored_leg_by_leg_and_seat_by_seat(
    ana: User, make_version: MakeVersion, play: Play
) -> None:
    sources = {"a": FIRST_LEGAL, "b": FIRST_LEGAL, "c": CRASHES_WHEN_ASKED, "d": FIRST_LEGAL}
    versions = [make_version(ana, name, source, game="toy") for name, source in sources.items()]
    match = queue_match(versions=versions, game="toy", edition="plain")
    assert play(match)
    assert [leg.seating for leg in match.legs.all()] == [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
    assert [participant.points for participant in match.participants.all()] == pytest.approx([2 / 3, 2 / 3, 0, 2 / 3])
    for leg in match.legs.all():
        replay.verify(leg.record_data)
        seats = list(leg.seats.all())
        assert [seat.participant.index for seat in seats] == leg.seating
        assert [seat.verdict for seat in seats] == ["crash" if index == 2 else "ok" for index in leg.seating]
        assert [seat.fault is None for seat in seats] == [index != 2 for index in leg.seating]
        assert [seat.place for seat in seats] == [4 if index == 2 else 1 for index in leg.seating]
        assert leg.reason == "said"


class TestTrial:
    @pytest.mark.usefixtures("toy")
    @pytest.mark.parametrize("source", [FIRST_LEGAL, CRASHES_WHEN_ASKED])
    def test_is_played_at_the_largest_table_of_the_game(
        self, ana: User, house: User, make_version: MakeVersion, play: Play, source: bytes
    ) -> None:
        simplest = make_version(house, "random", game="toy")
        version = make_version(ana, "k", source, ON_TRIAL, game="toy")
        match = queue_trial(version=version)
        assert [row.version for row in match.participants.all()] == [version, simplest, simplest, simplest]
        play(match)
        match.refresh_from_db()
        apply_trial_result(match=match)
        version.refresh_from_db()
        assert version.state == ("accepted" if source == FIRST_LEGAL else "rejected")
        assert ("Crash in leg 1 of its trial" in str(version.state_reason)) == (source != FIRST_LEGAL)

    def test_an_upload_plays_the_simplest_sample(self, ana: User, house: User, make_version: MakeVersion) -> None:
        make_version(house, "greedy")
        simplest = make_version(house, "random")
        version = make_version(ana, "k", state=ON_TRIAL)
        match = queue_trial(version=version)
        assert [row.version for row in match.participants.all()] == [version, simplest]

    def test_there_is_one_trial_at_a_time(self, ana: User, make_version: MakeVersion) -> None:
        version = make_version(ana, "k", state=ON_TRIAL)
        assert queue_trial(version=version)
        assert queue_trial(version=version) is None
        Match.objects.update(state=Match.State.VOID)
        assert queue_trial(version=version)

    def test_a_judged_version_is_not_tried(self, ana: User, make_version: MakeVersion) -> None:
        assert queue_trial(version=make_version(ana, "k")) is None

    @pytest.mark.parametrize(("source", "state"), [(FIRST_LEGAL, "accepted"), (EXITS_AT_ONCE, "rejected")])
    def test_a_verdict_decides(
        self, ana: User, house: User, make_version: MakeVersion, play: Play, source: bytes, state: str
    ) -> None:
        make_version(house, "random")
        version = make_version(ana, "k", source, state=ON_TRIAL)
        match = queue_trial(version=version)
        play(match)
        match.refresh_from_db()
        apply_trial_result(match=match)
        version.refresh_from_db()
        assert version.state == state
        assert ("Failed to start in leg 1 of its trial" in str(version.state_reason)) == (state == "rejected")

    def test_a_fault_of_the_other_side_is_not_held_against_it(
        self, ana: User, house: User, make_version: MakeVersion, play: Play
    ) -> None:
        make_version(house, "random", EXITS_AT_ONCE)
        version = make_version(ana, "k", state=ON_TRIAL)
        match = queue_trial(version=version)
        play(match)
        match.refresh_from_db()
        apply_trial_result(match=match)
        version.refresh_from_db()
        assert version.state == "accepted"

    def test_a_void_trial_decides_nothing(self, ana: User, make_version: MakeVersion) -> None:
        version = make_version(ana, "k", state=ON_TRIAL)
        match = queue_trial(version=version)
        match.state = Match.State.VOID
        match.save()
        apply_trial_result(match=match)
        version.refresh_from_db()
        assert version.state == "on_trial" and Trial.objects.count() == 1


def test_a_match_that_the_database_interrupts_is_lost_and_not_failed(match: Match, attempt: Attempt) -> None:
    def lose_connection(*_: object) -> MatchReport:
        raise OperationalError("the connection is closed")

    assert not play_attempt(attempt=attempt, play=lose_connection)
    assert match.attempts.get().ended_at is None
    Attempt.objects.update(heartbeat_at=now() - 2 * MATCH_HEARTBEAT_TIMEOUT)
    assert requeue_lost_matches() == [match.pk]
    assert match.attempts.get().ending == "lost"


@pytest.mark.parametrize(("source", "state"), [(FIRST_LEGAL, "accepted"), (EXITS_AT_ONCE, "rejected")])
def test_an_author_is_told_once_how_a_trial_went(
    ana: User, house: User, make_version: MakeVersion, play: Play, source: bytes, state: str
) -> None:
    Webhook.objects.create(owner=ana, url="https://8.8.8.8/", events=[Event.TRIAL_FINISHED, Event.MATCH_FINISHED])
    make_version(house, "random")
    version = make_version(ana, "k", source, BotVersion.State.ON_TRIAL)
    match = queue_trial(version=version)
    play(match)
    for _ in range(2):
        tasks.settle_match(match.pk)
        match.settled_at = None
        match.save(update_fields=["settled_at"])
    notice = Notice.objects.get()
    assert notice.user == ana and f"was {state}" in str(notice.text) and notice.url == "/bots/k/v/1/"
    delivery = Delivery.objects.get()
    assert delivery.event == Event.TRIAL_FINISHED
    assert delivery.payload | {"reason": "", "detail": ""} == {
        "bot": "k", "version": 1, "state": state, "reason": "",
        "detail": "", "match": match.pk
    }  # fmt: skip


def test_the_webhooks_of_all_who_played_are_told_of_a_match(
    ana: User, ben: User, make_version: MakeVersion, play: Play
) -> None:
    for owner in (ana, ben):
        Webhook.objects.create(owner=owner, url="https://8.8.8.8/", events=[Event.MATCH_FINISHED])
    versions = [make_version(ana, "k"), make_version(ben, "quitter", EXITS_AT_ONCE)]
    match = queue_match(versions=versions, game="battleline", edition="standard")
    play(match)
    tasks.settle_match(match.pk)
    assert not Notice.objects.exists()
    assert {delivery.webhook.owner for delivery in Delivery.objects.all()} == {ana, ben}
    assert Delivery.objects.first().payload["participants"] == [
        {"bot": "k", "version": 1, "points": 1.0},
        {"bot": "quitter", "version": 1, "points": 0.0},
    ]


def counts() -> set[tuple[str, str, int]]:
    return set(VerdictCount.objects.values_list("version__bot__name", "verdict", "legs"))


def test_every_leg_of_every_match_is_counted_once(ana, ben, make_version, play):
    quitter, heron = make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")
    for number in (1, 2):
        match = queue_match(versions=[quitter, heron], game="battleline", edition="standard")
        assert counts() == ({("Quitter", "start", 2), ("Heron", "ok", 2)} if number == 2 else set())
        assert play(match)
    assert counts() == {("Quitter", "start", 4), ("Heron", "ok", 4)}


def test_who_plays_itself_has_every_seat_counted(ana, make_version, play):
    assert play(queue_match(versions=[make_version(ana, "Heron")] * 2, game="battleline", edition="standard"))
    assert counts() == {("Heron", "ok", 4)}


@pytest.mark.full
def test_what_was_played_before_there_were_counts_is_counted(transactional_db, ana, make_version, play):
    assert play(queue_match(versions=[make_version(ana, "Heron")] * 2, game="battleline", edition="standard"))
    MigrationExecutor(connection).migrate([("matches", "0004_turns_and_counts")])
    VerdictCount.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert counts() == {("Heron", "ok", 4)}
