"""Places and their ranges count every bot of a list: in no simulated season does a place lie outside its range."""

from itertools import combinations
from random import Random

import pytest

from arena.bots.models import Bot, BotVersion
from arena.contests.ladders.models import Entry, Ladder, PairStat
from arena.contests.ladders.queries import (
    Place,
    fetch_leaders,
    find_place,
    find_places,
    list_by_rating,
    number_places,
)
from arena.contests.ladders.rating import expected_score
from arena.contests.ladders.services.refitting import refit_ladder
from arena.people.accounts.models import User

MIN_MATCHES_BETWEEN_TWO = 12


def enter_field(ladder: Ladder, count: int) -> list[Entry]:
    """Enter bots of as many owners at once."""
    owners = User.objects.bulk_create(User(username=f"author{number}") for number in range(count))
    bots = Bot.objects.bulk_create(
        Bot(owner=owner, name=f"bot{number}", slug=f"bot{number}", game=ladder.game)
        for number, owner in enumerate(owners)
    )
    accepted = BotVersion.State.ACCEPTED
    versions = BotVersion.objects.bulk_create(BotVersion(bot=bot, number=1, state=accepted, size=1) for bot in bots)
    return Entry.objects.bulk_create(Entry(ladder=ladder, version=version) for version in versions)


def play_season(ladder: Ladder, entries: list[Entry], strengths: list[float], days: int, rng: Random) -> None:
    """Play some days: each bot meets a few of about its rank, those that came last have played least."""
    met: dict[tuple[int, int], int] = {}
    for pair in combinations(range(len(entries)), 2):
        if rng.random() < min(1.0, 30 * days / len(entries) / 10):
            met[pair] = rng.randint(1, MIN_MATCHES_BETWEEN_TWO + 400 // len(entries))
    newcomers = len(entries) // 6
    stats = []
    for (one, other), matches in met.items():
        if one < newcomers and rng.random() < 0.8:
            continue
        chance = expected_score(strengths[one] - strengths[other])
        halves = sum(rng.random() < chance for _ in range(2 * matches)) * 2
        low, high = entries[one], entries[other]
        stats.append(PairStat(ladder=ladder, low=low, high=high, seats=2, matches=matches, halves=halves))
        for side, points in ((low, halves / 4), (high, matches - halves / 4)):
            side.matches, side.opponents, side.points = side.matches + matches, side.opponents + 1, side.points + points
    PairStat.objects.bulk_create(stats)
    Entry.objects.bulk_update(entries, ["matches", "opponents", "points"])
    Ladder.objects.filter(pk=ladder.pk).update(last_sequence=sum(met.values()))
    refit_ladder(ladder=ladder)
    ladder.refresh_from_db()


def check_places(ladder: Ladder) -> dict[int, Place]:
    entries = list(list_by_rating(ladder))
    places = number_places(entries, 1, len(entries))
    assert [entry.rating for entry in entries] == sorted((entry.rating for entry in entries), reverse=True)
    for number, entry in enumerate(entries, start=1):
        place = places.get(entry.pk)
        assert (place is not None) is entry.is_ranked
        if place is not None:
            assert place.number == number and 1 <= place.low <= number <= place.high <= len(entries)
    leader = fetch_leaders([ladder.pk]).get(ladder.pk)
    assert leader == (entries[0] if entries[0].is_ranked else None)
    return places


@pytest.mark.parametrize("bots", [4, 12, 300])
def test_no_place_lies_outside_its_range(ladder: Ladder, bots: int) -> None:
    rng = Random(bots)
    entries = enter_field(ladder, bots)
    strengths = [rng.gauss(1500, 250) for _ in entries]
    play_season(ladder, entries, strengths, 12, rng)
    fitted = {entry.pk: entry for entry in list_by_rating(ladder)}
    places = check_places(ladder)
    assert len(places) >= bots // 2
    for pk, place in places.items():  # as fitted, nothing had to be widened
        assert (fitted[pk].place_low, fitted[pk].place_high) == (place.low, place.high)
        assert (fitted[pk].place_high or 0) >= (fitted[pk].rank_high or 0)
    assert find_places(ladder, fitted.values()) == places
    sample = next(entry for entry in fitted.values() if entry.is_ranked)
    assert find_place(sample) == places[sample.pk]


@pytest.mark.parametrize("bots", [4, 12])
def test_nor_does_one_after_ratings_have_moved_between_two_fits(ladder: Ladder, bots: int) -> None:
    rng = Random(bots)
    entries = enter_field(ladder, bots)
    play_season(ladder, entries, [rng.gauss(1500, 250) for _ in entries], 12, rng)
    for _ in range(10):
        for entry in list_by_rating(ladder):
            Entry.objects.filter(pk=entry.pk).update(rating=entry.rating + rng.gauss(0, 150))
        check_places(ladder)
    for entry in entries[: bots // 4]:
        Entry.objects.filter(pk=entry.pk).update(is_ranked=False)
    check_places(ladder)
