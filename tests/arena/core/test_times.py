"""What waits for a time to pass doesn't wait for as long as a clock was set back."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from arena.bots.models import BotVersion
from arena.bots.services import claim_build
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.refitting import refit_ladder
from arena.contests.tournaments.models import Tournament
from arena.matches import services as matches
from arena.matches.models import Attempt, Match
from arena.people.accounts.models import User
from tests.arena.capabilities import able
from tests.conftest import MakeVersion

LATER = timedelta(hours=1)


@pytest.fixture
def later() -> datetime:
    return timezone.now() + LATER


def test_what_rests_or_is_claimed_is_taken_up_again(ana: User, make_version: MakeVersion, later: datetime) -> None:
    version = make_version(ana, "Kingfisher")
    matches.queue_match(versions=[version, version], game="battleline", edition="standard")
    Match.objects.update(retry_at=later + LATER)
    assert matches.has_due_match()
    BotVersion.objects.update(state=BotVersion.State.BUILDING, build_due_at=later)
    assert claim_build(able()) == version
    BotVersion.objects.update(state=BotVersion.State.ON_TRIAL, created_at=later)
    assert matches.list_versions_without_trial() == [version.pk]


def test_ladders_are_fitted_again(ladder: Ladder, later: datetime) -> None:
    Ladder.objects.update(last_sequence=1, fitted_at=later, fitting_at=later, is_stale=True)
    assert list(Ladder.objects.due_for_fit()) == [ladder]
    assert refit_ladder(ladder=ladder) is not None


def test_tournaments_go_on(db: None, ana: User, later: datetime) -> None:
    tournament = Tournament.objects.create(
        organiser=ana, game="battleline", edition="standard", state="running", settings={}, last_advanced_at=later
    )
    assert list(Tournament.objects.stalled()) == [tournament]


def test_heartbeats_are_told_by_the_clock_of_the_database(
    ana: User, make_version: MakeVersion, later: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version(ana, "Kingfisher")
    match = matches.queue_match(versions=[version, version], game="battleline", edition="standard")
    monkeypatch.setattr(timezone, "now", lambda: later)
    monkeypatch.setattr(matches, "now", lambda: later)
    attempt = matches.claim_match(match_id=match.pk, worker="elsewhere/1/1/1")
    assert attempt is not None
    matches.record_heartbeat(attempt=attempt)
    monkeypatch.undo()
    assert matches.requeue_lost_matches() == []
    Attempt.objects.update(heartbeat_at=later)
    assert matches.requeue_lost_matches() == [match.pk]
