"""Which rated matches spectators are shown, and in what order."""

from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.playlist import Candidate, Reason, build_playlist

NEAR = Candidate(1, (1, 2), (1500, 1503), (1.0, 0.0))
UPSET = Candidate(2, (3, 4), (1300, 1700), (0.75, 0.25))
NEW = Candidate(3, (5, 6), (1500, 1400), (1.0, 0.0), first_version=4)
TOP = Candidate(4, (7, 8), (1900, 1880), (0.5, 0.5))


def test_each_reason_has_its_match_in_turn():
    chosen = build_playlist([TOP, NEW, UPSET, NEAR], 10)
    assert [(one.match, one.reason) for one in chosen] == [
        (1, Reason.CLOSEST),
        (2, Reason.UPSET),
        (3, Reason.NEW_VERSION),
        (4, Reason.BEST),
    ]
    assert [round(one.value, 2) for one in chosen] == [3, 0.09, 4, 1890]


def test_a_favourite_that_wins_and_a_draw_are_no_upsets():
    assert Candidate(1, (1, 2), (1700, 1300), (1.0, 0.0)).upset_chance is None
    assert TOP.upset_chance is None


def test_the_winner_among_four_is_measured_against_its_best_opponent():
    four = Candidate(1, (1, 2, 3, 4), (1500, 1600, 1200, 1200), (0.9, 0.6, 0.3, 0.2))
    assert four.upset_chance is not None and 0.35 < four.upset_chance < 0.37


def test_a_bot_rests_after_its_match_where_another_can_be_shown():
    matches = [
        Candidate(1, (1, 2), (1500, 1500), (1, 0)),
        Candidate(2, (1, 3), (1900, 1900), (1, 0)),
        Candidate(3, (4, 5), (1000, 1000), (1, 0)),
    ]
    assert [one.match for one in build_playlist(matches, 3)] == [1, 3, 2]


candidates = st.builds(
    lambda bots, ratings, points, first: (tuple(bots), ratings, points, first),
    st.lists(st.integers(1, 6), min_size=2, max_size=2, unique=True),
    st.tuples(st.floats(0, 3000), st.floats(0, 3000)),
    st.sampled_from([(1.0, 0.0), (0.5, 0.5), (0.25, 0.75)]),
    st.none() | st.integers(1, 9),
)


@given(st.lists(candidates, max_size=12), st.integers(0, 8))
def test_a_match_is_shown_once_and_as_many_as_there_are(found, length):
    matches = [Candidate(number, *one) for number, one in enumerate(found)]
    chosen = build_playlist(matches, length)
    assert len(chosen) == min(length, len(matches))
    assert len({one.match for one in chosen}) == len(chosen)
