"""Matches that are cancelled and replayed: rated, open, and of tournaments."""

import pytest
from django.utils.timezone import now

from arena.challenges.services import create_challenge
from arena.errors import Conflict
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.ladders.services.ledger import append_finished_matches
from arena.ladders.services.pairing import queue_ladder_matches
from arena.ladders.services.refitting import refit_ladder
from arena.matches.models import CANCELLED, Attempt, Match, Participant
from arena.matches.play import play_attempt
from arena.matches.services import claim_match, queue_trial
from arena.runner.match import play_match
from arena.runner.sandbox.base import Sandbox
from arena.staff_acts.matches import CancelMatch, ReplayMatch
from arena.tasks import settle_match
from arena.tournaments.models import PairingMatch
from arena.tournaments.services.organising import pause, resume
from arena.tournaments.services.playing import advance_tournament
from tests.arena.ladders.conftest import store_match
from tests.arena.ladders.test_ledger import check_recomputed
from tests.arena.tournaments.world import begin, finish, make_bots, play_out, waiting
from tests.conftest import Play

WON = [[1, 2], [1, 2]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(ladder: Ladder, entries: list[Entry]) -> list[LadderMatch]:
    """Three rated matches, the last after the fit."""
    rows = [store_match(ladder, entries, WON, minute=minute) for minute in (1, 2)]
    append_finished_matches(ladder=ladder)
    refit_ladder(ladder=ladder)
    rows.append(store_match(ladder, entries, WON, minute=3))
    append_finished_matches(ladder=ladder)
    return rows


def test_a_rated_match_counts_no_longer_and_ledger_and_ratings_agree(rated, ladder, do, client):
    before = list(Entry.objects.order_by("pk").values_list("matches", "points"))
    for row in rated[1:]:
        assert do(CancelMatch(row.match)) == "The match counts no longer."
        check_recomputed(ladder)
    assert before == [(3, 3.0), (3, 0.0)]
    assert list(Entry.objects.order_by("pk").values_list("matches", "points")) == [(1, 1.0), (1, 0.0)]
    refit_ladder(ladder=ladder)
    check_recomputed(ladder)
    assert "cancelled" in client.get("/matches/").content.decode()
    with pytest.raises(Conflict, match="doesn't count already"):
        CancelMatch(rated[1].match).describe()


def test_a_match_that_has_just_ended_is_rated_before_it_is_cancelled(ladder, entries, do):
    row = store_match(ladder, entries, WON)
    do(CancelMatch(row.match))
    row.refresh_from_db()
    assert (row.in_flight, row.sequence, row.void_sequence) == (False, 1, 2)
    settle_match(row.match_id)
    check_recomputed(ladder)


def test_a_rated_match_is_replayed_on_a_new_deal(rated, ladder, do, play: Play):
    outcome = do(ReplayMatch(rated[0].match))
    again = Match.objects.queued().get()
    assert f"replayed as match {again.pk}" in outcome
    versions = [{one.version_id for one in Participant.objects.filter(match=one)} for one in (again, rated[0].match)]
    assert versions[0] == versions[1]
    assert play(again)
    settle_match(again.pk)
    check_recomputed(ladder)
    assert Entry.objects.first().matches == 3


def test_a_match_is_not_replayed_with_a_bot_that_does_not_play(rated, entries, do):
    Entry.objects.filter(pk=entries[0].pk).update(state=Entry.State.RETIRED)
    with pytest.raises(Conflict, match="doesn't play on"):
        ReplayMatch(rated[0].match).describe()
    do(CancelMatch(rated[0].match))


def test_a_match_that_is_played_ends_without_a_result(ladder, entries, do, bare: Sandbox):
    (match, *_) = queue_ladder_matches(ladder=ladder)
    attempt = claim_match(match_id=match.pk, worker="w")

    def play(spec, beat):
        report = play_match(spec, bare, lambda _: None)
        match.refresh_from_db()
        assert "which is running" in CancelMatch(match).describe()
        do(CancelMatch(match))
        return report

    assert not play_attempt(attempt=attempt, play=play)
    match.refresh_from_db()
    attempt.refresh_from_db()
    assert (match.state, str(match.void_reason)) == (Match.State.VOID, "Cancelled by the staff of this arena.")
    assert attempt.ending == Attempt.Ending.CANCELLED and not match.legs.exclude(record=None).exists()
    settle_match(match.pk)
    assert not LadderMatch.objects.filter(match=match, in_flight=True).exists()
    assert Entry.objects.first().matches == 0
    with pytest.raises(Conflict, match="has no result"):
        CancelMatch(match).describe()


def test_what_is_not_rated_is_cancelled_only_while_it_waits(ana, make_version, do):
    one, other = make_version(ana, "Kingfisher"), make_version(ana, "Heron")
    match = create_challenge(owner=ana, version=one, opponent=other).match
    with pytest.raises(Conflict, match="request another"):
        ReplayMatch(match).describe()
    do(CancelMatch(match))
    finished = finish(create_challenge(owner=ana, version=one, opponent=other).match, [1, 2])
    with pytest.raises(Conflict, match="nothing to take back"):
        CancelMatch(finished).describe()


def test_a_trial_is_played_again_by_the_arena_itself(ana, make_version, do):
    version = make_version(ana, "Kingfisher", state="on_trial")
    match = queue_trial(version=version)
    assert "another one instead by itself" in ReplayMatch(match).describe()
    do(ReplayMatch(match))
    assert queue_trial(version=version)


class TestOfATournament:
    def test_a_match_is_replayed_in_its_place(self, do):
        tournament = begin(make_bots(4))
        first, _ = waiting(tournament)
        finish(first, [1, 2])
        with pytest.raises(Conflict, match="replay it"):
            CancelMatch(first).describe()
        outcome = do(ReplayMatch(first))
        rows = PairingMatch.objects.filter(pairing__pairing_matches__match=first).order_by("pk")
        assert [row.counts for row in rows] == [False, True] and rows[0].number == rows[1].number
        assert f"replayed as match {rows[1].match_id}" in outcome and rows[1].match.deal == rows[0].match.deal
        assert not rows.filter(failed=True).exists()
        assert play_out(tournament).state == "finished"

    def test_a_paused_tournament_replays_it_when_it_goes_on(self, do):
        tournament = begin(make_bots(2))
        (match,) = waiting(tournament)
        Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING)
        match.refresh_from_db()
        pause(tournament=tournament, organiser=tournament.organiser)
        assert "once the tournament is resumed" in do(ReplayMatch(match))
        resume(tournament=tournament, organiser=tournament.organiser)
        assert len(advance_tournament(tournament=tournament)) == 1

    def test_a_rated_one_leaves_the_ladder_too(self, ladder, entries, do):
        tournament = begin([entry.version.bot for entry in entries], is_rated=True)
        (match,) = waiting(tournament)
        finish(match, [1, 2])
        append_finished_matches(ladder=ladder)
        assert "counts no longer" in do(ReplayMatch(match))
        assert LadderMatch.objects.get(match=match).void_sequence == 2
        check_recomputed(ladder)

    def test_the_match_of_a_decided_pairing_is_refused_with_what_can_be_done(self):
        tournament = begin(make_bots(4))
        first, _ = waiting(tournament)
        finish(first, [1, 2])
        advance_tournament(tournament=tournament)
        with pytest.raises(Conflict, match="can replay round 1"):
            ReplayMatch(first).describe()


def test_a_cancelled_match_is_called_that_and_one_that_failed_is_not(ana, make_version, do, client):
    one, other = make_version(ana, "Kingfisher"), make_version(ana, "Heron")
    cancelled, failed = (create_challenge(owner=ana, version=one, opponent=other).match for _ in range(2))
    do(CancelMatch(cancelled))
    Match.objects.filter(pk=failed.pk).update(state=Match.State.VOID, finished_at=now())
    found = {row.pk: row for row in Match.objects.all()}
    assert (found[cancelled.pk].shown_state, found[failed.pk].shown_state) == (CANCELLED, Match.State.VOID)
    for match, word in ((cancelled, "Cancelled"), (failed, "No result")):
        assert word in client.get(match.get_absolute_url()).content.decode()
        told = client.get(f"/api/v1/matches/{match.pk}/").json()
        assert told["state"] == "void" and (told["cancelled_at"] is not None) == (match is cancelled)
