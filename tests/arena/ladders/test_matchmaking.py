from collections import Counter

import pytest

from arena.ladders.matchmaking import Candidate, choose_pairs

HOUSE, ANA, BEN = 1, 2, 3


def candidate(entry: int, owner: int, played: int = 0, rating: float = 1500.0) -> Candidate:
    return Candidate(entry=entry, owner=owner, is_house=owner == HOUSE, rating=rating, played=played)


def test_a_newcomer_meets_everybody_before_the_others_go_on() -> None:
    old = [candidate(entry, HOUSE, played=50) for entry in (1, 2, 3)]
    pairs = choose_pairs([*old, candidate(9, ANA)], {}, room=6)
    assert Counter(pairs) == {(1, 9): 2, (2, 9): 2, (3, 9): 2}


def test_the_bots_of_one_author_never_meet() -> None:
    assert choose_pairs([candidate(1, ANA), candidate(2, ANA)], {}, room=5) == []
    pairs = choose_pairs([candidate(1, ANA), candidate(2, ANA), candidate(3, BEN)], {}, room=4)
    assert len(pairs) == 4 and (1, 2) not in pairs


def test_the_samples_of_the_house_meet_each_other() -> None:
    assert choose_pairs([candidate(1, HOUSE), candidate(2, HOUSE)], {}, room=2) == [(1, 2), (1, 2)]


def test_nobody_plays_alone() -> None:
    assert choose_pairs([candidate(1, HOUSE)], {}, room=3) == []
    assert choose_pairs([], {}, room=3) == []


def test_whom_one_has_met_least_comes_first() -> None:
    everybody = [candidate(1, ANA), candidate(2, BEN, played=9), candidate(3, HOUSE, played=5)]
    assert choose_pairs(everybody, {(1, 3): 4}, room=1) == [(1, 2)]


def test_of_equals_the_nearest_in_rating_comes_first() -> None:
    everybody = [candidate(1, ANA), candidate(2, BEN, rating=1900), candidate(3, HOUSE, rating=1450)]
    assert choose_pairs(everybody, {}, room=1) == [(1, 3)]


@pytest.mark.parametrize("room", [0, 1, 30])
def test_there_are_never_more_pairs_than_room(room: int) -> None:
    assert len(choose_pairs([candidate(entry, entry) for entry in range(10, 20)], {}, room=room)) == room


def test_in_the_long_run_everybody_plays_the_same_number() -> None:
    pairs = choose_pairs([candidate(entry, entry) for entry in range(10, 15)], {}, room=100)
    assert set(Counter(entry for pair in pairs for entry in pair).values()) == {40}
    assert set(Counter(pairs).values()) == {10}
