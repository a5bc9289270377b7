import pytest

from arena.tournaments.formats.base import Pairing, Result
from arena.tournaments.formats.bracket import (
    NO_ENTRANT,
    Bout,
    Bracket,
    FromBout,
    build_winners_rounds,
    count_knockout_rounds,
    order_seeds,
)


def won(name: str, winner: int, loser: int) -> Result:
    return Result(Pairing((winner, loser), name, must_decide=True), (1.0, 0.0), (20.0, 10.0))


@pytest.mark.parametrize(
    ("size", "order"),
    [
        (1, [1]),
        (2, [1, 2]),
        (4, [1, 4, 2, 3]),
        (8, [1, 8, 4, 5, 2, 7, 3, 6]),
        (16, [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]),
    ],
)
def test_the_seeds_from_the_top_down(size: int, order: list[int]) -> None:
    assert order_seeds(size) == order


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64, 128, 256])
def test_if_the_better_wins_each_round_is_the_best_half_against_the_rest_mirrored(size: int) -> None:
    left = order_seeds(size)
    while len(left) > 1:
        assert sorted(left) == list(range(1, len(left) + 1))
        assert all(upper + lower == len(left) + 1 for upper, lower in zip(left[::2], left[1::2], strict=True))
        left = [min(two) for two in zip(left[::2], left[1::2], strict=True)]


@pytest.mark.parametrize(
    ("entrants", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4), (17, 5), (255, 8), (256, 8)]
)
def test_rounds_until_one_is_left(entrants: int, rounds: int) -> None:
    assert count_knockout_rounds(entrants) == rounds == len(build_winners_rounds(entrants))


def test_bouts_are_named_by_round_and_place() -> None:
    assert build_winners_rounds(3) == (
        (Bout("W1.1", (1, 4)), Bout("W1.2", (2, 3))),
        (Bout("W2.1", (FromBout("W1.1"), FromBout("W1.2"))),),
    )


class TestOfThree:
    """Whose numbers are 7, 5 and 9, in the order of their seeds."""

    def bracket(self, *rounds: list[Result]) -> Bracket:
        return Bracket([7, 5, 9], rounds, (bout for row in build_winners_rounds(3) for bout in row))

    bye = Result(Pairing((7,), "W1.1"), (1.0,), (0.0,), played=False)

    def test_the_first_round(self) -> None:
        assert self.bracket().ready == [Pairing((7,), "W1.1"), Pairing((5, 9), "W1.2", must_decide=True)]

    def test_a_bye_has_a_winner_and_nobody_lost(self) -> None:
        bracket = self.bracket([self.bye])
        assert bracket.find_winner("W1.1") == 7 and bracket.find_loser("W1.1") == NO_ENTRANT
        assert bracket.find_winner("W1.2") is bracket.find_loser("W1.2") is bracket.find_winner("W2.1") is None

    def test_who_has_a_bye_and_has_left_goes_on_in_name(self) -> None:
        bracket = self.bracket([Result(Pairing((7,), "W1.1"), (0.0,), (0.0,), played=False)])
        assert bracket.find_winner("W1.1") == 7

    def test_the_better_seed_sits_first_in_the_end(self) -> None:
        bracket = self.bracket([self.bye, won("W1.2", 9, 5)])
        assert bracket.ready == [Pairing((7, 9), "W2.1", must_decide=True)]

    def test_when_all_is_played_nothing_is_ready(self) -> None:
        bracket = self.bracket([self.bye, won("W1.2", 9, 5)], [won("W2.1", 9, 7)])
        assert not bracket.ready and bracket.find_winner("W2.1") == 9 and bracket.find_loser("W2.1") == 7

    def test_what_others_played_under_that_name_does_not_count(self) -> None:
        assert len(self.bracket([self.bye, won("W1.2", 9, 4)]).ready) == 1

    def test_there_is_no_draw(self) -> None:
        even = Result(Pairing((5, 9), "W1.2"), (0.5, 0.5), (10.0, 10.0))
        with pytest.raises(ValueError, match="W1.2 ended without a winner"):
            self.bracket([self.bye, even])
