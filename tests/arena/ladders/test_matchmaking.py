from collections import Counter
from itertools import combinations

import pytest

from arena.ladders.matchmaking import Candidate, Table, choose_tables

HOUSE, ANA, BEN = 1, 2, 3
PAIRS, TO_FOUR = range(2, 3), range(2, 5)


def candidate(entry: int, owner: int, played: int = 0, rating: float = 1500.0) -> Candidate:
    return Candidate(entry=entry, owner=owner, is_house=owner == HOUSE, rating=rating, played=played)


def choose_pairs(candidates: list[Candidate], recent: list[Table], room: int) -> list[Table]:
    return choose_tables(candidates, recent, PAIRS, room)


def test_a_newcomer_meets_everybody_before_the_others_go_on() -> None:
    old = [candidate(entry, HOUSE, played=50) for entry in (1, 2, 3)]
    pairs = choose_pairs([*old, candidate(9, ANA)], [], room=6)
    assert Counter(pairs) == {(1, 9): 2, (2, 9): 2, (3, 9): 2}


def test_the_bots_of_one_author_never_meet() -> None:
    assert choose_pairs([candidate(1, ANA), candidate(2, ANA)], [], room=5) == []
    pairs = choose_pairs([candidate(1, ANA), candidate(2, ANA), candidate(3, BEN)], [], room=4)
    assert len(pairs) == 4 and (1, 2) not in pairs


def test_the_samples_of_the_house_meet_each_other() -> None:
    assert choose_pairs([candidate(1, HOUSE), candidate(2, HOUSE)], [], room=2) == [(1, 2), (1, 2)]


def test_nobody_plays_alone() -> None:
    assert choose_pairs([candidate(1, HOUSE)], [], room=3) == []
    assert choose_pairs([], [], room=3) == []


def test_whom_one_has_met_least_comes_first() -> None:
    everybody = [candidate(1, ANA), candidate(2, BEN, played=9), candidate(3, HOUSE, played=5)]
    assert choose_pairs(everybody, [(1, 3)] * 4, room=1) == [(1, 2)]


def test_of_equals_the_nearest_in_rating_comes_first() -> None:
    everybody = [candidate(1, ANA), candidate(2, BEN, rating=1900), candidate(3, HOUSE, rating=1450)]
    assert choose_pairs(everybody, [], room=1) == [(1, 3)]


@pytest.mark.parametrize("room", [0, 1, 30])
def test_there_are_never_more_pairs_than_room(room: int) -> None:
    assert len(choose_pairs([candidate(entry, entry) for entry in range(10, 20)], [], room=room)) == room


def test_in_the_long_run_everybody_plays_the_same_number() -> None:
    pairs = choose_pairs([candidate(entry, entry) for entry in range(10, 15)], [], room=100)
    assert set(Counter(entry for pair in pairs for entry in pair).values()) == {40}
    assert set(Counter(pairs).values()) == {10}


def authors(count: int) -> list[Candidate]:
    return [candidate(entry, entry) for entry in range(10, 10 + count)]


def test_the_numbers_of_seats_take_turns() -> None:
    assert [len(table) for table in choose_tables(authors(6), [], TO_FOUR, room=7)] == [2, 3, 4, 2, 3, 4, 2]
    assert [len(table) for table in choose_tables(authors(6), [(10, 11), (10, 11, 12)], TO_FOUR, room=3)] == [4, 2, 3]


def test_a_table_is_no_larger_than_there_are_candidates_who_may_meet() -> None:
    of_one_author = [candidate(1, ANA), candidate(2, ANA), candidate(3, ANA)]
    assert choose_tables(of_one_author, [], TO_FOUR, room=3) == []
    tables = choose_tables([*of_one_author, candidate(4, BEN)], [], TO_FOUR, room=6)
    assert len(tables) == 6 and all(len(table) == 2 and 4 in table for table in tables)
    with_house = [*of_one_author, candidate(5, HOUSE), candidate(6, HOUSE)]
    sizes = [len(table) for table in choose_tables(with_house, [], TO_FOUR, room=4)]
    assert sizes == [2, 3, 2, 3]


def test_no_table_has_two_bots_of_one_author_but_of_the_house() -> None:
    owners = {1: HOUSE, 2: HOUSE, 3: ANA, 4: ANA, 5: BEN, 6: BEN, 7: 4, 8: 5}
    tables = choose_tables([candidate(entry, owner) for entry, owner in owners.items()], [], TO_FOUR, room=60)
    for table in tables:
        assert len(set(table)) == len(table) and table == tuple(sorted(table))
        seated = Counter(owners[entry] for entry in table)
        assert all(count == 1 for owner, count in seated.items() if owner != HOUSE)
    assert any({1, 2} <= set(table) for table in tables)


def test_at_a_larger_table_a_newcomer_always_sits() -> None:
    old = [candidate(entry, entry, played=50) for entry in range(10, 16)]
    assert all(9 in table for table in choose_tables([*old, candidate(9, ANA)], [], TO_FOUR, room=9))


@pytest.mark.parametrize("count", range(4, 14))
def test_in_the_long_run_everybody_sits_as_often_at_tables_of_every_size_and_with_everybody(count: int) -> None:
    """Table by table, as they are made on a ladder. With nine the turns of sizes and of candidates would coincide."""
    everybody, tables = authors(count), list[Table]()
    for _ in range(300):
        played = Counter(entry for table in tables for entry in table)
        now = [candidate(one.entry, one.owner, played[one.entry]) for one in everybody]
        tables += choose_tables(now, tables, TO_FOUR, room=1)
    assert Counter(map(len, tables)) == {2: 100, 3: 100, 4: 100}
    for size in TO_FOUR:
        sat = Counter(entry for table in tables if len(table) == size for entry in table)
        assert max(sat.values()) - min(sat[one.entry] for one in everybody) <= 4
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    assert max(met.values()) - min(met[pair] for pair in combinations(range(10, 10 + count), 2)) <= 2
    played = Counter(entry for table in tables for entry in table)
    assert max(played.values()) - min(played.values()) <= 2
