from collections.abc import Callable

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.comparisons.models import Comparison, ComparisonMatch
from arena.contests.comparisons.services import count_comparison_match, queue_comparison_matches
from arena.matches.models import Match
from arena.people.accounts.models import User
from tests.conftest import FIRST_LEGAL, MakeVersion

Finish = Callable[[Match, float], Match]
Run = Callable[..., None]


@pytest.fixture
def old(ana: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ana, "Kingfisher")


@pytest.fixture
def new(old: BotVersion, ana: User, make_version: MakeVersion) -> BotVersion:
    """The one in question."""
    return make_version(ana, "Kingfisher", FIRST_LEGAL + b"\n# better\n")


@pytest.fixture
def finish() -> Finish:
    """Leave a match as a worker does that stored such points of the first participant."""

    def store(match: Match, points: float) -> Match:
        for participant, share in zip(match.participants.order_by("index"), (points, 1 - points), strict=True):
            participant.points = share
            participant.save(update_fields=["points"])
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, finished_at=now())
        match.refresh_from_db()
        return match

    return store


@pytest.fixture
def run(finish: Finish) -> Run:
    """Finish what a comparison has waiting, until it is over: points by its version's and its baseline's matches. Its
    bounds are set so far apart that the first pairs that count can decide."""

    def play(comparison: Comparison, points: float, of_baseline: float = 0.5) -> None:
        Comparison.objects.filter(pk=comparison.pk).update(elo1=100)
        while matches := queue_comparison_matches(comparison=comparison):
            for match in matches:
                row = ComparisonMatch.objects.get(match=match)
                if not Comparison.objects.get(pk=comparison.pk).is_over:
                    finish(match, of_baseline if row.of_baseline else points)
                    count_comparison_match(match=match)
        comparison.refresh_from_db()

    return play
