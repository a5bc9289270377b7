"""The last rounds of a bracket and the figures of a tournament, as the projector's page shows them at the end."""

from dataclasses import dataclass

from arena.pages.svg.bracket import format_side_score
from arena.pages.tournaments.bracket import Column, make_bracket
from arena.tournaments.models import Entrant
from arena.tournaments.queries.faults import list_faults
from arena.tournaments.queries.overview import Overview
from arena.tournaments.queries.shown_matches import count_legs


@dataclass(frozen=True, slots=True)
class FinalSide:
    """A side of a bout."""

    entrant: Entrant
    score: str
    won: bool


@dataclass(frozen=True, slots=True)
class FinalBout:
    """A bout of one of the last rounds."""

    title: str
    sides: list[FinalSide]


@dataclass(frozen=True, slots=True)
class Played:
    """How much was played, and how much of it was lost by a fault."""

    legs: int
    bots: int
    faults: int


def list_final_bouts(overview: Overview) -> list[list[FinalBout]]:
    """Return the bouts of the last rounds of a bracket by column, the final last; nothing for other formats."""
    drawings = {drawing.key: drawing.columns for drawing in make_bracket(overview)}
    if not drawings:
        return []
    if finals := drawings.get("F"):
        before = [drawings[key][-1:] for key in ("W", "L") if key in drawings]
        columns = [[column for part in before for column in part], finals]
    else:
        columns = [[column] for column in drawings["W"][-2:]]
    return [found for parts in columns if (found := [bout for part in parts for bout in list_bouts(overview, part)])]


def list_bouts(overview: Overview, column: Column) -> list[FinalBout]:
    """Return the bouts of a round between two that are known."""
    return [
        FinalBout(
            bout.caption or column.title,
            [
                FinalSide(overview.by_number[side.number], format_side_score(bout, side), side.won)
                for side in bout.sides
                if side.number
            ],
        )
        for bout in column.bouts
        if not (bout.is_bye or bout.is_open)
    ]


def count_played(overview: Overview) -> Played:
    """Return how many legs were played by how many bots, and how many of them ended with a fault."""
    faults = {(fault.match, fault.leg) for fault in list_faults(overview.tournament)}
    return Played(count_legs(overview.tournament), len(overview.field), len(faults))
