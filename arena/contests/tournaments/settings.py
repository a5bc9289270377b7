"""The settings of a tournament, which are fixed before the first round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.message import Message, MessageError, gettext_noop, message
from engine.series import WINNER_SCORE, SeriesLength

MAX_ENTRANTS = 256
MIN_ENTRANTS_FOR_THIRD_PLACE = 4
"""With fewer there is at most one loser of a semi-final."""
WINS = "wins"
GAME_POINTS = "game_points"
SCORINGS = (WINS, GAME_POINTS)
SETTING_RANGES = (
    ("rounds", 1, 99, gettext_noop("Choose %(low)s to %(high)s rounds, not %(value)s.")),
    ("matches_per_pairing", 1, 25, gettext_noop("Choose %(low)s to %(high)s matches per pairing, not %(value)s.")),
    (
        "max_tiebreak_matches",
        0,
        25,
        gettext_noop("Choose %(low)s to %(high)s tie-break matches, not %(value)s."),
    ),
    ("seats", 2, 4, gettext_noop("Choose %(low)s to %(high)s seats per table, not %(value)s.")),
    (
        "knockout_size",
        2,
        MAX_ENTRANTS,
        gettext_noop("%(low)s to %(high)s bots can advance to a knockout, not %(value)s."),
    ),
)
"""Numeric settings with their lowest and highest value, and the message for any other."""
OLD_SETTING_NAMES = {"pairs": "matches_per_pairing", "extra": "max_tiebreak_matches", "advance": "advance_per_group"}
"""The names of settings in folders written by older versions of `pennant tournament`."""


class InvalidSettings(MessageError):
    """The error raised for settings that can't be played. The message is for the organiser."""

    def __init__(self, message: Message, field: str = "") -> None:
        """Keep the message, and the name of the setting to blame, if it is a single one."""
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides how a tournament is played, apart from its entrants.

    A pairing has `matches_per_pairing` matches. A match is a leg for every seating of the same deal: between two, a
    mirrored pair. With `series` it is a series of games instead, and counts as one. In a knockout a pairing is the best
    of these matches and ends once it is decided. If it is even after all of them, up to `max_tiebreak_matches` more are
    played until one of the two is ahead; then the higher sum of game points advances; then the better seed, which has
    the first seat.

    In a pairing with a remote bot the legs of a match have deals of their own, because its author sees all hands that
    it holds. Each is played apart, and together they count as one match.
    """

    format: str = "swiss"
    """A key of `formats.FORMATS`."""
    rounds: int | None = None
    """Number of rounds in formats that leave it open, such as Swiss; None for as many as the format recommends."""
    matches_per_pairing: int = 1
    max_tiebreak_matches: int = 2
    scoring: str = WINS
    """`wins`: 1 for a pairing won, ½ for an even one. `game_points`: the sum of the points of all legs (BL-25)."""
    groups: int = 2
    """Number of groups before a knockout."""
    advance_per_group: int = 2
    """Number of entrants that advance from each group."""
    seats: int = 2
    """Number of seats at a table."""
    seed: str = ""
    """Seed of the lots."""
    series: SeriesLength | None = None
    """Length of the series that each match is; None for mirrored pairs, or one leg for each seating of a table."""
    count_byes: bool = True
    """Whether a bye adds to the score what a pairing won adds."""
    knockout_size: int = 4
    """Number of entrants that advance from a Swiss phase to the knockout."""
    third_place_match: bool = False
    """Whether the losers of the semi-finals meet; otherwise they share third place."""
    separate_phases: bool = True
    """Whether a knockout has seeds of its own, and leaves the scores and the order of the phase before it alone.

    In older tournaments, which have no such setting, its results counted for the score and the tie-breaks of all, and a
    pairing that stayed even was decided by the seeds of the tournament.
    """

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Settings":
        """Return stored settings; names of older versions are read, too."""
        values: dict[str, Any] = {"separate_phases": False}
        values |= {OLD_SETTING_NAMES.get(name, name): value for name, value in data.items()}
        if values.get("scoring") == "series":
            values["scoring"] = GAME_POINTS
        if values.get("series") is not None:
            values["series"] = SeriesLength.from_json(values["series"])
        return cls(**values)

    @property
    def legs_per_match(self) -> float:
        """The number of legs of a match; of a series to a number of points, an estimate."""
        if self.series is None:
            return self.seats
        if self.series.games is not None:
            return self.series.games
        assert self.series.points is not None
        wins_needed = -(-self.series.points // WINNER_SCORE)
        return (3 * wins_needed - 1) / 2

    @property
    def min_entrants(self) -> int:
        """The smallest number of entrants with which it can be played."""
        if self.format == "groups":
            return self.groups * max(2, self.advance_per_group)
        return self.knockout_entrants or 2

    @property
    def knockout_entrants(self) -> int | None:
        """The number of entrants that advance to a knockout after another phase; None where there is none."""
        sizes = {"groups": self.groups * self.advance_per_group, "swiss-knockout": self.knockout_size}
        return sizes.get(self.format)

    def check(self, entrants: int | None = None) -> None:
        """Raise InvalidSettings if these can't be played, or not by this number of entrants."""
        for name, low, high, template in SETTING_RANGES:
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise InvalidSettings(message(template, low=low, high=high, value=value), name)
        if self.scoring not in SCORINGS:
            template = gettext_noop("There's no scoring system called %(name)s. Choose one of: %(names)s.")
            raise InvalidSettings(message(template, name=self.scoring, names=", ".join(SCORINGS)), "scoring")
        if self.groups < 2 or self.advance_per_group < 1:
            raise InvalidSettings(
                message(gettext_noop("Choose at least two groups, and at least one advancing bot per group.")),
                "groups" if self.groups < 2 else "advance_per_group",
            )
        if entrants is not None:
            self._check_entrants(entrants)

    def _check_entrants(self, entrants: int) -> None:
        """Raise InvalidSettings if these can't be played by this number of entrants."""
        if not 2 <= entrants <= MAX_ENTRANTS:
            template = gettext_noop("A tournament can have 2 to %(most)s entrants, not %(count)s.")
            raise InvalidSettings(message(template, most=MAX_ENTRANTS, count=entrants))
        if entrants < self.min_entrants:
            template, field = gettext_noop("These groups need at least %(least)s entrants, not %(count)s."), "groups"
            if self.format != "groups":
                template = gettext_noop("This knockout needs at least %(least)s entrants, not %(count)s.")
                field = "knockout_size"
            raise InvalidSettings(message(template, least=self.min_entrants, count=entrants), field)
