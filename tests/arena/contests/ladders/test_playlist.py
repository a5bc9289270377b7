"""Which rated matches spectators are shown, and in what order."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from arena.contests.ladders.showing import (
    GOOD_MATCHES_WANTED,
    MAX_ROTATED,
    ROTATION,
    PlaylistReason,
    ShowableMatch,
    build_playlist,
    count_rotated,
    needs_recorded_games,
    rotate,
)

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
NEAR = ShowableMatch(1, (1, 2), (1500, 1503))
UPSET = ShowableMatch(2, (3, 4), (1300, 1700))
NEW = ShowableMatch(3, (5, 6), (1500, 1400), first_version=4)
TOP = ShowableMatch(4, (7, 8), (1900, 1800))


def list_order(*candidates: ShowableMatch) -> list[int]:
    return [choice.match for choice in build_playlist(candidates, len(candidates))]


def test_the_strongest_weaker_bot_comes_first():
    one_sided = ShowableMatch(5, (9, 10), (2400, 1200))
    assert list_order(one_sided, NEAR, UPSET, NEW, TOP) == [4, 1, 3, 2, 5]


def test_of_equally_strong_bots_the_closer_match_comes_first():
    wide = ShowableMatch(1, (1, 2), (1720, 1540))
    close = ShowableMatch(2, (3, 4), (1530, 1510))
    assert list_order(wide, close) == [2, 1]


def test_good_matches_come_before_all_others():
    unproven = ShowableMatch(1, (1, 2), (1900, 1900))
    good = ShowableMatch(2, (3, 4), (1600, 1600), is_good=True)
    assert list_order(unproven, good) == [2, 1]


def test_strength_is_that_of_now_and_not_of_a_first_match():
    weak = ShowableMatch(1, (1, 2), (1500, 1500), strengths=(900, 1000))
    strong = ShowableMatch(2, (3, 4), (1500, 1500), strengths=(1700, 1900))
    assert list_order(weak, strong) == [2, 1]


def test_a_pair_comes_back_after_six_others():
    same = [ShowableMatch(number, (1, 2), (2000, 2000)) for number in (1, 2)]
    others = [ShowableMatch(number, (number, 99), (1850, 1850)) for number in range(3, 10)]
    assert list_order(*same, *others) == [1, 3, 4, 5, 6, 7, 8, 2, 9]
    assert list_order(*same) == [1, 2]


def test_no_far_weaker_match_is_shown_for_a_change():
    same = [ShowableMatch(number, (1, 2), (2000, 2000)) for number in (1, 2)]
    weak = ShowableMatch(3, (3, 4), (1700, 1750))
    assert list_order(*same, weak) == [1, 2, 3]
    assert count_rotated(build_playlist([*same, weak], 3)) == 2 and count_rotated([]) == 0


def test_the_most_remarkable_thing_is_said_of_a_match():
    said = {
        choice.match: (choice.reason, round(choice.value, 2)) for choice in build_playlist([TOP, NEW, UPSET, NEAR], 9)
    }
    assert said == {
        1: (PlaylistReason.CLOSEST, 3),
        2: (PlaylistReason.STRONG, 1300),
        3: (PlaylistReason.NEW_VERSION, 4),
        4: (PlaylistReason.STRONG, 1800),
    }


def test_recorded_games_are_needed_until_there_are_twelve_good_matches():
    good = [ShowableMatch(number, (1, 2), (1500, 1500), is_good=True) for number in range(GOOD_MATCHES_WANTED)]
    assert needs_recorded_games([]) and needs_recorded_games([*good[1:], NEAR, UPSET, NEW, TOP])
    assert not needs_recorded_games(good)


def test_the_best_take_turns_by_the_clock():
    order = list(range(15))
    shown = [rotate(order, NOON + number * ROTATION)[0] for number in range(2 * MAX_ROTATED)]
    assert sorted(shown[:MAX_ROTATED]) == order[:MAX_ROTATED] and shown[MAX_ROTATED:] == shown[:MAX_ROTATED]
    assert shown[1] == (shown[0] + 1) % MAX_ROTATED
    assert sorted(rotate(order, NOON)) == order and rotate([], NOON) == []


def test_everybody_sees_the_same_until_the_next_turn():
    last = ROTATION - timedelta(microseconds=1)
    assert rotate(range(7), NOON) == rotate(range(7), NOON + last) != rotate(range(7), NOON + ROTATION)


candidates = st.builds(
    lambda bots, ratings, first: (tuple(bots), ratings, first),
    st.lists(st.integers(1, 6), min_size=2, max_size=2, unique=True),
    st.tuples(st.floats(0, 3000), st.floats(0, 3000)),
    st.none() | st.integers(1, 9),
)


@given(st.lists(candidates, max_size=12), st.integers(0, 8))
def test_a_match_is_shown_once_and_as_many_as_there_are(found, length):
    matches = [ShowableMatch(number, *one) for number, one in enumerate(found)]
    chosen = build_playlist(matches, length)
    assert len(chosen) == min(length, len(matches))
    assert len({one.match for one in chosen}) == len(chosen)
