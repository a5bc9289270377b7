"""The luck of bots that play in this process, as the arena measures and audits it."""

from collections.abc import Sequence
from math import sqrt
from random import Random

from pennant.local_bots import LocalBot

from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import CARDS_PER_DRAW, SeatLuck, measure_luck
from engine.core import Json, State
from engine.registry import find_game
from tests.engine.analysis.plays import play_leg, value_after

GAME = find_game("battleline")
EDITION = "standard"


class ToldBot(LocalBot):
    """A sample that is told the deal: it draws from the deck whose top card is further above the mean of its deck."""

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        draws = [move for move in state.moves() if state.text(move).startswith("draw")]
        if len(draws) < 2:
            return super().decide(state, seat)
        return state.text(max(draws, key=lambda move: measure_draw(state, move, seat))), None


def measure_draw(state: State, move: int, seat: int) -> float:
    """Return the luck of a draw before it is made."""
    evaluator = find_evaluator("battleline", EDITION)
    assert evaluator is not None
    expected = evaluator.expected_chance(state, move, seat, Random(state.ply), max_cards=CARDS_PER_DRAW)
    return value_after(state, move, evaluator) - (expected or 0.0)


def play_record(bots: Sequence[LocalBot], edition: str, deal: Json, seed: str) -> Json:
    """Play a leg, `bots` by seat."""
    options = GAME.options(edition)
    for seat, bot in enumerate(bots):
        bot.begin(options, edition, seat, Random(f"{seed} {bot.name}").getrandbits(50))
    return play_leg(
        seed,
        (
            lambda state: state.parse(bots[0].decide(state, 0)[0]),
            lambda state: state.parse(bots[1].decide(state, 1)[0]),
        ),
        edition,
        deal,
    )


def measure_luck_of(bot: LocalBot, opponent: LocalBot, legs: int, first: int = 0) -> SeatLuck:
    """Return the luck of a bot's draws in so many legs, each deal once with either seat."""
    evaluator = find_evaluator("battleline", EDITION)
    assert evaluator is not None
    total = SeatLuck()
    for number in range(first, first + legs):
        own, deal = number % 2, GAME.deal(GAME.options(EDITION), 2, Random(f"luck {number // 2}"))
        record = play_record((bot, opponent) if own == 0 else (opponent, bot), EDITION, deal, f"{number}")
        total += measure_luck(record, evaluator)[own]
    return total


def compute_z(luck: SeatLuck) -> float:
    """Return the mean luck of a draw in its standard errors, as the audit does."""
    mean = luck.luck / luck.draws
    return mean / sqrt((luck.squares / luck.draws - mean**2) / luck.draws)
