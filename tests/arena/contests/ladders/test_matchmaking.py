from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import mean

import pytest

from arena.contests.ladders.matchmaking import (
    Candidate,
    Table,
    choose_match_entries,
    choose_match_size,
    compute_match_information,
    sort_pair,
    take_nearest,
)
from arena.contests.ladders.rating import LOGITS_PER_ELO
from tests.bench.memory_book import MemoryBook

HOUSE, ANA, BEN = 1, 2, 3


def candidate(entry: int, owner: int | None = None, rating: float = 1500.0, deviation: float = 100.0) -> Candidate:
    owner = entry if owner is None else owner
    return Candidate(entry=entry, owner=owner, is_house=owner == HOUSE, rating=rating, deviation=deviation)


def authors(count: int, **numbers: float) -> list[Candidate]:
    return [candidate(entry, **numbers) for entry in range(100, 100 + count)]


def spread_out(count: int, seed: int = 1) -> list[Candidate]:
    rng = Random(seed)
    return [candidate(entry, None, rng.gauss(1500, 200)) for entry in range(100, 100 + count)]


def pick(book: MemoryBook, count: int, seats: Sequence[int] = (2,), seed: int = 1) -> list[Table]:
    """Choose tables one after the other, all of them open afterwards."""
    rng = Random(seed)
    tables = []
    for number in range(1, count + 1):
        table = choose_match_entries(book, choose_match_size(number, seats), rng)
        if table is None:
            break
        tables.append(tuple(sorted(table)))
        book.flights.append([book.candidates[entry] for entry in table])
    return tables


def play(book: MemoryBook, count: int, seats: int = 2, seed: int = 1) -> list[Table]:
    """Choose tables one after the other, each played before the next is chosen, with unchanged ratings."""
    rng = Random(seed)
    tables = []
    for _ in range(count):
        table = choose_match_entries(book, seats, rng)
        assert table is not None
        tables.append(tuple(sorted(table)))
        book.count(table)
    return tables


def met(tables: list[Table]) -> Counter[Table]:
    return Counter(two for table in tables for two in combinations(table, 2))


@pytest.mark.parametrize("seats", [(2,), (2, 3, 4)])
@pytest.mark.parametrize("count", [3, 40])
def test_no_table_has_two_bots_of_one_author_but_of_the_house(count: int, seats: tuple[int, ...]) -> None:
    people = {entry: (HOUSE, ANA, BEN, 4, 5)[entry % 5] for entry in range(count)}
    book = MemoryBook(candidate(entry, owner, 1500 + entry) for entry, owner in people.items())
    tables = pick(book, 40, seats)
    assert tables
    for table in tables:
        assert 2 <= len(set(table)) == len(table)
        seated = Counter(people[entry] for entry in table)
        assert all(number == 1 for owner, number in seated.items() if owner != HOUSE)
    if count > 3:
        assert any(people[one] == people[other] == HOUSE for one, other in met(tables))


def test_the_numbers_of_seats_take_turns() -> None:
    assert [choose_match_size(number, range(2, 5)) for number in range(1, 8)] == [2, 3, 4, 2, 3, 4, 2]
    assert [choose_match_size(number, range(1, 3)) for number in (1, 2)] == [2, 2]


@pytest.mark.parametrize("count", [6, 40])
@pytest.mark.parametrize(("deviation", "plays"), [(30.0, False), (300.0, True)])
def test_where_costs_are_weighed_a_slow_bot_plays_once_its_matches_tell_more_for_their_time(
    count: int, deviation: float, plays: bool
) -> None:
    quick = [replace(one, processor_s=0.1, deviation=30.0) for one in authors(count)]
    slow = replace(quick[0], processor_s=3.0, deviation=deviation)
    book = MemoryBook([slow, *quick[1:]])
    book.weighs_costs = True
    chosen = [choose_match_entries(book, 2, Random(seed)) for seed in range(20)]
    assert sum(slow.entry in (table or ()) for table in chosen) >= (15 if plays else 0)
    assert plays or count > 30 or not any(slow.entry in (table or ()) for table in chosen)


class TestOfFew:
    """A ladder of less than 30: whoever has met least."""

    @pytest.mark.parametrize("candidates", [[], [candidate(1)], [candidate(1, ANA), candidate(2, ANA)]])
    def test_nobody_plays_alone(self, candidates: list[Candidate]) -> None:
        assert choose_match_entries(MemoryBook(candidates), 2, Random(1)) is None

    def test_two_never_stand_still(self) -> None:
        assert pick(MemoryBook([candidate(1), candidate(2)]), 8) == [(1, 2)] * 8

    @pytest.mark.parametrize("count", [3, 5, 16, 29])
    def test_everybody_meets_everybody_equally_often(self, count: int) -> None:
        pairs = count * (count - 1) // 2
        tables = met(play(MemoryBook(authors(count)), 4 * pairs))
        assert len(tables) == pairs and set(tables.values()) == {4}

    def test_a_newcomer_meets_everybody_before_the_others_go_on(self) -> None:
        book = MemoryBook([*authors(3), candidate(9)])
        book.met.update(dict.fromkeys(combinations((100, 101, 102), 2), 50))
        assert met(play(book, 6)) == {(9, 100): 2, (9, 101): 2, (9, 102): 2}

    def test_matches_in_flight_are_meetings(self) -> None:
        assert len(set(pick(MemoryBook(authors(4)), 6))) == 6

    @pytest.mark.parametrize("count", [4, 9, 12])
    def test_tables_of_every_size_are_shared_evenly(self, count: int) -> None:
        tables = pick(MemoryBook(authors(count)), 300, (2, 3, 4))
        assert Counter(map(len, tables)) == {2: 100, 3: 100, 4: 100}
        played = Counter(entry for table in tables for entry in table)
        assert len(played) == count and max(played.values()) - min(played.values()) <= 5
        two = met(tables)
        assert len(two) == count * (count - 1) // 2 and max(two.values()) - min(two.values()) <= 3
        for size in (2, 3, 4):
            sat = Counter(entry for table in tables if len(table) == size for entry in table)
            assert min(sat.values()) > 0.5 * size * 100 / count

    def test_a_table_is_no_larger_than_there_are_candidates_who_may_meet(self) -> None:
        book = MemoryBook([candidate(1, ANA), candidate(2, ANA), candidate(3, BEN)])
        assert {len(table) for table in pick(book, 6, (2, 3, 4))} == {2}


