"""Puzzles of a day, made from a recorded game without looking for more."""

from datetime import date

from arena.contests.puzzles.models import Puzzle
from arena.contests.puzzles.services import Source, choose_daily, stock_claims
from arena.matches.recorded_games import read_recorded_games

DAY = date(2026, 1, 5)
"""A day on which puzzles of tests are new: it is over on every clock."""


def make_puzzles(day: date = DAY) -> tuple[Puzzle, Puzzle]:
    """Return the claim and the best choice of a day. The second one's chances are invented."""
    games = [game for game in read_recorded_games() if game.record["edition"] == "medieval"]
    for game in games:
        stock_claims(Source(game.record, None, 1, game.slug), takes_all=True)
    (claim,) = [puzzle for puzzle in choose_daily(day) if puzzle.kind == Puzzle.Kind.CLAIM]
    state = claim.state
    legal = list(state.actions())
    best = Puzzle.objects.create(
        kind=Puzzle.Kind.BEST,
        number=1,
        day=day,
        recorded_game=claim.recorded_game,
        leg=claim.leg,
        turn=claim.turn,
        game=claim.game,
        edition=claim.edition,
        seat=claim.seat,
        play=claim.play,
        question={"hand": state.view(claim.seat)["hand"], "legal": legal},
        solution={
            "best": legal[0],
            "played": legal[1],
            "chances": {legal[0]: 0.61, legal[1]: 0.42},
            "error": 0.02,
        },
        difficulty=1,
        position_hash="best",
    )
    return claim, best
