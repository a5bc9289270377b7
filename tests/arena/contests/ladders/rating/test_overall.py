import pytest

from arena.contests.ladders.overall import compute_overall_scores
from arena.contests.ladders.rating import Rating


def field(spread: float, level: float, **strengths: float) -> dict[int, Rating]:
    """Return ratings of bots `b1`, `b2` … that are as many spreads above the level."""
    return {int(name[1:]): Rating(1500 + level + spread * value, 30) for name, value in strengths.items()}


ONE = field(200, 0, b1=1, b2=0, b3=-1)
OTHER = field(400, 300, b1=1, b2=0, b3=-1)


def test_an_edition_counts_the_same_however_wide_or_high_its_ratings_are() -> None:
    scores = {one.bot: one for one in compute_overall_scores({1: ONE, 2: OTHER})}
    assert [round(scores[bot].score) for bot in (1, 2, 3)] == [122, 0, -122]
    alone = {one.bot: one.score for one in compute_overall_scores({1: ONE, 2: ONE})}
    assert alone == pytest.approx({bot: one.score for bot, one in scores.items()})


def test_nobody_loses_by_an_edition_that_it_does_not_play() -> None:
    without = {bot: one for bot, one in OTHER.items() if bot != 1} | field(400, 300, b4=1)
    scores = {one.bot: one for one in compute_overall_scores({1: ONE, 2: OTHER, 3: without})}
    assert scores[1].score == pytest.approx(122, abs=8) and scores[1].editions == (1, 2)
    assert scores[1].score > scores[2].score > scores[3].score


def test_a_bot_of_one_edition_stands_below_and_moves_nobody() -> None:
    before = compute_overall_scores({1: ONE, 2: OTHER})
    after = compute_overall_scores({1: ONE | field(200, 0, b9=5), 2: OTHER})
    assert [one.bot for one in after] == [1, 2, 3, 9] and not after[-1].is_ranked
    assert [one.score for one in after[:3]] == pytest.approx([one.score for one in before])


def test_margins_shrink_with_the_number_of_editions() -> None:
    (two, *_) = compute_overall_scores({1: ONE, 2: ONE})
    (four, *_) = compute_overall_scores({1: ONE, 2: ONE, 3: ONE, 4: ONE})
    assert four.margin_95 == pytest.approx(two.margin_95 / 2**0.5)


@pytest.mark.parametrize("ladders", [{}, {1: {}}, {1: {}, 2: {}}, {1: ONE, 2: {}}, {1: {1: Rating(1500, 0)}, 2: {}}])
def test_without_common_bots_nobody_is_ranked(ladders: dict[int, dict[int, Rating]]) -> None:
    assert not any(one.is_ranked for one in compute_overall_scores(ladders))