class TestOfMany:
    def test_the_least_certain_plays_first(self) -> None:
        book = MemoryBook([*spread_out(40), candidate(9, None, 1500, 300)])
        assert all(9 in table for table in play(book, 20))

    def test_what_is_in_flight_counts_as_half_known(self) -> None:
        """About an author's two newcomers each gets a match before either gets a second."""
        newcomers = [candidate(8, ANA, 1400, 290), candidate(9, ANA, 1600, 300)]
        tables = pick(MemoryBook([*spread_out(40), *newcomers]), 4)
        assert 9 in tables[0] and 8 in tables[1]

    @pytest.mark.parametrize("seats", [2, 4])
    def test_nobody_sits_in_more_than_two_matches_at_once(self, seats: int) -> None:
        book = MemoryBook(spread_out(30))
        tables = pick(book, 60, (seats,))
        seated = Counter(entry for table in tables for entry in table)
        assert max(seated.values()) == 2 and len(tables) >= 60 // seats - 1

    def test_opponents_are_near_but_not_always_the_next(self) -> None:
        book = MemoryBook(candidate(entry, None, 1000 + 5 * entry) for entry in range(200))
        book.put(candidate(100, None, 1500, 150))
        apart = [abs(one - other) * 5 for one, other in play(book, 500)]
        assert 100 < mean(apart) < 200 and max(apart) > 300

    def test_the_best_tenth_plays_more_often(self) -> None:
        book = MemoryBook(candidate(entry, None, 1000 + 5 * entry) for entry in range(200))
        before = sum(entry >= 180 for table in play(book, 1000) for entry in table)
        book.find_top()
        after = sum(entry >= 180 for table in play(book, 1000) for entry in table)
        assert book.top_rating == 1900 and after > before + 200

    def test_where_all_of_the_best_play_already_another_does(self) -> None:
        book = MemoryBook(spread_out(30))
        book.top_rating = 5000
        assert len(play(book, 20)) == 20

    def test_whoever_has_waited_for_a_day_plays_but_leaves_room_for_others(self) -> None:
        book = MemoryBook([*spread_out(40), candidate(9, None, 1500, 10)])
        assert not any(9 in table for table in play(book, 40))
        book.waiting = [9]
        tables = play(book, 100)
        assert 25 < sum(9 in table for table in tables) < 75

    def test_new_opponents_come_before_old_ones(self) -> None:
        book = MemoryBook(candidate(entry, None, 1490 + entry) for entry in range(30))
        book.put(candidate(10, None, 1500, 150))
        book.met.update({sort_pair(10, even): 10_000 for even in range(0, 30, 2) if even != 10})
        opponents = [one + other - 10 for one, other in play(book, 100)]
        assert sum(opponent % 2 for opponent in opponents) > 90

    def test_one_far_above_all_others_meets_many_of_them(self) -> None:
        book = MemoryBook(candidate(entry, None, 1000 + 15 * entry) for entry in range(40))
        book.put(candidate(99, None, 1800, 150))
        assert len(met(play(book, 60))) >= 6

    def test_where_few_are_on_one_side_more_are_looked_at_on_the_other(self) -> None:
        one, two, *others = authors(9)
        assert take_nearest([one, two], others, 3) == [one, two, *others[:4]]
        assert take_nearest(others, [one], 3) == [*others[:5], one]
        assert take_nearest([one], [two], 3) == [one, two]

    def test_a_bot_whose_rivals_are_all_its_authors_does_not_keep_others_from_playing(self) -> None:
        book = MemoryBook([candidate(entry, ANA, 1500, 300) for entry in range(30)] + [candidate(40, BEN, 1500, 50)])
        assert [40 in table for table in pick(book, 9)] == [True, True]

    def test_a_larger_table_is_filled(self) -> None:
        assert [len(table) for table in pick(MemoryBook(spread_out(60)), 6, (2, 3, 4))] == [2, 3, 4, 2, 3, 4]


def test_a_match_of_equals_whose_ratings_are_known_tells_most() -> None:
    one, other, far = candidate(1, None, 1500, 0.001), candidate(2, None, 1500, 0.001), candidate(3, None, 1900, 0.001)
    assert compute_match_information(one, other, 2, 1.0) == pytest.approx(2 * 0.25 * LOGITS_PER_ELO * LOGITS_PER_ELO)
    assert compute_match_information(one, far, 2, 1.0) < compute_match_information(one, other, 2, 1.0)
    assert compute_match_information(one, other, 2, 0.5) == pytest.approx(
        2 * compute_match_information(one, other, 2, 1.0)
    )
    assert compute_match_information(one, candidate(4, None, 1500, 300), 2, 1.0) < compute_match_information(
        one, other, 2, 1.0
    )
