from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import count

import pytest
from django.utils.timezone import now

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.people.accounts.models import User
from arena.runner.match import list_seatings
from tests.conftest import MakeVersion

Finish = Callable[..., LadderMatch]
YESTERDAY = now() - timedelta(days=1)


@pytest.fixture
def entries(ladder: Ladder, make_version: MakeVersion) -> list[Entry]:
    """Four bots of four owners."""
    owners = [User.objects.create_user(name) for name in ("one", "two", "three", "four")]
    return [enter_version(ladder=ladder, version=make_version(owner, f"{owner}'s")) for owner in owners]


def store_match(
    ladder: Ladder,
    entries: Sequence[Entry],
    legs: Sequence[Sequence[int]],
    faults: Sequence[tuple[int, int]] = (),
    state: Match.State = Match.State.FINISHED,
    minute: int = 0,
) -> LadderMatch:
    """A match as is stored when it is over: the places by participant, a row a leg; faults by leg and participant,
    from 0. It waits to be counted."""
    match = Match.objects.create(
        game=ladder.game,
        edition=ladder.edition,
        options={},
        rules_version=1,
        limits={},
        deal={},
        state=state,
        finished_at=YESTERDAY + timedelta(minutes=minute),
    )
    others = len(entries) - 1
    participants = Participant.objects.bulk_create(
        Participant(
            match=match,
            index=index,
            version_id=entry.version_id,
            points=sum(sum((place > row[index]) + (place == row[index]) / 2 for place in row) - 0.5 for row in legs)
            / (len(legs) * others),
        )
        for index, entry in enumerate(entries)
    )
    played = Leg.objects.bulk_create(
        Leg(match=match, number=number, seating=seating, salt="", deal_hash="", reason="", decisions=1)
        for number, seating in enumerate(list_seatings(len(entries)), 1)
    )
    LegSeat.objects.bulk_create(
        LegSeat(
            leg=leg,
            seat=seat,
            participant=participants[index],
            place=legs[number][index],
            score=0,
            verdict="crash" if (number, index) in faults else "ok",
        )
        for number, leg in enumerate(played)
        for seat, index in enumerate(leg.seating)
    )
    return LadderMatch.objects.create(ladder=ladder, match=match)


@pytest.fixture
def finish(ladder: Ladder) -> Finish:
    """`store_match` on the ladder, each a minute after the one before."""
    minutes = count()

    def store(entries: Sequence[Entry], *legs: Sequence[int], **more: object) -> LadderMatch:
        return store_match(ladder, entries, legs, minute=next(minutes), **more)

    return store
