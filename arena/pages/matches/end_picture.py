"""Draw the end of a leg as its game draws it in small."""

from dataclasses import dataclass
from typing import Any

from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.groups.audience import Reader
from arena.matches.queries.replays import find_finished_leg, list_seats
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Presentation
from arena.pages.matches.replay import LAST_STEP, PUBLIC_ONLOOKER, Scene, play_to
from engine.registry import GAMES


@dataclass(frozen=True, slots=True)
class Picture:
    """The end of a leg as its game draws it in small."""

    template: str
    board: Any
    says: str
    """The ending in words, for who doesn't see it."""


def draw_end_of_leg(reader: Reader, match: int, number: int) -> Picture | None:
    """Return the picture of how a leg ended; None where its game draws none, or the reader can't see it."""
    shown = find_end_of_leg(reader, match, number)
    return draw_end(*shown) if shown is not None else None


def find_end_of_leg(reader: Reader, match: int, number: int) -> tuple[Scene, Presentation] | None:
    """Return the scene in which a leg ends, and how it is presented; None where the reader can't see it."""
    leg = find_finished_leg(reader, match, number)
    if leg is None or leg.record is None or leg.match.game not in GAMES or is_deal_in_play(leg.match):
        return None
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    if presentation.name_players is not None:
        players = tuple(seat.participant.version.bot.name for seat in list_seats([leg]))
        presentation = presentation.name_players(players, None)
    return play_to(leg.record_data, LAST_STEP, PUBLIC_ONLOOKER), presentation


def draw_end(scene: Scene, presentation: Presentation) -> Picture | None:
    """Return the picture of the scene in which a leg ends; None where its game draws none."""
    if presentation.build_picture is None:
        return None
    template = f"games/{presentation.folder}/picture.html"
    return Picture(template, presentation.build_picture(scene), presentation.describe_ending(scene))
